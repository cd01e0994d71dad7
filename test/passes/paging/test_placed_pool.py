"""A pool in memory: the bits of the store, as kernels, in proved grids, with transfers ahead, and in C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.paged.config import PoolConfig
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.paging.steps import (
    SIZES,
    config_of,
    expansion,
    inputs_of,
    lowered,
    of_store,
    results_of,
)

PROVED = "verify-memory,expand-grid,verify-memory"
PIPELINED = f"{PROVED},pipeline-dma,verify-levels,verify-memory"
TO_C = "allocate-static,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops,convert-to-emitc"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
EXAMPLE = {
    "heads": 2,
    "kv_heads": 2,
    "head_dim": 8,
    "page_length": 2,
    "tokens": 1,
    "steps": 9,
    "sinks": 1,
    "recent": 1,
    "free": 1,
    "skip_layers": 0,
    "reduce": "SOFTMAX_SUM",
    "seed": 1,
}


def placed(config: PoolConfig, tokens: int, passes: str = "") -> ModuleOp:
    return lowered(config, tokens, ",".join(filter(None, (expansion(config), "bufferize,place-paged-pool", passes))))


def check(found: list[Array], expected: list[Array]) -> None:
    np.testing.assert_array_equal(np.stack(found), np.stack(expected))


@pytest.mark.nightly
@settings(max_examples=16)
@given(SIZES)
def test_kernels_select_as_the_store(sizes: dict[str, Any]) -> None:
    config, tokens = config_of(sizes), sizes["tokens"]
    calls = inputs_of(config, tokens, sizes["steps"], sizes["seed"])
    passes = f"{expansion(config)},bufferize,convert-paged-selection-to-kernels"
    check(results_of(Session(lowered(config, tokens, passes)), calls), of_store(config, tokens, calls))


def check_every_level(sizes: dict[str, Any]) -> None:
    config, tokens = config_of(sizes), sizes["tokens"]
    calls = inputs_of(config, tokens, sizes["steps"], sizes["seed"])
    expected = of_store(config, tokens, calls)
    for passes in ("", PIPELINED):
        check(results_of(Session(placed(config, tokens, passes)), calls), expected)
    network = HostNetwork(render(placed(config, tokens, f"{PIPELINED},{TO_C}")), sanitize=True, flags=FLAGS)
    check([network.run([call[port.name] for port in network.inputs])[0] for call in calls], expected)


def test_an_example_at_every_level() -> None:
    check_every_level(EXAMPLE)


@pytest.mark.nightly
@settings(max_examples=16)
@given(SIZES)
def test_every_level_computes_the_bits_of_the_store(sizes: dict[str, Any]) -> None:
    check_every_level(sizes)


@pytest.mark.nightly
def test_pages_are_prefetched() -> None:
    """The transfer of a page overlaps with the work on the one before."""
    config = config_of(EXAMPLE)
    waiting, overlapping = (simulate(placed(config, 1, passes)) for passes in (PROVED, PIPELINED))
    assert overlapping.cycles < waiting.cycles


def test_a_call_beyond_the_context_is_refused() -> None:
    config = config_of(EXAMPLE)
    session = Session(placed(config, 1))
    call = inputs_of(config, 1, 1, 0)[0]
    with pytest.raises(Diagnostic, match="out of its range"):
        session.run(call | {"arg0": np.array([config.capacity], np.int32)})
