"""Selection of pages: bounds of scores, reductions, forced blocks, and the bound of the mass that is missed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.runtime.paged.arithmetic import attention, digests, dot, page_scores, softmax_terms, stored, widened
from tilewright.runtime.paged.config import Element, HeadReduction
from tilewright.runtime.paged.selection import missed_mass, reduced, selected
from tilewright.test.runtime.paged.pools import Floats, config, normal

pytestmark = pytest.mark.quick

SEEDS = st.integers(0, 2**32 - 1)


def pages(seed: int, blocks: int, page_length: int, element: Element, digest: Element) -> tuple[Floats, Floats, Floats]:
    """Return queries [2][16], stored keys [blocks][P][16] and their digests [blocks][2][16]."""
    rng = np.random.default_rng(seed)
    keys = widened(stored(normal(rng, blocks, page_length, 16) + normal(rng, blocks, 1, 16), element), element)
    return normal(rng, 2, 16), keys, widened(digests(keys, digest), digest)


@given(SEEDS, st.integers(1, 12), st.integers(1, 8), st.sampled_from(Element), st.sampled_from(Element))
def test_scores_bound_all_products_of_a_page(
    seed: int, blocks: int, page_length: int, element: Element, digest: Element
):
    queries, keys, bounds = pages(seed, blocks, page_length, element, digest)
    scores = page_scores(queries, bounds)
    assert (scores[..., None] >= dot(queries[:, None, None], keys[None])).all()


@given(SEEDS, st.integers(1, 12))
def test_pages_of_one_token_have_its_product_as_score(seed: int, blocks: int):
    queries, keys, bounds = pages(seed, blocks, 1, Element.F32, Element.F32)
    scores = page_scores(queries, bounds)
    assert (scores == dot(queries[:, None], keys[None, :, 0])).all()
    budget = config(heads=2, kv_heads=2, page_length=1, budget_pages=1 + blocks // 2)
    best = np.argsort(-scores[0], kind="stable")[: blocks // 2]
    assert set(selected(budget, scores[:1])) == set(best)


@given(SEEDS, st.integers(1, 20))
def test_the_greatest_product_is_in_a_page_of_a_score_above_it(seed: int, blocks: int):
    queries, keys, bounds = pages(seed, blocks, 4, Element.BF16, Element.BF16)
    products, scores = dot(queries[:, None, None], keys[None]), page_scores(queries, bounds)
    for head in range(2):
        best, scanned = -np.inf, 0
        for block in np.argsort(-scores[head]):
            if scores[head][block] <= best:
                break
            best, scanned = max(best, products[head][block].max()), scanned + 1
        assert best == products[head].max()
        assert 0 < scanned <= blocks


@given(SEEDS, st.integers(2, 16), st.sampled_from(HeadReduction))
def test_selections_grow_with_the_budget(seed: int, blocks: int, reduce: HeadReduction):
    queries, _, bounds = pages(seed, blocks, 4, Element.F32, Element.F32)
    scores = np.round(page_scores(queries, bounds) / np.float32(4))  # with ties
    last: set[int] = set()
    for budget in range(3, blocks + 3):
        blocks_of = selected(config(heads=4, budget_pages=budget, sinks=1, recent=1, reduce=reduce), scores)
        assert last <= set(blocks_of.tolist())
        assert {0, blocks - 1} <= set(blocks_of.tolist())
        assert blocks_of.tolist() == sorted(set(blocks_of.tolist()))
        if reduce is not HeadReduction.UNION:
            assert len(blocks_of) == min(budget - 1, blocks)
        last = set(blocks_of.tolist())
    assert last == set(range(blocks))


def test_the_lower_of_equal_blocks_is_selected():
    assert selected(config(budget_pages=3), np.zeros((2, 6), np.float32)).tolist() == [0, 1]
    scores = np.array([[0, 1, 1, -0.0, 1]], np.float32)
    assert selected(config(budget_pages=3), scores).tolist() == [1, 2]


@given(SEEDS, st.integers(1, 20))
def test_reductions(seed: int, blocks: int):
    scores, scale = normal(np.random.default_rng(seed), 3, blocks) * 8, 0.25
    mass = np.exp(scores.astype(np.float64) * scale)
    expected = (mass / mass.sum(-1, keepdims=True)).sum(0)
    assert np.abs(reduced(scores, scale, HeadReduction.SOFTMAX_SUM)[0] - expected).max() < 1e-6
    assert (reduced(scores, scale, HeadReduction.MAX) == scores.max(0)).all()
    assert (reduced(scores, scale, HeadReduction.SUM) == (scores[0] + scores[1]) + scores[2]).all()
    assert (reduced(scores, scale, HeadReduction.UNION) == scores).all()


def test_union_selects_for_each_head():
    scores = np.array([[9, 0, 1, 0, 0], [0, 0, 1, 0, 9]], np.float32)
    assert selected(config(budget_pages=3, reduce=HeadReduction.UNION), scores).tolist() == [0, 2, 4]
    assert selected(config(budget_pages=2, reduce=HeadReduction.MAX), scores).tolist() == [0]


@given(SEEDS, st.integers(2, 16), st.integers(1, 6), st.floats(0.1, 8))
def test_the_missed_mass_is_bounded(seed: int, blocks: int, budget: int, spread: float):
    queries, keys, bounds = pages(seed, blocks, 4, Element.F32, Element.F32)
    queries = (queries * np.float32(spread)).astype(np.float32)
    values = normal(np.random.default_rng(seed + 1), blocks * 4, 16)
    scale = 0.25
    scores = page_scores(queries, bounds)
    chosen = selected(config(budget_pages=budget, scale=scale), scores)
    others = np.setdiff1d(np.arange(blocks), chosen)
    kept = keys[chosen].reshape(-1, 16)
    if not len(kept):
        return
    most, _, total = softmax_terms(dot(queries[:, None], kept[None]) * np.float32(scale))
    bound = missed_mass(scores[:, others] * np.float32(scale), most, total, 4)
    products = np.exp((queries.astype(np.float64) @ keys.reshape(-1, 16).T) * scale)
    shares = products.reshape(2, blocks, 4).sum(-1) / products.sum(-1, keepdims=True)
    assert shares[:, others].sum(-1).max() <= bound * (1 + 1e-5)
    assert 0 <= bound <= 1
    full = attention(queries, keys.reshape(-1, 16), values, scale)
    partial = attention(queries, kept, values.reshape(blocks, 4, 16)[chosen].reshape(-1, 16), scale)
    assert np.abs(full - partial).max() <= 2 * bound * np.abs(values).max() + 1e-5


@given(SEEDS, st.integers(2, 12), st.integers(1, 5))
def test_the_bound_is_exact_where_the_keys_of_a_page_are_equal(seed: int, blocks: int, page_length: int):
    rng = np.random.default_rng(seed)
    queries, keys = normal(rng, 2, 16), normal(rng, blocks, 1, 16)
    scores = page_scores(queries, digests(keys, Element.F32)) * np.float32(0.25)
    most, _, total = softmax_terms(np.repeat(scores[:, :1], page_length, axis=1))
    mass = np.exp(scores.astype(np.float64))
    expected = (mass[:, 1:].sum(-1) / mass.sum(-1)).max()
    assert abs(missed_mass(scores[:, 1:], most, total, page_length) - expected) < 1e-6
