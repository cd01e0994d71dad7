"""Modelled cycles of the programs of a schedule: products are the schedule's, the sum is the simulator's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator.simulate import simulate
from tilewright.targets.pim.program_costs import steps_of
from tilewright.targets.pim.schedule.machine import mesh_of
from tilewright.targets.pim.schedule.model import PartitionCandidate, Scheme
from tilewright.targets.pim.schedule.records import BlockStage, MeshProfile
from tilewright.test.targets.pim.networks import Block

SLOWER = 'include = "pim/4x4"\n[links.noc]\nwidth = 4\nrouter = 1\n[links.io]\nwidth = 32\n'


def run(module: ModuleOp, passes: str) -> None:
    """Run passes on a module."""
    PassManager().run(module, parse_pipeline(f"builtin.module({passes})", all_passes()), new_context())


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("machine", "scheme", "tokens"), [("", (4, 2), 10), (SLOWER, (2, 2), 16)], ids=["4x4", "slower"]
)
def test_modelled_cycles_are_those_of_the_schedule_and_of_the_simulator(
    machine: str, scheme: tuple[int, int], tokens: int, tmp_path: Path
) -> None:
    count = 16 // (scheme[0] * scheme[1])
    block = Block(3, tokens=tokens, heads=4, width=8, count=count, expansion=4)
    (tmp_path / "block.onnx").write_bytes(block.model().SerializeToString())
    record = f'name = "1"\nchannels = 32\nheads = 4\nbranches = {count}\n'
    (tmp_path / "plan.toml").write_text(f"[[stage]]\n{record}layers = [{list(scheme)}]\n")
    (tmp_path / "mesh.toml").write_text(machine)
    target = str(tmp_path / "mesh.toml") if machine else "pim/4x4"
    module = compile_model(Model(tmp_path / "block.onnx"), target, stop_after="tensor").module
    plan = f'schedule-branches{{regular=true plan="{tmp_path}/plan.toml"}}'
    run(module, f'attach-machine{{target="{target}"}},find-branches,{plan}')
    run(module, "fuse-epilogues,canonicalize,cse,bufferize,map-engines,map-branches,shard-kernels")
    cycles = Counter[str]()
    for step in steps_of(module):
        cycles[step.kind] += step.cycles
    stage = BlockStage("1", 32, 4, 1, count, tokens, tokens, tokens)
    candidate = PartitionCandidate(stage, Scheme(*scheme), mesh_of(machine_of(module), MeshProfile()))
    assert cycles["products"] == sum(candidate.compute.values())
    run(module, "lower-sharded,allocate-sharded,canonicalize,cse")
    assert cycles.total() == pytest.approx(simulate(module).cycles, rel=0.02)


def test_a_loop_of_unknown_trip_count_is_refused() -> None:
    text = """
    func.func @network(%n: index) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      scf.for %i = %0 to %n step %1 { scf.yield }
      func.return
    }"""
    module = parse_module(new_context(), text)
    run(module, "attach-machine{target=pim/2x2}")
    with pytest.raises(Diagnostic, match="trip count"):
        steps_of(module)
