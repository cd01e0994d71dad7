"""
Nodes of older opsets in the newest form of their operator, by the records of `operators/`.

Most changes between opsets turned an attribute into an input (`moved`). Exporters mix the two forms, so that these hold
for every opset. The other rewrites (`older`) hold up to an opset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, defs, helper

from ..errors import Diagnostic
from .attributes import check_kind
from .node_view import NodeView
from .onnx_graph import schema_of
from .operators import Moved, operator_of
from .order import where_node
from .tensor_info import unknown_type
from .tensors import type_name


def upgraded(view: NodeView) -> Sequence[NodeProto]:
    """
    Return a node of ai.onnx in the newest form of its operator, which may be several nodes or change the node itself.

    Raises Diagnostic where an old form is ambiguous, or has no newest form.
    """
    rules, opset = operator_of(view.op_type), view.graph.opset
    if rules.moved or rules.older:
        _check_form(view.node, opset)
    for moved in rules.moved:
        _move(view, moved)
    return rules.older(view) if rules.older is not None and opset < rules.until else [view.node]


def _check_form(node: NodeProto, opset: int) -> None:
    """Raise Diagnostic for a node that lacks inputs or has attributes of another type than its operator ever had."""
    schemas = [schema_of(node)]
    if defs.has(node.op_type, max_inclusive_version=opset, domain=""):
        schemas.append(defs.get_schema(node.op_type, opset, ""))
    # What became an input may still be an attribute, whatever the opset.
    least = 1 if operator_of(node.op_type).moved else min(schema.min_input for schema in schemas)
    if len(node.input) < least or not node.output:
        raise Diagnostic(
            f"{node.op_type} has a wrong number of inputs or outputs: some are missing",
            where=where_node(node),
            expected=f"inputs: {least} or more, outputs: 1 or more",
            found=f"inputs: {len(node.input)}, outputs: {len(node.output)}",
            remedy="correct the node, or export the model again",
        )
    for attribute in node.attribute:
        attributes = [schema.attributes[attribute.name] for schema in schemas if attribute.name in schema.attributes]
        check_kind(node, attribute, attributes)


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


def _move(view: NodeView, moved: Moved) -> None:
    """Make an attribute that the node has an input."""
    node, index = view.node, moved.position
    value = take(node, moved.attribute)
    if value is None:
        return
    if view.input(index):
        raise Diagnostic(
            f"'{moved.attribute}' is given twice, as an attribute and as input {index}",
            where=view.where,
            expected="the attribute or the input",
            found=f'{value} and "{view.input(index)}"',
            remedy="remove the attribute",
        )
    data_type = moved.data_type or view.kind(0)
    if not data_type:
        raise unknown_type(node, view.input(0), None)
    try:
        array = np.array(value, helper.tensor_dtype_to_np_dtype(data_type))
    except (TypeError, ValueError, OverflowError) as error:
        raise Diagnostic(
            f"attribute '{moved.attribute}' of {view.op_type} does not fit the type of input {index}",
            where=view.where,
            expected=f"numbers of the type {type_name(data_type).lower()}",
            found=str(value),
            remedy="correct the attribute in the model",
        ) from error
    if moved.attribute == "k":
        array = array.reshape(1)
    node.input.extend([""] * (index + 1 - len(node.input)))
    node.input[index] = view.graph.add_constant(node, moved.attribute, array, data_type)
