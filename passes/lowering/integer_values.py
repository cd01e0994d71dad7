"""Values of the graph level as integers: storage types, integral constants, conversions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    IntegerType,
    Signedness,
    TensorType,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.intervals import Range
from ...dialects.onnx import op_class
from ...dialects.onnx.schema import OnnxOp, is_constant, make, stored_value
from ...errors import Diagnostic
from ...ir import array_of, integer_width, shape_of, where

ui8, ui64 = (IntegerType(width, Signedness.UNSIGNED) for width in (8, 64))
_STORAGE = (i8, ui8, i16, i32, i64)
_CODES = dict(f32=1, ui8=2, i8=3, ui16=4, i16=5, i32=6, i64=7, f16=10, f64=11, ui32=12, ui64=13, bf16=16)
"""Element type -> ONNX's number for it."""


def range_of_type(type: Attribute) -> Range | None:
    """Return the range of an integer type, None for other types."""
    width = integer_width(type)
    if width is None:
        return None
    return Range.of_bits(width, signed=width > 1 and cast(Any, type).signedness.data is not Signedness.UNSIGNED)


def storage(range: Range, op: OnnxOp | None = None, *, at_least: int = 8) -> Attribute:
    """Return the smallest storage type of `at_least` bits or more for a range; raises Diagnostic beyond 64 bits."""
    for type in _STORAGE:
        if (integer_width(type) or 0) >= at_least and range in cast(Range, range_of_type(type)):
            return type
    raise Diagnostic(
        f"numbers between {range.low} and {range.high} do not fit 64 bits",
        where=where(op) if op else "",
        remedy="declare a narrower type for the inputs, e.g. --input-type NAME=i8",
    )


def constant_values(value: SSAValue) -> Any:
    """Return the array of a constant, None for other values."""
    if isinstance(value, OpResult) and is_constant(value.op):
        stored = cast(OnnxOp, value.op).properties.get("value")
        return None if stored is None else array_of(cast(Any, stored))
    return None


def is_integral(value: SSAValue) -> bool:
    """Return whether a constant holds integers only."""
    values = constant_values(value)
    return values is not None and (
        values.dtype.kind in "iub" or bool(np.all(values == np.floor(values)) and np.all(np.isfinite(values)))
    )


def retyped(value: SSAValue, type: Attribute) -> SSAValue:
    """Give a value another element type."""
    return Rewriter.replace_value_with_new_type(value, TensorType(cast(Any, type), shape_of(value)))


def cast_results(value: SSAValue, type: Attribute) -> SSAValue:
    """Insert a conversion of a result to another element type, for all its uses."""
    op = cast(OpResult, value).op
    assert op.next_op is not None
    converted = cast_before(op.next_op, value, type)
    conversion = cast(OpResult, converted).op
    conversion.location = op.location
    value.replace_uses_with_if(converted, lambda use: use.operation is not conversion)
    return converted


def cast_before(user: Operation, value: SSAValue, type: Attribute) -> SSAValue:
    """Insert a conversion of `value` to another element type before its user."""
    cls = cast("type[OnnxOp]", op_class("Cast"))
    code = _CODES[str(type)]
    op = make(
        cls,
        [value],
        [TensorType(cast(Any, type), shape_of(value))],
        {"to": stored_value(cls.SCHEMA.attributes["to"].type, code)},
    )
    op.location = user.location
    Rewriter.insert_op(op, InsertPoint.before(user))
    return op.results[0]
