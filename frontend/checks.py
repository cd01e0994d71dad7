"""Checks that ONNX's inference omits, and the errors for the nodes that it refuses."""

from __future__ import annotations

from ..errors import Diagnostic
from .node_view import Info, NodeView
from .onnx_graph import Graph, schema_of
from .operators import operator_of
from .tensors import ELEMENTS, type_name


def check_nodes(graph: Graph, info: Info) -> None:
    """Raise Diagnostic for the first node whose constants or shapes are incompatible; all shapes must be known."""
    for node in graph.nodes:
        check_node(NodeView(graph, node, info))


def check_node(node: NodeView) -> None:
    """Raise Diagnostic for a node of incompatible constants or shapes; the shapes of its inputs must be known."""
    checks = operator_of(node.op_type, node.node.domain).checks
    if checks and (other := next((name for name in node.node.input if name and node.info(name) is None), "")):
        raise Diagnostic(
            f"an input of {node.op_type} is not a tensor",
            where=node.where,
            expected="tensors",
            found=f'the sequence or optional "{other}"',
            remedy="take a tensor out of it in the model, for example by SequenceAt",
        )
    for check in checks:
        check(node)


def refusal(node: NodeView, reason: str) -> Diagnostic:
    """Return the error for a node that ONNX's inference refused, by the operator's own checks where these tell more."""
    try:
        _check_types(node)
        check_node(node)
    except Diagnostic as error:
        error.notes.append(f"ONNX's inference: {reason}")
        return error
    return Diagnostic(
        f"the inputs of {node.op_type} do not fit together: {reason[:1].lower()}{reason[1:]}",
        where=node.where,
        expected=f"inputs and attributes that satisfy the definition of {node.op_type} in ONNX",
        found=node.operands(),
        remedy="correct the shapes in the model, or those given with --input-shape",
    )


_CAST = "put a Cast before the input, or export the model with one element type"


def _check_types(node: NodeView) -> None:
    """Raise Diagnostic for an input of an element type that the schema excludes, alone or with those before it."""
    schema = schema_of(node.node)
    bound: dict[str, str] = {}
    for index, name in enumerate(node.node.input):
        kind = node.kind(index)
        if not kind or kind not in ELEMENTS:
            continue
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        element = type_name(kind).lower()
        allowed = sorted(
            text.removeprefix("tensor(").rstrip(")") for text in formal.types if text.startswith("tensor(")
        )
        if element not in allowed:
            raise node.misfit(f"the element type of input {index}", ", ".join(allowed), f'{element} of "{name}"', _CAST)
        is_shared = formal.type_str in bound and formal.is_homogeneous
        if is_shared and bound[formal.type_str] != element:
            raise node.misfit(
                f"the element type of input {index}", bound[formal.type_str], f'{element} of "{name}"', _CAST
            )
        bound.setdefault(formal.type_str, element)
