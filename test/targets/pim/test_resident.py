"""Weights that stay in the nodes of a mesh from call to call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tilewright import api
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.effects import root_of
from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.machine.attribute import ATTRIBUTE
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import ResidentOp
from tilewright.errors import Diagnostic
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.sharding.streaming import STREAMED
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter.boundary import Session
from tilewright.runtime.simulator.simulate import simulate
from tilewright.test.targets.pim.networks import Block

BLOCK = Block(0, tokens=16, heads=4, width=8)
MODEL = BLOCK.model().SerializeToString()
FLAGS = ("-Wall", "-Wextra", "-Werror", "-pthread")
PROGRAMS = "canonicalize,cse,fuse-programs,hoist-transfers,verify-link-loads"


def programs(folder: Path, capacity: int, mesh: str = "pim/2x2") -> ModuleOp:
    """Return the programs of a block, with so many bytes of a node for weights."""
    (folder / "block.onnx").write_bytes(MODEL)
    module = compile_model(Model(folder / "block.onnx"), mesh, stop_after="buffers").module
    shards = f"shard-kernels{{resident=true}},lower-sharded,allocate-sharded{{resident={capacity}}}"
    passes = f"attach-machine{{target={mesh}}},map-engines,{shards},{PROGRAMS}"
    PassManager().run(module, parse_pipeline(f"builtin.module({passes})", all_passes()), new_context())
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("capacity", "counts", "cycles"),
    [(0, (0, 14), (8112, 8112)), (3000, (9, 5), (7912, 7224)), (1 << 20, (14, 0), (8880, 4608))],
)
def test_calls_are_equal_and_later_ones_faster(
    capacity: int, counts: tuple[int, int], cycles: tuple[int, int], tmp_path: Path
) -> None:
    module = programs(tmp_path, capacity)
    verify_memory(module)
    found = sum(isinstance(op, ResidentOp) for op in module.walk())
    assert (found, sum(STREAMED in op.attributes for op in module.walk())) == counts
    assert (simulate(module).cycles, simulate(module, is_first=False).cycles) == cycles
    session, host, rng = Session(module), api.load(tmp_path / "block.onnx", "host"), np.random.default_rng(7)
    for _ in range(2):
        inputs = {"x": rng.standard_normal(BLOCK.shape).astype(np.float32)}
        np.testing.assert_allclose(session.run(inputs)["y"], host.run(inputs)["y"], rtol=1e-4, atol=1e-5)


@pytest.mark.nightly
def test_c_of_several_calls(tmp_path: Path) -> None:
    """The second call of a process computes with the weights that the first has loaded."""
    module = programs(tmp_path, 3000)
    rest = "allocate-static,verify-levels,verify-memory,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops"
    passes = parse_pipeline(f"builtin.module({rest},normalize-memrefs,convert-to-emitc)", all_passes())
    PassManager().run(module, passes, new_context())
    assert str(module).count("static int") == 9, "a flag for each resident weight"
    network = HostNetwork(render(module), flags=FLAGS)
    expected, rng = Session(programs(tmp_path, 0)), np.random.default_rng(7)
    for _ in range(2):
        inputs = {"x": rng.standard_normal(BLOCK.shape).astype(np.float32)}
        (found,) = network.run([inputs["x"]])
        np.testing.assert_allclose(found, expected.run(inputs)["y"], rtol=1e-5, atol=1e-6)


@pytest.mark.nightly
def test_resident_weights_fit_the_memory_of_a_node(tmp_path: Path) -> None:
    """A byte less than all take with shards, slots and buffers: one is streamed; if it is not, the proof refuses."""
    mesh, kept = tmp_path / "mesh.toml", list[ModuleOp]()
    for size, streamed in ((23744, 0), (23743, 1), (12000, 6)):
        mesh.write_text(f'include = "pim/2x2"\n[levels.NODE]\nsize = {size}\n')
        kept.append(programs(tmp_path, size, str(mesh)))
        verify_memory(kept[-1])
        assert sum(STREAMED in op.attributes for op in kept[-1].walk()) == streamed, size
    kept[0].attributes[ATTRIBUTE] = kept[1].attributes[ATTRIBUTE]
    with pytest.raises(Diagnostic, match="larger than instance"):
        verify_memory(kept[0])


def test_resident_weights_of_all_functions_count(tmp_path: Path) -> None:
    """Of two functions with weights of their own, the nodes hold those of both in all calls."""
    mesh = tmp_path / "mesh.toml"
    mesh.write_text('include = "pim/2x2"\n[levels.NODE]\nsize = 23744\n')
    module = programs(tmp_path, 1 << 20, str(mesh))
    (function,) = functions(module)
    twin = function.clone()
    twin.properties["sym_name"] = StringAttr("twin")
    module.body.block.add_op(twin)
    with pytest.raises(Diagnostic, match="larger than instance") as caught:
        verify_memory(module)
    assert caught.value.found == f"{23744 + 17088} bytes in a level of 23744"


def test_a_write_outside_of_the_region_is_refused(tmp_path: Path) -> None:
    """Planted: a kernel's result goes to the shard of a weight."""
    module = programs(tmp_path, 1 << 20)
    kept = {op.result for op in module.walk() if isinstance(op, ResidentOp)}
    kernels = [op for op in module.walk() if is_kernel(op)]
    reader, weight = next((op, value) for op in kernels for value in op.operands if root_of(value) in kept)
    reader.operands[len(reader.operands) - 1] = weight
    with pytest.raises(Diagnostic, match="writes a resident value"):
        verify_memory(module)
