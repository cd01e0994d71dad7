"""Arithmetic of the paged store: order of sums, exp, rounding of elements and digests."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.runtime.paged.arithmetic import (
    attention,
    digests,
    dot,
    exp,
    is_storable,
    lane_sum,
    stored,
    weighted_sum,
    widened,
)
from tilewright.runtime.paged.config import Element
from tilewright.test.runtime.paged.pools import normal

pytestmark = pytest.mark.quick

SEEDS = st.integers(0, 2**32 - 1)


def scalar_sum(products: np.ndarray[tuple[int], np.dtype[np.float32]]) -> np.float32:
    """Add in the order of docs/paged.md, a term at a time."""
    lanes = [products[lane] for lane in range(8)]
    for place in range(8, len(products)):
        lanes[place % 8] = np.float32(lanes[place % 8] + products[place])
    a = [np.float32(lanes[lane] + lanes[lane + 4]) for lane in range(4)]
    return np.float32(np.float32(a[0] + a[2]) + np.float32(a[1] + a[3]))


@given(SEEDS, st.integers(1, 9), st.integers(1, 4))
def test_sums_have_eight_lanes_and_a_tree(seed: int, eights: int, rows: int):
    rng = np.random.default_rng(seed)
    terms = np.ldexp(normal(rng, rows, 8 * eights), rng.integers(-20, 20, (rows, 8 * eights), dtype=np.int32))
    assert lane_sum(terms).tolist() == [scalar_sum(row) for row in terms]


@given(SEEDS, st.integers(1, 5), st.integers(1, 40) | st.just(1500))
def test_values_are_added_in_order_of_tokens(seed: int, heads: int, tokens: int):
    rng = np.random.default_rng(seed)
    terms, values = abs(normal(rng, heads, tokens)), normal(rng, tokens, 8)
    expected = np.zeros((heads, 8), np.float32)
    for token in range(tokens):
        expected = expected + terms[:, token, None] * values[token]
    assert weighted_sum(terms, values).tobytes() == expected.tobytes()


def test_a_sum_of_negative_zeros_is_positive():
    result = weighted_sum(np.ones((1, 2), np.float32), np.full((2, 8), -0.0, np.float32))
    assert not np.signbit(result).any()


def test_exp():
    x = -np.concatenate([np.linspace(0, 87, 200_001), np.geomspace(1e-30, 87, 10_001)]).astype(np.float32)
    exact = np.exp(x.astype(np.float64))
    assert np.max(np.abs(exp(x) - exact) / exact) < 1.2e-7
    assert exp(np.array([0, -0.0, -87.00001, -1e30, -np.inf], np.float32)).tolist() == [1, 1, 0, 0, 0]


@given(SEEDS)
def test_elements_are_rounded_to_nearest_even(seed: int):
    bits = np.random.default_rng(seed).integers(0, 2**32, 512, dtype=np.uint32)
    bits[::7] = (bits[::7] & 0xFFFF0000) | 0x8000  # ties
    floats = bits.view(np.float32)
    floats = floats[np.isfinite(floats)]
    expected = floats.astype(ml_dtypes.bfloat16)
    assert stored(floats, Element.BF16).tobytes() == expected.tobytes()
    assert widened(stored(floats, Element.BF16), Element.BF16).tobytes() == expected.astype(np.float32).tobytes()
    assert is_storable(floats, Element.BF16) == bool(np.isfinite(expected.astype(np.float32)).all())


@given(SEEDS, st.sampled_from(Element), st.sampled_from(Element), st.integers(1, 9))
def test_digests_bound_keys_tightly(seed: int, element: Element, digest: Element, tokens: int):
    rng = np.random.default_rng(seed)
    keys = widened(stored(normal(rng, 3, tokens, 8), element), element)
    most, least = np.moveaxis(widened(digests(keys, digest), digest), -2, 0)
    assert (most >= keys.max(-2)).all()
    assert (least <= keys.min(-2)).all()
    if digest is Element.F32 or element is Element.BF16:
        assert (most == keys.max(-2)).all()
        assert (least == keys.min(-2)).all()
    else:
        assert (most - keys.max(-2) <= np.abs(most) / 64).all()


def test_digests_of_zeros_are_those_of_the_first_token():
    keys = np.array([[0.0] * 8, [-0.0] * 8], np.float32)
    assert not np.signbit(digests(keys, Element.F32)).any()
    assert np.signbit(digests(keys[::-1].copy(), Element.F32)).all()


def test_values_that_no_element_holds_are_refused():
    for value in (np.inf, -np.inf, np.nan):
        assert not is_storable(np.array([0, value], np.float32), Element.F32)
    large = np.array([3.3961775e38], np.float32)  # rounds to an infinity
    assert is_storable(large, Element.F32)
    assert not is_storable(large, Element.BF16)
    above = np.array([3.39e38], np.float32)  # rounds down to the largest bfloat16, but up as a digest
    assert is_storable(above, Element.BF16, Element.BF16)
    assert not is_storable(np.array([3.3896e38], np.float32), Element.F32, Element.BF16)


@given(SEEDS, st.integers(1, 30), st.sampled_from([8, 16, 24, 64]))
def test_attention_is_accurate(seed: int, tokens: int, width: int):
    rng = np.random.default_rng(seed)
    queries, keys, values = normal(rng, 3, width), normal(rng, tokens, width), normal(rng, tokens, width)
    scale = width**-0.5
    scores = queries.astype(np.float64) @ keys.T.astype(np.float64) * scale
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ values
    assert np.abs(attention(queries, keys, values, scale) - expected).max() < 2e-6
    assert np.abs(dot(queries[:, None], keys[None]) * scale - scores).max() < 1e-5
