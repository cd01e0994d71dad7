"""Expansions of quantised operators of ONNX Runtime: dequantise, compute, quantise."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from onnx import TensorProto

from ..site import Site, replaces
from .contrib_channels_last import channels_moved


def _real(site: Site, first: int) -> str:
    """Append the dequantisation of a tensor whose scale and zero point are the inputs after it."""
    return site.emit("DequantizeLinear", *filter(None, site.node.input[first : first + 3]))


def _give(site: Site, real: str, scale: int) -> None:
    """Give numbers as the quantised result; its scale and zero point are the inputs from `scale` on."""
    zero = site.input(scale + 1)
    if zero:
        site.give(0, site.emit("QuantizeLinear", real, site.input(scale), zero))
    else:
        site.give(0, site.emit("QuantizeLinear", real, site.input(scale), output_dtype=site.kind(0)))


def _is_span(site: Site, first: int, second: int) -> bool:
    """
    Return whether an input has several elements along the innermost axis of the result that is longer than 1.

    ONNX Runtime takes the innermost axes in one go; where one operand has a single number there it adds that first.
    """
    shapes = [site.shape(index) for index in (first, second)]
    rank = max(map(len, shapes))
    a, b = ((1,) * (rank - len(shape)) + tuple(shape) for shape in shapes)
    return next((x != 1 for x, y in zip(reversed(a), reversed(b), strict=True) if (x, y) != (1, 1)), True)


def _pair(site: Site, first: int) -> list[str]:
    """Return a tensor, its scale and its zero point, a constant 0 where it is left out."""
    tensor, scale, zero = (site.input(first + index) for index in range(3))
    return [tensor, scale, zero or site.number(0, site.kind(0))]


@replaces("QLinearAdd")
def _add(site: Site) -> None:
    """Take the operand that is a single number along the innermost axes second."""
    order = (0, 3) if _is_span(site, 0, 3) else (3, 0)
    operands = [name for first in order for name in _pair(site, first)]
    site.give(0, site.emit("QLinearAdd", *operands, site.input(6), site.input(7) or site.number(0, site.kind(0))))


@replaces("QLinearMul")
def _mul(site: Site) -> None:
    result = [site.input(6), site.input(7) or site.number(0, site.kind(0))]
    site.give(0, site.emit("QLinearMul", *_pair(site, 0), *_pair(site, 3), *result))


@replaces("QLinearSigmoid")
def _sigmoid(site: Site) -> None:
    _give(site, site.emit("Sigmoid", _real(site, 0)), 3)


@replaces("QLinearLeakyRelu")
def _leaky_relu(site: Site) -> None:
    _give(site, site.emit("LeakyRelu", _real(site, 0), alpha=site.attribute("alpha")), 3)


@replaces("QLinearSoftmax")
def _softmax(site: Site) -> None:
    """Normalise along one axis, or up to opset 12 over all axes from it on."""
    shape = site.shape(0)
    axis = int(site.attribute("axis")) % len(shape)
    if int(site.attribute("opset")) >= 13 or axis == len(shape) - 1:
        site.give(0, _normalised(site, site.input(0), axis, shape[axis]))
        return
    flat = _normalised(site, site.emit("Flatten", site.input(0), axis=axis), 1, prod(shape[axis:]))
    site.give(0, site.reshape(flat, *shape))


def _normalised(site: Site, x: str, axis: int, length: int) -> str:
    """
    Append the quantised softmax of bytes along an axis, as ONNX Runtime computes it.

    `e = table[x - max(x)]`, of f32; `y = saturate(round(e * floor(1 / y_scale) / sum(e)) + y_zero)`.
    """
    wide = site.cast(x, site.kind(0), TensorProto.INT32)
    largest = site.emit("ReduceMax", wide, site.sizes(axis), keepdims=1)
    # The largest is the byte 127, so that all are bytes.
    shifted = site.emit("Add", site.emit("Sub", wide, largest), site.number(127, TensorProto.INT32))
    index = site.emit("Cast", site.emit("Cast", shifted, to=TensorProto.INT8), to=TensorProto.INT32)
    powers = site.emit("Gather", _powers(site, length), index)
    steps = site.emit("Floor", site.emit("Reciprocal", site.input(3)))
    total = site.emit("ReduceSum", powers, site.sizes(axis), keepdims=1)
    return _rounded(site, site.emit("Div", site.emit("Mul", powers, steps), total), 4)


def _powers(site: Site, length: int) -> str:
    """
    Append e^(x_scale * (x - 127)) of each byte x times a number that lets `length` of them be summed in f32.

    They are f32 [256], by the bits of the byte, as an index that counts from the end where it is negative asks for.
    """
    largest = np.float32(np.finfo(np.float32).max) / np.float32(length)
    shift = max(0.0, float(np.float32(np.log(np.float64(largest)))) - _RESERVE)
    below = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64) - 127
    scale = site.value(1)
    if scale is not None:
        step = float(scale.flat[0])
        return site.constant(np.exp((below + shift / step) * step).astype(np.float32))
    step = site.emit("Cast", site.input(1), to=TensorProto.DOUBLE)
    most = site.emit("Div", site.number(shift, TensorProto.DOUBLE), step)
    power = site.emit("Mul", site.emit("Add", site.constant(below), most), step)
    return site.emit("Cast", site.emit("Exp", power), to=TensorProto.FLOAT)


_RESERVE = 5.0
"""ONNX Runtime's distance of the largest sum from the largest f32, as its logarithm (`qlinear_softmax.cc`)."""


