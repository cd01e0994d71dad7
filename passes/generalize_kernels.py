"""Generalisation of kernels to upstream's standard ops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from ..dialects.core.builder import Builder
from ..dialects.core.kernel import kernel_of
from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.nesting import nested_ops
from ..dialects.linalg.decomposed import LinalgSoftmaxOp
from ..dialects.nn.scalars import IntegerSqrtOp, RemainderOp
from ..dialects.quant import RequantizeOp, RescaleOp
from ..errors import Diagnostic
from ..ir import shape_of, where
from .core.base import Pass
from .loops.generic import generalize_kernel
from .loops.lookups import expand_lookups
from .loops.scalar import expand_requantize, expand_rescale
from .loops.shapes import Shapes
from .loops.standard import expand_concat, expand_integer_sqrt, expand_remainder


def generalize_kernels(module: ModuleOp) -> None:
    """
    Replace `nn` kernels and `linalg.softmax` by `linalg.generic` and related ops, scalars of `quant`, `nn` by `arith`.

    Tables become constants of the module, `tensor.concat` becomes insertions. Raises Diagnostic for dynamic shapes and
    for kernels without such a form.
    """
    for op in [op for op in nested_ops(module) if isinstance(op, KernelOp | LinalgSoftmaxOp)]:
        _generalize(op)
    for op in [op for op in nested_ops(module) if isinstance(op, _SCALAR)]:
        _expand(op)
    for op in [op for op in nested_ops(module) if isinstance(op, tensor.ConcatOp) and min(shape_of(op.result)) >= 0]:
        _replace(op, expand_concat(op))
    expand_lookups(module)


def _generalize(op: KernelOp | LinalgSoftmaxOp) -> None:
    shapes = Shapes(op, on_tensors=isinstance(op.output.type, TensorType))
    try:
        value = generalize_kernel(kernel_of(op), shapes)
    except Diagnostic as error:
        error.where = error.where or where(op)
        raise
    _replace(op, value)


def _replace(op: Operation, value: SSAValue) -> None:
    """Replace the result of an op, if any, by a value, and erase the op."""
    for result in op.results:
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()


_Scalar: TypeAlias = RequantizeOp | RescaleOp | IntegerSqrtOp | RemainderOp
_SCALAR = (RequantizeOp, RescaleOp, IntegerSqrtOp, RemainderOp)


def _expand(op: _Scalar) -> None:
    operands = dict.fromkeys(op.operands)
    _replace(op, _expanded(op, Builder.before(op)))
    for operand in operands:
        _drop_unused_constant(operand)


def _expanded(op: _Scalar, emit: Builder) -> SSAValue:
    match op:
        case RescaleOp():
            return expand_rescale(op, op.x, op.scale, emit)
        case RequantizeOp():
            return expand_requantize(op, op.x, op.mul, op.add, emit)
        case IntegerSqrtOp():
            return expand_integer_sqrt(op.x, emit)
        case RemainderOp():
            return expand_remainder(op.a, op.b, emit)


def _drop_unused_constant(value: SSAValue) -> None:
    """Erase a constant without uses."""
    constant = value.owner
    if isinstance(constant, arith.ConstantOp) and not constant.result.uses:
        constant.detach()
        constant.erase()


@dataclass(frozen=True)
class GeneralizeKernelsPass(Pass):
    """
    Generalise nn kernels and linalg.softmax to linalg.generic, in a form that upstream mlir-opt reads.

    Each reduction becomes one generic into an initialised accumulator (with `accumulate`, into the output). Result and
    epilogue become one more. Padding becomes tensor.pad (on buffers: a copy into a filled buffer). Scalar ops of quant
    and nn become arith and math, tensor.concat becomes insertions.
    """

    name = "generalize-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        generalize_kernels(op)
