"""Profiles of networks on every target, variant and machine: no engine beats its peak, layers add up to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model, machine_named, pipeline_of
from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import variants
from tilewright.dialects.core.machine.targets import machines
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline
from tilewright.passes.explicit.events import queue_of
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.runtime.simulator.explicit import last_explicit
from tilewright.runtime.simulator.result import KernelTotals, LayerCost
from tilewright.runtime.simulator.simulate import expanded
from tilewright.runtime.tools import profile
from tilewright.test.machines.make import FOLDER, library
from tilewright.test.random.networks.symmetric import random_matmul
from tilewright.test.runtime.simulator.instructions import with_instructions
from tilewright.test.runtime.simulator.sound import faults, is_same_again
from tilewright.test.small_models import save, small

TARGETS = [*machines(), *variants()]
MACHINES = sorted(file.stem for file in FOLDER.glob("*.toml"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("sound") / "small.onnx"
    save(small(), path)
    return Model(path)


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    """Two engines that work at once on kernels in parts."""
    path = tmp_path_factory.mktemp("sound") / "resnet8.onnx"
    path.write_bytes(zoo.build("resnet8").SerializeToString())
    return profile.profile(Model(path), "siracusa")


@pytest.mark.sample(4)
@pytest.mark.parametrize("target", TARGETS)
def test_targets(model: Model, target: str) -> None:
    assert not list(faults(profile.profile(model, target)))


@pytest.mark.sample(4)
@pytest.mark.parametrize("target", TARGETS)
def test_a_walk_begun_again_finds_an_idle_machine(model: Model, target: str) -> None:
    assert is_same_again(expanded(profile.explicit_program(model, target)))


def test_a_walk_begun_again_finds_empty_queues_and_no_streams(tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    path.write_bytes(random_matmul(3)[0].SerializeToString())
    module = compile_model(Model(path), "gemmini", stop_after="array").module
    assert any(queue_of(type(op)) for op in module.walk())
    assert is_same_again(module)
    module = parse_module(new_context(), (FOLDER / "programs" / "mesh_split_k.mlir").read_text(encoding="utf-8"))
    attach_machine(module, library("mesh_4x4"))
    assert is_same_again(module)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", MACHINES)
def test_machines(model: Model, name: str) -> None:
    assert not list(faults(profile.profile(model, str(FOLDER / f"{name}.toml"))))


@pytest.mark.nightly
def test_engines_that_work_at_once(resnet: Simulation) -> None:
    assert not list(faults(resnet))
    assert {layer.engine for layer in resnet.layers} >= {"npu", "cluster", "cluster + npu"}
    assert any(layer.hidden for layer in resnet.layers)
    for layer in resnet.layers:
        assert layer.engine != "npu" or layer.points == layer.macs
    (npu,) = (engine for engine in resnet.engines if engine.name == "npu")
    assert npu.peak == 1152


def with_layer(simulation: Simulation, number: int, layer: LayerCost) -> Simulation:
    return replace(simulation, layers=(*simulation.layers[:number], layer, *simulation.layers[number + 1 :]))


def with_engines(layer: LayerCost, engines: Sequence[KernelTotals]) -> LayerCost:
    return replace(layer, engines={engine.name: engine for engine in engines})


def test_planted_faults_are_found(resnet: Simulation) -> None:
    """Cycles on another layer, engines under another name or in another order, and work that is too much."""
    numbers = [number for number, layer in enumerate(resnet.layers) if len(layer.engines) == 2]
    number, layer = numbers[0], resnet.layers[numbers[0]]
    first, second = layer.engines.values()
    rate = 0.99 * layer.engines["npu"].macs / layer.engines["npu"].busy
    wrong = [
        replace(layer, busy=layer.busy - 1),
        with_engines(layer, [second, first]),
        with_engines(layer, [first]),
        with_engines(layer, [replace(first, name=second.name), replace(second, name=first.name)]),
        with_engines(layer, [replace(first, busy=first.busy + 1), second]),
        with_engines(layer, [replace(each, least=each.macs / rate) for each in layer.engines.values()]),
        replace(layer, points=layer.points * 1000),
    ]
    assert all(list(faults(with_layer(resnet, number, each))) for each in wrong)


PROGRAM = """
builtin.module {
  func.func @network(%a: memref<64xi8, "L1">, %b: memref<64xi8, "L1">, %c: memref<64xi8, "L1">,
                     %d: memref<4096xi8, "L1">, %e: memref<4096xi8, "L1">) {
    %t = hier.launch {
      GENERIC ins(%a : memref<64xi8, "L1">) outs(%b : memref<64xi8, "L1">) BODY loc("first")
    }
    %u = hier.launch {
      GENERIC ins(%a : memref<64xi8, "L1">) outs(%c : memref<64xi8, "L1">) BODY loc("second")
    }
    "memref.copy"(%d, %e) : (memref<4096xi8, "L1">, memref<4096xi8, "L1">) -> () loc("third")
    hier.join %t loc("first")
    hier.join %u loc("second")
    func.return
  }
}
"""
GENERIC = """linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]}"""
BODY = """attrs = {engine = "npu"} {
      ^bb0(%x: i8, %y: i8):
        linalg.yield %x : i8
      }"""


@pytest.mark.quick
def test_kernels_beside_the_program_by_hand() -> None:
    """
    Each kernel takes 50 cycles of set-up and 2 for each of its elements; the copy is longer than both.

    The second kernel is set up while the first one runs: in the first one's layer. What the copy takes while a kernel
    runs is in that kernel's layer, and hidden in the copy's.
    """
    text = PROGRAM.replace("GENERIC", GENERIC).replace("BODY", BODY)
    simulation = simulate(parse_module(new_context(), text), machine=library("two_engines"))
    first, second, third = simulation.layers
    assert not list(faults(simulation))
    assert (first.setup, first.busy, first.cycles) == (50, 128, 178)
    assert (second.setup, second.busy) == (0, 128)
    copied = sum(each.busy for each in third.engines.values())
    assert (third.hidden, third.busy) == (2 * 128 - 50, copied - (2 * 128 - 50))
    assert simulation.cycles == 100 + copied


@pytest.mark.parametrize("before", ["outline-kernels", "pipeline-dma", "expand-grid"])
def test_instructions_of_a_target(model: Model, before: str) -> None:
    """The simulation stops where kernels are still there, whatever pass turns them into something else."""
    target = str(FOLDER / "two_level.toml")
    module = last_explicit(model.load(), with_instructions(target, before), target, PassManager())
    assert any(is_kernel(op) for op in module.walk())
    found = simulate(module)
    assert not list(faults(found))
    if before != "expand-grid":
        assert found.macs == profile.profile(model, target).macs


def test_a_pipeline_without_kernels_on_buffers(model: Model) -> None:
    steps = [step for step in pipeline_of(machine_named("host")).steps if step.name != "bufferize"]
    with pytest.raises(Diagnostic, match="cannot be profiled"):
        last_explicit(model.load(), Pipeline(tuple(steps)), "host", PassManager())
