"""
Rectangles of size by time, packed by simple rules: the fast part of static allocation.

Sizes and offsets are whole units (of alignment, see `arena`), times are half-open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress

import numpy as np


@dataclass(frozen=True)
class Boxes:
    """
    Buffers as rectangles: `sizes` in units, needed from `begins` up to and without `ends`.

    `fixed` holds the offset of a box that may not move, None for one that may. All sizes are positive, all times run
    from 0 to `steps` and each is the begin or the end of a box. `durations` are in the time of the user.
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
        """Return the number of steps of time."""
        return max(self.ends, default=0)

    def part(self, indices: Sequence[int]) -> Boxes:
        """Return the boxes of these indices, with their times counted afresh."""
        spans = [(self.begins[i], self.ends[i]) for i in indices]
        part = boxes_of([self.sizes[i] for i in indices], spans, [self.fixed[i] for i in indices])
        return replace(part, durations=tuple(self.durations[i] for i in indices))


def boxes_of(sizes: Sequence[int], spans: Sequence[tuple[int, int]], fixed: Sequence[int | None]) -> Boxes:
    """Return boxes with these half-open time spans, whose times are replaced by their ranks."""
    times = sorted({time for span in spans for time in span})
    rank = {time: index for index, time in enumerate(times)}
    begins, ends = tuple(rank[begin] for begin, _ in spans), tuple(rank[end] for _, end in spans)
    durations = tuple(end - begin for begin, end in spans)
    return Boxes(tuple(sizes), begins, ends, tuple(fixed), durations)


def demand(boxes: Boxes) -> list[int]:
    """Return the units that are needed at each step of time."""
    change = [0] * (boxes.steps + 1)
    for size, begin, end in zip(boxes.sizes, boxes.begins, boxes.ends, strict=True):
        change[begin] += size
        change[end] -= size
    return list(accumulate(change))[:-1]


def lower_bound(boxes: Boxes) -> int:
    """Return units that no arena can do without: the demand of the fullest step, the end of the highest fixed box."""
    tops = (at + size for size, at in zip(boxes.sizes, boxes.fixed, strict=True) if at is not None)
    return max(max(demand(boxes), default=0), max(tops, default=0))


def height(boxes: Boxes, offsets: Sequence[int]) -> int:
    """Return the units of the arena that holds all boxes at these offsets."""
    return max((offset + size for offset, size in zip(offsets, boxes.sizes, strict=True)), default=0)


def components(boxes: Boxes) -> list[list[int]]:
    """Return the boxes in groups, by time, of which no two are needed at the same time."""
    groups: list[list[int]] = []
    reached = 0
    for index in sorted(range(len(boxes)), key=lambda i: (boxes.begins[i], i)):
        if not groups or boxes.begins[index] >= reached:
            groups.append([])
        groups[-1].append(index)
        reached = max(reached, boxes.ends[index])
    return groups


def clashes(boxes: Boxes) -> list[bytes]:
    """Return for each box a row of bytes, one where the other box is needed at the same time as it."""
    begins, ends = np.array(boxes.begins, np.int64), np.array(boxes.ends, np.int64)
    meets = (begins[:, None] < ends) & (begins < ends[:, None])
    return [row.tobytes() for row in meets]


_ORDERS: tuple[Callable[[int, int, int], tuple[int, ...]], ...] = (
    lambda size, begin, end: (-size, begin),
    lambda size, begin, end: (-size * (end - begin), begin),
    lambda size, begin, end: (begin - end, -size),
    lambda size, begin, end: (begin, -size),
    lambda size, begin, end: (-end, -size),
)
"""In which order boxes may be placed: by size, by size times time, by time, by begin, by end."""


MATRIX = 512
"""The largest number of boxes for which a matrix says which meet; of more, most do not meet, and lists say it."""
MOST_PAIRS = 2_000_000
"""The largest number of pairs of boxes that meet for which orders are tried: of more, time order alone."""


def overlaps(boxes: Boxes) -> list[int]:
    """Return for each box the number of boxes that are needed at the same time, itself included."""
    begins, ends = sorted(boxes.begins), sorted(boxes.ends)
    spans = zip(boxes.begins, boxes.ends, strict=True)
    return [bisect_left(begins, end) - bisect_right(ends, begin) for begin, end in spans]


