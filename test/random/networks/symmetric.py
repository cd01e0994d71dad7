"""Small quantised networks with one scale per tensor and zero points of 0, drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from .builder import Builder, Tensor

Model: TypeAlias = tuple[ModelProto, list[int]]
"""A network and the shape of its input `x`."""

Network: TypeAlias = Callable[[int], Model]
"""Returns the network of a seed."""


class SymmetricBuilder(Builder):
    """Builder of networks of int8 tensors on one input; each method adds a node and returns the name of its result."""

    def __init__(self, seed: int, shape: Sequence[int], kind: int = TensorProto.INT8):
        super().__init__(Random(seed), opset=17)
        self.draw = np.random.default_rng(seed)
        self.x = self.port(Tensor("x", kind, tuple(shape)))

    def scale(self) -> str:
        return self.constant(np.float32(self.draw.uniform(0.01, 0.1)))

    def zero(self) -> str:
        return self.constant(np.int8(0))

    def bytes(self, *shape: int) -> str:
        return self.constant(self.draw.integers(-127, 128, shape, dtype=np.int8))

    def conv(self, x: str, channels: int, features: int, size: int, *, bias: bool = True, **attributes: Any) -> str:
        terms = channels * size * size
        result = self.constant(np.float32(np.sqrt(terms) * 0.1))
        operands = [x, self.scale(), self.zero(), self.bytes(features, channels, size, size)]
        operands += [self.scale(), self.zero(), result, self.zero()]
        if bias:
            operands.append(self.constant(self.draw.integers(-5000, 5000, features, dtype=np.int32)))
        return self.op("QLinearConv", operands, kernel_shape=[size, size], **attributes)

    def matmul(self, x: str, depth: int, features: int) -> str:
        return self.product(x, self.bytes(depth, features), depth)

    def product(self, x: str, y: str, depth: int) -> str:
        result = self.constant(np.float32(np.sqrt(depth) * 0.1))
        operands = [x, self.scale(), self.zero(), y, self.scale(), self.zero(), result, self.zero()]
        return self.op("QLinearMatMul", operands)

    def add(self, x: str, y: str, *, common: bool) -> str:
        one = self.scale()
        operands = [x, one, self.zero(), y, one if common else self.scale(), self.zero()]
        operands += [self.constant(np.float32(0.1)), self.zero()]
        return self.op("QLinearAdd", operands, domain="com.microsoft")

    def relu(self, x: str) -> str:
        return self.op("Max", [x, self.zero()])

    def network(self, result: str) -> Model:
        """Return the network with this output."""
        return self.model([helper.make_tensor_value_info(result, self.x.kind, None)]), list(self.x.shape)


def random_conv(seed: int) -> Model:
    """Return a convolution of random size, stride, padding and dilation, maybe followed by a ReLU and a second one."""
    draw = np.random.default_rng(seed)
    channels, features = (int(draw.integers(1, 41)) for _ in range(2))
    size, stride, dilation = int(draw.integers(1, 5)), int(draw.integers(1, 4)), int(draw.integers(1, 3))
    pads = [int(draw.integers(0, size)) for _ in range(4)]
    span = (size - 1) * dilation + 1
    shape = [1, channels, *(int(draw.integers(max(span, 3), span + 20)) for _ in range(2))]
    builder = SymmetricBuilder(seed, shape)
    y = builder.conv(
        "x", channels, features, size, bias=bool(draw.integers(2)), pads=pads, strides=[stride] * 2,
        dilations=[dilation] * 2,
    )  # fmt: skip
    if draw.integers(2):
        y = builder.relu(y)
    if draw.integers(2):
        y = builder.conv(y, features, int(draw.integers(1, 30)), 1)
    return builder.network(y)


def block_scales(seed: int, block: int = 16, taps: int = 3, size: tuple[int, int] | None = None) -> Model:
    """
    Return a convolution with a scale for each block of output channels, in QDQ form.

    Windows are squares of `taps`, and the image has some size, random by default. It is depthwise with odd seeds; with
    even ones, of every other seed, channels are in several tiles.
    """
    draw = np.random.default_rng(seed)
    features, groups = (48, 48) if seed % 2 else (int(draw.integers(20, 90)) if seed % 4 else 500, 1)
    shape = [1, 48, *(size or (int(draw.integers(3, 14)), int(draw.integers(3, 14))))]
    builder = SymmetricBuilder(seed, shape)
    scales = np.repeat(draw.uniform(0.001, 0.01, features), block)[:features].astype(np.float32)
    x, zero = builder.scale(), builder.zero()
    zeros, weights = builder.constant(np.zeros(features, np.int8)), builder.bytes(features, 48 // groups, taps, taps)
    weights = builder.op("DequantizeLinear", [weights, builder.constant(scales), zeros], axis=0)
    real = builder.op("DequantizeLinear", ["x", x, zero])
    y = builder.op("Conv", [real, weights], pads=[taps // 2] * 4, group=groups)
    result = builder.constant(np.float32(0.05 / np.sqrt(groups)))
    return builder.network(builder.op("QuantizeLinear", [y, result, zero]))


def first_layer(seed: int) -> Model:
    """Return a convolution of stride 2 or 3 and large windows, of an image of few channels."""
    draw = np.random.default_rng(seed)
    channels, step, size = int(draw.integers(2, 4)), int(draw.integers(2, 4)), int(draw.integers(6, 9))
    shape = [1, channels, int(draw.integers(30, 50)), int(draw.integers(30, 50))]
    builder = SymmetricBuilder(seed, shape)
    pads = [int(draw.integers(0, size)) for _ in range(4)]
    return builder.network(builder.conv("x", channels, 128, size, pads=pads, strides=[step] * 2))


def random_groups(seed: int) -> Model:
    """Return a convolution of random groups, depthwise with even seeds."""
    draw = np.random.default_rng(seed)
    groups = int(draw.choice([2, 3, 8, 16, 24, 32, 64]))
    depth, per_group = (1, 1) if seed % 2 == 0 else (int(draw.choice([1, 2, 4, 8])), int(draw.choice([1, 2, 4])))
    size, shape = int(draw.integers(1, 4)), [1, groups * depth, int(draw.integers(3, 18)), int(draw.integers(3, 18))]
    builder = SymmetricBuilder(seed, shape)
    y = builder.conv(
        "x", depth, groups * per_group, size, group=groups, pads=[size // 2] * 4, strides=[int(draw.integers(1, 3))] * 2
    )
    return builder.network(y)


def random_batches(seed: int) -> Model:
    """Return products of matrices of a batch with their own transposes."""
    draw = np.random.default_rng(seed)
    shape = [int(draw.integers(1, 4)), int(draw.integers(1, 5)), int(draw.integers(1, 40)), int(draw.integers(1, 40))]
    builder = SymmetricBuilder(seed, shape)
    turned = builder.op("Transpose", ["x"], perm=[0, 1, 3, 2])
    scores = builder.product("x", turned, shape[3])
    return builder.network(builder.product(scores, "x", shape[2]) if seed % 2 else scores)


def random_pool(seed: int) -> Model:
    """Return a convolution with max pooling of random windows, strides and padding behind it."""
    draw = np.random.default_rng(seed)
    size, window, step = int(draw.integers(5, 24)), int(draw.integers(1, 4)), int(draw.integers(1, 4))
    shape, features = [1, 8, size, size + 3], 16 * int(draw.integers(1, 6))
    builder = SymmetricBuilder(seed, shape)
    y = builder.conv("x", 8, features, 1)
    pads = [int(draw.integers(0, window)) for _ in range(4)]
    y = builder.op("MaxPool", [y], kernel_shape=[window] * 2, strides=[step] * 2, pads=pads)
    return builder.network(y)


def random_matmul(seed: int) -> Model:
    """Return a product of random size, or a chain of two."""
    draw = np.random.default_rng(seed)
    rows, depth, features = (int(draw.integers(1, 70)) for _ in range(3))
    builder = SymmetricBuilder(seed, [rows, depth])
    y = builder.matmul("x", depth, features)
    if draw.integers(2):
        y = builder.matmul(builder.relu(y), features, int(draw.integers(1, 40)))
    return builder.network(y)


def residual(seed: int) -> Model:
    """Return a block of two convolutions with a residual; with odd seeds both summands have one scale."""
    draw = np.random.default_rng(seed)
    channels, size = int(draw.integers(8, 40)), int(draw.integers(5, 16))
    channels = 16 * (channels // 8) if seed % 2 else channels
    builder = SymmetricBuilder(seed, [1, channels, size, size])
    inner = builder.relu(builder.conv("x", channels, channels, 3, pads=[1] * 4))
    inner = builder.conv(inner, channels, channels, 3, pads=[1] * 4)
    y = builder.relu(builder.add(inner, "x", common=seed % 2 == 1))
    return builder.network(builder.conv(y, channels, 10, 1))


def lone_pool(seed: int) -> Model:
    """Return max pooling of the input with channels last, which needs accumulators only."""
    draw = np.random.default_rng(seed)
    builder = SymmetricBuilder(seed, [1, *(int(draw.integers(4, 20)) for _ in range(2)), 16 * int(draw.integers(1, 5))])
    first = builder.op("Transpose", ["x"], perm=[0, 3, 1, 2])
    y = builder.op("MaxPool", [first], kernel_shape=[2, 2], strides=[2, 2])
    return builder.network(builder.op("Transpose", [y], perm=[0, 2, 3, 1]))


def random_mean(seed: int) -> Model:
    """Return means over the image, or over its rows, behind a convolution."""
    draw = np.random.default_rng(seed)
    builder = SymmetricBuilder(seed, [int(draw.integers(1, 3)), 8, *(int(draw.integers(2, 12)) for _ in range(2))])
    y = builder.conv("x", 8, 16 * int(draw.integers(1, 8)), 1)
    scale, zero = builder.scale(), builder.zero()
    real = builder.op("DequantizeLinear", [y, scale, zero])
    axes, kept = ([2, 3], 1) if seed % 2 else ([3], int(draw.integers(2)))
    mean = builder.op("ReduceMean", [real], axes=axes, keepdims=kept)
    return builder.network(builder.op("QuantizeLinear", [mean, scale, zero]))


def deep_conv(seed: int) -> Model:
    """Return a convolution without a bias whose reduction has to be cut in a scratchpad of 64 KiB."""
    draw = np.random.default_rng(seed)
    channels, size = 16 * int(draw.integers(16, 25)), int(draw.integers(4, 9))
    builder = SymmetricBuilder(seed, [1, channels, size, size])
    return builder.network(builder.conv("x", channels, 40, 3, bias=False))


def random_unsigned(seed: int) -> Model:
    """Return padded convolutions of unsigned bytes with any zero point, weights unsigned in odd seeds, and pooling."""
    draw = np.random.default_rng(seed)
    channels, size = (int(draw.integers(low, 34)) for low in (3, 6))
    builder, y = SymmetricBuilder(seed, [1, channels, size, size], TensorProto.UINT8), "x"
    for features, kernel in ((int(draw.integers(8, 40)), 3), (16, 1)):
        x_zero, y_zero = (builder.constant(np.uint8(draw.integers(256))) for _ in range(2))
        weights = draw.integers(-127, 128, (features, channels, kernel, kernel), dtype=np.int8)
        shifted = (weights.astype(np.int16) + 128).astype(np.uint8)
        w, w_zero = (shifted, np.uint8(128)) if seed % 2 else (weights, np.int8(0))
        result = builder.constant(np.float32(np.sqrt(channels) * kernel * 0.1))
        operands = [y, builder.scale(), x_zero, builder.constant(w), builder.scale(), builder.constant(w_zero)]
        y = builder.op("QLinearConv", [*operands, result, y_zero], pads=[kernel // 2] * 4)
        y = builder.op("MaxPool", [y], kernel_shape=[2, 2], strides=[1, 1])
        channels = features
    return builder.network(y)


def float_conv(seed: int) -> Model:
    """Return a convolution of floats of random size, stride and padding, with a bias and a ReLU."""
    draw = np.random.default_rng(seed)
    channels, features, size = (int(draw.integers(1, 20)) for _ in range(3))
    kernel, shape = int(draw.integers(1, 4)), [1, channels, size + 4, size + 6]
    attributes = {"pads": [kernel // 2] * 4, "strides": [int(draw.integers(1, 3))] * 2}
    return _rectified(seed, "Conv", shape, [[features, channels, kernel, kernel], [features]], attributes)


def half_conv(seed: int) -> Model:
    """Return the convolution of `float_conv` in bf16."""
    return _halved(float_conv(seed))


def half_matmul(seed: int) -> Model:
    """Return the product of `float_matmul` in bf16."""
    return _halved(float_matmul(seed))


def _halved(network: Model) -> Model:
    """Return a network of floats in bf16."""
    model, shape = network
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor).astype(ml_dtypes.bfloat16)
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for port in (*model.graph.input, *model.graph.output):
        port.type.tensor_type.elem_type = TensorProto.BFLOAT16
    model.opset_import[0].version = 22
    return model, shape


def float_matmul(seed: int) -> Model:
    """Return a product of floats of random size, with a bias and a ReLU."""
    rows, depth, features = (int(extent) for extent in np.random.default_rng(seed).integers(1, 60, 3))
    return _rectified(seed, "Gemm", [rows, depth], [[depth, features], [features]], {})


def _rectified(seed: int, kind: str, shape: list[int], shapes: list[list[int]], attributes: dict[str, Any]) -> Model:
    """Return a network of an operator with weights of these shapes, and a ReLU."""
    builder = SymmetricBuilder(seed, shape, TensorProto.FLOAT)
    weights = [builder.constant(builder.draw.standard_normal(extents).astype(np.float32)) for extents in shapes]
    builder.op("Relu", [builder.op(kind, ["x", *weights], **attributes)])
    return builder.network(builder.called("y"))
