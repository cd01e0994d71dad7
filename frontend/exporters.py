"""Repairs of exporters' deviations from ONNX, as equivalent legal ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from math import prod

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ..dialects.onnx.registry import Registry
from .node_view import Info
from .onnx_graph import Graph
from .replacements import load_rules
from .resolver import Resolver
from .site import REPLACEMENTS, Site
from .small_floats import small_floats
from .tensor_info import TensorInfo, info_of

Rule = Callable[[Graph, NodeProto, Info], list[NodeProto]]
"""`(graph, node, info) -> nodes`: those that stand for a node; none where it is as ONNX wants it."""

EXPORTED: Registry[str, Rule] = Registry("deviation of exporters")
"""Operator of ai.onnx -> the rule that repairs it."""


def replaced(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """Return the replacement of an operator that the standard lacks, empty for other nodes."""
    load_rules()
    rule = REPLACEMENTS.get((node.domain, node.op_type))
    if rule is None:
        return []
    site = Site(graph, node, info)
    rule(site)
    return site.nodes


@EXPORTED.rule("SoftmaxCrossEntropyLoss")
def log_probabilities(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return the replacement of a SoftmaxCrossEntropyLoss with log probabilities alone, empty for other nodes.

    Exporters of training graphs drop the loss where nothing uses it, and with it the place of the second output: what
    the file declares to be as large as the scores is no loss.
    """
    if len(node.output) != 1:
        return []
    scores, declared = info(node.input[0]), graph.declared.get(node.output[0])
    stated = info_of(declared) if declared is not None else None
    if scores is None or stated is None or not stated.shape or stated.shape != scores.shape:
        return []
    return [helper.make_node("LogSoftmax", [node.input[0]], [node.output[0]], name=node.name, axis=1)]


def _known_dims(shape: Sequence[int | None] | None) -> list[int] | None:
    """Return a shape without open dimensions as a list, None for others."""
    dims = [dim for dim in shape or () if dim is not None]
    return dims if shape is not None and len(dims) == len(shape) else None


@EXPORTED.rule("Gemm")
def flattened_gemm(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return the replacement of a Gemm whose first inputs have more than two axes, empty for other nodes.

    QuantLib, Deeploy and the ONNX exporter of training graphs write Gemm so, meaning MatMul: a linear layer over the
    last axis. All axes of the first input but the last become one, and behind the matrix the shape is restored; the
    second input and the bias have one element along their outer axes.
    """
    shapes = [operand.shape if (operand := info(name)) is not None else None for name in node.input[:2]]
    transposed = {attribute.name: attribute.i for attribute in node.attribute if attribute.name.startswith("trans")}
    if transposed.get("transA"):
        return []
    a, b = map(_known_dims, shapes)
    if a is None or b is None or max(len(a), len(b)) <= 2 or min(len(a), len(b)) < 2 or prod(b[:-2]) != 1:
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


@EXPORTED.rule("Range")
def scalar_range(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """Return a Range of scalars for one of constants with one element on one axis, nothing for other nodes."""
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


@EXPORTED.rule("PRelu")
def slope_without_outer_axes(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return a PRelu whose slope has no more axes than its input, nothing for other nodes.

    A scalar has a slope of [1], as PyTorch writes it. The result has the shape of the input; outer axes of the slope
    are removed where they have one element.
    """
    if len(node.input) != 2:
        return []
    x, slope = (operand.shape if (operand := info(name)) is not None else None for name in node.input)
    if x is None or slope is None:
        return []
    outer = len(slope) - len(x)
    if outer < 1 or any(dim != 1 for dim in slope[:outer]) or None in slope:
        return []
    prelu = NodeProto()
    prelu.CopyFrom(node)
    inner = [dim for dim in slope[outer:] if dim is not None]
    if (constant := graph.constants.get(node.input[1])) is not None:
        prelu.input[1] = graph.add_constant(node, "slope", constant.array.reshape(inner), constant.data_type)
        return [prelu]
    return [_reshaped(graph, node, prelu, 1, "slope", inner), prelu]


@EXPORTED.rule("ConvTranspose")
def transposed_of_stated_shape(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return a ConvTranspose that states its result's shape, for one with SAME and output_padding; nothing for others.

    The result has input * stride elements, or all where these are fewer. ONNX's inference adds the output_padding to
    that, by which the padding grows instead.
    """
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    is_same = attributes.get("auto_pad") in (b"SAME_UPPER", b"SAME_LOWER")
    extra, shapes = attributes.get("output_padding", ()), [_static(info(name)) for name in node.input[:2]]
    if not is_same or "output_shape" in attributes or not any(extra) or None in shapes:
        return []
    sizes, kernel = (list(shape or ())[2:] for shape in shapes)
    strides, dilations = (attributes.get(name) or [1] * len(sizes) for name in ("strides", "dilations"))
    if len({len(numbers) for numbers in (sizes, kernel, strides, dilations, extra)}) != 1:
        return []
    axes = zip(sizes, kernel, strides, dilations, extra, strict=True)
    shape = [min(n * s, (n - 1) * s + more + (k - 1) * d + 1) for n, k, s, d, more in axes]
    stated = NodeProto()
    stated.CopyFrom(node)
    stated.attribute.append(helper.make_attribute("output_shape", shape))
    return [stated]


def _static(operand: TensorInfo | None) -> tuple[int, ...] | None:
    """Return a shape, None where an extent of it is not known."""
    shape = operand.shape if operand is not None else None
    return None if shape is None or None in shape else tuple(dim for dim in shape if dim is not None)


def exporter_rules(node: NodeProto) -> Sequence[Rule]:
    """Return the rules that may give the nodes that stand for a node, in order."""
    own = None if node.domain else EXPORTED.get(node.op_type)
    return (small_floats, replaced) if own is None else (small_floats, replaced, own)


def resolve_exported(resolver: Resolver, node: NodeProto) -> bool:
    """Resolve the replacement of a node by nodes of ONNX; return whether it has one."""
    constants = resolver.graph.constants
    for rule in exporter_rules(node):
        count = len(constants)
        if nodes := rule(resolver.graph, node, resolver.info):
            resolver.note_written(node, dict(islice(constants.items(), count, None)))
            resolver.push_newest(nodes)
            return True
    return False
