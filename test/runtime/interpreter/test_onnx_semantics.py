"""What the graph level computes: against ONNX Runtime, and our own operators against loops over single numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erf, isqrt, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick

Array = NDArray[Any]
RNG = np.random.default_rng(7)


def model(nodes: Sequence[NodeProto], inputs: dict[str, Array], outputs: Sequence[str]) -> ModelProto:
    def port(name: str, array: Array | None) -> Any:
        data_type = TensorProto.FLOAT if array is None else helper.np_dtype_to_tensor_dtype(array.dtype)
        return helper.make_tensor_value_info(name, data_type, None if array is None else array.shape)

    given = [port(name, array) for name, array in inputs.items()]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(list(nodes), "net", given, results)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    made.ir_version = 9
    return made


def run(op_type: str, *inputs: Array, outputs: int = 1, **attributes: Any) -> Any:
    """Return what one node computes."""
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, results, **attributes)
    feeds = dict(zip(names, inputs, strict=True))
    found = run_module(import_model(model([node], feeds, results)), feeds)
    return found[results[0]] if outputs == 1 else [found[name] for name in results]


def onnxruntime(op_type: str, *inputs: Array, outputs: int = 1, **attributes: Any) -> Any:
    names = [f"x{i}" for i in range(len(inputs))]
    feeds = dict(zip(names, inputs, strict=True))
    results = [f"y{i}" for i in range(outputs)]
    made = model([helper.make_node(op_type, names, results, **attributes)], feeds, results)
    session: Any = onnx_runtime.session(made)
    found = session.run(None, feeds)
    return found[0] if outputs == 1 else found


def whole(*shape: int, low: int = -8, high: int = 8) -> Array:
    return RNG.integers(low, high, shape).astype(np.float32)


LINEAR: dict[str, tuple[str, tuple[Array, ...], dict[str, Any]]] = {
    "matmul": ("MatMul", (whole(2, 3, 4), whole(4, 5)), {}),
    "matmul-vector": ("MatMul", (whole(4), whole(4, 5)), {}),
    "gemm": ("Gemm", (whole(4, 3), whole(5, 4), whole(5)), {"transA": 1, "transB": 1, "alpha": 2.0, "beta": 0.5}),
    "conv": ("Conv", (whole(2, 3, 9, 8), whole(4, 3, 3, 2), whole(4)), {"strides": [2, 1], "pads": [1, 0, 2, 1]}),
    "conv-dilated": ("Conv", (whole(1, 2, 9, 9), whole(4, 2, 3, 3)), {"dilations": [2, 3], "pads": [1, 1, 1, 1]}),
    "conv-grouped": ("Conv", (whole(1, 6, 5, 5), whole(9, 2, 3, 3)), {"group": 3}),
    "conv-depthwise-1d": ("Conv", (whole(1, 4, 11), whole(4, 1, 5)), {"group": 4, "strides": [3]}),
    "conv-same-upper": ("Conv", (whole(1, 1, 7, 8), whole(2, 1, 4, 3)), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "conv-same-lower": ("Conv", (whole(1, 1, 7, 8), whole(2, 1, 4, 3)), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "conv-valid": ("Conv", (whole(1, 1, 7, 8), whole(2, 1, 4, 3)), {"auto_pad": "VALID"}),
    "pool": ("MaxPool", (whole(1, 2, 7, 8),), {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
    "pool-ceil": ("MaxPool", (whole(1, 2, 7, 8),), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "pool-dilated": ("MaxPool", (whole(1, 2, 9),), {"kernel_shape": [3], "dilations": [2]}),
    "pool-i8": ("MaxPool", (whole(1, 2, 6).astype(np.int8) - 100,), {"kernel_shape": [3], "pads": [1, 1]}),
    "pool-global-3d": ("GlobalMaxPool", (whole(2, 1, 2, 2, 5),), {}),
    "transposed": (
        "ConvTranspose",
        (whole(2, 6, 4, 3), whole(6, 2, 3, 2), whole(6)),
        {"group": 3, "strides": [3, 2], "dilations": [1, 2], "pads": [1, 0, 2, 1], "output_padding": [2, 1]},
    ),
    "transposed-same": ("ConvTranspose", (whole(1, 2, 5), whole(2, 2, 4)), {"auto_pad": "SAME_LOWER", "strides": [2]}),
    "add-broadcast": ("Add", (whole(2, 1, 4), whole(3, 1)), {}),
    "div-truncates": ("Div", (np.array([-7, 7, -8], np.int32), np.array([2, -2, 3], np.int32)), {}),
    "softmax": ("Softmax", (whole(2, 5),), {"axis": 1}),
    "concat": ("Concat", (whole(2, 3), whole(2, 1)), {"axis": 1}),
    "transpose": ("Transpose", (whole(2, 3, 4),), {"perm": [2, 0, 1]}),
}


@pytest.mark.parametrize("name", LINEAR)
def test_equal_to_onnxruntime(name: str):
    op_type, inputs, attributes = LINEAR[name]
    expected, found = onnxruntime(op_type, *inputs, **attributes), run(op_type, *inputs, **attributes)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-6 if name == "softmax" else 0)


WITHOUT_REFERENCE: dict[str, tuple[str, tuple[Array, ...], dict[str, Any]]] = {
    "norm-of-channels": ("LRN", (whole(1, 5, 2, 2),), {"size": 3, "alpha": 0.1, "beta": 0.5, "bias": 2.0}),
    "norm-of-order-1": ("LpNormalization", (whole(3, 4),), {"axis": 0, "p": 1}),
    "log-softmax": ("LogSoftmax", (100 * whole(2, 5),), {"axis": 1}),
    "log-sum-exp-all": ("ReduceLogSumExp", (100 * whole(3, 4),), {"keepdims": 0}),
    "log-sum-exp-number": ("ReduceLogSumExp", (whole(),), {}),
    "global-pool": ("GlobalLpPool", (whole(2, 3, 4, 2),), {"p": 3}),
    "pool": ("LpPool", (whole(1, 2, 7, 6),), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1], "p": 1}),
    "sign": ("Softsign", (whole(),), {}),
    "elements": ("GatherElements", (whole(3, 4, 5), np.array([[[2, 0, -1]], [[1, 1, 0]]])), {"axis": 0}),
}
"""Operators of which onnx.reference computes something else, or nothing."""


@pytest.mark.parametrize("name", WITHOUT_REFERENCE)
def test_what_the_reference_lacks_is_equal_to_onnxruntime(name: str):
    op_type, inputs, attributes = WITHOUT_REFERENCE[name]
    expected, found = onnxruntime(op_type, *inputs, **attributes), run(op_type, *inputs, **attributes)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-6)


def test_zero_points_of_weights_may_be_one_per_channel():
    x, w = RNG.integers(0, 256, (2, 4, 9)).astype(np.uint8), RNG.integers(-128, 128, (4, 2, 3)).astype(np.int8)
    zeros = RNG.integers(-128, 128, 4).astype(np.int8)
    found = run("ConvInteger", x, w, np.array(200, np.uint8), zeros, group=2, pads=[1, 2])
    wide = x.astype(np.float32) - 200, w.astype(np.float32) - zeros.astype(np.float32)[:, None, None]
    np.testing.assert_array_equal(found, run("Conv", *wide, group=2, pads=[1, 2]))


SLICE = """
!two = tensor<2xi64>
func.func @network(%x: tensor<4x5xf32>, %b: !two, %e: !two, %a: !two, %s: !two) -> tensor<1x3xf32> {
  %y = onnx.Slice(%x, %b, %e, %a, %s) : (tensor<4x5xf32>, !two, !two, !two, !two) -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}"""
PAD = """
func.func @network(%x: tensor<4x5xf32>, %p: tensor<4xi64>) -> tensor<5x4xf32> {
  %y = onnx.Pad(%x, %p) : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<5x4xf32>
  func.return %y : tensor<5x4xf32>
}"""


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        (SLICE, ([-9, 9], [-9, -9], [0, 1], [-1, -2]), [[4, 2, 0]]),
        (PAD, ([-1, 1, 2, -2],), [[0, 5, 6, 7], [0, 10, 11, 12], [0, 15, 16, 17], [0] * 4, [0] * 4]),
    ],
)
def test_limits_of_slices_and_padding_below_zero(text: str, parameters: Sequence[list[int]], expected: list[list[int]]):
    arrays = [np.arange(20, dtype=np.float32).reshape(4, 5), *map(np.array, parameters)]
    found = run_module(parse_module(new_context(), text), {f"arg{i}": each for i, each in enumerate(arrays)})
    np.testing.assert_array_equal(found["result0"], expected)


@pytest.mark.parametrize("mode", ["edge", "reflect"])
def test_padding_below_zero_by_elements(mode: str):
    x, pads = whole(4, 5), np.array([-1, 1, 2, -2])
    text = PAD.replace("(%x, %p)", f'(%x, %p) {{mode = "{mode}"}}')
    found = run_module(parse_module(new_context(), text), {"arg0": x, "arg1": pads})["result0"]
    np.testing.assert_array_equal(found, onnxruntime("Pad", x, pads, mode=mode))


@pytest.mark.parametrize("order", [0, 1])
def test_places_of_maxima_are_the_first_of_a_row(order: int):
    x, attributes = whole(2, 2, 4, 5, low=0, high=2), {"kernel_shape": [2, 3], "storage_order": order, "pads": [1] * 4}
    expected = onnxruntime("MaxPool", x, outputs=2, **attributes)[1]
    np.testing.assert_array_equal(run("MaxPool", x, outputs=2, **attributes)[1], expected)


RECURRENT = {
    "lstm": ("LSTM", 4, {"input_forget": 1, "clip": 0.7}),
    "gru": ("GRU", 3, {"linear_before_reset": 1}),
    "gru-before": ("GRU", 3, {"activations": ["HardSigmoid", "Softplus"] * 2}),
    "rnn": ("RNN", 1, {"activations": ["LeakyRelu", "Elu"], "activation_alpha": [0.3, 0.6]}),
}


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_operators_with_all_inputs(name: str):
    op_type, gates, attributes = RECURRENT[name]
    x, w, r, bias = whole(4, 3, 2), whole(2, gates * 3, 2) / 8, whole(2, gates * 3, 3) / 8, whole(2, gates * 6) / 8
    states = [whole(2, 3, 3) / 8, whole(2, 3, 3) / 8, whole(2, 9) / 8] if op_type == "LSTM" else [whole(2, 3, 3) / 8]
    given = [x, w, r, bias, np.array([4, 2, 1], np.int32), *states]
    options = {"hidden_size": 3, "direction": "bidirectional", **attributes}
    count = 3 if op_type == "LSTM" else 2
    expected, found = (made(op_type, *given, outputs=count, **options) for made in (onnxruntime, run))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_sums_are_rounded_once():
    a, b = whole(8, 64, low=-(1 << 20), high=1 << 20), whole(64, 8, low=-(1 << 20), high=1 << 20)
    expected = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.float32)
    np.testing.assert_array_equal(run("MatMul", a, b), expected)
    np.testing.assert_array_equal(run("Conv", a.reshape(8, 64, 1), b.T.reshape(8, 64, 1))[:, :, 0], expected)


def test_wide_integer_products_are_exact():
    a = np.array([[(1 << 31) - 1, (1 << 31) - 3]], np.int64)
    b = np.array([[(1 << 30) + 1], [-(1 << 30) + 1]], np.int64)
    assert run("MatMul", a, b).item() == sum(int(x) * int(y) for x, y in zip(a[0], b[:, 0], strict=True))


def test_integer_results_may_be_wider_than_their_operands():
    text = """
    func.func @network(%x: tensor<2xi8> {onnx.name = "x"}) -> (tensor<2xi16> {onnx.name = "y"}) {
      %y = onnx.Add(%x, %x) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi16>
      func.return %y : tensor<2xi16>
    }"""
    found = run_module(parse_module(new_context(), text), {"x": np.array([100, -128], np.int8)})["y"]
    assert found.tolist() == [200, -256]


def test_integer_results_wrap_around():
    assert run("Add", np.array([100, -128], np.int8), np.array([100, -1], np.int8)).tolist() == [-56, 127]


def test_a_result_of_another_shape_than_its_type_is_refused():
    text = """
    func.func @network(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<3xf32> {onnx.name = "y"}) {
      %y = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<3xf32>
      func.return %y : tensor<3xf32>
    }"""
    with pytest.raises(Diagnostic, match="has a shape that differs from its type"):
        run_module(parse_module(new_context(), text), {"x": np.zeros(2, np.float32)})


# Our own operators, number by number


def test_integer_square_roots_are_exact():
    from tilewright.runtime.interpreter.onnx_custom import integer_square_root

    roots = [1, 2, 3, 94906267, 3037000498]
    squares = [root * root + delta for root in roots for delta in (-1, 0, 1)]
    assert integer_square_root(np.array(squares, np.int64)).tolist() == [isqrt(square) for square in squares]


def tdiv(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def clip(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def int8(value: int) -> int:
    return (value + 128) % 256 - 128


def rows(array: Array, rule: Callable[[list[int]], list[int]]) -> Array:
    """Apply a rule to each row of a matrix."""
    return np.array([rule([int(value) for value in row]) for row in array])


MATRICES = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(0, 2**32)).map(
    lambda seed: np.random.default_rng(seed[2]).integers(-128, 128, seed[:2]).astype(np.float32)
)


@pytest.mark.long
@given(MATRICES, st.integers(0, 12), st.booleans(), st.sampled_from([2, 16, 256]))
@settings(max_examples=25, deadline=None)
def test_requant_shift(x: Array, shift: int, signed: bool, levels: int):
    mul, add = whole(x.shape[1], low=-300, high=300), whole(x.shape[1], low=-5000, high=5000)
    found = run("RequantShift", x, mul, add, div=1 << shift, n_levels=levels, signed=int(signed))
    low, high = (-levels // 2, levels // 2 - 1) if signed else (0, levels - 1)

    def rule(row: list[int]) -> list[int]:
        half = 1 << (shift - 1) if shift else 0
        products = (v * int(m) + int(a) + half for v, m, a in zip(row, mul, add, strict=True))
        return [clip(product >> shift, low, high) for product in products]

    np.testing.assert_array_equal(found, rows(x, rule))


def test_requant_shift_per_channel():
    x = whole(2, 3, 4, 4, low=-100, high=100)
    mul, add = np.array([1, 2, 3], np.float32), np.array([0, 50, -50], np.float32)
    vector = run("RequantShift", x, mul, add, div=4, n_levels=256)
    tensor = run("RequantShift", x, mul.reshape(3, 1, 1), add.reshape(1, 3, 1, 1), div=4, n_levels=256)
    channels = [run("RequantShift", x[:, [c]], mul[c], add[c], div=4, n_levels=256) for c in range(3)]
    np.testing.assert_array_equal(vector, np.concatenate(channels, axis=1))
    np.testing.assert_array_equal(vector, tensor)


@pytest.mark.long
@given(MATRICES)
@settings(max_examples=25, deadline=None)
def test_i_softmax(x: Array):
    a, b, c, log2, levels = 1, 84, 3735, 62, 256

    def rule(row: list[int]) -> list[int]:
        q: list[int] = []
        for t in (value - max(row) for value in row):
            z = clip(-tdiv(t, log2), 0, 31)
            q.append((a * (t + z * log2 + b) ** 2 + c) >> z)
        return [value * (levels - 1) // sum(q) for value in q]

    found = run("iSoftmax", x, coeffA=a, coeffB=b, coeffC=c, log2=log2, n_levels=levels)
    np.testing.assert_array_equal(found, rows(x, rule))


@pytest.mark.long
@given(MATRICES)
@settings(max_examples=25, deadline=None)
def test_ita_max(x: Array):
    def rule(row: list[int]) -> list[int]:
        shifts = [(max(row) - value + 16) >> 5 for value in row]
        inverse = 255 * 256 // sum(256 >> shift for shift in shifts)
        return [inverse >> shift for shift in shifts]

    np.testing.assert_array_equal(run("ITAMax", x, n_levels=256), rows(x, rule))


@given(MATRICES, st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_ita_partial_max(x: Array, width: int):
    def rule(row: list[int]) -> list[int]:
        largest, total = 0, 0
        for start in range(0, len(row), width):
            group = row[start : start + width]
            new = max(group) if start == 0 else max(largest, *group)
            total = total >> ((new - largest + 16) >> 5) if start else 0
            total += sum(256 >> ((new - value + 16) >> 5) for value in group)
            largest = new
        return [(127 * 256 // total) >> ((largest - value + 16) >> 5) for value in row]

    np.testing.assert_array_equal(run("ITAPartialMax", x, n_levels=256, group_width=width), rows(x, rule))


@given(MATRICES)
@settings(max_examples=25, deadline=None)
def test_i_rms_norm(x: Array):
    weight = whole(x.shape[1], low=-4000, high=4000)

    def rule(row: list[int]) -> list[int]:
        root = isqrt(sum(value * value for value in row) // len(row) + 1)
        return [clip(tdiv(v * int(w), root) >> 6, -128, 127) for v, w in zip(row, weight, strict=True)]

    np.testing.assert_array_equal(run("iRMSNorm", x, weight, D=64), rows(x, rule))


@pytest.mark.long
@given(MATRICES)
@settings(max_examples=25, deadline=None)
def test_i_layer_norm(x: Array):
    weight, bias = whole(x.shape[1], low=-4000, high=4000), whole(x.shape[1], low=-900, high=900)

    def rule(row: list[int]) -> list[int]:
        mean = tdiv(sum(row), len(row))
        root = isqrt(sum((value - mean) ** 2 for value in row) // len(row) + 1)
        scaled = (tdiv((v - mean) * int(w), root) + int(b) for v, w, b in zip(row, weight, bias, strict=True))
        return [int8(value >> 4) for value in scaled]

    np.testing.assert_array_equal(run("iLayerNorm", x, weight, bias, D=16), rows(x, rule))


@pytest.mark.long
@given(MATRICES)
@settings(max_examples=25, deadline=None)
def test_i_no_norm(x: Array):
    weight, bias = whole(*x.shape), whole(x.shape[1], low=-900, high=900)
    expected = [
        [int8(((int(v) * int(w) + int(b)) * 3) >> 5) for v, w, b in zip(row, weights, bias, strict=True)]
        for row, weights in zip(x, weight, strict=True)
    ]
    np.testing.assert_array_equal(run("iNoNorm", x, weight, bias, mul=3, D=32), expected)


def gelu(value: int) -> int:
    q = min(abs(value), 40)
    sign = (value > 0) - (value < 0)
    return value * ((1743 + sign * (1743 - (q - 40) ** 2)) >> 1)


def integer_division(value: int) -> int:
    dividend, divisor = 3 * 5 * value, 5 * 7 + 2
    sign = (dividend > 0) - (dividend < 0)
    return tdiv(dividend + sign * (divisor >> 1), divisor)


ELEMENTWISE: dict[str, tuple[str, dict[str, Any], Callable[[int], int]]] = {
    "gelu": ("iGELU", {"b": -40, "one": 1743}, gelu),
    "hardswish": (
        "iHardswish",
        {"three": 122, "six": 245, "one_over_six": 33},
        lambda value: value * (clip(value + 122, 0, 245) * 33),
    ),
    "true-division": (
        "TrueIntegerDiv",
        {"Delta": 16384, "eps": 1, "eta": 200000, "y": 2},
        lambda value: value * 16384 * 200000 // (2 * 200000 + 1),
    ),
    "division": ("IntegerDiv", {"Delta": 3, "eps": 2, "eta": 5}, integer_division),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name: str):
    op_type, attributes, rule = ELEMENTWISE[name]
    x = np.arange(-128, 128, dtype=np.float64)
    more = [np.full(1, 7.0)] if op_type == "IntegerDiv" else []
    np.testing.assert_array_equal(run(op_type, x, *more, **attributes), [rule(int(value)) for value in x])


@pytest.mark.parametrize(
    ("axes", "keep", "values", "expected"),
    [
        ([1], 0, [[1, 2, 3, 4], [-1, -2, -3, -4]], [3, -2]),
        ([1], 1, [[1, 2, 3, 4], [-1, -2, -3, -4]], [[3], [-3]]),
        ([1], 0, [[1, 1, 0], [-1, -1, 0], [2, 2, 1]], [1, -1, 2]),
        ([0, 1], 1, [[1, 2], [3, 4]], [[3]]),
    ],
)
def test_integer_means(axes: list[int], keep: int, values: list[list[int]], expected: list[Any]):
    x = np.array(values, np.int32)
    assert run("IntegerMean", x, axes=axes, keepdims=keep).tolist() == expected
    assert run("ReduceMean", x, axes=axes, keepdims=keep).tolist() == expected


@pytest.mark.parametrize("value", [0.5, -0.5, 1.5, -2.5, 3.25, 1000.0, -1000.0])
def test_quant(value: float):
    away = int(abs(value) * 2 + 0.5) * (1 if value > 0 else -1)
    x = np.array([value], np.float32)
    assert run("Quant", x, scale=2.0, zero_point=1.0, min=-100, max=90).item() == clip(away + 1, -100, 90)
    assert run("Dequant", x, scale=2.0, zero_point=1.0).item() == (value - 1) * 2


# Gradients, against finite differences


def numeric_gradient(function: Callable[[Array], Array], x: Array, dy: Array) -> Array:
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-5
        gradient[index] = ((function(x + step) - function(x - step)) * dy).sum() / 2e-5
    return gradient


def softmax(x: Array) -> Array:
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


X, DY = RNG.standard_normal((2, 4)), RNG.standard_normal((2, 4))


def test_softmax_gradient():
    np.testing.assert_allclose(run("SoftmaxGrad", DY, softmax(X)), numeric_gradient(softmax, X, DY), atol=1e-8)


def test_gelu_gradient():
    def forward(x: Array) -> Array:
        return x * 0.5 * (1 + np.vectorize(erf)(x / sqrt(2)))

    np.testing.assert_allclose(run("GeluGrad", DY, X), numeric_gradient(forward, X, DY), atol=1e-6)


def test_layer_normalisation_gradients():
    scale = RNG.standard_normal(4)

    def forward(x: Array) -> Array:
        return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True) * scale

    mean, inverse = X.mean(axis=-1, keepdims=True), 1 / X.std(axis=-1, keepdims=True)
    dx, dscale, dbias = run("LayerNormalizationGrad", DY, X, scale, mean, inverse, outputs=3)
    np.testing.assert_allclose(dx, numeric_gradient(forward, X, DY), atol=1e-8)
    np.testing.assert_allclose(dscale, (DY * (X - mean) * inverse).sum(axis=0))
    np.testing.assert_allclose(dbias, DY.sum(axis=0))


def test_layer_normalisation_gradient_of_four_inputs():
    scale, bias = RNG.standard_normal((2, 4))

    def forward(x: Array) -> Array:
        return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 0.25) * scale + bias

    dx = run("LayerNormalizationGrad", DY, X, scale, bias, eps=0.25)
    np.testing.assert_allclose(dx, numeric_gradient(forward, X, DY), atol=1e-8)


def test_loss_gradient_and_descent():
    log_probability, labels = np.log(softmax(X)), np.array([2, 0])
    found = run("SoftmaxCrossEntropyLossGrad", log_probability, labels)
    np.testing.assert_allclose(found, (softmax(X) - np.eye(4)[labels]) / 4)
    np.testing.assert_allclose(run("SGD", X, DY, lr=0.5), X - 0.5 * DY)


def test_rms_norm():
    weight = RNG.standard_normal(4)
    expected = X / np.sqrt((X * X).mean(axis=-1, keepdims=True) + 1e-6) * weight
    np.testing.assert_allclose(run("RMSNorm", X, weight), expected)
