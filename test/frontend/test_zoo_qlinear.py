"""The zoo's networks in QLinear form: valid, exact in ONNX Runtime, lively, of the topology of their originals."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest

from tilewright.frontend import zoo
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick

NAMES = [name for name in zoo.names() if name.endswith("-qlinear")]
each_network = pytest.mark.parametrize("name", NAMES)


@cache
def network(name: str, seed: int = 0) -> onnx.ModelProto:
    return zoo.build(name, seed)


def test_every_network_of_mlperf_tiny_is_there() -> None:
    tiny = ("autoencoder", "ds-cnn", "mobilenet-v1-025", "resnet8")
    assert [f"{name}-qlinear" for name in tiny] == NAMES


@pytest.mark.long
@each_network
def test_valid_and_only_of_onnx_operators(name: str) -> None:
    model = network(name)
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    assert [entry.domain for entry in model.opset_import] == [""]
    assert not model.functions
    bare = onnx.ModelProto.FromString(model.SerializeToString())
    bare.graph.ClearField("value_info")
    inferred = onnx.shape_inference.infer_shapes(bare, strict_mode=True).graph.value_info
    assert {v.name: v.type for v in inferred} == {v.name: v.type for v in model.graph.value_info}


@pytest.mark.long
@each_network
@pytest.mark.parametrize("fused", [True, False])
def test_onnx_runtime_agrees_to_the_bit_with_and_without_its_fusions(name: str, fused: bool) -> None:
    session = onnx_runtime.session(network(name), fused=fused)
    for seed in range(3):
        inputs = zoo.sample_inputs(network(name), seed)
        expected = zoo.evaluate(network(name), inputs)["output"]
        np.testing.assert_array_equal(session.run(None, inputs)[0], expected)


@pytest.mark.long
@each_network
def test_quantised_tensors_are_lively_and_asymmetric(name: str) -> None:
    model = network(name)
    inputs = {"input": np.concatenate([zoo.sample_inputs(model, 50 + s)["input"] for s in range(8)])}
    values = zoo.evaluate(model, inputs)
    held = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    zeros = {int(held[node.input[7]]) for node in model.graph.node if node.op_type.startswith("QLinear")}
    assert len(zeros) > 1
    for node in model.graph.node:
        if node.op_type in ("QLinearConv", "QLinearMatMul", "QuantizeLinear"):
            result = values[node.output[0]]
            assert len(np.unique(result)) >= min(64, result.size // 4), node.name
            assert np.isin(result, (0, 255)).mean() < 0.7, node.name
    assert len(np.unique(values["output"], axis=0)) == 8


@pytest.mark.long
@each_network
def test_topology_is_that_of_the_original(name: str) -> None:
    mine, original = zoo.cost(network(name)), zoo.cost(zoo.build(name.removesuffix("-qlinear")))
    assert mine == original


@pytest.mark.long
@each_network
def test_seeds_decide_the_bytes(name: str) -> None:
    assert zoo.build(name, 0).SerializeToString() == network(name).SerializeToString()
    assert zoo.build(name, 1).SerializeToString() != network(name).SerializeToString()
