"""Addresses for buffers that live at different times in one arena."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Lifetime:
    """A buffer of `size` bytes that is needed at the steps from `first` to `last`, both included."""

    name: str
    size: int
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Return whether two buffers are needed at the same time."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Placement:
    """The offset of each buffer, the bytes of the arena, and the bytes that no arena can do without."""

    offsets: tuple[int, ...]
    size: int
    bound: int


_ORDERS: tuple[Callable[[Lifetime], tuple[int, ...]], ...] = (
    lambda b: (-b.size, b.first),
    lambda b: (-b.size * (b.last - b.first + 1), b.first),
    lambda b: (b.first - b.last, -b.size),
    lambda b: (b.first, -b.size),
    lambda b: (-b.last, -b.size),
)
"""In which order the buffers may be placed: by size, by size times time, by time, by begin, by end."""


def place(buffers: Sequence[Lifetime], alignment: int) -> Placement:
    """
    Return offsets, multiples of `alignment` in bytes, such that buffers needed at the same time do not overlap.

    Tries first fit and best fit in several orders and keeps the smallest arena; stops at one that reaches the lower
    bound.
    """
    sizes = [-(-buffer.size // alignment) * alignment for buffer in buffers]
    bound = peak(buffers, sizes)
    best: Placement | None = None
    for order in _ORDERS:
        ranked = sorted(range(len(buffers)), key=lambda i: (*order(buffers[i]), i))
        for tight in (False, True):
            offsets = _pack(buffers, sizes, ranked, tight=tight)
            total = max((o + s for o, s in zip(offsets, sizes, strict=True)), default=0)
            if best is None or total < best.size:
                best = Placement(tuple(offsets), total, bound)
            if best.size == bound:
                return best
    assert best is not None
    return best


def peak(buffers: Sequence[Lifetime], sizes: Sequence[int]) -> int:
    """Return the most bytes that are needed at any one step."""
    steps = {buffer.first for buffer in buffers}
    live = (sum(s for b, s in zip(buffers, sizes, strict=True) if b.first <= step <= b.last) for step in sorted(steps))
    return max(live, default=0)


def _pack(buffers: Sequence[Lifetime], sizes: Sequence[int], ranked: Sequence[int], *, tight: bool) -> list[int]:
    offsets = [0] * len(buffers)
    placed: list[int] = []
    for index in ranked:
        taken = sorted((offsets[i], offsets[i] + sizes[i]) for i in placed if buffers[i].meets(buffers[index]))
        offsets[index] = _gap(taken, sizes[index], tight=tight)
        placed.append(index)
    return offsets


def _gap(taken: Sequence[tuple[int, int]], size: int, *, tight: bool) -> int:
    """Return where `size` bytes fit between the taken intervals: the lowest gap, or the one that leaves least."""
    gaps: list[tuple[int, int]] = []
    end = 0
    for low, high in taken:
        if low - end >= size:
            gaps.append((low - end, end))
        end = max(end, high)
    if not gaps:
        return end
    return min(gaps)[1] if tight else gaps[0][1]
