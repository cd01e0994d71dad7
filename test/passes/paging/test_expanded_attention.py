"""Attention over selected pages as IR: the bits of the store's own selection, for shapes, policies and steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.paged.ops import PoolOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.bufferize import BufferizePass
from tilewright.runtime.interpreter import Session
from tilewright.runtime.paged.config import Config
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

pytestmark = pytest.mark.quick


@given(SIZES)
def test_the_expansion_is_the_selection_of_the_store(sizes: dict[str, Any]) -> None:
    config, tokens = config_of(sizes), sizes["tokens"]
    calls = inputs_of(config, tokens, sizes["steps"], sizes["seed"])
    expected = of_store(config, tokens, calls)
    for passes in (expansion(config), f"{expansion(config)},bufferize"):
        assert np.array_equal(results_of(Session(lowered(config, tokens, passes)), calls), expected)


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
func.func @switch(%number: tensor<1xi32>) {
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


@pytest.mark.parametrize("on_buffers", [False, True])
def test_sequences_are_those_of_the_pool(on_buffers: bool) -> None:
    module = parse_module(CONTEXT, DOCUMENTS)
    if on_buffers:
        BufferizePass().apply(CONTEXT, module)
    session = Session(module)
    bound = session.storage("kv")
    config = replace(bound.pool.config, max_sequences=2)
    bound.pool = Pool(replace(config, memory=config.working_set + 64 * (config.slot + 64)))
    bound.sequence = bound.pool.create()

    def call(name: str, *numbers: int) -> Any:
        given = {f"arg{index}": np.array([number], np.int32) for index, number in enumerate(numbers)}
        return session.run(given, function=name)

    def step(position: int) -> Array:
        vector = np.full((1, 1, 8), 1 + position, np.float32)
        inputs = {"arg0": np.array([position], np.int32), "arg1": np.repeat(vector, 2, 1), "arg2": vector}
        return next(iter(session.run(inputs, function="step").values()))

    results = [step(position) for position in range(5)]
    assert next(iter(call("fork").values())).tolist() == [1]
    call("switch", 1)
    call("truncate", 3)
    assert [bound.pool.length(0), bound.pool.length(1), bound.sequence] == [5, 3, 1]
    assert [step(position).tobytes() for position in (3, 4)] == [result.tobytes() for result in results[3:]]
    call("pin", 0, 4)
    pinned = vars(bound.pool)["_rows"].pinned
    assert pinned.sum() == 2
    call("unpin", 0, 1)
    assert pinned.sum() == 1
    with pytest.raises(Diagnostic, match="there is no such sequence"):
        call("switch", 7)
    with pytest.raises(PagedError, match="bad value of length"):
        call("truncate", 9)


@pytest.mark.parametrize("table", [[0, 0, 2], [1, 0, 2], [0, 1, 3], [0, 1, 1], [-1, 0, 2]])
def test_other_tables_are_refused(table: list[int]) -> None:
    config = replace(Config.of_shape(PoolOp.get("kv", dict.fromkeys(PoolOp.SIZES, 8), 0.5).shape), memory=1 << 24)
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
