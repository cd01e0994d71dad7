"""
Comparison of arrays with those that are expected: integers exactly, floats within a bound of their tensor's magnitude.

With m the greatest finite magnitude of the expected tensor and eps the spacing of the coarser float type at 1, an
element may differ by

    max(min(1e-4, 2e-4 * m), roundings * eps * m)     roundings: 1 for 16 bits, 64 for f32 and f64

The first term is what two orders of summation may make of numbers around 1, and shrinks with the tensor. The second is
what as many roundings of the tensor's largest numbers come to; for f32 it is the larger one from m = 13 on. Of a tensor
of zeros no magnitude is known: 1e-4. Whole numbers on both sides are integers that floats hold, and exact.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from ml_dtypes import finfo

from ..ir import Array

ABSOLUTE, RELATIVE = 1e-4, 2e-4
_ROUNDINGS = 64
_EXACT = 2.0**24
"""Integers up to this are floats of 32 bits."""


def differing(found: Array, expected: Array) -> Array:
    """Return, per element of two arrays of one shape, whether they are different answers."""
    if {found.dtype.kind, expected.dtype.kind} & set("iub") or (is_whole(found) and is_whole(expected)):
        # As objects, for 64-bit integers are more than a float holds; only where they may be, for it is slow.
        wide = max(found.itemsize, expected.itemsize) > 4 and found.dtype.kind in "iu" and expected.dtype.kind in "iu"
        exact = np.dtype(object) if wide else np.dtype(np.float64)
        return np.asarray(found.astype(exact) != expected.astype(exact))
    bound = tolerance(found, expected)
    return ~np.isclose(found.astype(np.float64), expected.astype(np.float64), rtol=0, atol=bound, equal_nan=True)


def tolerance(found: Array, expected: Array) -> float:
    """Return by how much a float of a tensor may differ from the expected one."""
    largest = magnitude(expected)
    if not largest:
        return ABSOLUTE
    floats = [dtype for dtype in (found.dtype, expected.dtype) if dtype.kind in "fV"]
    kinds = [dtype for dtype in floats if dtype.itemsize <= 2] or floats
    spacing = max((float(cast(Any, finfo(dtype)).eps) for dtype in kinds), default=0.0)
    roundings = 1 if any(dtype.itemsize <= 2 for dtype in kinds) else _ROUNDINGS
    return max(min(ABSOLUTE, RELATIVE * largest), roundings * spacing * largest)


def magnitude(array: Array) -> float:
    """Return the greatest absolute value among the finite elements, 0 if there is none."""
    wide = array.astype(np.float64)
    return float(np.max(np.abs(wide), where=np.isfinite(wide), initial=0))


def is_whole(array: Array) -> bool:
    """Return whether an array holds integers, in floats at most those that f32 holds exactly."""
    if array.dtype.kind in "iub":
        return True
    wide = array.astype(np.float64)
    return bool(np.isfinite(wide).all() and (wide == np.rint(wide)).all() and magnitude(array) <= _EXACT)


def says_nothing(expected: Array) -> str:
    """Return why an expected tensor distinguishes little, empty where it does: empty, zeros, no number, constant."""
    if not expected.size:
        return "empty"
    first = expected.reshape(-1)[0]
    if (expected != expected).all():
        return "NaN throughout"
    if not (expected == first).all():
        return ""
    return "zero throughout" if first == 0 else "constant" if expected.size > 1 else ""
