"""
Semantics of ONNX's quantised operators, bit-exact to ONNX Runtime: all factors and products are f32.

ONNX's reference multiplies in f64, which rounds some results differently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType

from ...dialects.core.analysis.intervals import range_of_element
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, numpy_type

Convolution = Callable[..., Array]
"""`(op, x, weight) -> sums` of integers, with zero padding."""


def _centred(x: Array, zero: Array | None, axis: int = 0) -> Array:
    """Subtract the zero point from integers, one for all or one per index of an axis."""
    numbers = x.astype(np.int64)
    return numbers if zero is None else numbers - _along(zero.astype(np.int64), numbers.ndim, axis)


def _along(values: Array, rank: int, axis: int) -> Array:
    """Reshape one number, or several along an axis, to broadcast."""
    return values.reshape(()) if values.size == 1 else values.reshape([-1 if i == axis else 1 for i in range(rank)])


def _rounded(
    real: Array, zero: Array | None, dtype: np.dtype[Any], axis: int, ends: tuple[int, int] | None = None
) -> Array:
    """Return f32 numbers rounded half to even, plus a zero point, saturated to a type, or to the ends of a range."""
    low, high = ends or (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    offset = np.int64(0) if zero is None else _along(zero.astype(np.int64), real.ndim, axis)
    least, most = (np.asarray(end - offset).astype(np.float32) for end in (low, high))
    clipped = np.minimum(np.where(real > least, real, least), most)
    return (np.rint(clipped).astype(np.int64) + offset).astype(dtype)


def _rescaled(total: Array, scales: tuple[Array, Array, Array], zero: Array, axis: int) -> Array:
    x, w, y = (scale.astype(np.float32) for scale in scales)
    factor = x.reshape(()) * w / y.reshape(())
    return _rounded(total.astype(np.float32) * _along(factor, total.ndim, axis), zero, zero.dtype, axis)


def qlinear_conv(
    convolve: Convolution,
    op: OnnxOp,
    x: Array,
    x_scale: Array,
    x_zero: Array,
    w: Array,
    w_scale: Array,
    w_zero: Array,
    y_scale: Array,
    y_zero: Array,
    bias: Array | None = None,
) -> Array:
    """Compute `QLinearConv`, with sums of products from `convolve`."""
    total = convolve(op, _centred(x, x_zero), _centred(w, w_zero))
    if bias is not None:
        total = total + _along(bias.astype(np.int64), total.ndim, 1)
    return _rescaled(total, (x_scale, w_scale, y_scale), y_zero, 1)


def qlinear_matmul(
    op: OnnxOp,
    a: Array,
    a_scale: Array,
    a_zero: Array,
    b: Array,
    b_scale: Array,
    b_zero: Array,
    y_scale: Array,
    y_zero: Array,
) -> Array:
    """Compute `QLinearMatMul`."""
    total = np.matmul(_centred(a, a_zero), _centred(b, b_zero, b.ndim - 1))
    return _rescaled(total, (a_scale, b_scale, y_scale), y_zero, total.ndim - 1)


def quantize_linear(op: OnnxOp, element: IntegerType, x: Array, scale: Array, zero: Array | None = None) -> Array:
    """Compute `QuantizeLinear` to an integer type; sub-byte types are stored in bytes."""
    axis, limits = op.attribute("axis") % max(x.ndim, 1), range_of_element(element)
    real = x.astype(np.float32) / _along(scale.astype(np.float32), x.ndim, axis)
    return _rounded(real, zero, numpy_type(element), axis, (limits.low, limits.high))


def dequantize_linear(op: OnnxOp, x: Array, scale: Array, zero: Array | None = None) -> Array:
    """Compute `DequantizeLinear`."""
    axis = op.attribute("axis") % max(x.ndim, 1)
    return _centred(x, zero, axis).astype(np.float32) * _along(scale.astype(np.float32), x.ndim, axis)


def fused(a: Array, b: Array, c: Array) -> Array:
    """Return `a * b + c` of f32, rounded once."""
    return (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float32)


def sum_terms(
    a_scale: Array, a_zero: Array, b_scale: Array, b_zero: Array, y_scale: Array, y_zero: Array
) -> list[Array]:
    """Return the factors of a and of b in `QLinearAdd`, and the number to which their products are added; f32 []."""
    scales = [scale.astype(np.float32).reshape(()) for scale in (a_scale, b_scale, y_scale)]
    a, b, y = (zero.astype(np.float32).reshape(()) for zero in (a_zero, b_zero, y_zero))
    left, right = scales[0] / scales[2], scales[1] / scales[2]
    return [left, right, np.asarray(y - fused(left, a, np.asarray(right * b)))]


def product_factor(a_scale: Array, b_scale: Array, y_scale: Array) -> Array:
    """Return the factor of the integer product in `QLinearMul`; f32 []."""
    a, b, y = (scale.astype(np.float32).reshape(()) for scale in (a_scale, b_scale, y_scale))
    return np.asarray(a * b / y)


def _quantised_sum(attribute: Any, a: Array, *rest: Array) -> Array:
    a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = rest
    left, right, fixed = sum_terms(a_scale, a_zero, b_scale, b_zero, y_scale, y_zero)
    return _rounded(fused(a, left, fused(b, right, fixed)), None, a.dtype, 0)


def _quantised_product(attribute: Any, a: Array, *rest: Array) -> Array:
    a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = rest
    product = (_centred(a, a_zero) * _centred(b, b_zero)).astype(np.float32)
    zero = y_zero.reshape(()).astype(np.float32)
    return _rounded(product * product_factor(a_scale, b_scale, y_scale) + zero, None, a.dtype, 0)


QUANTISED_PAIRS: Registry[str, Callable[..., Array]] = Registry(
    "interpreter", {"QLinearAdd": _quantised_sum, "QLinearMul": _quantised_product}
)
"""Operator of two quantised tensors -> `(attribute, *operands) -> result`."""
