"""
Semantics of the operators of `dialects/onnx/custom.py`: the arithmetic of their documentation, in 64 bits.

These are plain functions of arrays, independent of every lowering, which is tested against them. Float arrays hold
integers if the operator is an integer one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

from ...dialects.core.analysis.arithmetic import truncating_divide
from ...dialects.core.small_floats import FORMATS
from ...dialects.onnx.parameters import channel_shape
from ...dialects.onnx.registry import Registry
from ...ir import Array

Attribute = Callable[[str], Any]
"""Returns an attribute's value by name."""

CustomRule = Callable[..., "Array | Sequence[Array]"]

CUSTOM: Registry[str, CustomRule] = Registry("interpreter")
"""Operator -> `(attribute, *operands) -> result or results`, of 64 bits."""


def _custom(rule: CustomRule) -> CustomRule:
    return CUSTOM.rule(rule.__name__)(rule)


def integers(array: Array) -> Array:
    """Return an array of whole numbers as 64-bit integers."""
    return (np.rint(array) if array.dtype.kind not in "iub" else array).astype(np.int64)


def _shift(divisor: int) -> int:
    return divisor.bit_length() - 1


def integer_square_root(square: Array) -> Array:
    """Return the square root of integers below 2^62, rounded down."""
    root = np.sqrt(square.astype(np.float64)).astype(np.int64)
    root -= root * root > square
    return root + ((root + 1) * (root + 1) <= square)


def _wrap8(array: Array) -> Array:
    return array.astype(np.int8).astype(np.int64)


