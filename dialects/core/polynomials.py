"""Polynomials of integers that stand for functions, in 32 bits that wrap around."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

GELU_CUT, GELU_SQUARE = 1.769 * sqrt(2), 2 / 0.2888
"""For inputs in steps of s: `qb = trunc(-GELU_CUT / s)`, `qc = trunc(-GELU_SQUARE / s^2)`."""


def gelu(q: Any, qb: int, qc: Any) -> Any:
    """
    Return I-BERT's GELU of integers (Kim et al., arXiv:2101.01321, algorithm 2), of one `qc` or an array of them.

        q * (sign(q) * ((min(|q|, -qb) + qb)^2 + qc) + qc)

    For numbers q * s, the result is GELU(q * s) in steps of -0.0722 s^3.
    """
    with np.errstate(over="ignore"):
        x, constant = np.asarray(q, np.int32), np.asarray(qc, np.int32)
        cut = np.minimum(np.abs(x), np.int32(-qb)) + np.int32(qb)
        square = cut * cut + constant
        return x * (np.where(x < 0, -square, square) + constant)