def _rounded(site: Site, steps: str, zero: int) -> str:
    """Append steps, of f32, rounded half to even, plus the zero point that is an input."""
    one = site.number(1.0, TensorProto.FLOAT)
    if site.input(zero):
        return site.emit("QuantizeLinear", steps, one, site.input(zero))
    return site.emit("QuantizeLinear", steps, one, output_dtype=site.kind(0))


@replaces("QLinearGlobalAveragePool")
def _global_average(site: Site) -> None:
    """Sum integers less their zero point and scale the sum by `x_scale / (y_scale * count)`."""
    shape, last = site.shape(0), bool(site.attribute("channels_last"))
    axes = range(1, len(shape) - 1) if last else range(2, len(shape))
    count = prod(shape[axis] for axis in axes)
    wide = site.cast(site.input(0), site.kind(0), TensorProto.INT32)
    total = site.emit("ReduceSum", wide, site.sizes(*axes), keepdims=1)
    if site.input(2):
        zero = site.cast(site.input(2), site.kind(0), TensorProto.INT32)
        total = site.emit("Sub", total, site.emit("Mul", zero, site.number(count, TensorProto.INT32)))
    scale = site.emit("Mul", site.input(3), site.number(count, TensorProto.FLOAT))
    real = site.emit("DequantizeLinear", total, site.emit("Div", site.input(1), scale))
    site.give(0, _rounded(site, real, 4))


