"""Split points of a producer and a consumer for pipelining over two engines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...dialects.core.kernel import Access
from ...ir import shape_of
from ..memory.tiling import Part
from ..overlap.places import place_of
from .parts import box_of, can_split, part_of, touched_by

PARTS = (2, 3, 4, 6)
"""Candidate numbers of even parts; each part is a call."""


@dataclass(frozen=True)
class Cut:
    """Split of a kernel: the loop, and the first points of all parts but the first; empty for an unsplit kernel."""

    loop: int
    points: tuple[int, ...] = ()


def outer_loop(whole: Part) -> int | None:
    """
    Return the loop of the outermost output axis: parts along it write contiguous bytes.

    None if the kernel cannot be split along it.
    """
    kernel = whole.kernel
    if len(kernel.outputs) != 1:
        return None
    (output,) = kernel.outputs
    axis = next((axis for axis, extent in enumerate(shape_of(output.value)) if extent > 1), None)
    if axis is None or output.map.results[axis] not in kernel.identity.results:
        return None
    loop = kernel.identity.results.index(output.map.results[axis])
    return loop if can_split(whole.op, loop) else None


def pairs_of_cuts(first: Part, second: Part, known: Cut | None) -> Iterator[tuple[Cut, Cut]]:
    """
    Yield split points of a producer and its consumer; `known` is the producer's split if it has one.

    Either the producer is split evenly and the consumer at the points where its inputs become available, or the
    consumer is split evenly and the producer at the ends of the parts' inputs.
    """
    loops = outer_loop(first), outer_loop(second)
    if loops[0] is None or loops[1] is None:
        return
    one, two = loops[0], loops[1]
    bounds = first.sizes[one], second.sizes[two]
    reach = _Reach((first, one), (second, two))
    if known is not None and known.points:
        yield known, Cut(two, _increasing((reach.ready(point) for point in known.points), bounds[1]))
        return
    for count in PARTS:
        points = even(bounds[0], count)
        yield Cut(one, points), Cut(two, _increasing((reach.ready(point) for point in points), bounds[1]))
        points = even(bounds[1], count)
        yield Cut(one, _increasing((reach.needed(point) for point in points), bounds[0])), Cut(two, points)


def even(bound: int, count: int) -> tuple[int, ...]:
    """Return the points of an even split; equal parts share code."""
    return tuple(range(-(-bound // count), bound, -(-bound // count)))


def _increasing(points: Iterable[int], bound: int) -> tuple[int, ...]:
    return tuple(sorted({point for point in points if 0 < point < bound}))


class _Reach:
    """Dependence of a consumer's part on its producer: the bytes of the intermediate that it reads."""

    def __init__(self, first: tuple[Part, int], second: tuple[Part, int]):
        self._sides = first, second
        (output,) = first[0].kernel.outputs
        place = place_of(output.value)
        self._touched = [_touched_of(whole, place.memory) if place is not None else [] for whole, _ in self._sides]
        self._ends: dict[tuple[int, int], int] = {}

    def needed(self, point: int) -> int:
        """
        Return the least point n of the producer's loop such that [0, n) covers the consumer's reads before `point`.
        """
        points = range(1, self._bound(0) + 1)
        return bisect_left(points, self._end(1, point), key=lambda n: self._end(0, n)) + 1

    def ready(self, point: int) -> int:
        """
        Return the greatest point of the consumer's loop up to which it reads only results before the producer's
        `point`.
        """
        points = range(1, self._bound(1) + 1)
        return bisect_right(points, self._end(0, point), key=lambda n: self._end(1, n))

    def _bound(self, side: int) -> int:
        whole, loop = self._sides[side]
        return whole.sizes[loop]

    def _end(self, side: int, point: int) -> int:
        """Return the end in bytes of the accesses of a kernel to the intermediate before a point of its loop."""
        if (side, point) not in self._ends:
            whole, loop = self._sides[side]
            part = part_of(whole, loop, 0, point)
            places = [box_of(part, access).place for access in self._touched[side]]
            self._ends[side, point] = max((place.high for place in places if place is not None), default=0)
        return self._ends[side, point]


def _touched_of(whole: Part, memory: object) -> list[Access]:
    """Return the accesses of a kernel to a memory."""
    places = [(access, place_of(access.value)) for access in touched_by(whole).values()]
    return [access for access, place in places if place is not None and place.memory == memory]
