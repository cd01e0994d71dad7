"""
Comparison of arrays with those that are expected: integers exactly, floats within a bound of their tensor's magnitude.

With m the greatest finite magnitude of the expected tensor and eps the spacing of the coarser float type at 1, an
element may differ by

    max(min(1e-4, 2e-4 * m), roundings * eps * m)     roundings: 1 for 16 bits, 64 for f32 and f64

The first term is what two orders of summation may make of numbers around 1, and shrinks with the tensor. The second is
what as many roundings of the tensor's largest numbers come to; for f32 it is the larger one from m = 13 on. Of a tensor
of zeros no magnitude is known: 1e-4. Whole numbers on both sides are integers that floats hold, and exact.

Narrow types on the way to a tensor (`runtime/precision.py`) add

    roundings_16 * spacing_16 * m + wide_steps * max(2^-15 * m, step)

A `Tolerance` replaces the bound of floats by atol + rtol * |expected|, or adds steps of the quantisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from ml_dtypes import finfo

from ..ir import Array
from .precision import WIDE, Precision

ABSOLUTE, RELATIVE = 1e-4, 2e-4
_ROUNDINGS = 64
_EXACT = 2.0**24
"""Integers up to this are floats of 32 bits."""


@dataclass(frozen=True)
class Tolerance:
    """
    Accepted differences: of floats `atol` + `rtol` times the expected magnitude, of quantised values `steps`.

    Where neither `atol` nor `rtol` is given, the bound of floats follows from their types.
    """

    atol: float | None = None
    rtol: float | None = None
    steps: int = 0

    @property
    def replaces_bound(self) -> bool:
        """Return whether the user gave a bound of floats."""
        return self.atol is not None or self.rtol is not None


def differing(
    actual: Array, expected: Array, tolerance: Tolerance = Tolerance(), precision: Precision = Precision()
) -> Array:
    """Return, per element of two arrays of one shape, whether they are different answers."""
    is_integer = bool({actual.dtype.kind, expected.dtype.kind} & set("iub"))
    is_exact = is_integer or (is_whole(actual) and is_whole(expected) and not tolerance.replaces_bound)
    if is_exact and not tolerance.steps:
        # As objects, for 64-bit integers are more than a float holds; only where they may be, for it is slow.
        wide = max(actual.itemsize, expected.itemsize) > 4 and actual.dtype.kind in "iu" and expected.dtype.kind in "iu"
        exact = np.dtype(object) if wide else np.dtype(np.float64)
        return np.asarray(actual.astype(exact) != expected.astype(exact))
    limit = tolerance.steps if is_exact else bound(actual, expected, tolerance, precision)
    wide_found, wide_expected = actual.astype(np.float64), expected.astype(np.float64)
    return ~np.isclose(wide_found, wide_expected, rtol=0, atol=limit, equal_nan=True)


def bound(
    actual: Array, expected: Array, tolerance: Tolerance = Tolerance(), precision: Precision = Precision()
) -> float | Array:
    """Return by how much a float of a tensor may differ from the expected one: one number, or one per element."""
    largest = magnitude(expected)
    if tolerance.replaces_bound:
        wide = np.abs(expected.astype(np.float64))
        relative = (tolerance.rtol or 0.0) * np.where(np.isfinite(wide), wide, 0.0)
        return (tolerance.atol or 0.0) + relative + _accepted_steps(tolerance, precision, largest)
    return _rounding(actual, expected) + _narrow(precision, largest) + _accepted_steps(tolerance, precision, largest)


def _rounding(actual: Array, expected: Array) -> float:
    largest = magnitude(expected)
    if not largest:
        return ABSOLUTE
    floats = [dtype for dtype in (actual.dtype, expected.dtype) if dtype.kind in "fV"]
    kinds = [dtype for dtype in floats if dtype.itemsize <= 2] or floats
    spacing = max((float(cast(Any, finfo(dtype)).eps) for dtype in kinds), default=0.0)
    roundings = 1 if any(dtype.itemsize <= 2 for dtype in kinds) else _ROUNDINGS
    return max(min(ABSOLUTE, RELATIVE * largest), roundings * spacing * largest)


def _narrow(precision: Precision, largest: float) -> float:
    """Return the part of a tensor's bound that narrow types on the way to it add."""
    wide_step = max(2.0 ** (1 - WIDE) * largest, precision.step) if precision.wide_steps else 0.0
    return precision.roundings * precision.spacing * largest + precision.wide_steps * wide_step


def _accepted_steps(tolerance: Tolerance, precision: Precision, largest: float) -> float:
    """Return the accepted steps of the quantisation behind floats, in their unit."""
    if not tolerance.steps or not precision.bits:
        return 0.0
    return tolerance.steps * (precision.step or 2.0 ** (1 - precision.bits) * largest)


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
