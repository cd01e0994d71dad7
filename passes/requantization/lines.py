"""
Integer lines with a rounding test, instead of a requantisation.

A line `u >> shift` has the result of a requantisation but where `u` is next to a multiple of `2^shift`: there the
original code decides. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit",
ACM Transactions on Mathematical Software 17 (1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...ir import Array

INT32 = 1 << 31
ORIGINAL = 250
"""Cycles of a requantisation in software floats: conversion, product, rounding and calls (GVSoC's RI5CY)."""


@dataclass(frozen=True)
class FixedPointLine:
    """
    `u >> shift`, where `t = sum(term * factor) + summand` and `u = t - (t >> shift & 1) * tie`, all in 32 bits.

    Where `u mod 2^shift < margin` the result may be one too great. Factors and summand are int64 [channels]. A `tie`, a
    power of two or 0, makes odd results come later than even ones: halves rounded to even.
    """

    factors: tuple[Array, ...]
    summand: Array
    shift: int
    tie: int = 0
    margin: int = 0

    def numerators(self, terms: Sequence[Array]) -> Array:
        """Return u for terms, int64 [channels or 1, n]."""
        total = products(self.factors, terms) + self.summand[:, None]
        return total - (total >> self.shift & 1) * self.tie

    def near(self, terms: Sequence[Array]) -> float:
        """Return the part of these points at which the original code decides."""
        rests = self.numerators(terms) & ((1 << self.shift) - 1)
        return float((rests < self.margin).mean())


def products(factors: Sequence[Array], terms: Sequence[Array]) -> Array:
    """Return the sum of the products of terms, int64 [channels or 1, n], with factors of each channel."""
    total: Array = np.zeros((1, 1), np.int64)
    for factor, term in zip(factors, terms, strict=True):
        total = total + factor[:, None] * term
    return total


@dataclass(frozen=True)
class Points:
    """
    Arguments of a function, and its values from `low` to `high`.

    `terms`, int64 [channels or 1, n], are those at which a line has to have the `values`; `typical` are terms spread as
    arguments are. The `original` code takes so many cycles.
    """

    terms: tuple[Array, ...]
    values: Array
    low: int
    high: int
    typical: tuple[Array, ...]
    original: float = ORIGINAL


_TRIED = range(-3, 4)
"""Offsets of a line's only factor from the slope among which the one of the least margin is taken."""
_TIE = 3
"""Cycles of halves to even: shift, mask and difference."""


def fitted(points: Points, slopes: Sequence[Array], magnitudes: Sequence[Array]) -> FixedPointLine | None:
    """
    Return the line of least cost through points, None where it leaves 32 bits.

    `slopes`, float64 [channels], are by how much the function grows with each term; `magnitudes`, int64 [channels],
    bound the absolute values of the terms.
    """
    grown = sum(np.abs(slope) * most for slope, most in zip(slopes, magnitudes, strict=True))
    _, exponent = np.frexp(max(float(np.max(grown)), float(points.high - points.low)))
    for shift in range(min(30, 31 - int(exponent)), 0, -1):
        plain = _on(points, slopes, shift)
        line = _cheaper(points, plain, _with_tie(points, plain))
        if _reach(line, magnitudes) < INT32:
            return line
    return None


def _on(points: Points, slopes: Sequence[Array], shift: int) -> FixedPointLine:
    """Return the line without a tie for a shift; of one term, that of the factors of the least margin."""
    nearest: list[Array] = [np.rint(np.ldexp(slope, shift)).astype(np.int64) for slope in slopes]
    if len(nearest) > 1:
        summand, margin = _summand(points, nearest, shift)
        return FixedPointLine(tuple(nearest), summand, shift, margin=max(0, int(margin.max())))
    best, summand, margin = nearest[0], *_summand(points, nearest, shift)
    for offset in _TRIED:
        factor = nearest[0] + offset * (nearest[0] != 0)
        own, width = _summand(points, (factor,), shift)
        is_better = width < margin
        best, summand = np.where(is_better, factor, best), np.where(is_better, own, summand)
        margin = np.minimum(width, margin)
    return FixedPointLine((best,), summand, shift, margin=max(0, int(margin.max())))


def _summand(points: Points, factors: Sequence[Array], shift: int) -> tuple[Array, Array]:
    """Return the least summand [channels] with which no value comes too late, and the margins of those too early."""
    total = products(factors, points.terms)
    summand = _late(points, total, shift, points.values > points.low)
    # Channels that stay at the low end have no late values: theirs is the greatest summand.
    summand = np.where(summand > -INT32, summand, -_early(points, total, shift))
    return summand, _early(points, total + summand[:, None], shift)


def _late(points: Points, total: Array, shift: int, counts: Array) -> Array:
    lacks = np.where(counts, (points.values << shift) - total, -INT32)
    return lacks.max(axis=1)


def _early(points: Points, total: Array, shift: int) -> Array:
    beyond = np.where(points.values < points.high, total - ((points.values + 1) << shift), -INT32)
    return beyond.max(axis=1) + 1


def _with_tie(points: Points, plain: FixedPointLine) -> FixedPointLine | None:
    """Return a line with the greatest tie that makes no odd value late, None where even ones need no lead."""
    total = products(plain.factors, points.terms)
    is_odd, counts = points.values & 1 == 1, points.values > points.low
    even, odd = (_late(points, total, plain.shift, counts & parity) for parity in (~is_odd, is_odd))
    lead = int(np.where(odd > -INT32, even - odd, INT32).min())
    if lead <= 0:
        return None
    tie = min(1 << lead.bit_length() - 1, 1 << plain.shift - 1)
    beyond = _early(points, total + even[:, None] - np.where(is_odd, 0, tie), plain.shift)
    return replace(plain, summand=even, tie=tie, margin=max(0, int(beyond.max())))


def _cheaper(points: Points, plain: FixedPointLine, tied: FixedPointLine | None) -> FixedPointLine:
    if tied is None or plain.margin == 0:
        return plain
    costs = [line.near(points.typical) * points.original for line in (plain, tied)]
    return tied if costs[1] + _TIE < costs[0] else plain


def _reach(line: FixedPointLine, magnitudes: Sequence[Array]) -> int:
    """Return a bound of all absolute values that occur in the evaluation of a line."""
    reached = np.abs(line.summand)
    for factor, most in zip(line.factors, magnitudes, strict=True):
        reached = reached + np.abs(factor) * most
    return int(reached.max()) + line.tie


def centred(points: Points, line: FixedPointLine) -> FixedPointLine:
    """Return a line whose summands make values late as much as early, each by at most half of its channel's margin."""
    summand, margin = _summand(points, line.factors, line.shift)
    return replace(line, summand=summand - np.maximum(margin, 0) // 2)
