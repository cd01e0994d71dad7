"""Bufferisation of a paged store: operands in dense buffers, the result of attention in its destination."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation

from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, PoolUser
from .bufferizer import Bufferizer
from .calls import dense_buffer, dense_result


def convert_paged(state: Bufferizer, op: Operation) -> None:
    """Rebuild an op of `paged` on buffers."""
    assert isinstance(op, PoolUser)
    operands = [dense_buffer(state, value) for value in op.operands]
    match op:
        case BeginOp():
            state.emit(BeginOp(op.symbol, *operands))
        case AppendOp():
            state.emit(AppendOp(op.symbol, op.number, *operands))
        case AttendOp():
            assert op.result is not None
            buffer = dense_result(state, op.result)
            state.emit(AttendOp(op.symbol, op.number, operands[0], buffer))
            if buffer is not state.buffers[op.result]:
                state.emit(memref.CopyOp(buffer, state.buffers[op.result]))
        case _:
            state.emit(op.clone())
