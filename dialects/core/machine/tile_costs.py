"""Memoised costs of structurally equal kernels on an engine, by the extents of a tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import Ints
from .operations import OpSupport

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ..kernel import Kernel

Cycles = Callable[["Kernel", Any], Any]
"""A kernel and the extents of a tile's loops, or of many tiles' [loops, tiles] -> as a cost function returns it."""


def with_setup(cost: Cycles, setup: int, ratio: float) -> Cycles:
    """Return a cost in cycles that `ratio` converts, an engine's set-up included."""

    def cycles(kernel: Kernel, bounds: Any) -> Any:
        result = cost(kernel, bounds)
        if isinstance(result, str):
            return result
        if not isinstance(result, np.ndarray):
            return ceil((result + setup) * ratio)
        return np.where(result < 0, -1, np.ceil((result + setup) * ratio)).astype(np.int64)

    return cycles


class KernelCosts:
    """
    Cycles of structurally equal kernels on an engine that supports them, as `cost` gives them for loop extents.

    With `over_tiles`, `cost` is that of many tiles at once (`cost_table`). `cycles` are those that are memoised, by the
    extents of a tile, None for the whole.
    """

    def __init__(self, support: OpSupport, cost: Cycles, *, over_tiles: bool):
        self.over_tiles = over_tiles
        self.cycles: dict[tuple[int, ...] | None, int | None] = {}
        self._support, self._cost = support, cost
        self._fault = ""
        self._blocks: tuple[int, ...] = ()

    def of(self, op: Operation) -> TileCost:
        """Return the cost of one of the kernels, or of a tile of it."""
        return TileCost(self, op)

    def fault(self, op: Operation) -> str:
        """Return why the engine cannot run one of the kernels as a whole, empty if it can."""
        return "" if self.of(op)() is not None else self._fault

    def kernel_of(self, op: Operation) -> Kernel:
        """Return one of the kernels as the engine runs it."""
        from ..kernel import kernel_of

        return self._support.without_fills(kernel_of(op))

    def one(self, kernel: Kernel, bounds: tuple[int, ...]) -> int | None:
        """Return the cycles of a tile of these extents, None where the engine cannot run it."""
        if self.over_tiles:
            (result,) = self.each(kernel, np.array([bounds], np.int64)).tolist()
            return None if result < 0 else result
        blocks = self._blocks_of(kernel)
        whole = tuple([-(-extent // block) * block for extent, block in zip(bounds, blocks, strict=True)])
        result = self._cost(kernel, whole)
        if not isinstance(result, str):
            return result
        self._fault = result if bounds == kernel.bounds else self._fault
        return None

    def each(self, kernel: Kernel, tiles: Ints) -> Ints:
        """Return the cycles of tiles [tiles, loops] by a cost over tiles; -1 for those that the engine cannot run."""
        blocks = self._blocks_of(kernel)
        result = self._cost(kernel, (-(-tiles // blocks) * blocks).T)
        if not isinstance(result, str):
            return result
        self._fault = result if tiles.tolist() == [list(kernel.bounds)] else self._fault
        return np.full(len(tiles), -1)

    def _blocks_of(self, kernel: Kernel) -> tuple[int, ...]:
        self._blocks = self._blocks or self._support.blocks(kernel)
        return self._blocks


class TileCost:
    """Cost model of a kernel and of tiles of it on an engine; what it computes is shared with those of equal ones."""

    def __init__(self, tile_costs: KernelCosts, op: Operation):
        self._kernel_costs, self._op = tile_costs, op

    @cached_property
    def _kernel(self) -> Kernel:
        return self._kernel_costs.kernel_of(self._op)

    def __call__(self, bounds: tuple[int, ...] | None = None, /) -> int | None:
        """Return the cycles of a tile of these extents, by default of the whole; None if it cannot run."""
        memoised = self._kernel_costs.cycles
        if bounds not in memoised:
            memoised[bounds] = self._kernel_costs.one(self._kernel, self._kernel.bounds if bounds is None else bounds)
        return memoised[bounds]

    def each(self, tiles: Ints) -> Ints:
        """Return the cycles of tiles of these extents [tiles, loops]; -1 for those that the engine cannot run."""
        if self._kernel_costs.over_tiles and len(tiles):
            return self._kernel_costs.each(self._kernel, tiles)
        costs = [self(tuple(tile)) for tile in tiles.tolist()]
        return np.array([-1 if cost is None else cost for cost in costs], np.int64)
