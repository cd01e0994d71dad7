"""Plans of networks on machines whose engines work in different near memories: proved, run and timed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import GridOp
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.memory.plan import Choice
from tilewright.passes.plan_memory import PlanLimits, plan_memory, replace_by_grid
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Interpreter, random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.plans import assert_same, check_plan, on_buffers
from tilewright.test.runtime.simulator.programs import modelled_cycles

MACHINES = Path(__file__).parents[2] / "machines"


def network(name: str, target: Machine) -> ModuleOp:
    """Return a network of the zoo on buffers, with the machine attached."""
    module = on_buffers(import_model(zoo.build(name)))
    attach_machine(module, target)
    return module


def with_sizes(file: str, **sizes: int) -> Machine:
    """Return a machine of the library with levels of other sizes."""
    machine = find_machine(MACHINES / f"{file}.toml")
    return replace(machine, levels=tuple(replace(e, size=sizes.get(e.name, e.size)) for e in machine.levels))


def planned(module: ModuleOp, target: Machine) -> ModuleOp:
    plan = module.clone()
    for function in functions(plan):
        plan_memory(function, target, PlanLimits(time_budget=0.5))
    return plan


def grids(module: ModuleOp) -> list[GridOp]:
    return [op for op in module.walk() if isinstance(op, GridOp)]


def engines(module: ModuleOp) -> set[str]:
    names = (grid.attributes["engine"] for grid in grids(module))
    return {name.data for name in names if isinstance(name, StringAttr)}


def level_of(value: SSAValue) -> str:
    space = getattr(value.type, "memory_space", None)
    return space.data if isinstance(space, StringAttr) else ""


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "file"), [("ds-cnn", "two_near"), ("resnet8", "two_near_linked")])
def test_engines_work_in_near_memories_of_their_own(name: str, file: str) -> None:
    target = find_machine(MACHINES / f"{file}.toml")
    module = network(name, target)
    check_plan(module, target, 0, double_buffered=True)
    plan = planned(module, target)
    assert engines(plan) == {"core", "npu"}
    assert {tile.level_name for grid in grids(plan) for tile in grid.tiles} == {"SRAM", "TCM", None}
    simulation = simulate(plan)
    assert simulation.cycles == sum(modelled_cycles(plan).values())
    assert all(engine.busy > 0 for engine in simulation.engines)


@pytest.mark.parametrize(("file", "linked"), [("two_near", False), ("two_near_linked", True)])
def test_a_buffer_between_two_memories_takes_the_link_between_them(file: str, linked: bool) -> None:
    target = find_machine(MACHINES / f"{file}.toml")
    plan = planned(network("ds-cnn", target), target)
    (pool,) = (grid for grid in grids(plan) if any(op.name == "nn.pool" for op in grid.body.walk()))
    assert level_of(pool.operands[0]) == ("SRAM" if linked else "")
    assert pool.tiles.data[0].level_name == "TCM"


def test_engines_with_memories_of_their_own_overlap() -> None:
    target = find_machine(MACHINES / "two_near_linked.toml")
    module = network("ds-cnn", target)
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    plan = planned(module, target)
    before = simulate(plan).cycles
    passes = parse_pipeline("expand-grid,pipeline-dma,overlap-engines,verify-levels", all_passes())
    for step in passes.steps:
        step.run.apply(new_context(), plan)
    verify_memory(plan)
    assert_same(plan, inputs, expected, "overlapped")
    assert simulate(plan).cycles < before


@pytest.mark.nightly
def test_sums_are_stored_in_accumulators_and_results_in_the_scratchpad() -> None:
    target = find_machine(MACHINES / "systolic_activation.toml")
    module = network("ds-cnn", target)
    check_plan(module, target, 0, double_buffered=True)
    plan = planned(module, target)
    sums = [scratch.type for grid in grids(plan) for scratch in grid.scratches]
    assert sums
    assert all(str(type.element_type) == "i32" and str(type.memory_space) == '"ACC"' for type in sums)
    resident = {level_of(value) for grid in grids(plan) for value in grid.operands}
    assert resident == {"", "SPAD"}
    simulation = simulate(plan)
    (core,) = (engine for engine in simulation.engines if engine.name == "core")
    assert simulation.cycles == sum(modelled_cycles(plan).values()) + core.busy
    assert {engine.name for engine in simulation.engines if engine.busy} == {"array", "activation", "core"}


@pytest.mark.nightly
def test_an_accumulator_of_256_sums_holds_no_more() -> None:
    target = with_sizes("systolic_activation", ACC=1 << 10, SPAD=16 << 10)
    module = network("resnet8", target)
    plan = planned(module, target)
    verify_memory(plan)
    assert_same(plan, (inputs := random_inputs(module, 0)), run_module(module, inputs), "on grids")
    for grid in grids(plan):
        assert sum(scratch.bytes for scratch in grid.scratches) <= 1 << 10
        assert all(
            scratch.byte_address is not None and scratch.byte_address + scratch.bytes <= 1 << 10
            for scratch in grid.scratches
        )


CHAIN = """
func.func @network(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %c: memref<16x16xi8>, %o: memref<16x16xi32>) {
  %t = memref.alloc() : memref<16x16xi8>
  nn.matmul ins(%a, %b : memref<16x16xi8>, memref<16x16xi8>) outs(%t : memref<16x16xi8>) {accumulator = i8, wraps}
  nn.matmul ins(%t, %c : memref<16x16xi8>, memref<16x16xi8>) outs(%o : memref<16x16xi32>) {accumulator = i32}
  func.return
}"""
MATRICES = """
description = "an array that leaves results in a memory of their own"
pipeline = "host"
levels.DRAM = { size = "1MiB" }
levels.SPAD = { size = "4KiB" }
levels.OUT = { size = "4KiB" }
links.fetch = { far = "DRAM", near = "SPAD", width = 8 }
links.store = { far = "DRAM", near = "OUT", width = 8 }
engines.array = { level = { ins = "SPAD", outs = "OUT" }, runs = { "*" = { cost = "per_element", cycles = 1 } } }
"""


@pytest.mark.parametrize(
    ("more", "home", "brought"),
    [
        ("", "", "SPAD"),
        ('links.across = { far = "OUT", near = "SPAD", direction = "in", width = 8 }', "OUT", "SPAD"),
        ('links.across = { far = "SPAD", near = "OUT", direction = "out", width = 8 }', "SPAD", None),
    ],
    ids=["by the far level", "fetched", "stored"],
)
def test_a_result_reaches_the_next_kernel(tmp_path: Path, more: str, home: str, brought: str | None) -> None:
    """By a store and a fetch over the far level, or over the link between the two near levels."""
    (tmp_path / "array.toml").write_text(MATRICES + more)
    target = find_machine(tmp_path / "array.toml")
    module = parse_module(new_context(), CHAIN)
    attach_machine(module, target)
    plan = planned(module, target)
    verify_memory(plan)
    last = grids(plan)[-1]
    assert (level_of(last.operands[0]), last.tiles.data[0].level_name) == (home, brought)
    assert simulate(plan).cycles == sum(modelled_cycles(plan).values())
    inputs = [np.arange(256, dtype=np.int8).reshape(16, 16) + seed for seed in range(3)]
    found = [np.zeros((16, 16), np.int32) for _ in range(2)]
    for each, result in zip((module, plan), found, strict=True):
        Interpreter(each).call("network", [*inputs, result])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.quick
def test_weights_are_read_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "array.toml").write_text(MATRICES.replace('outs = "OUT"', 'weights = "DRAM", outs = "OUT"'))
    target = find_machine(tmp_path / "array.toml")
    module = parse_module(new_context(), CHAIN)
    plan = planned(module, target)
    assert [[tile.level_name for tile in grid.tiles] for grid in grids(plan)] == [["SPAD", None, "OUT"]] * 2
    verify_memory(plan)


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        (('"OUT", width', '"OUT", direction = "in", width'), CHAIN, "no link leads from 'OUT' to 'DRAM'"),
        (('OUT = { size = "4KiB" }', 'OUT = { size = "4KiB", element = "i32" }'), CHAIN, "OUT cannot hold the outs of"),
        (('OUT = { size = "4KiB" }', "OUT = { size = 64 }"), CHAIN, None),
        (('OUT = { size = "4KiB" }', "OUT = { size = 4 }"), CHAIN, "no tiling of 'nn.matmul' fits OUT: 4 bytes short"),
        (
            ('OUT = { size = "4KiB" }', "OUT = { size = 4 }"),
            CHAIN,
            r"most of it: operand 2 has tiles of \[1, 8\], 8 bytes",
        ),
        (("cycles = 1", "cycles = 1, maxima = { n = 4 }, multiples = { n = 8 }"), CHAIN, "exclude each other along d1"),
    ],
    ids=["no link back", "other elements", "small", "too small", "largest tile", "blocks above the maximum"],
)
def test_what_has_no_place_is_refused(tmp_path: Path, change: tuple[str, str], text: str, expected: str | None) -> None:
    (tmp_path / "array.toml").write_text(MATRICES.replace(*change))
    target = find_machine(tmp_path / "array.toml")
    module = parse_module(new_context(), text)
    if expected is None:
        verify_memory(planned(module, target))
        return
    with pytest.raises(Diagnostic, match=expected):
        planned(module, target)


def test_sums_that_no_engine_reads_are_refused(tmp_path: Path) -> None:
    (tmp_path / "systolic.toml").write_text(
        f'include = "{MACHINES / "systolic.toml"}"\n[levels.ACC]\nelement = "i32"\n'
    )
    target = find_machine(tmp_path / "systolic.toml")
    with pytest.raises(Diagnostic, match=r"no engine of 'systolic' takes the sums of 'nn\.matmul'") as error:
        planned(network("mlp", target), target)
    assert "name ACC among the levels of an engine's ins" in error.value.remedy


REQUANTIZED = """epilogue(%m : memref<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%sum: i32, %f: i32):
    %r = quant.requantize %sum, %f, %f shift 9 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }"""
TWO_PRODUCTS = f"""
func.func @network(%a: memref<16x32xi8>, %b: memref<32x32xi8>, %m: memref<32xi32>, %o: memref<16x32xi8>) {{
  %t = memref.alloc() : memref<16x32xi8>
  nn.matmul ins(%a, %b : memref<16x32xi8>, memref<32x32xi8>) outs(%t : memref<16x32xi8>)
    {{accumulator = i32, engine = "array"}} {REQUANTIZED}
  nn.matmul ins(%t, %b : memref<16x32xi8>, memref<32x32xi8>) outs(%o : memref<16x32xi8>)
    {{accumulator = i32, engine = "array"}} {REQUANTIZED}
  func.return
}}"""


def test_products_with_sums_of_their_own_are_fused() -> None:
    target = find_machine(MACHINES / "systolic_activation.toml")
    module = parse_module(new_context(), TWO_PRODUCTS)
    attach_machine(module, target)
    random = np.random.RandomState(0)
    a, b = random.randint(-8, 8, (16, 32)).astype(np.int8), random.randint(-8, 8, (32, 32)).astype(np.int8)
    inputs = [a, b, np.arange(32, dtype=np.int32) + 8]
    Interpreter(module).call("network", [*inputs, expected := np.zeros((16, 32), np.int8)])
    count = len(layers(module, target).options(0, 2, set()).front)
    assert count > 1
    for number in range(count):
        plan = module.clone()
        found = layers(plan, target)
        candidate = found.options(0, 2, set()).front[number]
        replace_by_grid(found, Choice(0, 2, candidate), {level.name: 0 for level in found.levels})
        verify_memory(plan)
        (grid,) = grids(plan)
        kinds = [(str(each.type.element_type), each.level_name) for each in grid.scratches]
        assert kinds == [("i8", "SPAD"), ("i32", "ACC"), ("i32", "ACC")]
        assert simulate(plan).cycles == candidate.cycles
        Interpreter(plan).call("network", [*inputs, result := np.zeros((16, 32), np.int8)])
        np.testing.assert_array_equal(result, expected)


def layers(module: ModuleOp, target: Machine) -> Layers:
    (function,) = functions(module)
    return layers_of(function.body.block, target, 0, double_buffered=True, keep_resident=True)
