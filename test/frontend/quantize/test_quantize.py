"""Quantisation: networks that ONNX Runtime and Tilewright run with equal integers, and errors for bad input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright import cli
from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.columns import Sampler
from tilewright.frontend.quantize.equalize import equalize
from tilewright.frontend.quantize.error import TensorError, measure
from tilewright.frontend.quantize.execution import Execution
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.propagation import Propagation
from tilewright.frontend.quantize.quantize import Options, Result, quantize
from tilewright.frontend.quantize.ranges import METHODS
from tilewright.frontend.quantize.selection import Layer
from tilewright.frontend.quantize.sensitivity import OutputError
from tilewright.frontend.quantize.smoothing import smooth
from tilewright.ir import Array, functions
from tilewright.passes.recover_quantized import recover_quantized
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

RNG = np.random.default_rng


def model_of(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Sequence[int]],
    outputs: Sequence[str],
    constants: Mapping[str, Array],
    opset: int = 17,
) -> ModelProto:
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def floats(*shape: int, seed: int = 0) -> Array:
    return RNG(seed).standard_normal(shape).astype(np.float32)


def residual() -> ModelProto:
    """A convolution with batch normalisation, a depthwise one, a residual sum, a pool, a concatenation and a Gemm."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0"], ["c0"], "conv0", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c0", "g", "b", "m", "v"], ["n0"], "norm"),
        node("Relu", ["n0"], ["r0"], "relu0"),
        node("Conv", ["r0", "w1", "b1"], ["c1"], "conv1", pads=[1, 1, 1, 1], group=8),
        node("Clip", ["c1", "zero", "six"], ["r1"], "clip"),
        node("Add", ["r0", "r1"], ["s"], "sum"),
        node("MaxPool", ["s"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Concat", ["p", "p"], ["k"], "concat", axis=1),
        node("GlobalAveragePool", ["k"], ["a"], "mean"),
        node("Flatten", ["a"], ["f"], "flat"),
        node("Gemm", ["f", "w2", "b2"], ["y"], "gemm", transB=1),
    ]
    constants = {
        "w0": floats(8, 3, 3, 3), "g": 1 + np.abs(floats(8)), "b": floats(8), "m": floats(8),
        "v": 1 + np.abs(floats(8)),
        "w1": floats(8, 1, 3, 3), "b1": floats(8), "zero": np.float32(0), "six": np.float32(6),
        "w2": floats(5, 16), "b2": floats(5),
    }  # fmt: skip
    return model_of(nodes, {"x": (1, 3, 8, 8)}, ["y"], {name: np.asarray(array) for name, array in constants.items()})


def attention() -> ModelProto:
    """A product with a bias, products of two tensors, softmax, a layer norm and a GELU made of primitives."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w0"], ["h"], "proj"),
        node("Add", ["h", "b0"], ["q"], "bias"),
        node("Transpose", ["q"], ["t"], "turn", perm=[0, 2, 1]),
        node("MatMul", ["q", "t"], ["a"], "scores"),
        node("Mul", ["a", "eighth"], ["d"], "scaled"),
        node("Softmax", ["d"], ["e"], "softmax"),
        node("MatMul", ["e", "q"], ["z"], "mix"),
        node("Add", ["z", "x"], ["s"], "sum"),
        node("LayerNormalization", ["s", "g", "b0"], ["n"], "norm"),
        node("Sigmoid", ["n"], ["o"], "gate"),
        node("Mul", ["n", "o"], ["u"], "swish"),
        node("MatMul", ["u", "w1"], ["y"], "last"),
    ]
    constants = {
        "w0": floats(16, 16),
        "b0": floats(16),
        "eighth": np.float32(0.125),
        "g": floats(16),
        "w1": floats(16, 4),
    }
    arrays = {name: np.asarray(array) for name, array in constants.items()}
    return model_of(nodes, {"x": (1, 6, 16)}, ["y"], arrays)


def quantized(model: ModelProto, options: Options = Options(), count: int = 8) -> tuple[Result, list[TensorError]]:
    network = read_network(model)
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in network.inputs}
    arrays = {name: floats(count, *shape, seed=index) for index, (name, shape) in enumerate(shapes.items())}
    samples = samples_of(network, arrays)
    result = quantize(network, samples, options)
    return result, measure(result, samples)


def reference(model: ModelProto) -> Callable[[Mapping[str, Array]], list[Array]]:
    session = onnx_runtime.session(model)
    return lambda inputs: session.run(None, dict(inputs))


def imported(model: ModelProto, folder: Path, *, integers: bool) -> ModuleOp:
    (folder / "q.onnx").write_bytes(model.SerializeToString())
    return Model(folder / "q.onnx", integers=integers).load()


def float_ops(module: ModuleOp) -> set[str]:
    """The operators of a module that compute floats."""
    kept = {"onnx.DequantizeLinear", "onnx.Constant"}
    ops = [op for op in module.walk() if op.name.startswith("onnx.") and op.name not in kept]
    return {op.name for op in ops if any("f32" in str(result.type) for result in op.results)}


VARIANTS = [
    Options(ranges=ranges, per_channel=channel, symmetric=symmetric, adaptive=adaptive, form=form)
    for ranges, channel, symmetric, adaptive, form in (
        ("mse", True, True, True, "qdq"),
        ("minmax", False, True, False, "qdq"),
        ("entropy", True, False, True, "qlinear"),
        ("percentile", False, True, True, "qlinear"),
        ("mse", True, False, False, "qdq"),
    )
]


@pytest.mark.parametrize("options", VARIANTS, ids=lambda each: f"{each.ranges}-{each.form}")
@pytest.mark.parametrize(
    ("build", "kept"), [(residual, set[str]()), (attention, {"onnx.Mul", "onnx.Softmax", "onnx.LayerNormalization"})]
)
def test_a_network_becomes_integers(build: Callable[[], ModelProto], kept: set[str], options: Options, tmp_path: Path):
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
    nearest, adaptive = (quantized(residual(), Options(adaptive=each, correct=False))[1] for each in (False, True))
    wins = sum(a.sqnr > b.sqnr for a, b in zip(adaptive, nearest, strict=True))
    assert wins >= 3


def test_bias_correction_keeps_means():

    def shift(correct: bool) -> float:
        result, _ = quantized(residual(), Options(per_channel=False, adaptive=False, correct=correct, ranges="minmax"))
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


def chain() -> ModelProto:
    """Two convolutions with a Relu between them; channels of the first have very different ranges."""
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c"], "first"),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("Conv", ["r", "w1"], ["y"], "second"),
    ]
    ranges = np.float32(10.0) ** np.linspace(-2, 1, 8, dtype=np.float32)
    constants = {
        "w0": floats(8, 3, 3, 3) * ranges[:, None, None, None],
        "b0": floats(8) * ranges,
        "w1": floats(4, 8, 3, 3) / ranges[:, None, None],
    }
    return model_of(nodes, {"x": (1, 3, 9, 9)}, ["y"], constants)


@pytest.mark.parametrize("ranges", ["minmax", "mse"])
def test_a_scale_for_each_block_of_channels(ranges: str):
    found = [quantized(chain(), Options(block=block, smooth=False, ranges=ranges)) for block in (1, 3, 8)]
    constants = [{each.name: each for each in result.model.graph.initializer} for result, _ in found]
    scales = [numpy_helper.to_array(each["first.weight.scale"]) for each in constants]
    assert [len(np.unique(each)) for each in scales] == [8, 3, 1]
    np.testing.assert_array_equal(scales[1], np.repeat(scales[1][::3], 3)[:8])
    assert all((scales[0] <= each * np.float32(1.001)).all() for each in scales[1:]) or ranges == "mse"
    assert max(error.sqnr for error in found[0][1]) >= max(error.sqnr for error in found[2][1])


def test_equalisation_keeps_the_function_and_reduces_the_error():
    plain, equal = (Options(per_channel=False, equalize=each) for each in (False, True))
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
    plain, smoothed = (quantized(gated("Relu"), Options(smooth=each))[1][-1].sqnr for each in (False, True))
    assert smoothed > plain + 5


def test_smoothing_stops_at_functions_that_do_not_keep_factors():
    network = read_network(gated("HardSwish"))
    before = network.model()
    assert smooth(network, [{"x": floats(1, 3, 9, 9)}]) == 0
    assert network.model() == before


def test_summands_share_a_scale():
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node("Add", ["c", "x"], ["s"], "sum"),
        helper.make_node("Sub", ["s", "c"], ["y"], "difference"),
    ]
    shape = [1, 4, 6, 6]
    for common in (False, True):
        model = model_of(nodes, {"x": shape}, ["y"], {"w": floats(4, 4, 1, 1) * 3})
        scales = quantized(model, Options(common_sums=common))[0].scales
        assert (len({scales[name] for name in ("x", "c", "s")}) == 1) == common


def test_the_most_sensitive_layers_stay_floats():
    worst = min(quantized(chain(), Options(per_channel=False))[1], key=lambda each: each.sqnr)
    result, errors = quantized(chain(), Options(per_channel=False, keep=1))
    assert [layer.name for layer in result.selection.layers] != ["first", "second"]
    assert len(result.selection.layers) == 1
    assert errors[-1].sqnr > worst.sqnr


LAYERS: tuple[str, ...] = ("first", "second", "third", "last")


def outliers(seed: int, function: str = "") -> ModelProto:
    """Four convolutions whose weights have outliers, with a function after the second."""
    draw = RNG(seed)
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


def output_error(model: ModelProto, options: Options) -> tuple[float, set[str]]:
    """The noise at the outputs for samples of calibration, and the layers that stay floats."""
    network = read_network(model)
    samples = samples_of(network, {"x": floats(8, 1, 3, 12, 12)})
    result = quantize(network, samples, options)
    error = OutputError(result.float_network, samples[:4]).noise(result.quantised)
    return error, set(LAYERS) - {layer.name for layer in result.selection.layers}


@pytest.mark.parametrize("seed", [12, 16, 17, 25])
def test_the_layer_that_alone_changes_the_outputs_most_stays_floats(seed: int):
    model, plain = outliers(seed), Options(smooth=False)
    others = {name: tuple(other for other in LAYERS if other != name) for name in LAYERS}
    alone = {name: output_error(model, replace(plain, floats=others[name]))[0] for name in LAYERS}
    assert output_error(model, replace(plain, keep=1))[1] == {max(alone, key=lambda name: alone[name])}


def test_layers_of_floats_keep_the_means_of_their_results():
    def shift(correct: bool) -> float:
        network = read_network(outliers(3))
        samples = samples_of(network, {"x": floats(8, 1, 3, 12, 12)})
        options = Options(per_channel=False, adaptive=False, correct=correct, floats=LAYERS[1:])
        result = quantize(network, samples, options)
        exact, found = (Execution(each, ["y"]) for each in (result.float_network, result.quantised.network))
        return float(np.abs(np.mean([found.run(x)["y"] - exact.run(x)["y"] for x in samples], axis=(0, 1, 3, 4))).sum())

    assert shift(True) < shift(False) / 10


def test_a_layer_of_floats_takes_its_bias_and_a_function_of_its_result_along():
    product = quantized(attention(), Options(floats=("proj",)))[0]
    assert not {"proj", "bias"} & {layer.name for layer in product.selection.layers}
    assert "h" not in product.scales
    convolution = quantized(outliers(0, "HardSwish"), Options(floats=("second",)))[0]
    assert "b" not in convolution.scales
    # The floats of the second layer are the sums of the first.
    assert list(convolution.scales) == ["x", "f", "c", "y"]


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


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_search_takes_what_changes_the_outputs_least(symmetric: bool) -> None:
    def found(options: Options) -> tuple[float, float]:
        result, _ = quantized(long_tailed(), options)
        samples = samples_of(read_network(long_tailed()), {"x": floats(8, 4, 32)})
        return OutputError(result.float_network, samples).decisions(result.quantised)

    plain = [
        found(Options(ranges=ranges, adaptive=adaptive, symmetric=symmetric))
        for ranges in METHODS
        for adaptive in (True, False)
    ]
    assert len(set(plain)) > 5
    assert found(Options(search=True, symmetric=symmetric)) == min(plain) < max(plain)


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


# Random networks


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
    result, _ = quantized(model, Options(form=form, symmetric=symmetric, adaptive=False), 3)
    x = {"x": floats(1, 4, 6, 6, seed=seed)}
    module = import_model(result.model)
    for function in functions(module):
        recover_quantized(module, function)
    assert float_ops(module) == set(), [(n.op_type, list(n.input), list(n.output)) for n in model.graph.node]
    found = next(iter(run_module(module, x).values())) / result.scales["y"].scale
    wanted = reference(result.model)(x)[0] / result.scales["y"].scale
    # A sum in floats may round to the other side of the middle of two integers.
    assert np.abs(np.rint(found) - np.rint(wanted)).max() <= 1


# Errors


def command(folder: Path, arrays: Mapping[str, Array], *more: str, model: ModelProto | None = None) -> tuple[int, Path]:
    (folder / "net.onnx").write_bytes((model or residual()).SerializeToString())
    np.savez(folder / "data.npz", allow_pickle=False, **arrays)
    output = folder / "out.onnx"
    words = ["quantize", str(folder / "net.onnx"), "--calibration", str(folder / "data.npz")]
    return cli.main([*words, "-o", str(output), *more]), output


GOOD = {"x": floats(4, 3, 8, 8)}


def test_the_command_writes_a_network_and_the_errors_of_its_layers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, output = command(
        tmp_path,
        GOOD,
        "--json",
        str(tmp_path / "error.json"),
        "--html",
        str(tmp_path / "error.html"),
        "--float",
        "gemm",
    )
    assert code == 0
    assert ModelProto.FromString(output.read_bytes()).opset_import[0].version >= 20
    shown = capsys.readouterr().out
    assert "conv0" in shown
    assert "gemm" not in shown
    page = (tmp_path / "error.html").read_text(encoding="utf-8")
    assert page.count("<rect") == 2 * page.count("<tr>") - 2
    assert '"cosine"' in (tmp_path / "error.json").read_text(encoding="utf-8")


def test_calibration_files_are_joined(tmp_path: Path):
    assert command(tmp_path, GOOD, "--calibration", str(tmp_path / "data.npz"))[0] == 0


BAD: list[tuple[Mapping[str, Array], Sequence[str], str]] = [
    ({"x": floats(4, 3, 8, 9)}, (), "of another shape"),
    ({"z": floats(4, 3, 8, 8)}, (), "has no input 'z'"),
    ({"x": np.ones((4, 3, 8, 8), np.int32)}, (), "of another type"),
    ({"x": np.where(floats(4, 3, 8, 8) > 2, np.nan, 1).astype(np.float32)}, (), "not finite"),
    ({"x": np.full((4, 3, 8, 8), np.inf, np.float32)}, (), "not finite"),
    ({"x": floats(0, 3, 8, 8)}, (), "without samples"),
    ({"x": np.asarray(1.0)}, (), 'input "x": error: an array has no axis of samples'),
    ({"x": np.zeros((4, 3, 8, 8), np.float32)}, (), "a scale of zero"),
    ({"x": np.full((4, 3, 8, 8), 1e300)}, (), 'input "x": error: calibration data that are not finite'),
    (GOOD, ("--float", "convo"), "no such node"),
    (GOOD, ("--keep-float", "99"), "no layer would have bytes"),
    (GOOD, ("--keep-wide", "99"), "--keep-wide"),
    (GOOD, ("--wide", "convo"), "no such node or operator"),
    (GOOD, ("-o", "/nowhere/at/all.onnx"), "cannot be written"),
]


@pytest.mark.parametrize(("arrays", "more", "message"), BAD, ids=[each[2] for each in BAD])
def test_bad_input_is_an_error_without_output(
    arrays: Mapping[str, Array],
    more: Sequence[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    code, output = command(tmp_path, arrays, *more)
    text = capsys.readouterr().err
    assert (code, output.exists()) == (1, False)
    assert "error:" in text
    assert message in text


def test_a_constant_that_is_not_finite_is_named():
    model = residual()
    weights = next(each for each in model.graph.initializer if each.name == "w2")
    weights.CopyFrom(numpy_helper.from_array(np.full((5, 16), np.nan, np.float32), "w2"))
    with pytest.raises(Diagnostic, match='constant "w2"'):
        quantized(model)


def test_tensors_are_in_topological_order():
    result, _ = quantized(residual())
    made = ["x", *(name for node in result.float_network.nodes for name in node.output)]
    assert list(result.scales) == [name for name in made if name in result.scales]


def test_a_quantised_model_is_refused(tmp_path: Path):
    result, _ = quantized(residual())
    with pytest.raises(Diagnostic, match="quantised already"):
        read_network(result.model)


@pytest.mark.parametrize(("op", "inputs"), [("Softmax", ["x"]), ("Add", ["x", "x"])])
def test_a_model_without_a_layer_is_refused(op: str, inputs: list[str]):
    softmax = model_of([helper.make_node(op, inputs, ["y"])], {"x": (1, 4)}, ["y"], {})
    with pytest.raises(Diagnostic, match="no layer to quantise") as caught:
        quantized(softmax)
    assert "no function of single numbers" in caught.value.expected


def test_a_layer_of_constants_is_none():
    both = {"a": floats(2, 2), "b": floats(2, 2)}
    with pytest.raises(Diagnostic, match="no layer to quantise"):
        quantized(model_of([helper.make_node("Add", ["a", "b"], ["y"])], {}, ["y"], both))


def test_an_empty_input_is_refused():
    total = model_of([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (0, 4)}, ["y"], {"w": floats(4, 2)})
    with pytest.raises(Diagnostic, match="an input has no elements"):
        quantized(total)


def test_scales_per_channel_need_weights_with_channels():
    total = model_of([helper.make_node("Add", ["x", "z"], ["y"])], {"x": (1, 4), "z": (1, 4)}, ["y"], {})
    with pytest.raises(Diagnostic, match="no weight has channels"):
        quantized(total)
    assert quantized(total, Options(per_channel=False))[0].selection.layers
