"""Ranges of operands of functions: those in which a function changes its quantised result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, helper

from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.test import onnx_runtime
from tilewright.test.frontend.quantize.networks import floats, model_of

SHAPE = 1, 4, 6, 6
PLAIN = QuantizeOptions(ranges="minmax", smooth=False)
node = helper.make_node
SWISH = [node("HardSwish", ["c"], ["h"], "swish")]
PARTS = [
    node("Add", ["c", "three"], ["a"], "add"),
    node("Clip", ["a", "zero", "six"], ["b"], "clip"),
    node("Mul", ["c", "b"], ["m"], "mul"),
    node("Div", ["m", "six"], ["h"], "div"),
]
CLAMP = [
    node("Reshape", ["c", "flat"], ["r"], "moved"),
    node("HardSigmoid", ["r"], ["s"], "gate", alpha=1 / 6),
    node("Reshape", ["s", "whole"], ["h"], "back"),
]
BELOW = [node("Sub", ["c", "hundred"], ["d"], "far"), node("Clip", ["d", "one", "six"], ["h"], "clamp")]


def model(functions: Sequence[NodeProto], outputs: Sequence[str] = ("y",)) -> ModelProto:
    """Two convolutions with functions of the first one's results, about -20 to 20, between them."""
    scalars = {"three": 3, "zero": 0, "six": 6, "one": 1, "hundred": 100}
    constants = {
        **{name: np.array(number, np.float32) for name, number in scalars.items()},
        **{"w0": 5 * floats(4, 4, 1, 1), "w1": floats(2, 4, 1, 1, seed=1)},
        **{"flat": np.array([1, 4, 36]), "whole": np.array(SHAPE)},
    }
    nodes = [node("Conv", ["x", "w0"], ["c"], "first"), *functions, node("Conv", ["h", "w1"], ["y"], "last")]
    return model_of(nodes, {"x": SHAPE}, outputs, constants)


def quantised(
    functions: Sequence[NodeProto], options: QuantizeOptions = PLAIN, outputs: Sequence[str] = ("y",)
) -> Result:
    network = read_network(model(functions, outputs))
    return quantize(network, samples_of(network, {"x": floats(8, *SHAPE[1:], seed=2)}), options)


def range_of(result: Result, name: str = "c") -> tuple[float, float]:
    scale = result.scales[name]
    return (-128 - scale.zero) * scale.scale, (127 - scale.zero) * scale.scale


@pytest.mark.parametrize("functions", [SWISH, PARTS])
def test_no_steps_below_the_domain_of_hard_swish(functions: Sequence[NodeProto]):
    result = quantised(functions)
    low, high = range_of(result)
    assert -3.2 < low < -2.8
    assert high > 10
    run = onnx_runtime.session(result.model)
    exact = onnx_runtime.session(model(functions))
    sample = {"x": floats(*SHAPE, seed=2)}
    (found,), (wanted,) = run.run(None, dict(sample)), exact.run(None, dict(sample))
    assert np.abs(found - wanted).max() < 0.02 * np.abs(wanted).max()


def test_both_ends_through_data_movement():
    low, high = range_of(quantised(CLAMP))
    assert -3.1 < low < -2.8
    assert 2.8 < high < 3.1
    assert range_of(quantised(CLAMP), "r") == (low, high)


def test_symmetric_ranges_have_the_larger_end():
    for functions, least, most in ((CLAMP, 2.8, 3.1), (SWISH, 10, 60)):
        scale = quantised(functions, QuantizeOptions(ranges="minmax", smooth=False, symmetric=True)).scales["c"]
        assert scale.zero == 0
        assert least < 127 * scale.scale < most


@pytest.mark.parametrize(
    ("functions", "outputs"),
    [
        ([*SWISH, node("GlobalAveragePool", ["c"], ["p"], "mean")], ("y", "p")),
        (PARTS, ("y", "a")),
        (SWISH, ("y", "c")),
        ([node("Abs", ["c"], ["h"], "abs")], ("y",)),
        ([node("Reciprocal", ["c"], ["h"], "inverse")], ("y",)),
        (BELOW, ("y",)),
    ],
    ids=[
        "another reader",
        "an unrounded result",
        "an output",
        "no constant part",
        "infinite at 0",
        "constant throughout",
    ],
)
def test_other_tensors_keep_their_range(functions: Sequence[NodeProto], outputs: Sequence[str]):
    result = quantised(functions, outputs=outputs)
    low, high = range_of(result)
    assert low < -8
    assert high > 8
