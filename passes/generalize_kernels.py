"""From the structured kernels of `nn` to upstream's standard ops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ..dialects.core.body import scalar_attr
from ..dialects.core.kernel import kernel_of
from ..dialects.core.kernel_op import KernelOp
from ..dialects.quant import RequantizeOp, RescaleOp
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .loops.generic import generalize_kernel
from .loops.scalar import expand_requantize, expand_rescale
from .loops.shapes import Shapes


def generalize_kernels(module: ModuleOp) -> None:
    """
    Replace `nn`'s kernels by `linalg.generic` and the like, and every op of `quant` by `arith`.

    Raises Diagnostic for dynamic shapes and for kernels that have no such form.
    """
    for op in [op for op in module.walk() if isinstance(op, KernelOp)]:
        _generalize(op)
    for op in [op for op in module.walk() if isinstance(op, RequantizeOp | RescaleOp)]:
        _expand(op)


def _generalize(op: KernelOp) -> None:
    shapes = Shapes(op, on_tensors=isinstance(op.output.type, TensorType))
    try:
        value = generalize_kernel(kernel_of(op), shapes)
    except Diagnostic as error:
        error.where = error.where or where(op)
        raise
    for result in op.results:
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()


class _Before:
    """Emits scalar ops before an op, at its location."""

    def __init__(self, anchor: Operation):
        self._builder = Builder(InsertPoint.before(anchor))
        self._location = anchor.location

    def op(self, op: Operation) -> SSAValue:
        """Add an op and return its result."""
        op.location = self._location
        return self._builder.insert(op).results[0]

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """Add a constant of a scalar type."""
        return self.op(arith.ConstantOp(scalar_attr(value, type)))


def _expand(op: RequantizeOp | RescaleOp) -> None:
    if isinstance(op, RescaleOp):
        added = op.scale.owner
        value = expand_rescale(op, op.x, op.scale, _Before(op))
    else:
        added = op.add.owner
        value = expand_requantize(op, op.x, op.mul, op.add, _Before(op))
    value.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(value)
    op.detach()
    op.erase()
    if isinstance(added, arith.ConstantOp) and not added.result.uses:
        added.detach()
        added.erase()


@dataclass(frozen=True)
class GeneralizeKernelsPass(Pass):
    """
    Turn nn's kernels into linalg.generic: what upstream mlir-opt understands.

    Each reduction becomes one generic into a filled accumulator (with `accumulate`, into the output as it stands),
    result and epilogue become one more. Padding becomes tensor.pad (on buffers: a copy into a filled buffer). quant ops
    become arith everywhere; nn.isqrt stays.
    """

    name = "generalize-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        generalize_kernels(op)
