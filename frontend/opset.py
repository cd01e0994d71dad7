"""
Nodes of older opsets brought to the newest form of their operator, by a table.

Most changes between opsets turned an attribute into an input; such rows have no version, since exporters mix the two
forms. The others hold up to a version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, defs, helper

from ..errors import Diagnostic
from .attributes import check_kind
from .onnx_graph import Graph, schema_of
from .order import where_node


class Types(Protocol):
    """The element types and shapes of the tensors before a node."""

    def data_type(self, tensor: str, node: NodeProto) -> int:
        """Return a tensor's element type. Raises Diagnostic where it is not known."""
        ...

    def shape(self, tensor: str, node: NodeProto) -> tuple[int, ...]:
        """Return a tensor's shape. Raises Diagnostic where it is not known."""
        ...


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


def upgraded(graph: Graph, node: NodeProto, types: Types) -> Sequence[NodeProto]:
    """
    Return a node of ai.onnx in the newest form of its operator, which may be several nodes or change the node itself.

    Raises Diagnostic where what an old form means cannot be told, or has no newest form.
    """
    if node.op_type in MOVED or node.op_type in CHANGED:
        _check_form(node, graph.opset)
    for moved in MOVED.get(node.op_type, ()):
        _move(graph, node, moved, types)
    before, rewrite = CHANGED.get(node.op_type, (0, _keep))
    return rewrite(graph, node, types) if graph.opset < before else [node]


def _check_form(node: NodeProto, opset: int) -> None:
    """Raise Diagnostic for a node that lacks inputs or has attributes of another type than its operator ever had."""
    schemas = [schema_of(node)]
    if defs.has(node.op_type, max_inclusive_version=opset, domain=""):
        schemas.append(defs.get_schema(node.op_type, opset, ""))
    # What became an input may still be an attribute, whatever the opset.
    least = 1 if node.op_type in MOVED else min(schema.min_input for schema in schemas)
    if len(node.input) < least or not node.output:
        raise Diagnostic(
            f"{node.op_type} has not the inputs and outputs that its operator asks for",
            where=where_node(node),
            found=f"{len(node.input)} inputs, {len(node.output)} outputs",
            remedy="correct the node, or export the model again",
        )
    for attribute in node.attribute:
        known = [schema.attributes[attribute.name] for schema in schemas if attribute.name in schema.attributes]
        check_kind(node, attribute, known)


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
    try:
        array = np.array(value, helper.tensor_dtype_to_np_dtype(data_type))
    except (TypeError, ValueError, OverflowError) as error:
        raise Diagnostic(
            f"attribute '{moved.attribute}' of {node.op_type} holds what its input cannot",
            where=where_node(node),
            found=str(value),
            remedy="correct the attribute in the model",
        ) from error
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
    if take(node, "spatial", 1) != 1 or any(node.output[1:]):
        raise Diagnostic(
            "this old form of BatchNormalization is not handled",
            where=where_node(node),
            expected="spatial = 1 and one output",
            remedy="export the model for inference, with opset 15 or newer",
        )
    return [node]


def _upsample(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    node.op_type = "Resize"
    return [_without_region(node)]


def _without_region(node: NodeProto) -> NodeProto:
    """Up to opset 10 there was no region of interest, and coordinates were scaled without an offset."""
    node.input.insert(1, "")
    return put(node, coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def _resize(graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    """Up to opset 12 scales without elements stood for none, and one more way to scale coordinates was known."""
    if graph.opset < 11:
        return [_without_region(node)]
    scales = graph.constants.get(node.input[2]) if len(node.input) > 3 else None
    if scales is not None and not scales.array.size:
        node.input[2] = ""
    modes = {attribute.name: attribute.s for attribute in node.attribute if attribute.s}
    if modes.get("coordinate_transformation_mode") != b"tf_half_pixel_for_nn":
        return [node]
    if modes.get("nearest_mode") != b"floor" or modes.get("mode", b"nearest") != b"nearest":
        raise Diagnostic(
            "this old form of Resize is not handled",
            where=where_node(node),
            expected="nearest_mode = floor where the coordinates are those of tf_half_pixel_for_nn",
            remedy="export the model with opset 13 or newer",
        )
    # The floor of (x + 0.5) / scale is what lies nearest to (x + 0.5) / scale - 0.5, the upper one of two.
    take(node, "coordinate_transformation_mode")
    take(node, "nearest_mode")
    return [put(node, coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_ceil")]


def _dft(graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    """Up to opset 19 the axis was an attribute, the first behind the batch where it was not given."""
    axis = np.array(take(node, "axis", 1), np.int64)
    node.input.extend([""] * (2 - len(node.input)))
    node.input.append(graph.add_constant(node, "axis", axis, TensorProto.INT64))
    return [node]


def _scatter(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    node.op_type = "ScatterElements"
    return [node]


def _grid_sample(_graph: Graph, node: NodeProto, _types: Types) -> Sequence[NodeProto]:
    mode = take(node, "mode", "bilinear")
    return [put(node, mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode))]


def _group_normalization(graph: Graph, node: NodeProto, types: Types) -> Sequence[NodeProto]:
    """Up to opset 20 scale and bias were per group; they are per channel now."""
    shape, groups = types.shape(node.input[0], node), next((a.i for a in node.attribute if a.name == "num_groups"), 0)
    if len(shape) < 2 or groups < 1:
        return [node]  # which is refused for what it lacks
    channels = shape[1]
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
    "Resize": (13, _resize),
    "DFT": (20, _dft),
    "Scatter": (_NEVER_ENDING, _scatter),
    "GridSample": (20, _grid_sample),
    "Softmax": (13, _softmax),
    "LogSoftmax": (13, _softmax),
    "Hardmax": (13, _softmax),
    "GroupNormalization": (21, _group_normalization),
}
"""Operator -> the opset from which its newest form holds, and what brings an older node to it."""
