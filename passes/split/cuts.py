"""Cuts of two kernels for pipelining: one engine works on the second while another is still at the first."""

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
"""How many parts a kernel is cut into evenly: each is a call of its own."""


@dataclass(frozen=True)
class Cut:
    """A kernel's loop, and the points of it at which its parts after the first begin; none where it stays whole."""

    loop: int
    points: tuple[int, ...] = ()


def outer_loop(whole: Part) -> int | None:
    """
    Return the loop along which parts of a kernel write bytes that lie next to each other: that of the outermost axis.

    None where the kernel cannot be done in parts along it.
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
    Yield cuts of a kernel and of another one that reads what it makes; `known` is that of the first if it has one.

    Either the first is cut evenly and the second where it needs no more than what the parts have made, or the second
    is cut evenly, and the first where what its parts need ends.
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
    """Return the points that cut a loop into so many parts, of one length but for the last: alike, they share code."""
    return tuple(range(-(-bound // count), bound, -(-bound // count)))


def _increasing(points: Iterable[int], bound: int) -> tuple[int, ...]:
    return tuple(sorted({point for point in points if 0 < point < bound}))


class _Reach:
    """Dependence of a part on its producer: the bytes of the intermediate that have to be made before it starts."""

    def __init__(self, first: tuple[Part, int], second: tuple[Part, int]):
        self._sides = first, second
        (output,) = first[0].kernel.outputs
        place = place_of(output.value)
        self._touched = [_touched_of(whole, place.memory) if place is not None else [] for whole, _ in self._sides]
        self._ends: dict[tuple[int, int], int] = {}

    def needed(self, point: int) -> int:
        """Return the first point of the first kernel's loop whose result the second does not read before `point`."""
        points = range(1, self._bound(0) + 1)
        return bisect_left(points, self._end(1, point), key=lambda n: self._end(0, n)) + 1

    def ready(self, point: int) -> int:
        """Return until which point of its loop the second kernel reads only what the first has made before `point`."""
        points = range(1, self._bound(1) + 1)
        return bisect_right(points, self._end(0, point), key=lambda n: self._end(1, n))

    def _bound(self, side: int) -> int:
        whole, loop = self._sides[side]
        return whole.sizes[loop]

    def _end(self, side: int, point: int) -> int:
        """Return the byte after the last that a kernel touches of what lies between before a point of its loop."""
        if (side, point) not in self._ends:
            whole, loop = self._sides[side]
            part = part_of(whole, loop, 0, point)
            places = [box_of(part, access).place for access in self._touched[side]]
            self._ends[side, point] = max((place.high for place in places if place is not None), default=0)
        return self._ends[side, point]


def _touched_of(whole: Part, memory: object) -> list[Access]:
    """Return the accesses of a kernel that touch a memory."""
    places = [(access, place_of(access.value)) for access in touched_by(whole).values()]
    return [access for access, place in places if place is not None and place.memory == memory]
