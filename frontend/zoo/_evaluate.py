"""
Exact semantics of the zoo's operators on batches of any size.

Integers are int64; what lies between DequantizeLinear and QuantizeLinear, and scales, are float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from ...errors import Diagnostic


def evaluate(model: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return every tensor that `model` computes from `inputs`; see `tilewright.frontend.zoo.evaluate`."""
    constants = {tensor.name: _integers(numpy_helper.to_array(tensor)) for tensor in model.graph.initializer}
    values = {name: _integers(array) for name, array in inputs.items()}
    for node in model.graph.node:
        operands = [values[name] if name in values else constants[name] for name in node.input]
        values[node.output[0]] = apply(node, operands)
    return values


def apply(node: onnx.NodeProto, operands: list[np.ndarray]) -> np.ndarray:
    """Return the result of `node` for int64 `operands`. Raises a Diagnostic for an operator the zoo does not use."""
    if node.op_type not in _OPERATORS:
        raise Diagnostic(
            f"the zoo does not evaluate {node.op_type}",
            where=f'node "{node.name}"',
            expected=f"one of {', '.join(_OPERATORS)}",
            found=node.op_type,
        )
    attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
    return _OPERATORS[node.op_type](attributes, *operands)


def _integers(array: np.ndarray) -> np.ndarray:
    """Return integers, however they are encoded, as int64; other numbers as they are."""
    whole = array.dtype.kind in "iu" or bool(np.all(array == np.rint(array)))
    return array.astype(np.int64) if whole else array


def _conv(attributes: dict[str, Any], x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Sum over the kernel's taps one (grouped) matrix product each; float64 products of these integers are exact."""
    group, (stride_y, stride_x) = attributes["group"], attributes["strides"]
    top, left, bottom, right = attributes["pads"]
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    samples, channels, height, width = x.shape
    outputs, depth, kernel_y, kernel_x = weight.shape
    rows, columns = (height - kernel_y) // stride_y + 1, (width - kernel_x) // stride_x + 1
    taps = weight.astype(np.float64).reshape(group, outputs // group, depth, kernel_y, kernel_x)
    total = np.zeros((samples, group, outputs // group, rows * columns))
    for i, j in np.ndindex(kernel_y, kernel_x):
        patch = x[:, :, i : i + stride_y * rows : stride_y, j : j + stride_x * columns : stride_x]
        patch = patch.reshape(samples, group, channels // group, rows * columns)
        tap = taps[..., i, j]
        total += tap * patch if depth == 1 else tap @ patch
    return _integers(total.reshape(samples, outputs, rows, columns))


def _gemm(attributes: dict[str, Any], x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _integers(x.astype(np.float64) @ weight.astype(np.float64).T) + bias


def _max_pool(attributes: dict[str, Any], x: np.ndarray) -> np.ndarray:
    kernel_y, kernel_x = attributes["kernel_shape"]
    stride_y, stride_x = attributes["strides"]
    windows = np.lib.stride_tricks.sliding_window_view(x, (kernel_y, kernel_x), axis=(2, 3))
    return windows[:, :, ::stride_y, ::stride_x].max(axis=(-2, -1))


def _requant_shift(attributes: dict[str, Any], x: np.ndarray, mul: np.ndarray, add: np.ndarray) -> np.ndarray:
    div, levels, signed = (_scalar(attributes[name]) for name in ("div", "n_levels_out", "signed"))
    low = -(levels // 2) if signed else 0
    return np.clip((x * mul + add + div // 2) // div, low, low + levels - 1)


def _rounded(scaled: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """Return float32 numbers rounded half to even, plus the zero point, saturated to uint8."""
    assert scaled.dtype == np.float32
    return np.clip(np.rint(scaled).astype(np.int64) + int(zero), 0, 255)


def _rescaled(total: np.ndarray, x_scale: np.ndarray, w_scale: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> Any:
    """Return sums [N, channels, ...] requantised as ONNX Runtime does: one float32 factor for each channel."""
    factor = np.float32(x_scale) * w_scale.astype(np.float32) / np.float32(scale)
    return _rounded(total.astype(np.float32) * factor.reshape(-1, *(1,) * (total.ndim - 2)), zero)


def _qlinear_conv(
    attributes: dict[str, Any],
    x: np.ndarray,
    x_scale: np.ndarray,
    x_zero: np.ndarray,
    weight: np.ndarray,
    weight_scale: np.ndarray,
    weight_zero: np.ndarray,
    scale: np.ndarray,
    zero: np.ndarray,
    bias: np.ndarray,
) -> np.ndarray:
    centred = weight - weight_zero.astype(np.int64).reshape(-1, 1, 1, 1)
    total = _conv(attributes, x - int(x_zero), centred) + bias.reshape(-1, 1, 1)
    return _rescaled(total, x_scale, weight_scale, scale, zero)


def _qlinear_matmul(
    attributes: dict[str, Any],
    x: np.ndarray,
    x_scale: np.ndarray,
    x_zero: np.ndarray,
    weight: np.ndarray,
    weight_scale: np.ndarray,
    weight_zero: np.ndarray,
    scale: np.ndarray,
    zero: np.ndarray,
) -> np.ndarray:
    total = (x - int(x_zero)) @ (weight.astype(np.int64) - weight_zero)
    return _rescaled(total, x_scale, weight_scale, scale, zero)


def _quantize_linear(attributes: dict[str, Any], x: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return _rounded(x.astype(np.float32) / np.float32(scale), zero)


def _dequantize_linear(attributes: dict[str, Any], x: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return (x - int(zero)).astype(np.float32) * np.float32(scale)


def _scalar(tensor: onnx.TensorProto) -> int:
    return int(numpy_helper.to_array(tensor).item())


def _add(attributes: dict[str, Any], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return left + right


def _reshape(attributes: dict[str, Any], x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return x.reshape([int(size) for size in shape])


_OPERATORS: dict[str, Callable[..., np.ndarray]] = {
    "Add": _add,
    "Conv": _conv,
    "DequantizeLinear": _dequantize_linear,
    "Gemm": _gemm,
    "MaxPool": _max_pool,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize_linear,
    "RequantShift": _requant_shift,
    "Reshape": _reshape,
}
