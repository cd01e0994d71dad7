"""Repairs of exporters' deviations from ONNX, as equivalent legal ONNX."""

from __future__ import annotations

from math import prod

import numpy as np
from onnx import NodeProto, TensorProto, helper

from .node_view import Info
from .onnx_graph import Graph
from .replacements import load_rules
from .resolver import Resolver
from .shapes import info_of
from .site import REPLACEMENTS, Site
from .small_floats import small_floats


def replaced(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """Return the replacement of an operator that the standard lacks, empty for other nodes."""
    load_rules()
    rule = REPLACEMENTS.get((node.domain, node.op_type))
    if rule is None:
        return []
    site = Site(graph, node, info)
    rule(site)
    return site.nodes


def log_probabilities(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return the replacement of a SoftmaxCrossEntropyLoss with log probabilities alone, empty for other nodes.

    Exporters of training graphs drop the loss where nothing uses it, and with it the place of the second output: what
    the file declares to be as large as the scores is no loss.
    """
    if (node.domain, node.op_type) != ("", "SoftmaxCrossEntropyLoss") or len(node.output) != 1:
        return []
    scores, declared = info(node.input[0]), graph.declared.get(node.output[0])
    stated = info_of(declared) if declared is not None else None
    if scores is None or stated is None or not stated.shape or stated.shape != scores.shape:
        return []
    return [helper.make_node("LogSoftmax", [node.input[0]], [node.output[0]], name=node.name, axis=1)]


def flattened_gemm(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return the replacement of a Gemm whose first inputs have more than two axes, empty for other nodes.

    QuantLib, Deeploy and the ONNX exporter of training graphs write Gemm so, meaning MatMul: a linear layer over the
    last axis. All axes of the first input but the last become one, and behind the matrix the shape is restored; the
    second input and the bias have one element along their outer axes.
    """
    if (node.domain, node.op_type) != ("", "Gemm"):
        return []
    shapes = [known.shape if (known := info(name)) is not None else None for name in node.input[:2]]
    transposed = {attribute.name: attribute.i for attribute in node.attribute if attribute.name.startswith("trans")}
    if None in shapes or transposed.get("transA"):
        return []
    a, b = ([dim for dim in shape or () if dim is not None] for shape in shapes)
    is_known = len(a) == len(shapes[0] or ()) and len(b) == len(shapes[1] or ())
    if not is_known or max(len(a), len(b)) <= 2 or min(len(a), len(b)) < 2 or prod(b[:-2]) != 1:
        return []
    matrix, result = NodeProto(), node.output[0]
    matrix.CopyFrom(node)
    matrix.output[0] = f"{result}.product"
    nodes = [_reshaped(graph, node, matrix, 0, "rows", [prod(a[:-1]), a[-1]])]
    nodes += [_reshaped(graph, node, matrix, 1, "matrix", b[-2:])] if len(b) > 2 else []
    bias = info(node.input[2]) if len(node.input) > 2 and node.input[2] else None
    c = [dim for dim in bias.shape or () if dim is not None] if bias is not None else []
    if len(c) > 1 and prod(c[:-1]) == 1:
        nodes.append(_reshaped(graph, node, matrix, 2, "vector", c[-1:]))
    outer = [*[1] * (len(b) - len(a)), *a[:-1]]
    after = _sizes(graph, node, "shape", [*outer, b[-2 if transposed.get("transB") else -1]])
    return [*nodes, matrix, helper.make_node("Reshape", [matrix.output[0], after], [result], name=node.name)]


def _reshaped(graph: Graph, node: NodeProto, matrix: NodeProto, index: int, role: str, shape: list[int]) -> NodeProto:
    """Reshape an input of `matrix`, the replacement of `node`; return the Reshape."""
    matrix.input[index] = f"{node.output[0]}.{role}"
    sizes = _sizes(graph, node, f"{role.removesuffix('s')}_shape", shape)
    return helper.make_node("Reshape", [node.input[index], sizes], [matrix.input[index]], name=node.name)


def _sizes(graph: Graph, node: NodeProto, role: str, sizes: list[int]) -> str:
    return graph.add_constant(node, role, np.array(sizes, np.int64), TensorProto.INT64)


def scalar_range(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """Return a Range of scalars for one of constants with one element on one axis, nothing for other nodes."""
    if (node.domain, node.op_type) != ("", "Range"):
        return []
    listed = [name for name in node.input if name in graph.constants and graph.constants[name].array.shape == (1,)]
    if not listed:
        return []
    scalar = NodeProto()
    scalar.CopyFrom(node)
    for index, name in enumerate(node.input):
        if name in listed:
            constant = graph.constants[name]
            scalar.input[index] = graph.add_constant(
                node, f"scalar{index}", constant.array.reshape(()), constant.data_type
            )
    return [scalar]


EXPORTER_RULES = (small_floats, replaced, flattened_gemm, log_probabilities, scalar_range)
"""What returns the nodes that stand for a node, none where it is as ONNX wants it."""


def resolve_exported(resolver: Resolver, node: NodeProto) -> bool:
    """Resolve the replacement of a node by nodes of ONNX; return whether it has one."""
    for rule in EXPORTER_RULES:
        if nodes := rule(resolver.graph, node, resolver.info):
            resolver.push_newest(nodes)
            return True
    return False
