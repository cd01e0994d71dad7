"""From structured kernels on buffers to the explicit level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ..dialects.core.kernel import Kernel
from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.nn import PoolOp
from .core.base import Pass
from .loops.kernel import lower_kernel
from .loops.lookups import expand_lookups
from .loops.lowering import lower_kernels
from .loops.nest import Nest
from .loops.pool import is_pool, lower_pool
from .loops.rows import is_of_rows, lower_rows
from .loops.rowwise import is_rowwise, lower_rowwise
from .map_engines import mapped_engine


@dataclass(frozen=True)
class Stack:
    """The bytes that buffers of a kernel may take on the stack of a core: of a row, of a table of powers."""

    row: int = 0
    table: int = 0


def convert_kernels_to_loops(module: ModuleOp, *, vectors: bool = False, stack: Stack | None = None) -> None:
    """
    Replace the kernels of every function by loops; with `vectors`, reductions of f32 along memory by those of partial
    results; where a row may be kept on the stack, kernels over rows by loops that keep values of it.

    Without `stack` the engine of each kernel says what its stack takes. Raises Diagnostic for kernels on tensors and
    for dynamic shapes.
    """
    machine = machine_of(module) if stack is None and ATTRIBUTE in module.attributes else None

    def room(op: Operation) -> Stack:
        if machine is None or not any(engine.stack for engine in machine.engines):
            return stack or Stack()
        engine = mapped_engine(op, machine)
        return Stack(engine.stack_bytes("rows"), engine.stack_bytes("tables"))

    def lower(op: Operation, kernel: Kernel, nest: Nest) -> bool:
        if is_pool(op):
            lower_pool(cast(PoolOp, op), kernel, nest)
        elif vectors and is_of_rows(kernel):
            lower_rows(kernel, nest)
        elif is_rowwise(kernel) and (free := room(op)).row:
            lower_rowwise(kernel, nest, free.row, free.table)
        else:
            lower_kernel(kernel, nest)
        return True

    lower_kernels(module, lower)
    expand_lookups(module)


@dataclass(frozen=True)
class ConvertKernelsToLoopsPass(Pass):
    """
    Turn structured kernels on memrefs (nn and linalg ops, copies between layouts) into scf loops over loads and stores.

    The loops that are not reduced are outermost, in the order of the kernel's dimensions; each reduction is a perfect
    nest that carries its accumulators. Whatever does not change in a loop is computed outside of it. Padding costs no
    test where the bounds of the loops over the window can be narrowed. `quant` ops become arithmetic. Poolings of
    floats, channels last, run over stretches of channels.

    With `vectors`, reductions of f32 along memory (softmax, norms, products with a vector) have 16 or 32 partial
    results, which are folded at the end: the order in which a sum is taken is another one.

    Where the machine of the module lets an engine keep `rows` on the stack of a core, kernels over rows (softmax,
    norms) take four elements at a time, and what their last reduction and their result both compute is kept in a buffer
    there, where a row of it takes no more bytes. The powers of large softmaxes of integers are looked up in a table of
    as many bytes as the engine lets `tables` have. `row-bytes` and `table-bytes` replace what the machine says.
    """

    name = "convert-kernels-to-loops"

    vectors: bool = False
    row_bytes: int | None = None
    table_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        is_given = self.row_bytes is not None or self.table_bytes is not None
        stack = Stack(self.row_bytes or 0, self.table_bytes or 0) if is_given else None
        convert_kernels_to_loops(op, vectors=self.vectors, stack=stack)
