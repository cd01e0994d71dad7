"""
Nodes of older opsets brought to the newest form of their operator, by a table.

Most changes between opsets turned an attribute into an input; such rows have no version, since exporters mix the two
forms. The others hold up to a version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper

from ..errors import Diagnostic
from .onnx_graph import Graph, where_node
from .shapes import TensorInfo, infer


class Types:
    """The element types and shapes of a graph, as far as they can be told."""

    def __init__(self, graph: Graph):
        self._graph = graph

    @cached_property
    def _infos(self) -> dict[str, TensorInfo]:
        return infer(self._graph, strict=False)

    def data_type(self, tensor: str, node: NodeProto) -> int:
        """Return a tensor's element type. Raises Diagnostic where neither the file nor inference gives it."""
        info = self._infos.get(tensor)
        if info is None:
            raise self._unknown(tensor, node, "element type")
        return info.data_type

    def shape(self, tensor: str, node: NodeProto) -> tuple[int, ...]:
        """Return a tensor's shape. Raises Diagnostic where neither the file nor inference gives it."""
        info = self._infos.get(tensor)
        if info is None or info.shape is None or None in info.shape:
            raise self._unknown(tensor, node, "shape")
        return tuple(dim for dim in info.shape if dim is not None)

    def _unknown(self, tensor: str, node: NodeProto, what: str) -> Diagnostic:
        return Diagnostic(
            f"the {what} of an input must be known to read a node of opset {self._graph.opset}",
            where=where_node(node),
            found=f'"{tensor}" has none',
            remedy="convert the model with onnx.version_converter, or store its value_info",
        )


Rewrite = Callable[[Graph, NodeProto, Types], Sequence[NodeProto]]
"""Returns what stands for a node; may change the node and add constants."""


_LIKE_INPUT = 0
"""Stands for the element type of a node's first input."""


class Moved(NamedTuple):
    """An attribute that is an input now."""

    attribute: str
    position: int
    data_type: int = TensorProto.INT64


_AXES = (Moved("axes", 1),)
_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")

MOVED: dict[str, tuple[Moved, ...]] = {
    **{f"Reduce{name}": _AXES for name in _REDUCTIONS},
    "Squeeze": _AXES,
    "Unsqueeze": _AXES,
    "Pad": (Moved("pads", 1), Moved("value", 2, _LIKE_INPUT)),
    "Clip": (Moved("min", 1, _LIKE_INPUT), Moved("max", 2, _LIKE_INPUT)),
    "Slice": (Moved("starts", 1), Moved("ends", 2), Moved("axes", 3)),
    "Split": (Moved("split", 1),),
    "TopK": (Moved("k", 1),),
    "Dropout": (Moved("ratio", 1, TensorProto.FLOAT),),
    "Upsample": (Moved("scales", 1, TensorProto.FLOAT),),
}
"""Operator -> its attributes that became inputs."""


def upgrade(graph: Graph) -> None:
    """
    Bring every node of the graph to the newest form of its operator.

    What needs types comes last: inference reads the newest form. Raises Diagnostic where what an old form means cannot
    be told, or has no newest form.
    """
    _rewrite(graph, CHANGED, lambda moved: moved.data_type != _LIKE_INPUT)
    _rewrite(graph, CHANGED_BY_TYPE, lambda moved: moved.data_type == _LIKE_INPUT)


def _rewrite(graph: Graph, changed: Mapping[str, tuple[int, Rewrite]], due: Callable[[Moved], bool]) -> None:
    types = Types(_snapshot(graph))
    nodes: list[NodeProto] = []
    for node in graph.nodes:
        if node.domain:
            nodes.append(node)
            continue
        for moved in filter(due, MOVED.get(node.op_type, ())):
            _move(graph, node, moved, types)
        before, rewrite = changed.get(node.op_type, (0, _keep))
        nodes += rewrite(graph, node, types) if graph.opset < before else [node]
    graph.nodes = nodes


def _snapshot(graph: Graph) -> Graph:
    """Return the graph as it is now; later changes of its nodes do not reach the copy."""
    copies: list[NodeProto] = []
    for node in graph.nodes:
        copies.append(copy := NodeProto())
        copy.CopyFrom(node)
    return replace(graph, nodes=copies, constants=dict(graph.constants))


# Attributes


def take(node: NodeProto, name: str, default: Any = None) -> Any:
    """Remove an attribute from a node and return its value, or `default` where it has none of that name."""
    for index, attribute in enumerate(node.attribute):
        if attribute.name == name:
            value = _value(attribute)
            del node.attribute[index]
            return value
    return default


