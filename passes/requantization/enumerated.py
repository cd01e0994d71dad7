"""Lines through bytes and pairs of bytes, proved on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...ir import Array, integer_width
from .approximation import Approximation, Term, approximation_by
from .lines import Points
from .slices import BYTE, Slice

_CHANNELS = 64
"""The most channels of which all pairs of bytes are enumerated."""
_STRAIGHT = 0.02
"""Tolerance of the fit of a bilinear form to values before rounding, in steps of the result."""


def line_of_byte(code: Slice) -> Approximation | None:
    (leaf,) = code.leaves
    stored, read = _bytes(code, leaf)
    points = _points(code, [stored], [read])
    slopes = [np.array([_slope(read[0], row, points) for row in code.reals(stored)])]
    return approximation_by([_read(code, leaf)], points, slopes, [read])


def _points(code: Slice, stored: Sequence[Array], terms: Sequence[Array]) -> Points:
    """Return all values of a slice; the least and the greatest of them are the ends of its range."""
    values = code.values(*stored)
    return Points(tuple(terms), values, int(values.min()), int(values.max()), tuple(terms))


def _bytes(code: Slice, leaf: SSAValue) -> tuple[Array, Array]:
    """Return all values of a narrow leaf, int64 [1, n], as they are stored and as they are read."""
    half = 1 << (integer_width(leaf.type) or BYTE) - 1
    stored = np.arange(-half, half)[None, :]
    return stored, stored & (2 * half - 1) if code.is_read_unsigned(leaf) else stored


def _combined(leaves: Sequence[Array]) -> list[Array]:
    """Return all combinations of the values [1, n] of each leaf: an array [1, combinations] per leaf."""
    return [axis.reshape(1, -1) for axis in np.meshgrid(*map(np.ravel, leaves), indexing="ij")]


def _read(code: Slice, leaf: SSAValue) -> Term:
    return lambda body: body.convert(leaf, i32, unsigned=code.is_read_unsigned(leaf))


def _slope(arguments: Array, reals: Array, points: Points) -> float:
    """Return by how much reals [n] grow with their arguments where they are not clipped, 0 where all are."""
    inside = (reals > points.low) & (reals < points.high)
    if int(inside.sum()) < 2:
        return 0.0
    return float(np.polyfit(arguments[inside], reals[inside], 1)[0])


def line_of_pair(code: Slice) -> Approximation | None:
    """Return a line through two bytes, or through their product less zero points."""
    if code.channels.count > _CHANNELS and not code.is_uniform():
        return None
    ranges = [_bytes(code, leaf) for leaf in code.leaves]
    stored, read = map(_combined, zip(*ranges, strict=True))
    points = _points(code, stored, read)
    forms = [_bilinear(read, row, points) for row in code.reals(*stored)]
    if any(form is None for form in forms):
        return None
    _, by_a, by_b, by_both = np.array(forms).T
    terms = [_read(code, leaf) for leaf in code.leaves]
    if bool((np.abs(by_both) * (1 << 2 * BYTE - 2) < _STRAIGHT).all()):
        return approximation_by(terms, points, [by_a, by_b], read)
    zeros = [np.unique(np.rint(-own / by_both)) for own in (by_b, by_a)]
    if any(len(zero) != 1 for zero in zeros):
        return None
    (a, b), (zero_a, zero_b) = read, (int(zero[0]) for zero in zeros)
    product = (a - zero_a) * (b - zero_b)
    term = _product_of(terms, (zero_a, zero_b))
    return approximation_by([term], replace(points, terms=(product,), typical=(product,)), [by_both], [product])


def _product_of(factors: Sequence[Term], zeros: tuple[int, int]) -> Term:
    """Return the product of two terms less their zero points."""

    def append(body: Body) -> SSAValue:
        a, b = (term(body) for term in factors)
        a, b = (body.sub(value, zero) if zero else value for value, zero in zip((a, b), zeros, strict=True))
        return body.mul(a, b)

    return append


def _bilinear(read: Sequence[Array], reals: Array, points: Points) -> Array | None:
    """Fit `c + a * x + b * y + d * x * y` to reals [n] where they are not clipped; None for another function."""
    inside = (reals > points.low) & (reals < points.high)
    x, y = (numbers[0, inside].astype(np.float64) for numbers in read)
    if x.size < 16 or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return None
    basis = np.stack([np.ones_like(x), x, y, x * y], axis=1)
    form = np.linalg.lstsq(basis, reals[inside], rcond=None)[0]
    is_straight = float(np.abs(basis @ form - reals[inside]).max()) < _STRAIGHT
    return form if is_straight else None
