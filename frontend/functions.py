"""Functions: those of a model are inlined, and those of ONNX where an operator holds graphs that no op could."""

from __future__ import annotations

from typing import Any, cast

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, ValueInfoProto, helper
from onnx.checker import ValidationError
from onnx.defs import OpSchema

from ..dialects.core.onnx_custom import DOMAIN
from ..dialects.onnx import op_class
from ..errors import Diagnostic
from .attributes import GRAPHS
from .onnx_graph import copies, read_body, schema_of
from .order import where_node
from .resolver import Resolver


def without_functions(model: ModelProto) -> ModelProto:
    """
    Return the model with its own functions inlined, but for those that are operators which Tilewright knows.

    Raises Diagnostic where they cannot be inlined: they call each other in a circle, or one that is not there.
    """
    calls = [(function.domain, function.name) for function in model.functions]
    inlined = [call for call in calls if (cls := op_class(call[1], call[0])) is None or cls.SCHEMA.domain != DOMAIN]
    if not inlined:
        return model
    from onnx import inliner

    try:
        return inliner.inline_selected_functions(model, inlined)
    except (RuntimeError, ValueError, ValidationError) as error:
        raise Diagnostic(
            "the functions of the model cannot be inlined",
            found=(str(error).strip().splitlines() or [""])[0],
            remedy="export the model without functions of its own",
        ) from error


def resolve_function(resolver: Resolver, node: NodeProto) -> bool:
    """
    Settle what ONNX says that an operator which holds graphs comes to; return whether it is one.

    Raises Diagnostic where ONNX does not say so for inputs of these types.
    """
    schema = schema_of(node)
    if not any(attribute.type in GRAPHS for attribute in schema.attributes.values()):
        return False
    _expand(resolver, node, schema)
    return True


def _expand(resolver: Resolver, node: NodeProto, schema: OpSchema) -> None:
    types: list[TypeProto] = []
    for name in node.input:
        info = resolver.info(name) if name else None
        types.append(TypeProto() if info is None else helper.make_tensor_type_proto(info.data_type, info.shape))
    given_types = [kind.SerializeToString() for kind in types]
    data: bytes = cast(Any, schema).get_context_dependent_function(node.SerializeToString(), given_types)
    function = FunctionProto.FromString(data) if data else FunctionProto()
    if not function.node:
        raise Diagnostic(
            f"{node.op_type} is not handled with these inputs",
            where=where_node(node),
            expected="inputs for which ONNX gives the function that it stands for",
            remedy="export the model with operators that are handled",
        )
    body = GraphProto(
        node=[_bound(inner, node) for inner in function.node],
        input=[ValueInfoProto(name=name) for name in function.input],
        output=[ValueInfoProto(name=name) for name in function.output],
    )
    prefix = resolver.prefix(node)
    given = [*node.input, *[""] * (len(function.input) - len(node.input))]
    names = dict(zip(function.input, given, strict=True))
    nodes, outputs = read_body(body, resolver.graph, prefix, names, resolver.is_known)
    resolver.push_newest([*nodes, *copies(node, outputs, node.output)])


def _bound(inner: NodeProto, node: NodeProto) -> NodeProto:
    """Return a node of a function in which attributes that name one of the function's have its value."""
    bound = NodeProto()
    bound.CopyFrom(inner)
    values = {attribute.name: attribute for attribute in node.attribute}
    for attribute in list(bound.attribute):
        if not attribute.ref_attr_name:
            continue
        bound.attribute.remove(attribute)
        if attribute.ref_attr_name in values:
            value = bound.attribute.add()
            value.CopyFrom(values[attribute.ref_attr_name])
            value.name = attribute.name
    return bound
