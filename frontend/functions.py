"""Inlining of functions: those of a model, and those of ONNX for operators with nested graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, cast

from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, helper
from onnx.checker import ValidationError
from onnx.defs import OpSchema

from ..dialects.onnx import op_class
from ..dialects.onnx.custom import DOMAIN
from ..errors import Diagnostic
from .attributes import GRAPHS
from .node_view import NodeView
from .onnx_graph import copies, read_body, schema_of
from .order import where_node, with_inner
from .resolver import Resolver
from .tensor_info import untyped

INLINED_NODES = 200_000
"""The largest number of nodes that a model has once its functions are inlined."""

_SHOWN = 8
"""Number of functions of a call chain that an error names."""


def without_functions(model: ModelProto) -> ModelProto:
    """
    Inline the functions of a model, except those that are operators of Tilewright.

    Raises Diagnostic where they cannot be inlined: they call each other in a circle, or one that is not there, or come
    to more than INLINED_NODES nodes.
    """
    calls = [(function.domain, function.name) for function in model.functions]
    inlined = [call for call in calls if (cls := op_class(call[1], call[0])) is None or cls.SCHEMA.domain != DOMAIN]
    if not inlined:
        return model
    _check_size(model, [function for function in model.functions if (function.domain, function.name) in inlined])
    from onnx import inliner

    try:
        return inliner.inline_selected_functions(model, inlined)
    except (RuntimeError, ValueError, ValidationError, DecodeError) as error:
        raise Diagnostic(
            "the functions of the model cannot be inlined",
            expected="functions that call only operators and other functions of the model, without recursion",
            found=(str(error).strip().splitlines() or [""])[0],
            remedy="export the model without functions of its own",
        ) from error


def _inlined_size(nodes: Iterable[NodeProto], calls: Mapping[str, int], totals: Mapping[str, int]) -> int:
    """Return the number of nodes once calls are inlined; `totals` are those of the functions, where counted before."""
    own = sum(1 for _ in with_inner(nodes))
    return own + sum(times * (totals.get(callee, 1) - 1) for callee, times in calls.items())


def _check_size(model: ModelProto, functions: Iterable[FunctionProto]) -> None:
    """Raise Diagnostic where inlining would give more than INLINED_NODES nodes; they are counted without inlining."""
    bodies = {_key(function.domain, function.name, function.overload): function for function in functions}
    calls = {key: Counter(_calls(function.node, bodies)) for key, function in bodies.items()}
    totals: dict[str, int] = {}
    for key in _callees_first(calls):
        totals[key] = _inlined_size(bodies[key].node, calls[key], totals)
    main = Counter(_calls(model.graph.node, bodies))
    total = _inlined_size(model.graph.node, main, totals)
    if total <= INLINED_NODES:
        return
    chain, within = list[str](), main
    while within and len(chain) <= len(bodies):
        chain.append(max(within, key=lambda key: within[key] * totals[key]))
        within = calls[chain[-1]]
    shown = [*chain[:_SHOWN], "..."] if len(chain) > _SHOWN else chain
    raise Diagnostic(
        f"inlining the functions of the model gives {total} nodes",
        where=f'function "{chain[0]}"',
        expected=f"at most {INLINED_NODES} nodes",
        found=f"calls of calls, {len(chain)} deep: {' -> '.join(shown)}",
        remedy="export the model with loops (Loop, Scan), or without functions that call others several times",
    )


def _key(domain: str, name: str, overload: str) -> str:
    return "::".join(filter(None, (domain, name, overload)))


def _calls(nodes: Iterable[NodeProto], bodies: Container[str]) -> Iterator[str]:
    """Yield the functions that nodes call, those of graphs that nodes hold too."""
    keys = (_key(node.domain, node.op_type, node.overload) for node in with_inner(nodes))
    return (key for key in keys if key in bodies)


def _callees_first(calls: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the functions in topological order, callees first; recursive ones in any order."""
    order: dict[str, None] = {}
    entered: set[str] = set()
    pending = [(key, False) for key in calls]
    while pending:
        key, done = pending.pop()
        if done:
            order[key] = None
        elif key not in entered:
            entered.add(key)
            pending.append((key, True))
            pending += [(callee, False) for callee in calls[key]]
    return list(order)


def resolve_function(resolver: Resolver, node: NodeProto) -> bool:
    """
    Replace an operator that holds graphs by its function body in ONNX; return whether it is one.

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
            expected=f"inputs for which ONNX defines the function body of {node.op_type}",
            found=NodeView(resolver.graph, node, resolver.info).operands(),
            remedy="export the model with operators that are handled",
        )
    bound = [_bound(inner, node) for inner in function.node]
    body = GraphProto(node=bound, input=untyped(function.input), output=untyped(function.output))
    prefix = resolver.prefix(node)
    inputs = [*node.input, *[""] * (len(function.input) - len(node.input))]
    names = dict(zip(function.input, inputs, strict=True))
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
