"""Rings of the programs that the pipeline makes: proved, and simulated, to be free of contention."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import AllGatherOp
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.verify_link_loads import verify_link_loads
from tilewright.runtime.simulator.simulate import simulate
from tilewright.test.targets.pim.networks import Block

ROUTER, WIDTH = 4, 8
MESHES = [(4, 4), (1, 4), (2, 3)]


@cache
def sharded(rows: int, columns: int) -> ModuleOp:
    """Return a block on a mesh, with rings as gatherings of sharded values."""
    with TemporaryDirectory() as name:
        file, machine = Path(name) / "block.onnx", Path(name) / "mesh.toml"
        file.write_bytes(Block(0, tokens=12, heads=4, width=3).model().SerializeToString())
        count = [rows, columns]
        machine.write_text(f'include = "pim/2x2"\n[levels.NODE]\ncount = {count}\n[engines.array]\ncount = {count}\n')
        return compile_model(Model(file), str(machine), stop_after="sharded").module


def lowered(module: ModuleOp, passes: str) -> ModuleOp:
    made = module.clone()
    PassManager().run(made, parse_pipeline(passes, all_passes()), new_context())
    return made


@pytest.mark.sample(1)
@pytest.mark.parametrize("mesh", MESHES)
def test_links_carry_one_transfer_of_a_phase(mesh: tuple[int, int]) -> None:
    gathered = [op for op in sharded(*mesh).walk() if isinstance(op, AllGatherOp)]
    module = lowered(sharded(*mesh), "lower-sharded,allocate-sharded,canonicalize,cse,fuse-programs,hoist-transfers")
    assert verify_link_loads(module) >= len(gathered) > 0


@pytest.mark.parametrize("mesh", MESHES)
def test_transfers_of_rings_wait_for_no_link(mesh: tuple[int, int]) -> None:
    """The simulator takes for each the cycles of its data and of the routers on its way; copies within pass none."""
    found = [each for each in simulate(lowered(sharded(*mesh), "lower-sharded")).events if each.resource == "noc.0"]
    beyond = {each.end - each.start - -(-each.bytes // WIDTH) for each in found}
    routes = {ROUTER * (hops + 1) for extent in mesh if extent > 1 for hops in (1, extent - 1)}
    assert {each for each in beyond if each >= 2 * ROUTER} == routes
