"""Ranges of quantised tensors from statistics: min/max, percentile, least squared error, least relative entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...ir import Array

_HALF = 2048
"""Bins on each side of zero."""
_CANDIDATES = 100


def _no_counts() -> Array:
    return np.zeros(2 * _HALF, np.int64)


@dataclass
class Statistics:
    """
    Histogram of a tensor's values over `[-reach, reach]`, zeros left out; `reach` doubles as values exceed it.

    `low` and `high` are the least and the greatest value, 0 among them.
    """

    low: float = 0.0
    high: float = 0.0
    reach: float = 0.0
    counts: Array = field(default_factory=_no_counts)

    def add(self, array: Array) -> None:
        """Count the values of an array of finite floats."""
        values = array.reshape(-1)
        values = values[values != 0]
        if not values.size:
            return
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        self._extend(max(-self.low, self.high))
        bins = np.floor(values * np.float64(_HALF / self.reach)).astype(np.int64) + _HALF
        self.counts += np.bincount(np.clip(bins, 0, 2 * _HALF - 1), minlength=2 * _HALF)

    def _extend(self, needed: float) -> None:
        self.reach = self.reach or needed
        while self.reach < needed:
            self.reach *= 2
            pairs = self.counts.reshape(_HALF, 2).sum(axis=1)
            self.counts = np.concatenate((_zeros(), pairs, _zeros()))

    @property
    def centres(self) -> Array:
        """The middle of each bin."""
        return (np.arange(2 * _HALF) + 0.5 - _HALF) * (self.reach / _HALF)

    @property
    def magnitudes(self) -> Array:
        """The counts [_HALF] of absolute values."""
        return self.counts[_HALF:] + self.counts[:_HALF][::-1]


def _zeros() -> Array:
    return np.zeros(_HALF // 2, np.int64)


Range = tuple[float, float]
"""The least and the greatest number that a quantised tensor represents; 0 lies between them."""

Method = Callable[[Statistics, int, bool], Range]
"""Returns a range for a number of steps between its ends, symmetric or not."""


def _min_max(statistics: Statistics, steps: int, symmetric: bool) -> Range:
    return _ends(statistics, max(-statistics.low, statistics.high), symmetric)


def _ends(statistics: Statistics, threshold: float, symmetric: bool) -> Range:
    """Return the range up to a threshold: of the values met where it need not be symmetric."""
    if symmetric:
        return -threshold, threshold
    return max(statistics.low, -threshold), min(statistics.high, threshold)


def _percentile(percent: float) -> Method:
    """Return the method whose range holds a share of the magnitudes."""

    def method(statistics: Statistics, steps: int, symmetric: bool) -> Range:
        total: Array = np.cumsum(statistics.magnitudes)
        place = int((total < total[-1] * percent / 100).sum())
        threshold = (place + 1) * statistics.reach / _HALF
        return _ends(statistics, min(threshold, max(-statistics.low, statistics.high)), symmetric)

    return method


def _squared_error(statistics: Statistics, steps: int, symmetric: bool) -> Range:
    """Return the range with the least squared error: rounding inside, `step^2 / 12` per value, clipping outside."""
    full = _min_max(statistics, steps, symmetric)
    if symmetric:
        return min(
            (_scaled(full, share, share) for share in _shares()),
            key=lambda candidate: _error(statistics, candidate, steps),
        )
    best = full
    for _ in range(2):
        lows = [(full[0] * share, best[1]) for share in _shares()]
        best = min(lows, key=lambda candidate: _error(statistics, candidate, steps))
        highs = [(best[0], full[1] * share) for share in _shares()]
        best = min(highs, key=lambda candidate: _error(statistics, candidate, steps))
    return best


def _shares() -> Array:
    return np.linspace(1.0, 0.1, _CANDIDATES)


def _scaled(full: Range, low: float, high: float) -> Range:
    return full[0] * low, full[1] * high


def _error(statistics: Statistics, range_: Range, steps: int) -> float:
    low, high = range_
    step = (high - low) / steps
    if step <= 0:
        return float("inf")
    outside = np.maximum(np.maximum(low - statistics.centres, statistics.centres - high), 0)
    return float((statistics.counts * np.where(outside > 0, outside**2, step**2 / 12)).sum())


def _relative_entropy(statistics: Statistics, steps: int, symmetric: bool) -> Range:
    """Return the threshold at which the quantised distribution of magnitudes diverges least from the measured one."""
    magnitudes, levels = statistics.magnitudes.astype(np.float64), (steps + 1) // 2
    used = _HALF - int(np.argmax(magnitudes[::-1] > 0))
    ends = np.unique(np.linspace(min(levels, used), used, _CANDIDATES).astype(int))
    best = min((int(end) for end in ends), key=lambda end: _divergence(magnitudes, end, levels))
    threshold = best * statistics.reach / _HALF
    return _ends(statistics, min(threshold, max(-statistics.low, statistics.high)), symmetric)


def _divergence(magnitudes: Array, end: int, levels: int) -> float:
    """Return the Kullback-Leibler divergence of magnitudes clipped at a bin from those at `levels` levels."""
    reference = magnitudes[:end].copy()
    reference[-1] += magnitudes[end:].sum()
    level = np.arange(end) * levels // end
    filled = magnitudes[:end] > 0
    sums = np.bincount(level, magnitudes[:end], levels)
    places = np.maximum(np.bincount(level, filled, levels), 1)
    quantised = np.where(filled, (sums / places)[level], 0)
    p, q = reference / reference.sum(), quantised / max(quantised.sum(), 1)
    at = p > 0
    return float((p[at] * np.log(p[at] / np.maximum(q[at], 1e-9))).sum())


METHODS: dict[str, Method] = {
    "minmax": _min_max,
    "percentile": _percentile(99.99),
    "wide-percentile": _percentile(99.999),
    "mse": _squared_error,
    "entropy": _relative_entropy,
}
"""Name -> method."""
