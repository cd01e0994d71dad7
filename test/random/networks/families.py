"""Families of operators in random networks: each adds one layer, with its parameters drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from onnx import TensorProto

from .builder import Tensor
from .forms import RANGES, QuantisedBuilder

Family = Callable[[QuantisedBuilder, Tensor], Tensor]
"""Adds a layer to a network on maps [N, C, H, W] and returns its result, which is such maps again."""

_TERMS = 400
"""Most products in a sum: floats of exact scales hold it."""


# Products


def convolution(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add a convolution: whole, grouped, depthwise or pointwise, with any stride, dilation and padding."""
    channels, sizes = x.shape[1], x.shape[2:]
    group = net.choice([1, 1, channels, net.choice([n for n in range(1, channels + 1) if channels % n == 0])])
    depth = channels // group
    features = group * (net.number(1, 3) if group > 4 else net.number(1, 9))
    kernel = [1, 1] if net.chance(0.3) else [net.number(1, min(4, size + 1)) for size in sizes]
    kernel = [3, 3] if net.chance(0.3) else kernel
    while prod(kernel) * depth > _TERMS:
        kernel[kernel.index(max(kernel))] -= 1
    dilations = [net.number(1, 3) if size > 1 and net.chance(0.3) else 1 for size in kernel]
    spans = [(size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True)]
    pads = [net.number(0, span - 1) for span in spans * 2]
    for axis, (size, span) in enumerate(zip(sizes, spans, strict=True)):
        pads[axis] += max(0, span - size - pads[axis] - pads[axis + 2])
    strides = [1, 1] if net.chance(0.4) else [net.number(1, 3) for _ in sizes]
    total = [size + pads[axis] + pads[axis + 2] - spans[axis] for axis, size in enumerate(sizes)]
    shape = (x.shape[0], features, *(extent // stride + 1 for extent, stride in zip(total, strides, strict=True)))
    windows: dict[str, Any] = {
        "kernel_shape": kernel,
        "strides": strides,
        "dilations": dilations,
        "pads": pads,
        "group": group,
    }
    w = net.weights(x, (features, depth, *kernel), 0 if net.chance(0.5) else None, depth * prod(kernel))
    steps = net.bias(features) if net.chance(0.6) else None
    if not net.is_qlinear():
        bias = [] if steps is None else [net.real_bias(x, w, steps)]
        name = net.op("Conv", [net.real(x), net.real_weight(w), *bias], **windows)
        return limited(net, name, shape, x.size * w.gain)
    y = net.result(shape, x.size)
    operands = [x.name, *net.parameters(x), *net.weight_parameters(w), *net.parameters(y)]
    operands += [] if steps is None else [net.constant(steps, TensorProto.INT32)]
    return net.named(net.op("QLinearConv", operands, **windows), y)


def limited(net: QuantisedBuilder, name: str, shape: tuple[int, ...], size: float) -> Tensor:
    """Quantise floats, perhaps after a limit."""
    if net.chance(0.25):
        return net.quantised(net.op("Relu", [name]), shape, size)
    if net.chance(0.2):
        return net.quantised(net.op("Clip", [name, net.bound(-0.5 * size), net.bound(0.75 * size)]), shape, size)
    return net.quantised(name, shape, size)


def rows_of(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Reshape maps to rows [N * C, H * W]."""
    shape = (x.shape[0] * x.shape[1], prod(x.shape[2:]))
    return net.moved("Reshape", [x], [net.integers(*shape)], shape)


def maps_of(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Reshape rows [R, D] to maps [1, R, 1, D]."""
    shape = (1, x.shape[0], 1, x.shape[1])
    return net.moved("Reshape", [x], [net.integers(*shape)], shape)


def product(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add a product of rows and constant weights."""
    rows, features = rows_of(net, x), net.channels()
    shape, depth = (rows.shape[0], features), rows.shape[1]
    w = net.weights(rows, (depth, features), 1 if net.chance(0.5) else None, depth)
    if not net.is_qlinear():
        name = net.op("MatMul", [net.real(rows), net.real_weight(w)])
        return maps_of(net, limited(net, name, shape, x.size * w.gain))
    y = net.result(shape, x.size)
    operands = [rows.name, *net.parameters(rows), *net.weight_parameters(w), *net.parameters(y)]
    return maps_of(net, net.named(net.op("QLinearMatMul", operands), y))


def dense(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add a Gemm with a bias; in QLinear form the QGemm of ONNX Runtime."""
    rows, features, turned = rows_of(net, x), net.channels(), net.chance(0.5)
    shape, depth = (rows.shape[0], features), rows.shape[1]
    axis = (0 if turned else 1) if net.chance(0.5) else None
    w = net.weights(rows, (features, depth) if turned else (depth, features), axis, depth)
    steps = net.bias(features)
    if not net.is_qlinear():
        inputs = [net.real(rows), net.real_weight(w), net.real_bias(rows, w, steps)]
        return maps_of(net, limited(net, net.op("Gemm", inputs, transB=int(turned)), shape, x.size * w.gain))
    y = net.result(shape, x.size)
    operands = [rows.name, *net.parameters(rows), *net.weight_parameters(w), net.constant(steps, TensorProto.INT32)]
    name = net.op("QGemm", [*operands, *net.parameters(y)], domain="com.microsoft", transB=int(turned))
    return maps_of(net, net.named(name, y))


def product_of_two(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add the product of maps and their own transposes."""
    order, height = (0, 1, 3, 2), x.shape[2]
    turned = net.moved("Transpose", [x], [], tuple(x.shape[axis] for axis in order), perm=order)
    shape = (*x.shape[:2], height, height)
    size = x.size**2 * x.shape[3] ** 0.5
    if not net.is_qlinear():
        return net.quantised(net.op("MatMul", [net.real(x), net.real(turned)]), shape, size)
    y = net.result(shape, size)
    operands = [*(x.name, *net.parameters(x)), *(turned.name, *net.parameters(turned)), *net.parameters(y)]
    return net.named(net.op("QLinearMatMul", operands), y)


# Sums and elementwise products


def other_of(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Return another operand: the tensor itself, another input of its shape, or one that broadcasts to it."""
    form = net.number(0, 3)
    if form == 0:
        return x
    return net.maps([1 if form == 1 and net.chance(0.5) else extent for extent in x.shape])


def _pair(op: str) -> Family:
    def family(net: QuantisedBuilder, x: Tensor) -> Tensor:
        other = other_of(net, x)
        pair = [x, other] if net.chance(0.5) else [other, x]
        size = x.size * other.size if op == "Mul" else x.size + other.size
        return net.apply(op, pair, x.shape, size)

    return family


# Poolings


def max_pool(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add a max pooling with any stride, dilation and padding."""
    kernel = [net.number(1, min(3, size)) for size in x.shape[2:]]
    strides = [net.number(1, 3) for _ in kernel]
    pads = [net.number(0, size - 1) for size in kernel * 2]
    total = [size + pads[axis] + pads[axis + 2] - kernel[axis] for axis, size in enumerate(x.shape[2:])]
    shape = (*x.shape[:2], *(extent // stride + 1 for extent, stride in zip(total, strides, strict=True)))
    return net.moved("MaxPool", [x], [], shape, kernel_shape=kernel, strides=strides, pads=pads)


def average_pool(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add a mean of windows; where sums of floats are to be exact, of 1, 2 or 4 elements."""
    largest = 2 if net.exact else 3
    kernel = [net.number(1, min(largest, size)) for size in x.shape[2:]]
    strides = [net.number(1, 2) for _ in kernel]
    pads = [0] * 4 if net.exact else [net.number(0, size - 1) for size in kernel * 2]
    total = [size + pads[axis] + pads[axis + 2] - kernel[axis] for axis, size in enumerate(x.shape[2:])]
    shape = (*x.shape[:2], *(extent // stride + 1 for extent, stride in zip(total, strides, strict=True)))
    form: dict[str, Any] = {
        "kernel_shape": kernel,
        "strides": strides,
        "pads": pads,
        "count_include_pad": net.number(0, 1),
    }
    return net.apply("AveragePool", [x], shape, x.size, **form)


def global_average(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add the mean of each map; nothing where it would not be exact."""
    count = prod(x.shape[2:])
    if net.exact and count & (count - 1):
        return x
    return net.apply("GlobalAveragePool", [x], (*x.shape[:2], 1, 1), x.size)


# Movement


def concat(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Join maps along their channels, of another scale."""
    if x.shape[1] > 40:
        return x
    other = net.maps((x.shape[0], net.channels(), *x.shape[2:]))
    shape = (x.shape[0], x.shape[1] + other.shape[1], *x.shape[2:])
    if not net.is_qlinear():
        return net.quantised(net.op("Concat", [net.real(x), net.real(other)], axis=1), shape, x.size)
    y = net.result(shape, x.size)
    operands = [*net.parameters(y), x.name, *net.parameters(x), other.name, *net.parameters(other)]
    return net.named(net.op("QLinearConcat", operands, domain="com.microsoft", axis=1), y)


def slices(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Cut maps along an axis, with any step."""
    axis = net.number(1, 3)
    extent, step = x.shape[axis], net.number(1, 2)
    begin = net.number(0, extent - 1)
    end = net.number(begin + 1, extent)
    shape = tuple(-(-(end - begin) // step) if i == axis else n for i, n in enumerate(x.shape))
    return net.moved("Slice", [x], [net.integers(n) for n in (begin, end, axis, step)], shape)


def transpose(net: QuantisedBuilder, x: Tensor) -> Tensor:
    order: tuple[int, ...] = net.choice([(0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 2, 1), (0, 2, 3, 1)])
    return net.moved("Transpose", [x], [], tuple(x.shape[axis] for axis in order), perm=order)


def resize(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Repeat each element of maps twice along both axes."""
    if prod(x.shape) > 2000:
        return x
    shape = (*x.shape[:2], *(2 * extent for extent in x.shape[2:]))
    form: dict[str, Any] = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
    return net.moved("Resize", [x], ["", net.floats([1.0, 1.0, 2.0, 2.0])], shape, **form)


# Functions


def _function(op: str, size: float = 0, **attributes: Any) -> Family:
    return lambda net, x: net.apply(op, [x], x.shape, size or x.size, **attributes)


def softmax(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Normalise rows; a signed result is at the least zero point, above which ONNX Runtime wraps around."""
    if net.form == "float":
        return net.apply("Softmax", [x], x.shape, 1, axis=-1)
    low, high = RANGES[x.kind]
    y = Tensor("", x.kind, x.shape, 8, 1.0, 1 / (high - low + 1), low)
    # ONNX Runtime's table for rows of 10 and 13 is a unit in the last place off.
    if net.is_qlinear() and x.shape[-1] not in (10, 13):
        form: dict[str, Any] = {"domain": "com.microsoft", "axis": -1, "opset": 13}
        return net.named(net.op("QLinearSoftmax", [x.name, *net.parameters(x), *net.parameters(y)], **form), y)
    return net.quantised(net.op("Softmax", [net.real(x)], axis=-1), x.shape, 1, like=y)


def constant_sum(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add the sum of maps and a number for each channel, computed in floats."""
    numbers = net.numbers_beside(x, (x.shape[1], 1, 1))
    return limited(net, net.op("Add", [net.real(x), numbers]), x.shape, x.size)


def pad(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Pad maps with what stands for 0, on any side."""
    if net.form in ("qlinear", "mixed"):
        return x
    pads = [net.number(0, 2) for _ in range(4)]
    shape = (*x.shape[:2], x.shape[2] + pads[0] + pads[2], x.shape[3] + pads[1] + pads[3])
    places = net.integers(0, 0, *pads[:2], 0, 0, *pads[2:])
    return net.quantised(net.op("Pad", [net.real(x), places]), shape, x.size, like=x)


def rescale(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Requantise: another scale and zero point."""
    return net.quantised(net.real(x), x.shape, x.size)


def gate(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add x * HardSigmoid(x), computed in floats."""
    real = net.real(x)
    return net.quantised(net.op("Mul", [real, net.op("HardSigmoid", [real], alpha=0.125)]), x.shape, x.size)


def root(net: QuantisedBuilder, x: Tensor) -> Tensor:
    """Add the square root of magnitudes, computed in floats."""
    return net.quantised(net.op("Sqrt", [net.op("Abs", [net.real(x)])]), x.shape, x.size**0.5)


# Products whose sums something else takes as floats before they are quantised


def _real_convolution(net: QuantisedBuilder, x: Tensor) -> tuple[str, float]:
    """Add a convolution that keeps the shape of its input, as floats; returns them and about how large they are."""
    channels = x.shape[1]
    w = net.weights(x, (channels, channels, 3, 3), 0 if net.chance(0.5) else None, 9 * channels)
    bias = [net.real_bias(x, w, net.bias(channels))] if net.chance(0.6) else []
    return net.op("Conv", [net.real(x), net.real_weight(w), *bias], pads=[1] * 4), x.size * w.gain


def residual(net: QuantisedBuilder, x: Tensor) -> Tensor:
    other = net.real(other_of(net, x))
    sums, size = _real_convolution(net, x)
    pair = [sums, other] if net.chance(0.5) else [other, sums]
    return limited(net, net.op("Add", pair), x.shape, size + x.size)


def sum_of_convolutions(net: QuantisedBuilder, x: Tensor) -> Tensor:
    (one, size), (other, more) = (_real_convolution(net, x) for _ in range(2))
    return limited(net, net.op("Add", [one, other]), x.shape, size + more)


def gated_convolution(net: QuantisedBuilder, x: Tensor) -> Tensor:
    return net.quantised(net.op("HardSwish", [_real_convolution(net, x)[0]]), x.shape, x.size)


def squashed_product(net: QuantisedBuilder, x: Tensor) -> Tensor:
    rows, features = rows_of(net, x), net.channels()
    w = net.weights(rows, (rows.shape[1], features), 1 if net.chance(0.5) else None, rows.shape[1])
    sums = net.op("Gemm", [net.real(rows), net.real_weight(w), net.real_bias(rows, w, net.bias(features))])
    return maps_of(net, net.quantised(net.op("Tanh", [sums]), (rows.shape[0], features), 1))


def scores(net: QuantisedBuilder, x: Tensor) -> Tensor:
    turned = net.op("Transpose", [net.real(x)], perm=[0, 1, 3, 2])
    shares = net.op("Softmax", [net.op("MatMul", [net.real(x), turned])])
    return net.quantised(shares, (*x.shape[:3], x.shape[2]), 1)


FLOAT_CONSUMERS: dict[str, Family] = {
    "convolution and residual": residual,
    "two convolutions": sum_of_convolutions,
    "convolution and function": gated_convolution,
    "product and function": squashed_product,
    "product and softmax": scores,
}
"""Name -> family whose products are floats that another operator takes."""

FAMILIES: dict[str, Family] = {
    "convolution": convolution,
    "product": product,
    "dense": dense,
    "product of two": product_of_two,
    "sum": _pair("Add"),
    "difference": _pair("Sub"),
    "constant sum": constant_sum,
    "elementwise product": _pair("Mul"),
    "max pooling": max_pool,
    "average pooling": average_pool,
    "global average": global_average,
    "concat": concat,
    "slice": slices,
    "transpose": transpose,
    "resize": resize,
    "pad": pad,
    "sigmoid": _function("Sigmoid", 0.5),
    "rectified": _function("Relu"),
    "hard swish": _function("HardSwish"),
    "leaky": _function("LeakyRelu", alpha=0.125),
    "tanh": _function("Tanh", 1.0),
    "softmax": softmax,
    "rescale": rescale,
    "gate": gate,
    "root": root,
}
"""Name -> family."""

WHOLE = frozenset(
    "convolution, product, dense, product of two, sum, difference, constant sum, elementwise product, max pooling, "
    "concat, slice, transpose, pad, rectified, rescale, convolution and residual, two convolutions".split(", ")
)
"""Families of integers, which `requant` form has."""

WEIGHTS: dict[str, float] = {"convolution": 6, "product": 2, "dense": 2, "sum": 3, "elementwise product": 2}
"""Name -> how often a family is drawn; 1 for all others."""
