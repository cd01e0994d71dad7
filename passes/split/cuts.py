"""Where two kernels are cut so that one engine works on the second while another one is still at the first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation

from ...dialects.core.kernel import kernel_of
from ...ir import shape_of
from ..overlap.places import place_of
from .parts import boxes_of, can_split, part_of_kernel

PARTS = (2, 3, 4, 6)
"""How many parts a kernel is cut into evenly: each is a call of its own."""


@dataclass(frozen=True)
class Cut:
    """A kernel's loop, and the points of it at which its parts after the first begin; none where it stays whole."""

    loop: int
    points: tuple[int, ...] = ()


def outer_loop(op: Operation) -> int | None:
    """
    Return the loop along which parts of a kernel write bytes that lie next to each other: that of the outermost axis.

    None where the kernel cannot be done in parts along it.
    """
    kernel = kernel_of(op)
    if len(kernel.outputs) != 1:
        return None
    (output,) = kernel.outputs
    axis = next((axis for axis, extent in enumerate(shape_of(output.value)) if extent > 1), None)
    if axis is None or output.map.results[axis] not in kernel.identity.results:
        return None
    loop = kernel.identity.results.index(output.map.results[axis])
    return loop if can_split(op, loop) else None


def pairs_of_cuts(first: Operation, second: Operation, known: Cut | None) -> Iterator[tuple[Cut, Cut]]:
    """
    Yield cuts of a kernel and of another one that reads what it makes; `known` is that of the first if it has one.

    Either the first is cut evenly and the second where it needs no more than what the parts have made, or the second
    is cut evenly, and the first where what its parts need ends.
    """
    loops = outer_loop(first), outer_loop(second)
    if loops[0] is None or loops[1] is None:
        return
    one, two = loops[0], loops[1]
    bounds = _bound(first, one), _bound(second, two)
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
    """How much of its result a kernel has to have made for a part of another kernel, in bytes of what lies between."""

    def __init__(self, first: tuple[Operation, int], second: tuple[Operation, int]):
        self._sides = first, second
        self._kernels = kernel_of(first[0]), kernel_of(second[0])
        (output,) = self._kernels[0].outputs
        place = place_of(output.value)
        self._memory = place.memory if place is not None else None
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
        return self._kernels[side].bounds[self._sides[side][1]]

    def _end(self, side: int, point: int) -> int:
        """Return the byte after the last that a kernel touches of what lies between before a point of its loop."""
        if (side, point) not in self._ends:
            op, loop = self._sides[side]
            places = [box.place for box in boxes_of(part_of_kernel(op, self._kernels[side], loop, 0, point)).values()]
            ends = (place.high for place in places if place and place.memory == self._memory)
            self._ends[side, point] = max(ends, default=0)
        return self._ends[side, point]


def _bound(op: Operation, loop: int) -> int:
    return kernel_of(op).bounds[loop]
