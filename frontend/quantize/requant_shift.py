"""
RequantShift form: sums of integers and `(sum * mul + add) >> shift`, in place of scales of floats.

Source: Deeploy (arXiv:2408.04413), whose networks have this form. Multipliers and summands fit 32 bits with every sum
that can occur, so that cores and the requantisation of an NPU compute them as they are. Results differ from those of
the QDQ form by one step where a sum is next to a half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, shape_inference

from ...dialects.onnx.registry import mentions
from ...ir import Array
from ..requant_shift import DOMAIN
from .integer_sums import BUILDERS, TYPES, Bytes, Rewriter, Sums
from .network import FloatNetwork

_INT32 = 1 << 31
_LARGEST_SHIFT = 30
_MOST_ERROR = 0.5
"""Steps of a result by which a multiplier's rounding may move it: results are then next to those of floats."""
_MOVES = frozenset("Concat Expand Flatten Gather MaxPool Reshape Slice Squeeze Tile Transpose Unsqueeze".split())
"""Operators whose results are elements of their operands."""


@mentions("DequantizeLinear")
def to_requant_shift(network: FloatNetwork) -> tuple[list[str], list[str]]:
    """
    Replace layers between DequantizeLinear and QuantizeLinear by sums of integers and RequantShift.

    Returns the operators of the layers that were replaced, and what keeps each of the others from it, as text.
    """
    types = {value.name: value.type.tensor_type.elem_type for value in _values(network)}
    for node in network.nodes:
        _add_zero_point(network, node, types)
    replaced, left = list[str](), list[str]()
    producers, consumers, shapes = network.producers(), network.consumers(), _shapes(network)
    nodes: dict[int, list[NodeProto]] = {}
    gone: set[int] = set()
    for node in network.nodes:
        chain = _layer(network, node, producers, consumers)
        if not chain:
            continue
        result = _result(network, node)
        if result is None:
            continue
        rewriter = Rewriter(network, producers, shapes, result)
        if _rewrite(rewriter, chain):
            replaced.append(chain[0].op_type)
            nodes[id(node)] = rewriter.nodes
            gone |= set(map(id, chain[:-1]))
        elif chain[0].op_type in BUILDERS:
            left.append(f"{chain[0].op_type} '{chain[0].name or chain[0].output[0]}': {rewriter.obstacle}")
    network.nodes = [new for node in network.nodes if id(node) not in gone for new in nodes.get(id(node), [node])]
    used = {name for node in network.nodes for name in node.input} | set(network.output_names)
    network.nodes = [node for node in network.nodes if node.op_type != "DequantizeLinear" or set(node.output) & used]
    return replaced, left


def _values(network: FloatNetwork) -> list[ValueInfoProto]:
    graph = shape_inference.infer_shapes(network.model()).graph
    return [*graph.value_info, *graph.input, *graph.output]


