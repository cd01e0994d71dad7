"""Sub-graphs of stages as ONNX models, beside ONNX Runtime."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, checker
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, pipeline_of
from tilewright.dialects.core.machine import targets
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array, functions, numpy_type
from tilewright.passes.core.manager import PassManager
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.targets.hmp.npu.onnx_cut import ModelPart, cut_model, described_ports, read_model
from tilewright.targets.hmp.npu.subgraph import Subgraph, subgraphs
from tilewright.targets.hmp.passes.find_layers import layer_of
from tilewright.test.onnx_runtime import session
from tilewright.test.targets.hmp.npu.npu_programs import run_passes

SIDES = {"squeezenet": 64, "mobilenet-v2": 32}
"""Rows of images, fewer than the networks have, so that the interpreter takes less time."""


LAYER = st.integers(0, 40)


@cache
def network(name: str) -> tuple[ModelProto, ModuleOp]:
    """Return a network of the zoo, and its layers."""
    model = zoo.build(name)
    if name in SIDES:
        for axis in model.graph.input[0].type.tensor_type.shape.dim[2:]:
            axis.dim_value = SIDES[name]
        del model.graph.value_info[:]
    with TemporaryDirectory() as folder:
        cast(Any, onnx).save(model, Path(folder) / "net.onnx")
        module = Model(Path(folder) / "net.onnx").load()
        model = read_model(Path(folder) / "net.onnx")
    pipeline = pipeline_of(targets.machine_named("hmp")).select(stop_after="find-layers")
    PassManager(verify_each=False).run(module, pipeline, new_context())
    return model, module


def stage_of(name: str, first: int, last: int) -> tuple[ModelPart, ModuleOp, Subgraph]:
    """Return the stage of consecutive layers on the NPU; their numbers wrap around those that there are."""
    model, layers = network(name)
    module = layers.clone()
    count = 1 + max(layer_of(op) or 0 for op in functions(module)[0].body.block.ops)
    first, last = sorted((first % count, last % count))
    run_passes(module, f"map-layers{{order={'B' * first}{'N' * (last - first + 1)}{'L' * (count - last - 1)}}}")
    run_passes(module, "outline-stages")
    subgraph = subgraphs(module)[0]
    return cut_model(model, module, subgraph), module, subgraph


@settings(max_examples=6)
@given(
    name=st.sampled_from(["resnet8", *SIDES]),
    first=st.integers(0, 40),
    last=st.integers(0, 40),
    seed=st.integers(0, 99),
)
def test_a_cut_model_gives_the_values_of_its_stage(name: str, first: int, last: int, seed: int):
    cut, module, subgraph = stage_of(name, first, last)
    cast(Any, checker).check_model(cut.model, full_check=True)
    draw = np.random.default_rng(seed)
    integers = name == "resnet8"
    arrays: list[Array] = []
    for port in subgraph.inputs:
        values = draw.integers(0, 60, port.shape) if integers else draw.standard_normal(port.shape)
        arrays.append(np.asarray(values).astype(numpy_type(port.element)))
    computed = Interpreter(module).call(subgraph.name, [array.copy() for array in arrays])
    infos = {info.name: info.type.tensor_type.shape.dim for info in cut.model.graph.input}
    feeds: dict[str, Array] = {}
    for tensor, array in zip(cut.inputs, arrays, strict=True):
        feeds[tensor] = array.astype(np.float32).reshape([size.dim_value for size in infos[tensor]])
    expected: list[Any] = session(cut.model).run(list(cut.outputs), feeds)
    for ours, theirs in zip(computed, expected, strict=True):
        one, other = np.asarray(ours).ravel(), theirs.ravel()
        if integers:
            # Requantised values are unsigned where an activation follows: the model has them in floats.
            np.testing.assert_array_equal(one.astype(np.int64) % 256, other.astype(np.int64) % 256)
        else:
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3 * max(1.0, float(np.abs(other).max())))


def test_a_cut_has_equal_bytes_whenever_it_is_made():
    assert stage_of("resnet8", 1, 2)[0].to_bytes() == stage_of("resnet8", 1, 2)[0].to_bytes()


def test_integers_that_the_model_has_in_floats_are_refused():
    cut, _, subgraph = stage_of("resnet8", 1, 2)
    with pytest.raises(Diagnostic, match="as int8, the model as float32"):
        described_ports(cut, subgraph)


def test_a_stage_of_another_model_is_refused():
    other, _ = network("squeezenet")
    _, module, subgraph = stage_of("mobilenet-v2", 1, 2)
    with pytest.raises(Diagnostic, match=r"has no tensor for|is no part of the model"):
        cut_model(other, module, subgraph)


def test_a_stage_on_buffers_is_refused():
    model, layers = network("resnet8")
    module = layers.clone()
    run_passes(module, "map-layers{order=N},outline-stages,bufferize")
    with pytest.raises(Diagnostic, match="on buffers"):
        cut_model(model, module, subgraphs(module)[0])
