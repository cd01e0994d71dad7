"""
Page of a small network at all levels, two of them beside each other; lines of the same ONNX nodes are marked together.

The network, its machine and the levels are those of docs/levels.md. The nodes of a line of IR follow from the locations
that the compiler keeps, those of a line of C from its comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tilewright.dialects.core.syntax.printer import Locations
from tilewright.dialects.core.syntax.text import print_ir
from tilewright.docs.site.highlighting import highlighted
from tilewright.docs.site.text import GeneratedPage
from tilewright.test.docs.levels import LEVELS, NETWORK, PAGE, compiled_levels, machine_of

_LOCATION = re.compile(r' loc\((?:unknown|"[^"]*"|fused\[[^\]]*\]|[^()]*)\)$')
_ELIDED = 8
"""Elements of the largest constant that is shown."""
_COLOURS = 6
"""Colours of nodes in site.css, used in turn."""
_TEXT = """\
---
hide: [toc]
---
# One network at all levels

The network `{network}` of the zoo, compiled for the machine of 1 KiB near memory that [levels.md](levels.md) explains
level by level. Choose two levels; a line that is pointed at is marked on both sides, with all others of its ONNX nodes.
The bar before a line is the colour of its first node. Constants are left out.

```sh
python -m tilewright.frontend.zoo {network} net.onnx
tilewright compile net.onnx --target near.toml -o build
opt-tool net.onnx --target near.toml -p near-pipeline --mlir-print-debuginfo --dump-dir=levels
```

"""


@dataclass(frozen=True)
class CodeLine:
    """Line of a level's text, and the names of the ONNX nodes that it comes from."""

    text: str
    nodes: tuple[str, ...] = ()


def side_by_side_page() -> Iterator[GeneratedPage]:
    """Yield the page, whose texts are those of a compilation."""
    levels = level_lines(machine_of(PAGE.read_text(encoding="utf-8")))
    html = page_of(levels)
    yield GeneratedPage("side-by-side.md", _TEXT.format(network=NETWORK) + html + "\n")


def level_lines(machine: str) -> dict[str, list[CodeLine]]:
    """Return the lines of each level of the network compiled for a machine, by the level's name."""
    texts, body = compiled_levels(
        machine, lambda module: print_ir(module, elide=_ELIDED, width=0, locations=Locations.ALL)
    )
    levels = {level: ir_lines(texts[level]) for level in LEVELS}
    nodes = {node for line in levels["graph"] for node in line.nodes}
    return levels | {"C": c_lines(body, nodes)}


def ir_lines(text: str) -> list[CodeLine]:
    """
    Return the lines of IR without their locations, but with the nodes that these name.

    A line without nodes has those of the innermost op around it that has some.
    """
    lines: list[CodeLine] = []
    opened: list[int] = []
    for line in text.splitlines():
        location = _LOCATION.search(line)
        plain = line[: location.start()] if location else line
        first = opened.pop() if plain.lstrip().startswith("}") and opened else len(lines)
        nodes = tuple(re.findall(r'"([^"]*)"', location[0])) if location and "onnx.Constant" not in plain else ()
        lines.append(CodeLine(plain, nodes))
        if plain.endswith("{"):
            opened.append(first)
        elif nodes:
            lines[first:] = [CodeLine(inner.text, inner.nodes or nodes) for inner in lines[first:]]
    return lines


def c_lines(text: str, nodes: set[str]) -> list[CodeLine]:
    """Return the lines of C: the nodes of a comment before a function are its own, those inside it of the next line."""
    lines: list[CodeLine] = []
    outer: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    for line in text.splitlines():
        named = tuple(re.sub(r"^ *(?:/\*|\*) | \*/$", "", line).split(" + "))
        is_comment = nodes.issuperset(named)
        if is_comment and line.startswith(" *"):
            outer = named
        lines.append(CodeLine(line, named if is_comment else inner or outer))
        inner = named if is_comment else ()
        outer = () if line == "}" else outer
    return lines


def page_of(levels: Mapping[str, Sequence[CodeLine]]) -> str:
    """Return the HTML of the levels one below the other; levels.js puts two of them side by side."""
    nodes = list(dict.fromkeys(node for lines in levels.values() for line in lines for node in line.nodes))
    colours = {node: number % _COLOURS for number, node in enumerate(nodes)}
    sections = [_section(name, lines, colours) for name, lines in levels.items()]
    return "\n".join(['<div class="levels" data-search-exclude>', *sections, "</div>"])


def _section(name: str, lines: Sequence[CodeLine], colours: Mapping[str, int]) -> str:
    coloured = highlighted([line.text.lstrip() for line in lines], "c" if name == "C" else "mlir")
    shown = "".join(_line(line, html, colours) for line, html in zip(lines, coloured, strict=True))
    return (
        f'<section class="level highlight" data-level="{name}"><p class="level-name">{name}</p>'
        f'<div class="level-code" tabindex="0">{shown}</div></section>'
    )


def _line(line: CodeLine, html: str, colours: Mapping[str, int]) -> str:
    indent = len(line.text) - len(line.text.lstrip())
    colour = f" node-{colours[line.nodes[0]]}" if line.nodes else ""
    nodes = (
        f' data-nodes="{escape(" ".join(line.nodes))}" title="{escape(" + ".join(line.nodes))}"' if line.nodes else ""
    )
    return f'<code class="level-line{colour}" style="--indent:{indent}ch"{nodes}>{html or "&#8203;"}</code>'
