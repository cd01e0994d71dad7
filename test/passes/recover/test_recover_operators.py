"""Operators that were written out are recognised, compute the same, and what is nearly one is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto

from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.recover_operators import RecoverOperatorsPass
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.passes.recover.written_out import (
    ACTIVATIONS,
    INVERSES,
    OTHER_ACTIVATIONS,
    SQUARES,
    Activation,
    Graph,
    Value,
    mean,
)

pytestmark = pytest.mark.quick

shapes = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def recovered(model: ModelProto, inputs: dict[str, Array]) -> list[str]:
    """Return the operators that are left, constants aside, having checked what they compute by ONNX Runtime."""
    module = import_model(model)
    RecoverOperatorsPass().apply(new_context(), module)
    verify(module)
    # Its own fusions lose an operand where a row is one element.
    expected = onnx_runtime.session(model, fused=False).run(None, inputs)
    for value, wanted in zip(run_module(module, inputs).values(), expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-5, atol=2e-5)
    return [op.name for op in module.walk() if isinstance(op, OnnxOp) and op.name != "onnx.Constant"]


# Activations


@pytest.mark.sample(7)
@pytest.mark.long
@pytest.mark.parametrize(
    ("operator", "written"), [(name, function) for name, functions in ACTIVATIONS.items() for function in functions]
)
@settings(max_examples=10, deadline=None)
@given(shape=shapes)
def test_an_activation_is_recognised(operator: str, written: Activation, shape: list[int]):
    graph = Graph()
    assert recovered(graph.model(written(graph.given(*shape))), graph.inputs) == [operator]


@pytest.mark.parametrize("written", OTHER_ACTIVATIONS)
def test_what_is_nearly_an_activation_stays(written: Activation):
    graph = Graph()
    model = graph.model(written(graph.given(2, 3)))
    assert recovered(model, graph.inputs) == [f"onnx.{node.op_type}" for node in graph.nodes]


@pytest.mark.parametrize("written", [functions[0] for functions in ACTIVATIONS.values()])
def test_an_intermediate_that_is_used_outside_stays(written: Activation):
    graph = Graph()
    result = written(graph.given(2, 3))
    inner = Value(graph, graph.nodes[-2].output[0])
    assert recovered(graph.model(result, inner), graph.inputs) == [f"onnx.{node.op_type}" for node in graph.nodes]


# Norms


@st.composite
def norms(draw: st.DrawFn, *, centred: bool) -> Graph:
    """Return a norm over the last axes, in one of the ways to write it; the last node has the result."""
    graph = Graph()
    shape = draw(shapes)
    axis = draw(st.integers(0, len(shape) - 1))
    axes = [place - draw(st.sampled_from([0, len(shape)])) for place in range(axis, len(shape))]
    value = graph.given(*shape)
    if centred:
        value = value - mean(value, axes)
    square = mean(draw(st.sampled_from(SQUARES))(value), axes) + draw(st.sampled_from([1e-5, 1e-6, 0.5]))
    normed = draw(st.sampled_from(INVERSES))(value, square)
    if draw(st.booleans()):
        scale = draw(st.sampled_from([graph.weights(*shape[axis:]), graph.constant(np.ones(shape[axis:]))]))
        normed = draw(st.sampled_from([lambda: normed * scale, lambda: scale * normed]))()
    if centred and draw(st.booleans()):
        normed = normed + draw(st.sampled_from([graph.weights(*shape[axis:]), graph.constant(np.zeros(shape[axis:]))]))
    graph.model(normed)
    return graph


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize(("centred", "operator"), [(True, "LayerNormalization"), (False, "RMSNormalization")])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_norm_is_recognised(centred: bool, operator: str, data: st.DataObject):
    graph = data.draw(norms(centred=centred))
    model = graph.model(Value(graph, graph.nodes[-1].output[0]))
    assert recovered(model, graph.inputs) == [f"onnx.{operator}"]


@pytest.mark.parametrize("axes", [[0], [0, 2], [1]])
def test_a_mean_over_other_axes_is_no_norm_of_rows(axes: list[int]):
    graph = Graph()
    x = graph.given(2, 3, 4)
    model = graph.model(x / (mean(x * x, axes) + 1e-5).apply("Sqrt"))
    assert recovered(model, graph.inputs) == [f"onnx.{node.op_type}" for node in graph.nodes]


def test_means_over_different_axes_are_no_norm():
    graph = Graph()
    x = graph.given(2, 3, 4)
    centred = x - mean(x, [1, 2])
    model = graph.model(centred / (mean(centred * centred, [2]) + 1e-5).apply("Sqrt"))
    assert "onnx.LayerNormalization" not in recovered(model, graph.inputs)


def test_a_scale_by_sample_is_not_that_of_a_norm():
    graph = Graph()
    x = graph.given(2, 3, 4)
    normed = x / (mean(x * x, [-1]) + 1e-5).apply("Sqrt")
    assert recovered(graph.model(normed * graph.weights(2, 1, 4)), graph.inputs) == [
        "onnx.RMSNormalization",
        "onnx.Mul",
    ]


# Rotary embedding


def _rotated(x: Value, cos: Value, sin: Value, halves: tuple[int, int], width: int) -> Value:
    graph = x.graph
    one, axis = graph.integers(1), graph.integers(3)
    first = x.apply("Slice", graph.integers(0), graph.integers(halves[0]), axis, one)
    second = x.apply("Slice", graph.integers(halves[1]), graph.integers(np.iinfo(np.int64).max), axis, one)
    turned = (-second).apply("Concat", first, axis=-1)
    assert width % 2 == 0
    return x * cos + turned * sin


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(batch=st.integers(1, 3), heads=st.integers(1, 3), rows=st.integers(1, 4), half=st.integers(1, 4), data=st.data())
def test_rotary_embedding_is_recognised(batch: int, heads: int, rows: int, half: int, data: st.DataObject):
    graph = Graph()
    x = graph.given(batch, heads, rows, 2 * half)
    shared = data.draw(st.sampled_from([1, batch]))
    angles = graph.given(shared, rows, half) if data.draw(st.booleans()) else graph.weights(shared, rows, half)
    both = angles.apply("Concat", angles, axis=-1)
    cos, sin = ((both.apply(name) * 1.0).apply("Unsqueeze", graph.integers(1)) for name in ("Cos", "Sin"))
    model = graph.model(_rotated(x, cos, sin, (half, half), 2 * half))
    assert "onnx.RotaryEmbedding" in recovered(model, graph.inputs)


@pytest.mark.parametrize("case", ["halves", "bounds"])
def test_what_is_no_rotary_embedding_stays(case: str):
    graph = Graph()
    x = graph.given(1, 2, 3, 4)
    same = np.tile(np.arange(6.0).reshape(1, 1, 3, 2), 2)
    cos = graph.weights(1, 1, 3, 4) if case == "halves" else graph.constant(same)
    halves = (2, 2) if case == "halves" else (1, 1)
    model = graph.model(_rotated(x, cos, graph.constant(same), halves, 4))
    assert "onnx.RotaryEmbedding" not in recovered(model, graph.inputs)


# Attention


@st.composite
def attentions(draw: st.DrawFn) -> Graph:
    """Return attention of 4 axes in one of the ways to write it, where `share` heads share keys; ends in the result."""
    graph = Graph()
    batch, groups, share, rows, length, width, out = (draw(st.integers(1, 3)) for _ in range(7))
    heads = groups * share
    queries, values = graph.given(batch, heads, rows, width), graph.given(batch, groups, length, out)
    way = draw(st.sampled_from(["keys", "tokens", "turned"]))
    if way == "tokens":
        turned = graph.given(batch, length, groups, width).apply("Transpose", perm=[0, 2, 3, 1])
    elif way == "keys":
        keys = graph.given(batch, groups, length, width)
        scaled = keys * 0.7 if draw(st.booleans()) else keys
        turned = scaled.apply("Transpose", perm=[0, 1, 3, 2])
    else:
        turned = graph.given(batch, groups, width, length)
    turned = turned * 0.9 if draw(st.booleans()) else turned
    queries = queries * 0.8 if draw(st.booleans()) else queries
    if share > 1:
        queries = queries.apply("Reshape", graph.integers(batch, groups, share * rows, width))
    scores = queries @ turned
    scores = scores / 1.7 if draw(st.booleans()) else scores
    if share > 1:
        scores = scores.apply("Reshape", graph.integers(batch, heads, rows, length))
    if draw(st.booleans()):
        mask = graph.given(draw(st.sampled_from([1, batch])), draw(st.sampled_from([1, heads])), rows, length)
        scores = draw(st.sampled_from([lambda: scores + mask, lambda: mask + scores]))()
    shares = scores.apply("Softmax", axis=draw(st.sampled_from([-1, 3])))
    shares = shares.apply("Cast", to=1) if draw(st.booleans()) else shares
    if draw(st.booleans()):
        shares = shares.apply("IsNaN").apply("Where", 0.0, shares)
    if share == 1:
        graph.node("MatMul", shares, values)
        return graph
    attended = shares.apply("Reshape", graph.integers(batch, groups, share * rows, length)) @ values
    attended.apply("Reshape", graph.integers(batch, heads, rows, out))
    return graph


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(graph=attentions())
def test_attention_is_recognised(graph: Graph):
    names = recovered(graph.model(Value(graph, graph.nodes[-1].output[0])), graph.inputs)
    assert [name for name in names if name != "onnx.Transpose"] == ["onnx.Attention"]


@pytest.mark.parametrize(
    "case", ["axis of the softmax", "mask that is short", "mask that is large", "heads that are shared", "three axes"]
)
def test_what_is_no_attention_stays(case: str):
    graph = Graph()
    heads = () if case == "three axes" else (1 if case == "heads that are shared" else 2,)
    queries, keys = graph.given(1, *((2,) if heads else ()), 3, 4), graph.given(1, *heads, 4, 3)
    scores = queries @ keys
    if case == "mask that is short":
        scores = scores + graph.given(1, 1, 3, 1)
    if case == "mask that is large":
        scores = scores + graph.given(2, 2, 3, 3)
    shares = scores.apply("Softmax", axis=2 if case == "axis of the softmax" else -1)
    names = recovered(graph.model(shares @ graph.given(1, *heads, 3, 4)), graph.inputs)
    assert "onnx.Attention" not in names


@pytest.mark.parametrize("case", ["heads in turn", "rows of another head", "softmax of all heads"])
def test_what_is_no_grouped_attention_stays(case: str):
    graph = Graph()
    queries, turned, values = graph.given(1, 4, 3, 5), graph.given(1, 2, 5, 6), graph.given(1, 2, 6, 7)
    if case == "heads in turn":
        queries = queries.apply("Transpose", perm=[0, 2, 1, 3])
    scores = queries.apply("Reshape", graph.integers(1, 2, 6, 5)) @ turned
    if case != "softmax of all heads":
        scores = scores.apply(
            "Reshape", graph.integers(*((1, 3, 4, 6) if case == "rows of another head" else (1, 4, 3, 6)))
        )
    shares = scores.apply("Softmax", axis=-1).apply("Reshape", graph.integers(1, 2, 6, 6))
    names = recovered(graph.model((shares @ values).apply("Reshape", graph.integers(1, 4, 3, 7))), graph.inputs)
    assert "onnx.Attention" not in names
