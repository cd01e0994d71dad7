"""Small quantised networks with one scale per tensor and zero points of 0, drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.passes.core.manager import Observer, Place
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.runtime.tools.session import level_for, runner


class Builder:
    """A network of int8 tensors; each method appends a node and returns the name of its result."""

    def __init__(self, seed: int, shape: list[int]):
        self.draw = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.shape = shape

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

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
        return self.node("QLinearConv", operands, kernel_shape=[size, size], **attributes)

    def matmul(self, x: str, depth: int, features: int) -> str:
        return self.product(x, self.bytes(depth, features), depth)

    def product(self, x: str, y: str, depth: int) -> str:
        result = self.constant(np.float32(np.sqrt(depth) * 0.1))
        operands = [x, self.scale(), self.zero(), y, self.scale(), self.zero(), result, self.zero()]
        return self.node("QLinearMatMul", operands)

    def add(self, x: str, y: str, *, common: bool) -> str:
        one = self.scale()
        operands = [
            x,
            one,
            self.zero(),
            y,
            one if common else self.scale(),
            self.zero(),
            self.constant(np.float32(0.1)),
        ]
        return self.node("QLinearAdd", [*operands, self.zero()], "com.microsoft")

    def relu(self, x: str) -> str:
        return self.node("Max", [x, self.zero()])

    def model(self, result: str, element: int = TensorProto.INT8) -> onnx.ModelProto:
        inputs = [helper.make_tensor_value_info("x", element, self.shape)]
        outputs = [helper.make_tensor_value_info(result, element, None)]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def random_conv(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution of random size, stride, padding and dilation, maybe followed by a ReLU and a second one."""
    draw = np.random.default_rng(seed)
    channels, features = (int(draw.integers(1, 41)) for _ in range(2))
    size, stride, dilation = int(draw.integers(1, 5)), int(draw.integers(1, 4)), int(draw.integers(1, 3))
    pads = [int(draw.integers(0, size)) for _ in range(4)]
    span = (size - 1) * dilation + 1
    shape = [1, channels, *(int(draw.integers(max(span, 3), span + 20)) for _ in range(2))]
    builder = Builder(seed, shape)
    found = builder.conv(
        "x", channels, features, size, bias=bool(draw.integers(2)), pads=pads, strides=[stride] * 2,
        dilations=[dilation] * 2,
    )  # fmt: skip
    if draw.integers(2):
        found = builder.relu(found)
    if draw.integers(2):
        found = builder.conv(found, features, int(draw.integers(1, 30)), 1)
    return builder.model(found), shape


