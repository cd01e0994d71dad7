"""Integers of any width on NumPy's fixed ones: wrap-around, signed and unsigned interpretation."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ContainerType, IndexType, IntegerType
from xdsl.ir import Attribute

from ...dialects.core.semantics import Value
from ...ir import Array, numpy_type


def scalar_type(type: Attribute) -> Attribute:
    """Return the element type of a shaped type, and a scalar type itself."""
    return cast("ContainerType[Attribute]", type).get_element_type() if _has_elements(type.__class__) else type


@cache
def _has_elements(type_class: type[Attribute]) -> bool:
    return issubclass(type_class, ContainerType)


def integer_type(type: Attribute) -> IntegerType | None:
    """Return a type that is an integer type, None for others."""
    return cast("IntegerType", type) if isinstance(type, IntegerType) else None


def width_of(type: Attribute) -> int:
    """Return the number of bits of an integer or index type, or of the elements of a shaped one."""
    element = scalar_type(type)
    if isinstance(element, IndexType):
        return 64
    integer = integer_type(element)
    assert integer is not None, element
    return integer.width.data


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """Return the NumPy type of a scalar type, or of the elements of a shaped one."""
    return numpy_type(scalar_type(type))


def wrap(value: Value, type: Attribute) -> Array:
    """Return integers modulo 2^width in the (signless: signed) type `type`."""
    element = scalar_type(type)
    width = width_of(element)
    if width == 1:
        return np.bitwise_and(value, 1).astype(np.bool_)
    dtype = numpy_type(element)
    result = np.asarray(value).astype(dtype, copy=False)
    spare = 8 * dtype.itemsize - width
    if spare:
        result = (result << spare) >> spare
    return result[()] if result.ndim == 0 else result


def signed(value: Value) -> Array:
    """Return an integer array as signed; i1 becomes 0 and -1."""
    if value.dtype == np.bool_:
        return -value.astype(np.int8)
    return value


def unsigned(value: Value, type: Attribute) -> Array:
    """Return an integer array of the given type as unsigned."""
    if value.dtype == np.bool_:
        return value.astype(np.uint8)
    result = value.view(np.dtype(f"uint{8 * value.dtype.itemsize}"))
    width = width_of(type)
    return result if width == 8 * value.dtype.itemsize else result & result.dtype.type((1 << width) - 1)


def round_to(value: Value, type: Attribute) -> Array:
    """Return floats rounded to the elements of `type`."""
    result = np.asarray(value).astype(dtype_of(type), copy=False)
    return result[()] if result.ndim == 0 else result


def to_integer(value: Value, dtype: np.dtype[Any]) -> Array:
    """Truncate floats to integers, saturating; NaN becomes 0."""
    limits = np.iinfo(dtype)
    whole = np.nan_to_num(np.trunc(np.asarray(value, np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    above, below = whole >= float(limits.max), whole <= float(limits.min)
    inside = np.where(above | below, 0.0, whole).astype(dtype)
    result = np.where(above, dtype.type(limits.max), np.where(below, dtype.type(limits.min), inside))
    return result[()] if result.ndim == 0 else result
