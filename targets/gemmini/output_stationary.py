"""Output-stationary products as instructions: the array keeps sums while both factors stream through it."""

from __future__ import annotations

from ...ir import element_of
from ...passes.loops.blocks import Part, parts
from ...passes.loops.nest import Index
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
        nest.last(config_os(self.step))
        blocks = bounds[self.k] // self.dim
        chain = min(_UNROLLED, most_kept(self.dim, str(element_of(self.x.value))))
        is_one = blocks <= chain and all(bounds[loop] == 1 for loop in self.taps)
        is_new = self.op.accumulate is None
        if is_new and not is_one:
            zero_rows(nest, self.y.value, mvin_acc_zero)
        outer = self.open_outer()
        (n,) = nest.open("n", 0, bounds[self.n] // self.dim)
        self.position[self.n] = nest.mul(n, self.dim)
        for loop in self.others:
            self.position[loop] = nest.open("m", 0, bounds[loop])[0] if bounds[loop] > 1 else 0
            outer += bounds[loop] > 1
        for part in parts(0, bounds[self.row], self.dim):
            self.position[self.row] = self.loop("r", part)
            self._reduce(n, part.size, [*parts(0, blocks, chain)], overwrites=is_new and is_one)
            self.close(part)
        nest.close_all(1 + outer)

    def _reduce(self, n: Index, rows: int, chains: list[Part], *, overwrites: bool) -> None:
        """Emit the reduction of a block of sums, in chains of blocks that the cells add."""
        opened = [loop for loop in self.taps if self.kernel.bounds[loop] > 1]
        for loop in self.taps:
            self.position[loop] = self.nest.open("t", 0, self.kernel.bounds[loop])[0] if loop in opened else 0
        for chain in chains:
            first: Index = chain.start
            if chain.count > 1:
                (index,) = self.nest.open("k", 0, chain.count)
                first = self.nest.mul(index, chain.size)
            for number in range(chain.size):
                self._block(n, self.nest.add(first, number), rows, number == 0, number == chain.size - 1, overwrites)
            self.nest.close_all(int(chain.count > 1))
        self.nest.close_all(len(opened))

    def _block(self, n: Index, k: Index, rows: int, is_first: bool, is_last: bool, overwrites: bool) -> None:
        self.position[self.k] = self.nest.mul(k, self.dim)
        a, b = (self.x.value, self.at(self.x, k)), (self.w.value, self.at(self.w, n))
        numbers = {"rows": rows, "k": self.dim, "n": self.dim, "first": is_first, "step": self.step}
        if not is_last:
            self.nest.last(multiply_keep(a, b, **numbers))
            return
        made = multiply if overwrites else multiply_add
        self.nest.last(made(a, b, (self.y.value, self.at(self.y, n)), **numbers))
