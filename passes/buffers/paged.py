"""Bufferisation of a paged store: operands in dense buffers, the result of attention in its destination."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, PoolUser
from ..memory.views import is_dense
from .bufferizer import Bufferizer, buffer_of


def convert_paged(state: Bufferizer, op: Operation) -> None:
    """Rebuild an op of `paged` on buffers."""
    assert isinstance(op, PoolUser)
    operands = [_dense(state, value) for value in op.operands]
    match op:
        case BeginOp():
            state.emit(BeginOp(op.symbol, *operands))
        case AppendOp():
            state.emit(AppendOp(op.symbol, op.number, *operands))
        case AttendOp():
            assert op.result is not None
            state.emit(AttendOp(op.symbol, op.number, operands[0], _destination(state, op.result)))
        case _:
            state.emit(op.clone())


def _dense(state: Bufferizer, value: SSAValue) -> SSAValue:
    buffer = buffer_of(state, value)
    if is_dense(buffer):
        return buffer
    copied = state.allocate(value)
    state.emit(memref.CopyOp(buffer, copied))
    return copied


def _destination(state: Bufferizer, value: SSAValue) -> SSAValue:
    """Return a buffer of its own for a result."""
    state.owned.add(value)
    return state.destination(value)
