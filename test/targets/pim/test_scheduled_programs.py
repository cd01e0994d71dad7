"""Programs of a mesh that follow a schedule: branches in sub-arrays, heads and rows over the nodes of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import IntAttr, ModuleOp

from tilewright import api
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.dialects.hier import AllGatherOp
from tilewright.frontend.zoo._sequence_builder import SequenceBuilder
from tilewright.ir import Array, shape_of
from tilewright.runtime.interpreter import run_module
from tilewright.targets.pim.passes.find_branches import find_branches
from tilewright.targets.pim.passes.schedule_branches import ScheduleBranchesPass
from tilewright.test.targets.pim.networks import Block

BLOCK = Block(5, tokens=8, heads=4, width=4, count=8)
MODEL = BLOCK.model().SerializeToString()


SMALL = 'include = "pim/4x4"\n[levels.NODE]\ncount = [4, 2]\n[engines.array]\ncount = [4, 2]\n'
"""Two sub-arrays of [2, 2]."""


def scheduled(folder: Path, layers: list[list[int]], array: tuple[int, int] = (4, 4)) -> Path:
    """Return a program on tensors with a schedule of these layers."""
    (folder / "small.toml").write_text(SMALL)
    (folder / "block.onnx").write_bytes(MODEL)
    plan = folder / "plan.toml"
    stage = f'[[stage]]\nname = "1"\nchannels = 16\nheads = 4\nbranches = 8\nlayers = {layers}\n'
    plan.write_text(stage)
    module = compile_model(Model(folder / "block.onnx"), "pim/4x4", stop_after="tensor").module
    find_branches(module)
    ScheduleBranchesPass(array=array, regular=True, plan=str(plan)).apply(new_context(), module)
    (folder / "block.mlir").write_text(print_ir(module, context=new_context()))
    return folder / "block.mlir"


def case(folder: Path) -> tuple[dict[str, Array], Array]:
    """Return an input, and the host's output."""
    inputs = {"x": np.random.default_rng(7).standard_normal(BLOCK.shape).astype(np.float32)}
    return inputs, api.load(folder / "block.onnx", "host").run(inputs)["y"]


@pytest.mark.nightly
def test_a_refused_block_runs_between_scheduled_ones(tmp_path: Path) -> None:
    """The middle one of three blocks has heads of twice the channels, and runs by the default mapping."""
    b = SequenceBuilder("three.blocks", "", 5)
    x = b.input([8, 16])
    for width in (16, 32, 16):
        query, key, value = (b.heads(b.linear(b.layer_norm(x), width), 4) for _ in range(3))
        shares = b.softmax(b.matmul(query, b.transposed(key, 0, 1, 3, 2)))
        x = b.sum(x, b.linear(b.without_heads(b.matmul(shares, value)), 16))
        x = b.sum(x, b.mlp(b.layer_norm(x), 32))
    file = tmp_path / "blocks.onnx"
    file.write_bytes(b.model({"y": x}).SerializeToString())
    module = compile_model(Model(file), "pim/2x2", stop_after="tensor").module
    find_branches(module)
    ScheduleBranchesPass(array=(2, 2), regular=True).apply(new_context(), module)
    (tmp_path / "blocks.mlir").write_text(print_ir(module, context=new_context()))
    mapped = compile_model(Model(tmp_path / "blocks.mlir"), "pim/2x2", stop_after="sharded").module
    assert {"pim.refused", "pim.block"} <= {name for op in mapped.walk() for name in op.attributes}
    inputs = {"input": np.random.default_rng(7).standard_normal((1, 8, 16)).astype(np.float32)}
    expected = api.load(file, "host").run(inputs)["y"]
    found = api.load(tmp_path / "blocks.mlir", "pim/2x2").run(inputs)["y"]
    np.testing.assert_array_equal(found, expected)


def rings(module: ModuleOp) -> set[tuple[int, int, int]]:
    """Return coordinate, distance and instances of the rings."""
    return {(op.along.data, op.stride, op.ring) for op in module.walk() if isinstance(op, AllGatherOp)}


@pytest.mark.sample(1)
@pytest.mark.parametrize("layers", [[[4, 1]] * 2, [[1, 2]], [[4, 4]] * 8], ids=str)
def test_programs_that_follow_a_schedule_are_equal(layers: list[list[int]], tmp_path: Path) -> None:
    file = scheduled(tmp_path, layers)
    inputs, expected = case(tmp_path)
    found = run_module(compile_model(Model(file), "pim/4x4", stop_after="sharded").module, inputs)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.nightly
def test_programs_that_follow_a_schedule_are_proved_and_equal_in_c(tmp_path: Path) -> None:
    file = scheduled(tmp_path, [[2, 2]] * 4, (4, 2))
    inputs, expected = case(tmp_path)
    found = api.load(file, str(tmp_path / "small.toml"), on="sanitizers").run(inputs)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_keys_go_round_the_nodes_of_a_sub_array(tmp_path: Path) -> None:
    """Sub-arrays of [2, 2] in two by two: heads along rows, patches along columns, each in rings of two nodes."""
    module = compile_model(Model(scheduled(tmp_path, [[2, 2]] * 2)), "pim/4x4", stop_after="sharded").module
    assert {(0, 1, 2), (1, 1, 2)} <= rings(module)
    scores = [op for op in module.walk() if op.name == "nn.matmul" and "pim.head_dims" in op.attributes]
    assert [shape_of(op.operands[0]) for op in scores] == [(2, 2, 4, 4)]


def test_a_ring_of_other_nodes_is_refused(tmp_path: Path) -> None:
    file = scheduled(tmp_path, [[2, 2]] * 2)
    inputs, expected = case(tmp_path)
    module = compile_model(Model(file), "pim/4x4", stop_after="sharded").module
    ring = next(op for op in module.walk() if isinstance(op, AllGatherOp) and op.along.data == 1 and op.ring == 2)
    ring.properties["within"], ring.properties["by"] = IntAttr(4), IntAttr(2)
    assert not np.allclose(run_module(module, inputs)["y"], expected, rtol=1e-2, atol=1e-2)