def is_crowded(boxes: Boxes) -> bool:
    """Return whether more than MOST_PAIRS pairs of boxes meet, none of which is fixed."""
    if len(boxes) ** 2 <= MOST_PAIRS or any(at is not None for at in boxes.fixed):
        return False
    return sum(overlaps(boxes)) > 2 * MOST_PAIRS


def pack_simply(boxes: Boxes, goal: int) -> list[int]:
    """
    Return the best offsets of first fit and best fit in several orders; stops at a height of at most `goal`.

    Boxes that are crowded are packed by first fit in the order of time, which takes no memory for the pairs.
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
    """Return the offsets after every box has dropped as far as those below let it: none is higher than before."""
    ranked = sorted(range(len(boxes)), key=lambda i: (offsets[i], i))
    return filler(boxes)(ranked, False)


def filler(boxes: Boxes) -> Callable[[Sequence[int], bool], list[int]]:
    """Return the function that places boxes in an order, by first fit or else best fit (see `fill`)."""
    if len(boxes) <= MATRIX:
        meets = clashes(boxes)
        return lambda ranked, tight: fill(boxes, meets, ranked, tight=tight)
    neighbours = _neighbours(boxes)
    return lambda ranked, tight: _fill_sparsely(boxes, neighbours, ranked, tight=tight)


def _neighbours(boxes: Boxes) -> list[list[int]]:
    """Return for each box the others that are needed at the same time."""
    found: list[list[int]] = [[] for _ in range(len(boxes))]
    alive: dict[int, None] = {}
    leaving = sorted(range(len(boxes)), key=lambda i: boxes.ends[i], reverse=True)
    for index in sorted(range(len(boxes)), key=lambda i: boxes.begins[i]):
        while boxes.ends[leaving[-1]] <= boxes.begins[index]:
            del alive[leaving.pop()]
        for other in alive:
            found[other].append(index)
        found[index] += alive
        alive[index] = None
    return found


def _fill_sparsely(boxes: Boxes, neighbours: Sequence[list[int]], ranked: Sequence[int], *, tight: bool) -> list[int]:
    """Place boxes as `fill` does, in time linear in the pairs of boxes that meet."""
    offsets: list[int] = [-1 if at is None else at for at in boxes.fixed]
    for index in ranked:
        if boxes.fixed[index] is None:
            placed = [(offsets[i], offsets[i] + boxes.sizes[i]) for i in neighbours[index] if offsets[i] >= 0]
            offsets[index] = _gap(sorted(placed), boxes.sizes[index], tight=tight)
    return offsets


def _sweep(boxes: Boxes) -> list[int]:
    """Return offsets from placing boxes that may all move in the order of time, each into the lowest gap."""
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
    """Add an interval to sorted gaps, which grow together where they touch."""
    at = bisect_left(gaps, (low, high))
    if at < len(gaps) and gaps[at][0] == high:
        high = gaps.pop(at)[1]
    if at and gaps[at - 1][1] == low:
        at -= 1
        low = gaps.pop(at)[0]
    gaps.insert(at, (low, high))


def fill(boxes: Boxes, meets: Sequence[bytes], ranked: Sequence[int], *, tight: bool) -> list[int]:
    """Return offsets from placing the boxes one after the other, the fixed ones first; `meets` is `clashes(boxes)`."""
    offsets = [0 if at is None else at for at in boxes.fixed]
    placed: list[tuple[int, int]] = []
    index_of: list[int] = []
    for index in [i for i in ranked if boxes.fixed[i] is not None] + [i for i in ranked if boxes.fixed[i] is None]:
        size = boxes.sizes[index]
        if boxes.fixed[index] is None:
            row = meets[index]
            taken = compress(placed, map(row.__getitem__, index_of))
            offsets[index] = _gap(taken, size, tight=tight)
        entry = (offsets[index], offsets[index] + size)
        at = bisect_left(placed, entry)
        placed.insert(at, entry)
        index_of.insert(at, index)
    return offsets


def _gap(taken: Iterable[tuple[int, int]], size: int, *, tight: bool) -> int:
    """Return a free offset for `size` units between the taken intervals: first fit or best fit."""
    best: tuple[int, int] | None = None
    end = 0
    for low, high in taken:
        if low - end >= size and (best is None or low - end < best[0]):
            best = (low - end, end)
            if not tight:
                return end
        end = max(end, high)
    return end if best is None else best[1]
