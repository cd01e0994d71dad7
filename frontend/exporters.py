"""What exporters write although ONNX does not allow it, put into the form that says the same in ONNX."""

from __future__ import annotations

from math import prod

import numpy as np
from onnx import NodeProto, TensorProto, helper

from .onnx_graph import Graph
from .shapes import Infos, infer


def flatten_matrices(graph: Graph) -> None:
    """
    Give each Gemm whose first input has more than two axes a matrix: all axes but the last become one.

    QuantLib and the ONNX exporter of training graphs write Gemm so, meaning a linear layer over the last axis. Behind
    each the shape is restored, from which that of a later one may follow: repeated until nothing changes.
    """
    gemms = [node for node in graph.nodes if (node.domain, node.op_type) == ("", "Gemm")]
    while gemms:
        infos = infer(graph, strict=False)
        flattened = {id(node): nodes for node in gemms if (nodes := _flattened(graph, infos, node))}
        if not flattened:
            return
        graph.nodes = [new for node in graph.nodes for new in flattened.get(id(node), [node])]
        gemms = [node for node in gemms if id(node) not in flattened]


def _flattened(graph: Graph, infos: Infos, node: NodeProto) -> list[NodeProto]:
    shapes = [infos[name].shape if name in infos else None for name in node.input[:2]]
    transposed = {attribute.name: attribute.i for attribute in node.attribute if attribute.name.startswith("trans")}
    if None in shapes or transposed.get("transA"):
        return []
    a, b = ([dim for dim in shape or () if dim is not None] for shape in shapes)
    if len(a) <= 2 or len(b) != 2 or len(a) != len(shapes[0] or ()):
        return []
    columns = b[0 if transposed.get("transB") else 1]
    source, result = node.input[0], node.output[0]
    before = _sizes(graph, node, "row_shape", [prod(a[:-1]), a[-1]])
    after = _sizes(graph, node, "shape", [*a[:-1], columns])
    matrix = NodeProto()
    matrix.CopyFrom(node)
    matrix.input[0], matrix.output[0] = f"{result}.rows", f"{result}.product"
    return [
        helper.make_node("Reshape", [source, before], [matrix.input[0]], name=node.name),
        matrix,
        helper.make_node("Reshape", [matrix.output[0], after], [result], name=node.name),
    ]


def _sizes(graph: Graph, node: NodeProto, role: str, sizes: list[int]) -> str:
    return graph.add_constant(node, role, np.array(sizes, np.int64), TensorProto.INT64)
