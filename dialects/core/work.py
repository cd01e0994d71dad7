"""Work of a kernel: its multiply-accumulates, and the points that rates and energy count."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.traits import OpTrait

from ...ir import element_of
from .kernel import is_kernel, is_shaped, kernel_of
from .kernel_op import KernelOp

_SUMS = (arith.AddiOp, arith.AddfOp, arith.SubiOp, arith.SubfOp)
_PRODUCTS = (arith.MuliOp, arith.MulfOp)
_CONVERSIONS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp)


class LongInstruction(OpTrait):
    """Trait of an instruction between loops that takes many cycles."""

    @abstractmethod
    def cycles(self, op: Operation) -> float:
        """Return the estimated cycles of one execution."""


def multiply_accumulates(op: Operation) -> int:
    """Return the number of products that a kernel sums up, 0 where it is no sum of products."""
    if isinstance(op, KernelOp):
        return op.multiply_accumulates
    if not is_kernel(op):
        return 0
    kernel = kernel_of(op)
    return kernel.points if any(_sums_products(reduction.body) for reduction in kernel.reductions) else 0


def points_of(op: Operation) -> int:
    """Return the multiply-accumulates of a kernel, or the iterations of its loops where it is no sum of products."""
    return multiply_accumulates(op) or kernel_of(op).points


def factor_type(op: Operation) -> Attribute:
    """Return the type of the numbers by which a sum of products multiplies those of its first input."""
    if isinstance(op, KernelOp):
        return op.factor_type
    return element_of([value for value in op.operands if is_shaped(value)][1])


def _sums_products(body: Block) -> bool:
    """Test a reduction for a multiply-accumulate: it yields its accumulator plus a product."""
    last = body.last_op
    totals = [_origin(value) for value in last.operands] if last is not None else []
    return any(_is_product(value) for op in totals if isinstance(op, _SUMS) for value in op.operands)


def _is_product(value: SSAValue) -> bool:
    return isinstance(_origin(value), _PRODUCTS)


def _origin(value: SSAValue) -> Operation | None:
    """Return the op that computes a number, conversions aside, None for an argument."""
    while isinstance(value, OpResult) and isinstance(value.op, _CONVERSIONS):
        value = value.op.operands[0]
    return value.op if isinstance(value, OpResult) else None
