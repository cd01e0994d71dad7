"""Random networks on machines with several copies of an engine: planned, proved and run, they compute the same."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import GridOp
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.memory.spreading import NOWHERE, SpatialMapping
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.machines.make import library, machine
from tilewright.test.passes.plans import assert_same, on_buffers, planned
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)
AFTER = "expand-grid,pipeline-dma,outline-kernels,convert-dma-to-loops"
PROVED = ("expand-grid", "pipeline-dma")


def machine_with_copies(draw: random.Random) -> tuple[Machine, int]:
    """Return a machine with two to four copies of its engine, and the bytes of the near memory to use at first."""
    levels, channels = draw.choice([2, 2, 3]), draw.choice([1, 2])
    own = draw.choice([(), ("L1",), ("L2", "L1"), ("L2",)] if levels == 3 else [(), ("L1",)])
    target = machine(64 << 10, levels=levels, channels=channels, copies=draw.randint(2, 4), own=own)
    return target, round(2 ** draw.uniform(6, 12))


def spread_grids(module: ModuleOp) -> list[GridOp]:
    return [op for op in module.walk() if isinstance(op, GridOp) and op.copies > 1]


def check(module: ModuleOp, target: Machine, level_bytes: int, passes: str) -> ModuleOp:
    """Plan a module and go on to some passes; what it computes is the same after each, and is proved."""
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    plan = planned(module, target, level_bytes)
    attach_machine(plan, target)
    plan = parse_module(new_context(), print_ir(plan))
    has_copies = bool(spread_grids(plan))
    verify_memory(plan)
    assert_same(plan, inputs, expected, "on grids")
    for step in parse_pipeline(passes, all_passes()).steps:
        step.run.apply(new_context(), plan)
        verify(plan)
        if step.name in PROVED:
            verify_memory(plan)
            assert has_copies == any(isinstance(op, scf.ParallelOp) for op in plan.walk())
        assert_same(plan, inputs, expected, f"after {step.name}")
    return plan


@pytest.mark.sample(8)
@examples(25)
@given(networks(ALL, largest=3), st.integers(0, 1 << 16))
def test_random_networks_on_copies(network: Network, seed: int) -> None:
    module = on_buffers(import_model(network.model, input_types=network.input_types))
    check(module, *machine_with_copies(random.Random(seed)), AFTER)


@examples(3)
@given(networks(REDUCING, largest=2), st.integers(0, 1 << 16))
def test_random_networks_on_copies_in_c(network: Network, seed: int) -> None:
    module = on_buffers(import_model(network.model, input_types=network.input_types))
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    passes = f"allocate-static,{AFTER},convert-kernels-to-loops,convert-to-emitc"
    host = HostNetwork(render(check(module, *machine_with_copies(random.Random(seed)), passes)), sanitize=True)
    found = host.run([inputs[port.name] for port in host.inputs])
    for port, array in zip(host.outputs, found, strict=True):
        np.testing.assert_array_equal(array, expected[port.name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["four_cores", "four_nodes"])
def test_a_network_is_faster_on_four_engines(name: str) -> None:
    """What the planner models is what the simulator finds, to the cycle, and near a quarter of the time."""
    module = on_buffers(import_model(zoo.build("ds-cnn")))
    target, alone = library(name), machine(cores_of := 64 << 10)
    plan = planned(module, target, target.level("L1").size)
    attach_machine(plan, target)
    verify_memory(plan)
    modelled = functions(plan)[0].attributes["hier.modelled_cycles"]
    assert isinstance(modelled, IntegerAttr)
    simulation = simulate(plan)
    assert simulation.cycles == modelled.value.data
    assert len(spread_grids(plan)) >= 9
    assert {grid.copies for grid in spread_grids(plan)} <= {2, 4}
    single = planned(module, alone, cores_of)
    attach_machine(single, alone)
    assert simulation.cycles < 0.5 * 8 * simulate(single).cycles


KERNEL = """
func.func @network(%a: memref<8x64xi8> {onnx.name = "a"}, %c: memref<8x64xi8> {onnx.name = "c", tilewright.output}) {
  nn.ita_max ins(%a : memref<8x64xi8>) outs(%c : memref<8x64xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}
"""


@pytest.mark.parametrize(("own", "level_bytes", "copies"), [(False, 512, 4), (True, 128, 4), (False, 256, 2)])
def test_copies_share_a_level_or_have_it_to_themselves(own: bool, level_bytes: int, copies: int) -> None:
    """Rows of 64 bytes, in and out: four copies need 512 bytes that they share, or 128 bytes each."""
    target = machine(level_bytes, copies=4, own=["L1"] * own)
    plan = planned(parse_module(new_context(), KERNEL), target, level_bytes)
    (grid,) = spread_grids(plan)
    assert grid.copies == copies
    assert grid.stride_in("L1") == (None if own else 128)
    assert grid.attributes["engine"] == StringAttr("cluster")


MATMUL = """
func.func @network(%a: memref<32x128xi8> {onnx.name = "a"}, %b: memref<128x40xi8> {onnx.name = "b"},
                   %c: memref<32x40xi32> {onnx.name = "c", tilewright.output}) {
  nn.matmul ins(%a, %b : memref<32x128xi8>, memref<128x40xi8>) outs(%c : memref<32x40xi32>) {accumulator = i32}
  func.return
}
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("own", [(), ("L1",), ("L2",), ("L2", "L1")])
def test_three_levels(own: tuple[str, ...]) -> None:
    """Copies are told apart in the first level that they have, with all that is further in; else in the nearest."""
    target = machine(1024, levels=3, l2=8192, copies=4, own=own)
    target = replace(target, links=tuple(replace(link, width=16) for link in target.links))
    plan = check(parse_module(new_context(), MATMUL), target, 1024, "expand-grid,pipeline-dma")
    assert simulate(plan, machine=target).cycles > 0
    plan = planned(parse_module(new_context(), MATMUL), target, 1024)
    grids = spread_grids(plan)
    outermost = [grid for grid in grids if not isinstance(grid.parent_op(), GridOp)]
    assert len(grids) == 1
    assert len(outermost) == ("L2" in own)
    assert (grids[0].stride_in("L1") is None) == ("L1" in own)
    assert grids[0].stride_in("L2") is None


def test_spread() -> None:
    spread = SpatialMapping(((0, 2), (2, 3)))
    assert (spread.copies, NOWHERE.copies) == (6, 1)
    assert spread.counts((4, 5, 3)) == (2, 5, 1)
    assert spread.order((2, 0, 1), (4, 5, 3)) == (0, 1)
    assert list(spread.begins((4, 5, 3)))[:4] == [{0: 0, 2: 0}, {0: 0, 2: 1}, {0: 0, 2: 2}, {0: 2, 2: 0}]
    assert list(NOWHERE.begins((4, 5))) == [{}]
