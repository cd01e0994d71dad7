"""Loops and accesses of a kernel as costs take them, and partition of work among cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Block

from ....dialects.core.kernel import Access, Kernel, is_shaped
from ....passes.loops.scalar import live_ops


class BusiestShare(NamedTuple):
    """
    Work of the busiest core: iterations `trips` of the loop `loop` (-1 without a partition), and the active cores.
    """

    loop: int
    trips: int
    cores: int


def share(extents: Sequence[int], cores: int) -> BusiestShare:
    """
    Partition one of several parallel loops into equal chunks, and return the share of the busiest core.

    The loop minimises the work of that core; ties go to the outermost, as in `fork-kernels`.
    """
    best, least = BusiestShare(-1, 1, 1), 1.0
    for loop, extent in enumerate(extents):
        trips = -(-extent // cores)
        if trips < least * extent:
            best, least = BusiestShare(loop, trips, -(-extent // trips)), trips / extent
    return best


def slowdown(contention: float, density: float, active: int) -> float:
    """
    Return the slowdown of cores by bank conflicts.

    `contention` is the loss of eight cores that each access a bank in every cycle, `density` the accesses of a core per
    cycle, `active` the number of active cores.
    """
    return 1 + contention * density**2 * ((active - 1) / 7) ** 2


def parallel_dims(kernel: Kernel) -> tuple[int, ...]:
    """Return the parallel loops, outermost first."""
    return tuple(d for d in range(len(kernel.bounds)) if d not in kernel.reduced)


def used_accesses(block: Block | None, accesses: Sequence[Access]) -> list[Access]:
    """Return the memory accesses in the backward slice of a body's results; `accesses` are those of its arguments."""
    if block is None:
        return []
    used = live_ops(block)[1]
    pairs = zip(block.args, accesses, strict=False)
    return [access for arg, access in pairs if arg in used and is_shaped(access.value)]


def dims_of(access: Access) -> frozenset[int]:
    """Return the loops along which an operand's element varies."""
    return frozenset(access.map.used_dims())
