"""Configurations of the paged store: bad values, and the working set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tilewright.runtime.paged.config import HeadReduction, PoolConfig
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.status import PagedError, Status
from tilewright.test.runtime.paged.pools import config

pytestmark = pytest.mark.quick

BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"layers": 0}, "layers", "1 to 65535"),
    ({"heads": 3}, "heads", "a multiple of kv_heads, 2"),
    ({"kv_heads": 0}, "kv_heads", "1 to"),
    ({"head_dim": 12}, "head_dim", "a multiple of 8"),
    ({"layers": 4000}, "layers * kv_heads", "at most 4096"),
    ({"page_length": 5}, "capacity", "a multiple of page_length, 5"),
    ({"capacity": 0}, "capacity", "1 to"),
    ({"capacity": 2**33}, "capacity", "at most 2147483648 tokens"),
    ({"context": 129}, "context", "at most the capacity, 128"),
    ({"budget_pages": 3, "sinks": 2, "recent": 1}, "budget_pages", "sinks + recent + 1 = 4"),
    ({"scale": 0.0}, "scale", "above 0"),
    ({"scale": float("nan")}, "scale", "finite"),
    ({"scale": 1e39}, "scale", "float32"),
    ({"model": b"x"}, "model", "32 bytes"),
    ({"element": 2}, "element", "0 (F32) or 1 (BF16)"),
    ({"eviction": 7}, "eviction", "0 (LRU) or 1 (CLOCK)"),
    ({"threads": 65}, "threads", "0 to 64"),
    ({"max_sequences": 0}, "max_sequences", "1 to 4096"),
]


@pytest.mark.parametrize(("changes", "name", "expected"), BAD, ids=lambda value: str(value)[:30])
def test_bad_values_are_named(changes: dict[str, Any], name: str, expected: str):
    with pytest.raises(PagedError) as caught:
        config(**changes)
    assert caught.value.status is Status.BAD_ARGUMENT
    assert caught.value.message == f"bad value of {name}"
    assert expected in caught.value.expected
    assert caught.value.remedy


def test_memory_below_the_working_set_is_refused_with_the_bytes():
    least = config()
    with pytest.raises(PagedError, match=rf"{least.working_set} bytes at least") as caught:
        Pool(replace(least, memory=least.working_set - 1))
    assert caught.value.status is Status.NO_MEMORY
    assert Pool(least).get_stats().memory == least.working_set


def by_hand(c: PoolConfig, budget: int) -> int:
    """Working set of two layers of two heads of 8, pages of 4 and 32 rows, as the table of docs/paged.md adds it up."""
    slot, entry, frames = 64 + 256, 64 + 256, 4 + 2 * budget
    rows = 32 * entry + 2048 + 512 + 4 * 64
    sequences = 4 * (64 + 512 + 128)
    scratch = 256 + 256 * 2 * 24 + 64 * 64 + 6 * 128 + 2 * 512
    return 65536 + frames * (slot + 64) + slot + rows + sequences + 5 * 4 * 256 + scratch


def test_working_set():
    assert config().working_set == by_hand(config(), 0)
    assert config(budget_pages=3).working_set == by_hand(config(), 3)
    union = config(budget_pages=3, reduce=HeadReduction.UNION)
    assert union.working_set == by_hand(config(), 6)
    assert config(budget_pages=1000).least_frames == 4 + 2 * 32
    assert config(frames=5, extra=383).frames == 4 + 5
    assert config(frames=5, extra=384).frames == 4 + 6
    assert config(memory=1 << 30).frames == 4 * 32
