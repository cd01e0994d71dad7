"""
Blocks of CHECK lines in the text of a lit test.

A block is the comment `MARKER` and the CHECK lines below it. It stands before the function whose output it describes:

    // CHECK lines by opt-tool --update-checks
    // CHECK-LABEL: func.func @f(
    // CHECK-SAME: [[A:%\\w+]]: i32) -> i32 {
    // CHECK-NEXT: func.return [[A]] : i32
    func.func @f(%a: i32) -> i32 {
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .output import MARK, Exclusions, OutputItem, check_lines

MARKER = "// CHECK lines by opt-tool --update-checks"

_WRITTEN = re.compile(r"\s*//\s*([A-Za-z_][\w-]*?)(?:-(?:LABEL|NEXT|SAME))?: ")
_FUNCTION = re.compile(r"""^\s*(?:\w+\.)?func\b[^@(]*@(?P<name>[\w$.-]+|"[^"]+")|^\s*"\w+\.func"\(""")
_SYMBOL = re.compile(r'\bsym_name = "([^"]+)"')


@dataclass(frozen=True)
class LitSource:
    """Lines of a lit test without the blocks of CHECK lines, and the prefixes that these have."""

    lines: tuple[str, ...]
    prefixes: frozenset[str]


@dataclass(frozen=True)
class _Anchor:
    """Function of a test at a line; `part` counts the parts that `MARK` separates."""

    line: int
    part: int
    symbol: str


def source_of(text: str) -> LitSource:
    """Return the lines of a test without the blocks that are written into it."""
    lines: list[str] = []
    prefixes: set[str] = set()
    inside = False
    for line in text.split("\n"):
        written = _WRITTEN.match(line) if inside else None
        inside = line.strip() == MARKER or written is not None
        if written is not None:
            prefixes.add(written[1])
        elif not inside:
            lines.append(line)
    return LitSource(tuple(lines), frozenset(prefixes))


def hand_written(source: LitSource, prefix: str) -> list[str]:
    """Return the lines with CHECK lines of a prefix, all of which are written by hand."""
    suffixes = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?(?:\{LITERAL\})?"
    pattern = re.compile(rf"(?<![\w-]){re.escape(prefix)}{suffixes}:")
    return [line for line in source.lines if pattern.search(line) and "RUN:" not in line]


def with_blocks(source: LitSource, outputs: Mapping[str, Sequence[OutputItem]], excluded: Exclusions) -> str:
    """
    Return the text of a test with a block for each function of each output, by prefix.

    Functions of whose names hand-written CHECK lines of the prefix speak get none.
    """
    blocks: dict[int, list[str]] = {}
    for prefix, items in outputs.items():
        by_hand = "\n".join(hand_written(source, prefix))
        for line, placed in _places(source, items).items():
            ours = [item for item in placed if not item.symbol or not _names(by_hand, item.symbol)]
            if comments := list(check_lines(ours, prefix, excluded)):
                blocks.setdefault(line, []).extend([MARKER, *comments])
    lines: list[str] = []
    for number, line in enumerate(source.lines):
        indent = " " * (len(line) - len(line.lstrip()))
        lines += [f"{indent}{comment}" for comment in blocks.get(number, ())]
        lines.append(line)
    return "\n".join(lines)


def _names(text: str, symbol: str) -> bool:
    return re.search(rf"@\"?{re.escape(symbol)}(?![\w$.-])", text) is not None


def _places(source: LitSource, items: Sequence[OutputItem]) -> dict[int, list[OutputItem]]:
    """
    Return the items of an output by the line of the test before which their CHECK lines stand.

    They keep their order: an item whose function is not in the test, or stands too early, joins the one before it.
    """
    starts = _first_lines(source)
    anchors = list(_anchors(source))
    items = _of_test(items, {anchor.symbol for anchor in anchors})
    has_all = len({item.part for item in items}) == len(starts)
    places: dict[int, list[OutputItem]] = {}
    at = starts[0]
    for item in items:
        if has_all:
            at = max(at, starts[item.part])
        fits = (a.line for a in anchors if a.symbol == item.symbol and (not has_all or a.part == item.part))
        at = next((line for line in fits if line >= at), at)
        places.setdefault(at, []).append(item)
    return places


def _of_test(items: Sequence[OutputItem], symbols: set[str]) -> Sequence[OutputItem]:
    """Return the functions of C that have the name of one of a test, alone or before `_`: other C is the runtime's."""
    prefixes = tuple(f"{symbol}_" for symbol in symbols)
    named = [item for item in items if f"{item.symbol}_".startswith(prefixes)]
    return items if not named or any(item.is_ir for item in items) else named


def _first_lines(source: LitSource) -> list[int]:
    """Return the line of each part of a test at which its IR begins: below the comments."""
    starts: list[int] = []
    is_open = True
    for number, line in enumerate(source.lines):
        is_code = bool(line.strip()) and not line.lstrip().startswith("//")
        if is_open and is_code:
            starts.append(number)
        is_open = line.startswith(MARK) or (is_open and not is_code)
    return starts or [len(source.lines) - 1]


def _anchors(source: LitSource) -> Iterator[_Anchor]:
    part = 0
    for number, line in enumerate(source.lines):
        part += line.startswith(MARK)
        match = _FUNCTION.match(line)
        if match is None:
            continue
        symbol = _SYMBOL.search(line)
        name = match["name"] or (symbol[1] if symbol else "")
        yield _Anchor(number, part, name.strip('"'))
