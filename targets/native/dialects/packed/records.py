"""
Records of packed weights as words of four, in pairs whose sums of four products of bytes fit 16 bits.

A record begins with the offset in bytes of each part of 8 features, as i32. A part holds, in i32, 8 totals of its
weights, its numbers of pairs and of single words, and the place of each word, row * 2**16 + column, those of pairs
first. Then come the weights [8, 4] of each word, in the same order: a word multiplies four bytes of x at its place by
four weights of 8 features. Sums of 16 bits are those of products 0 and 1, or 2 and 3, of both words of a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....errors import Diagnostic
from .....ir import Array
from .matching import LIMIT, NODES, partners_of, sums_of

FEATURES = 8
"""Features of a part: the sums of a vector of AVX2."""
WORD = 4
"""Bytes of x that are broadcast at a time."""
SHORT = 16
"""Rows of fewer products are read from a copy of the windows of a tile: words may reach beyond their ends."""
COPIED = 1 << 14
"""Bytes of that copy at most: half of the least first cache there is, 32 KiB."""
MOST = 1 << 15
"""Number of rows, and of columns, that places can name."""


class _Words(NamedTuple):
    """Part and place of each word, and its weights [words, 4, features], parts one after the other."""

    parts: Array
    places: Array
    weights: Array

    def taken(self, numbers: Array) -> _Words:
        """Return the words of these numbers."""
        return _Words(*(array[numbers] for array in self))


def record_of(packed: Array, run: int) -> Array:
    """
    Return the record of packed weights [F / 16, rows..., groups, 16, 4], of rows of `run` products.

    A word whose sums of two products do not fit appears twice, each with half of its weights; one without weights does
    not appear.
    """
    dense = packed.reshape(packed.shape[0], -1, packed.shape[-3], 2, FEATURES, WORD).transpose(0, 3, 1, 2, 5, 4)
    dense = dense.reshape(-1, *dense.shape[2:]).astype(np.int16)
    words = _halved(_words_of(dense, run))
    pairs, singles = _paired(words)
    totals = dense.sum(axis=(1, 2, 3), dtype=np.int64)
    bodies = [_encoded(own, words, pairs, singles, part) for part, own in enumerate(totals)]
    offsets = 4 * len(bodies) + np.cumsum([0, *map(len, bodies[:-1])])
    return np.frombuffer(offsets.astype("<i4").tobytes() + b"".join(bodies), np.int8)


def _words_of(dense: Array, run: int) -> _Words:
    """Return the words with weights, of weights [parts, rows, words, 4, features]."""
    columns = np.arange(0, WORD * dense.shape[2], WORD, dtype=np.int64)
    if run >= SHORT and run % WORD:
        # The last word ends with the row, so that it reads nothing beyond it.
        dense = dense.copy()
        dense[:, :, -1] = np.roll(dense[:, :, -1], WORD - run % WORD, axis=2)
        columns[-1] = run - WORD
    part, row, word = np.nonzero(dense.any(axis=(3, 4)))
    return _Words(part, (row << 16) + columns[word], dense[part, row, word])


def _halved(words: _Words) -> _Words:
    """Return words in which those whose own sums overflow appear twice, each with half of its weights."""
    overflows: Array = np.any(sums_of(words.weights) > LIMIT, axis=1)
    both = words.taken(np.repeat(np.arange(len(overflows)), 1 + overflows))
    (first,) = np.nonzero(overflows)
    first = first + np.arange(len(first), dtype=np.int64)
    weights = both.weights.copy()
    weights[first] //= 2
    weights[first + 1] -= weights[first]
    return both._replace(weights=weights)


def _paired(words: _Words) -> tuple[Array, Array]:
    """Return the numbers of the words of pairs, one after the other, and those of single words."""
    counts = np.bincount(words.parts, minlength=1)
    sets = -(-counts // NODES)
    inside = np.arange(len(words.parts)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = (np.repeat(np.cumsum(sets) - sets, counts) + inside // NODES, inside % NODES)
    sums = np.zeros((sets.sum(), NODES, 4 * FEATURES), np.int16)
    numbers: Array = np.full((sets.sum(), NODES), -1)
    sums[at], numbers[at] = sums_of(words.weights), np.arange(len(words.parts))
    partners = partners_of(sums)
    one = np.nonzero(partners > np.arange(NODES))
    pairs = np.stack([numbers[one], numbers[one[0], partners[one]]], axis=1)
    return pairs.ravel(), numbers[(partners < 0) & (numbers >= 0)]


def _encoded(totals: Array, words: _Words, pairs: Array, singles: Array, part: int) -> bytes:
    """Return a part in bytes, for the numbers of all words of pairs and of single ones."""
    own = [numbers[words.parts[numbers] == part] for numbers in (pairs, singles)]
    _, places, weights = words.taken(np.concatenate(own))
    head = np.concatenate([totals, [len(own[0]) // 2, len(own[1])], places]).astype("<i4")
    return head.tobytes() + weights.swapaxes(1, 2).astype(np.int8).tobytes()


PAIR_TIME, SINGLE_TIME = 1.16, 0.77
"""Time of the products of a pair and of a single word beside those of four weights of 8 features that are packed: with
AVX2 on Zen 5, 160 G and 93 G multiply-accumulates a second where all words have partners, and 8 cycles beside 12."""


def is_faster(record: Array, packed: Array) -> bool:
    """Return whether the products of a record take less time than those of the packed weights that it was made from."""
    data = np.ascontiguousarray(record).tobytes()
    offsets = _numbers(data, 0, 2 * len(packed))
    pairs, singles = np.sum([_numbers(data, int(at) + 4 * FEATURES, 2) for at in offsets], axis=0)
    return bool(PAIR_TIME * pairs + SINGLE_TIME * singles < packed.size / (FEATURES * WORD))


def weights_in(record: Array, first: int, count: int, rows: int, run: int) -> Array:
    """
    Return the weights [count, 8, rows, run] of parts of a record, from part `first` on.

    Raises Diagnostic where a sum of products does not fit 16 bits.
    """
    data = np.ascontiguousarray(record).tobytes()
    weights = np.zeros((count, rows, run + WORD, FEATURES), np.int64)
    for number in range(count):
        at = int(_numbers(data, 4 * (first + number), 1)[0])
        pairs, singles = (int(size) for size in _numbers(data, at + 4 * FEATURES, 2))
        places = _numbers(data, at + 4 * FEATURES + 8, 2 * pairs + singles)
        bytes_ = np.frombuffer(data, np.int8, len(places) * FEATURES * WORD, at + 4 * FEATURES + 8 + 4 * len(places))
        words = bytes_.reshape(-1, FEATURES, WORD).swapaxes(1, 2).astype(np.int64)
        sums = sums_of(words)
        _check_fits(np.concatenate([sums[: 2 * pairs].reshape(pairs, 2, sums.shape[1]).sum(axis=1), sums[2 * pairs :]]))
        columns = (places & 0xFFFF)[:, None] + np.arange(WORD)
        np.add.at(weights[number], ((places >> 16)[:, None], columns), words)
    return weights[:, :, :run].transpose(0, 3, 1, 2)


def _numbers(data: bytes, offset: int, count: int) -> Array:
    return np.frombuffer(data, "<i4", count, offset).astype(np.int64)


def _check_fits(sums: Array) -> None:
    if (most := int(sums.max(initial=0))) * 255 > np.iinfo(np.int16).max:
        raise Diagnostic("a sum of four products overflows 16 bits", expected="weights of 128 at most", found=str(most))
