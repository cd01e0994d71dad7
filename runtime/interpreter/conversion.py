"""
Exact conversion of an input to the type of a network.

Every element must keep its value, infinities and NaN included. Byte order and memory layout are irrelevant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ...errors import Diagnostic
from ...ir import Array

_FLOATS = frozenset(np.dtype(scalar) for scalar in (ml_dtypes.bfloat16,))
"""Float types that are no built-in NumPy types."""


def is_numeric(dtype: np.dtype[Any]) -> bool:
    """Return whether the elements of a NumPy type are booleans, integers or real floats."""
    return dtype.kind in "biuf" or dtype in _FLOATS


def converted(
    name: str,
    value: Array,
    dtype: np.dtype[Any],
    shape: Sequence[int],
    *,
    element: str = "",
    limits: tuple[int, ...] = (),
) -> Array:
    """
    Return an input as a new C-ordered array of a type; `limits` are the least and the greatest integer allowed.

    `element` names the type in errors. Raises Diagnostic for another shape, for a non-numeric type, and for a value
    that the type does not represent.
    """
    element = element or str(dtype)
    if tuple(value.shape) != tuple(shape):
        raise Diagnostic(f"input '{name}' has the wrong shape", expected=str(list(shape)), found=str(list(value.shape)))
    if not is_numeric(value.dtype):
        raise Diagnostic(
            f"input '{name}' is not numeric", expected=f"numbers of type {element}", found=str(value.dtype)
        )
    with np.errstate(all="ignore"):
        result = value.astype(dtype, order="C")
        is_held = _is_held(value, result)
    if limits:
        is_held &= (result >= limits[0]) & (result <= limits[1])
    if not is_held.all():
        first = np.unravel_index(int(np.argmin(is_held)), is_held.shape)
        raise Diagnostic(
            f"input '{name}' of type {element} holds values out of its range"
            if limits
            else f"input '{name}' holds values that {element} cannot hold",
            expected=f"values from {limits[0]} to {limits[1]}" if limits else f"values of type {element}",
            found=f"{value[first]} at {[int(i) for i in first]}",
            remedy="give other values" if limits else _remedy(name, value.dtype, dtype),
        )
    return result


def _remedy(name: str, dtype: np.dtype[Any], taken: np.dtype[Any]) -> str:
    if taken.kind in "biu":
        return f"give other values, or compile with another type of the input {name}"
    return f"round the array to {taken} first" if dtype.kind not in "biu" else f"give the array as {taken}"


def _is_held(value: Array, result: Array) -> Array:
    """Return, per element, whether a conversion preserved it."""
    if result.dtype.kind == "b":
        return np.asarray((value == 0) | (value == 1))
    if value.dtype.kind == "b":
        return np.ones(value.shape, np.bool_)
    if result.dtype.kind in "iu":
        return np.asarray(_is_in_range(value, np.iinfo(result.dtype)) & (result == value))
    is_back = result.astype(value.dtype) == value
    if value.dtype.kind in "iu":
        return np.asarray(_is_in_range(result, np.iinfo(value.dtype)) & is_back)
    return np.asarray(is_back | ((value != value) & (result != result)))


def _is_in_range(value: Array, limits: np.iinfo[Any]) -> Array:
    """Return, per element, whether it is in the range of an integer type."""
    if value.dtype.kind in "iu":
        return np.asarray((value >= limits.min) & (value <= limits.max))
    wide = value.astype(np.float64)
    # The greatest integer may not be a float, but the power of two above it is.
    return np.asarray((wide >= float(limits.min)) & (wide < float(limits.max + 1)))