def _shapes(network: FloatNetwork) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor, whose extents are known."""
    shapes: dict[str, tuple[int, ...]] = {}
    for value in _values(network):
        shapes[value.name] = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    return shapes | {name: array.shape for name, array in network.constants.items()}


@mentions("DequantizeLinear", "QuantizeLinear")
def _add_zero_point(network: FloatNetwork, node: NodeProto, types: Mapping[str, int]) -> None:
    """Give a QuantizeLinear or DequantizeLinear of bytes the zero point that ONNX means where it has none."""
    if node.op_type not in ("QuantizeLinear", "DequantizeLinear") or (len(node.input) > 2 and node.input[2]):
        return
    element = TensorProto.UINT8 if node.op_type == "QuantizeLinear" else _element(network, node.input[0], types)
    if element is None or element not in (TensorProto.UINT8, TensorProto.INT8):
        return
    scale = network.constants.get(node.input[1])
    zero = np.zeros(scale.shape if scale is not None else (), helper.tensor_dtype_to_np_dtype(element))
    node.input[:] = [*node.input[:2], network.add_constant(f"{node.output[0]}.zero", zero)]


def _element(network: FloatNetwork, name: str, types: Mapping[str, int]) -> int | None:
    if name in network.constants:
        return helper.np_dtype_to_tensor_dtype(network.constants[name].dtype)
    return types.get(name)


@mentions("QuantizeLinear")
def _layer(
    network: FloatNetwork, node: NodeProto, producers: dict[str, NodeProto], consumers: dict[str, list[NodeProto]]
) -> list[NodeProto]:
    """Return a layer: the operator before a QuantizeLinear, Relu and Clip behind it, and that; else nothing."""
    is_constant = all(parameter in network.constants for parameter in node.input[1:3])
    if node.op_type != "QuantizeLinear" or not is_constant:
        return []
    chain, name = [node], node.input[0]
    while True:
        source = producers.get(name)
        if source is None or len(consumers[name]) != 1 or name in network.output_names:
            return []
        chain.insert(0, source)
        if _bounds(network, source) is None:
            return chain
        name = source.input[0]


@mentions("Clip", "Relu")
def _bounds(network: FloatNetwork, node: NodeProto) -> tuple[float, float] | None:
    """Return the constant bounds of a Relu or Clip; None for others."""
    if node.op_type == "Relu":
        return 0.0, np.inf
    if node.op_type != "Clip":
        return None
    ends = [-np.inf, np.inf]
    for index, name in enumerate(node.input[1:3]):
        if name and name not in network.constants:
            return None
        ends[index] = float(network.constants[name].reshape(-1)[0]) if name else ends[index]
    return ends[0], ends[1]


def _rewrite(rewriter: Rewriter, chain: Sequence[NodeProto]) -> bool:
    """Append the nodes of a layer in integers; return whether it has such."""
    operator, last = chain[0], chain[-1]
    if len(chain) == 2 and _moves(rewriter, operator, last):
        return True
    build = BUILDERS.get(operator.op_type)
    sums = build(rewriter, operator) if build is not None else None
    return sums is not None and _requantise(rewriter, sums, rewriter.result, _limits(rewriter, chain[1:-1]))


def _limits(rewriter: Rewriter, limits: Sequence[NodeProto]) -> tuple[int, int]:
    """Return the least and the greatest byte that the Relu and Clip of a layer leave."""
    result = rewriter.result
    low, high = result.range
    for node in limits:
        bounds = _bounds(rewriter.network, node) or (-np.inf, np.inf)
        ends = [np.rint(np.clip(bound / result.scale, -_INT32, _INT32)) + result.zero for bound in bounds]
        low, high = (int(np.clip(end, low, high)) for end in ends)
    return low, high


def _result(network: FloatNetwork, node: NodeProto) -> Bytes | None:
    """Return the bytes that a QuantizeLinear makes by one scale; None for other integers."""
    scale, zero = (network.constants[name].reshape(-1) for name in node.input[1:3])
    if zero.size != 1 or zero.dtype not in TYPES or scale.size != 1:
        return None
    return Bytes(node.output[0], float(scale[0]), int(zero[0]), node.input[2], zero.dtype)


@mentions(*_MOVES)
def _moves(rewriter: Rewriter, operator: NodeProto, last: NodeProto) -> bool:
    """Append an operator that only moves bytes, on these; return whether it is one."""
    if operator.op_type not in _MOVES:
        return False
    scale, zero = (rewriter.network.constants[name] for name in last.input[1:3])
    count = len(operator.input) if operator.op_type == "Concat" else 1
    inputs = list(operator.input)
    for index in range(count):
        operand = rewriter.bytes_of(inputs[index])
        if operand is None or (operand.scale, operand.zero, operand.dtype) != (scale, zero, zero.dtype):
            return False
        inputs[index] = operand.name
    node = helper.make_node(operator.op_type, inputs, list(last.output), name=operator.name)
    node.attribute.extend(operator.attribute)
    rewriter.nodes.append(node)
    return True


@mentions("Max", "Min")
def _requantise(rewriter: Rewriter, sums: Sums, result: Bytes, limits: tuple[int, int]) -> bool:
    """Append RequantShift of sums; return whether there are numbers of 32 bits for it."""
    shift = shift_of(sums, result)
    if shift is None:
        rewriter.obstacle = _obstacle(sums, result)
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
    tensors: dict[str, Any] = {
        key: helper.make_tensor(key, TensorProto.FLOAT, [], [float(n)]) for key, n in attributes.items()
    }
    node = helper.make_node("RequantShift", [sums.name, *numbers], [shifted], name=shifted, domain=DOMAIN, **tensors)
    rewriter.nodes.append(node)
    bounds = [(kind, end) for kind, end, own in (("Max", limits[0], low), ("Min", limits[1], high)) if end != own]
    target = rewriter.network.names.take(f"{name}.cast") if bounds else name
    rewriter.nodes.append(helper.make_node("Cast", [shifted], [target], name=target, to=TYPES[result.dtype]))
    for index, (kind, end) in enumerate(bounds):
        bound = rewriter.constant(f"{name}.{kind.lower()}", np.array(end, result.dtype))
        source, target = target, name if index == len(bounds) - 1 else rewriter.network.names.take(f"{name}.clipped")
        rewriter.nodes.append(helper.make_node(kind, [source, bound], [target], name=f"{target}.{kind.lower()}"))
    return True


def _count(sums: Sums) -> int:
    return max(len(sums.scale), len(sums.offset))


def multipliers(sums: Sums, result: Bytes, shift: int) -> tuple[Array, Array]:
    """Return multipliers and summands [channels] of `(sum * mul + add + half) >> shift`, as Python integers."""
    slope = np.broadcast_to(sums.scale / result.scale, _count(sums))
    mul = np.array([int(number) for number in np.rint(np.ldexp(slope, shift))], object)
    return mul, sums.offset * mul + (result.zero << shift)


def shift_of(sums: Sums, result: Bytes) -> int | None:
    """Return the largest shift in which nothing leaves 32 bits; None where that moves a result by over half a step."""
    for shift in range(_LARGEST_SHIFT, 0, -1):
        mul, add = multipliers(sums, result, shift)
        half = 1 << (shift - 1)
        ends = [end * mul + add + half for end in (sums.least, sums.most)]
        if all(-_INT32 <= number < _INT32 for values in (mul, add, add + half, *ends) for number in values):
            return shift if _error(sums, result, shift) <= _MOST_ERROR else None
    return None


def _obstacle(sums: Sums, result: Bytes) -> str:
    """Return the channel whose sums leave the fewest bits for a multiplier, as text."""
    slope = np.broadcast_to(sums.scale / result.scale, _count(sums)).astype(np.float64)
    reach = np.broadcast_to(np.maximum(np.abs(sums.least), np.abs(sums.most)).astype(np.float64), len(slope))
    channel = int(np.argmax(slope * reach)) if np.isfinite(slope).all() else int(np.argmin(np.isfinite(slope)))
    where = f"channel {channel}" if len(slope) > 1 else "its scale"
    return f"{where} needs more than 32 bits: sums up to {reach[channel]:,.0f} times {slope[channel]:.3g}"


def _error(sums: Sums, result: Bytes, shift: int) -> float:
    """Return by how many steps rounded multipliers move a result that is not clipped, at most."""
    slope = np.broadcast_to(sums.scale / result.scale, _count(sums))
    rounded = np.ldexp(np.rint(np.ldexp(slope, shift)), -shift)
    low, high = result.range
    magnitude = np.maximum(np.abs(sums.least + sums.offset), np.abs(sums.most + sums.offset)).astype(np.float64)
    reached = np.minimum(magnitude, (high - low + 1) / slope)
    return float((np.abs(rounded - slope) * reached).max())
