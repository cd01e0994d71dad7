"""
RequantShift form: sums of integers and `(sum * mul + add) >> shift`, in place of scales of floats.

Source: Deeploy (arXiv:2408.04413), whose networks have this form. Multipliers and summands fit 32 bits with every sum
that can occur, so that cores and the requantisation of an NPU compute them as they are. Results differ from those of
the QDQ form by one step where a sum is next to a half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

import numpy as np
from onnx import NodeProto, TensorProto, helper, shape_inference

from ...ir import Array
from ..requant_shift import DOMAIN
from .network import Network, attribute

_INT32 = 1 << 31
_LARGEST_SHIFT = 30
_TYPES = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}


@dataclass(frozen=True)
class Bytes:
    """A tensor of bytes with the meaning `(integer - zero) * scale`; `zero_name` is the constant of its zero point."""

    name: str
    scale: float
    zero: int
    zero_name: str
    dtype: np.dtype[np.generic]

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
class _Rewriter:
    """Nodes of a layer in the making."""

    network: Network
    producers: dict[str, NodeProto]
    shapes: Mapping[str, tuple[int, ...]]
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])

    def node(self, operator: str, inputs: Sequence[str], base: str, **attributes: int) -> str:
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

    def _dequantised(self, name: str, *, wide: bool = False) -> NodeProto | None:
        source = self.producers.get(name)
        if source is None or source.op_type != "DequantizeLinear" or source.input[1] not in self.network.constants:
            return None
        is_byte = self._zero(source).dtype in _TYPES
        return source if is_byte != wide and not attribute(source, "block_size") else None

    def _zero(self, node: NodeProto) -> Array:
        """Return the zero points of a QuantizeLinear or DequantizeLinear, [1] or [channels]."""
        return self.network.constants[node.input[2]].reshape(-1)


_Build: TypeAlias = Callable[[_Rewriter, NodeProto], Sums | None]
_BUILDERS: dict[str, _Build] = {}


def _sums(*operators: str) -> Callable[[_Build], _Build]:
    def register(build: _Build) -> _Build:
        _BUILDERS.update(dict.fromkeys(operators, build))
        return build

    return register


def to_requant_shift(network: Network) -> tuple[list[str], list[str]]:
    """
    Replace layers between DequantizeLinear and QuantizeLinear by sums of integers and RequantShift.

    Returns the operators of the layers that were replaced, and of those that were left, by layer.
    """
    for node in network.nodes:
        _add_zero_point(network, node)
    replaced, left = list[str](), list[str]()
    producers, consumers, shapes = network.producers(), network.consumers(), _shapes(network)
    nodes: dict[int, list[NodeProto]] = {}
    gone: set[int] = set()
    for node in network.nodes:
        chain = _layer(network, node, producers, consumers)
        if not chain:
            continue
        rewriter = _Rewriter(network, producers, shapes)
        if _rewrite(rewriter, chain):
            replaced.append(chain[0].op_type)
            nodes[id(node)] = rewriter.nodes
            gone |= set(map(id, chain[:-1]))
        elif chain[0].op_type in _BUILDERS:
            left.append(chain[0].op_type)
    network.nodes = [new for node in network.nodes if id(node) not in gone for new in nodes.get(id(node), [node])]
    used = {name for node in network.nodes for name in node.input} | set(network.output_names)
    network.nodes = [node for node in network.nodes if node.op_type != "DequantizeLinear" or set(node.output) & used]
    return replaced, left


def _shapes(network: Network) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor, whose extents are known."""
    graph = shape_inference.infer_shapes(network.model()).graph
    values = (*graph.value_info, *graph.input, *graph.output)
    shapes = {value.name: tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim) for value in values}
    return shapes | {name: array.shape for name, array in network.constants.items()}


def _add_zero_point(network: Network, node: NodeProto) -> None:
    """Give a QuantizeLinear or DequantizeLinear the zero point that ONNX means where it has none."""
    if node.op_type not in ("QuantizeLinear", "DequantizeLinear") or (len(node.input) > 2 and node.input[2]):
        return
    element = TensorProto.UINT8 if node.op_type == "QuantizeLinear" else _element(network, node.input[0])
    scale = network.constants.get(node.input[1])
    zero = np.zeros(scale.shape if scale is not None else (), helper.tensor_dtype_to_np_dtype(element))
    node.input[:] = [*node.input[:2], network.add_constant(f"{node.output[0]}.zero", zero)]


