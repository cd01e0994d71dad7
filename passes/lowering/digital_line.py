"""Functions of a byte that are one product, sum and shift."""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

import numpy as np

from ...ir import Array

_BYTES = np.arange(-128, 128, dtype=np.int64)
_ROOM = 1 << 31
_SHIFTS = range(24)
"""More would leave a product no room in 32 bits: two neighbouring slopes differ by 1 / 255^2 at least."""


class Line(NamedTuple):
    """Line `(x * factor + offset) >> shift` that stays within 32 bits for every byte."""

    factor: int
    offset: int
    shift: int


def line_through(values: Array) -> Line | None:
    """
    Return the line that gives the 256 values for the bytes from -128 on, the one with the least shift; None without.

    Such values are a digital straight line: Klette and Rosenfeld, Digital straightness - a review (2004). A slope fits
    where it keeps each two values apart as far as they are, give or take one; then there is an offset for all.
    """
    values = values.astype(np.int64)
    low, high = _slopes(values)
    if low >= high:
        return None
    for shift in _SHIFTS:
        scale = 1 << shift
        for factor in range(ceil(low * scale), floor(high * scale) + 1):
            offset = int(np.max(values * scale - _BYTES * factor))
            if np.array_equal((_BYTES * factor + offset) >> shift, values):
                return Line(factor, offset, shift) if _fits(factor, offset) else None
    return None


def _fits(factor: int, offset: int) -> bool:
    """Return whether products and sums stay within 32 bits."""
    products = _BYTES * factor
    return bool(max(np.abs(products).max(), np.abs(products + offset).max()) < _ROOM)


def _slopes(values: Array) -> tuple[float, float]:
    """Return the slopes between which a line through the values must lie."""
    pairs = [(values[step:] - values[:-step], step) for step in range(1, len(values))]
    low = max((int(rise.max()) - 1) / step for rise, step in pairs)
    high = min((int(rise.min()) + 1) / step for rise, step in pairs)
    return low, high
