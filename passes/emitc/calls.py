"""Calls of a target's C runtime."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.c_call import CCall
from ...dialects.core.effects import is_pure
from .buffers import element_index
from .builder import Builder, layout_of, scalar_type

_HOLDS = UnitAttr()


def place(b: Builder, op: Operation, value: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
    """Return a pointer to an element."""
    base = b.value(value)
    return b.emit(emitc.AddOp, [base, element_index(b, layout_of(value, op), at)], base.type)


def c_call(b: Builder, op: CCall) -> None:
    """Convert an op that is a call of a target's runtime."""
    operands = [b.integer(each) if isinstance(each, int) else _argument(b, op, each) for each in op.c_arguments()]
    result = scalar_type(op.results[0].type, op) if op.results else None
    b.include_runtime(op)
    if is_pure(op) and result is not None:
        value = b.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(op.C_FUNCTION)})
    else:
        value = effect(b, op.C_FUNCTION, operands, result)
    if op.results:
        b.values[op.results[0]] = value


def _argument(b: Builder, op: Operation, value: SSAValue) -> SSAValue:
    """Return the C argument for a value: for a buffer the pointer to its first element."""
    offset = layout_of(value, op).offset if isinstance(value.type, MemRefType) else 0
    base = b.value(value)
    return b.emit(emitc.AddOp, [base, b.integer(offset)], base.type) if offset else base


def effect(b: Builder, function: str, operands: list[SSAValue], result: Attribute | None) -> SSAValue:
    """Call a function that does more than to compute its result, which stays where it is."""
    value = b.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(function)})
    b.ops[-1].attributes["tilewright.effect"] = _HOLDS
    return value
