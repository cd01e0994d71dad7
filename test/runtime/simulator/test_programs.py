"""Concurrent programs in time: streams, replication over instances, and hops between neighbours, counted by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.routes import route_between
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.machines.make import FOLDER, library
from tilewright.test.runtime.simulator.sound import faults

SENT = """
func.func @network(%x: memref<1x64xi8> {onnx.name = "x"}, %y: memref<1x64xi8> {onnx.name = "y", tilewright.output}) {
  %zero = arith.constant 0 : index
  %i = arith.constant ROW : index
  %j = arith.constant COLUMN : index
  %s = hier.stream depth 1 : !hier.stream<memref<1x64xi8, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "send" on "array" {
      %own = memref.alloc() : memref<1x64xi8, "NODE">
      %in = hier.dma_start %x[%zero, %zero] to %own : memref<1x64xi8>, memref<1x64xi8, "NODE">
      hier.dma_wait %in
      %slot = hier.reserve %s[%i, %j] : !hier.stream<memref<1x64xi8, "NODE"> over [4, 4]>
      %sent = hier.dma_start %own[%zero, %zero] to %slot : memref<1x64xi8, "NODE">, memref<1x64xi8, "NODE">
      hier.dma_wait %sent
      hier.push %s[%i, %j] : !hier.stream<memref<1x64xi8, "NODE"> over [4, 4]>
    }
    hier.program "receive" on "array" {
      %got = hier.pop %s[%i, %j] : !hier.stream<memref<1x64xi8, "NODE"> over [4, 4]>
      %out = hier.dma_start %y[%zero, %zero] from %got : memref<1x64xi8>, memref<1x64xi8, "NODE">
      hier.dma_wait %out
      hier.release %s[%i, %j] : !hier.stream<memref<1x64xi8, "NODE"> over [4, 4]>
    }
  }
  func.return
}
"""


def sent_to(row: int, column: int, machine: Machine) -> ModuleOp:
    module = parse_module(new_context(), SENT.replace("ROW", str(row)).replace("COLUMN", str(column)))
    attach_machine(module, machine)
    return module


LAUNCHED = """
#id = affine_map<(d0) -> (d0)>
func.func @network(%x: memref<4096xf32>, %y: memref<4096xf32> {tilewright.output},
                   %z: memref<4096xf32> {tilewright.output}) {
  hier.concurrent {
    hier.program "first" on "little" {
      %job = hier.launch {
        linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) attrs = {engine = "little"} {
        ^bb0(%a: f32, %o: f32):
          linalg.yield %a : f32
        }
      }
      hier.join %job
    }
    hier.program "second" on "big" {
      %job = hier.launch {
        linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%x : memref<4096xf32>) outs(%z : memref<4096xf32>) attrs = {engine = "big"} {
        ^bb0(%a: f32, %o: f32):
          linalg.yield %a : f32
        }
      }
      hier.join %job
    }
  }
  func.return
}
"""


@pytest.mark.quick
@pytest.mark.parametrize("swapped", [False, True])
def test_cycles_of_launched_kernels_are_those_of_the_slowest_program(swapped: bool) -> None:
    """A program that waits for its kernel is not charged to the kernel that another program has launched."""
    text = LAUNCHED.replace('"little"', '"?"').replace('"big"', '"little"').replace('"?"', '"big"')
    module = parse_module(new_context(), text if swapped else LAUNCHED)
    attach_machine(module, library("phone"))
    simulation = simulate(module)
    spent = {layer.nodes: (layer.busy, layer.hidden) for layer in simulation.layers}
    slow, fast = ("second", "first") if swapped else ("first", "second")
    assert simulation.cycles == ceil(4096 * 1800 / 1416), "an element per cycle at 1416 of 1800 MHz"
    assert spent == {(slow,): (simulation.cycles, 0), (fast,): (0, 0)}


FETCHED = """
#id = affine_map<(d0) -> (d0)>
func.func @network(%x: memref<4096xi8>, %y: memref<64xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  hier.concurrent {
    hier.program "fetch" ON {
      %near = memref.alloca() : memref<4096xi8, "L1">
      %in = hier.dma_start %x[%zero] to %near : memref<4096xi8>, memref<4096xi8, "L1"> loc("node")
      hier.dma_wait %in loc("node")
    }
    hier.program "compute" on "cluster" {
      %far = memref.alloca() : memref<64xi8, "L1">
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%far : memref<64xi8, "L1">) outs(%far : memref<64xi8, "L1">) {
      ^bb0(%a: i8, %o: i8):
        linalg.yield %a : i8
      } loc("node")
    }
  }
  func.return
}
"""


@pytest.mark.quick
@pytest.mark.parametrize(("on", "waits"), [("", 0), ('on "cluster"', 16 + 4096 // 8 - (90 + 12 * 64 // 8))])
def test_an_engine_waits_while_none_of_its_programs_computes(on: str, waits: int) -> None:
    """A program on no engine fetches without a wait of one; one on the same engine waits beside the kernel."""
    module = parse_module(new_context(), FETCHED.replace("ON", on))
    attach_machine(module, library("two_level"))
    simulation = simulate(module)
    (engine,) = simulation.engines
    assert (engine.busy, engine.wait_in, engine.wait_out) == (90 + 12 * 64 // 8, waits, 0)
    assert engine.idle == simulation.cycles - engine.busy - waits
    assert not list(faults(simulation))


@pytest.mark.parametrize(("to", "hops"), [((0, 0), 1), ((0, 1), 1), ((1, 0), 1), ((1, 2), 3), ((3, 3), 6)])
def test_a_tile_sent_to_another_node(to: tuple[int, int], hops: int) -> None:
    """64 bytes: 8 + 2 cycles from the host, 8 per hop, and 8 + 2 back, one after the other."""
    module = sent_to(*to, library("mesh_4x4"))
    assert simulate(module).cycles == 10 + 8 * hops + 10
    inputs = random_inputs(module, 0)
    np.testing.assert_array_equal(TimedSession(module).run(inputs)["y"], inputs["x"])


def test_a_torus_goes_the_shorter_way_round() -> None:
    mesh = library("mesh_4x4")
    torus = replace(mesh, links=tuple(replace(e, neighbours="torus") if e.neighbours else e for e in mesh.links))
    assert simulate(sent_to(3, 3, torus)).cycles == 10 + 8 * 2 + 10
    assert route_between((4, 4), torus.link("noc"), 0, 12) == ((0, 12),)
    assert route_between((4, 4), mesh.link("noc"), 0, 5) == ((0, 1), (1, 5))


def test_a_missing_instance_is_refused() -> None:
    with pytest.raises(Diagnostic, match="an instance that does not exist"):
        simulate(sent_to(4, 0, library("mesh_4x4")))


def test_a_program_of_the_mesh_in_time() -> None:
    """The data that arrive in the modelled time are those of the interpreter; 16 nodes beat one by far."""
    module = parse_module(new_context(), text_of("split_k"))
    attach_machine(module, library("mesh_4x4"))
    simulation = simulate(module)
    assert simulation.cycles == 1504
    assert sum(engine.busy > 0 for engine in simulation.engines) == 16
    assert sum(engine.busy for engine in simulation.engines) > 4 * simulation.cycles
    inputs = random_inputs(module, 0)
    found, expected = TimedSession(module).run(inputs), run_module(module, inputs)
    for port, array in expected.items():
        np.testing.assert_array_equal(found[port], array)


def test_a_missing_wait_gives_wrong_results_in_time() -> None:
    module = parse_module(new_context(), text_of("split_k").replace("hier.dma_wait %ta\n", ""))
    attach_machine(module, library("mesh_4x4"))
    inputs = random_inputs(module, 0)
    assert not np.array_equal(TimedSession(module).run(inputs)["c"], run_module(module, inputs)["c"])


def test_programs_that_block_forever() -> None:
    module = parse_module(new_context(), re.sub(r"hier\.push .*\n", "", text_of("split_k"), count=1))
    attach_machine(module, library("mesh_4x4"))
    with pytest.raises(Diagnostic, match=r"program 'node\[\d, \d\]' blocks forever at 'hier.pop'"):
        simulate(module)


def text_of(name: str) -> str:
    return (FOLDER / "programs" / f"mesh_{name}.mlir").read_text(encoding="utf-8")
