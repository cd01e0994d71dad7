"""Products on the array as instructions: weights are preloaded, and rows of the first factor stream through them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ...dialects.core.analysis.constants import constant_number
from ...dialects.core.instruction import Instruction
from ...dialects.core.kernel import Kernel
from ...dialects.core.machine.model import Machine
from ...dialects.core.scalars import Index
from ...dialects.nn import AddOp, PoolOp, ReduceOp
from ...dialects.nn.contraction import ContractionOp
from ...errors import Diagnostic
from ...ir import where
from ...passes.loops.blocks import BlockInterval
from ...passes.loops.nest import Nest
from .additions import add_by_loads, reduce_by_loads
from .dialects.gemmini.instructions import (
    compute_accumulated,
    compute_accumulated_add,
    compute_preloaded,
    compute_preloaded_add,
    config_ex,
    mvin_acc_zero,
    preload,
)
from .hardware_loops import lower_to_loops
from .output_stationary import OutputStationaryLoops
from .pools import pool_by_stores
from .product_loops import ProductLoops
from .rows import zero_rows

_ADDING = compute_preloaded_add, compute_accumulated_add
_OVERWRITING = compute_preloaded, compute_accumulated
"""Products with the weights that are preloaded, and with those of the product before."""


class WeightStationaryLoops(ProductLoops):
    """
    Loops over blocks of weights, and inside of them over rows of the first factor.

    Sums that nothing has started are overwritten by the products of the first block of the reduction.
    """

    def emit(self) -> None:
        """Emit the instructions of the product."""
        nest, bounds = self.nest, self.kernel.bounds
        nest.insert(config_ex(self.step))
        with self.over(self.batches, name="b"), nest.loop("n", 0, bounds[self.n] // self.dim) as n:
            self.position[self.n] = nest.mul(n, self.dim)
            self._products(n)

    def _products(self, n: Index) -> None:
        """Emit the products of a block of columns."""
        reduced = [*self.taps, self.k]
        if self.op.accumulate is not None:
            self._reduce(n, reduced)
            return
        self.position |= dict.fromkeys(reduced, 0)
        self._block(n, 0, overwrites=True)
        for number, loop in enumerate(reduced):
            if self._blocks(loop) > 1:
                self._reduce(n, reduced[number:], start=1)
                self.position |= dict.fromkeys(reduced, 0)

    def _blocks(self, loop: int) -> int:
        """Return the iterations of a loop of the reduction."""
        return self.kernel.bounds[loop] // (self.dim if loop == self.k else 1)

    def _reduce(self, n: Index, loops: Sequence[int], *, start: int = 0) -> None:
        """Emit the blocks of weights of some loops, the last of which is along the rows; the outermost has a start."""
        k: Index = 0
        with ExitStack() as stack:
            for number, loop in enumerate(loops):
                name, begin = "k" if loop == self.k else "t", 0 if number else start
                k = stack.enter_context(self.nest.loop(name, begin, self._blocks(loop)))
                self.position[loop] = self.nest.mul(k, self.dim if loop == self.k else 1)
            self._block(n, k)

    def _block(self, n: Index, k: Index, *, overwrites: bool = False) -> None:
        """Emit the products of a block of weights, at the current position of the reduction."""
        self.position |= dict.fromkeys([*self.others, self.row], 0)
        self.nest.insert(preload((self.w.value, self.at(self.w, n)), self.dim, self.dim))
        self._chunks(n, k, is_first=True, overwrites=overwrites)
        for number, loop in enumerate(self.others):
            self._remaining(number, loop, n, k, overwrites)

    def _remaining(self, number: int, loop: int, n: Index, k: Index, overwrites: bool) -> None:
        """Emit the rows at which the loops before one are at 0, and that one is not."""
        inner = self.others[number + 1 :]
        if self.kernel.bounds[loop] == 1:
            return
        bounds = [self.kernel.bounds[inner_loop] for inner_loop in inner]
        with (
            self.nest.loop("m", 1, self.kernel.bounds[loop]) as first,
            self.nest.loops("m" * len(inner), bounds) as indices,
        ):
            self.position |= {loop: first} | dict(zip(inner, indices, strict=True))
            self._chunks(n, k, is_first=False, overwrites=overwrites)
        for finished in (loop, *inner):
            self.position[finished] = 0

    def _chunks(self, n: Index, k: Index, *, is_first: bool, overwrites: bool) -> None:
        """Emit the products of a line of rows; the first of all takes the preloaded weights."""
        with_new, with_old = _OVERWRITING if overwrites else _ADDING
        instruction = with_new if is_first else with_old
        for part in self._line(is_first=is_first):
            with self.blocks("r", part) as self.position[self.row]:
                self._compute(instruction, n, k, part.size)
            instruction = with_old
        self.position[self.row] = 0

    def _line(self, *, is_first: bool) -> list[BlockInterval]:
        """
        Order the products of a line of rows; only one of them has fewer than `dim`.

        The last product of a block of weights lasts `dim` cycles at least, during which the hardware preloads the next
        weights: it has `dim` rows, and so has the first one, if the line is long enough or not the only one.
        """
        whole, rest = divmod(self.kernel.bounds[self.row], self.dim)
        lines = prod(self.kernel.bounds[loop] for loop in self.others)
        leading = int(is_first and whole * lines > 1)
        parts: list[BlockInterval] = []
        start = 0
        for size, count in ((self.dim, leading), (rest, 1), (self.dim, whole - leading)):
            if size * count:
                parts.append(BlockInterval(start, size, count))
            start += size * count
        return parts

    def _compute(self, instruction: Instruction, n: Index, k: Index, rows: int) -> None:
        a, c = (self.x.value, self.at(self.x, k)), (self.y.value, self.at(self.y, n))
        self.nest.insert(instruction(a, c, rows, self.dim, self.dim, self.step))


_LOOPER = StringAttr("looper")
_ENGINES = [StringAttr(name) for name in ("array", "loader", "storer")]


def lower_kernel(machine: Machine, op: Operation, kernel: Kernel, nest: Nest) -> bool:
    """
    Emit a kernel of a machine's array as instructions; return False for kernels of the core.

    Raises Diagnostic for a kernel of the array that no instructions compute.
    """
    engine = op.attributes.get("engine")
    if engine == _LOOPER and isinstance(op, ContractionOp):
        lower_to_loops(op, kernel, nest, machine)
        return True
    if engine not in _ENGINES:
        return False
    if isinstance(op, PoolOp):
        pool_by_stores(op, kernel, nest)
        return True
    if isinstance(op, AddOp) and kernel.epilogue is None:
        add_by_loads(kernel, nest)
        return True
    if isinstance(op, ReduceOp) and kernel.epilogue is None:
        reduce_by_loads(op, kernel, nest)
        return True
    if isinstance(op, ContractionOp) and kernel.epilogue is None:
        loops = OutputStationaryLoops if _keeps_sums(machine, op) else WeightStationaryLoops
        loops(op, kernel, nest).emit()
        return True
    if isinstance(op, linalg.FillOp) and constant_number(op.inputs[0]) == 0:
        zero_rows(nest, kernel.outputs[0].value, mvin_acc_zero)
        return True
    raise Diagnostic(
        f"'{op.name}' is no product or start of sums that Gemmini's instructions compute",
        where=where(op),
        expected="nn.matmul, nn.conv, nn.add or nn.reduce without an epilogue, or linalg.fill with 0",
        remedy="map it to the core (the attribute 'engine')",
    )


def _keeps_sums(machine: Machine, op: ContractionOp) -> bool:
    """Return whether the array of a machine computes a product output-stationary."""
    support = machine.engine("array").support(op)
    return support is not None and bool(dict(support.parameters).get("output_stationary"))