def _value(attribute: AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value


def put(node: NodeProto, **attributes: Any) -> NodeProto:
    """Set attributes of a node that it does not have, and return it."""
    node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
    return node


def _move(graph: Graph, node: NodeProto, moved: Moved, types: Types) -> None:
    value = take(node, moved.attribute)
    if value is None:
        return
    if len(node.input) > moved.position and node.input[moved.position]:
        raise Diagnostic(
            f"'{moved.attribute}' is given twice, as an attribute and as input {moved.position}",
            where=where_node(node),
            remedy="remove the attribute",
        )
    data_type = moved.data_type or types.data_type(node.input[0], node)
    array = np.array(value, helper.tensor_dtype_to_np_dtype(data_type))
    if moved.attribute == "k":
        array = array.reshape(1)
    node.input.extend([""] * (moved.position + 1 - len(node.input)))
    node.input[moved.position] = graph.add_constant(node, moved.attribute, array, data_type)


# What changed otherwise


def _keep(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    return [node]


def _inference_dropout(graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    """A Dropout that is not told to train copies its input."""
    training = node.input[2] if len(node.input) > 2 else ""
    if len(node.output) > 1 and node.output[1]:
        return [node]
    if training and (training not in graph.constants or graph.constants[training].array.any()):
        return [node]
    return [helper.make_node("Identity", [node.input[0]], [node.output[0]], name=node.name)]


def _softmax(graph: Graph, node: NodeProto, types: Types) -> Sequence[NodeProto]:
    """Up to opset 12 the axes from `axis` on (default 1) were one."""
    axis = take(node, "axis", 1)
    shape = types.shape(node.input[0], node)
    axis += len(shape) if axis < 0 else 0
    if axis == len(shape) - 1 or all(dim == 1 for dim in shape[axis + 1 :]):
        return [put(node, axis=axis)]
    source, result = node.input[0], node.output[0]
    flat, soft = f"{result}.flattened", f"{result}.normalised"
    sizes = graph.add_constant(node, "shape", np.array(shape, np.int64), TensorProto.INT64)
    return [
        helper.make_node("Flatten", [source], [flat], name=node.name, axis=axis),
        helper.make_node(node.op_type, [flat], [soft], name=node.name, axis=-1),
        helper.make_node("Reshape", [soft, sizes], [result], name=node.name),
    ]


def _split(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    """Up to opset 17 a Split without sizes split evenly, over as many outputs as it had."""
    return [node] if len(node.input) > 1 and node.input[1] else [put(node, num_outputs=len(node.output))]


def _batch_normalization(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    if take(node, "spatial", 1) != 1 or len(node.output) > 1:
        raise Diagnostic(
            "this old form of BatchNormalization is not handled",
            where=where_node(node),
            expected="spatial = 1 and one output",
            remedy="export the model for inference, with opset 15 or newer",
        )
    return [node]


def _upsample(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    node.op_type = "Resize"
    return _resize(_graph, node, _types)


def _resize(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    """Up to opset 10 there was no region of interest, and coordinates were scaled without an offset."""
    node.input.insert(1, "")
    return [put(node, coordinate_transformation_mode="asymmetric", nearest_mode="floor")]


def _scatter(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    node.op_type = "ScatterElements"
    return [node]


def _grid_sample(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    mode = take(node, "mode", "bilinear")
    return [put(node, mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode))]


def _group_normalization(graph: Graph, node: NodeProto, types: Types) -> Sequence[NodeProto]:
    """Up to opset 20 scale and bias were per group; they are per channel now."""
    channels, groups = types.shape(node.input[0], node)[1], next(a.i for a in node.attribute if a.name == "num_groups")
    for index, role in ((1, "scale"), (2, "bias")):
        name = node.input[index]
        if types.shape(name, node) == (channels,):
            continue
        if name not in graph.constants:
            raise Diagnostic(
                f"the {role} per group of a GroupNormalization must be a constant",
                where=where_node(node),
                remedy="export the model with opset 21 or newer",
            )
        old = graph.constants[name]
        node.input[index] = graph.add_constant(node, role, np.repeat(old.array, channels // groups), old.data_type)
    return [node]


_NEVER_ENDING = 1 << 30

CHANGED: dict[str, tuple[int, Rewrite]] = {
    "Dropout": (_NEVER_ENDING, _inference_dropout),
    "Split": (18, _split),
    "BatchNormalization": (14, _batch_normalization),
    "Upsample": (_NEVER_ENDING, _upsample),
    "Resize": (11, _resize),
    "Scatter": (_NEVER_ENDING, _scatter),
    "GridSample": (20, _grid_sample),
}
"""Operator -> the opset from which its newest form holds, and what brings an older node to it."""

CHANGED_BY_TYPE: dict[str, tuple[int, Rewrite]] = {
    "Softmax": (13, _softmax),
    "LogSoftmax": (13, _softmax),
    "Hardmax": (13, _softmax),
    "GroupNormalization": (21, _group_normalization),
}
"""The same, for what can only be told from shapes."""