def _element(network: Network, name: str) -> int:
    if name in network.constants:
        return helper.np_dtype_to_tensor_dtype(network.constants[name].dtype)
    return network.infos[name].data_type


def _layer(
    network: Network, node: NodeProto, producers: dict[str, NodeProto], consumers: dict[str, list[NodeProto]]
) -> list[NodeProto]:
    """Return the operator before a QuantizeLinear, the Relu behind it, if there is one, and that; else nothing."""
    if node.op_type != "QuantizeLinear" or node.input[1] not in network.constants:
        return []
    chain, name = [node], node.input[0]
    for _ in range(2):
        source = producers.get(name)
        if source is None or len(consumers[name]) != 1 or name in network.output_names:
            return []
        chain.insert(0, source)
        if source.op_type != "Relu":
            return chain
        name = source.input[0]
    return []


def _rewrite(rewriter: _Rewriter, chain: Sequence[NodeProto]) -> bool:
    """Append the nodes of a layer in integers; return whether it has such."""
    operator, last = chain[0], chain[-1]
    constants = rewriter.network.constants
    zero = constants[last.input[2]].reshape(-1)
    if zero.size != 1 or zero.dtype not in _TYPES or constants[last.input[1]].size != 1:
        return False
    build = _BUILDERS.get(operator.op_type)
    sums = build(rewriter, operator) if build is not None else None
    if sums is None:
        return False
    scale = float(constants[last.input[1]].reshape(-1)[0])
    result = Bytes(last.output[0], scale, int(zero[0]), last.input[2], zero.dtype)
    return _requantise(rewriter, sums, result, has_relu=len(chain) == 3)


def _requantise(rewriter: _Rewriter, sums: Sums, result: Bytes, *, has_relu: bool) -> bool:
    """Append RequantShift of sums; return whether there are numbers of 32 bits for it."""
    shift = shift_of(sums, result)
    if shift is None:
        return False
    mul, add = multipliers(sums, result, shift)
    low, high = result.range
    name = result.name
    numbers = [
        rewriter.constant(f"{name}.{role}", np.broadcast_to(values.astype(np.int32), _count(sums)).reshape(sums.shape))
        for role, values in (("mul", mul), ("add", add))
    ]
    # Attributes are floats, as in Deeploy's networks.
    attributes = {"div": 1 << shift, "n_levels_out": high - low + 1, "signed": int(low < 0)}
    shifted = rewriter.network.names.take(f"{name}.shifted")
    tensors = {key: helper.make_tensor(key, TensorProto.FLOAT, [], [float(n)]) for key, n in attributes.items()}
    node = helper.make_node("RequantShift", [sums.name, *numbers], [shifted], name=shifted, domain=DOMAIN, **tensors)
    rewriter.nodes.append(node)
    is_clipped = has_relu and result.zero > low
    target = rewriter.network.names.take(f"{name}.clipped") if is_clipped else name
    rewriter.nodes.append(helper.make_node("Cast", [shifted], [target], name=target, to=_TYPES[result.dtype]))
    if is_clipped:
        least = rewriter.constant(f"{name}.least", np.array(result.zero, result.dtype))
        rewriter.nodes.append(helper.make_node("Max", [target, least], [name], name=f"{name}.relu"))
    return True


def _count(sums: Sums) -> int:
    return max(len(sums.scale), len(sums.offset))


def multipliers(sums: Sums, result: Bytes, shift: int) -> tuple[Array, Array]:
    """Return multipliers and summands [channels] of `(sum * mul + add + half) >> shift`, as Python integers."""
    slope = np.broadcast_to(sums.scale / result.scale, _count(sums))
    mul = np.array([int(number) for number in np.rint(np.ldexp(slope, shift))], object)
    return mul, sums.offset * mul + (result.zero << shift)


def shift_of(sums: Sums, result: Bytes) -> int | None:
    """Return the largest shift with which nothing leaves 32 bits; None where there is none of 1 bit or more."""
    for shift in range(_LARGEST_SHIFT, 0, -1):
        mul, add = multipliers(sums, result, shift)
        half = 1 << (shift - 1)
        ends = [end * mul + add + half for end in (sums.least, sums.most)]
        if all(-_INT32 <= number < _INT32 for values in (mul, add, add + half, *ends) for number in values):
            return shift
    return None


# Sums of operators


