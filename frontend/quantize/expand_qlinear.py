"""Expansion of operators of quantised tensors to QDQ form: DequantizeLinear, the operator of floats, QuantizeLinear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.facts import FACTS, facts_of
from .network import FloatNetwork

_FLOATS = {facts.quantised: operator for operator, facts in FACTS.items() if facts.quantised}
"""Operator of quantised tensors -> that of floats."""


def expand_qlinear(network: FloatNetwork) -> None:
    """Replace QLinearConv, QLinearMatMul, QLinearAdd and QLinearMul whose scales are constants."""
    nodes: list[NodeProto] = []
    for node in network.nodes:
        scales = [name for name in node.input[1::3] if name] if node.op_type in _FLOATS else []
        count = len(facts_of(node.op_type).zeros) + 1
        is_constant = bool(scales) and all(name in network.constants for name in scales[:count])
        nodes += _expanded(network, node) if is_constant else [node]
    network.nodes = nodes


def _expanded(network: FloatNetwork, node: NodeProto) -> list[NodeProto]:
    # Each quantised operand has a scale and a zero point; those of the result follow.
    facts = facts_of(node.op_type)
    count, bias = len(facts.zeros), facts.bias
    sources: list[NodeProto] = []
    operands: list[str] = []
    for index in range(count):
        axis = 1 if facts.channels is None else facts.channels
        sources.append(_dequantised(network, node.input[3 * index : 3 * index + 3], axis))
        operands.append(sources[-1].output[0])
    if bias is not None and len(node.input) > bias and node.input[bias]:
        sources.append(_dequantised_bias(network, node))
        operands.append(sources[-1].output[0])
    real = network.names.take(f"{node.output[0]}.real")
    operator = helper.make_node(_FLOATS[node.op_type], operands, [real], name=node.name)
    operator.attribute.extend(node.attribute)
    result = helper.make_node("QuantizeLinear", [real, *node.input[3 * count : 3 * count + 2]], [node.output[0]])
    result.name = f"{node.name}.quantized"
    return [*sources, operator, result]


def _dequantised(network: FloatNetwork, operand: Sequence[str], axis: int) -> NodeProto:
    name = network.names.take(f"{operand[0]}.dequantized")
    scale = network.constants[operand[1]]
    if scale.ndim == 1 and scale.size == 1:
        operand = [operand[0], *(_as_number(network, parameter) for parameter in operand[1:])]
    return helper.make_node("DequantizeLinear", operand, [name], name=name, axis=axis)


def _as_number(network: FloatNetwork, name: str) -> str:
    """Return the name of a constant without axes."""
    return network.add_constant(f"{name}.number", network.constants[name].reshape(()))


def _dequantised_bias(network: FloatNetwork, node: NodeProto) -> NodeProto:
    x_scale, w_scale = (network.constants[node.input[index]] for index in (1, 4))
    scale = (x_scale.reshape(()) * w_scale).astype(np.float32)
    bias = network.constants[node.input[8]]
    scale = np.broadcast_to(scale.reshape(-1), bias.shape)
    names = [
        node.input[8],
        network.add_constant(f"{node.input[8]}.scale", np.ascontiguousarray(scale)),
        network.add_constant(f"{node.input[8]}.zero", np.zeros(bias.shape, np.int32)),
    ]
    return _dequantised(network, names, 0)
