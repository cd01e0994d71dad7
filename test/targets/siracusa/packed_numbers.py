"""Random integers of few bits, to be packed."""

from __future__ import annotations

import numpy as np

from tilewright.ir import Array


def numbers(shape: tuple[int, ...], width: int, *, is_unsigned: bool, seed: int = 0) -> Array:
    """Return numbers of `width` bits."""
    low = 0 if is_unsigned else -(1 << (width - 1))
    return np.random.default_rng(seed).integers(low, low + (1 << width), shape).astype(np.int8)
