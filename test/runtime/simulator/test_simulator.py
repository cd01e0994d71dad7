"""What the simulator counts, against counts made in other ways; and what must hold of modelled time."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import StringAttr

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.machine.engine import ProgramCosts
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import GridOp
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.timing.programs import grid_program
from tilewright.passes.timing.resources import LinkTime
from tilewright.passes.timing.timeline import makespan
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.test.machines.make import library, machine
from tilewright.test.runtime.simulator.programs import (
    counted_by_isl,
    critical_path,
    grids_of,
    moved_bytes,
    planned,
    transfers_of,
    with_stages,
    work_of,
)

quick = pytest.mark.quick
NETWORKS = ["ds-cnn", pytest.param("mlp", marks=quick)]
KIB = 1024


def totals(simulation: Simulation) -> tuple[int, int]:
    return sum(link.bytes_in for link in simulation.links), sum(link.bytes_out for link in simulation.links)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("network", "l1"), [("ds-cnn", 8 * KIB), ("mlp", 8 * KIB), ("mlp", 64 * KIB)])
def test_bytes_are_those_of_the_maps(network: str, l1: int) -> None:
    module = planned(network, machine(l1))
    walked = [moved_bytes(grid) for grid in grids_of(module)]
    counted = sum(counted_by_isl(grid, index) for grid in grids_of(module) for index in range(len(grid.operands)))
    assert totals(simulate(module)) == tuple(map(sum, zip(*walked, strict=True)))
    assert sum(totals(simulate(module))) == counted


@pytest.mark.sample(1)
@pytest.mark.parametrize(("network", "channels"), [("ds-cnn", 2), ("mlp", 1), ("mlp", 2), ("mlp", 3)])
def test_a_grid_takes_what_its_streams_take(network: str, channels: int) -> None:
    """The program, walked op by op, and the recurrence over steps agree to the cycle."""
    program = ProgramCosts(issue=30, command=13, clip=50, fill=4, wait=16)
    near = with_program(machine(8 * KIB, channels=channels, bandwidth=2), program)
    module = planned(network, near)
    assert simulate(module).cycles == sum(time_of_streams(grid, near) for grid in grids_of(module))


def with_program(near: Machine, program: ProgramCosts) -> Machine:
    engine, *others = near.engines
    return replace(near, engines=(replace(engine, program=program), *others))


def time_of_streams(grid: GridOp, near: Machine) -> int:
    steps, transfers = transfers_of(grid, near)
    links = [LinkTime(near.link("dma").channels)]
    return makespan([grid_program(steps, work_of(grid, near), transfers, links)])


@quick
def test_nothing_is_busy_for_longer_than_the_run() -> None:
    simulation = simulate(planned("mlp", machine(8 * KIB, channels=2)))
    (engine,), (link,) = simulation.engines, simulation.links
    assert engine.busy + engine.wait_in + engine.wait_out + engine.idle == simulation.cycles
    assert engine.idle >= 0
    assert max(link.busy, *link.channels) <= simulation.cycles
    assert simulation.cycles >= critical_path(simulation)
    for resource in {event.resource for event in simulation.events}:
        events = sorted(event for event in simulation.events if event.resource == resource)
        ends = sorted((event.start, event.end) for event in events)
        assert all(before[1] <= after[0] for before, after in pairwise(ends))


def test_layers_account_for_all_of_the_time_and_work() -> None:
    simulation = simulate(planned("ds-cnn", machine()))
    assert sum(layer.cycles for layer in simulation.layers) == simulation.cycles
    assert simulation.macs == zoo.cost(zoo.build("ds-cnn")).macs
    assert sum(operator.busy for operator in simulation.operators) == simulation.engines[0].busy
    assert simulation.energy == pytest.approx(simulation.engines[0].energy + simulation.links[0].energy)


@pytest.mark.nightly
@pytest.mark.parametrize("network", NETWORKS)
def test_two_buffers_are_never_slower_than_one(network: str) -> None:
    module = planned(network, machine(8 * KIB, bandwidth=1))
    single, double = simulate(with_stages(module, 1)), simulate(with_stages(module, 2))
    assert double.cycles < single.cycles
    slower = [d.nodes for s, d in zip(single.layers, double.layers, strict=True) if d.cycles > s.cycles]
    assert not slower


@pytest.mark.sample(8)
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 4), st.integers(0, 5), st.integers(0, 200), st.sampled_from([0, 64, 256]))
def test_a_better_link_never_slows_a_program(channels: int, width: int, startup: int, burst: int) -> None:
    base = machine(8 * KIB)
    module = planned("mlp", base)
    link = replace(base.link("dma"), channels=channels, width=1 << width, startup=startup, burst=burst)
    changes = {"channels": channels + 1}, {"width": 2 << width}, {"startup": startup // 2}
    better = [replace(link, **change) for change in changes]
    time, *times = (simulate(module, machine=replace(base, links=(each,))).cycles for each in (link, *better))
    assert max(times) <= time


def test_grids_are_simulated_as_what_they_expand_to() -> None:
    module = planned("mlp", machine(8 * KIB))
    before = str(module)
    whole = simulate(module)
    assert str(module) == before
    PassManager().run(module, parse_pipeline("allocate-static,expand-grid,pipeline-dma", all_passes()), new_context())
    explicit = simulate(module)
    assert (explicit.cycles, explicit.layers) == (whole.cycles, whole.layers)
    PassManager().run(module, parse_pipeline("outline-kernels", all_passes()), new_context())
    called = simulate(module)
    assert called.cycles == whole.cycles
    assert [layer.nodes for layer in called.layers] == [layer.nodes for layer in whole.layers]


def with_banks(base: Machine, width: int) -> Machine:
    levels = [replace(level, banks=1, bank_width=width if level.name == "L1" else 0) for level in base.levels]
    return replace(base, levels=tuple(levels))


def test_banks_slow_a_kernel_beside_transfers() -> None:
    """Where banks deliver no more than the link takes, kernels wait while it moves data."""
    wide = machine(6 * KIB, bandwidth=64)
    narrow, free = with_banks(wide, 64), with_banks(wide, 0)
    module = planned("ds-cnn", wide)
    conflicts = [sum(layer.conflicts for layer in simulate(module, machine=m).layers) for m in (free, narrow)]
    assert conflicts[0] == 0
    assert conflicts[1] > 0


@quick
def test_one_level_needs_no_transfers() -> None:
    simulation = simulate(planned("mlp", library("flat")))
    assert simulation.cycles == sum(engine.busy for engine in simulation.engines)
    assert not simulation.links
    assert all(layer.intensity > 0 and layer.limited_by == "engine" for layer in simulation.layers)


@pytest.mark.nightly
def test_who_is_alive_at_the_peak() -> None:
    simulation = simulate(planned("ds-cnn", machine(16 * KIB)))
    (near,) = (level for level in simulation.levels if level.name == "L1")
    assert near.peak <= near.size
    assert near.peak == sum(each.bytes for each in near.alive)
    ends = sorted((each.address, each.address + each.bytes) for each in near.alive)
    assert all(before[1] <= after[0] for before, after in pairwise(ends))
    assert any(each.name.endswith("weight") for each in near.alive)


_SCRIPT = """
from tilewright.test.machines.make import machine
from tilewright.test.runtime.simulator.programs import planned
from tilewright.runtime.simulator import simulate
print(simulate(planned("mlp", machine(8 << 10))))
"""


@pytest.mark.nightly
def test_the_hash_seed_changes_nothing() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", _SCRIPT], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


PROGRAM = """
builtin.module {
  func.func @network(%a: memref<64x8xi8>, %b: memref<64x8xi8> {tilewright.output}) {
    %near = memref.alloc() : memref<16x4xi8, "L1">
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %four step %one {
      %size = arith.constant 16 : index
      %row = arith.muli %i, %size : index
      %off = arith.subi %row, %four : index
      %t = hier.dma_start %a[%off, %four] to %near clipped fill 7 : i8 : memref<64x8xi8>, memref<16x4xi8, "L1">
      hier.dma_wait %t
      %u = hier.dma_start %b[%row, %four] from %near : memref<64x8xi8>, memref<16x4xi8, "L1">
      hier.dma_wait %u
    }
    func.return
  }
}
"""


@quick
def test_transfers_by_hand() -> None:
    """
    16 rows of 4 bytes, strided: 16 cycles of start-up and one cycle a row.

    The first tile hangs over by 4 rows, whose 16 bytes are filled in 2 cycles.
    """
    module = parse_module(new_context(), PROGRAM)
    simulation = simulate(module, machine=machine())
    (link,) = simulation.links
    assert (link.bytes_in, link.bytes_out, link.transfers) == (3 * 64 + 48, 4 * 64, 8)
    assert link.busy == (12 + 2) + 7 * 16
    assert simulation.cycles == link.busy + 8 * 16
    assert [event.bytes for event in simulation.events if event.kind == "in"] == [48, 64, 64, 64]


COPIES = """
builtin.module {
  func.func @network(%a: memref<4x20xi8>, %b: memref<4x20xi8>) {
    %near = memref.alloc() : memref<4x20xi8, "L1">
    "memref.copy"(%a, %near) : (memref<4x20xi8>, memref<4x20xi8, "L1">) -> ()
    "memref.copy"(%near, %b) : (memref<4x20xi8, "L1">, memref<4x20xi8>) -> ()
    "memref.copy"(%a, %b) : (memref<4x20xi8>, memref<4x20xi8>) -> ()
    func.return
  }
}
"""


@quick
def test_copies_by_hand() -> None:
    """Between levels 16 + 80 / 8 cycles each; within one 2 accesses of 15 cycles an element on 8 cores, and set-up."""
    simulation = simulate(parse_module(new_context(), COPIES), machine=machine())
    assert totals(simulation) == (80, 80)
    assert simulation.cycles == 2 * 26 + 90 + 2 * 15 * 80 // 8


def fails(text: str, near: Machine | None) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        simulate(parse_module(new_context(), text), machine=near)
    return caught.value


@quick
def test_what_cannot_be_simulated_is_named() -> None:
    assert "no machine" in fails(PROGRAM, None).message
    assert "no function 'network'" in fails("builtin.module {}", machine()).message
    load = '%v = memref.load %near[%zero, %zero] : memref<16x4xi8, "L1">'
    error = fails(PROGRAM.replace("scf.for", f"{load}\n    scf.for"), machine())
    assert "'memref.load' cannot be simulated" in error.message
    assert "convert-kernels-to-loops" in error.remedy
    assert "'L9'" in fails(PROGRAM.replace('"L1"', '"L9"'), machine()).message


@quick
def test_a_division_by_zero_is_refused() -> None:
    error = fails(PROGRAM.replace("scf.for", "%none = arith.divui %zero, %zero : index\n    scf.for"), machine())
    assert "divided by zero" in error.message


@quick
def test_an_engine_that_does_not_run_a_kernel_is_named() -> None:
    module = planned("mlp", machine())
    PassManager().run(module, parse_pipeline("expand-grid,pipeline-dma", all_passes()), new_context())
    for kernel in [op for function in functions(module) for op in function.walk() if is_kernel(op)]:
        assert kernel.attributes["engine"] == StringAttr("cluster")
        kernel.attributes["engine"] = StringAttr("nobody")
    with pytest.raises(Diagnostic, match="no engine 'nobody'"):
        simulate(module)
