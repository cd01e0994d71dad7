"""Attention over selected pages as IR: the bits of the store's own selection, for shapes, policies and steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.paged.ops import PagedPoolOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.bufferize import BufferizePass
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.status import PagedError
from tilewright.test.passes.paging.steps import (
    CONTEXT,
    SIZES,
    config_of,
    expansion,
    inputs_of,
    lowered,
    of_store,
    results_of,
)


@given(SIZES)
def test_the_expansion_is_the_selection_of_the_store(sizes: dict[str, Any]) -> None:
    config, tokens = config_of(sizes), sizes["tokens"]
    calls = inputs_of(config, tokens, sizes["steps"], sizes["seed"])
    expected = of_store(config, tokens, calls)
    for passes in (expansion(config), f"{expansion(config)},bufferize"):
        assert np.array_equal(results_of(Session(lowered(config, tokens, passes)), calls), expected)


TO_C = "allocate-static,convert-kernels-to-loops,convert-to-emitc"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")


def check_c(sizes: dict[str, Any]) -> None:
    """Compare the C of an expanded step, on a store that selects nothing, with a store that selects."""
    config, tokens = config_of(sizes), sizes["tokens"]
    calls = inputs_of(config, tokens, sizes["steps"], sizes["seed"])
    passes = f"{expansion(config)},bufferize,convert-paged-selection-to-kernels,{TO_C}"
    network = HostNetwork(render(lowered(config, tokens, passes)), flags=FLAGS)
    with NativePool(replace(config, budget_pages=0, sinks=0, recent=0)) as pool:
        run = BoundNetwork(network, pool, pool.create())
        inputs = [port.name for port in network.inputs]
        given = [{name: call[f"arg{place}"] for place, name in enumerate(inputs)} for call in calls]
        assert np.array_equal([*map(_only, map(run, given))], of_store(config, tokens, calls))


def _only(results: dict[str, Array]) -> Array:
    return next(iter(results.values()))


def test_c_selects_as_the_store() -> None:
    sizes = {"heads": 3, "kv_heads": 2, "head_dim": 8, "page_length": 2, "tokens": 1, "steps": 11, "skip_layers": 0}
    for reduce, recent in (("MAX", 1), ("UNION", 0)):
        check_c(sizes | {"sinks": 1, "recent": recent, "free": 1, "reduce": reduce, "seed": 7})


@pytest.mark.nightly
@settings(max_examples=16)
@given(SIZES)
def test_c_always_selects_as_the_store(sizes: dict[str, Any]) -> None:
    check_c(sizes)


def test_a_policy_decides() -> None:
    """Of seven blocks, two places: another policy gives another result."""
    sizes = {"heads": 2, "kv_heads": 1, "head_dim": 8, "page_length": 2, "tokens": 1, "steps": 14, "skip_layers": 0}
    sizes |= {"sinks": 0, "recent": 0, "free": 1}
    results: list[Array] = []
    for reduce, changes in (("MAX", {}), ("UNION", {}), ("MAX", {"sinks": 1, "free": 0}), ("MAX", {"free": 6})):
        config = config_of(sizes | {"reduce": reduce} | changes)
        calls = inputs_of(config, 1, 14, 3)
        results.append(results_of(Session(lowered(config, 1, expansion(config))), calls)[-1])
    assert len({result.tobytes() for result in results}) == 4


DOCUMENTS = """
paged.pool @kv {layers = 1 : i64, heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, page_length = 2 : i64,
                context = 16 : i64, scale = 0.5 : f64}
