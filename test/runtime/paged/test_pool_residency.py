"""Simulated residency: the counts of pools, Belady's bound, and times of reads."""

from __future__ import annotations

import itertools
import random
import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.runtime.paged.config import Eviction
from tilewright.runtime.paged.frames import Frames
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.residency import Disk, EvictionPolicy, Residency, StepTrace, simulate
from tilewright.test.runtime.paged.pools import config, normal

pytestmark = pytest.mark.quick

SEEDS = st.integers(0, 2**32 - 1)
DISK = Disk(latency=0.5, bandwidth=100)


def traced(tokens: int, seed: int, prefetch: bool = False, **changes: Any) -> tuple[Pool, list[StepTrace]]:
    """Run a pool on random keys, and return it with the trace of its steps."""
    rng, trace = np.random.default_rng(seed), list[StepTrace]()
    with tempfile.TemporaryDirectory() as folder, Pool(config(**changes, threads=int(prefetch)), folder) as pool:
        sequence, shape = pool.create(), pool.config
        for position in range(tokens):
            pool.begin(sequence, [0])
            touched: list[tuple[tuple[int, ...], ...]] = []
            for layer in range(shape.layers):
                keys, values = normal(rng, 1, 2, 8) + np.float32(position % 3), normal(rng, 1, 2, 8)
                pool.append(layer, keys, values)
                pool.attend(layer, normal(rng, 1, 4, 8))
                touched.append(tuple(tuple(rows) for rows in pool.touched(layer)))
                if prefetch:
                    pool.prefetch((layer + 1) % shape.layers)
            pool.commit()
            is_full = (position + 1) % shape.page_length == 0
            trace.append(StepTrace((position // shape.page_length,) if is_full else (), tuple(touched)))
    return pool, trace


def counts(result: Any) -> dict[str, int]:
    return {name: getattr(result, name) for name in ("hits", "misses", "prefetched", "evictions", "bytes_read")}


@pytest.mark.parametrize("eviction", Eviction, ids=lambda eviction: eviction.name)
@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize(("frames", "budget"), [(0, 0), (0, 3), (5, 4), (200, 0)])
def test_counts_are_those_of_a_pool(eviction: Eviction, prefetch: bool, frames: int, budget: int):
    changes = {"eviction": eviction, "frames": frames, "budget_pages": budget, "layers": 3}
    pool, trace = traced(32, frames + budget, prefetch, **changes)
    policy = EvictionPolicy.LRU if eviction is Eviction.LRU else EvictionPolicy.CLOCK
    result = simulate(trace, pool.config.frames, policy, pool.config.slot, DISK, prefetch=prefetch)
    assert counts(result) == counts(pool.get_stats())
    assert (result.misses > 0) == (frames < 200)
    assert (result.prefetched > 0) == (prefetch and frames < 200)
    if not prefetch:
        best = simulate(trace, pool.config.frames, EvictionPolicy.BELADY, pool.config.slot, DISK)
        assert best.misses <= result.misses
        assert best.hits + best.misses >= result.hits
        assert sum(best.stalls) <= sum(result.stalls)


def random_trace(seed: int, steps: int, rows: int, touched: int) -> list[StepTrace]:
    rng = random.Random(seed)
    return [StepTrace((), ((tuple(sorted(rng.sample(range(rows), touched))),),)) for _ in range(steps)]


def fewest_reads(uses: list[int], frames: int) -> int:
    """Search all evictions for the fewest reads on demand."""
    best = {frozenset[int](): 0}
    for page in uses:
        following: dict[frozenset[int], int] = {}
        for resident, reads in best.items():
            if page in resident:
                options = [(resident, reads)]
            elif len(resident) < frames:
                options = [(resident | {page}, reads + 1)]
            else:
                options = [(resident - {victim} | {page}, reads + 1) for victim in resident]
            for state, total in options:
                following[state] = min(total, following.get(state, total))
        best = following
    return min(best.values())


@given(SEEDS, st.integers(1, 4), st.integers(1, 3))
def test_no_policy_reads_less_than_beladys(seed: int, frames: int, touched: int):
    trace = random_trace(seed, 8, 6, touched)
    uses = list(itertools.chain.from_iterable(2 * step.touched[0][0] for step in trace))
    best = simulate(trace, frames, EvictionPolicy.BELADY, 1, DISK)
    assert best.misses == fewest_reads(uses, frames)
    for policy in (EvictionPolicy.LRU, EvictionPolicy.CLOCK):
        assert simulate(trace, frames, policy, 1, DISK).misses >= best.misses


def test_beladys_policy_is_not_for_prefetching():
    with pytest.raises(ValueError, match="on demand"):
        simulate([], 1, EvictionPolicy.BELADY, 1, DISK, prefetch=True)


def two_layers(*steps: tuple[int, int]) -> list[StepTrace]:
    return [StepTrace((), (((first,),), ((second,),))) for first, second in steps]


def test_times():
    """Reads of 1.5 s. A page that is read ahead while the machine computes for a second waits for half a second."""
    once = two_layers((0, 1))
    assert simulate(once, 2, EvictionPolicy.LRU, 100, DISK).stalls == [3.0]
    trace = two_layers((0, 1), (2, 3), (0, 1))
    on_demand = simulate(trace, 2, EvictionPolicy.LRU, 100, DISK, compute=1)
    assert (on_demand.stalls, on_demand.misses, on_demand.hit_rate) == ([3, 3, 3], 6, 0)
    assert (on_demand.bytes_read, on_demand.stall) == (600, 3)
    cyclic = two_layers((0, 1), (0, 1), (0, 1), (0, 1))
    ahead = simulate(cyclic, 1, EvictionPolicy.LRU, 100, DISK, compute=1, prefetch=True)
    assert (ahead.misses, ahead.prefetched, ahead.stalls) == (2, 7, [3.0, 1.0, 1.0, 1.0])
    assert simulate(cyclic, 1, EvictionPolicy.LRU, 100, DISK, compute=2, prefetch=True).stalls == [3, 0, 0, 0]
    assert simulate(cyclic, 2, EvictionPolicy.LRU, 100, DISK).stalls == [3, 0, 0, 0]


def test_a_demand_waits_for_reads_ahead():
    """The disk reads in order: what is read ahead in vain delays what is needed."""
    trace = two_layers((0, 1), (2, 3))
    result = simulate(trace, 4, EvictionPolicy.LRU, 100, Disk(1, 1e9), compute=0, prefetch=True)
    assert result.prefetched == 0
    result = simulate(two_layers((0, 1), (2, 1), (3, 1)), 2, EvictionPolicy.LRU, 100, Disk(1, 1e9), prefetch=True)
    assert result.prefetched > 0
    assert sum(result.stalls) > 0


@pytest.mark.parametrize("eviction", Eviction, ids=lambda eviction: eviction.name)
def test_pages_that_are_kept_or_fixed_are_not_evicted(eviction: Eviction):
    fixed: set[int] = set()
    frames = Frames(2, eviction, fixed.__contains__)
    assert [frames.take(page) for page in (7, 8)] == [0, 1]
    assert frames.take(9, kept={7, 8}) is None
    assert frames.take(9, kept={8}) == 0
    fixed |= {8, 9}
    assert (frames.take(7), frames.available(), frames.evictions) == (None, 0, 1)
    fixed.remove(9)
    assert frames.take(7) == 0
    frames.release(8)
    frames.release(7)
    assert (frames.take(1), frames.take(2), len(frames)) == (0, 1, 2)


def test_nothing():
    assert simulate([], 1, EvictionPolicy.LRU, 1, DISK) == Residency(1)
    assert (Residency(1).hit_rate, Residency(1).stall) == (1, 0)
