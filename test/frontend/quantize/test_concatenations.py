"""Concatenations: operands of smaller ranges that something else reads, and constant operands."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, helper

from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.error import TensorError, measure
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.ir import Array
from tilewright.test.frontend.quantize import population
from tilewright.test.frontend.quantize.networks import floats, model_of

node = helper.make_node


def cell() -> ModelProto:
    """Return the product of an input beside a state, and one of the state alone."""
    nodes = [
        node("Unsqueeze", ["h", "zero"], ["r"]),
        node("Squeeze", ["r", "zero"], ["s"]),
        node("Concat", ["x", "s"], ["c"], axis=1),
        node("MatMul", ["c", "w"], ["y"]),
        node("MatMul", ["h", "u"], ["z"]),
    ]
    constants = {"w": floats(10, 4), "u": floats(4, 4, seed=1), "zero": np.array([0])}
    return model_of(nodes, {"x": (1, 6), "h": (1, 4)}, ["y", "z"], constants)


def result_of(model: ModelProto, arrays: dict[str, Array]) -> tuple[Result, list[TensorError]]:
    network = read_network(model)
    samples = samples_of(network, arrays)
    result = quantize(network, samples, QuantizeOptions())
    return result, measure(result, samples)


@pytest.mark.parametrize(("ratio", "separate"), [(100.0, True), (1.5, False)])
def test_a_state_of_a_smaller_range_has_steps_of_its_own(ratio: float, separate: bool) -> None:
    arrays = {"x": floats(16, 6) * np.float32(ratio), "h": floats(16, 4, seed=2)}
    result, errors = result_of(cell(), arrays)
    assert (result.scales["h"] != result.scales["c"]) == separate
    assert min(each.sqnr for each in errors) > 30
    assert population.judged(cell(), QuantizeOptions(), arrays).kind == "quantised"


def test_an_operand_that_nothing_else_reads_has_the_scale_of_the_result() -> None:
    model = cell()
    del model.graph.node[-1], model.graph.output[-1]
    arrays = {"x": floats(16, 6) * 100, "h": floats(16, 4, seed=2)}
    result, _ = result_of(model, arrays)
    assert result.scales["h"] == result.scales["c"]


@pytest.mark.parametrize("nonlinear", ["float", "integer", "ibert"])
def test_a_softmax_beside_a_tensor_of_hundreds(nonlinear: str) -> None:
    nodes = [
        node("MatMul", ["x", "w"], ["h"]),
        node("Softmax", ["h"], ["s"], axis=-1),
        node("Concat", ["s", "h"], ["c"], axis=1),
        node("MatMul", ["c", "v"], ["y"]),
    ]
    model = model_of(nodes, {"x": (1, 8)}, ["y"], {"w": floats(8, 8), "v": floats(16, 4)})
    arrays = {"x": 300 * floats(6, 1, 8)}
    assert population.judged(model, QuantizeOptions(nonlinear=nonlinear), arrays).kind == "quantised"


def test_constant_operands_are_in_the_range() -> None:
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("Concat", ["a", "k"], ["y"], axis=1)]
    model = model_of(nodes, {"x": (1, 6)}, ["y"], {"w": floats(6, 4), "k": np.full((1, 2), -900, np.float32)})
    result, errors = result_of(model, {"x": floats(8, 6)})
    assert result.scales["y"].scale * 256 > 900
    assert errors[-1].sqnr > 40
