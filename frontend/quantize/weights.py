"""Quantised weights: scales of least error, rounding to nearest or by coordinate descent, bias correction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ir import Array

BITS = 8
"""Bits of weights where nothing else is asked for."""
_SHARES = np.linspace(1.0, 0.5, 26)
_SWEEPS = 3
_DAMPING = 0.03
"""Share of the mean power of the operands that is added to each of them, so that few samples decide less."""


def largest_of(bits: int) -> int:
    """Return the largest quantised weight of so many bits; the range is symmetric."""
    return (1 << (bits - 1)) - 1


@dataclass(frozen=True)
class QuantizedWeights:
    """
    Quantised weights [groups, rows, K] as integers of f64, and the scale [groups, rows] of each row in f32.

    The integers are from `-largest` to `largest`.
    """

    integers: Array
    scales: Array
    largest: int = largest_of(BITS)

    @property
    def real(self) -> Array:
        """The dequantised weights, f64."""
        return self.integers * self.scales[..., None].astype(np.float64)


def quantize_rows(
    matrix: Array, columns: Array, *, channels: int, search: bool, least: Array, bits: int = BITS
) -> QuantizedWeights:
    """
    Quantise weights [groups, rows, K] to the nearest integers, with a scale for each block of so many rows, 0 for all.

    With `search` the scale is the one of least error of the product with `columns` [groups, K, M], else that of the
    largest weight. No scale is below `least`, one per row.
    """
    power = (columns.astype(np.float64) ** 2).mean(axis=2)[:, None, :] if columns.size else np.ones(matrix.shape[-1])
    wide, largest = matrix.astype(np.float64), largest_of(bits)
    full, least = _reach(wide, channels, largest), over_blocks(least, channels, np.maximum)
    best, lowest = full, np.full(full.shape, np.inf)
    for share in _SHARES if search else (1.0,):
        scales = np.maximum(full * share, least)
        error = (power * (wide - _nearest(wide, scales, largest) * scales[..., None]) ** 2).sum(axis=2)
        error = over_blocks(error, channels, np.add)
        best, lowest = np.where(error < lowest, scales, best), np.minimum(error, lowest)
    scales = best.astype(np.float32)
    return QuantizedWeights(_nearest(wide, scales.astype(np.float64), largest), scales, largest)


def over_blocks(rows: Array, channels: int, combine: np.ufunc) -> Array:
    """Return numbers of rows [groups, rows] combined within each block of so many rows, 0 for all."""
    flat = rows.reshape(-1)
    size = channels or max(1, len(flat))
    blocks = combine.reduceat(flat, np.arange(0, len(flat), size)) if size > 1 and len(flat) else flat
    return np.repeat(blocks, size)[: len(flat)].reshape(rows.shape)


def _reach(wide: Array, channels: int, largest: int) -> Array:
    """Return the scale at which the largest weight is representable; 1 for rows of zeros, which are exact in any."""
    scales = over_blocks(np.abs(wide).max(axis=2, initial=0.0), channels, np.maximum) / largest
    return np.where(scales >= np.finfo(np.float32).tiny, scales, 1.0)


def _nearest(wide: Array, scales: Array, largest: int) -> Array:
    return np.clip(np.rint(wide / scales[..., None]), -largest, largest)


def round_adaptively(matrix: Array, columns: Array, quantised: Array, start: QuantizedWeights) -> QuantizedWeights:
    """
    Round each weight up or down so that the product changes least, by coordinate descent (as AdaRound minimises it).

    `columns` [groups, K, M] are operands in floats, `quantised` the same after quantisation. Minimises
    `|W x - W' x'|^2` over the integers next to the weights, one column of the weights at a time for all rows.
    """
    groups = [
        _descend(
            matrix[g].astype(np.float64),
            columns[g],
            quantised[g],
            QuantizedWeights(start.integers[g], start.scales[g], start.largest),
        )
        for g in range(matrix.shape[0])
    ]
    return QuantizedWeights(np.stack(groups), start.scales, start.largest)


def _descend(matrix: Array, columns: Array, quantised: Array, start: QuantizedWeights) -> Array:
    """Return the integers of the rows of one group that change its product least."""
    x, y = columns.astype(np.float64), quantised.astype(np.float64)
    gram, cross = y @ y.T, x @ y.T
    damping = _DAMPING * np.trace(gram) / max(1, len(gram))
    diagonal = np.arange(len(gram))
    gram[diagonal, diagonal] += damping
    cross[diagonal, diagonal] += damping
    scaled = matrix / start.scales[:, None].astype(np.float64)
    low = np.clip(np.floor(scaled), -start.largest, start.largest)
    high = np.clip(np.ceil(scaled), -start.largest, start.largest)
    integers = start.integers.copy()
    # The gradient of half the squared error, in units of the scales.
    gradient = integers @ gram - scaled @ cross
    for _ in range(_SWEEPS):
        changed = False
        for k in np.flatnonzero(diagonal >= 0):
            step = np.where(integers[:, k] == low[:, k], high[:, k], low[:, k]) - integers[:, k]
            gain = step * gradient[:, k] + 0.5 * step**2 * gram[k, k]
            step = np.where(gain < 0, step, 0)
            if not step.any():
                continue
            integers[:, k] += step
            gradient += step[:, None] * gram[k]
            changed = True
        if not changed:
            break
    return integers


def corrected_bias(matrix: Array, columns: Array, quantised: Array, weights: QuantizedWeights) -> Array:
    """Return the summand of the bias [groups * rows] that keeps the mean of the product over the columns."""
    wanted = np.matmul(matrix.astype(np.float64), columns.mean(axis=2, dtype=np.float64)[..., None])
    product = np.matmul(weights.real, quantised.mean(axis=2, dtype=np.float64)[..., None])
    return (wanted - product).reshape(-1)
