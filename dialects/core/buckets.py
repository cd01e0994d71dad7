"""
Buckets: functions of a network for fewer rows of its state, so that a step computes on as many as its position needs.

A bucket of c rows is the network whose tensors have c cached rows. It shares state and weights with the others, and is
right for every position at which its new rows lie within the first c. What takes a position runs the smallest such one.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, StringAttr
from xdsl.ir import Attribute

from ...errors import Diagnostic
from ...ir import functions, numbers_of, where

STATE = "tilewright.state"
"""The attribute of a position: rows that each call adds, and rows that the function works on."""

BUCKET_OF = "tilewright.bucket_of"
"""The attribute of a bucket: the name of the function for all rows."""


def bucket_rows(context: int, step: int, added: int) -> list[int]:
    """Return the rows of the buckets of a state: every `step` rows, where the new ones have a place; none for 0."""
    return [rows for rows in range(step, context, step) if rows >= added] if step else []


def buckets_of(module: ModuleOp, name: str) -> list[tuple[int, func.FuncOp]]:
    """Return the buckets of a function, the smallest first, each with the last position that it takes."""
    buckets = [function for function in functions(module) if function.attributes.get(BUCKET_OF) == StringAttr(name)]
    return sorted(((last_position(bucket), bucket) for bucket in buckets), key=lambda pair: pair[0])


def last_position(function: func.FuncOp) -> int:
    """
    Return the last position at which the new rows of a function's state have a place.

    Raises Diagnostic where none of its inputs is a position.
    """
    added, whole = _state_of(function)
    return whole - added


def added_rows(function: func.FuncOp) -> int:
    """Return the rows that each call adds to a function's state. Raises Diagnostic as `last_position` does."""
    return _state_of(function)[0]


def _state_of(function: func.FuncOp) -> tuple[int, int]:
    """Return the rows that each call adds, and those that the function works on."""
    rows = function.arg_attrs.data if function.arg_attrs is not None else ()
    said = [row.data[STATE] for row in rows if STATE in row.data]
    numbers = numbers_of(cast(Attribute, said[0])) if said and isinstance(said[0], DenseArrayBase) else ()
    if len(numbers) != 2:
        raise Diagnostic(
            "a bucket has no position",
            where=where(function),
            expected=f"an input with {STATE} = array<i64: rows that a call adds, rows of the bucket>",
            found=", ".join(map(str, said)),
        )
    return numbers[0], numbers[1]


def function_at(module: ModuleOp, name: str, position: int) -> str:
    """Return the name of the function to run at a position: the smallest bucket that takes it, else the whole."""
    fitting = (bucket for last, bucket in buckets_of(module, name) if position <= last)
    return next((bucket.sym_name.data for bucket in fitting), name)
