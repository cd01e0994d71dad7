"""Steps of the paged store: results do not depend on residency, steps that fail change nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.runtime.paged.arithmetic import attention, stored, widened
from tilewright.runtime.paged.config import Element, Eviction, HeadReduction, PoolConfig
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.status import PagedError, Status
from tilewright.test.runtime.paged.pools import Floats, config, filled, normal, step

SEEDS = st.integers(0, 2**32 - 1)
POLICIES = {
    "dense": {},
    "selective": {"budget_pages": 3},
    "forced": {"budget_pages": 4, "sinks": 1, "recent": 1, "skip_layers": 1},
    "union": {"budget_pages": 2, "reduce": HeadReduction.UNION},
    "sparse prefill": {"budget_pages": 3, "sparse_prefill": True, "reduce": HeadReduction.MAX},
    "narrow": {"budget_pages": 3, "element": Element.BF16, "digest": Element.BF16, "reduce": HeadReduction.SUM},
}
CHUNKS = (3, 1, 1, 4, 1, 2, 1, 1, 4, 1, 1, 3, 1, 1, 4, 1, 1)


def refused(call: Callable[[], Any], status: Status) -> PagedError:
    with pytest.raises(PagedError) as caught:
        call()
    assert caught.value.status is status
    assert caught.value.remedy
    return caught.value


def results(pool: Pool, chunks: tuple[int, ...] = CHUNKS) -> tuple[list[Floats], int]:
    sequence = pool.create()
    return [step(pool, sequence, count, seed) for seed, count in enumerate(chunks)], pool.hash(sequence)


@pytest.mark.parametrize("element", Element, ids=lambda element: element.name)
def test_enough_budget_is_dense_attention(element: Element):
    """Budget of as many pages as there are, and attention over contiguous keys: the same bits."""
    rng, count = np.random.default_rng(5), 23
    keys, values = normal(rng, 2, count, 2, 8), normal(rng, 2, count, 2, 8)
    queries = normal(rng, 2, count, 4, 8)
    for budget in (0, 6, 7):
        pool = Pool(config(budget_pages=budget, element=element, memory=1 << 20))
        sequence, first = pool.create(), 0
        for size in (1, 4, 1, 1, 6, 10):
            pool.begin(sequence, range(size))
            part = slice(first, first + size)
            for layer in range(2):
                pool.append(layer, keys[layer, part], values[layer, part])
                attended = pool.attend(layer, queries[layer, part])
                for token, head in np.ndindex(size, 4):
                    last = first + token + 1
                    pairs = stored(np.stack([keys, values])[:, layer, :last, head // 2], element)
                    query, (k, v) = queries[layer, first + token, head][None], widened(pairs, element)
                    expected = attention(query, k, v, pool.config.scale)
                    assert attended[token, head].tobytes() == expected.tobytes()
            pool.commit()
            first += size


@pytest.mark.parametrize("name", POLICIES)
def test_residency_changes_no_bit(name: str):
    with tempfile.TemporaryDirectory() as folder:
        expected = results(Pool(config(**POLICIES[name], memory=1 << 20)))
        for eviction in Eviction:
            for frames in (0, 1, 7):
                changes = {**POLICIES[name], "eviction": eviction, "frames": frames, "threads": frames % 2}
                with Pool(config(**changes), folder) as pool:
                    attended, content = results(pool)
                    stats = pool.get_stats()
                assert content == expected[1]
                assert all(a.tobytes() == b.tobytes() for a, b in zip(attended, expected[0], strict=True))
                assert frames or (stats.misses > 0 and stats.evictions > 0)
                assert stats.memory == pool.config.working_set + frames * (pool.config.slot + 64)


def test_tokens_at_once_select_as_one_by_one():
    changes = {"budget_pages": 3, "sparse_prefill": True, "sinks": 1, "memory": 1 << 20}
    rng, count = np.random.default_rng(7), 40
    keys, values = normal(rng, count, 2, 8), normal(rng, count, 2, 8)
    queries = normal(rng, count, 4, 8)
    attended: list[Floats] = []
    for size in (1, 5, 40):
        pool = Pool(config(layers=1, **changes))
        sequence = pool.create()
        parts: list[Floats] = []
        for first in range(0, count, size):
            part = slice(first, first + size)
            pool.begin(sequence, [0] * size)
            pool.append(0, keys[part], values[part])
            parts.append(pool.attend(0, queries[part]))
            pool.commit()
        attended.append(np.concatenate(parts))
    assert attended[0].tobytes() == attended[1].tobytes() == attended[2].tobytes()


@settings(max_examples=12)
@given(SEEDS, st.integers(1, 20), st.integers(0, 20), st.integers(1, 9), st.sampled_from(Element))
def test_truncation_forgets(seed: int, first: int, second: int, third: int, element: Element):
    with tempfile.TemporaryDirectory() as folder:
        with Pool(config(element=element, capacity=4 * 12, frames=16), folder) as pool:
            sequence = pool.create()
            step(pool, sequence, first, seed)
            for count in range(second):
                step(pool, sequence, 1, seed + 2 + count)
            pool.truncate(sequence, first)
            after, content = step(pool, sequence, third, seed + 1), pool.hash(sequence)
            rows = pool.get_stats().rows
        fresh = Pool(config(element=element, capacity=4 * 12, memory=1 << 20))
        sequence = fresh.create()
        step(fresh, sequence, first, seed)
        assert step(fresh, sequence, third, seed + 1).tobytes() == after.tobytes()
        assert fresh.hash(sequence) == content
        assert rows == fresh.get_stats().rows == (first + third) // 4


def test_a_fork_that_is_dropped_leaves_no_trace():
    pool = Pool(config(budget_pages=3, memory=1 << 20))
    sequence = filled(pool, 10)
    content, stats = pool.hash(sequence), pool.get_stats()
    fork = pool.fork(sequence)
    assert pool.hash(fork) == content
    assert pool.get_stats().rows == 2
    branch = step(pool, fork, 7, 1)
    assert pool.hash(fork) != content
    assert step(pool, pool.fork(sequence), 7, 1).tobytes() == branch.tobytes()
    pool.truncate(fork, 2)
    pool.drop(fork)
    pool.drop(2)
    assert (pool.hash(sequence), pool.length(sequence)) == (content, 10)
    assert pool.get_stats().rows == stats.rows
    assert pool.get_stats().resident_pages == stats.resident_pages
    assert [pool.exists(number) for number in range(3)] == [True, False, False]


def test_a_rollback_restores_the_state():
    pool = Pool(config(memory=1 << 20))
    sequence = filled(pool, 6)
    before = pool.hash(sequence), pool.get_stats().rows, pool.get_stats().resident_pages
    for layers in range(3):
        pool.begin(sequence, [1] * 9)
        for layer in range(layers):
            pool.append(layer, np.ones((9, 2, 8), np.float32), np.ones((9, 2, 8), np.float32))
        pool.rollback()
        assert (pool.hash(sequence), pool.get_stats().rows, pool.get_stats().resident_pages) == before
    pool.rollback()
    expected = Pool(config(memory=1 << 20))
    filled(expected, 6)
    assert step(pool, sequence, 5, 9).tobytes() == step(expected, 0, 5, 9).tobytes()


def test_calls_out_of_order_are_refused_and_change_nothing():
    pool = Pool(config(memory=1 << 20))
    sequence, ones, queries = pool.create(), np.ones((1, 2, 8), np.float32), np.ones((1, 4, 8), np.float32)
    for call in (
        lambda: pool.append(0, ones, ones),
        lambda: pool.attend(0, queries),
        pool.commit,
        pool.save,
        lambda: pool.begin(3, [1]),
        lambda: pool.begin(sequence, []),
        lambda: pool.begin(sequence, [-1]),
        lambda: pool.begin(sequence, [2**32]),
        lambda: pool.truncate(sequence, 1),
        lambda: pool.pin(sequence, 0, 1),
        lambda: pool.tokens(sequence, 0, 1),
        lambda: pool.select(sequence, 0, queries[0]),
        lambda: pool.drop(1),
        lambda: pool.fork(1),
        lambda: pool.hash(1),
        lambda: pool.touched(2),
    ):
        refused(call, Status.BAD_ARGUMENT)
    pool.begin(sequence, [1])
    for call in (
        lambda: pool.append(1, ones, ones),
        lambda: pool.append(0, ones[:, :1], ones),
        lambda: pool.attend(0, queries),
        pool.commit,
        pool.create,
        lambda: pool.begin(sequence, [1]),
        lambda: pool.hash(sequence),
        lambda: pool.truncate(sequence, 0),
        lambda: pool.fork(sequence),
        pool.save,
    ):
        refused(call, Status.BAD_ARGUMENT)
    pool.append(0, ones, ones)
    refused(lambda: pool.append(0, ones, ones), Status.BAD_ARGUMENT)
    refused(lambda: pool.attend(1, queries), Status.BAD_ARGUMENT)
    assert pool.attend(0, queries).tolist() == np.ones((1, 4, 8)).tolist()
    pool.append(1, ones, ones)
    refused(lambda: pool.attend(0, queries), Status.BAD_ARGUMENT)
    pool.commit()
    assert pool.tokens(sequence, 0, 1).tolist() == [1]
    assert pool.length(sequence) == 1


def test_a_closed_pool_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        with Pool(config(), folder) as pool:
            filled(pool, 3)
            pool.begin(0, [1])
        ones = np.ones((1, 2, 8), np.float32)
        for call in (
            lambda: pool.append(0, ones, ones),
            lambda: pool.begin(0, [1]),
            lambda: pool.hash(0),
            pool.create,
            pool.save,
        ):
            refused(call, Status.BAD_ARGUMENT)
        pool.close()
        Pool(config(), folder).close()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_finite_are_refused(value: float):
    pool = Pool(config(layers=1, memory=1 << 20))
    sequence = filled(pool, 5)
    content = pool.hash(sequence)
    good, bad = np.ones((4, 2, 8), np.float32), np.ones((4, 2, 8), np.float32)
    bad[2, 1, 7] = value
    pool.begin(sequence, [1] * 4)
    refused(lambda: pool.append(0, bad, good), Status.NOT_FINITE)
    refused(lambda: pool.append(0, good, bad), Status.NOT_FINITE)
    pool.append(0, good, good)
    refused(lambda: pool.attend(0, np.concatenate([bad, bad], axis=1)), Status.NOT_FINITE)
    pool.rollback()
    assert pool.hash(sequence) == content


def test_overflows_are_refused():
    pool = Pool(config(layers=1, budget_pages=2, memory=1 << 20))
    sequence = pool.create()
    large = np.full((9, 2, 8), 1e25, np.float32)
    pool.begin(sequence, [1] * 9)
    pool.append(0, large, np.full((9, 2, 8), 3e38, np.float32))
    queries = np.full((9, 4, 8), 1e25, np.float32)
    assert "score" in refused(lambda: pool.attend(0, queries), Status.NOT_FINITE).message
    queries[:] = 1
    assert "result" in refused(lambda: pool.attend(0, queries), Status.NOT_FINITE).message
    pool.commit()
    refused(lambda: pool.select(sequence, 0, np.full((4, 8), 1e25, np.float32)), Status.NOT_FINITE)


def test_exhaustion_is_refused():
    pool = Pool(config(capacity=8, layers=1, max_sequences=2, memory=1 << 20))
    first, second = pool.create(), pool.create()
    refused(pool.create, Status.FULL)
    refused(lambda: pool.fork(first), Status.FULL)
    refused(lambda: pool.begin(first, [0] * 9), Status.FULL)
    step(pool, first, 7, 0)
    refused(lambda: pool.begin(second, [0] * 8), Status.FULL)
    step(pool, second, 7, 0)
    refused(lambda: pool.begin(first, [0]), Status.FULL)
    pool.drop(second)
    step(pool, first, 1, 0)
    assert pool.get_stats().rows == 2


def test_memory_without_a_folder_is_all_there_is():
    pool = Pool(config(frames=4))
    sequence = pool.create()
    step(pool, sequence, 11, 0)
    content = pool.hash(sequence)
    refused(lambda: pool.begin(sequence, [0]), Status.NO_SPACE)
    assert (pool.hash(sequence), pool.get_stats().resident_pages) == (content, 8)
    pool.truncate(sequence, 7)
    step(pool, sequence, 4, 0)


@pytest.mark.parametrize(("pinned", "expected"), [((0, 0), 0), ((3, 4), 2), ((3, 8), 4)])
def test_pins(pinned: tuple[int, int], expected: int):
    """Five blocks of two pages in eight frames: cyclic touches miss all but the pinned ones."""
    with tempfile.TemporaryDirectory() as folder, Pool(config(layers=1, frames=6), folder) as pool:
        sequence = filled(pool, 20)
        pool.pin(sequence, *pinned)
        step(pool, sequence, 1, 0)
        before = pool.get_stats().hits
        step(pool, sequence, 1, 1)
        assert pool.get_stats().hits - before == expected
        pool.pin(sequence, 0, 20)
        step(pool, sequence, 1, 0)
        assert "5 are pinned" in refused(lambda: pool.begin(sequence, [0]), Status.NO_SPACE).found
        pool.unpin(sequence, 0, 20)
        assert step(pool, sequence, 1, 0).tobytes() == step_without_pins().tobytes()


def step_without_pins() -> Floats:
    pool = Pool(config(layers=1, memory=1 << 20))
    sequence = filled(pool, 20)
    return [step(pool, sequence, 1, seed) for seed in (0, 1, 0, 0)][-1]


def missed(**changes: Any) -> float:
    pool = Pool(config(budget_pages=3, certificate=True, layers=1, memory=1 << 20, **changes))
    sequence = filled(pool, 30)
    step(pool, sequence, 1, 99)
    return pool.get_stats().missed_mass


def test_the_missed_mass_is_of_the_last_step():
    assert 0.5 < missed() < 1
    assert missed(skip_layers=1) == 0
    pool = Pool(config(budget_pages=3, certificate=True, layers=1, memory=1 << 20))
    step(pool, filled(pool, 30), 2, 99)  # several tokens attend to all pages
    assert pool.get_stats().missed_mass == 0


def test_select_in_the_first_block_has_no_scores():
    pool = Pool(config(budget_pages=3, memory=1 << 20))
    blocks, scores = pool.select(filled(pool, 4), 1, np.ones((4, 8), np.float32))
    assert [each.tolist() for each in blocks] == [[0], [0]]
    assert scores.shape == (4, 0)


def test_select_says_what_the_next_token_of_a_step_attends_to():
    pool = Pool(config(budget_pages=3, sinks=1, memory=1 << 20))
    sequence = filled(pool, 22)
    queries = normal(np.random.default_rng(3), 4, 8)
    blocks, scores = pool.select(sequence, 1, queries, 3)
    assert scores.shape == (4, 5)
    assert [len(each) for each in blocks] == [3, 3]
    assert all(each[0] == 0 and each[-1] == 5 for each in map(list, blocks))
    refused(lambda: pool.select(sequence, 1, queries, 2), Status.BAD_ARGUMENT)
    stats = pool.get_stats()
    assert pool.select(sequence, 1, queries)[0][0].tolist() == blocks[0].tolist()
    assert pool.get_stats() == stats


def of_layers(policy: dict[str, Any]) -> PoolConfig:
    return config(layers=3, capacity=4 * 16, threads=1, frames=6, **policy)


@pytest.mark.parametrize("eviction", Eviction, ids=lambda eviction: eviction.name)
def test_prefetched_pages_are_hits(eviction: Eviction):
    with tempfile.TemporaryDirectory() as folder, Pool(of_layers({"eviction": eviction}), folder) as pool:
        sequence, rng = filled(pool, 17), np.random.default_rng(1)
        assert pool.get_stats().prefetched == 0
        pool.begin(sequence, [1])
        for layer in range(3):
            pool.append(layer, normal(rng, 1, 2, 8), normal(rng, 1, 2, 8))
            pool.prefetch(layer)
            before = pool.get_stats()
            pool.attend(layer, normal(rng, 1, 4, 8))
            assert pool.get_stats().misses == before.misses
        pool.commit()
        assert pool.get_stats().prefetched > 0
