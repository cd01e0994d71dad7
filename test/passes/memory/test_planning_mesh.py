"""Kernels from ONNX mapped to the nodes of a mesh along several loops: proved, equal, and as fast as modelled."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx import helper as h
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import GridOp
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.pipeline_dma import PipelineDmaPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import simulate
from tilewright.test.machines.make import library
from tilewright.test.passes.plans import on_buffers, planned


def matmul(size: int) -> onnx.ModelProto:
    nodes = [h.make_node("MatMul", ["a", "b"], ["c"], name="product")]
    return _model(nodes, {"a": [size, size], "b": [size, size]}, {"c": [size, size]})


def attention_head(rows: int, depth: int) -> onnx.ModelProto:
    """Return softmax(q kt) v of one head, as three kernels."""
    nodes = [
        h.make_node("MatMul", ["q", "kt"], ["s"], name="scores"),
        h.make_node("Softmax", ["s"], ["p"], axis=-1, name="softmax"),
        h.make_node("MatMul", ["p", "v"], ["o"], name="values"),
    ]
    return _model(nodes, {"q": [rows, depth], "kt": [depth, rows], "v": [rows, depth]}, {"o": [rows, depth]})


def _model(nodes: list[onnx.NodeProto], inputs: dict[str, list[int]], outputs: dict[str, list[int]]) -> onnx.ModelProto:
    def ports(side: dict[str, list[int]]) -> list[onnx.ValueInfoProto]:
        return [h.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]

    graph = h.make_graph(nodes, "net", ports(inputs), ports(outputs))
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)


def nodes_used(module: ModuleOp) -> list[int]:
    return [op.copies for op in module.walk() if isinstance(op, GridOp)]


def modelled(module: ModuleOp) -> int:
    cycles = functions(module)[0].attributes["hier.modelled_cycles"]
    assert isinstance(cycles, IntegerAttr)
    return cycles.value.data


def assert_close(found: dict[str, Array], expected: dict[str, Array]) -> None:
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("machine", "model", "most", "kernels"),
    [
        ("mesh_4x4", matmul(64), 17553, 1),
        ("mesh_4x4", attention_head(64, 32), 21298, 3),
        ("mesh_near", matmul(256), 88421, 1),
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
