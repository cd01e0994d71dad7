"""Plans whose transfers out compute the epilogue of a reduction: proved, run, timed, equal in C, and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import ds_cnn, resnet8
from tilewright.frontend.zoo._builder import Builder, Value
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.memory.hints import SIZES, STAGES
from tilewright.passes.memory.plan import Choice
from tilewright.passes.plan_memory import replace_by_grid
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Interpreter, random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.memory.systolic import (
    SCALED,
    alone,
    equal_in_c,
    grids,
    layers,
    machine,
    planned,
    stored,
    without,
)
from tilewright.test.passes.plans import assert_same, on_buffers
from tilewright.test.runtime.simulator.programs import modelled_cycles

NETWORKS = {"ds-cnn": ds_cnn.network, "resnet8": resnet8.network}

MATMUL = f"""
func.func @network(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %m: memref<32xi16>, %c: memref<8x32xi8>) {{
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>)
    {{accumulator = i32, engine = "array"}} epilogue(%m : memref<32xi16>) at [affine_map<(d0, d1) -> (d1)>] {{
  ^bb0(%sum: i32, %bias: i16):
    %w = arith.extsi %bias : i16 to i32
    %s = arith.addi %sum, %w : i32{SCALED}
  }}
  func.return
}}"""
PLAIN = f"""
func.func @network(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %c: memref<8x32xi8>) {{
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>)
    {{accumulator = i32, engine = "array"}} epilogue() at [] {{
  ^bb0(%s: i32):{SCALED}
  }}
  func.return
}}"""


class OneScale(Builder):
    """Builder of networks whose accumulators are requantised with one factor for all channels."""

    def requant(self, x: Value, signed: bool = False) -> Value:
        return super().requant(replace(x, peak=x.peak.max(keepdims=True)), signed)


def network(name: str, target: Machine) -> ModuleOp:
    module = on_buffers(import_model(NETWORKS[name](OneScale(name, "", 0))))
    attach_machine(module, target)
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_scaled_on_the_way_out(name: str) -> None:
    target = machine()
    module = network(name, target)
    plan = planned(module, target)
    verify_memory(plan)
    assert_same(plan, (inputs := random_inputs(module, 0)), run_module(module, inputs), "on grids")
    assert sum(map(stored, grids(plan))) >= 4
    simulation = simulate(plan)
    (core,) = (engine for engine in simulation.engines if engine.name == "core")
    assert simulation.cycles == sum(modelled_cycles(plan).values()) + core.busy
    by_kernels = planned(module, without(target, mvout="scale", move="scale"))
    assert not any(map(stored, grids(by_kernels)))
    assert simulation.cycles < simulate(by_kernels).cycles


def test_results_stay_near_over_the_link_between_two_near_levels() -> None:
    target = machine()
    plan = planned(network("ds-cnn", target), target)
    spaces = [str(getattr(grid.outputs[0].type, "memory_space", "")) for grid in grids(plan) if stored(grid)]
    assert spaces.count('"SPAD"') >= 6


def inputs_of(text: str) -> list[np.ndarray]:
    draw = np.random.default_rng(3)
    a, b = (draw.integers(-128, 128, shape, dtype=np.int8) for shape in ((8, 64), (64, 32)))
    bias = draw.integers(-30000, 30000, 32, dtype=np.int16)
    return [a, b, bias] if text is MATMUL else [a, b]


@pytest.mark.parametrize("text", [MATMUL, PLAIN], ids=["bias", "plain"])
def test_each_candidate_is_proved_exact_and_timed(text: str) -> None:
    target = machine()
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs = inputs_of(text)
    Interpreter(module).call("network", [*inputs, expected := np.zeros((8, 32), np.int8)])
    assert len(np.unique(expected)) > 50
    front = layers(module, target).options(0, 1, set()).front
    tried = [candidate for candidate in front if candidate.alternative]
    assert any(candidate.sizes[2] < 64 for candidate in tried)
    for candidate in tried:
        plan = module.clone()
        found = layers(plan, target)
        replace_by_grid(found, Choice(0, 1, candidate), {level.name: 0 for level in found.levels})
        (grid,) = grids(plan)
        assert stored(grid)
        assert not grid.scratches
        assert (grid.starter_of(0) is not None) == (text is MATMUL)
        verify_memory(plan)
        assert simulate(plan).cycles == candidate.cycles
        Interpreter(plan).call("network", [*inputs, result := np.zeros((8, 32), np.int8)])
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("text", [MATMUL, PLAIN], ids=["bias", "plain"])
def test_inputs_are_fetched_ahead_of_sums_that_fill_their_memory(text: str) -> None:
    small = {"SPAD": 4096, "ACC": 1024}
    target = machine()
    target = replace(target, levels=tuple(replace(e, size=small.get(e.name, e.size)) for e in target.levels))
    for old, new in (("8x64", "8x512"), ("64x32", "512x128"), ("8x32", "8x128"), ("<32x", "<128x")):
        text = text.replace(old, new)
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    draw = np.random.default_rng(3)
    shapes = ((8, 512), np.int8), ((512, 128), np.int8), (128, np.int16)
    inputs = [draw.integers(-128, 128, shape, kind) for shape, kind in shapes][: 3 if "%m" in text else 2]
    Interpreter(module).call("network", [*inputs, expected := np.zeros((8, 128), np.int8)])
    plan = planned(module, target)
    (grid,) = grids(plan)
    first, *_, last = grid.tiles
    assert (first.stage_count, last.stage_count) == (2, 1)
    PassManager().run(plan, parse_pipeline("expand-grid,pipeline-dma,verify-memory", all_passes()), new_context())
    assert [simulate(plan).cycles] == list(modelled_cycles(planned(module, target)).values())
    Interpreter(plan).call("network", [*inputs, result := np.zeros((8, 128), np.int8)])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("rows", [8, 12, 16])
def test_sums_start_ahead_in_a_third_buffer(rows: int) -> None:
    target = machine()
    module = parse_module(new_context(), MATMUL.replace("8x", f"{rows}x"))
    attach_machine(module, target)
    draw = np.random.default_rng(3)
    shapes = (rows, 64), (64, 32)
    inputs = [*(draw.integers(-128, 128, each, np.int8) for each in shapes), draw.integers(-9999, 9999, 32, np.int16)]
    Interpreter(module).call("network", [*inputs, expected := np.zeros((rows, 32), np.int8)])
    cycles: dict[int, int] = {}
    for stages in (2, 3):
        plan = module.clone()
        (kernel,) = (op for op in plan.walk() if op.name == "nn.matmul")
        kernel.attributes |= {SIZES: DenseArrayBase.from_list(i64, [4, 32, 64]), STAGES: IntegerAttr(stages, i64)}
        found = layers(plan, target)
        candidate = min((c for c in found.options(0, 1, set()).costed if c.alternative), key=lambda c: c.cycles)
        replace_by_grid(found, Choice(0, 1, candidate), {level.name: 0 for level in found.levels})
        assert [tile.stage_count for tile in grids(plan)[0].tiles][-1] == stages
        verify_memory(plan)
        PassManager().run(plan, parse_pipeline("expand-grid,pipeline-dma,verify-memory", all_passes()), new_context())
        cycles[stages] = simulate(plan).cycles
        assert cycles[stages] == candidate.cycles
        Interpreter(plan).call("network", [*inputs, result := np.zeros((rows, 32), np.int8)])
        np.testing.assert_array_equal(result, expected)
    # Of two tiles the second starts ahead in the second buffer.
    assert cycles[3] == cycles[2] if rows == 8 else cycles[3] < cycles[2]


@pytest.mark.parametrize("text", [MATMUL, PLAIN], ids=["bias", "plain"])
def test_epilogues_on_the_way_are_equal_in_c(text: str, tmp_path: Path) -> None:
    target = alone(machine())
    module = parse_module(new_context(), text)
    attach_machine(module, target)
    inputs = inputs_of(text)
    Interpreter(module).call("network", [*inputs, expected := np.zeros((8, 32), np.int8)])
    plan = planned(module, target)
    assert all(map(stored, grids(plan)))
    equal_in_c(plan, inputs, expected, tmp_path)


def test_views_of_biases_that_are_not_taken_are_erased() -> None:
    target = machine()
    module = on_buffers(import_model(zoo.build("mlp")))
    attach_machine(module, target)
    plan = planned(module, target)
    constants = [op for op in plan.walk() if isinstance(op, memref.GetGlobalOp)]
    assert constants
    assert all(use.operation.parent is not None for op in constants for use in op.memref.uses)


@pytest.mark.quick
def test_a_bias_that_a_kernel_computes_is_no_start() -> None:
    text = MATMUL.replace("%m: memref<32xi16>", "%n: memref<32xi16>").replace(
        "  nn.matmul",
        "  %m = memref.alloc() : memref<32xi16>\n  memref.copy %n, %m : memref<32xi16> to memref<32xi16>\n  nn.matmul",
    )
    with pytest.raises(Diagnostic, match="takes the sums") as error:
        planned(parse_module(new_context(), text), alone(machine()))
    assert "operand 0 of its epilogue, of shape [32], varies" in error.value.found


VARIES = MATMUL.replace("%s, %f, %z", "%s, %w, %z")


@pytest.mark.quick
def test_a_bias_of_the_last_axis_of_an_image_is_a_start() -> None:
    kernel = f"""
    func.func @network(%x: memref<1x8x8x16xi8>, %w: memref<32x3x3x16xi8>, %m: memref<32xi32>,
        %y: memref<1x6x6x32xi8>) {{
      nn.conv ins(%x, %w : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>) outs(%y : memref<1x6x6x32xi8>)
        {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
          accumulator = i32, channels_last, engine = "array"}}
        epilogue(%m : memref<32xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {{
      ^bb0(%sum: i32, %bias: i32):
        %s = arith.addi %sum, %bias : i32{SCALED}
      }}
      func.return
    }}"""
    (grid,) = grids(planned(parse_module(new_context(), kernel), alone(machine())))
    assert stored(grid)
    assert grid.tiles.data[2].started_output == 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "lacks", "reason"),
    [
        (PLAIN, {"mvout": "scale"}, "the link 'mvout' cannot 'scale' ('quant.requantize' in its body)"),
        (PLAIN, {"mvout": "clip"}, "the link 'mvout' cannot 'clip' ('quant.requantize' in its body)"),
        (PLAIN, {"mvout": "convert"}, "the link 'mvout' cannot 'convert' ('quant.requantize' in its body)"),
        (MATMUL, {"mvin_acc": "broadcast"}, "the link 'mvin_acc' cannot 'broadcast'"),
        (MATMUL, {"mvin_acc": "convert"}, "the link 'mvin_acc' cannot 'convert' ('arith.extsi' in its body)"),
        (VARIES, {}, "operand 0 of its epilogue, of shape [32], varies"),
    ],
    ids=["scale", "clip", "convert", "broadcast", "convert the bias", "varies"],
)
def test_what_neither_link_nor_engine_does_is_refused(text: str, lacks: dict[str, str], reason: str) -> None:
    target = alone(without(machine(), **lacks))
    module = parse_module(new_context(), text)
    with pytest.raises(Diagnostic, match=r"takes the sums of 'nn\.matmul' out of ACC") as error:
        planned(module, target)
    assert reason in error.value.found
