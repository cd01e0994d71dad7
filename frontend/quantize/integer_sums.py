"""
Layers between DequantizeLinear and QuantizeLinear as sums of integers, by operator.

A builder appends the nodes of a layer's sums, which stand for its numbers by one scale or one for each channel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import floor, ldexp, log2, prod
from typing import Any, TypeAlias

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...dialects.onnx.facts import facts_of
from ...dialects.onnx.registry import Registry, mentions
from ...ir import Array
from .network import FloatNetwork, attribute

TYPES: dict[np.dtype[Any], int] = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}
"""Types of bytes -> those of ONNX."""


@dataclass(frozen=True)
class Bytes:
    """A tensor of bytes with the meaning `(integer - zero) * scale`; `zero_name` is the constant of its zero point."""

    name: str
    scale: float
    zero: int
    zero_name: str
    dtype: np.dtype[Any]

    @property
    def range(self) -> tuple[int, int]:
        """Return the least and the greatest integer."""
        limits = np.iinfo(self.dtype)
        return int(limits.min), int(limits.max)


@dataclass(frozen=True)
class Sums:
    """
    Sums of integers: tensor `name`, whose elements plus `offset`, times `scale`, are the numbers that they stand for.

    `scale` float64, and `least`, `most` and `offset`, Python integers, are [channels] or [1]; `shape` is that in which
    they broadcast.
    """

    name: str
    scale: Array
    least: Array
    most: Array
    offset: Array
    shape: tuple[int, ...] = ()


@dataclass
class Rewriter:
    """Nodes of a layer in the making."""

    network: FloatNetwork
    producers: dict[str, NodeProto]
    shapes: Mapping[str, tuple[int, ...]]
    result: Bytes
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    obstacle: str = "its operands are not bytes of constant scales"
    """Reason why the layer has no such form, as text."""

    def node(self, operator: str, inputs: Sequence[str], base: str, **attributes: Any) -> str:
        """Append a node; returns its result, whose name begins with `base`."""
        name = self.network.names.take(base)
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self.shapes[name]

    def constant(self, base: str, values: Array) -> str:
        """Return the name of a constant."""
        return self.network.add_constant(base, values)

    def bytes_of(self, name: str) -> Bytes | None:
        """Return the bytes that a tensor is dequantised from by one scale; None for others."""
        source = self._dequantised(name)
        if source is None or self.network.constants[source.input[1]].size != 1:
            return None
        zero = self._zero(source)
        scale = float(self.network.constants[source.input[1]].reshape(-1)[0])
        return None if zero.size != 1 else Bytes(source.input[0], scale, int(zero[0]), source.input[2], zero.dtype)

    def weights_of(self, name: str) -> tuple[Array, Array, NodeProto] | None:
        """Return constant bytes less their zero points, int64, the scales, and DequantizeLinear; None for others."""
        source = self._dequantised(name)
        if source is None or source.input[0] not in self.network.constants:
            return None
        integers, scale = self.network.constants[source.input[0]], self.network.constants[source.input[1]]
        zero = self._zero(source).astype(np.int64)
        if zero.size == 1 and scale.size == 1:
            return integers.astype(np.int64) - int(zero[0]), scale.reshape(1), source
        shape = [1] * integers.ndim
        shape[int(attribute(source, "axis"))] = -1
        return integers.astype(np.int64) - zero.reshape(shape), scale.reshape(-1), source

    def bias_of(self, name: str, scale: Array) -> Array | None:
        """Return a bias in steps of `scale`, as Python integers; None where it is computed."""
        source = self._dequantised(name, wide=True)
        if source is not None and source.input[0] in self.network.constants:
            steps = self.network.constants[source.input[1]].astype(np.float64).reshape(-1)
            values = self.network.constants[source.input[0]].astype(np.float64) * steps
        elif name in self.network.constants:
            values = self.network.constants[name].astype(np.float64)
        else:
            return None
        return np.array([int(number) for number in np.rint(values.reshape(-1) / scale)], object)

    @mentions("DequantizeLinear")
    def _dequantised(self, name: str, *, wide: bool = False) -> NodeProto | None:
        source = self.producers.get(name)
        if source is None or source.op_type != "DequantizeLinear":
            return None
        if any(parameter not in self.network.constants for parameter in source.input[1:3]):
            return None
        is_byte = self._zero(source).dtype in TYPES
        return source if is_byte != wide and not attribute(source, "block_size") else None

    def _zero(self, node: NodeProto) -> Array:
        """Return the zero points of a QuantizeLinear or DequantizeLinear, [1] or [channels]."""
        return self.network.constants[node.input[2]].reshape(-1)


_Build: TypeAlias = Callable[[Rewriter, NodeProto], Sums | None]
BUILDERS: Registry[str, _Build] = Registry("integer sums")
"""Operator -> its builder; None where operands are not bytes with constant scales."""


@BUILDERS.rule("Conv")
def _convolution(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    x, weights = rewriter.bytes_of(node.input[0]), rewriter.weights_of(node.input[1])
    if x is None or weights is None:
        return None
    integers, scales, source = weights
    if scales.size > 1 and int(attribute(source, "axis")) != 0:
        return None
    bias = node.input[2] if len(node.input) > 2 else ""
    rank = integers.ndim
    return _product(rewriter, node, x, (integers.reshape(len(integers), -1), scales, source), bias, 1, rank)


@BUILDERS.rule("MatMul", "Gemm")
def _matrix(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    x, weights = rewriter.bytes_of(node.input[0]), rewriter.weights_of(node.input[1])
    if x is not None and weights is None and node.op_type == "MatMul":
        return _computed_product(rewriter, node, x)
    if x is None or weights is None or weights[0].ndim != 2 or not _is_plain(node):
        return None
    integers, scales, source = weights
    is_transposed = node.op_type == "Gemm" and bool(attribute(node, "transB"))
    if scales.size > 1 and int(attribute(source, "axis")) % 2 != (0 if is_transposed else 1):
        return None
    bias = node.input[2] if len(node.input) > 2 else ""
    rank = len(rewriter.shape(node.output[0]))
    rows = integers if is_transposed else integers.T
    return _product(rewriter, node, x, (rows, scales, source), bias, rank - 1, rank, is_transposed=is_transposed)


def _computed_product(rewriter: Rewriter, node: NodeProto, x: Bytes) -> Sums | None:
    y = rewriter.bytes_of(node.input[1])
    if y is None:
        return None
    name = rewriter.node("MatMulInteger", [x.name, y.name, x.zero_name, y.zero_name], f"{node.output[0]}.sums")
    count = rewriter.shape(node.input[0])[-1]
    products = [count * (a - x.zero) * (b - y.zero) for a in x.range for b in y.range]
    least, most = (np.array([end], object) for end in (min(products), max(products)))
    return Sums(name, np.array([x.scale * y.scale]), least, most, np.zeros(1, object))


def _is_plain(node: NodeProto) -> bool:
    """Return whether a product is of its operands as they are, the second perhaps transposed."""
    return node.op_type == "MatMul" or (
        attribute(node, "alpha"),
        attribute(node, "beta"),
        attribute(node, "transA"),
    ) == (1, 1, 0)


_Rows: TypeAlias = "tuple[Array, Array, NodeProto]"
"""Weights of each output channel, int64 [channels, products], their scales, and DequantizeLinear."""


def _product(
    rewriter: Rewriter,
    node: NodeProto,
    x: Bytes,
    rows: _Rows,
    bias: str,
    axis: int,
    rank: int,
    *,
    is_transposed: bool = False,
) -> Sums | None:
    weights, scales, source = rows
    scale = np.broadcast_to(scales.astype(np.float64) * x.scale, len(weights))
    offset = rewriter.bias_of(bias, scale) if bias else np.zeros(1, object)
    if offset is None:
        return None
    low, high = (end - x.zero for end in x.range)
    ends = weights * low, weights * high
    least, most = np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1)
    stored, zero = source.input[0], source.input[2]
    if is_transposed:
        stored = rewriter.constant(f"{stored}.transposed", rewriter.network.constants[stored].T.copy())
    zeros = rewriter.network.constants[zero]
    if zeros.size > 1 and not (zeros != zeros.flat[0]).any():
        zero = rewriter.constant(f"{zero}.all", zeros.reshape(-1)[0])
    name = rewriter.node(facts_of(node.op_type).integer, [x.name, stored, x.zero_name, zero], f"{node.output[0]}.sums")
    if node.op_type == "Conv":
        rewriter.nodes[-1].attribute.extend(node.attribute)
    shape = tuple(len(weights) if index == axis else 1 for index in range(rank))
    return Sums(name, scale, least.astype(object), most.astype(object), offset, shape)


@BUILDERS.rule("Add", "Sub")
def _addition(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    """Return `x * mul_x + y * mul_y`, with multipliers of as many bits as 32 of the sum leave."""
    operands = [rewriter.bytes_of(name) for name in node.input]
    if any(operand is None for operand in operands):
        return None
    parts = [operand for operand in operands if operand is not None]
    signs = (1, -1 if node.op_type == "Sub" else 1)
    # Multipliers have all bits that the sum leaves; that of RequantShift is then 1.
    reach = 256 * (sum(part.scale for part in parts) / rewriter.result.scale + 2)
    unit = ldexp(rewriter.result.scale, floor(log2(reach)) - 29)
    factors = [sign * round(part.scale / unit) for sign, part in zip(signs, parts, strict=True)]
    scaled = [
        rewriter.node(
            "Mul",
            [_widened(rewriter, part), rewriter.constant("factor", np.array(factor, np.int32))],
            f"{part.name}.scaled",
        )
        for part, factor in zip(parts, factors, strict=True)
    ]
    name = rewriter.node("Add", scaled, f"{node.output[0]}.sums")
    least = most = offset = 0
    for part, factor in zip(parts, factors, strict=True):
        low, high = sorted(end * factor for end in part.range)
        least, most, offset = least + low, most + high, offset - part.zero * factor
    return Sums(name, np.array([unit]), _exact(least), _exact(most), _exact(offset))


def _exact(number: int) -> Array:
    """Return an integer of any size as an array [1]."""
    return np.array([number], object)


@BUILDERS.rule("Mul")
def _elementwise_product(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    operands = [rewriter.bytes_of(name) for name in node.input]
    if any(operand is None for operand in operands):
        return None
    parts = [operand for operand in operands if operand is not None]
    moved = [_less_zero(rewriter, part) for part in parts]
    name = rewriter.node("Mul", moved, f"{node.output[0]}.sums")
    first, second = parts
    products = [(a - first.zero) * (b - second.zero) for a, b in product(first.range, second.range)]
    scale = np.array([first.scale * second.scale])
    return Sums(name, scale, _exact(min(products)), _exact(max(products)), _exact(0))


@BUILDERS.rule("GlobalAveragePool", "ReduceMean")
def _mean(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    x = rewriter.bytes_of(node.input[0])
    shape = rewriter.shape(node.input[0])
    axes = list(range(2, len(shape)))
    if node.op_type == "ReduceMean":
        constant = rewriter.network.constants.get(node.input[1]) if len(node.input) > 1 else None
        axes = [int(axis) for axis in constant.reshape(-1)] if constant is not None else []
    if x is None or not axes:
        return None
    keeps = int(attribute(node, "keepdims")) if node.op_type == "ReduceMean" else 1
    count = prod(shape[axis] for axis in axes)
    names = [_widened(rewriter, x), rewriter.constant("axes", np.array(axes, np.int64))]
    name = rewriter.node("ReduceSum", names, f"{node.output[0]}.sums", keepdims=keeps)
    least, most = (np.array([count * end], object) for end in x.range)
    return Sums(name, np.array([x.scale / count]), least, most, np.array([-count * x.zero], object))


@BUILDERS.rule("Identity")
def _moved(rewriter: Rewriter, node: NodeProto) -> Sums | None:
    x = rewriter.bytes_of(node.input[0])
    if x is None:
        return None
    least, most = (np.array([end], object) for end in x.range)
    return Sums(_widened(rewriter, x), np.array([x.scale]), least, most, np.array([-x.zero], object))


def _widened(rewriter: Rewriter, part: Bytes) -> str:
    return rewriter.node("Cast", [part.name], f"{part.name}.wide", to=TensorProto.INT32)


def _less_zero(rewriter: Rewriter, part: Bytes) -> str:
    wide = _widened(rewriter, part)
    if not part.zero:
        return wide
    zero = rewriter.constant(f"{part.name}.zero32", np.array(part.zero, np.int32))
    return rewriter.node("Sub", [wide, zero], f"{part.name}.moved")
