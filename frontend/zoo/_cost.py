"""Cost of a network of the zoo: parameters, multiply-accumulates and layers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import onnx

_WEIGHT = {"Conv": 1, "Gemm": 1, "QLinearConv": 3, "QLinearMatMul": 3}
"""Layer with a bias -> the position of its weights."""

_LEARNED = ("MatMul", "LSTM", "Gather", "Add", "Concat", "LayerNormalization")
"""Other operators of which a constant of floats with an axis is learned."""


@dataclass(frozen=True)
class Cost:
    """
    `parameters` counts the weights, one bias for each output channel of a convolution or a dense layer (batch
    normalisation folded into it), and the constants of floats that are multiplied, added or selected from elsewhere.
    Factors of an elementwise product count where they are one for each feature, as in an RMS norm.

    `macs` counts the multiply-accumulates of convolutions, dense and recurrent layers for one sample, padding included;
    `layers` counts these, a direction of a recurrent layer as one. Products with a constant matrix, as it is or
    transposed, are dense layers.
    """

    parameters: int
    macs: int
    layers: int


def cost(model: onnx.ModelProto) -> Cost:
    """Return the cost of `model`, whose value_info gives the shape of every tensor."""
    graph = model.graph
    weights = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    sizes = {value.name: _sizes(value) for value in (*graph.value_info, *graph.output)}
    matrices = weights | {
        node.output[0]: weights[node.input[0]][::-1]
        for node in graph.node
        if node.op_type == "Transpose" and len(weights.get(node.input[0], ())) == 2
    }
    nodes = [node for node in graph.node if node.op_type in _WEIGHT]
    layers = [(weights[node.input[_WEIGHT[node.op_type]]], sizes[node.output[0]]) for node in nodes]
    products = [node for node in graph.node if node.op_type == "MatMul" and node.input[1] in matrices]
    dense = [(prod(matrices[node.input[1]]), prod(sizes[node.output[0]][:-1])) for node in products]
    recurrent = [node for node in graph.node if node.op_type == "LSTM"]
    cells = [(weights[node.input[1]], weights[node.input[2]], sizes[node.output[0]][0]) for node in recurrent]
    floats = {tensor.name for tensor in graph.initializer if tensor.data_type == onnx.TensorProto.FLOAT and tensor.dims}
    scales = {name for name in floats if len(weights[name]) == 1}
    learned = {name for node in graph.node if node.op_type in _LEARNED for name in node.input} & floats
    learned |= {name for node in graph.node if node.op_type == "Mul" for name in node.input} & scales
    parameters = sum(prod(weights[name]) for name in learned)
    macs, count = 0, len(layers) + len(dense)
    for weight, output in layers:
        parameters += prod(weight) + output[1]
        macs += prod(weight) * prod(output[2:])
    for elements, rows in dense:
        macs += elements * rows
    for weight, recurrence, steps in cells:
        macs += (prod(weight) + prod(recurrence)) * steps
        count += weight[0]
    return Cost(parameters, macs, count)


def _sizes(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    return tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
