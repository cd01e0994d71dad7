"""Products on the array as instructions: weights are preloaded, and rows of the first factor stream through them."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ...dialects.core.analysis.constants import constant_number
from ...dialects.core.instruction import Instruction
from ...dialects.core.kernel import Kernel
from ...dialects.core.machine.model import Machine
from ...dialects.nn import AddOp, PoolOp, ReduceOp
from ...dialects.nn.contraction import ContractionOp
from ...errors import Diagnostic
from ...ir import where
from ...passes.loops.blocks import Part
from ...passes.loops.nest import Index, Nest
from .additions import add_by_loads, reduce_by_loads
from .dialects.gemmini.instructions import (
    compute_accumulated_add,
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


class WeightStationaryLoops(ProductLoops):
    """Loops over blocks of weights, and inside of them over rows of the first factor."""

    def emit(self) -> None:
        """Emit the instructions of the product."""
        nest, bounds = self.nest, self.kernel.bounds
        nest.last(config_ex(self.step))
        if self.op.accumulate is None:
            zero_rows(nest, self.y.value, mvin_acc_zero)
        outer = self.open_outer()
        (n,) = nest.open("n", 0, bounds[self.n] // self.dim)
        self.position[self.n] = nest.mul(n, self.dim)
        for loop in self.taps:
            self.position[loop] = nest.open("t", 0, bounds[loop])[0]
        (k,) = nest.open("k", 0, bounds[self.k] // self.dim)
        self.position[self.k] = nest.mul(k, self.dim)
        for loop in self.others:
            self.position[loop] = 0
        self.position[self.row] = 0
        nest.last(preload((self.w.value, self.at(self.w, n)), self.dim, self.dim))
        self._chunks(n, k, is_first=True)
        for number, loop in enumerate(self.others):
            self._remaining(number, loop, n, k)
        nest.close_all(2 + len(self.taps) + outer)

    def _remaining(self, number: int, loop: int, n: Index, k: Index) -> None:
        """Emit the rows at which the loops before one are at 0, and that one is not."""
        inner = self.others[number + 1 :]
        if self.kernel.bounds[loop] == 1:
            return
        self.position[loop] = self.nest.open("m", 1, self.kernel.bounds[loop])[0]
        for each in inner:
            self.position[each] = self.nest.open("m", 0, self.kernel.bounds[each])[0]
        self._chunks(n, k, is_first=False)
        self.nest.close_all(1 + len(inner))
        for each in (loop, *inner):
            self.position[each] = 0

    def _chunks(self, n: Index, k: Index, *, is_first: bool) -> None:
        """Emit the products of a line of rows; the first of all takes the preloaded weights."""
        made = compute_preloaded_add if is_first else compute_accumulated_add
        for part in self._line(is_first=is_first):
            self.position[self.row] = self.loop("r", part)
            self._compute(made, n, k, part.size)
            self.close(part)
            made = compute_accumulated_add
        self.position[self.row] = 0

    def _line(self, *, is_first: bool) -> list[Part]:
        """
        Order the products of a line of rows; only one of them has fewer than `dim`.

        The last product of a block of weights lasts `dim` cycles at least, during which the hardware preloads the next
        weights: it has `dim` rows, and so has the first one, if the line is long enough or not the only one.
        """
        whole, rest = divmod(self.kernel.bounds[self.row], self.dim)
        lines = prod(self.kernel.bounds[loop] for loop in self.others)
        leading = int(is_first and whole * lines > 1)
        found: list[Part] = []
        start = 0
        for size, count in ((self.dim, leading), (rest, 1), (self.dim, whole - leading)):
            if size * count:
                found.append(Part(start, size, count))
            start += size * count
        return found

    def _compute(self, made: Instruction, n: Index, k: Index, rows: int) -> None:
        a, c = (self.x.value, self.at(self.x, k)), (self.y.value, self.at(self.y, n))
        self.nest.last(made(a, c, rows, self.dim, self.dim, self.step))


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
