"""Unified difference of two texts of IR, in which a value that is only numbered otherwise is the same value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from xdsl.utils.colors import RESET, Colors

from .edit_script import common_runs

_VALUE = re.compile(r"%[\w$.-]+|\^[\w$.-]+")
_CONTEXT = 3
"""Unchanged lines around a change, as of diff -u."""
_COLOURS = {"-": Colors.RED, "+": Colors.GREEN, "@": Colors.CYAN}


class _DiffLine(NamedTuple):
    """Line of a difference: its mark (' ', '-' or '+') and its text."""

    mark: str
    text: str


class _Renaming:
    """One-to-one renaming of the values of one text to those of another, as their lines are paired in order."""

    def __init__(self) -> None:
        self.forward: dict[str, str] = {}
        self.backward: dict[str, str] = {}

    def admits(self, before: str, after: str) -> bool:
        """Return whether two lines are equal but for names that are renamed alike everywhere; extends the renaming."""
        pairs = zip(_VALUE.findall(before), _VALUE.findall(after), strict=True)
        bound: list[tuple[str, str]] = []
        for old, new in pairs:
            if old not in self.forward and new not in self.backward:
                self.forward[old], self.backward[new] = new, old
                bound.append((old, new))
            elif self.forward.get(old) != new:
                for other, name in bound:
                    del self.forward[other], self.backward[name]
                return False
        return True


def unified_diff(before: str, after: str, name: str, *, is_coloured: bool = False) -> str:
    """
    Return the difference of two texts of IR as `diff -u` writes it; `name` is that of the pass between them.

    Lines that are equal up to a renaming of values, one to one within a function, are unchanged and shown as they are
    after the pass.
    """
    hunks = _hunks(_compared(before.split("\n"), after.split("\n")))
    lines = [f"--- before {name}", f"+++ after {name}", *hunks] if hunks else []
    return "\n".join(_coloured(line) for line in lines) if is_coloured else "\n".join(lines)


def _coloured(line: str) -> str:
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}{RESET}" if colour else line


def _compared(before: list[str], after: list[str]) -> list[_DiffLine]:
    """
    Return the lines of both texts in order, each common one once.

    Lines are matched by their ops, or first by their names too, as fewer lines then change.
    """
    named, unnamed = (before, after), (_without_names(before), _without_names(after))
    by_op = _renamed(before, after, _matches(*unnamed))
    matches: list[_Match] = []
    for match in _matches(*named):
        old, new = slice(match.first, match.end), slice(match.start, match.stop)
        gap = [] if match.is_equal else _matches(unnamed[0][old], unnamed[1][new])
        matches += [inner.shifted(match.first, match.start) for inner in gap] or [match]
    by_name = _renamed(before, after, matches)
    return min(by_name, by_op, key=lambda lines: sum(line.mark != " " for line in lines))


def _without_names(lines: list[str]) -> list[str]:
    return [_VALUE.sub("%", line) for line in lines]


class _Match(NamedTuple):
    """Range of lines of each text, first to end and start to stop: equal ones, or a gap between such."""

    first: int
    end: int
    start: int
    stop: int
    is_equal: bool

    def shifted(self, old: int, new: int) -> _Match:
        """Return the match of texts that these are parts of, from the lines `old` and `new` on."""
        return _Match(self.first + old, self.end + old, self.start + new, self.stop + new, self.is_equal)


def _matches(old: list[str], new: list[str]) -> list[_Match]:
    """Return the equal ranges of two texts and the gaps between them, in order."""
    matches: list[_Match] = []
    x = y = 0
    for first, start, size in [*common_runs(old, new), (len(old), len(new), 0)]:
        if first > x or start > y:
            matches.append(_Match(x, first, y, start, False))
        x, y = first + size, start + size
        matches.append(_Match(first, x, start, y, True))
    return matches


def _renamed(before: list[str], after: list[str], matches: list[_Match]) -> list[_DiffLine]:
    """Return the lines of both texts, those that match common where a renaming of values makes them equal."""
    renaming = _Renaming()
    lines: list[_DiffLine] = []
    for first, end, start, stop, is_equal in matches:
        if not is_equal:
            lines += [_DiffLine("-", old) for old in before[first:end]]
            lines += [_DiffLine("+", new) for new in after[start:stop]]
            continue
        for old, new in zip(before[first:end], after[start:stop], strict=True):
            renaming = _Renaming() if _begins_names(new) else renaming
            is_same = renaming.admits(old, new)
            lines += [_DiffLine(" ", new)] if is_same else [_DiffLine("-", old), _DiffLine("+", new)]
    return lines


def _begins_names(line: str) -> bool:
    """Return whether a line begins an op with a symbol and a region, within which names of values begin anew."""
    return line.endswith("{") and " @" in line


def _hunks(lines: list[_DiffLine]) -> list[str]:
    """Return the changed lines with their context, below lines such as `@@ -3,7 +3,6 @@`."""
    changed = [index for index, line in enumerate(lines) if line.mark != " "]
    hunks: list[str] = []
    while changed:
        begin = end = changed[0]
        while changed and changed[0] - end <= 2 * _CONTEXT + 1:
            end = changed.pop(0)
        first, stop = max(0, begin - _CONTEXT), min(len(lines), end + _CONTEXT + 1)
        hunks += [
            _header(lines, first, stop),
            *(f"{line.mark}{line.text}" for line in _removed_first(lines[first:stop])),
        ]
    return hunks


def _header(lines: list[_DiffLine], first: int, stop: int) -> str:
    ranges: list[str] = []
    for mark, other in (("-", "+"), ("+", "-")):
        before = sum(line.mark != other for line in lines[:first])
        count = sum(line.mark != other for line in lines[first:stop])
        ranges.append(f"{mark}{before + 1 if count else before},{count}")
    return f"@@ {' '.join(ranges)} @@"


def _removed_first(lines: list[_DiffLine]) -> Iterator[_DiffLine]:
    """Yield lines with those removed before those added, between two unchanged ones."""
    added: list[_DiffLine] = []
    for line in lines:
        if line.mark == "+":
            added.append(line)
            continue
        if line.mark == " ":
            yield from added
            added = []
        yield line
    yield from added
