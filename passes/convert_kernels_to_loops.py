"""Lowering of structured kernels on buffers to loops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ..dialects.core.kernel import Kernel
from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.machine.engine import Stack
from ..dialects.core.machine.model import Machine
from ..dialects.nn import PoolOp
from .core.base import Pass
from .core.remarks import missed, passed, wanted
from .loops.kernel import lower_kernel
from .loops.lookups import expand_lookups
from .loops.lowering import lower_kernels
from .loops.nest import Nest
from .loops.pool import is_pool, lower_pool
from .loops.rows import is_of_rows, lower_rows
from .loops.rowwise import is_rowwise, lower_rowwise
from .map_engines import mapped_engine


@dataclass(frozen=True)
class ConvertKernelsToLoopsPass(Pass):
    """
    Lower structured kernels on memrefs (nn and linalg ops, copies between layouts) to scf loops over loads and stores.

    Parallel loops are outermost, in the order of the kernel's dimensions. Each reduction is a perfect nest with its
    accumulators loop-carried. Loop-invariant code is hoisted. Padding needs no test if the bounds of the window loops
    can be narrowed. `quant` ops become arithmetic. Channels-last float poolings are blocked over channels.

    With `vectors`, f32 reductions along contiguous memory (softmax, norms, products with a vector) have 16 or 32
    partial sums, which are folded at the end: the order of summation changes.

    If the engine of a row kernel (softmax, norms) may have `rows` on the stack of a core, its loops process four
    elements at a time. They keep values common to its last reduction and its result in a stack buffer, if a row fits.
    Large integer softmaxes look up their powers in a table of at most `tables` bytes. `row-bytes` and `table-bytes`
    override the machine.
    """

    name = "convert-kernels-to-loops"

    vectors: bool = False
    row_bytes: int | None = None
    table_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place. Raises Diagnostic for kernels on tensors and for dynamic shapes."""
        machine = machine_of(op) if ATTRIBUTE in op.attributes else None
        lower_kernels(op, partial(self._lower, machine))
        expand_lookups(op)

    def _lower(self, machine: Machine | None, op: Operation, kernel: Kernel, nest: Nest) -> bool:
        if is_pool(op):
            lower_pool(cast(PoolOp, op), kernel, nest)
            passed(op, "vectorisation", "blocks of channels")
        elif self.vectors and is_of_rows(kernel):
            lower_rows(kernel, nest)
            passed(op, "vectorisation", "several partial sums along contiguous memory")
        elif is_rowwise(kernel) and (stack := self._stack(op, machine))[0]:
            lower_rowwise(kernel, nest, *stack)
            passed(op, "vectorisation", "four elements of a row at a time")
        else:
            lower_kernel(kernel, nest)
            if wanted() and (reason := self._why_scalar(kernel)):
                missed(op, "vectorisation", "one element at a time: {reason}", reason=reason)
        return True

    def _why_scalar(self, kernel: Kernel) -> str:
        """Return why a kernel along rows is not vectorised, empty for other kernels."""
        if not self.vectors and is_of_rows(kernel):
            return "sums along contiguous memory are split with the option vectors, as their order changes"
        return "the engine may have no row on the stack of a core ('rows')" if is_rowwise(kernel) else ""

    def _stack(self, op: Operation, machine: Machine | None) -> tuple[int, int]:
        """Return the bytes of a core's stack for a row and for a table of powers."""
        if self.row_bytes is not None or self.table_bytes is not None:
            return self.row_bytes or 0, self.table_bytes or 0
        if machine is None or not any(engine.stack != Stack() for engine in machine.engines):
            return 0, 0
        stack = mapped_engine(op, machine).stack
        return stack.rows, stack.tables