func.func @step(%position: tensor<1xi32>, %q: tensor<1x2x8xf32>, %k: tensor<1x1x8xf32>) -> tensor<1x2x8xf32> {
  paged.begin @kv at %position tokens %position : tensor<1xi32>, tensor<1xi32>
  paged.append @kv layer 0 keys %k values %k : tensor<1x1x8xf32>, tensor<1x1x8xf32>
  %o = paged.attend @kv layer 0 queries %q : tensor<1x2x8xf32> -> tensor<1x2x8xf32>
  paged.commit @kv
  func.return %o : tensor<1x2x8xf32>
}
func.func @fork() -> tensor<1xi32> {
  %copy = paged.fork @kv -> tensor<1xi32>
  func.return %copy : tensor<1xi32>
}
func.func @switch_to(%number: tensor<1xi32>) {
  paged.switch @kv to %number : tensor<1xi32>
  func.return
}
func.func @truncate(%length: tensor<1xi32>) {
  paged.truncate @kv to %length : tensor<1xi32>
  func.return
}
func.func @pin(%first: tensor<1xi32>, %last: tensor<1xi32>) {
  paged.pin @kv from %first to %last : tensor<1xi32>, tensor<1xi32>
  func.return
}
func.func @unpin(%first: tensor<1xi32>, %last: tensor<1xi32>) {
  paged.pin @kv from %first to %last {unpin} : tensor<1xi32>, tensor<1xi32>
  func.return
}
"""


class Interpreted:
    """Functions of `DOCUMENTS` in the interpreter."""

    def __init__(self, on_buffers: bool) -> None:
        module = parse_module(CONTEXT, DOCUMENTS)
        if on_buffers:
            BufferizePass().apply(CONTEXT, module)
        self.session = Session(module)
        self.bound = self.session.storage("kv")
        config = replace(self.bound.pool.config, max_sequences=2)
        self.bound.pool = Pool(replace(config, memory=config.working_set + 64 * (config.slot + 64)))
        self.bound.sequence = self.bound.pool.create()
        self.pool = self.bound.pool

    @property
    def sequence(self) -> int:
        return self.bound.sequence

    def __call__(self, name: str, *arguments: Array) -> dict[str, Array]:
        return self.session.run({f"arg{place}": array for place, array in enumerate(arguments)}, function=name)


class Compiled:
    """Functions of `DOCUMENTS` in C."""

    def __init__(self) -> None:
        module = parse_module(CONTEXT, DOCUMENTS)
        for each in parse_pipeline(f"bufferize,{TO_C}", all_passes()).steps:
            each.run.apply(CONTEXT, module)
        self.network = HostNetwork(render(module), flags=FLAGS)
        config = replace(PoolConfig.of_shape(self.network.pool_shape()), max_sequences=2)
        self.pool = NativePool(replace(config, memory=config.working_set + 64 * (config.slot + 64)))
        self.bound = BoundNetwork(self.network, self.pool, self.pool.create())

    @property
    def sequence(self) -> int:
        return self.bound.sequence

    def __call__(self, name: str, *arguments: Array) -> dict[str, Array]:
        inputs = self.network.entries[self.network.number_of(name)].inputs
        given = {port.name: array for port, array in zip(inputs, arguments, strict=True)}
        return self.bound(given, function=name)


@pytest.mark.parametrize("place", [lambda: Interpreted(False), lambda: Interpreted(True), Compiled])
def test_sequences_are_those_of_the_pool(place: Callable[[], Interpreted | Compiled]) -> None:
    run = place()

    def call(name: str, *numbers: int) -> dict[str, Array]:
        return run(name, *(np.array([number], np.int32) for number in numbers))

    def step(position: int) -> bytes:
        vector = np.full((1, 1, 8), 1 + position, np.float32)
        return _only(run("step", np.array([position], np.int32), np.repeat(vector, 2, 1), vector)).tobytes()

    results = [step(position) for position in range(5)]
    assert _only(call("fork")).tolist() == [1]
    call("switch_to", 1)
    call("truncate", 3)
    assert [run.pool.length(0), run.pool.length(1), run.sequence] == [5, 3, 1]
    assert [step(3), step(4)] == results[3:]
    call("pin", 0, 4)
    call("unpin", 0, 1)
    for name, number in (("switch_to", 7), ("truncate", 9), ("truncate", -1)):
        with pytest.raises(Diagnostic):
            call(name, number)
    assert [run.pool.length(1), run.sequence] == [5, 1]


def test_pins_are_those_of_the_pool() -> None:
    run = Interpreted(on_buffers=True)
    for position in range(5):
        vector = np.ones((1, 1, 8), np.float32)
        run("step", np.array([position], np.int32), np.repeat(vector, 2, 1), vector)
    pinned = vars(run.pool)["_rows"].pinned
    run("pin", np.array([0], np.int32), np.array([4], np.int32))
    assert pinned.sum() == 2
    run("unpin", np.array([0], np.int32), np.array([1], np.int32))
    assert pinned.sum() == 1


@pytest.mark.parametrize("table", [[0, 0, 2], [1, 0, 2], [0, 1, 3], [0, 1, 1], [-1, 0, 2]])
def test_other_tables_are_refused(table: list[int]) -> None:
    config = replace(
        PoolConfig.of_shape(PagedPoolOp.get("kv", dict.fromkeys(PagedPoolOp.SIZES, 8), 0.5).shape), memory=1 << 24
    )
    config = replace(config, layers=1, heads=1, kv_heads=1, page_length=2, capacity=16)
    with Pool(config) as pool:
        sequence = pool.create()
        pool.begin(sequence, [0] * 6)
        rows = np.ones((6, 1, 8), np.float32)
        pool.append(0, rows, rows)
        blocks = [[np.arange(position // 2 + 1)] for position in range(6)]
        assert pool.attend(0, rows, blocks).shape == (6, 1, 8)
        with pytest.raises(PagedError, match="bad value of table"):
            pool.attend(0, rows, [*blocks[:-1], [np.array(table)]])
