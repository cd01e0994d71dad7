"""Networks of every reader of a narrow weight, and the same networks with the numbers of these weights in float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.ir import Array
from tilewright.test.small_models import node


@dataclass(frozen=True)
class Sizes:
    """Sizes of a network: rows of a table, their features, the features of its products, looked up rows."""

    rows: int
    features: int
    hidden: int
    count: int
    taps: int = 3


def network(sizes: Sizes, seed: int) -> ModelProto:
    """Return a lookup, products of all operators, a convolution, and the product with the table that was looked up."""
    random, n, d, h, t = np.random.default_rng(seed), sizes.rows, sizes.features, sizes.hidden, sizes.count
    shapes = {"table": (n, d), "w": (d, h), "g": (d, h), "k": (d, d, sizes.taps), "b": (d,)}
    weights = {name: random.standard_normal(shape).astype(np.float32) / 2 for name, shape in shapes.items()}
    half = sizes.taps // 2
    nodes = [
        node("Gather", ["table", "ids"], ["x"]),
        node("MatMul", ["x", "w"], ["wide"]),
        node("Relu", ["wide"], ["gated"]),
        node("Gemm", ["gated", "g", "b"], ["back"], transB=1),
        node("Transpose", ["back"], ["turned"], perm=[1, 0]),
        node("Reshape", ["turned", "image"], ["pixels"]),
        node("Conv", ["pixels", "k"], ["mixed"], pads=[half, half]),
        node("Reshape", ["mixed", "flat"], ["columns"]),
        node("Transpose", ["columns"], ["last"], perm=[1, 0]),
        node("Transpose", ["table"], ["table_turned"], perm=[1, 0]),
        node("MatMul", ["last", "table_turned"], ["y"]),
    ]
    weights |= {"image": np.array([1, d, t]), "flat": np.array([d, t])}
    return model_of(nodes, weights, [t], [t, n])


def model_of(nodes: list[NodeProto], weights: dict[str, Array], ids: list[int], result: list[int]) -> ModelProto:
    """Return a model from `ids` to `y`, of opset 17."""
    tensors = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    x = helper.make_tensor_value_info("ids", TensorProto.INT64, ids)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, result)
    graph = helper.make_graph(nodes, "net", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def widened(model: ModelProto) -> ModelProto:
    """
    Return a model of `network` with narrow weights as one of float32 with the same products in the same order.

    A weight of int8 becomes its integers; its scale multiplies the product, or the row that is looked up.
    """
    wide = ModelProto()
    wide.CopyFrom(model)
    graph = wide.graph
    scales: dict[str, str] = {}
    nodes: list[NodeProto] = []
    for old in graph.node:
        if old.op_type in ("Cast", "DequantizeLinear"):
            stored = next(tensor for tensor in graph.initializer if tensor.name == old.input[0])
            graph.initializer.remove(stored)
            graph.initializer.append(
                numpy_helper.from_array(numpy_helper.to_array(stored).astype(np.float32), old.output[0])
            )
            scales |= {old.output[0]: old.input[1]} if old.op_type == "DequantizeLinear" else {}
            continue
        nodes += _scaled(old, scales)
    graph.ClearField("node")
    graph.node.extend(nodes)
    return wide


def _scaled(old: NodeProto, scales: dict[str, str]) -> list[NodeProto]:
    """Return a node that reads a weight and the product with its scale."""
    weight = next((name for name in old.input if name in scales), "")
    if not weight:
        return [old]
    if old.op_type == "Transpose":
        scales[old.output[0]] = scales[weight]
        return [old]
    scale, result = scales[weight], old.output[0]
    new = NodeProto()
    new.CopyFrom(old)
    new.output[0] = f"{result}_sums"
    factors = f"{result}_factors"
    match old.op_type:
        case "MatMul":
            return [new, node("Mul", [new.output[0], scale], [result])]
        case "Gemm":
            bias = new.input.pop()
            return [
                new,
                node("Mul", [new.output[0], scale], [f"{result}_scaled"]),
                node("Add", [f"{result}_scaled", bias], [result]),
            ]
        case "Conv":
            column = numpy_helper.from_array(np.array([-1, 1]))
            return [
                node("Constant", [], [f"{result}_shape"], value=column),
                new,
                node("Reshape", [scale, f"{result}_shape"], [factors]),
                node("Mul", [new.output[0], factors], [result]),
            ]
        case _:
            last = numpy_helper.from_array(np.array([1]))
            return [
                node("Constant", [], [f"{result}_axis"], value=last),
                new,
                node("Gather", [scale, old.input[1]], [f"{result}_looked_up"]),
                node("Unsqueeze", [f"{result}_looked_up", f"{result}_axis"], [factors]),
                node("Mul", [new.output[0], factors], [result]),
            ]
