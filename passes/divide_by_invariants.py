"""Strength reduction of divisions by loop-invariant divisors to products with a reciprocal."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.intervals import Range
from ..dialects.core.analysis.value_ranges import ValueRanges
from ..dialects.core.builder import Builder
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import IntegerSqrtOp
from ..ir import functions
from .core.base import Pass

_DIVISIONS = (arith.DivSIOp, arith.FloorDivSIOp)


def divide_by_invariants(block: Block) -> None:
    """
    Replace 32-bit divisions in the loops of a block by loop-invariant, non-negative divisors.

    With m = (2^32 - 1) / d, the upper word of n * m is the quotient of n < 2^31, or one less; the remainder decides. A
    dividend that may be negative is divided by its magnitude, and the division truncates.
    """
    ranges = ValueRanges(source=_source, carried=True)
    for op in nested_ops(block):
        if not isinstance(op, _DIVISIONS) or op.result.type != i32 or isinstance(op.rhs.owner, arith.ConstantOp):
            continue
        loop = _outermost_loop(op, op.rhs)
        if loop is None or not _is_natural(ranges.of(op.rhs)):
            continue
        natural = _is_natural(ranges.of(op.lhs))
        if natural or isinstance(op, arith.DivSIOp):
            _replace(op, loop, is_signed=not natural)


def _source(value: SSAValue) -> Range | None:
    return Range(0, (1 << 31) - 1) if isinstance(value.owner, IntegerSqrtOp) else None


def _is_natural(value_range: Range | None) -> bool:
    return value_range is not None and value_range.low >= 0


def _outermost_loop(op: Operation, value: SSAValue) -> scf.ForOp | None:
    """Return the outermost loop around an op in which a value is invariant, None if there is none."""
    outermost, parent = None, op.parent_op()
    while parent is not None and not parent.is_ancestor(_owner(value)):
        outermost = parent if isinstance(parent, scf.ForOp) else outermost
        parent = parent.parent_op()
    return outermost


def _owner(value: SSAValue) -> Operation:
    """Return the op that defines a value, or the parent op of its block argument."""
    owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert owner is not None
    return owner


# Rewriting


def _replace(op: arith.DivSIOp | arith.FloorDivSIOp, loop: scf.ForOp, *, is_signed: bool) -> None:
    before, here = Builder(InsertPoint.before(loop), op.location, wraps=True), Builder.before(op, wraps=True)
    divisor = before.max(op.rhs, before.constant(1, i32))
    reciprocal = before.op(arith.DivUIOp(before.constant(-1, i32), divisor))
    reciprocal.name_hint = "reciprocal"
    sign = here.shift_right(op.lhs, 31) if is_signed else None
    number = _negated(here, op.lhs, sign)
    product = arith.MulUIExtendedOp(number, reciprocal)
    here.insert(product)
    rest = here.sub(number, here.mul(product.high, op.rhs))
    more = here.convert(here.compare(rest, "uge", op.rhs), i32)
    quotient = _negated(here, here.add(product.high, more), sign)
    quotient.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [], [quotient])


def _negated(builder: Builder, value: SSAValue, sign: SSAValue | None) -> SSAValue:
    """Return the value, negated if the sign is -1."""
    if sign is None:
        return value
    return builder.sub(builder.op(arith.XOrIOp(value, sign)), sign)


@dataclass(frozen=True)
class DivideByInvariantsPass(Pass):
    """
    Reduce divisions by a loop-invariant divisor, such as the sum of a softmax's row, to multiplications.

    For cores whose division is slower than two multiplications. The divisor must be provably non-negative; division by
    0 stays undefined. Run it on loops.
    """

    name = "divide-by-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            divide_by_invariants(function.body.block)
