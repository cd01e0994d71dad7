"""Bufferisation of tensors that are made of scalars."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects import arith, linalg, memref, tensor
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ...ir import shape_of
from .bufferizer import Bufferizer
from .loops import scalar


def convert_splat(state: Bufferizer, op: Operation) -> None:
    """Convert `tensor.splat` to a fill."""
    assert isinstance(op, tensor.SplatOp)
    state.emit(linalg.ops.FillOp([scalar(state, op.input)], [_target(state, op.result)], []))


def convert_from_elements(state: Bufferizer, op: Operation) -> None:
    """Convert `tensor.from_elements` to stores."""
    assert isinstance(op, tensor.FromElementsOp)
    target = _target(state, op.result)
    positions = product(*(range(extent) for extent in shape_of(op.result)))
    for element, position in zip(op.elements, positions, strict=True):
        state.emit(memref.StoreOp.get(scalar(state, element), target, _constants(state, position)))


def _target(state: Bufferizer, value: SSAValue) -> SSAValue:
    if value not in state.destinations:
        state.owned.add(value)
    return state.destination(value)


def _constants(state: Bufferizer, position: Sequence[int]) -> list[SSAValue]:
    ops = [arith.ConstantOp.from_int_and_width(index, IndexType()) for index in position]
    for op in ops:
        state.emit(op)
    return [op.result for op in ops]
