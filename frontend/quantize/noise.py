"""Noise of a tensor of the quantised network: its difference from the same tensor of the float network."""

from __future__ import annotations

from math import inf

import numpy as np

from ...ir import Array


def noise_power(exact: Array, quantised: Array) -> float:
    """
    Return the sum of squared differences.

    Equal infinities and two NaN are no noise; an infinity or a NaN in one of the tensors alone is infinite noise.
    """
    a, b = exact.reshape(-1).astype(np.float64), quantised.reshape(-1).astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not bool((finite | same).all()):
        return inf
    return float(((a[finite] - b[finite]) ** 2).sum())


def signal_power(tensor: Array) -> float:
    """Return the sum of squares of the finite numbers."""
    wide = tensor.astype(np.float64)
    return float((wide[np.isfinite(wide)] ** 2).sum())
