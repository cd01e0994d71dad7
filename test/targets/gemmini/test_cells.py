"""Products of bf16: equal to exact arithmetic that is rounded once after each of them."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np

from tilewright.ir import Array
from tilewright.targets.gemmini.dialects.gemmini.cells import block_products


def nearest(number: Fraction) -> float:
    """Return the bf16 nearest to a number, halves to even."""
    if not number:
        return 0.0
    exponent = max(-126, next(each for each in range(128, -300, -1) if abs(number) >= Fraction(2) ** each))
    step = Fraction(2) ** (exponent - 7)
    return float(round(number / step) * step)


def products(factors: Array, weights: Array) -> list[list[float]]:
    found = list[list[float]]()
    for row in factors.astype(float):
        sums = [0.0] * weights.shape[1]
        for factor, line in zip(row, weights.astype(float), strict=True):
            sums = [nearest(Fraction(s) + Fraction(factor) * Fraction(w)) for s, w in zip(sums, line, strict=True)]
        found.append(sums)
    return found


def test_each_sum_is_rounded_once() -> None:
    draw = np.random.default_rng(0)
    scales = 2.0 ** draw.integers(-20, 20, (2, 12, 12))
    factors, weights = (draw.standard_normal((2, 12, 12)) * scales).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(block_products(factors[:, :8], weights[:8]), products(factors[:, :8], weights[:8]))


def test_a_half_that_a_small_summand_decides() -> None:
    """The product 3 * 87 = 261 is in the middle of two bf16: a summand of any size decides."""
    for small in (2.0**-20, -(2.0**-20), 2.0**-60, -(2.0**-60), 2.0**-126, -(2.0**-126), 0.0):
        factors = np.array([[1, 3]]).astype(ml_dtypes.bfloat16)
        weights = np.array([[small], [87]]).astype(ml_dtypes.bfloat16)
        expected = 262 if small > 0 else 260
        np.testing.assert_array_equal(block_products(factors, weights), [[expected]])


def test_numbers_at_the_ends_of_the_range() -> None:
    tiny, huge = np.finfo(np.float32).tiny, 3e38
    factors = np.array([[tiny, 2.0**-8], [huge, huge], [huge, -huge]]).astype(ml_dtypes.bfloat16)
    weights = np.array([[2.0**-7], [2.0**-126]]).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(block_products(factors, weights), products(factors, weights))
    assert block_products(factors[1:2], np.array([[4.0], [-4.0]]).astype(ml_dtypes.bfloat16))[0, 0] == np.inf
