"""Products of operands of two bytes: plain ONNX, nearly exact, integers on every level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tilewright
from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.quantize.calibration import Sample, samples_of
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.ir import Array, functions
from tilewright.passes.recover_quantized import recover_quantized
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.profile import profile
from tilewright.test import onnx_runtime

SHAPE = (1, 6, 8, 8)


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def network() -> ModelProto:
    """A depthwise convolution, one with a HardSwish before it, a mean, products with weights and of two tensors."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0", "b0"], ["a"], "depth", pads=[1, 1, 1, 1], group=6),
        node("HardSwish", ["a"], ["h"], "function"),
        node("Conv", ["h", "w1", "b1"], ["c"], "point"),
        node("ReduceMean", ["c", "axes"], ["m"], "mean", keepdims=0),
        node("MatMul", ["m", "w2"], ["u"], "rows"),
        node("Transpose", ["u"], ["t"], "turn", perm=[0, 2, 1]),
        node("MatMul", ["u", "t"], ["s"], "scores"),
        node("Reshape", ["s", "flat"], ["f"], "flatten"),
        node("Gemm", ["f", "w3", "b3"], ["y"], "last", transB=1),
    ]
    arrays = {
        "w0": drawn(6, 1, 3, 3, seed=1), "b0": drawn(6, seed=2), "w1": drawn(4, 6, 1, 1, seed=3),
        "b1": drawn(4, seed=4), "w2": drawn(8, 5, seed=5), "w3": drawn(3, 16, seed=6), "b3": drawn(3, seed=7),
        "axes": np.array([2]), "flat": np.array([1, -1]),
    }  # fmt: skip
    arrays["w1"][1], arrays["w1"][2] = 0, 1e-33
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def quantised(options: QuantizeOptions, samples: Sequence[Sample] | None = None) -> Result:
    read = read_network(network())
    return quantize(read, samples or samples_of(read, {"x": drawn(8, *SHAPE)}), options)


def noise(model: ModelProto, scale: float = 1.0) -> float:
    """The power of ONNX Runtime's error, relative to that of the outputs in floats, for multiples of the samples."""
    exact, found = onnx_runtime.session(network()), onnx_runtime.session(model)
    inputs = [{"x": scale * each[None]} for each in drawn(8, *SHAPE[1:])]
    pairs = [(exact.run(None, x)[0].astype(np.float64), found.run(None, x)[0]) for x in inputs]
    return sum(((a - b) ** 2).sum() for a, b in pairs) / sum((a**2).sum() for a, _ in pairs)


ALL = ("Conv", "Gemm", "MatMul", "ReduceMean")


def test_operands_of_two_bytes_are_nearly_exact() -> None:
    bytes_, wide = quantised(QuantizeOptions()).model, quantised(QuantizeOptions(wide=ALL)).model
    assert noise(wide) < 1e-5 < 5e-4 < noise(bytes_)
    # Operands beyond those of the samples are represented too; those of the last product are squares.
    assert noise(wide, 1.3) < 1e-5


@pytest.mark.parametrize("weights", [True, False])
def test_products_are_of_bytes(weights: bool) -> None:
    model = quantised(QuantizeOptions(wide=ALL, per_channel=weights)).model
    products = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm", "MatMul")]
    dequantised = {node.output[0] for node in model.graph.node if node.op_type == "DequantizeLinear"}
    assert {name for node in products for name in node.input[:2]} <= dequantised
    assert [sum(name in each.name for each in products) for name in ("depth", "scores")] == [3, 3]
    module = import_model(model)
    for function in functions(module):
        recover_quantized(module, function)
    kinds = [op.name for op in module.walk()]
    assert not {"onnx.Conv", "onnx.Gemm", "onnx.MatMul"} & set(kinds)
    assert kinds.count("onnx.ConvInteger") == 6
    sample = drawn(*SHAPE, seed=50)
    found = run_module(module, {"x": sample})["y"]
    wanted = onnx_runtime.session(model).run(None, {"x": sample})[0]
    assert np.abs(found - wanted).max() < 1e-3 * np.abs(wanted).max()


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["host", "gemmini"])
def test_targets_compute_what_onnx_runtime_does(target: str, tmp_path: Path) -> None:
    path, inputs = tmp_path / "wide.onnx", {"x": drawn(*SHAPE, seed=50)}
    path.write_bytes(quantised(QuantizeOptions(wide=("Conv",))).model.SerializeToString())
    wanted = onnx_runtime.session(path).run(None, inputs)[0]
    assert tilewright.load(path, target, integers=True).run(inputs)["y"].tolist() == wanted.tolist()


def test_the_array_computes_products_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "wide.onnx"
    path.write_bytes(quantised(QuantizeOptions(wide=("point",), floats=("[drsml]*",))).model.SerializeToString())
    layers = profile(Model(path, integers=True), "gemmini").layers
    assert sum(any(each.name == "array" and each.busy for each in layer.engines.values()) for layer in layers) == 3


def test_a_byte_has_no_lower_one() -> None:
    model = quantised(QuantizeOptions(wide=("rows", "scores"))).model
    parts = [node for node in model.graph.node if node.op_type == "MatMul"]
    # The operand of the first is the result of a mean in bytes, both of the second are the first's floats.
    assert [sum(name in each.name for each in parts) for name in ("rows", "scores")] == [2, 3]


def test_the_most_sensitive_layers_get_two_bytes() -> None:
    floats, wide = quantised(QuantizeOptions(keep=4)), quantised(QuantizeOptions(keep_wide=4))
    assert [layer.name for layer in floats.selection.layers] == [layer.name for layer in wide.selection.layers]
    both, first = quantised(QuantizeOptions(keep=1, keep_wide=3)), quantised(QuantizeOptions(keep=1))
    assert [layer.name for layer in both.selection.layers] == [layer.name for layer in wide.selection.layers]
    kept = {layer.name for layer in wide.selection.wide} & {layer.name for layer in first.selection.layers}
    assert {layer.name for layer in both.selection.wide} == kept
    assert noise(wide.model) < 0.5 * noise(quantised(QuantizeOptions()).model)


@pytest.mark.parametrize("options", [QuantizeOptions(keep_wide=9), QuantizeOptions(keep=3, keep_wide=4)])
def test_some_layer_has_bytes(options: QuantizeOptions) -> None:
    with pytest.raises(Diagnostic, match="no layer would have bytes"):
        quantised(options)
    with pytest.raises(Diagnostic, match="no such node or operator"):
        quantised(QuantizeOptions(wide=("Conf",)))


def test_a_pattern_names_nodes() -> None:
    wide, some = (
        quantised(QuantizeOptions(wide=("*",))),
        quantised(QuantizeOptions(wide=("d*", "po?nt"), floats=("[lm]*",))),
    )
    assert [layer.name for layer in wide.selection.wide] == ["depth", "point", "rows", "scores", "last"]
    assert not wide.selection.layers
    assert [layer.name for layer in some.selection.wide] == ["depth", "point"]
    assert [layer.name for layer in some.selection.layers] == ["rows", "scores"]
