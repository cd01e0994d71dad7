"""What a network of the zoo costs: parameters, multiply-accumulates and layers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import onnx

_WEIGHT = {"Conv": 1, "Gemm": 1, "QLinearConv": 3, "QLinearMatMul": 3}
"""Layer with a bias -> the position of its weights."""


@dataclass(frozen=True)
class Cost:
    """
    `parameters` counts the weights and one bias for each output channel (batch normalisation folded into it).

    `macs` counts the multiply-accumulates of convolutions and dense layers for one sample, padding included; `layers`
    counts the convolutions and dense layers. Products with a constant matrix are dense layers without a bias, a table
    of which rows are selected has parameters only.
    """

    parameters: int
    macs: int
    layers: int


def cost(model: onnx.ModelProto) -> Cost:
    """Return the cost of `model`, whose value_info gives the shape of every tensor."""
    graph = model.graph
    weights = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    sizes = {value.name: _sizes(value) for value in (*graph.value_info, *graph.output)}
    nodes = [node for node in graph.node if node.op_type in _WEIGHT]
    layers = [(weights[node.input[_WEIGHT[node.op_type]]], sizes[node.output[0]]) for node in nodes]
    products = [node for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    dense = [(prod(weights[node.input[1]]), prod(sizes[node.output[0]][:-1])) for node in products]
    tables = {node.input[0] for node in graph.node if node.op_type == "Gather"} & weights.keys()
    return Cost(
        parameters=sum(prod(weight) + output[1] for weight, output in layers)
        + sum(weight for weight, _ in dense)
        + sum(prod(weights[table]) for table in tables),
        macs=sum(prod(weight) * prod(output[2:]) for weight, output in layers)
        + sum(weight * rows for weight, rows in dense),
        layers=len(layers) + len(dense),
    )


def _sizes(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    return tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