def _whole_windows(site: Site) -> dict[str, Any]:
    """
    Return pads that let the last windows of `ceil_mode` be whole, with padding that counts.

    With `count_include_pad`, ONNX Runtime divides all sums by the size of the kernel.
    """
    if not (site.attribute("ceil_mode") and site.attribute("count_include_pad")):
        return {}
    kernel, mode, shape = site.attribute("kernel_shape"), site.attribute("auto_pad"), site.shape(0)
    sizes = shape[1:-1] if site.attribute("channels_last") else shape[2:]
    strides = site.attribute("strides") or (1,) * len(kernel)
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        return {"ceil_mode": 0}
    pads: list[int] = list(site.attribute("pads") or ()) if mode == "NOTSET" else []
    pads = pads or [0] * 2 * len(kernel)
    begins, ends = pads[: len(kernel)], pads[len(kernel) :]
    for axis, (size, extent, stride) in enumerate(zip(sizes, kernel, strides, strict=True)):
        beyond = size + begins[axis] + ends[axis] - extent
        # A window that begins in the padding at the end is left out.
        last = min(-(-beyond // stride), (size + begins[axis] - 1) // stride)
        ends[axis] += max(0, last * stride - beyond)
    return {"ceil_mode": 0, "auto_pad": "NOTSET", "pads": [*begins, *ends]}


@replaces("QLinearAveragePool")
def _average(site: Site) -> None:
    own = {name: value for name, value in site.given.items() if name != "channels_last"} | _whole_windows(site)
    real, last, rank = _real(site, 0), bool(site.attribute("channels_last")), len(site.shape(0))
    mean = site.emit("AveragePool", channels_moved(site, real, rank, last=False) if last else real, **own)
    steps = site.emit("Div", channels_moved(site, mean, rank, last=True) if last else mean, site.input(3))
    # ONNX Runtime rounds the sum with the zero point: halves go to the even result.
    zero, kind = site.input(4), site.kind(0)
    shifted = site.sum(steps, site.cast(zero, kind, TensorProto.FLOAT) if zero else "")
    site.give(0, site.emit("QuantizeLinear", shifted, site.number(1.0, TensorProto.FLOAT), output_dtype=kind))


@replaces("QLinearWhere")
def _where(site: Site) -> None:
    _give(site, site.emit("Where", site.input(0), _real(site, 1), _real(site, 4)), 7)


@replaces("QGemm")
def _gemm(site: Site) -> None:
    """
    Multiply integers less their zero points, add those of the bias, and scale the sum.

    y = (a - za) (b - zb) + c, of int32, times alpha * a_scale * b_scale: floats, or quantised by y_scale.
    """
    a, b = _transposed(site, 0, "transA"), _transposed(site, 3, "transB")
    total = site.sum(site.emit("MatMulInteger", a, b, site.input(2), site.input(5)), site.input(6))
    alpha = site.number(float(site.attribute("alpha")), TensorProto.FLOAT)
    scale = site.emit("Mul", site.emit("Mul", alpha, site.input(1)), site.input(4))
    is_real = not site.input(7)
    scale = scale if is_real else site.emit("Div", scale, site.input(7))
    real = site.emit("Mul", site.cast(total, TensorProto.INT32, TensorProto.FLOAT), scale)
    if is_real:
        site.give(0, real)
        return
    site.give(0, _rounded(site, real, 8))


def _transposed(site: Site, index: int, attribute: str) -> str:
    """Append an operand, transposed where an attribute says so: a constant stays one."""
    if not site.attribute(attribute):
        return site.input(index)
    constant = site.value(index)
    if constant is not None:
        return site.constant(np.ascontiguousarray(constant.T))
    return site.emit("Transpose", site.input(index), perm=[1, 0])


@replaces("QLinearConcat")
def _concat(site: Site) -> None:
    """Quantise each part anew, and join bytes: the part's producer can do it."""
    reals = [_real(site, first) for first in range(2, len(site.node.input), 3)]
    parts = [site.emit("QuantizeLinear", real, *site.node.input[:2]) for real in reals]
    site.give(0, site.emit("Concat", *parts, axis=site.attribute("axis")))


@replaces("DynamicQuantizeMatMul")
def _dynamic_matmul(site: Site) -> None:
    a, scale, zero = site.emit_many("DynamicQuantizeLinear", [site.input(0)], 3)
    product = site.integer_product(a, site.input(1), (zero, site.input(3)), (scale, site.input(2)))
    site.give(0, site.sum(product, site.input(4)))


@replaces("MatMulIntegerToFloat")
def _scaled_matmul(site: Site) -> None:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = (site.input(index) for index in range(7))
    site.give(0, site.sum(site.integer_product(a, b, (a_zero, b_zero), (a_scale, b_scale)), bias))
