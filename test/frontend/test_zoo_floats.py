"""The zoo's networks of floats: valid, of the published size, declared shapes, the same bytes for the same seed."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest

from tilewright.frontend import zoo

# Parameters of torchvision's models less those of batch normalisation, of which each takes 2 where a bias takes 1.
PARAMETERS = {"mobilenet-v2": 3_504_872 - 17_056, "squeezenet": 1_235_496}
MACS = {"mobilenet-v2": 300_774_272, "squeezenet": 349_151_936}
each_network = pytest.mark.parametrize("name", sorted(PARAMETERS))


@cache
def network(name: str, seed: int = 0) -> onnx.ModelProto:
    return zoo.build(name, seed)


def shape_of(value: onnx.ValueInfoProto) -> list[int]:
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


@each_network
def test_has_the_published_size(name: str) -> None:
    spent = zoo.cost(network(name))
    assert spent.parameters == PARAMETERS[name]
    assert spent.macs == MACS[name]


@each_network
def test_declares_the_shape_of_every_tensor(name: str) -> None:
    bare = onnx.ModelProto.FromString(network(name).SerializeToString())
    bare.graph.ClearField("value_info")
    inferred = onnx.shape_inference.infer_shapes(bare, strict_mode=True).graph.value_info
    declared = {value.name: shape_of(value) for value in network(name).graph.value_info}
    assert {value.name: shape_of(value) for value in inferred} == declared


@each_network
def test_describes_itself(name: str) -> None:
    onnx.checker.check_model(network(name))  # pyright: ignore[reportUnknownMemberType]
    assert network(name).doc_string == zoo.summary(name)
    assert "in floats" in zoo.summary(name)


def test_a_seed_makes_the_weights() -> None:
    first = network("squeezenet").SerializeToString()
    assert zoo.build("squeezenet").SerializeToString() == first
    assert zoo.build("squeezenet", 1).SerializeToString() != first


def test_inputs_are_floats_of_unit_size() -> None:
    sample = zoo.sample_inputs(network("squeezenet"), 3)["input"]
    assert sample.dtype == np.float32
    assert sample.shape == (1, 3, 224, 224)
    assert abs(float(sample.std()) - 1) < 0.01
    np.testing.assert_array_equal(sample, zoo.sample_inputs(network("squeezenet"), 3)["input"])
