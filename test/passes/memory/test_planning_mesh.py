"""Kernels from ONNX mapped to the nodes of a mesh along several loops: proved, equal, and as fast as modelled."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp

from tilewright.cli import main
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.hier import GridOp, SourceAttr, TileAttr
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.memory import sweep
from tilewright.passes.memory.route import Route
from tilewright.passes.pipeline_dma import PipelineDmaPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.machines.make import FOLDER, library
from tilewright.test.passes.memory.products import attention_head, integer_matmul, matmul
from tilewright.test.passes.plans import on_buffers, planned


def nodes_used(module: ModuleOp) -> list[int]:
    return [op.copies for op in module.walk() if isinstance(op, GridOp)]


def modelled(module: ModuleOp) -> int:
    cycles = functions(module)[0].attributes["hier.modelled_cycles"]
    assert isinstance(cycles, IntegerAttr)
    return cycles.value.data


def assert_close(found: dict[str, Array], expected: dict[str, Array]) -> None:
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("machine", "model", "most", "kernels"),
    [
        ("mesh_4x4", matmul(64), 17457, 1),
        ("mesh_4x4", attention_head(64, 32), 21298, 3),
        ("mesh_near", matmul(128), 10696, 1),
    ],
)
def test_all_nodes_are_used(machine: str, model: onnx.ModelProto, most: int, kernels: int) -> None:
    """At least nine of ten nodes work on each kernel, within the cycles measured, as many as the planner models."""
    target = library(machine)
    module = on_buffers(import_model(model))
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    plan = planned(module, target, target.level("NODE").size)
    attach_machine(plan, target)
    verify_memory(plan)
    used, total = nodes_used(plan), prod(target.engines[0].count)
    assert len(used) == kernels
    assert min(used) >= 0.9 * total
    assert simulate(plan).cycles == modelled(plan) <= most
    assert_close(run_module(plan, inputs), expected)
    if total > 16:
        return
    for step in (ExpandGridPass(), PipelineDmaPass()):
        step.apply(new_context(), plan)
    verify_memory(plan)
    assert_close(run_module(plan, inputs), expected)


def chains_of(module: ModuleOp) -> list[tuple[int, ...]]:
    dims = [tile.source.neighbour_dims for op in module.walk() if isinstance(op, GridOp) for tile in op.tiles]
    return [chain for chain in dims if chain]


def fetched(tile: TileAttr) -> TileAttr:
    """Return the tile, which comes from no neighbour."""
    source = SourceAttr.get(broadcast=tile.source.broadcast_axes, fill=tile.source.padding)
    return tile.with_source(source)


def from_home(module: ModuleOp) -> ModuleOp:
    """Return a plan in which each instance fetches all of its tiles from far."""
    module = module.clone()
    for op in module.walk():
        if isinstance(op, GridOp):
            op.properties["tiles"] = ArrayAttr([fetched(tile) for tile in op.tiles])
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("machine", "size"), [("mesh_4x4", 32), ("mesh_4x4", 64), ("mesh_near", 64), ("mesh", 64), ("mesh", 128)]
)
def test_operands_come_from_where_the_simulator_is_faster(
    machine: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No plan without neighbours is faster, and neither is the same plan without them."""
    target = library(machine)
    source = on_buffers(import_model(matmul(size)))
    plan = planned(source, target, target.level("NODE").size)
    attach_machine(plan, target)
    cycles = simulate(plan).cycles
    assert cycles == modelled(plan)
    if chains_of(plan):
        assert simulate(from_home(plan)).cycles > cycles
    monkeypatch.setattr(Route, "chains", False)
    other = planned(source, target, target.level("NODE").size)
    attach_machine(other, target)
    assert not chains_of(other)
    assert simulate(other).cycles >= cycles
    assert bool(chains_of(plan)) == (simulate(other).cycles > cycles)


@pytest.mark.nightly
def test_a_product_with_both_operands_from_neighbours() -> None:
    """The programs of the plan are proved, and give its result bit for bit in any interleaving."""
    target = library("mesh_4x4")
    plan = planned(on_buffers(import_model(matmul(64))), target, target.level("NODE").size)
    attach_machine(plan, target)
    assert sorted(chains_of(plan)) == [(0,), (1,)]
    inputs = random_inputs(plan, 0)
    expected = run_module(from_home(plan), inputs)
    for step in (ExpandGridPass(), PipelineDmaPass()):
        step.apply(new_context(), plan)
    verify_memory(plan)
    for seed in (None, 0, 1):
        np.testing.assert_array_equal(run_module(plan, inputs, interleave=seed)["c"], expected["c"])
    np.testing.assert_array_equal(TimedSession(plan).run(inputs)["c"], expected["c"])


def plan_on_mesh(model: onnx.ModelProto) -> ModuleOp:
    target = library("mesh")
    plan = planned(on_buffers(import_model(model)), target, target.level("NODE").size)
    attach_machine(plan, target)
    return plan


def no_panels(*_: object) -> list[tuple[int, set[int]]]:
    return []


@pytest.mark.sample(1)
@pytest.mark.parametrize(("model", "most", "nodes"), [(integer_matmul(64), 2560, 8), (matmul(128), 17104, 8)])
def test_a_row_is_held_while_the_other_operand_is_cut(
    model: onnx.ModelProto, most: int, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of the left operand are fetched whole where each row of a transfer costs; no plan without is as fast."""
    plan = plan_on_mesh(model)
    verify_memory(plan)
    assert simulate(plan).cycles == modelled(plan) <= most
    assert nodes_used(plan) == [nodes]
    assert "memref.subview" in print_ir(plan)
    monkeypatch.setattr(sweep, "panels_to_try", no_panels)
    without = plan_on_mesh(model)
    assert "memref.subview" not in print_ir(without)
    assert simulate(without).cycles > most


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("arith.constant 8 : index", "arith.constant 4 : index", "is not the tile that 'nn.matmul' needs"),
        ("arith.constant 8 : index", "arith.constant 16 : index", "a view of operand 0 (%a) of the grid leaves it"),
        ("%a[%0 * 8, 0]", "%a[%0 * 8 - %1, 0]", "rule 'fill'"),
    ],
)
def test_a_wrong_part_of_a_panel_is_refused(old: str, new: str, said: str) -> None:
    text = print_ir(plan_on_mesh(integer_matmul(64)))
    assert text.count(old) == 1
    with pytest.raises(Diagnostic) as refused:
        verify_memory(parse_module(new_context(), text.replace(old, new)))
    assert said in str(refused.value)


def test_panels_compute_the_same_in_c(tmp_path: Path) -> None:
    """The programs of a plan with panels, on threads and under sanitizers, give the integers of NumPy."""
    draw, shape = np.random.default_rng(1), (64, 64)
    given: dict[str, Any] = {name: draw.integers(-128, 128, shape, dtype=np.int8) for name in "ab"}
    np.savez(tmp_path / "in.npz", **given)
    (tmp_path / "net.onnx").write_bytes(integer_matmul(64).SerializeToString())
    target = ["--target", str(FOLDER / "mesh.toml")]
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "out.npz")]
    assert main(["run", str(tmp_path / "net.onnx"), *target, *files, "--on", "sanitizers"]) == 0
    wanted = given["a"].astype(np.int32) @ given["b"].astype(np.int32)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["c"], wanted)
