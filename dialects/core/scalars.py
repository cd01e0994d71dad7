"""Types and constants of scalars."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, SSAValue

from ...ir import integer_width

ScalarAttr: TypeAlias = "IntegerAttr[Any] | FloatAttr[Any]"
"""Attribute of a number, the value of an `arith.constant`."""

Index: TypeAlias = "int | SSAValue"
"""Constant or computed index."""

INDEX = IndexType()


def is_float(type: Attribute) -> bool:
    """Return whether a scalar type is a floating-point type."""
    return _is_float_class(type.__class__)


@cache
def _is_float_class(kind: type[Attribute]) -> bool:
    return issubclass(kind, AnyFloat)


@cache
def index_attribute(value: int) -> IntegerAttr[IndexType]:
    """Return an index as an attribute."""
    return IntegerAttr(value, INDEX)


def index_constant(value: int) -> arith.ConstantOp:
    """Build the constant op of an index."""
    return arith.ConstantOp.create(properties={"value": index_attribute(value)}, result_types=[INDEX])


def scalar_attr(value: float, type: Attribute) -> ScalarAttr:
    """Return the attribute of a number in a scalar type; a bit pattern above the signed range is taken as it is."""
    if isinstance(type, AnyFloat):
        return FloatAttr(float(value), type)
    number, width = int(value), integer_width(type) or 64
    if number >= 1 << (width - 1) and width > 1:
        number -= 1 << width
    return cast(ScalarAttr, IntegerAttr(number, cast(Any, type)))


def lowest(type: Attribute) -> ScalarAttr:
    """Return the smallest value of a scalar type, integers read as signed."""
    if is_float(type):
        return scalar_attr(float("-inf"), type)
    return scalar_attr(-(1 << ((integer_width(type) or 64) - 1)), type)


def highest(type: Attribute) -> ScalarAttr:
    """Return the largest value of a scalar type, integers read as signed."""
    if is_float(type):
        return scalar_attr(float("inf"), type)
    return scalar_attr((1 << ((integer_width(type) or 64) - 1)) - 1, type)
