"""Pools in C against the definitions of docs/paged.md, term by term: attention, selection, bounds, and the tail."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.runtime.paged.config import Element, Eviction, HeadReduction, PoolConfig
from tilewright.runtime.paged.native import NativePool, working_set
from tilewright.test.runtime.paged.oracle import Floats, Sequence, attention, page_score, stored
from tilewright.test.runtime.paged.oracle import bounds_of as digest_of

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def configurations(draw: st.DrawFn, **changes: Any) -> PoolConfig:
    """Draw a small configuration with memory for all."""
    page, kv_heads = draw(st.integers(1, 32)), draw(st.integers(1, 2))
    sinks, recent = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    fields: dict[str, Any] = {
        "layers": draw(st.integers(1, 2)),
        "kv_heads": kv_heads,
        "heads": kv_heads * draw(st.integers(1, 9)),
        "head_dim": 8 * draw(st.integers(1, 8)),
        "page_length": page,
        "capacity": page * 40,
        "memory": 1 << 30,
        "scale": draw(st.sampled_from([0.125, 0.3, 2.0])),
        "element": draw(st.sampled_from(Element)),
        "digest": draw(st.sampled_from(Element)),
        "budget_pages": draw(st.sampled_from([0, *range(sinks + recent + 1, sinks + recent + 5)])),
        "sinks": sinks,
        "recent": recent,
        "skip_layers": draw(st.integers(0, 1)),
        "reduce": draw(st.sampled_from(HeadReduction)),
        "eviction": draw(st.sampled_from(Eviction)),
        "sparse_prefill": draw(st.booleans()),
        "max_sequences": 3,
        "threads": draw(st.sampled_from([0, 2])),
        "certificate": draw(st.booleans()),
    }
    return PoolConfig(**{**fields, **changes})


def least(config: PoolConfig, frames: int = 0) -> PoolConfig:
    """Give a configuration the least memory and some frames."""
    return replace(config, memory=working_set(config) + frames * (config.slot + 64))


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.standard_normal(shape, np.float32)


def step(pool: NativePool, sequence: int, model: Sequence, count: int, rng: np.random.Generator) -> list[Floats]:
    """Add random tokens to a sequence and its model; returns the results of each layer [count][heads][D]."""
    config = pool.config
    keys, values = (normal(rng, config.layers, count, config.kv_heads, config.head_dim) for _ in range(2))
    model.add(keys, values)
    pool.begin(sequence, np.arange(count))
    results: list[Floats] = []
    for layer in range(config.layers):
        pool.append(layer, keys[layer], values[layer])
        queries = normal(rng, count, config.heads, config.head_dim)
        results.append(pool.attend(layer, queries))
        for token in {0, count - 1, int(rng.integers(count))}:
            position = model.length - count + token
            expected = model.attend(layer, position, queries[token], count > 1)
            assert results[-1][token].tobytes() == expected.tobytes(), (config, layer, position)
    pool.commit()
    return results


def grown(pool: NativePool, rng: np.random.Generator, blocks: int) -> tuple[int, Sequence]:
    """Create a sequence and its model of some blocks, at random steps, each of which fills a block at most."""
    sequence, model = pool.create(), Sequence(pool.config)
    page = pool.config.page_length
    while model.length < blocks * page:
        step(pool, sequence, model, min(blocks * page - model.length, int(rng.choice([1, 2, 7, 80])), page), rng)
    return sequence, model


@settings(max_examples=40)
@given(configurations(), SEEDS, st.integers(0, 3))
def test_attention_is_that_of_the_page(config: PoolConfig, seed: int, frames: int) -> None:
    """All shapes, types, reductions and policies; least memory on a folder; truncation into full blocks and forks."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder, NativePool(least(config, frames), folder) as pool:
        sequence, model = grown(pool, rng, 4)
        fork, forked = pool.fork(sequence), Sequence(config)
        forked.keys, forked.values = model.keys, model.values
        for number, kept in ((sequence, model), (fork, forked)):
            length = int(rng.integers(kept.length + 1))
            pool.truncate(number, length)
            kept.truncate(length)
            for _ in range(3):
                step(pool, number, kept, int(rng.choice([1, 1, config.page_length])), rng)
        assert pool.get_stats().memory == working_set(config) + min(
            frames, config.pages * config.rows - config.least_frames
        ) * (config.slot + 64)


