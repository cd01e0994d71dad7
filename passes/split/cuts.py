"""Split points of a producer and a consumer for pipelining over two engines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dialects.core.kernel import Access
from ...ir import shape_of
from ..overlap.regions import region_of
from ..tiles.kernels import KernelTiles
from .parts import can_split, parts_before, reach_of, touched_by

PARTS = (2, 3, 4, 6)
"""Candidate numbers of even parts; each part is a call."""


@dataclass(frozen=True)
class LoopSplit:
    """Split of a kernel: the loop, and the first points of all parts but the first; empty for an unsplit kernel."""

    loop: int
    points: tuple[int, ...] = ()


def outer_loop(whole: KernelTiles) -> int | None:
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


def pairs_of_cuts(
    first: KernelTiles, second: KernelTiles, producer_cut: LoopSplit | None
) -> Iterator[tuple[LoopSplit, LoopSplit]]:
    """
    Yield split points of a producer and its consumer; `producer_cut` is the producer's split if it has one.

    Either the producer is split evenly and the consumer at the points where its inputs become available, or the
    consumer is split evenly and the producer at the ends of the parts' inputs.
    """
    loops = outer_loop(first), outer_loop(second)
    if loops[0] is None or loops[1] is None:
        return
    one, two = loops[0], loops[1]
    bounds = first.shape[one], second.shape[two]
    reach = _Dependence((first, one), (second, two))
    if producer_cut is not None and producer_cut.points:
        yield (
            producer_cut,
            LoopSplit(two, _increasing((reach.ready(point) for point in producer_cut.points), bounds[1])),
        )
        return
    for count in PARTS:
        points = even(bounds[0], count)
        yield LoopSplit(one, points), LoopSplit(two, _increasing((reach.ready(point) for point in points), bounds[1]))
        points = even(bounds[1], count)
        yield LoopSplit(one, _increasing((reach.needed(point) for point in points), bounds[0])), LoopSplit(two, points)


def even(bound: int, count: int) -> tuple[int, ...]:
    """Return the points of an even split; equal parts share code."""
    return tuple(range(-(-bound // count), bound, -(-bound // count)))


def _increasing(points: Iterable[int], bound: int) -> tuple[int, ...]:
    return tuple(sorted({point for point in points if 0 < point < bound}))


class _Dependence:
    """Dependence of a consumer's part on its producer: the bytes of the intermediate that it reads."""

    def __init__(self, first: tuple[KernelTiles, int], second: tuple[KernelTiles, int]):
        self._sides = first, second
        (output,) = first[0].kernel.outputs
        self._intermediate = region_of(output.value)

    def needed(self, point: int) -> int:
        """
        Return the least point n of the producer's loop such that [0, n) covers the consumer's reads before `point`.
        """
        return bisect_left(self._written, self._read[point - 1]) + 1

    def ready(self, point: int) -> int:
        """
        Return the greatest point of the consumer's loop up to which it reads only results before the producer's
        `point`.
        """
        return bisect_right(self._read, self._written[point - 1])

    @cached_property
    def _written(self) -> list[int]:
        return self._ends(*self._sides[0])

    @cached_property
    def _read(self) -> list[int]:
        return self._ends(*self._sides[1])

    def _ends(self, whole: KernelTiles, loop: int) -> list[int]:
        """Return the end in bytes of the accesses of a kernel to the intermediate before each point of its loop."""
        ends = np.zeros(whole.shape[loop], np.int64)
        touched = _touched_of(whole, self._intermediate.memory) if self._intermediate is not None else []
        for access in touched:
            region = region_of(access.value)
            if region is not None:
                ends = np.maximum(ends, region.low + reach_of(parts_before(whole, loop), access))
        return ends.tolist()


def _touched_of(whole: KernelTiles, memory: object) -> list[Access]:
    """Return the accesses of a kernel to a memory."""
    regions = [(access, region_of(access.value)) for access in touched_by(whole).values()]
    return [access for access, region in regions if region is not None and region.memory == memory]
