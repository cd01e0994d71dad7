"""Nodes as exporters write them, which the standard or its shape inference does not have, beside ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test.frontend.replacements.contrib_cases import Case, expected
from tilewright.test.passes.lowering.one_node import lowered

pytestmark = pytest.mark.quick


def numbers(random: np.random.Generator, *shape: int) -> Array:
    return random.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("is_constant", [False, True])
def test_a_slope_with_more_axes_than_its_input(is_constant: bool):
    random = np.random.default_rng(3)
    for x, slope in (((), (1,)), ((), (1, 1)), ((3,), (1, 3)), ((3,), (1, 1, 1)), ((2, 3), (1, 2, 1))):
        inputs = [numbers(random, *x), numbers(random, *slope)]
        case = Case("PRelu", inputs, domain="", constants=(1,) if is_constant else ())
        y = run_module(lowered(case.model, "tensor"), case.feeds)["y"]
        assert y.shape == x
        np.testing.assert_array_equal(y, expected(case)[0].reshape(x))
    with pytest.raises(Diagnostic, match="input 1 of PRelu does not fit"):
        import_model(Case("PRelu", [numbers(random, 2, 3), numbers(random, 2, 1, 3)], domain="").model)


def transposed(random: np.random.Generator) -> Case:
    """Return a ConvTranspose with SAME padding and an output_padding of less than a stride."""
    rank, groups = int(random.integers(1, 3)), int(random.integers(1, 3))
    sizes, kernel, strides = ([int(random.integers(1, end)) for _ in range(rank)] for end in (6, 5, 5))
    attributes: dict[str, Any] = {
        "auto_pad": str(random.choice(["SAME_UPPER", "SAME_LOWER"])),
        "strides": strides,
        "output_padding": [int(random.integers(0, stride)) for stride in strides],
        "group": groups,
    }
    if random.random() < 0.4:
        attributes["dilations"] = [int(random.integers(1, 3)) for _ in range(rank)]
    inputs = [numbers(random, 1, 2 * groups, *sizes), numbers(random, 2 * groups, 1, *kernel)]
    return Case("ConvTranspose", inputs, attributes, domain="")


def test_same_padding_takes_the_output_padding_in():
    """The result has input * stride elements, or all where these are fewer; ONNX's inference adds the padding."""
    random = np.random.default_rng(5)
    for case in [transposed(random) for _ in range(16)]:
        y = run_module(lowered(case.model, "tensor"), case.feeds)["y"]
        np.testing.assert_allclose(y, expected(case)[0], 1e-5, 1e-5, err_msg=str(case.attributes))


def test_a_padding_of_more_than_the_window_is_refused():
    inputs = [np.ones((1, 1, 2, 2), np.float32), np.ones((1, 1, 1, 1), np.float32)]
    with pytest.raises(Diagnostic, match="attribute 'pads' of ConvTranspose does not fit"):
        import_model(Case("ConvTranspose", inputs, {"pads": [1, 1, 1, 2]}, domain="").model)


def listed(*names: str, kinds: tuple[int, ...] = ()) -> ModelProto:
    """Return y = relu(x), z = -y with these outputs."""
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["y"], ["z"])]
    types = kinds or (TensorProto.FLOAT,) * len(names)
    outputs = [helper.make_tensor_value_info(name, kind, [2]) for name, kind in zip(names, types, strict=True)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])], outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("names", [("y", "y"), ("y", "z", "y"), ("x", "y", "x", "x")])
def test_a_tensor_that_is_listed_several_times_is_one_output(names: tuple[str, ...]):
    x = np.array([-1, 2], np.float32)
    values = {"x": x, "y": np.maximum(x, 0), "z": -np.maximum(x, 0)}
    found = run_module(lowered(listed(*names), "tensor"), {"x": x})
    assert list(found) == list(dict.fromkeys(names))
    for name, array in found.items():
        np.testing.assert_array_equal(array, values[name])


def test_an_output_that_is_listed_with_two_types_is_refused():
    with pytest.raises(Diagnostic, match="listed twice as an output of the graph, with two types"):
        import_model(listed("y", "y", kinds=(TensorProto.FLOAT, TensorProto.INT32)))
