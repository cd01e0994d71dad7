"""Plans for an engine that computes whole blocks only: tiles longer than a dimension, which transfers fill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.passes.memory.plan import Choice
from tilewright.passes.plan_memory import replace_by_grid
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Interpreter
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.memory.systolic import (
    SCALED,
    alone,
    equal_in_c,
    grids,
    layers,
    machine,
    planned,
    without,
)
from tilewright.test.passes.plans import check_plan, on_buffers

CONV = f"""
func.func @network(%x: memref<1x10x6x6xi8>, %w: memref<12x10x3x3xi8>, %y: memref<1x12x6x6xi8>) {{
  nn.conv ins(%x, %w : memref<1x10x6x6xi8>, memref<12x10x3x3xi8>) outs(%y : memref<1x12x6x6xi8>)
    {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32, engine = "array"}} epilogue() at [] {{
  ^bb0(%s: i32):{SCALED}
  }}
  func.return
}}"""
DEPTHWISE = CONV.replace("12x10x3x3", "10x1x3x3").replace("1x12x", "1x10x").replace("groups = 1", "groups = 10")
MATMUL = f"""
func.func @network(%a: memref<20x10xi8>, %b: memref<10x10xi8>, %c: memref<20x10xi8>) {{
  nn.matmul ins(%a, %b : memref<20x10xi8>, memref<10x10xi8>) outs(%c : memref<20x10xi8>)
    {{accumulator = i32, engine = "array"}} epilogue() at [] {{
  ^bb0(%s: i32):{SCALED}
  }}
  func.return
}}"""
SHAPES = {CONV: [(1, 10, 6, 6), (12, 10, 3, 3), (1, 12, 6, 6)], MATMUL: [(20, 10), (10, 10), (20, 10)]}


def arrays(text: str) -> tuple[list[np.ndarray], np.ndarray]:
    draw = np.random.default_rng(5)
    *inputs, output = SHAPES[text]
    return [draw.integers(-128, 128, shape, dtype=np.int8) for shape in inputs], np.zeros(output, np.int8)


@pytest.mark.parametrize("text", SHAPES, ids=["conv", "matmul"])
def test_blocks_are_whole_in_each_candidate(text: str) -> None:
    target = machine("systolic_padded")
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs, expected = arrays(text)
    Interpreter(module).call("network", [*inputs, expected])
    front = layers(module, target).options(0, 1, set()).front
    assert {candidate.alternative for candidate in front} == {0, 1}
    for candidate in front:
        plan = module.clone()
        found = layers(plan, target)
        replace_by_grid(found, Choice(0, 1, candidate), {level.name: 0 for level in found.levels})
        (grid,) = grids(plan)
        weights = grid.tiles.data[1].extents
        assert weights[0] % 16 == weights[1] % 16 == 0
        verify_memory(plan)
        assert simulate(plan).cycles == candidate.cycles
        Interpreter(plan).call("network", [*inputs, result := np.zeros_like(expected)])
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("text", SHAPES, ids=["conv", "matmul"])
def test_padded_blocks_are_equal_in_c(text: str, tmp_path: Path) -> None:
    target = machine("systolic_padded")
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs, expected = arrays(text)
    Interpreter(module).call("network", [*inputs, expected])
    equal_in_c(planned(module, target), inputs, expected, tmp_path)


def test_a_network_with_ten_features_runs_in_blocks() -> None:
    target = machine("systolic_padded")
    module = on_buffers(import_model(zoo.build("mlp")))
    attach_machine(module, target)
    check_plan(module, target, 0, double_buffered=True)
    tiles = [tile for grid in grids(planned(module, target)) for tile in grid.tiles]
    assert any(tile.extents == (16, 32) for tile in tiles)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "lacks", "reason"),
    [
        (MATMUL, {"mvin": "fill"}, "the link 'mvin' cannot 'fill' partial tiles"),
        (DEPTHWISE, {}, "cannot be padded to blocks of 16: it shares an axis with another loop"),
    ],
    ids=["no fill", "shared axis"],
)
def test_what_cannot_be_padded_is_refused(text: str, lacks: dict[str, str], reason: str) -> None:
    target = alone(without(machine("systolic_padded"), **lacks))
    module = parse_module(new_context(), text)
    with pytest.raises(Diagnostic, match="cannot be cut into tiles that 'array' runs") as error:
        planned(module, target)
    assert any(reason in note for note in error.value.notes)