def block_scales(seed: int, block: int = 16) -> tuple[onnx.ModelProto, list[int]]:
    """
    Return a convolution with a scale for each block of output channels, in QDQ form.

    It is depthwise with odd seeds; with even ones, of every other seed, channels are in several tiles.
    """
    draw = np.random.default_rng(seed)
    features, groups = (48, 48) if seed % 2 else (int(draw.integers(20, 90)) if seed % 4 else 500, 1)
    size, shape = 3, [1, 48, int(draw.integers(3, 14)), int(draw.integers(3, 14))]
    builder = Builder(seed, shape)
    scales = np.repeat(draw.uniform(0.001, 0.01, features), block)[:features].astype(np.float32)
    x, zero = builder.scale(), builder.zero()
    zeros, weights = builder.constant(np.zeros(features, np.int8)), builder.bytes(features, 48 // groups, size, size)
    weights = builder.node("DequantizeLinear", [weights, builder.constant(scales), zeros], axis=0)
    real = builder.node("DequantizeLinear", ["x", x, zero])
    found = builder.node("Conv", [real, weights], pads=[1] * 4, group=groups)
    result = builder.constant(np.float32(0.05 / np.sqrt(groups)))
    return builder.model(builder.node("QuantizeLinear", [found, result, zero])), shape


def first_layer(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution of stride 2 or 3 and large windows, of an image of few channels."""
    draw = np.random.default_rng(seed)
    channels, step, size = int(draw.integers(2, 4)), int(draw.integers(2, 4)), int(draw.integers(6, 9))
    shape = [1, channels, int(draw.integers(30, 50)), int(draw.integers(30, 50))]
    builder = Builder(seed, shape)
    pads = [int(draw.integers(0, size)) for _ in range(4)]
    return builder.model(builder.conv("x", channels, 128, size, pads=pads, strides=[step] * 2)), shape


def random_groups(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution of random groups, depthwise with even seeds."""
    draw = np.random.default_rng(seed)
    groups = int(draw.choice([2, 3, 8, 16, 24, 32, 64]))
    depth, per_group = (1, 1) if seed % 2 == 0 else (int(draw.choice([1, 2, 4, 8])), int(draw.choice([1, 2, 4])))
    size, shape = int(draw.integers(1, 4)), [1, groups * depth, int(draw.integers(3, 18)), int(draw.integers(3, 18))]
    builder = Builder(seed, shape)
    found = builder.conv(
        "x", depth, groups * per_group, size, group=groups, pads=[size // 2] * 4, strides=[int(draw.integers(1, 3))] * 2
    )
    return builder.model(found), shape


def random_batches(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return products of matrices of a batch with their own transposes."""
    draw = np.random.default_rng(seed)
    shape = [int(draw.integers(1, 4)), int(draw.integers(1, 5)), int(draw.integers(1, 40)), int(draw.integers(1, 40))]
    builder = Builder(seed, shape)
    turned = builder.node("Transpose", ["x"], perm=[0, 1, 3, 2])
    scores = builder.product("x", turned, shape[3])
    return builder.model(builder.product(scores, "x", shape[2]) if seed % 2 else scores), shape


def random_pool(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution with max pooling of random windows, strides and padding behind it."""
    draw = np.random.default_rng(seed)
    size, window, step = int(draw.integers(5, 24)), int(draw.integers(1, 4)), int(draw.integers(1, 4))
    shape, features = [1, 8, size, size + 3], 16 * int(draw.integers(1, 6))
    builder = Builder(seed, shape)
    found = builder.conv("x", 8, features, 1)
    pads = [int(draw.integers(0, window)) for _ in range(4)]
    found = builder.node("MaxPool", [found], kernel_shape=[window] * 2, strides=[step] * 2, pads=pads)
    return builder.model(found), shape


def random_matmul(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a product of random size, or a chain of two."""
    draw = np.random.default_rng(seed)
    rows, depth, features = (int(draw.integers(1, 70)) for _ in range(3))
    builder = Builder(seed, [rows, depth])
    found = builder.matmul("x", depth, features)
    if draw.integers(2):
        found = builder.matmul(builder.relu(found), features, int(draw.integers(1, 40)))
    return builder.model(found), [rows, depth]


def residual(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a block of two convolutions with a residual; with odd seeds both summands have one scale."""
    draw = np.random.default_rng(seed)
    channels, size = int(draw.integers(8, 40)), int(draw.integers(5, 16))
    channels = 16 * (channels // 8) if seed % 2 else channels
    builder = Builder(seed, [1, channels, size, size])
    inner = builder.relu(builder.conv("x", channels, channels, 3, pads=[1] * 4))
    inner = builder.conv(inner, channels, channels, 3, pads=[1] * 4)
    found = builder.relu(builder.add(inner, "x", common=seed % 2 == 1))
    return builder.model(builder.conv(found, channels, 10, 1)), [1, channels, size, size]


def lone_pool(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return max pooling of the input with channels last, which needs accumulators only."""
    draw = np.random.default_rng(seed)
    builder = Builder(seed, [1, *(int(draw.integers(4, 20)) for _ in range(2)), 16 * int(draw.integers(1, 5))])
    first = builder.node("Transpose", ["x"], perm=[0, 3, 1, 2])
    found = builder.node("MaxPool", [first], kernel_shape=[2, 2], strides=[2, 2])
    return builder.model(builder.node("Transpose", [found], perm=[0, 2, 3, 1])), builder.shape


def random_mean(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return means over the image, or over its rows, behind a convolution."""
    draw = np.random.default_rng(seed)
    builder = Builder(seed, [int(draw.integers(1, 3)), 8, *(int(draw.integers(2, 12)) for _ in range(2))])
    found = builder.conv("x", 8, 16 * int(draw.integers(1, 8)), 1)
    scale, zero = builder.scale(), builder.zero()
    real = builder.node("DequantizeLinear", [found, scale, zero])
    axes, kept = ([2, 3], 1) if seed % 2 else ([3], int(draw.integers(2)))
    mean = builder.node("ReduceMean", [real], axes=axes, keepdims=kept)
    return builder.model(builder.node("QuantizeLinear", [mean, scale, zero])), builder.shape


def deep_conv(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution without a bias whose reduction has to be cut in a scratchpad of 64 KiB."""
    draw = np.random.default_rng(seed)
    channels, size = 16 * int(draw.integers(16, 25)), int(draw.integers(4, 9))
    builder = Builder(seed, [1, channels, size, size])
    return builder.model(builder.conv("x", channels, 40, 3, bias=False)), builder.shape


def random_unsigned(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return padded convolutions of unsigned bytes with any zero point, weights unsigned in odd seeds, and pooling."""
    draw = np.random.default_rng(seed)
    channels, size = (int(draw.integers(low, 34)) for low in (3, 6))
    builder, found = Builder(seed, [1, channels, size, size]), "x"
    for features, kernel in ((int(draw.integers(8, 40)), 3), (16, 1)):
        x_zero, y_zero = (builder.constant(np.uint8(draw.integers(256))) for _ in range(2))
        weights = draw.integers(-127, 128, (features, channels, kernel, kernel), dtype=np.int8)
        shifted = (weights.astype(np.int16) + 128).astype(np.uint8)
        w, w_zero = (shifted, np.uint8(128)) if seed % 2 else (weights, np.int8(0))
        result = builder.constant(np.float32(np.sqrt(channels) * kernel * 0.1))
        operands = [found, builder.scale(), x_zero, builder.constant(w), builder.scale(), builder.constant(w_zero)]
        found = builder.node("QLinearConv", [*operands, result, y_zero], pads=[kernel // 2] * 4)
        found = builder.node("MaxPool", [found], kernel_shape=[2, 2], strides=[1, 1])
        channels = features
    return builder.model(found, TensorProto.UINT8), builder.shape


def float_conv(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a convolution of floats of random size, stride and padding, with a bias and a ReLU."""
    draw = np.random.default_rng(seed)
    channels, features, size = (int(draw.integers(1, 20)) for _ in range(3))
    kernel, shape = int(draw.integers(1, 4)), [1, channels, size + 4, size + 6]
    attributes = {"pads": [kernel // 2] * 4, "strides": [int(draw.integers(1, 3))] * 2}
    return _rectified(seed, "Conv", shape, [[features, channels, kernel, kernel], [features]], attributes), shape


def half_conv(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return the convolution of `float_conv` in bf16."""
    model, shape = float_conv(seed)
    return _halved(model), shape


def half_matmul(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return the product of `float_matmul` in bf16."""
    model, shape = float_matmul(seed)
    return _halved(model), shape


def _halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a network of floats in bf16."""
    for each in model.graph.initializer:
        values = numpy_helper.to_array(each).astype(ml_dtypes.bfloat16)
        each.CopyFrom(helper.make_tensor(each.name, TensorProto.BFLOAT16, values.shape, values.tobytes(), raw=True))
    for each in (*model.graph.input, *model.graph.output):
        each.type.tensor_type.elem_type = TensorProto.BFLOAT16
    model.opset_import[0].version = 22
    return model


def float_matmul(seed: int) -> tuple[onnx.ModelProto, list[int]]:
    """Return a product of floats of random size, with a bias and a ReLU."""
    rows, depth, features = (int(each) for each in np.random.default_rng(seed).integers(1, 60, 3))
    return _rectified(seed, "Gemm", [rows, depth], [[depth, features], [features]], {}), [rows, depth]


def _rectified(
    seed: int, kind: str, shape: list[int], shapes: list[list[int]], attributes: dict[str, Any]
) -> onnx.ModelProto:
    """Return a network of an operator with weights of these shapes, and a ReLU."""
    builder = Builder(seed, shape)
    weights = [builder.constant(builder.draw.standard_normal(each).astype(np.float32)) for each in shapes]
    found = builder.node("Relu", [builder.node(kind, ["x", *weights], **attributes)])
    builder.nodes.append(helper.make_node("Identity", [found], ["y"]))
    return builder.model("y", TensorProto.FLOAT)


Network = Callable[[int], "tuple[onnx.ModelProto, list[int]]"]


class Phase(Observer):
    """Observer that keeps the module at the end of a phase."""

    def __init__(self, name: str):
        self.name = name
        self.module = ModuleOp([])

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        if place.ends_phase and place.step.phase == self.name:
            self.module = module.clone()


def assert_equal(
    made: tuple[onnx.ModelProto, list[int]],
    seed: int,
    folder: Path,
    places: list[str],
    target: str = "gemmini",
    phase: str = "array",
) -> ModuleOp:
    """Assert that a network gives in all places what it gives as tensors; returns the module at the end of a phase."""
    model, shape = made
    file = folder / "network.onnx"
    file.write_bytes(model.SerializeToString())
    dtype = helper.tensor_dtype_to_np_dtype(model.graph.input[0].type.tensor_type.elem_type)
    inputs = {"x": np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8).view(dtype)}
    tensors = compile_model(Model(file, integers=True), "host", stop_after="tensor")
    expected, seen = runner(tensors, "interpreter")(inputs), Phase(phase)
    for place in places:
        compilation = compile_model(Model(file), target, observers=[seen], **level_for(place)._asdict())
        found = runner(compilation, place)(inputs)
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values, err_msg=f"{place}, seed {seed}")
    return seen.module


def has_spike() -> bool:
    try:
        return SPIKE.program.find().with_name("pyspike").is_file()
    except Diagnostic:
        return False
