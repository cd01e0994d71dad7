"""Parameters of a kernel's cost, computed once for each kernel; shares of work among cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from xdsl.ir import Block

from ....dialects.core.kernel import Access, Kernel, is_shaped
from ....passes.loops.scalar import live_ops

_T = TypeVar("_T")

KERNELS = 256
"""How many kernels' properties are kept."""


class _Same:
    """A kernel as a key that equals only itself: to compare kernels by value takes longer than to price them."""

    __slots__ = ("kernel",)

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def __hash__(self) -> int:
        return id(self.kernel)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.kernel is other.kernel


def per_kernel(analyse: Callable[[Kernel], _T]) -> Callable[[Kernel], _T]:
    """Remember what a function returns for each kernel."""

    @lru_cache(maxsize=KERNELS)
    def remembered(key: _Same) -> _T:
        return analyse(key.kernel)

    return lambda kernel: remembered(_Same(kernel))


class Share(NamedTuple):
    """
    Work of the busiest core: `turns` of the loop of that index, -1 for all of all; and the number of working cores.
    """

    loop: int
    turns: int
    cores: int


def share(extents: Sequence[int], cores: int) -> Share:
    """
    Return the share of the busiest core, where one of some parallel loops is cut into chunks, as long for all cores.

    It is the loop with which that core has least to do, the outermost of several, as `fork-kernels` chooses it.
    """
    best, least = Share(-1, 1, 1), 1.0
    for loop, extent in enumerate(extents):
        turns = -(-extent // cores)
        if turns < least * extent:
            best, least = Share(loop, turns, -(-extent // turns)), turns / extent
    return best


def slowdown(contention: float, density: float, active: int) -> float:
    """
    Return the factor by which accesses to the same bank slow cores down.

    `contention` is what eight cores lose if each accesses a bank in every cycle, `density` the accesses of a core per
    cycle, `active` the cores at work.
    """
    return 1 + contention * density**2 * ((active - 1) / 7) ** 2


def parallel_dims(kernel: Kernel) -> tuple[int, ...]:
    """Return the loops that are not reduced, the outermost first."""
    return tuple(d for d in range(len(kernel.bounds)) if d not in kernel.reduced)


def used_accesses(block: Block | None, accesses: Sequence[Access]) -> list[Access]:
    """Return the memory accesses whose elements a body's results depend on; `accesses` are those of its arguments."""
    if block is None:
        return []
    used = live_ops(block)[1]
    pairs = zip(block.args, accesses, strict=False)
    return [access for arg, access in pairs if arg in used and is_shaped(access.value)]


def dims_of(access: Access) -> frozenset[int]:
    """Return the loops that an operand's element depends on."""
    return frozenset(dim for expr in access.map.results for dim in expr.used_dims())
