"""Quantisation: networks that ONNX Runtime and Tilewright run with equal integers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.columns import Sampler
from tilewright.frontend.quantize.execution import Execution
from tilewright.frontend.quantize.layers import Layer
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.propagation import Propagation
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.frontend.quantize.ranges import METHODS
from tilewright.frontend.quantize.sensitivity import OutputError
from tilewright.ir import Array, functions
from tilewright.passes.recover_quantized import recover_quantized
from tilewright.runtime.interpreter import run_module
from tilewright.test.frontend.quantize.networks import (
    attention,
    chain,
    float_ops,
    floats,
    imported,
    model_of,
    quantized,
    reference,
    residual,
)

VARIANTS = [
    QuantizeOptions(ranges=ranges, per_channel=channel, symmetric=symmetric, adaptive=adaptive, form=form)
    for ranges, channel, symmetric, adaptive, form in (
        ("mse", True, True, True, "qdq"),
        ("minmax", False, True, False, "qdq"),
        ("entropy", True, False, True, "qlinear"),
        ("percentile", False, True, True, "qlinear"),
        ("mse", True, False, False, "qdq"),
    )
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("options", VARIANTS, ids=lambda each: f"{each.ranges}-{each.form}")
@pytest.mark.parametrize(
    ("build", "kept"), [(residual, set[str]()), (attention, {"onnx.Mul", "onnx.Softmax", "onnx.LayerNormalization"})]
)
def test_a_network_becomes_integers(
    build: Callable[[], ModelProto], kept: set[str], options: QuantizeOptions, tmp_path: Path
):
    model = build()
    result, errors = quantized(model, options)
    module = imported(result.model, tmp_path, integers=True)
    assert float_ops(module) == kept
    run, exact = reference(result.model), reference(model)
    step = result.scales["y"].scale
    noise = signal = 0.0
    for seed in range(4):
        name = model.graph.input[0].name
        x = {name: floats(*(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim), seed=seed)}
        (found,), (wanted,) = run(x), exact(x)
        ours = next(iter(run_module(module, x).values()))
        assert np.abs(ours - found).max() <= step * 1.01
        noise += float(((found - wanted) ** 2).sum())
        signal += float((wanted**2).sum())
    assert signal > 30 * noise
    assert errors[-1].sqnr > 15


def test_a_clamp_and_a_normalisation_are_part_of_the_layer():
    result, _ = quantized(residual())
    assert [layer.name for layer in result.selection.layers] == ["conv0", "conv1", "sum", "mean", "gemm"]
    assert "BatchNormalization" not in {node.op_type for node in result.float_network.nodes}
    groups = result.selection.groups
    assert groups["s"] == groups["p"] == groups["k"]
    assert {"c0", "n0", "c1"}.isdisjoint(groups)


def test_nodes_of_one_name_become_nodes_of_different_names():
    model = chain()
    for node in model.graph.node:
        node.name = "same"
    result, _ = quantized(model)
    names = [node.name for node in result.model.graph.node]
    assert len(set(names)) == len(names)
    assert len(result.selection.layers) == 2


def test_adaptive_rounding_reduces_the_error_of_layers():
    nearest, adaptive = (
        quantized(residual(), QuantizeOptions(adaptive=each, correct=False))[1] for each in (False, True)
    )
    wins = sum(a.sqnr > b.sqnr for a, b in zip(adaptive, nearest, strict=True))
    assert wins >= 3


def test_bias_correction_keeps_means():

    def shift(correct: bool) -> float:
        result, _ = quantized(
            residual(), QuantizeOptions(per_channel=False, adaptive=False, correct=correct, ranges="minmax")
        )
        network, exact = reference(result.model), reference(residual())
        inputs = [{"x": floats(1, 3, 8, 8, seed=100 + seed)} for seed in range(30)]
        return float(np.abs(np.mean([network(x)[0] - exact(x)[0] for x in inputs], axis=0)).sum())

    assert shift(True) < shift(False)


def without_biases() -> ModelProto:
    """Three convolutions without biases, whose operands have means other than 0."""
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], "conv0"),
        helper.make_node("Relu", ["c0"], ["r0"], "relu0"),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], "conv1"),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["y"], "conv2"),
    ]
    constants = {"w0": floats(8, 3, 3, 3), "w1": floats(8, 8, 3, 3, seed=1), "w2": floats(4, 8, 3, 3, seed=2)}
    return model_of(nodes, {"x": (1, 3, 8, 8)}, ["y"], constants)


@pytest.mark.parametrize("build", [residual, without_biases])
def test_weights_are_rounded_for_the_operands_of_the_quantised_network(
    build: Callable[[], ModelProto], monkeypatch: pytest.MonkeyPatch
):
    seen: dict[str, Array] = {}
    columns = Propagation.columns

    def recorded(self: Propagation, layer: Layer) -> Array:
        seen[layer.name] = columns(self, layer)
        return seen[layer.name]

    monkeypatch.setattr(Propagation, "columns", recorded)
    result, _ = quantized(build())
    layers = [layer for layer in result.selection.layers if layer.name in seen]
    assert len(layers) == 3
    tensors = result.quantised.tensors
    run = Execution(result.quantised.network, [tensors[layer.data[0]] for layer in layers])
    values = [run.run({"x": each}) for each in floats(8, 1, 3, 8, 8)]
    for layer in layers:
        sampler = Sampler(result.float_network, layer, len(values))
        for each in values:
            sampler.add(each[tensors[layer.data[0]]])
        assert np.mean(sampler.columns() == seen[layer.name]) > 0.99


@pytest.mark.parametrize("ranges", ["minmax", "mse"])
def test_a_scale_for_each_block_of_channels(ranges: str):
    found = [quantized(chain(), QuantizeOptions(block=block, smooth=False, ranges=ranges)) for block in (1, 3, 8)]
    constants = [{each.name: each for each in result.model.graph.initializer} for result, _ in found]
    scales = [numpy_helper.to_array(each["first.weight.scale"]) for each in constants]
    assert [len(np.unique(each)) for each in scales] == [8, 3, 1]
    np.testing.assert_array_equal(scales[1], np.repeat(scales[1][::3], 3)[:8])
    assert all((scales[0] <= each * np.float32(1.001)).all() for each in scales[1:]) or ranges == "mse"
    assert max(error.sqnr for error in found[0][1]) >= max(error.sqnr for error in found[2][1])


def test_summands_share_a_scale():
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node("Add", ["c", "x"], ["s"], "sum"),
        helper.make_node("Sub", ["s", "c"], ["y"], "difference"),
    ]
    shape = [1, 4, 6, 6]
    for common in (False, True):
        model = model_of(nodes, {"x": shape}, ["y"], {"w": floats(4, 4, 1, 1) * 3})
        scales = quantized(model, QuantizeOptions(common_sums=common))[0].scales
        assert (len({scales[name] for name in ("x", "c", "s")}) == 1) == common


def test_the_result_of_a_product_that_floats_alone_read_is_its_sums():
    # Scores are read by a factor and a softmax, the result of `mix` by a sum, which stays one of integers.
    assert list(quantized(attention())[0].scales) == ["x", "q", "t", "e", "z", "s", "n", "u", "y"]


def upsampling(strides: int, window: int) -> ModelProto:
    """Two transposed convolutions, a normalisation and a Relu after the first."""
    size: dict[str, Any] = {"kernel_shape": [window, window], "strides": [strides, strides]}
    nodes = [
        helper.make_node("ConvTranspose", ["x", "w0"], ["a"], "up0", **size),
        helper.make_node("Add", ["a", "b0"], ["b"], "add"),
        helper.make_node("BatchNormalization", ["b", "g", "h", "m", "v"], ["c"], "norm"),
        helper.make_node("Relu", ["c"], ["d"], "relu"),
        helper.make_node("ConvTranspose", ["d", "w1", "b1"], ["y"], "up1", **size),
    ]
    arrays = {name: floats(6, seed=index) for index, name in enumerate("ghm")} | {"v": np.abs(floats(6)) + 1}
    arrays |= {"w0": floats(5, 6, window, window), "w1": floats(6, 3, window, window), "b1": floats(3)}
    return model_of(nodes, {"x": (1, 5, 4, 6)}, ["y"], arrays | {"b0": floats(6, 1, 1)})


def test_transposed_convolutions_of_disjoint_windows_become_integers(tmp_path: Path) -> None:
    result, errors = quantized(upsampling(2, 2))
    assert min(each.sqnr for each in errors) > 25
    assert not float_ops(imported(result.model, tmp_path, integers=True)) - {"onnx.QuantizeLinear"}
    x = {"x": floats(1, 5, 4, 6, seed=9)}
    np.testing.assert_allclose(
        reference(result.float_network.model())(x)[0], reference(upsampling(2, 2))(x)[0], atol=1e-5
    )


def test_transposed_convolutions_of_other_windows_stay() -> None:
    with pytest.raises(Diagnostic, match="no layer"):
        quantized(upsampling(2, 3))


@pytest.mark.sample(1)
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_search_takes_what_changes_the_outputs_least(symmetric: bool) -> None:
    def found(options: QuantizeOptions) -> tuple[float, float]:
        result, _ = quantized(long_tailed(), options)
        samples = samples_of(read_network(long_tailed()), {"x": floats(8, 4, 32)})
        return OutputError(result.float_network, samples).decisions(result.quantised)

    plain = [
        found(QuantizeOptions(ranges=ranges, adaptive=adaptive, symmetric=symmetric))
        for ranges in METHODS
        for adaptive in (True, False)
    ]
    assert len(set(plain)) > 5
    assert found(QuantizeOptions(search=True, symmetric=symmetric)) == min(plain) < max(plain)


def long_tailed() -> ModelProto:
    """Two products with a cube between them, whose tail ranges cut or keep."""
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"]),
        helper.make_node("Mul", ["a", "a"], ["b"]),
        helper.make_node("Mul", ["a", "b"], ["c"]),
        helper.make_node("MatMul", ["c", "w1"], ["y"]),
    ]
    return model_of(nodes, {"x": (4, 32)}, ["y"], {"w0": floats(32, 32), "w1": floats(32, 8)})


def test_a_sum_of_squares_before_a_square_root_stays_in_floats():
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["a"], "square0"),
        helper.make_node("Mul", ["z", "z"], ["b"], "square1"),
        helper.make_node("Add", ["a", "b"], ["s"], "sum"),
        helper.make_node("Sqrt", ["s"], ["m"], "root"),
        helper.make_node("MatMul", ["m", "w"], ["y"], "last"),
    ]
    model = model_of(nodes, {"x": (1, 8), "z": (1, 8)}, ["y"], {"w": floats(8, 4)})
    result, _ = quantized(model)
    assert [layer.name for layer in result.selection.layers] == ["last"]
    assert {"a", "b", "x", "z"}.isdisjoint(result.selection.groups)


@st.composite
def networks(draw: st.DrawFn) -> ModelProto:
    """Networks of convolutions, products, sums and pools on an image of 4 channels."""
    nodes: list[NodeProto] = []
    constants: dict[str, Array] = {}
    tensors = ["x"]
    for index in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["Conv", "Depthwise", "Add", "Mul", "MaxPool", "AveragePool", "MatMul", "Relu"]))
        a, b = draw(st.sampled_from(tensors)), draw(st.sampled_from(tensors))
        result, seed = f"t{index}", draw(st.integers(0, 9))
        if kind in ("Conv", "Depthwise"):
            groups = 4 if kind == "Depthwise" else 1
            constants[f"w{index}"] = floats(4, 4 // groups, 3, 3, seed=seed)
            constants[f"b{index}"] = floats(4, seed=seed + 1)
            inputs = [a, f"w{index}", f"b{index}"]
            nodes.append(helper.make_node("Conv", inputs, [result], f"n{index}", pads=[1, 1, 1, 1], group=groups))
        elif kind == "MatMul":
            constants[f"w{index}"] = floats(6, 6, seed=seed)
            nodes.append(helper.make_node("MatMul", [a, f"w{index}"], [result], f"n{index}"))
        elif kind.endswith("Pool"):
            pool = helper.make_node(kind, [a], [result], f"n{index}", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
            pool.attribute.extend([helper.make_attribute("count_include_pad", 1)] if kind == "AveragePool" else [])
            nodes.append(pool)
        else:
            nodes.append(helper.make_node(kind, [a] if kind == "Relu" else [a, b], [result], f"n{index}"))
        tensors.append(result)
    constants["last"] = floats(6, 6)
    nodes.append(helper.make_node("MatMul", [tensors[-1], "last"], ["y"], "last"))
    return model_of(nodes, {"x": (1, 4, 6, 6)}, ["y"], constants)


@settings(max_examples=15, deadline=None)
@given(model=networks(), form=st.sampled_from(["qdq", "qlinear"]), symmetric=st.booleans(), seed=st.integers(0, 99))
def test_random_networks_have_the_integers_of_onnx_runtime(model: ModelProto, form: str, symmetric: bool, seed: int):
    result, _ = quantized(model, QuantizeOptions(form=form, symmetric=symmetric, adaptive=False), 3)
    x = {"x": floats(1, 4, 6, 6, seed=seed)}
    module = import_model(result.model)
    for function in functions(module):
        recover_quantized(module, function)
    assert float_ops(module) == set(), [(n.op_type, list(n.input), list(n.output)) for n in model.graph.node]
    found = next(iter(run_module(module, x).values())) / result.scales["y"].scale
    wanted = reference(result.model)(x)[0] / result.scales["y"].scale
    # A sum in floats may round to the other side of the middle of two integers.
    assert np.abs(np.rint(found) - np.rint(wanted)).max() <= 1


def test_tensors_are_in_topological_order():
    result, _ = quantized(residual())
    made = ["x", *(name for node in result.float_network.nodes for name in node.output)]
    assert list(result.scales) == [name for name in made if name in result.scales]
