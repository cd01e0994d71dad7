"""
Emulation of 16-bit floats in C: stored as bits, computed in wider floats.

As upstream's arith-emulate-unsupported-floats, operands are extended and the result is truncated. A sum, product,
quotient or root of two 16-bit floats, rounded to f32 and once more to 16 bits, is correctly rounded.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.core.nesting import nested_ops

_KEPT = (arith.ConstantOp, arith.SelectOp, arith.BitcastOp, arith.ExtFOp, arith.TruncFOp)
_FROM_INTEGERS = (arith.SIToFPOp, arith.UIToFPOp)
_DIALECTS = ("arith", "math", "nn")


def is_half(element: Attribute) -> bool:
    """Return whether a type is a 16-bit float."""
    return type(element) in (Float16Type, BFloat16Type)


def widen_halves(module: ModuleOp) -> None:
    """Widen all arithmetic on 16-bit floats; only moves and conversions are kept."""
    for op in nested_ops(module):
        if op.dialect_name() not in _DIALECTS or type(op) in _KEPT:
            continue
        if any(is_half(value.type) for value in (*op.operands, *op.results)):
            _widen(op)


def _widen(op: Operation) -> None:
    # Integers are rounded once: doubles represent all of up to 53 bits.
    wide = f64 if isinstance(op, _FROM_INTEGERS) else f32
    for index, operand in enumerate(op.operands):
        if is_half(operand.type):
            op.operands[index] = _before(op, arith.ExtFOp(operand, wide))
    for result in op.results:
        if is_half(result.type):
            _cut(result, wide)


def _before(op: Operation, extension: Operation) -> SSAValue:
    assert op.parent is not None
    extension.location = op.location
    op.parent.insert_op_before(extension, op)
    return extension.results[0]


def _cut(result: SSAValue, wide: Attribute) -> None:
    op, narrow = cast(Operation, result.owner), cast(Any, result.type)
    assert op.parent is not None
    widened = Rewriter.replace_value_with_new_type(result, wide)
    cut = arith.TruncFOp(widened, narrow)
    cut.location = op.location
    op.parent.insert_op_after(cut, op)
    widened.replace_uses_with_if(cut.result, lambda use: use.operation is not cut)
