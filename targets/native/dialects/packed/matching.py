"""Pairs of words of four weights whose sums of four products of bytes fit 16 bits, by greedy matching."""

from __future__ import annotations

import numpy as np

from .....ir import Array

LIMIT = 128
"""Most that the positive weights of a sum, or the negative ones, may add up to: 128 * 255 < 2 ** 15."""
NODES = 64
"""Words among which partners are sought: of normal weights with a deviation of 36, one in eight fits another."""
_BATCH = 256
"""Sets of words that are matched at a time, for the memory of what fits: 64 MB."""


def sums_of(words: Array) -> Array:
    """
    Return the ends of the sums of two products that words [..., 4, features] take part in, [..., 4 * features].

    They are those of the positive weights and of the negative ones, for products 0 and 1, and for 2 and 3.
    """
    halves = words.reshape(*words.shape[:-2], 2, 2, words.shape[-1])
    ends = [np.maximum(sign * halves, 0).sum(axis=-2) for sign in (1, -1)]
    return np.stack(ends, axis=-3).reshape(*words.shape[:-2], 4 * words.shape[-1]).astype(np.int16)


def partners_of(sums: Array) -> Array:
    """
    Return the number of the partner of each word in its set, -1 where it has none, for sums [sets, words, ends].

    Two words fit where their sums add up to the limit at most. The word that fits the fewest others takes, of those,
    the one that fits the fewest. Words without weights have no partner.
    """
    batches = [_matched(sums[start : start + _BATCH]) for start in range(0, len(sums), _BATCH)]
    return np.concatenate(batches) if batches else np.empty(sums.shape[:2], np.int64)


def _matched(sums: Array) -> Array:
    sets, words, _ = sums.shape
    fits: Array = np.all(sums[:, :, None] + sums[:, None] <= LIMIT, axis=-1)
    used: Array = np.any(sums, axis=2)
    fits &= ~np.eye(words, dtype=bool) & used[:, :, None] & used[:, None]
    partners: Array = np.full((sets, words), -1)
    every = np.arange(sets, dtype=np.int64)
    most = words + 1
    for _ in range(words // 2):
        degrees: Array = fits.sum(axis=2)
        one: Array = np.argmin(np.where(degrees > 0, degrees, most), axis=1)
        other: Array = np.argmin(np.where(fits[every, one], degrees, most), axis=1)
        paired: Array = np.flatnonzero(fits[every, one, other])
        if not len(paired):
            break
        one, other = one[paired], other[paired]
        partners[paired, one], partners[paired, other] = other, one
        for word in (one, other):
            fits[paired, word] = False
            fits[paired, :, word] = False
    return partners
