"""Lowering of structured kernels on buffers to loops."""

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
    """Bytes of a core's stack available to a kernel: for a row, and for a table of powers."""

    row: int = 0
    table: int = 0


def convert_kernels_to_loops(module: ModuleOp, *, vectors: bool = False, stack: Stack | None = None) -> None:
    """
    Replace the kernels of every function by loops.

    With `vectors`, f32 reductions along contiguous memory keep several partial sums. Row kernels keep values of a row
    on the stack if it fits. Without `stack`, each kernel's engine gives the sizes. Raises Diagnostic for kernels on
    tensors and for dynamic shapes.
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
    Lower structured kernels on memrefs (nn and linalg ops, copies between layouts) to scf loops over loads and stores.

    Parallel loops are outermost, in the order of the kernel's dimensions. Each reduction is a perfect nest with its
    accumulators loop-carried. Loop-invariant code is hoisted. Padding needs no test if the bounds of the window loops
    can
    be narrowed. `quant` ops become arithmetic. Channels-last float poolings are blocked over channels.

    With `vectors`, f32 reductions along contiguous memory (softmax, norms, products with a vector) have 16 or 32
    partial
    sums, which are folded at the end: the order of summation changes.

    If the module's machine has `rows` on the stack of a core, row kernels (softmax, norms) process four elements at a
    time.
    They keep values common to their last reduction and their result in a stack buffer, if a row fits. Large integer
    softmaxes look up their powers in a table of at most `tables` bytes. `row-bytes` and `table-bytes` override the
    machine.
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
