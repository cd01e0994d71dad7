"""Wrapping of long lines of IR, at spaces outside of strings: the parser reads the same."""

from __future__ import annotations

import re

from xdsl.ir import Operation

LIMIT = 160
"""Columns of a line of a network. Longer ones hold a token that cannot be broken, such as the bytes of a constant."""


def limit_of(op: Operation) -> int:
    """Return the default limit: that of imported networks, whose text is read, 0 for programs that tests match."""
    return LIMIT if any(name.startswith("onnx.") for name in op.attributes) else 0


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|->|[<>=]=|[(\[{<]|[)\]}>]| ')
_DEPTH = dict.fromkeys("([{<", 1) | dict.fromkeys(")]}>", -1)


def wrapped(text: str, limit: int) -> str:
    """Return a text whose lines have at most `limit` columns, where they can be broken; 0 breaks none."""
    if not limit:
        return text
    return "\n".join(_wrapped_line(line, limit) if len(line) > limit else line for line in text.split("\n"))


def _wrapped_line(line: str, limit: int) -> str:
    """Break a line between its outermost parts first; parts of a bracket are indented deeper."""
    indent = len(line) - len(line.lstrip(" "))
    spaces = _spaces(line, indent)
    parts: list[str] = []
    start, width, at = 0, limit, 0
    while len(line) - start > width and (gap := _break(line, spaces, at, start, width)) is not None:
        at, (position, depth) = gap
        parts.append(line[start:position])
        start = position + 1
        lead = " " * (indent + 4 + 2 * depth)
        parts.append(f"\n{lead}")
        width = max(limit - len(lead), 1)
    return "".join((*parts, line[start:]))


def _spaces(line: str, start: int) -> list[tuple[int, int]]:
    """Return the spaces outside of strings from a column on: their columns, and how many brackets are around."""
    spaces: list[tuple[int, int]] = []
    depth = 0
    for token in _TOKEN.finditer(line, start):
        if token[0] == " ":
            spaces.append((token.start(), depth))
        else:
            depth += _DEPTH.get(token[0], 0)
    return spaces


def _break(
    line: str, spaces: list[tuple[int, int]], at: int, start: int, width: int
) -> tuple[int, tuple[int, int]] | None:
    """Return the best space to break a line at, with the index of the one after it; the last is nearest to the end."""
    while at < len(spaces) and spaces[at][0] <= start + width // 4:
        at += 1
    last = at
    while last < len(spaces) and spaces[last][0] - start <= width:
        last += 1
    if last == at:  # the next part is too long: it gets a line of its own
        last += 1
    choice = range(at, min(last, len(spaces)))
    if not choice:
        return None
    best = min(choice, key=lambda k: (*_merit(line, *spaces[k]), -k))
    return best + 1, spaces[best]


def _merit(line: str, position: int, depth: int) -> tuple[bool, int, bool]:
    """Return the rank of a break: not between a name and its value, outermost, within brackets after a comma."""
    separates = line[position - 1] in "= " and line[position + 1] in "{[ "
    return separates, depth, depth > 0 and line[position - 1] != ","
