"""
Arithmetic of paged attention in float32, in the order that docs/paged.md fixes.

Each operation rounds; NumPy fuses none. Vectorised over tokens, pages and heads, which does not change any value.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .config import Element

Floats: TypeAlias = "NDArray[np.float32]"
Stored: TypeAlias = "NDArray[Any]"
"""Elements as stored: float32, or uint16 with the bits of a bfloat16."""

_LARGEST_BF16 = np.float32(3.3895314e38)
_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
"""Coefficients of Cephes' expf, of degree 5 first."""


# Elements


def stored(values: Floats, element: Element) -> Stored:
    """Round floats to the element type, to nearest, ties to even."""
    if element is Element.F32:
        return values.astype("<f4", copy=False)
    bits = values.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) >> 16).astype("<u2")


def widened(elements: Stored, element: Element) -> Floats:
    """Return stored elements as float32, which is exact."""
    if element is Element.F32:
        return elements.astype(np.float32, copy=False)
    bits = elements.astype(np.uint32) << np.uint32(16)
    return bits.view(np.float32)


def is_storable(values: Floats, element: Element, digest: Element | None = None) -> bool:
    """Return whether all floats are finite as elements and, where `digest` is given, as digests too."""
    if not np.isfinite(values).all():
        return False
    if element is Element.BF16 and not np.isfinite(widened(stored(values, element), element)).all():
        return False
    return element is digest or digest is not Element.BF16 or bool((np.abs(values) <= _LARGEST_BF16).all())


def digests(keys: Floats, digest: Element) -> Stored:
    """
    Compute the digests of full pages: keys [..][P][D] as stored and widened; returns [..][2][D], maximum and minimum.

    In a narrower type the maximum is rounded up and the minimum down, so that they bound the keys. Of zeros of both
    signs the first token's stays.
    """
    most = np.take_along_axis(keys, keys.argmax(-2)[..., None, :], -2)
    least = np.take_along_axis(keys, keys.argmin(-2)[..., None, :], -2)
    if digest is Element.F32:
        return np.concatenate([most, least], axis=-2).astype("<f4", copy=False)
    return np.concatenate([_away_from_zero(most, most > 0), _away_from_zero(least, least < 0)], axis=-2)


def _away_from_zero(values: Floats, mask: NDArray[np.bool_]) -> Stored:
    """Round floats to bfloat16, away from zero where `mask` holds, else towards zero."""
    bits = values.view(np.uint32)
    return ((bits >> 16) + (mask & (bits & 0xFFFF != 0))).astype("<u2")


# Sums


def lane_sum(products: Floats) -> Floats:
    """Add the last axis, a multiple of 8 long: 8 lanes of every eighth term, in order, then the lanes as a tree."""
    terms = products.reshape(*products.shape[:-1], products.shape[-1] // 8, 8)
    lanes = terms[..., 0, :]
    for place in range(1, terms.shape[-2]):
        lanes = lanes + terms[..., place, :]
    quads = lanes[..., :4] + lanes[..., 4:]
    pairs = quads[..., :2] + quads[..., 2:]
    return np.add(pairs[..., 0], pairs[..., 1])


def dot(a: Floats, b: Floats) -> Floats:
    """Compute dot products over the last axis of two arrays that broadcast."""
    return lane_sum(a * b)


def page_scores(queries: Floats, bounds: Floats) -> Floats:
    """
    Bound q k over the keys of pages from above, by their digests.

    queries [heads][D], bounds [pages][2][D]: maximum and minimum; returns [heads][pages].
    """
    most, least = queries[:, None] * bounds[None, :, 0], queries[:, None] * bounds[None, :, 1]
    return lane_sum(np.where(least > most, least, most))


def exp(x: Floats) -> Floats:
    """Compute e^x of x <= 0 by a polynomial; 0 below -87."""
    is_zero = x < np.float32(-87)
    x = np.where(is_zero, np.float32(0), x)
    n = np.rint(x * np.float32(1.44269502))
    r = (x - n * np.float32(0.693359375)) - n * np.float32(-2.12194440e-4)
    p = np.full_like(r, _EXP[0])
    for coefficient in _EXP[1:]:
        p = p * r + np.float32(coefficient)
    y = ((p * (r * r)) + r) + np.float32(1)
    return np.where(is_zero, np.float32(0), np.ldexp(y, n.astype(np.int32)))


# Attention


def softmax_terms(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute m, e and z of a softmax over the last axis: maximum [..], e^(s - m) [..][T], their sum [..]."""
    most = scores.max(-1)
    terms = exp(scores - most[..., None])
    return most, terms, lane_sum(_padded(terms))


def _padded(terms: Floats) -> Floats:
    missing = -terms.shape[-1] % 8
    return np.concatenate([terms, np.zeros((*terms.shape[:-1], missing), np.float32)], axis=-1)


def weighted_sum(terms: Floats, values: Floats) -> Floats:
    """Compute sum over t of e[t] v[t][d], in order of t: terms [heads][T], values [T][D]; returns [heads][D]."""
    # NumPy adds along the first axis row by row, pairwise only along the last (numpy.sum, Notes).
    rows = np.ascontiguousarray(terms.T)[..., None] * values[:, None]
    return np.add.reduce(rows, axis=0) + np.float32(0)


def attention(queries: Floats, keys: Floats, values: Floats, scale: float) -> Floats:
    """
    Compute softmax(q k scale) v over tokens in ascending order: queries [heads][D], keys and values [T][D].

    Returns [heads][D]; infinities and NaN where a score overflows.
    """
    scores = dot(queries[:, None], keys[None]) * np.float32(scale)
    _, terms, total = softmax_terms(scores)
    return weighted_sum(terms, values) / total[:, None]
