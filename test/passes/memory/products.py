"""Networks for meshes of nodes: products, chains of them, and an attention head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx import TensorProto
from onnx import helper as h


def matmul(size: int) -> onnx.ModelProto:
    nodes = [h.make_node("MatMul", ["a", "b"], ["c"], name="product")]
    return _model(nodes, {"a": [size, size], "b": [size, size]}, {"c": [size, size]})


def integer_matmul(size: int) -> onnx.ModelProto:
    nodes, shape = [h.make_node("MatMulInteger", ["a", "b"], ["c"], name="product")], [size, size]
    return _model(nodes, {"a": shape, "b": shape}, {"c": shape}, TensorProto.INT8, TensorProto.INT32)


def chain(size: int) -> onnx.ModelProto:
    """Return (a b) w, as two kernels."""
    pairs = [("a", "b", "t", "first"), ("t", "w", "c", "second")]
    nodes = [h.make_node("MatMul", [a, b], [c], name=name) for a, b, c, name in pairs]
    return _model(nodes, {key: [size, size] for key in "abw"}, {"c": [size, size]})


def attention_head(rows: int, depth: int) -> onnx.ModelProto:
    """Return softmax(q kt) v of one head, as three kernels."""
    nodes = [
        h.make_node("MatMul", ["q", "kt"], ["s"], name="scores"),
        h.make_node("Softmax", ["s"], ["p"], axis=-1, name="softmax"),
        h.make_node("MatMul", ["p", "v"], ["o"], name="values"),
    ]
    return _model(nodes, {"q": [rows, depth], "kt": [depth, rows], "v": [rows, depth]}, {"o": [rows, depth]})


def _model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Sequence[int]],
    outputs: Mapping[str, Sequence[int]],
    given: int = TensorProto.FLOAT,
    found: int = TensorProto.FLOAT,
) -> onnx.ModelProto:
    def ports(side: Mapping[str, Sequence[int]], type: int) -> list[onnx.ValueInfoProto]:
        return [h.make_tensor_value_info(name, type, shape) for name, shape in side.items()]

    graph = h.make_graph(nodes, "net", ports(inputs, given), ports(outputs, found))
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