@_sums("Conv")
def _convolution(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
    x, weights = rewriter.bytes_of(node.input[0]), rewriter.weights_of(node.input[1])
    if x is None or weights is None:
        return None
    integers, scales, source = weights
    if scales.size > 1 and int(attribute(source, "axis")) != 0:
        return None
    bias = node.input[2] if len(node.input) > 2 else ""
    rank = integers.ndim
    return _product(rewriter, node, x, (integers.reshape(len(integers), -1), scales, source), bias, 1, rank)


@_sums("MatMul", "Gemm")
def _matrix(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
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


def _computed_product(rewriter: _Rewriter, node: NodeProto, x: Bytes) -> Sums | None:
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
    rewriter: _Rewriter,
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
    operator = "ConvInteger" if node.op_type == "Conv" else "MatMulInteger"
    name = rewriter.node(operator, [x.name, stored, x.zero_name, zero], f"{node.output[0]}.sums")
    if node.op_type == "Conv":
        rewriter.nodes[-1].attribute.extend(node.attribute)
    shape = tuple(len(weights) if index == axis else 1 for index in range(rank))
    return Sums(name, scale, least.astype(object), most.astype(object), offset, shape)


@_sums("Add", "Sub")
def _addition(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
    """Return `x * mul_x + y * mul_y`, with multipliers of as many bits as 32 of the sum leave."""
    operands = [rewriter.bytes_of(name) for name in node.input]
    if any(operand is None for operand in operands):
        return None
    parts = [operand for operand in operands if operand is not None]
    signs = (1, -1 if node.op_type == "Sub" else 1)
    greatest = max(part.scale for part in parts)
    # Of 31 bits 8 are the operand's, 1 the sum's, and 8 those by which results may be wider than operands.
    unit = greatest / (1 << 14)
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
    ends = [sorted(end * factor for end in part.range) for part, factor in zip(parts, factors, strict=True)]
    offset = -sum(part.zero * factor for part, factor in zip(parts, factors, strict=True))
    least, most = (np.array([sum(side)], object) for side in zip(*ends, strict=True))
    return Sums(name, np.array([unit]), least, most, np.array([offset], object))


@_sums("Mul")
def _elementwise_product(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
    operands = [rewriter.bytes_of(name) for name in node.input]
    if any(operand is None for operand in operands):
        return None
    parts = [operand for operand in operands if operand is not None]
    moved = [_less_zero(rewriter, part) for part in parts]
    name = rewriter.node("Mul", moved, f"{node.output[0]}.sums")
    first, second = ([end - part.zero for end in part.range] for part in parts)
    products = [a * b for a in first for b in second]
    least, most = (np.array([end], object) for end in (min(products), max(products)))
    return Sums(name, np.array([parts[0].scale * parts[1].scale]), least, most, np.zeros(1, object))


@_sums("GlobalAveragePool", "ReduceMean")
def _mean(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
    x = rewriter.bytes_of(node.input[0])
    shape = rewriter.shape(node.input[0])
    axes = list(range(2, len(shape)))
    if node.op_type == "ReduceMean":
        given = rewriter.network.constants.get(node.input[1]) if len(node.input) > 1 else None
        axes = [int(axis) for axis in given.reshape(-1)] if given is not None else []
    if x is None or not axes:
        return None
    keeps = int(attribute(node, "keepdims")) if node.op_type == "ReduceMean" else 1
    count = prod(shape[axis] for axis in axes)
    names = [_widened(rewriter, x), rewriter.constant("axes", np.array(axes, np.int64))]
    name = rewriter.node("ReduceSum", names, f"{node.output[0]}.sums", keepdims=keeps)
    least, most = (np.array([count * end], object) for end in x.range)
    return Sums(name, np.array([x.scale / count]), least, most, np.array([-count * x.zero], object))


@_sums("Identity")
def _moved(rewriter: _Rewriter, node: NodeProto) -> Sums | None:
    x = rewriter.bytes_of(node.input[0])
    if x is None:
        return None
    least, most = (np.array([end], object) for end in x.range)
    return Sums(_widened(rewriter, x), np.array([x.scale]), least, most, np.array([-x.zero], object))


def _widened(rewriter: _Rewriter, part: Bytes) -> str:
    return rewriter.node("Cast", [part.name], f"{part.name}.wide", to=TensorProto.INT32)


def _less_zero(rewriter: _Rewriter, part: Bytes) -> str:
    wide = _widened(rewriter, part)
    if not part.zero:
        return wide
    zero = rewriter.constant(f"{part.name}.zero32", np.array(part.zero, np.int32))
    return rewriter.node("Sub", [wide, zero], f"{part.name}.moved")
