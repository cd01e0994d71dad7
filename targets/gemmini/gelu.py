"""GELU of instances with normalisations: the tables of bytes that a store computes."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...dialects.core.polynomials import GELU_CUT, GELU_SQUARE, gelu
from ...ir import Array

_LARGEST = 1 << 8
"""The largest `-qb` that is searched: that of steps of 0.01."""


class Gelu(NamedTuple):
    """Parameters of a store: those of the polynomial, and the scale of its results, which is negative."""

    qb: int
    qc: int
    scale: float


def stored(results: Any, scale: Any) -> Any:
    """Return the bytes of results: scaled in f32, rounded to the nearest, halves to even, and saturated."""
    return np.clip(np.rint(np.asarray(results).astype(np.float32) * np.float32(scale)), -128, 127).astype(np.int8)


def gelu_of_table(table: Array) -> Gelu | None:
    """Return the parameters for which a store computes a table of bytes, from that of -128 on, None if none do."""
    return _search(table.astype(np.int8).tobytes()) if table.dtype == np.int8 and table.shape == (256,) else None


@cache
def _search(table: bytes) -> Gelu | None:
    """Search the parameters of all steps s: a table bounds the scale, at some bytes first and then at all."""
    entries, bytes = np.frombuffer(table, np.int8), np.arange(-128, 128, dtype=np.int32)
    if entries[128] or not entries.any():
        return None
    for cut in range(1, _LARGEST):
        first, last = (int(GELU_SQUARE * (bound / GELU_CUT) ** 2) for bound in (cut, cut + 1))
        squares = np.arange(first, last + 1)
        for places in (slice(0, 256, 15), slice(0, 256)):
            least, most = _scales(entries[places], gelu(bytes[places], -cut, -squares[:, None]))
            fits = (least <= most) & (most < 0)
            squares, scales = squares[fits], ((least + most) / 2)[fits]
        for square, scale in zip(squares.tolist(), scales.astype(np.float32).tolist(), strict=True):
            if np.array_equal(stored(gelu(bytes, -cut, -square), scale), entries):
                return Gelu(-cut, -square, scale)
    return None


def _scales(entries: Array, results: Array) -> tuple[Array, Array]:
    """Return the ends of the scales by which results become entries, one for each row of results."""
    ends = np.where(entries == -128, -np.inf, entries - 0.5), np.where(entries == 127, np.inf, entries + 0.5)
    with np.errstate(all="ignore"):
        low, high = (np.where(results == 0, np.nan, end / results) for end in ends)
        return np.nanmax(np.minimum(low, high), axis=1), np.nanmin(np.maximum(low, high), axis=1)
