"""Arithmetic of the array's cells: products of rows of the first factor with a block of weights."""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np


def block_products(factors: Any, weights: Any) -> Any:
    """
    Return the sums of products with a block of weights, in the order of the array's rows, which sums start from 0.

    Sums of bytes have 32 bits. Floats of 32 bits are rounded after each product and each sum; the hardware rounds once.
    Sums of bf16 are bf16 in the array: product and sum are rounded once. They leave it as floats of 32 bits.
    """
    if factors.dtype.kind == "i":
        return factors.astype(np.int32) @ weights.astype(np.int32)
    sums = np.zeros((factors.shape[0], weights.shape[1]), factors.dtype)
    for row in range(factors.shape[1]):
        terms = factors[:, row : row + 1], weights[row]
        sums = _fused(sums, *terms) if sums.dtype == ml_dtypes.bfloat16 else sums + terms[0] * terms[1]
    return sums.astype(np.float32)


def _fused(sums: Any, factors: Any, weights: Any) -> Any:
    """
    Return bf16 sums plus products, rounded once, halves to even.

    The product is exact in 64 bits. Where sum or f32 are inexact, the f32 is the neighbour with an odd last bit, which
    no second rounding mistakes for a half.
    """
    with np.errstate(all="ignore"):
        wide, product = sums.astype(np.float64), factors.astype(np.float64) * weights.astype(np.float64)
        total = wide + product
        added = total - wide
        error = (wide - (total - added)) + (product - added)
        near = total.astype(np.float32)
        rest = (total - near) + error
        is_inexact = np.isfinite(rest) & (rest != 0) & (near != 0)
        bits = near.view(np.int32)
        odd = (bits - (np.signbit(rest) != np.signbit(near))) | 1
        rounded = cast(Any, np.where(is_inexact, odd, bits))
        return rounded.astype(np.int32).view(np.float32).astype(ml_dtypes.bfloat16)
