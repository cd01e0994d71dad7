"""Bufferisation of calls: the results of a function are written to buffers that its caller hands it."""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from ...errors import Diagnostic
from ...ir import functions, where
from ..memory.views import is_dense
from .bufferizer import Bufferizer, buffer_of


def convert_call(state: Bufferizer, op: Operation) -> None:
    """
    Rebuild `func.call` on buffers: its tensors, and one more for each result, as `bufferize` makes the callee's.

    A result is computed in its destination, unless that is a part of a larger buffer. Raises Diagnostic for a function
    without a body, which is none in destination-passing style, and for results that are no tensors.
    """
    assert isinstance(op, func.CallOp)
    _refuse(state.module, op)
    arguments = [dense_buffer(state, value) for value in op.arguments]
    results = [dense_result(state, value) for value in op.results]
    state.emit(func.CallOp(op.callee, [*arguments, *results], []))
    for value, buffer in zip(op.results, results, strict=True):
        if buffer is not state.buffers[value]:
            state.emit(memref.CopyOp(buffer, state.buffers[value]))


def _refuse(module: ModuleOp, op: func.CallOp) -> None:
    callee = op.callee.string_value()
    defined = {function.sym_name.data for function in functions(module)}
    is_on_tensors = all(isinstance(type, TensorType) for type in (*op.operand_types, *op.result_types))
    if callee in defined and is_on_tensors:
        return
    raise Diagnostic(
        f"the call of '{callee}' has no bufferisation",
        where=where(op),
        expected="a function of the module with a body, from tensors to tensors",
        remedy="inline the function (inline), or give it a body",
    )


def dense_buffer(state: Bufferizer, value: SSAValue) -> SSAValue:
    """Return the buffer of an argument; a copy for a slice of a larger buffer."""
    buffer = buffer_of(state, value)
    if is_dense(buffer):
        return buffer
    copied = state.allocate(value)
    state.emit(memref.CopyOp(buffer, copied))
    return copied


def dense_result(state: Bufferizer, value: SSAValue) -> SSAValue:
    """Return the buffer into which the function computes a result."""
    place = state.destination(value)
    if value not in state.destinations:
        state.owned.add(value)
    return place if is_dense(place) else state.allocate(value)
