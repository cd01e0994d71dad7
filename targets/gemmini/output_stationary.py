"""Output-stationary products as instructions: the array keeps sums while both factors stream through it."""

from __future__ import annotations

from ...dialects.core.scalars import Index
from ...ir import element_of
from ...passes.loops.blocks import BlockInterval, parts
from .dialects.gemmini.instructions import config_os, multiply, multiply_add, multiply_keep, mvin_acc_zero
from .limits import most_kept
from .product_loops import ProductLoops
from .rows import zero_rows

_UNROLLED = 4
"""Blocks of a reduction in a row of instructions at most, which the cells add."""


class OutputStationaryLoops(ProductLoops):
    """Loops over blocks of sums, and inside of them over the reduction; sums leave before they may overflow."""

    def emit(self) -> None:
        """Emit the instructions of the product."""
        nest, bounds = self.nest, self.kernel.bounds
        nest.insert(config_os(self.step))
        blocks = bounds[self.k] // self.dim
        chain = min(_UNROLLED, most_kept(self.dim, str(element_of(self.x.value))))
        is_one = blocks <= chain and all(bounds[loop] == 1 for loop in self.taps)
        is_new = self.op.accumulate is None
        if is_new and not is_one:
            zero_rows(nest, self.y.value, mvin_acc_zero)
        chains = [*parts(0, blocks, chain)]
        with self.over(self.batches, name="b"), nest.loop("n", 0, bounds[self.n] // self.dim) as n:
            self.position[self.n] = nest.mul(n, self.dim)
            with self.over(self.others, name="m"):
                for part in parts(0, bounds[self.row], self.dim):
                    with self.blocks("r", part) as self.position[self.row]:
                        self._reduce(n, part.size, chains, overwrites=is_new and is_one)

    def _reduce(self, n: Index, rows: int, chains: list[BlockInterval], *, overwrites: bool) -> None:
        """Emit the reduction of a block of sums, in chains of blocks that the cells add."""
        with self.over(self.taps, name="t"):
            for chain in chains:
                with self.nest.loop("k", 0, chain.count) as index:
                    first = self.nest.add(self.nest.mul(index, chain.size), chain.start)
                    self._chain(n, first, rows, chain.size, overwrites)

    def _chain(self, n: Index, first: Index, rows: int, blocks: int, overwrites: bool) -> None:
        """Emit the instructions of a chain of blocks from the first one."""
        for number in range(blocks):
            self._block(n, self.nest.add(first, number), rows, number == 0, number == blocks - 1, overwrites)

    def _block(self, n: Index, k: Index, rows: int, is_first: bool, is_last: bool, overwrites: bool) -> None:
        self.position[self.k] = self.nest.mul(k, self.dim)
        a, b = (self.x.value, self.at(self.x, k)), (self.w.value, self.at(self.w, n))
        numbers = {"rows": rows, "k": self.dim, "n": self.dim, "first": is_first, "step": self.step}
        if not is_last:
            self.nest.insert(multiply_keep(a, b, **numbers))
            return
        instruction = multiply if overwrites else multiply_add
        self.nest.insert(instruction(a, b, (self.y.value, self.at(self.y, n)), **numbers))