@_custom
def RequantShift(attribute: Attribute, x: Array, mul: Array, add: Array) -> Array:
    shift, levels = _shift(attribute("div")), attribute("n_levels")
    factors, offsets = (integers(p).reshape(channel_shape(p.shape, x.shape) or p.shape) for p in (mul, add))
    y = (integers(x) * factors + offsets + ((1 << shift) >> 1)) >> shift
    return np.clip(y, -(levels // 2), levels // 2 - 1) if attribute("signed") else np.clip(y, 0, levels - 1)


def _counting(x: Array, valid: Array | None) -> tuple[Array, Array]:
    """Replace invalid elements of x by its largest valid element; return x and that element."""
    x = integers(x)
    if valid is None:
        return x, x.max(axis=-1, keepdims=True)
    largest = np.where(valid, x, np.iinfo(np.int64).min).max(axis=-1, keepdims=True)
    return np.where(valid, x, largest), largest


def _counted(x: Array, valid: Array | None) -> Array:
    return x if valid is None else np.where(valid, x, 0)


@_custom
def iSoftmax(attribute: Attribute, x: Array, valid: Array | None = None) -> Array:
    log2 = np.array(attribute("log2"))
    x, largest = _counting(x, valid)
    t = x - largest
    z = np.clip(-truncating_divide(t, log2), 0, 31)
    p = t + z * log2
    q = _counted((attribute("coeffA") * (p + attribute("coeffB")) ** 2 + attribute("coeffC")) >> z, valid)
    return q * (attribute("n_levels") - 1) // q.sum(axis=-1, keepdims=True)


@_custom
def ITAMax(attribute: Attribute, x: Array, valid: Array | None = None) -> Array:
    x, largest = _counting(x, valid)
    halvings = (largest - x + 16) >> 5
    total = _counted(256 >> halvings, valid).sum(axis=-1, keepdims=True)
    return _counted(((attribute("n_levels") - 1) * 256 // total) >> halvings, valid)


@_custom
def ITAPartialMax(attribute: Attribute, x: Array) -> Array:
    x, width = integers(x), attribute("group_width")
    largest = x[..., :1]
    total = np.zeros_like(largest)
    for start in range(0, x.shape[-1], width):
        group = x[..., start : start + width]
        new = np.maximum(largest, group.max(axis=-1, keepdims=True)) if start else group.max(axis=-1, keepdims=True)
        here = (256 >> ((new - group + 16) >> 5)).sum(axis=-1, keepdims=True)
        total = (total >> ((new - largest + 16) >> 5)) + here if start else here
        largest = new
    return ((attribute("n_levels") // 2 - 1) * 256 // total) >> ((largest - x + 16) >> 5)


@_custom
def iRMSNorm(attribute: Attribute, x: Array, weight: Array) -> Array:
    x = integers(x)
    root = integer_square_root((x * x).sum(axis=-1, keepdims=True) // x.shape[-1] + 1)
    return np.clip(truncating_divide(x * integers(weight), root) >> _shift(attribute("D")), -128, 127)


@_custom
def iLayerNorm(attribute: Attribute, x: Array, weight: Array, bias: Array) -> Array:
    x, length = integers(x), np.array(x.shape[-1])
    centred = x - truncating_divide(x.sum(axis=-1, keepdims=True), length)
    root = integer_square_root((centred * centred).sum(axis=-1, keepdims=True) // length + 1)
    scaled = truncating_divide(centred * integers(weight), root) + integers(bias)
    return _wrap8(scaled >> _shift(attribute("D")))


@_custom
def iNoNorm(attribute: Attribute, x: Array, weight: Array, bias: Array) -> Array:
    scaled = (integers(x) * integers(weight) + integers(bias)) * attribute("mul")
    return _wrap8(scaled >> _shift(attribute("D")))


@_custom
def iGELU(attribute: Attribute, x: Array) -> Array:
    x, b, one = integers(x), attribute("b"), attribute("one")
    q = np.minimum(np.abs(x), -b)
    error_function = np.sign(x) * (one - (q + b) ** 2)
    return (x * ((one + error_function) >> 1)).astype(np.int32).astype(np.int64)


@_custom
def iHardswish(attribute: Attribute, x: Array) -> Array:
    x = integers(x)
    gate = np.clip(x + attribute("three"), 0, attribute("six")) * attribute("one_over_six")
    return (x * gate).astype(np.int32).astype(np.int64)


@_custom
def TrueIntegerDiv(attribute: Attribute, x: Array) -> Array:
    divisor = attribute("y") * attribute("eta") + attribute("eps")
    return integers(x) * attribute("Delta") * attribute("eta") // divisor


@_custom
def IntegerDiv(attribute: Attribute, a: Array, b: Array) -> Array:
    divisor = attribute("eta") * integers(b) + attribute("eps")
    dividend = attribute("Delta") * attribute("eta") * integers(a)
    return truncating_divide(dividend + np.sign(dividend) * (divisor >> 1), divisor)


@_custom
def IntegerMean(attribute: Attribute, x: Array) -> Array:
    return integer_mean(x, attribute("axes"), keep=bool(attribute("keepdims")))


def integer_mean(x: Array, axes: Sequence[int], *, keep: bool) -> Array:
    """Return the rounded mean of integers over some axes, rounded as `IntegerMean` defines."""
    total = integers(x).sum(axis=tuple(axes), keepdims=keep)
    count = x.size // max(total.size, 1)
    if count & (count - 1) == 0 and not keep:
        return (total + (count >> 1)) >> _shift(count)
    return truncating_divide(total + np.sign(total) * (count >> 1), np.array(count))


@_custom
def Quant(attribute: Attribute, x: Array) -> Array:
    scaled = x.astype(np.float64) * attribute("scale") + attribute("zero_point")
    away = np.trunc(scaled + np.copysign(0.5, scaled))
    return np.clip(away, attribute("min"), attribute("max")).astype(np.int64)


@_custom
def Dequant(attribute: Attribute, x: Array) -> Array:
    return (x.astype(np.float64) - attribute("zero_point")) * attribute("scale")


@_custom
def RMSNorm(attribute: Attribute, x: Array, weight: Array) -> Array:
    x = x.astype(np.float64)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + attribute("eps")) * weight


@_custom
def SGD(attribute: Attribute, weight: Array, gradient: Array) -> Array:
    return weight.astype(np.float64) - attribute("lr") * gradient.astype(np.float64)


@_custom
def GeluGrad(attribute: Attribute, dy: Array, x: Array) -> Array:
    from math import erf, pi, sqrt

    x = x.astype(np.float64)
    distribution = 0.5 * (1.0 + np.vectorize(erf, otypes=[np.float64])(x / sqrt(2.0)))
    return dy * (distribution + x * np.exp(-0.5 * x * x) / sqrt(2.0 * pi))


@_custom
def SoftmaxGrad(attribute: Attribute, dy: Array, y: Array) -> Array:
    dy, y = dy.astype(np.float64), y.astype(np.float64)
    return y * (dy - (dy * y).sum(axis=attribute("axis"), keepdims=True))


@_custom
def SoftmaxCrossEntropyLossGrad(attribute: Attribute, log_probability: Array, labels: Array) -> Array:
    batch, classes = log_probability.shape
    one_hot = np.eye(int(classes))[integers(labels).reshape(-1)]
    return (np.exp(log_probability.astype(np.float64)) - one_hot) / int(batch) ** 2


@_custom
def LayerNormalizationGrad(
    attribute: Attribute, dy: Array, x: Array, scale: Array, mean: Array, inv_std_dev: Array | None = None
) -> Sequence[Array]:
    dy, x = dy.astype(np.float64), x.astype(np.float64)
    first = attribute("axis") % x.ndim
    inner, outer = tuple(range(first, x.ndim)), tuple(range(first))
    if inv_std_dev is None:
        mean = x.mean(axis=inner, keepdims=True)
        inv_std_dev = 1 / np.sqrt(x.var(axis=inner, keepdims=True) + attribute("eps"))
    normal = (x - mean) * inv_std_dev
    weighted = dy * scale
    projected = (weighted * normal).mean(axis=inner, keepdims=True)
    dx = inv_std_dev * (weighted - weighted.mean(axis=inner, keepdims=True) - normal * projected)
    return dx, (dy * normal).sum(axis=outer), dy.sum(axis=outer)


@_custom
def EncodeFloat(attribute: Attribute, x: Array) -> Array:
    kind = FORMATS[attribute("to")]
    if not kind.is_signed:
        codes = numpy_helper.to_float8e8m0(x, bool(attribute("saturate")), attribute("round_mode")).view(np.uint8)
        return np.where(np.isposinf(x), kind.largest, codes) if attribute("saturate") else codes
    limit = kind.decoded(np.array(kind.largest), x.dtype)
    codes = (np.clip(x, -limit, limit) if attribute("saturate") else x).astype(kind.dtype).view(np.uint8)
    sign = 0 if kind.unsigned_zero else np.signbit(x) * (1 << (kind.bits - 1))
    return np.where(np.isnan(x), kind.nan | sign, codes)


@_custom
def DecodeFloat(attribute: Attribute, x: Array) -> Array:
    return FORMATS[attribute("format")].decoded(x, np.dtype(helper.tensor_dtype_to_np_dtype(attribute("to"))))
