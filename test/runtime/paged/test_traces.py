"""Recorded workloads: their simulation has the counts of the pool, and `tilewright paged simulate` prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine
from tilewright.errors import Diagnostic
from tilewright.runtime.paged.config import Eviction, PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.residency import EvictionPolicy, simulate
from tilewright.runtime.paged.trace import Trace, TraceWriter, read_trace
from tilewright.runtime.tools.paged_simulate import disk_of, memories, outcomes, timed
from tilewright.test.runtime.paged.pools import config, normal

pytestmark = pytest.mark.quick


def recorded(kind: Any, shape: PoolConfig, folder: Path, steps: int = 40) -> tuple[Trace, Any]:
    """Run steps of random keys on a pool, two tokens at first; return their trace and the statistics."""
    rng, path = np.random.default_rng(1), folder / "trace"
    pages = folder / "pages"
    pages.mkdir()
    with kind(shape, pages) as pool:
        sequence = pool.create()

        def call(inputs: dict[str, Any], *, function: str = "network") -> dict[str, Any]:
            count = int(inputs["count"])
            pool.begin(sequence, [0] * count)
            for layer in range(shape.layers):
                pool.append(layer, *(normal(rng, count, 2, 8) + np.float32(steps % 3) for _ in range(2)))
                pool.attend(layer, normal(rng, count, 4, 8))
            pool.commit()
            return {}

        run = TraceWriter(path, call, pool, sequence)
        for number in range(steps):
            run({"count": np.array(1 if number else 2)})
        return read_trace(path), pool.get_stats()


@pytest.mark.parametrize("kind", [Pool, NativePool])
@pytest.mark.parametrize("eviction", Eviction, ids=lambda eviction: eviction.name)
def test_a_trace_has_the_counts_of_its_pool(kind: Any, eviction: Eviction, tmp_path: Path) -> None:
    shape = config(budget_pages=3, frames=2, eviction=eviction)
    trace, stats = recorded(kind, shape, tmp_path)
    disk = timed(find_machine("linux-board"), disk_of(find_machine("linux-board")), shape.slot)
    policy = EvictionPolicy.LRU if eviction is Eviction.LRU else EvictionPolicy.CLOCK
    result = simulate(trace.pages, shape.frames, policy, shape.slot, disk)
    assert (result.hits, result.misses, result.evictions) == (stats.hits, stats.misses, stats.evictions)
    assert stats.misses > 0
    assert [sum(column) for column in zip(*result.counts, strict=True)] == [stats.hits, stats.misses, 0]
    assert [step.tokens for step in trace.steps] == [2, *[1] * 39]
    assert trace.decoding == list(range(1, 40))
    assert [step.pages.filled for step in trace.steps][:6] == [(), (), (0,), (), (), ()]


def test_the_disk_is_that_of_the_machine(tmp_path: Path) -> None:
    board = find_machine("linux-board")
    disk = timed(board, disk_of(board, "CARD"), 4160)
    assert disk.latency == pytest.approx(1e-3)
    assert disk.bandwidth == pytest.approx(20e6)
    with pytest.raises(Diagnostic, match="has no disk"):
        disk_of(find_machine("host"))
    trace, _ = recorded(Pool, config(budget_pages=3), tmp_path)
    few, more, many = memories(trace.config)
    assert few == trace.config.working_set
    by_policy = {row.policy: row for row in outcomes(trace, few, disk, 0.01)}
    assert by_policy["belady"].bytes_read <= min(row.bytes_read for row in by_policy.values())
    lru = by_policy["lru"]
    assert lru.rate == pytest.approx(1 / (0.01 + lru.stall))
    assert lru.stall == pytest.approx(lru.bytes_read / 320 * disk.seconds(320))
    assert by_policy["lru, one layer ahead"].stall < lru.stall
    assert next(iter(outcomes(trace, many, disk, 0.01))).stall < next(iter(outcomes(trace, more, disk, 0.01))).stall


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    recorded(Pool, config(budget_pages=3), tmp_path)
    words = ["paged", "simulate", str(tmp_path / "trace"), "--compute", "5"]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert "39 steps of one token, 12 tokens attended to" in out
    assert out.count("│ belady") == 3
    assert cli.main([*words, "--kv-memory", "1KiB"]) == 1
    assert "--kv-memory is below the working set" in capsys.readouterr().err
    assert cli.main([*words, "--target", "host"]) == 1
    assert "machine 'host' has no disk" in capsys.readouterr().err
    assert cli.main([*words, "--disk", "FLOPPY"]) == 1


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (0, "{}"),
        (0, ""),
        (0, '{"format": "tilewright paged trace", "version": 2, "config": {}}'),
        (0, '{"format": "tilewright paged trace", "version": 1, "config": {"layers": 1}}'),
        (1, "[]"),
        (1, "x"),
        (2, '{"tokens": 1, "seconds": 1, "filled": [], "touched": [[[0], [0]]]}'),
        (2, '{"tokens": 1, "seconds": 1, "filled": [99], "touched": []}'),
        (3, '{"tokens": 1, "filled": [], "touched": []}'),
    ],
)
def test_damaged_traces_are_refused(place: int, line: str, tmp_path: Path) -> None:
    recorded(Pool, config(), tmp_path, 4)
    lines = (tmp_path / "trace").read_text().splitlines()
    assert all(json.loads(each) for each in lines)
    lines[place] = line
    (tmp_path / "trace").write_text("\n".join(lines))
    with pytest.raises(Diagnostic) as caught:
        read_trace(tmp_path / "trace")
    assert f"trace:{place + 1}:1: error: the file is no trace" in str(caught.value)
