"""Builds random networks in QDQ form: operators on floats between DequantizeLinear and QuantizeLinear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import log2, prod, sqrt
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper

from tilewright.ir import Array

TYPES: dict[int, tuple[int, int]] = {
    TensorProto.UINT8: (0, 255),
    TensorProto.INT8: (-128, 127),
    TensorProto.UINT4: (0, 15),
    TensorProto.INT4: (-8, 7),
}
"""ONNX type -> its least and its greatest number."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of integers, and what they stand for."""

    name: str
    shape: tuple[int, ...]
    scale: float
    zero: int
    kind: int


@dataclass(frozen=True)
class Real:
    """A tensor of floats, and about how large they are."""

    name: str
    shape: tuple[int, ...]
    size: float


@dataclass
class Network:
    """A network that grows; with `exact`, all scales are powers of two."""

    random: np.random.RandomState
    exact: bool = True
    kinds: Sequence[int] = (TensorProto.UINT8, TensorProto.INT8)
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    constants: list[TensorProto] = field(default_factory=list[TensorProto])
    inputs: list[Tensor] = field(default_factory=list[Tensor])

    def node(self, op: str, inputs: Sequence[str], **attributes: Any) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"{op}_{len(self.nodes)}", **attributes))
        return name

    def constant(self, values: Any, kind: int) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(values)
        self.constants.append(helper.make_tensor(name, kind, array.shape, array.reshape(-1).tolist()))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(list(values), TensorProto.INT64)

    def kind(self) -> int:
        return int(self.random.choice(self.kinds))

    def scale(self, about: float) -> float:
        if self.exact:
            return 2.0 ** round(log2(about))
        return float(np.float32(about * self.random.uniform(0.7, 1.5)))

    def zero(self, kind: int) -> int:
        low, high = TYPES[kind]
        return int(self.random.choice([low, (low + high + 1) // 2, self.random.randint(low, high + 1)]))

    def input(self, shape: Sequence[int]) -> Tensor:
        kind = self.kind()
        made = Tensor(f"x{len(self.inputs)}", tuple(shape), self.scale(1 / 16), self.zero(kind), kind)
        self.inputs.append(made)
        return made

    def real(self, x: Tensor) -> Real:
        scale, zero = self.constant(x.scale, TensorProto.FLOAT), self.constant(x.zero, x.kind)
        low, high = TYPES[x.kind]
        return Real(self.node("DequantizeLinear", [x.name, scale, zero]), x.shape, (high - low) / 4 * x.scale)

    def quantised(self, x: Real, kind: int = 0, like: Tensor | None = None) -> Tensor:
        kind = like.kind if like else kind or self.kind()
        low, high = TYPES[kind]
        scale = like.scale if like else self.scale(4 * x.size / (high - low))
        zero = like.zero if like else self.zero(kind)
        inputs = [x.name, self.constant(scale, TensorProto.FLOAT), self.constant(zero, kind)]
        return Tensor(self.node("QuantizeLinear", inputs), x.shape, scale, zero, kind)

    def weight(self, shape: Sequence[int], axis: int | None) -> tuple[str, Array]:
        """Add weights of 8 bits, dequantised, with a scale for each part of an axis; returns them and their scales."""
        kind = TensorProto.INT4 if TensorProto.INT4 in self.kinds else TensorProto.INT8
        low, high = TYPES[kind]
        count = shape[axis] if axis is not None else 1
        scales = np.array([self.scale(4 / (high - low)) for _ in range(count)], np.float32)
        zeros = self.random.randint(-3, 4, count) if self.random.randint(3) == 0 else np.zeros(count, int)
        values = self.random.randint(low, high + 1, shape)
        form = (count,) if axis is not None else ()
        inputs = [
            self.constant(values, kind),
            self.constant(scales.reshape(form), TensorProto.FLOAT),
            self.constant(zeros.reshape(form), kind),
        ]
        return self.node("DequantizeLinear", inputs, **({"axis": axis} if axis is not None else {})), scales

    def bias(self, x: Tensor, scales: Array, channels: int) -> list[str]:
        """Add a bias for each channel: none, of floats, or of integers that are dequantised."""
        form = self.random.randint(3)
        if form == 0:
            return []
        every = np.broadcast_to(np.float32(x.scale) * scales, channels)
        values = self.random.randint(-2000, 2000, channels)
        if form == 1:
            odd = 0 if self.exact else self.random.uniform(-0.4, 0.4, channels)
            return [self.constant((values + odd) * every, TensorProto.FLOAT)]
        inputs = [
            self.constant(values, TensorProto.INT32),
            self.constant(every, TensorProto.FLOAT),
            self.constant(np.zeros(channels, int), TensorProto.INT32),
        ]
        return [self.node("DequantizeLinear", inputs, axis=0)]

    def model(self, outputs: Sequence[Tensor], *, opset: int = 21) -> ModelProto:
        def port(x: Tensor) -> Any:
            return helper.make_tensor_value_info(x.name, x.kind, x.shape)

        graph = helper.make_graph(
            self.nodes, "net", list(map(port, self.inputs)), list(map(port, outputs)), self.constants
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)

    def samples(self) -> dict[str, Array]:
        """Return random inputs, the ends of the ranges among them."""
        found: dict[str, Array] = {}
        for x in self.inputs:
            low, high = TYPES[x.kind]
            values = self.random.randint(low, high + 1, x.shape)
            np.put(values, [0, -1], [low, high])
            found[x.name] = values.astype(np.uint8 if low == 0 else np.int8)
        return found


# Operators, of feature maps [1, C, H, W]

Operator = Callable[[Network, Tensor], Tensor]


def _with_tail(net: Network, x: Real) -> Tensor:
    """Return a real tensor quantised, perhaps after a limit."""
    tail = net.random.randint(4)
    if tail == 0:
        return net.quantised(Real(net.node("Relu", [x.name]), x.shape, x.size))
    if tail == 1:
        ends = [net.constant(end, TensorProto.FLOAT) for end in (-0.5 * x.size, x.size)]
        return net.quantised(Real(net.node("Clip", [x.name, *ends]), x.shape, x.size))
    return net.quantised(x)


def conv(net: Network, x: Tensor) -> Tensor:
    channels, (height, width) = x.shape[1], x.shape[2:]
    group = channels if net.random.randint(3) == 0 else 1
    out, size = channels if group > 1 else int(net.random.randint(1, 6)), int(net.random.choice([1, 3]))
    shape = (out, channels // group, size, size)
    weight, scales = net.weight(shape, 0 if net.random.randint(2) else None)
    real = net.real(x)
    inputs = [real.name, weight, *net.bias(x, scales, out)]
    made = net.node("Conv", inputs, pads=[size // 2] * 4, group=group, kernel_shape=[size, size])
    return _with_tail(net, Real(made, (1, out, height, width), real.size * sqrt(prod(shape[1:]))))


def _rows(net: Network, x: Tensor) -> Tensor:
    """Return a map as rows, reshaped between DequantizeLinear and QuantizeLinear."""
    shape = (x.shape[1], prod(x.shape[2:]))
    made = net.node("Reshape", [net.real(x).name, net.integers(*shape)])
    return net.quantised(Real(made, shape, 0), like=x)


def _maps(net: Network, x: Tensor) -> Tensor:
    shape = (1, x.shape[0], 1, x.shape[1])
    made = net.node("Reshape", [net.real(x).name, net.integers(*shape)])
    return net.quantised(Real(made, shape, 0), like=x)


def gemm(net: Network, x: Tensor) -> Tensor:
    rows, columns = _rows(net, x), int(net.random.randint(1, 7))
    turned = bool(net.random.randint(2))
    depth, axis = rows.shape[1], 0 if turned else 1
    weight, scales = net.weight(
        (columns, depth) if turned else (depth, columns), axis if net.random.randint(2) else None
    )
    real = net.real(rows)
    made = net.node("Gemm", [real.name, weight, *net.bias(rows, scales, columns)], transB=int(turned))
    return _maps(net, _with_tail(net, Real(made, (rows.shape[0], columns), real.size * sqrt(depth))))


def matmul(net: Network, x: Tensor) -> Tensor:
    rows, columns = _rows(net, x), int(net.random.randint(1, 7))
    weight, scales = net.weight((rows.shape[1], columns), 1 if net.random.randint(2) else None)
    real = net.real(rows)
    made = net.node("MatMul", [real.name, weight])
    size = real.size * sqrt(rows.shape[1])
    for bias in net.bias(rows, scales, columns):
        made = net.node("Add", [made, bias])
    return _maps(net, _with_tail(net, Real(made, (rows.shape[0], columns), size)))


def matmul_of_two(net: Network, x: Tensor) -> Tensor:
    real = net.real(x)
    turned = net.node("Transpose", [net.real(x).name], perm=[0, 1, 3, 2])
    made = net.node("MatMul", [real.name, turned])
    shape = (*x.shape[:3], x.shape[2])
    return _with_tail(net, Real(made, shape, real.size**2 * sqrt(x.shape[3])))


def _other(net: Network, x: Tensor) -> Tensor:
    """Return another tensor of the same shape, or of one that broadcasts to it; an input or a constant."""
    made = net.input([1 if net.random.randint(4) == 0 else extent for extent in x.shape])
    if net.random.randint(3):
        return made
    net.inputs.pop()
    values = net.random.randint(TYPES[made.kind][0], TYPES[made.kind][1] + 1, made.shape)
    return replace(made, name=net.constant(values, made.kind))


def _binary(op: str) -> Operator:
    def build(net: Network, x: Tensor) -> Tensor:
        a, b = net.real(x), net.real(_other(net, x))
        if net.random.randint(2) and op != "Sub":
            a, b = b, a
        size = a.size * b.size if op == "Mul" else a.size + b.size
        return _with_tail(net, Real(net.node(op, [a.name, b.name]), x.shape, size))

    return build


def add_constant(net: Network, x: Tensor) -> Tensor:
    real = net.real(x)
    numbers = net.random.randint(-60, 60, (x.shape[1], 1, 1)) * (x.scale / 4)
    made = net.node("Add", [real.name, net.constant(numbers, TensorProto.FLOAT)])
    return _with_tail(net, Real(made, x.shape, real.size))


def average_pool(net: Network, x: Tensor) -> Tensor:
    real, size = net.real(x), 2 if min(x.shape[2:]) > 1 else 1
    if not net.exact and min(x.shape[2:]) > 2:
        size = 3
    shape = (*x.shape[:2], *(extent - size + 1 for extent in x.shape[2:]))
    return _with_tail(net, Real(net.node("AveragePool", [real.name], kernel_shape=[size, size]), shape, real.size))


def global_average_pool(net: Network, x: Tensor) -> Tensor:
    real, count = net.real(x), prod(x.shape[2:])
    if net.exact and count & (count - 1):
        return net.quantised(real)
    shape = (*x.shape[:2], 1, 1)
    if net.random.randint(2):
        return net.quantised(Real(net.node("GlobalAveragePool", [real.name]), shape, real.size / 2))
    return net.quantised(Real(net.node("ReduceMean", [real.name, net.integers(2, 3)]), shape, real.size / 2))


def concat(net: Network, x: Tensor) -> Tensor:
    a, b = net.real(x), net.real(net.input(x.shape))
    return net.quantised(Real(net.node("Concat", [a.name, b.name], axis=1), (1, 2 * x.shape[1], *x.shape[2:]), a.size))


def _function(op: str, size: float = 0, **attributes: Any) -> Operator:
    def build(net: Network, x: Tensor) -> Tensor:
        real = net.real(x)
        return net.quantised(Real(net.node(op, [real.name], **attributes), x.shape, size or real.size))

    return build


def silu(net: Network, x: Tensor) -> Tensor:
    real = net.real(x)
    gate = net.node("Sigmoid", [real.name])
    return net.quantised(Real(net.node("Mul", [real.name, gate]), x.shape, real.size))


def rescale(net: Network, x: Tensor) -> Tensor:
    return net.quantised(net.real(x))


def moves(net: Network, x: Tensor) -> Tensor:
    """Return a map that is only moved, of the same scale."""
    real = net.real(x)
    turned = net.node("Transpose", [real.name], perm=[0, 1, 3, 2])
    high, wide = x.shape[3], x.shape[2]
    form = net.random.randint(4)
    if form == 0:
        made = net.node("Pad", [turned, net.integers(0, 0, 1, 0, 0, 0, 0, 1)])
        shape = (*x.shape[:2], high + 1, wide + 1)
    elif form == 1:
        made = net.node("Slice", [turned, net.integers(0), net.integers(max(1, high - 1)), net.integers(2)])
        shape = (*x.shape[:2], max(1, high - 1), wide)
    elif form == 2:
        sizes = net.constant([1.0, 1.0, 2.0, 2.0], TensorProto.FLOAT)
        made = net.node(
            "Resize",
            [turned, "", sizes],
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )
        shape = (*x.shape[:2], 2 * high, 2 * wide)
    else:
        made = net.node("MaxPool", [turned], kernel_shape=[1, min(2, wide)])
        shape = (*x.shape[:2], high, wide - min(2, wide) + 1)
    return net.quantised(Real(made, shape, real.size), like=x)


# Products whose sums something else takes as floats before they are quantised


def _product(net: Network, x: Tensor) -> Real:
    """Return a convolution that keeps the shape of its input, as floats."""
    channels, real = x.shape[1], net.real(x)
    weight, scales = net.weight((channels, channels, 3, 3), 0 if net.random.randint(2) else None)
    made = net.node("Conv", [real.name, weight, *net.bias(x, scales, channels)], pads=[1] * 4)
    return Real(made, x.shape, real.size * sqrt(9 * channels))


def residual(net: Network, x: Tensor) -> Tensor:
    a, b = _product(net, x), net.real(_other(net, x))
    pair = [a.name, b.name] if net.random.randint(2) else [b.name, a.name]
    return _with_tail(net, Real(net.node("Add", pair), x.shape, a.size + b.size))


def sum_of_products(net: Network, x: Tensor) -> Tensor:
    a, b = _product(net, x), _product(net, x)
    return _with_tail(net, Real(net.node("Add", [a.name, b.name]), x.shape, a.size + b.size))


def gated_product(net: Network, x: Tensor) -> Tensor:
    made = _product(net, x)
    return net.quantised(Real(net.node("HardSwish", [made.name]), x.shape, made.size))


def gemm_of_floats(net: Network, x: Tensor) -> Tensor:
    rows, columns = _rows(net, x), int(net.random.randint(1, 7))
    weight, scales = net.weight((rows.shape[1], columns), 1 if net.random.randint(2) else None)
    real = net.real(rows)
    made = net.node("Gemm", [real.name, weight, *net.bias(rows, scales, columns)])
    shape = (rows.shape[0], columns)
    return _maps(net, net.quantised(Real(net.node("Tanh", [made]), shape, 1)))


def scores(net: Network, x: Tensor) -> Tensor:
    real = net.real(x)
    turned = net.node("Transpose", [net.real(x).name], perm=[0, 1, 3, 2])
    made = net.node("Softmax", [net.node("MatMul", [real.name, turned])])
    return net.quantised(Real(made, (*x.shape[:3], x.shape[2]), 1))


PRODUCTS: dict[str, Operator] = {
    "Conv and a residual": residual,
    "Conv and Conv": sum_of_products,
    "Conv and HardSwish": gated_product,
    "Gemm and Tanh": gemm_of_floats,
    "MatMul and Softmax": scores,
}

OPERATORS: dict[str, Operator] = {
    "Conv": conv,
    "Gemm": gemm,
    "MatMul": matmul,
    "MatMul of two": matmul_of_two,
    "Add": _binary("Add"),
    "Sub": _binary("Sub"),
    "Mul": _binary("Mul"),
    "Add a constant": add_constant,
    "AveragePool": average_pool,
    "means": global_average_pool,
    "Concat": concat,
    "Sigmoid": _function("Sigmoid", 0.5),
    "LeakyRelu": _function("LeakyRelu", alpha=0.1),
    "HardSwish": _function("HardSwish"),
    "Relu": _function("Relu"),
    "SiLU": silu,
    "rescale": rescale,
    "moves": moves,
}
