"""Semantics of ml_program: globals that persist between calls, and the order in which a state is filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute

from ...dialects.core.semantics import Runner, Value, semantics, storage
from ...dialects.ml_program import GlobalLoadConstOp, GlobalLoadOp, GlobalOp, GlobalStoreOp
from ...errors import Diagnostic
from ...ir import Array, array_of, where
from .bits import dtype_of
from .memory import new_buffer


@storage(GlobalOp)
def _global(op: GlobalOp) -> Array:
    declared: Attribute = op.type
    type_, value = cast("TensorType[Any]", op.type), op.value
    if not isinstance(declared, TensorType):
        raise Diagnostic(f"a global of type {type_} has no interpreter rule", where=where(op), expected="a tensor")
    buffer = new_buffer(type_.get_shape(), dtype_of(type_))
    if isinstance(value, DenseIntOrFPElementsAttr):
        buffer[...] = array_of(cast("DenseIntOrFPElementsAttr[Any]", value))
    return buffer


@semantics(GlobalLoadOp, GlobalLoadConstOp)
def _load(runner: Runner, op: GlobalLoadOp | GlobalLoadConstOp, operands: Sequence[Value]) -> list[Array]:
    # A copy: a loaded tensor is a value, which a later store does not change.
    return [runner.storage(op.symbol).copy()]


@semantics(GlobalStoreOp)
def _store(runner: Runner, op: GlobalStoreOp, operands: Sequence[Value]) -> list[Array]:
    runner.storage(op.symbol)[...] = operands[0]
    return []


def check_position(name: str, position: int, added: int, rows: int, written: int) -> int:
    """
    Check a position and return the number of written rows of the state after a call at it.

    A state of `rows` rows is filled from the first on, `added` rows per call; `written` are filled. A call may
    overwrite earlier rows. Raises Diagnostic if it skips rows, or exceeds the state.
    """
    if position + added > rows or position < 0:
        raise Diagnostic(
            "the context is longer than the state" if position >= 0 else "a position is negative",
            where=f'input "{name}"',
            expected=f"a position from 0 to {rows - added}: the state has {rows} rows, a call adds {added}",
            found=str(position),
            remedy="reset the state, or compile with a larger context" if position >= 0 else "",
        )
    if position > written:
        raise Diagnostic(
            "the position is out of order",
            where=f'input "{name}"',
            expected=f"a position from 0 to {written}: so many rows are written",
            found=str(position),
            remedy="run the network at every position since the last reset, in order",
        )
    return position + added
