"""
Greedy rectangle packing (live range by size): the fast part of static allocation.

Sizes and offsets are in units of alignment (see `arena`); live ranges are half-open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate


@dataclass(frozen=True)
class Boxes:
    """
    Buffers as rectangles: `sizes` in units, live ranges [begin, end).

    `fixed` has the offset of a box with a given address, else None. Sizes are positive. Times are ranks from 0 to
    `steps`; each is the begin or end of a box. `durations` are in the caller's time.
    """

    sizes: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    fixed: tuple[int | None, ...]
    durations: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def steps(self) -> int:
        """Return the number of time steps."""
        return max(self.ends, default=0)

    def part(self, indices: Sequence[int]) -> Boxes:
        """Return the boxes of these indices, with their times renumbered."""
        sizes = [self.sizes[i] for i in indices]
        spans = [(self.begins[i], self.ends[i]) for i in indices]
        part = boxes_of(sizes, spans, [self.fixed[i] for i in indices])
        return replace(part, durations=tuple(self.durations[i] for i in indices))


@dataclass(frozen=True)
class Verdict:
    """
    Decision if buffers fit: offsets in the unit of their sizes, a proof that there are none, or neither.

    `proved` is true for the first two; `spent` are the units of the budget that the search took.
    """

    offsets: list[int] | None
    proved: bool
    spent: int


def boxes_of(sizes: Sequence[int], spans: Sequence[tuple[int, int]], fixed: Sequence[int | None]) -> Boxes:
    """Build boxes from half-open time spans; times are replaced by their ranks."""
    times = sorted({time for span in spans for time in span})
    rank = {time: index for index, time in enumerate(times)}
    begins = tuple(rank[begin] for begin, _ in spans)
    ends = tuple(rank[end] for _, end in spans)
    durations = tuple(end - begin for begin, end in spans)
    return Boxes(tuple(sizes), begins, ends, tuple(fixed), durations)


def demand(boxes: Boxes) -> list[int]:
    """Compute the live units at each time step."""
    change = [0] * (boxes.steps + 1)
    for size, begin, end in zip(boxes.sizes, boxes.begins, boxes.ends, strict=True):
        change[begin] += size
        change[end] -= size
    return list(accumulate(change))[:-1]


def lower_bound(boxes: Boxes) -> int:
    """Compute a lower bound of the arena in units: the larger of peak demand and the end of the highest fixed box."""
    tops = (at + size for size, at in zip(boxes.sizes, boxes.fixed, strict=True) if at is not None)
    return max(max(demand(boxes), default=0), max(tops, default=0))


def height(boxes: Boxes, offsets: Sequence[int]) -> int:
    """Return the units of the arena that holds all boxes at these offsets."""
    return max((offset + size for offset, size in zip(offsets, boxes.sizes, strict=True)), default=0)


def components(boxes: Boxes) -> list[list[int]]:
    """Partition the boxes into components, in time order; live ranges of different components are disjoint."""
    groups: list[list[int]] = []
    reached = 0
    for index in sorted(range(len(boxes)), key=lambda i: (boxes.begins[i], i)):
        if not groups or boxes.begins[index] >= reached:
            groups.append([])
        groups[-1].append(index)
        reached = max(reached, boxes.ends[index])
    return groups


_ORDERS: tuple[Callable[[int, int, int], tuple[int, ...]], ...] = (
    lambda size, begin, end: (-size, begin),
    lambda size, begin, end: (-size * (end - begin), begin),
    lambda size, begin, end: (begin - end, -size),
    lambda size, begin, end: (begin, -size),
    lambda size, begin, end: (-end, -size),
)
"""Placement orders: by size, by size times duration, by duration, by begin, by end."""


MOST_PAIRS = 2_000_000
"""Largest number of interfering pairs for which several orders are tried; beyond it, time order only."""


def overlaps(boxes: Boxes) -> list[int]:
    """Return for each box the number of boxes with an intersecting live range, itself included."""
    begins, ends = sorted(boxes.begins), sorted(boxes.ends)
    spans = zip(boxes.begins, boxes.ends, strict=True)
    return [bisect_left(begins, end) - bisect_right(ends, begin) for begin, end in spans]


def is_crowded(boxes: Boxes) -> bool:
    """Return whether more than MOST_PAIRS pairs of boxes interfere, none of them fixed."""
    if len(boxes) ** 2 <= MOST_PAIRS or any(at is not None for at in boxes.fixed):
        return False
    return sum(overlaps(boxes)) > 2 * MOST_PAIRS


def pack_simply(boxes: Boxes, goal: int) -> list[int]:
    """
    Pack by first fit and best fit in several orders; stop at a height of at most `goal`.

    Boxes with many interfering pairs are packed by first fit in time order, without a list of pairs.
    """
    if is_crowded(boxes):
        return _sweep(boxes)
    fill_in = filler(boxes)
    best: list[int] = []
    for order in _ORDERS:
        keys = [order(*box) for box in zip(boxes.sizes, boxes.begins, boxes.ends, strict=True)]
        ranked = sorted(range(len(boxes)), key=lambda i: (*keys[i], i))
        for tight in (False, True):
            offsets = fill_in(ranked, tight)
            if not best or height(boxes, offsets) < height(boxes, best):
                best = offsets
            if height(boxes, best) <= goal:
                return best
    return best


def settle(boxes: Boxes, offsets: Sequence[int]) -> list[int]:
    """Compact a packing downwards: no box ends higher than before."""
    ranked = sorted(range(len(boxes)), key=lambda i: (offsets[i], i))
    return filler(boxes)(ranked, False)


def filler(boxes: Boxes) -> Callable[[Sequence[int], bool], list[int]]:
    """Return the function that places boxes in an order, fixed ones first, by first fit or best fit if `tight`."""
    neighbours = _neighbours(boxes)
    return lambda ranked, tight: _fill(boxes, neighbours, ranked, tight=tight)


def _neighbours(boxes: Boxes) -> list[list[int]]:
    """Return the interference graph as adjacency lists."""
    adjacent: list[list[int]] = [[] for _ in range(len(boxes))]
    alive: dict[int, None] = {}
    leaving = sorted(range(len(boxes)), key=lambda i: boxes.ends[i], reverse=True)
    for index in sorted(range(len(boxes)), key=lambda i: boxes.begins[i]):
        while boxes.ends[leaving[-1]] <= boxes.begins[index]:
            del alive[leaving.pop()]
        for other in alive:
            adjacent[other].append(index)
        adjacent[index] += alive
        alive[index] = None
    return adjacent


def _fill(boxes: Boxes, neighbours: Sequence[list[int]], ranked: Sequence[int], *, tight: bool) -> list[int]:
    """Compute offsets by placing boxes in order, in time linear in the interfering pairs."""
    offsets: list[int] = [-1 if at is None else at for at in boxes.fixed]
    for index in ranked:
        if boxes.fixed[index] is None:
            placed = [(offsets[i], offsets[i] + boxes.sizes[i]) for i in neighbours[index] if offsets[i] >= 0]
            offsets[index] = _gap(sorted(placed), boxes.sizes[index], tight=tight)
    return offsets


def _sweep(boxes: Boxes) -> list[int]:
    """Compute offsets by first fit in time order; none of the boxes is fixed."""
    offsets = [0] * len(boxes)
    gaps: list[tuple[int, int]] = []
    top = 0
    leaving = sorted(range(len(boxes)), key=lambda i: boxes.ends[i], reverse=True)
    for index in sorted(range(len(boxes)), key=lambda i: (boxes.begins[i], -boxes.sizes[i], i)):
        while boxes.ends[leaving[-1]] <= boxes.begins[index]:
            left = leaving.pop()
            _free(gaps, offsets[left], offsets[left] + boxes.sizes[left])
        size = boxes.sizes[index]
        place = next((i for i, (low, high) in enumerate(gaps) if high - low >= size), None)
        if place is not None:
            low, high = gaps[place]
            gaps[place : place + 1] = [(low + size, high)] if high - low > size else []
        else:
            low = gaps.pop()[0] if gaps and gaps[-1][1] == top else top
            top = low + size
        offsets[index] = low
    return offsets


def _free(gaps: list[tuple[int, int]], low: int, high: int) -> None:
    """Insert an interval into a sorted list of gaps, merging adjacent ones."""
    at = bisect_left(gaps, (low, high))
    if at < len(gaps) and gaps[at][0] == high:
        high = gaps.pop(at)[1]
    if at and gaps[at - 1][1] == low:
        at -= 1
        low = gaps.pop(at)[0]
    gaps.insert(at, (low, high))


def _gap(taken: Iterable[tuple[int, int]], size: int, *, tight: bool) -> int:
    """Return the offset of a gap for `size` units between the taken intervals: first fit, or best fit if `tight`."""
    best: tuple[int, int] | None = None
    end = 0
    for low, high in taken:
        if low - end >= size and (best is None or low - end < best[0]):
            best = (low - end, end)
            if not tight:
                return end
        end = max(end, high)
    return end if best is None else best[1]
