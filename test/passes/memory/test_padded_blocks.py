"""Plans for an engine that computes whole blocks only: tiles longer than a dimension, which transfers fill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.layouts import layout_map
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
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
from tilewright.test.runtime.simulator.programs import modelled_cycles

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
ROWS = MATMUL.replace("20x10xi8", "30x10xi8")
SHAPES = {CONV: [(1, 10, 6, 6), (12, 10, 3, 3), (1, 12, 6, 6)], MATMUL: [(20, 10), (10, 10), (20, 10)]}


def unpadded(target: Machine) -> Machine:
    """Return a machine whose engines do not ask for whole blocks."""
    engines = [replace(e, runs=tuple(replace(run, padded=()) for run in e.runs)) for e in target.engines]
    return replace(target, engines=tuple(engines))


def arrays(text: str) -> tuple[list[np.ndarray], np.ndarray]:
    draw = np.random.default_rng(5)
    *inputs, output = SHAPES[text]
    return [draw.integers(-128, 128, shape, dtype=np.int8) for shape in inputs], np.zeros(output, np.int8)


CASES = [
    ("systolic_padded", CONV),
    ("systolic_padded", MATMUL),
    ("systolic_blocked", MATMUL),
    ("systolic_rows", MATMUL),
    ("systolic_rows", CONV),
]
IDS = ["conv", "matmul", "matmul in blocks", "matmul with sums in blocks", "conv with sums in blocks"]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("file", "text"), CASES, ids=IDS)
def test_blocks_are_whole_in_each_candidate(file: str, text: str) -> None:
    target = machine(file)
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs, expected = arrays(text)
    Interpreter(module).call("network", [*inputs, expected])
    front = layers(module, target).options(0, 1, set()).front
    assert {candidate.alternative for candidate in front} == ({0} if file == "systolic_rows" else {0, 1})
    for candidate in front:
        plan = module.clone()
        found = layers(plan, target)
        replace_by_grid(found, Choice(0, 1, candidate), {level.name: 0 for level in found.levels})
        (grid,) = grids(plan)
        weights = grid.tiles.data[1].extents
        assert weights[0] % 16 == weights[1] % 16 == 0
        layouts = [layout_map(value.type) for value in (*grid.buffers[:2], grid.buffers[-1])]
        assert layouts.count(None) == {"systolic_padded": 3, "systolic_blocked": 1, "systolic_rows": 0}[file]
        verify_memory(plan)
        assert simulate(plan).cycles == candidate.cycles
        Interpreter(plan).call("network", [*inputs, result := np.zeros_like(expected)])
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(("file", "text"), CASES, ids=IDS)
def test_padded_blocks_are_equal_in_c(file: str, text: str, tmp_path: Path) -> None:
    target = machine(file)
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs, expected = arrays(text)
    Interpreter(module).call("network", [*inputs, expected])
    equal_in_c(planned(module, target), inputs, expected, tmp_path)


@pytest.mark.parametrize("file", ["systolic_padded", "systolic_blocked"])
def test_a_network_with_ten_features_runs_in_blocks(file: str) -> None:
    target = machine(file)
    module = on_buffers(import_model(zoo.build("mlp")))
    attach_machine(module, target)
    check_plan(module, target, 0, double_buffered=True)
    plan = planned(module, target)
    assert any(tile.extents == (16, 32) for grid in grids(plan) for tile in grid.tiles)
    assert simulate(plan).cycles == sum(modelled_cycles(plan).values())


@pytest.mark.quick
def test_blocks_that_a_link_does_not_make_are_refused() -> None:
    target = without(machine("systolic_blocked"), mvin="layout")
    message = r"the ins of 'nn\.matmul' cannot be in blocks in SPAD, as 'array' needs them"
    with pytest.raises(Diagnostic, match=message) as error:
        planned(parse_module(new_context(), MATMUL), target)
    assert error.value.expected == "row_bytes of levels.SPAD, and 'layout' among transforms of links.mvin"


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "lacks", "reason"),
    [
        (MATMUL, {"mvin": "fill"}, "the link 'mvin' cannot 'fill' partial tiles"),
        (ROWS, {}, "axis 1 of an operand in blocks has 10 elements, no whole rows of 16"),
        (DEPTHWISE, {}, "cannot be padded to blocks of 16: it shares an axis with another loop"),
    ],
    ids=["no fill", "short rows", "shared axis"],
)
def test_what_cannot_be_padded_is_refused(text: str, lacks: dict[str, str], reason: str) -> None:
    target = alone(without(machine("systolic_padded" if text is not ROWS else "systolic_blocked"), **lacks))
    if text is ROWS:
        target = unpadded(target)
    module = parse_module(new_context(), text)
    with pytest.raises(Diagnostic, match="cannot be cut into tiles that 'array' runs") as error:
        planned(module, target)
    assert any(reason in note for note in error.value.notes)
