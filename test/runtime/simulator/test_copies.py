"""Copies of an engine that work at once: their time counted by hand, by the planner, and by what must hold."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.runtime.simulator.page import data_of
from tilewright.runtime.simulator.trace import trace_of
from tilewright.test.machines.make import machine
from tilewright.test.runtime.simulator.copied_grids import GRID, OWN, SHARED
from tilewright.test.runtime.simulator.programs import modelled_cycles, planned

KIB = 1024


def simulated(spatial: str, near: Machine) -> Simulation:
    return simulate(parse_module(new_context(), GRID.replace("SPATIAL", spatial)), machine=near)


def busy(simulation: Simulation) -> int:
    return sum(engine.busy for engine in simulation.engines)


@pytest.mark.parametrize(("spatial", "own"), [(SHARED, False), (OWN, True)])
def test_two_copies_by_hand(spatial: str, own: bool) -> None:
    """
    A transfer takes 16 cycles of start-up and 16 of data. The second copy's first tile comes after the first one's.
    When it has computed, the first copy has begun to write and to fetch: it has to wait for 32 cycles until the link
    has done so, for 64 until it has written and fetched itself, and writes once more in the end.
    """
    simulation = simulated(spatial, machine(copies=2, own=["L1"] * own))
    kernel = busy(simulation) // 4
    assert kernel > 4 * 32
    assert simulation.cycles == (32 + 32) + kernel + (32 + 64) + kernel + 32
    assert [engine.name for engine in simulation.engines] == ["cluster.0", "cluster.1"]
    assert [engine.calls for engine in simulation.engines] == [2, 2]
    (layer,) = simulation.layers
    assert (layer.cycles, layer.busy, layer.calls, layer.transfers) == (simulation.cycles, 2 * kernel, 4, 8)
    (near,) = (level for level in simulation.levels if level.name == "L1")
    assert near.copies == (2 if own else 1)


def test_copies_that_are_not_there_take_turns() -> None:
    simulation = simulated(SHARED, machine())
    assert [engine.name for engine in simulation.engines] == ["cluster"]
    assert simulation.cycles >= busy(simulation)
    (layer,) = simulation.layers
    assert layer.cycles == simulation.cycles


def test_a_channel_more_lets_start_ups_overlap() -> None:
    """Those of the first two tiles, of the first copy's next transfers, and of the second's."""
    one, two = (simulated(SHARED, machine(copies=2, channels=channels)).cycles for channels in (1, 2))
    assert two == one - 3 * 16


@pytest.mark.sample(1)
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(("network", "copies"), [("mlp", 4), ("ds-cnn", 3)])
def test_the_plan_takes_what_it_is_modelled_to(network: str, copies: int, own: bool, channels: int) -> None:
    near = machine(64 * KIB, copies=copies, own=["L1"] * own, channels=channels, bandwidth=2)
    module = planned(network, near)
    simulation = simulate(module)
    assert simulation.cycles == sum(modelled_cycles(module).values())
    assert sum(layer.cycles for layer in simulation.layers) == simulation.cycles
    for engine in simulation.engines:
        assert engine.busy + engine.wait_in + engine.wait_out + engine.idle == simulation.cycles
        assert engine.idle >= 0
    for resource in {event.resource for event in simulation.events}:
        spans = sorted((event.start, event.end) for event in simulation.events if event.resource == resource)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_copies_are_shown() -> None:
    simulation = simulated(SHARED, machine(copies=2))
    names = {event["args"].get("name") for event in trace_of(simulation)["traceEvents"] if event["ph"] == "M"}
    assert {"cluster.0", "cluster.1", "dma.0"} <= names
    data = data_of(simulation, "network")
    assert data["tracks"] == ["cluster.0", "cluster.1", "dma.0"]
    (engine,) = data["engines"]
    assert engine["busy"] == busy(simulation)


REDUCED = """
func.func @network(%a: memref<8xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = "scf.parallel"(%0, %1, %1, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    "scf.reduce"(%z) ({
    ^bb1(%x: i32, %y: i32):
      scf.reduce.return %x : i32
    }) : (i32) -> ()
  }) : (index, index, index, i32) -> i32
  func.return
}
"""


def test_reductions_of_parallel_loops_are_named() -> None:
    with pytest.raises(Diagnostic, match="a parallel loop with reductions"):
        simulate(parse_module(new_context(), REDUCED), machine=machine())