@settings(max_examples=20)
@given(configurations(budget_pages=0, layers=1, skip_layers=0, sinks=0, recent=0), SEEDS)
def test_selection_is_that_of_the_page(config: PoolConfig, seed: int) -> None:
    """Scores bound each product of a page exactly, and select the blocks of the definition at every budget."""
    rng = np.random.default_rng(seed)
    with NativePool(config) as pool:
        sequence, model = grown(pool, rng, 6)
        queries = normal(rng, config.heads, config.head_dim)
        own = (model.length - 1) // config.page_length
        blocks, scores = pool.select(sequence, 0, queries)
        assert [row.tolist() for row in blocks] == [[*range(own + 1)]] * config.kv_heads
        for head, query in enumerate(queries):
            keys = model.keys[0, : own * config.page_length, head // config.group]
            pages = keys.reshape(own, config.page_length, config.head_dim)
            products = [[page_score(query, (key, key)) for key in page] for page in pages]
            expected = [page_score(query, digest_of(page, config.digest)) for page in pages]
            assert scores[head].tobytes() == np.array(expected, np.float32).tobytes()
            assert (scores[head] >= np.max(products, 1)).all()
            if config.page_length == 1 and (config.digest, config.element) != (Element.BF16, Element.F32):
                assert scores[head].tobytes() == np.array(products, np.float32).tobytes()


@settings(max_examples=10)
@given(configurations(budget_pages=0, layers=1, sinks=0, recent=0, skip_layers=0, sparse_prefill=False), SEEDS)
def test_selections_grow_with_the_budget(config: PoolConfig, seed: int) -> None:
    """At each budget the blocks are those of the definition, and those of a smaller one are among them."""
    earlier: list[set[int]] = [set()] * config.kv_heads
    for budget in range(1, 8):
        rng = np.random.default_rng(seed)
        with NativePool(replace(config, budget_pages=budget)) as pool:
            sequence, model = grown(pool, rng, 6)
            queries = normal(rng, config.heads, config.head_dim)
            chosen = [row.tolist() for row in pool.select(sequence, 0, queries)[0]]
            for head, group in enumerate(np.split(queries, config.kv_heads)):
                assert chosen[head] == model.blocks(0, model.length - 1, head, group, False)
            if config.reduce is not HeadReduction.UNION:
                assert [len(row) for row in chosen] == [min(budget, 6)] * config.kv_heads
            assert all(old <= set(row) for old, row in zip(earlier, chosen, strict=True))
            earlier = [set(row) for row in chosen]


@settings(max_examples=10)
@given(configurations(budget_pages=0, layers=1), SEEDS)
def test_the_greatest_product_is_found_by_descending_scores(config: PoolConfig, seed: int) -> None:
    """Pages are read until no score is above the best product: it is that of all tokens."""
    rng = np.random.default_rng(seed)
    with NativePool(config) as pool:
        sequence, model = grown(pool, rng, 6)
        queries = normal(rng, config.heads, config.head_dim)
        scores = pool.select(sequence, 0, queries)[1]
        for head, query in enumerate(queries):
            keys = model.keys[0, : scores.shape[1] * config.page_length, head // config.group]
            products = np.array([page_score(query, (key, key)) for key in keys]).reshape(scores.shape[1], -1)
            best = -np.inf
            for block in np.argsort(-scores[head]):
                if scores[head, block] <= best:
                    break
                best = max(best, products[block].max())
            assert best == products.max()


@settings(max_examples=20)
@given(
    configurations(layers=1, skip_layers=0, reduce=HeadReduction.SOFTMAX_SUM, certificate=True, kv_heads=1, scale=0.5),
    SEEDS,
    st.sampled_from([0.1, 1.0, 4.0]),
)
def test_the_missed_mass_bounds_the_error(config: PoolConfig, seed: int, spread: float) -> None:
    """The mass outside of the selected pages is below the bound, and the result that far from that of all tokens."""
    config = replace(config, budget_pages=config.sinks + config.recent + 2, heads=1)
    rng = np.random.default_rng(seed)
    with NativePool(config) as pool:
        sequence, model = grown(pool, rng, 6)
        query = normal(rng, 1, 1, config.head_dim) * np.float32(spread)
        pool.begin(sequence, [0])
        pair = normal(rng, 2, 1, 1, config.head_dim)
        pool.append(0, *pair)
        model.add(pair[:1], pair[1:])
        result = pool.attend(0, query)[0, 0].astype(float)
        bound = pool.get_stats().missed_mass
        blocks = model.blocks(0, model.length - 1, 0, query[0], False)
    keys, values = model.keys[0, :, 0].astype(float), model.values[0, :, 0].astype(float)
    scores = keys @ query[0, 0].astype(float) * config.scale
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    is_missed = ~np.isin(np.arange(model.length) // config.page_length, blocks)
    assert weights[is_missed].sum() <= bound * (1 + 1e-4)
    difference = np.abs(result - weights @ values).max()
    assert difference <= 2 * bound * np.abs(values).max() + 1e-5
    assert (bound > 0) == bool(is_missed.any())


@settings(max_examples=15)
@given(configurations(capacity=160, page_length=8), SEEDS, st.integers(0, 60), st.integers(1, 40), st.integers(0, 60))
def test_truncation_forgets(config: PoolConfig, seed: int, first: int, extra: int, last: int) -> None:
    """Tokens that are truncated leave no trace: the state is that of a run without them, whatever is resident."""
    hashes: list[int] = []
    tight = least(config, config.pages * (max(first, extra, last) // config.page_length + 1))
    with tempfile.TemporaryDirectory() as folder:
        for path, added in ((folder, extra), (None, 0)):
            rng = np.random.default_rng(seed)
            with NativePool(config if path is None else tight, path) as pool:
                sequence, model = pool.create(), Sequence(config)
                if first:
                    step(pool, sequence, model, first, rng)
                if added:
                    other = np.random.default_rng(1)
                    step(pool, sequence, model, added, other)
                    pool.truncate(sequence, first)
                    model.truncate(first)
                if last:
                    step(pool, sequence, model, last, rng)
                hashes.append(pool.hash(sequence))
    assert hashes[0] == hashes[1]


@settings(max_examples=10)
@given(configurations(), SEEDS)
def test_a_fork_or_step_that_is_dropped_leaves_no_trace(config: PoolConfig, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with NativePool(config) as pool:
        sequence, model = grown(pool, rng, 3)
        content, rows = pool.hash(sequence), pool.get_stats().rows
        fork, forked = pool.fork(sequence), Sequence(config)
        forked.keys, forked.values = model.keys, model.values
        step(pool, fork, forked, 2 * config.page_length + 1, rng)
        assert pool.hash(fork) != content
        pool.drop(fork)
        pool.begin(sequence, np.zeros(config.page_length, int))
        tokens = normal(rng, 2, config.page_length, config.kv_heads, config.head_dim)
        for layer in range(config.layers):
            pool.append(layer, *tokens)
        pool.rollback()
        assert (pool.hash(sequence), pool.get_stats().rows) == (content, rows)
        assert pool.tokens(sequence, 0, model.length).shape == (model.length,)
        step(pool, sequence, model, 1, rng)


@pytest.mark.parametrize("element", Element)
def test_attention_is_softmax(element: Element) -> None:
    """The definition itself, beside NumPy in double precision."""
    rng = np.random.default_rng(3)
    query, keys, values = normal(rng, 64), stored(normal(rng, 300, 64), element), normal(rng, 300, 64)
    scores = keys.astype(float) @ query.astype(float) * 0.125
    weights = np.exp(scores - scores.max())
    exact = weights @ values.astype(float) / weights.sum()
    assert np.abs(attention(query, keys, values, 0.125) - exact).max() < 1e-6
