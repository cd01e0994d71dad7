"""Bufferisation of a paged store: operands in dense buffers, results in their destinations."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation

from ...dialects.paged.ops import PagedOp
from .bufferizer import Bufferizer
from .calls import dense_buffer, dense_result


def convert_paged(state: Bufferizer, op: Operation) -> None:
    """Rebuild an op of `paged` on buffers."""
    assert isinstance(op, PagedOp)
    operands = [dense_buffer(state, value) for value in op.operands]
    buffers = [dense_result(state, result) for result in op.results]
    state.emit(op.on_buffers(operands, buffers))
    for result, buffer in zip(op.results, buffers, strict=True):
        if buffer is not state.buffers[result]:
            state.emit(memref.CopyOp(buffer, state.buffers[result]))
