"""Simplification of the scalar bodies of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.constants import constant_integer, constant_number
from ...dialects.core.scalars import is_float
from ...dialects.core.semantics import SCALAR_RULES, folded
from ...dialects.quant import RequantizeOp
from ...ir import integer_width
from ..core.dead_code import erase_dead


def simplify_body(block: Block) -> bool:
    """
    Fold constants, drop ops that change nothing and ops without uses. Returns whether anything changed.

    Only exact rules: neutral operands, conversions there and back, requantisations by one or by powers of two.
    """
    changed = False
    for op in list(block.ops):
        if len(op.results) != 1 or op.regions:
            continue
        if _fold(op):
            changed = True
            continue
        same = next(
            (value for rule in _IDENTITIES.get(type(op), ()) if (value := rule(cast(Any, op))) is not None), None
        )
        if same is not None and same.type == op.results[0].type:
            Rewriter.replace_op(op, [], [same])
            changed = True
    return _sweep(block) or changed


def _fold(op: Operation) -> bool:
    """Replace an op on constants by its result."""
    numbers = [constant_number(value) for value in op.operands]
    if type(op) not in SCALAR_RULES or not numbers or any(number is None for number in numbers):
        return False
    value = folded(op, numbers)
    if value is None:
        return False
    constant = arith.ConstantOp(value)
    constant.location = op.location
    Rewriter.replace_op(op, constant)
    return True


def _sweep(block: Block) -> bool:
    """Erase ops whose results have no uses and share equal constants."""
    changed = False
    constants: dict[Attribute, SSAValue] = {}
    for op in list(block.ops):
        if isinstance(op, arith.ConstantOp):
            first = constants.setdefault(op.value, op.result)
            if first is not op.result:
                Rewriter.replace_op(op, [], [first])
                changed = True
    return bool(erase_dead(block.ops)) or changed


def _neutral(number: int) -> Callable[[Any], SSAValue | None]:
    """Return the rule that folds an op with a neutral operand."""

    def rule(op: Any) -> SSAValue | None:
        if constant_number(op.rhs) == number:
            return op.lhs
        commutes = isinstance(op, arith.AddiOp | arith.MuliOp)
        return op.rhs if commutes and constant_number(op.lhs) == number else None

    return rule


def _there_and_back(op: Any) -> SSAValue | None:
    """A truncation undoes an extension from the same type."""
    source = op.input
    extended = isinstance(source, OpResult) and isinstance(source.op, arith.ExtSIOp | arith.ExtUIOp)
    return cast(Any, source.op).input if extended else None


def _repeated_extension(op: Any) -> SSAValue | None:
    """An extension of an extension is one; done by looking through the inner one."""
    source = op.input
    if isinstance(source, OpResult) and type(source.op) is type(op):
        op.operands[0] = cast(Any, source.op).input
    return None


def requantizes_by_one(op: RequantizeOp) -> SSAValue | None:
    """A requantisation whose factor is one and whose clip does not bind gives its operand back."""
    mul, add = constant_integer(op.mul), constant_integer(op.add)
    width, out = integer_width(op.x.type) or 0, integer_width(op.result.type) or 0
    if mul != 1 << op.shift.value.data or add != 0 or width != out:
        return None
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return op.x if op.low.value.data <= low and high <= op.high.value.data else None


def _requantize_by_less(op: RequantizeOp) -> None:
    """
    Divide the numbers of a requantisation by a power of two that leaves a factor of 1 or a shift by 0.

    Exact: `(x * mul + add) >> shift` is `(x * (mul >> n) + (add >> n)) >> (shift - n)` where 2^n divides `mul`. Others
    are kept: a smaller factor saves nothing, and kernels with the same shift may be one function.
    """
    mul, add, shift = constant_integer(op.mul), constant_integer(op.add), op.shift.value.data
    if not mul or add is None:
        return
    common = min(shift, (mul & -mul).bit_length() - 1)
    if common == 0 or (mul >> common != 1 and common != shift):
        return
    before, after = (1 << shift) >> 1, (1 << shift - common) >> 1
    numbers = mul >> common, (add + before >> common) - after
    for index, (operand, number) in enumerate(zip((op.mul, op.add), numbers, strict=True), 1):
        constant = arith.ConstantOp(IntegerAttr(number, cast(Any, operand.type)))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.operands[index] = constant.result
    op.properties["shift"] = IntegerAttr(shift - common, i64)


def _clip_within_type(op: Any) -> SSAValue | None:
    """A bound at the end of a type, or beyond, does not bind."""
    width, bound = integer_width(op.result.type), constant_integer(op.rhs)
    if width is None or bound is None or is_float(op.result.type):
        return None
    limit = -(1 << (width - 1)) if isinstance(op, arith.MaxSIOp) else (1 << (width - 1)) - 1
    return op.lhs if bound == limit else None


_IDENTITIES: dict[type[Operation], tuple[Callable[[Any], SSAValue | None], ...]] = {
    arith.AddiOp: (_neutral(0),),
    arith.SubiOp: (_neutral(0),),
    arith.MuliOp: (_neutral(1),),
    arith.DivfOp: (_neutral(1),),
    arith.ShRSIOp: (_neutral(0),),
    arith.ShLIOp: (_neutral(0),),
    arith.TruncIOp: (_there_and_back,),
    arith.ExtSIOp: (_repeated_extension,),
    arith.ExtUIOp: (_repeated_extension,),
    arith.MaxSIOp: (_clip_within_type,),
    arith.MinSIOp: (_clip_within_type,),
    RequantizeOp: (_requantize_by_less, requantizes_by_one),
}
"""Op class -> rules that return the operand which the op gives back unchanged, None where it does not."""
