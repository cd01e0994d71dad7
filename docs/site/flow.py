"""Flow charts that Markdown has as Mermaid's text, as boxes and arrows of HTML: a row for each line of edges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_NODE = re.compile(r"(\w+)(?:\[([^\]]*)\])?")
_EDGE = re.compile(r"\s*(-->|---|-\.\s*(?P<dotted>.*?)\s*\.->|--\s*(?P<text>.*?)\s*-->)\s*")


def flow_html(text: str) -> str:
    """
    Return the HTML of a flow chart. Raises ValueError for a chart that is none, or that has other shapes than boxes.

    A node is written with its text where it comes first: `A[first<br>line two] --> B[second]`.
    """
    kind, *lines = text.strip().splitlines()
    if not re.fullmatch(r"(?:flowchart|graph) \w\w", kind.strip()):
        raise ValueError(f"expected a flow chart, found '{kind.strip()}'")
    labels: dict[str, str] = {}
    rows = [_row(line.strip(), labels) for line in lines if line.strip()]
    return "\n".join(f'<div class="flow">{row}</div>' for row in rows)


def _row(line: str, labels: dict[str, str]) -> str:
    parts: list[str] = []
    position = 0
    while True:
        node = _NODE.match(line, position)
        if node is None:
            raise ValueError(f"expected a node, found '{line[position:]}'")
        labels.setdefault(node[1], node[2] or node[1])
        parts.append(f'<span class="flow-box">{_label(labels[node[1]])}</span>')
        if node.end() == len(line):
            return " ".join(parts)
        edge = _EDGE.match(line, node.end())
        if edge is None:
            raise ValueError(f"expected an edge, found '{line[node.end() :]}'")
        parts.append(f"<span>{escape(edge['dotted'] or edge['text'] or '')} \N{RIGHTWARDS ARROW}</span>")
        position = edge.end()


def _label(text: str) -> str:
    """Return a label, the first line of which names the box."""
    name, *others = (escape(part) for part in text.split("<br>"))
    return "<br>".join([f"<strong>{name}</strong>", *others])


def flow_fence(
    source: str, language: str, css_class: str, options: Mapping[str, Any], md: Any, **kwargs: Sequence[str]
) -> str:
    """Return the HTML of a fence `mermaid`, for superfences."""
    return flow_html(source)
