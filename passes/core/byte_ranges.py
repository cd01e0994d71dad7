"""Index of ranges of bytes, to find those that meet a range."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Range: TypeAlias = "tuple[int, int]"
"""The first byte and the one after the last."""


def joined(ranges: Iterable[Range]) -> Iterator[Range]:
    """Yield the ranges that some make up together, in order: those that overlap or adjoin are one."""
    ordered = sorted(ranges)
    if not ordered:
        return
    begin, end = ordered[0]
    for low, high in ordered[1:]:
        if low > end:
            yield begin, end
            begin = low
        end = max(end, high)
    yield begin, end


class ByteRanges:
    """
    Numbers of users of a memory by the range of bytes that each uses.

    Ranges of at most 2^k bytes are sorted by their first byte, apart from longer ones, so that a query passes over few
    that it does not meet.
    """

    def __init__(self) -> None:
        self._numbers: dict[Range, list[int]] = {}
        self._by_length: dict[int, list[Range]] = {}

    def add(self, low: int, high: int, number: int) -> None:
        """Add a user of a range."""
        if (low, high) not in self._numbers:
            self._numbers[low, high] = []
            insort(self._by_length.setdefault(_log(low, high), []), (low, high))
        self._numbers[low, high].append(number)

    def meeting(self, low: int, high: int) -> Iterator[int]:
        """Yield the users of a byte of a range."""
        for k, ranges in self._by_length.items():
            for bounds in ranges[_first(ranges, low - (1 << k)) : _first(ranges, high)]:
                if bounds[1] > low:
                    yield from self._numbers[bounds]

    def remove(self, low: int, high: int, number: int) -> None:
        """Remove a user of just this range."""
        self._numbers[low, high].remove(number)
        if not self._numbers[low, high]:
            del self._numbers[low, high]
            ranges = self._by_length[_log(low, high)]
            del ranges[bisect_left(ranges, (low, high))]

    def forget(self, low: int, high: int) -> None:
        """Remove all ranges that lie within one."""
        for k, ranges in self._by_length.items():
            if k > _log(low, high):
                continue
            first, end = _first(ranges, low), _first(ranges, high + 1)
            inside = [bounds for bounds in ranges[first:end] if bounds[1] <= high]
            if inside:
                ranges[first:end] = [bounds for bounds in ranges[first:end] if bounds[1] > high]
            for bounds in inside:
                del self._numbers[bounds]


def _log(low: int, high: int) -> int:
    """Return the least k such that a range has at most 2^k bytes."""
    return max(0, high - low - 1).bit_length()


def _first(ranges: Sequence[Range], low: int) -> int:
    """Return the number of the first range that begins at a byte or after it."""
    return bisect_left(ranges, (low, -1))
