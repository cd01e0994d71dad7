"""
Rectangles of size by time, packed by simple rules: the fast part of static allocation.

Sizes and offsets are whole units (of alignment, see `arena`), times are half-open.
"""

from __future__ import annotations

from bisect import bisect_left
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


def pack_simply(boxes: Boxes, goal: int) -> list[int]:
    """Return the best offsets of first fit and best fit in several orders; stops at a height of at most `goal`."""
    meets = clashes(boxes)
    best: list[int] = []
    for order in _ORDERS:
        keys = [order(*box) for box in zip(boxes.sizes, boxes.begins, boxes.ends, strict=True)]
        ranked = sorted(range(len(boxes)), key=lambda i: (*keys[i], i))
        for tight in (False, True):
            offsets = fill(boxes, meets, ranked, tight=tight)
            if not best or height(boxes, offsets) < height(boxes, best):
                best = offsets
            if height(boxes, best) <= goal:
                return best
    return best


def settle(boxes: Boxes, offsets: Sequence[int]) -> list[int]:
    """Return the offsets after every box has dropped as far as those below let it: none is higher than before."""
    ranked = sorted(range(len(boxes)), key=lambda i: (offsets[i], i))
    return fill(boxes, clashes(boxes), ranked, tight=False)


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
    """Return where `size` units fit between the taken intervals: the lowest gap, or the one that leaves least."""
    best: tuple[int, int] | None = None
    end = 0
    for low, high in taken:
        if low - end >= size and (best is None or low - end < best[0]):
            best = (low - end, end)
            if not tight:
                return end
        end = max(end, high)
    return end if best is None else best[1]
