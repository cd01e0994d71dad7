"""Scales of channels that move between layers: equalisation and smoothing."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, helper

from tilewright.frontend.quantize.equalize import equalize
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.frontend.quantize.smoothing import smooth
from tilewright.test.frontend.quantize.networks import chain, floats, model_of, quantized, reference


def test_equalisation_keeps_the_function_and_reduces_the_error():
    plain, equal = (QuantizeOptions(per_channel=False, equalize=each) for each in (False, True))
    network = read_network(chain())
    before = network.model()
    assert equalize(network) == 1
    x = {"x": floats(1, 3, 9, 9)}
    np.testing.assert_allclose(reference(network.model())(x)[0], reference(before)(x)[0], rtol=1e-3, atol=1e-4)
    assert quantized(chain(), equal)[1][-1].sqnr > quantized(chain(), plain)[1][-1].sqnr + 5


def gated(function: str) -> ModelProto:
    """A convolution with uneven channels, a gate from their means that scales them, and a convolution."""
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c"], "first"),
        helper.make_node(function, ["c"], ["r"], "function"),
        helper.make_node("GlobalAveragePool", ["r"], ["m"], "means"),
        helper.make_node("Conv", ["m", "w1"], ["n"], "gate"),
        helper.make_node("Sigmoid", ["n"], ["g"], "sigmoid"),
        helper.make_node("Mul", ["r", "g"], ["s"], "gated"),
        helper.make_node("Conv", ["s", "w2"], ["y"], "last"),
    ]
    ranges = np.float32(10.0) ** np.linspace(-2, 1, 8, dtype=np.float32)
    constants = {
        "w0": floats(8, 3, 3, 3) * ranges[:, None, None, None],
        "w1": floats(8, 8, 1, 1) / ranges[:, None, None] / 8,
        "w2": floats(4, 8, 3, 3) / ranges[:, None, None],
    }
    return model_of(nodes, {"x": (1, 3, 9, 9)}, ["y"], constants)


def test_smoothing_keeps_the_function_and_reduces_the_error():
    network = read_network(gated("Relu"))
    assert smooth(network, [{"x": floats(1, 3, 9, 9)}]) == 1
    x = {"x": floats(1, 3, 9, 9, seed=1)}
    np.testing.assert_allclose(reference(network.model())(x)[0], reference(gated("Relu"))(x)[0], rtol=1e-3, atol=1e-4)
    plain, smoothed = (quantized(gated("Relu"), QuantizeOptions(smooth=each))[1][-1].sqnr for each in (False, True))
    assert smoothed > plain + 5


def test_smoothing_stops_at_functions_that_do_not_keep_factors():
    network = read_network(gated("HardSwish"))
    before = network.model()
    assert smooth(network, [{"x": floats(1, 3, 9, 9)}]) == 0
    assert network.model() == before
