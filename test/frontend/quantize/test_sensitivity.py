"""Mixed precision: layers that stay in floats, by the error at the outputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from onnx import ModelProto, helper

from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.execution import Execution
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.frontend.quantize.sensitivity import OutputError
from tilewright.test.frontend.quantize.networks import attention, chain, floats, model_of, quantized


def test_the_most_sensitive_layers_stay_floats():
    worst = min(quantized(chain(), QuantizeOptions(per_channel=False))[1], key=lambda each: each.sqnr)
    result, errors = quantized(chain(), QuantizeOptions(per_channel=False, keep=1))
    assert [layer.name for layer in result.selection.layers] != ["first", "second"]
    assert len(result.selection.layers) == 1
    assert errors[-1].sqnr > worst.sqnr


LAYERS: tuple[str, ...] = ("first", "second", "third", "last")


def outliers(seed: int, function: str = "") -> ModelProto:
    """Four convolutions whose weights have outliers, with a function after the second."""
    draw = np.random.default_rng(seed)
    names = ["x", "a", "f" if function else "b", "c", "y"]
    results = ["a", "b", "c", "y"]
    nodes = [
        helper.make_node("Conv", [names[index], f"w{index}", f"b{index}"], [results[index]], LAYERS[index])
        for index in range(4)
    ]
    if function:
        nodes.insert(2, helper.make_node(function, ["b"], ["f"], "function"))
    weights = [draw.standard_t(2, (6, 6 if index else 3, 3, 3)).astype(np.float32) for index in range(4)]
    biases = [draw.standard_normal(6).astype(np.float32) for _ in range(4)]
    constants = {f"w{index}": each for index, each in enumerate(weights)}
    return model_of(
        nodes, {"x": (1, 3, 12, 12)}, ["y"], constants | {f"b{index}": each for index, each in enumerate(biases)}
    )


def output_error(model: ModelProto, options: QuantizeOptions) -> tuple[float, set[str]]:
    """The noise at the outputs for samples of calibration, and the layers that stay floats."""
    network = read_network(model)
    samples = samples_of(network, {"x": floats(8, 1, 3, 12, 12)})
    result = quantize(network, samples, options)
    error = OutputError(result.float_network, samples[:4]).noise(result.quantised)
    return error, set(LAYERS) - {layer.name for layer in result.selection.layers}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [12, 16, 17, 25])
def test_the_layer_that_alone_changes_the_outputs_most_stays_floats(seed: int):
    model, plain = outliers(seed), QuantizeOptions(smooth=False)
    others = {name: tuple(other for other in LAYERS if other != name) for name in LAYERS}
    alone = {name: output_error(model, replace(plain, floats=others[name]))[0] for name in LAYERS}
    assert output_error(model, replace(plain, keep=1))[1] == {max(alone, key=lambda name: alone[name])}


def test_layers_of_floats_keep_the_means_of_their_results():
    def shift(correct: bool) -> float:
        network = read_network(outliers(3))
        samples = samples_of(network, {"x": floats(8, 1, 3, 12, 12)})
        options = QuantizeOptions(per_channel=False, adaptive=False, correct=correct, floats=LAYERS[1:])
        result = quantize(network, samples, options)
        exact, found = (Execution(each, ["y"]) for each in (result.float_network, result.quantised.network))
        return float(np.abs(np.mean([found.run(x)["y"] - exact.run(x)["y"] for x in samples], axis=(0, 1, 3, 4))).sum())

    assert shift(True) < shift(False) / 10


def test_a_layer_of_floats_takes_its_bias_and_a_function_of_its_result_along():
    product = quantized(attention(), QuantizeOptions(floats=("proj",)))[0]
    assert not {"proj", "bias"} & {layer.name for layer in product.selection.layers}
    assert "h" not in product.scales
    convolution = quantized(outliers(0, "HardSwish"), QuantizeOptions(floats=("second",)))[0]
    assert "b" not in convolution.scales
    # The floats of the second layer are the sums of the first.
    assert list(convolution.scales) == ["x", "f", "c", "y"]
