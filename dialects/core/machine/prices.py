"""Memoised costs of structurally equal kernels on an engine, by the extents of a tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import Ints
from .operations import OpSupport

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ..kernel import Kernel


class Prices:
    """
    Cycles of structurally equal kernels on an engine that supports them, as `cost` gives them for loop extents.

    With `over_tiles`, `cost` is that of many tiles at once (`cost_table`).
    """

    def __init__(self, support: OpSupport, cost: Callable[[Kernel, Any], Any], *, over_tiles: bool):
        self._support, self._cost, self._over_tiles = support, cost, over_tiles
        self._known: dict[tuple[int, ...] | None, int | None] = {}
        self._fault = ""
        self._blocks: tuple[int, ...] = ()

    def of(self, op: Operation) -> Price:
        """Return the cost of one of the kernels, or of a tile of it."""
        return Price(self, op)

    def fault(self, op: Operation) -> str:
        """Return why the engine cannot run one of the kernels as a whole, empty if it can."""
        return "" if self.of(op)() is not None else self._fault

    def kernel_of(self, op: Operation) -> Kernel:
        """Return one of the kernels as the engine runs it."""
        from ..kernel import kernel_of

        return self._support.without_fills(kernel_of(op))

    def one(self, kernel: Callable[[], Kernel], bounds: tuple[int, ...] | None) -> int | None:
        """Return the memoised cycles of a tile of these extents, by default of the whole; None if it cannot run."""
        if bounds not in self._known:
            extents = kernel().bounds if bounds is None else bounds
            self._known[bounds] = self._one(kernel(), extents)
        return self._known[bounds]

    def _one(self, kernel: Kernel, bounds: tuple[int, ...]) -> int | None:
        if self._over_tiles:
            (found,) = self.each(kernel, np.array([bounds], np.int64)).tolist()
            return None if found < 0 else found
        self._blocks = self._blocks or self._support.blocks(kernel)
        whole = tuple([-(-extent // block) * block for extent, block in zip(bounds, self._blocks, strict=True)])
        found = self._cost(kernel, whole)
        if not isinstance(found, str):
            return found
        self._fault = found if bounds == kernel.bounds else self._fault
        return None

    def each(self, kernel: Kernel, tiles: Ints) -> Ints:
        """Return the cycles of tiles of these extents [tiles, loops]; -1 for those that the engine cannot run."""
        if not self._over_tiles:
            costs = [self.one(lambda: kernel, tuple(tile)) for tile in tiles.tolist()]
            return np.array([-1 if cost is None else cost for cost in costs], np.int64)
        self._blocks = self._blocks or self._support.blocks(kernel)
        found = self._cost(kernel, (-(-tiles // self._blocks) * self._blocks).T)
        if not isinstance(found, str):
            return found
        self._fault = found if (tiles == kernel.bounds).all() else self._fault
        return np.full(len(tiles), -1)


class Price:
    """Cost model of a kernel and of tiles of it on an engine; what it computes is shared with those of equal ones."""

    def __init__(self, prices: Prices, op: Operation):
        self._prices, self._op = prices, op

    @cached_property
    def _kernel(self) -> Kernel:
        return self._prices.kernel_of(self._op)

    def __call__(self, bounds: tuple[int, ...] | None = None, /) -> int | None:
        """Return the cycles of a tile of these extents, by default of the whole; None if it cannot run."""
        return self._prices.one(lambda: self._kernel, bounds)

    def each(self, tiles: Ints) -> Ints:
        """Return the cycles of tiles of these extents [tiles, loops]; -1 for those that the engine cannot run."""
        return self._prices.each(self._kernel, tiles)
