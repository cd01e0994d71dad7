"""Subgraphs of nodes that are not unrolled: each is settled alone and reports its data-dependent sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from ..dialects.onnx.registry import mentions
from ..errors import Diagnostic
from .attributes import attribute_of
from .dynamic_sizes import refuse_extents
from .extents import CountedExtent, bound_of
from .node_view import NodeView
from .onnx_graph import Graph, body_graph, read_body
from .order import where_node
from .resolver import Resolver
from .static_inputs import value_remedy
from .tensor_info import Infos, TensorInfo


def body_of(node: NodeProto, name: str) -> GraphProto:
    """Return a graph that a node was checked to hold."""
    body = body_graph(node, name)
    assert body is not None
    return body


def constant_number(resolver: Resolver, name: str) -> Any:
    """Return the one number that a tensor holds, None where it is no constant of one element."""
    constant = resolver.constant(name) if name else None
    return constant.array.reshape(-1)[0].item() if constant is not None and constant.array.size == 1 else None


def listed(node: NodeProto, name: str, count: int) -> list[int]:
    """Return an attribute that lists `count` numbers, zeros by default. Raises Diagnostic for another length."""
    numbers = list(attribute_of(node, name, [0] * count))
    if len(numbers) != count:
        raise Diagnostic(
            f"'{name}' of Scan has a wrong number of entries",
            where=where_node(node),
            expected=f"{count} entries",
            found=str(numbers),
            remedy=f"correct {name} in the model",
        )
    return numbers


def keep_loop(resolver: Resolver, node: NodeProto) -> None:
    """
    Keep a Loop that is not unrolled. Its scan outputs have an entry per iteration, a number that data may decide.

    Raises Diagnostic where it collects, and has no bound on its turns.
    """
    counts = resolver.extents.held(node.input[0]) if node.input[0] else None
    turns = bound_of(counts[0]) if counts is not None else constant_number(resolver, node.input[0])
    collects = len(node.output) > len(node.input) - 2
    is_counted = collects and (counts is not None or turns is None or not is_endless(resolver, node))
    if is_counted and turns is None:
        raise Diagnostic(
            "a Loop has scan outputs, and its largest number of iterations is not known",
            where=where_node(node),
            expected="a number of iterations that is a constant, or a size with a bound",
            found=f'"{node.input[0]}"' if node.input[0] else "none",
            remedy=value_remedy(resolver.graph, resolver.graph.nodes, node.input[:2])
            + "give the Loop a constant trip count in the model, or collect into a carried tensor",
        )
    turns = None if turns is None else max(int(turns), 0)
    counter = _with_counter(resolver, node) if is_counted else ""
    carried = [resolver.info(name) for name in node.input[2:]]
    scalars = [TensorInfo(TensorProto.INT64, ()), TensorInfo(TensorProto.BOOL, ())]
    body = settled(resolver, node, "body", [*scalars, *carried])
    yielded = [body.info(value.name) for value in body.graph.outputs][1:]
    infos = {name: a for name, a, b in zip(node.output, carried, yielded, strict=False) if a is not None and a == b}
    for name, info in zip(node.output[len(carried) :], yielded[len(carried) :], strict=True):
        if info is not None and info.shape is not None:
            infos[name] = TensorInfo(info.data_type, (turns, *info.shape))
    resolver.keep(node, infos, {"body": body})
    if counter and turns:
        extent = CountedExtent(("turns", counter), counter, turns)
        resolver.extents.axes |= {name: {0: extent} for name in node.output[len(carried) :] if name}


@mentions("Constant", "Identity")
def is_endless(resolver: Resolver, node: NodeProto) -> bool:
    """Return whether the condition of a Loop holds in every iteration, so that its trip count alone ends it."""
    body = body_of(node, "body")
    producers = {name: inner for inner in body.node for name in inner.output}
    name = body.output[0].name
    while name in producers and producers[name].op_type == "Identity":
        name = producers[name].input[0]
    first = len(node.input) < 2 or not node.input[1] or bool(constant_number(resolver, node.input[1]))
    constants = {tensor.name: tensor for tensor in body.initializer}
    constants |= {
        name: attribute_of(inner, "value") for name, inner in producers.items() if inner.op_type == "Constant"
    }
    if (tensor := constants.get(name)) is not None:
        return first and bool(numpy_helper.to_array(tensor).all())
    return first and (name == body.input[1].name or bool(constant_number(resolver, name)))


def _with_counter(resolver: Resolver, node: NodeProto) -> str:
    """Carry the iteration count through a Loop; returns the name of the final count."""
    body, place = body_of(node, "body"), len(node.input) - 2
    names = [resolver.fresh_name(f"{node.name}.{role}") for role in ("turns", "before", "one", "after")]
    counter, before, one, after = names
    start = resolver.fresh_name(f"{node.name}.start")
    resolver.settle_constant(start, np.array(0, np.int64), TensorProto.INT64, node.name)
    resolver.settle_constant(one, np.array(1, np.int64), TensorProto.INT64, node.name)
    node.input.extend([""] * (2 - len(node.input)))
    node.input.append(start)
    node.output.insert(place, counter)
    body.node.append(helper.make_node("Add", [before, one], [after], name=after))
    body.input.append(helper.make_tensor_value_info(before, TensorProto.INT64, []))
    body.output.insert(1 + place, helper.make_tensor_value_info(after, TensorProto.INT64, []))
    return counter


def keep_scan(
    resolver: Resolver, node: NodeProto, shapes: Sequence[tuple[int, ...]], axes: Sequence[int], length: int
) -> None:
    """Keep a Scan that is not unrolled, with the shapes and axes of its scanned inputs."""
    states = len(node.input) - len(shapes)
    initial = [resolver.info(name) for name in node.input[:states]]
    slices = [
        TensorInfo(resolver.data_type(name, node), shape[: axis % len(shape)] + shape[axis % len(shape) + 1 :])
        for name, shape, axis in zip(node.input[states:], shapes, axes, strict=True)
    ]
    body = settled(resolver, node, "body", [*initial, *slices])
    yielded = [body.info(value.name) for value in body.graph.outputs]
    infos = {name: a for name, a, b in zip(node.output, initial, yielded, strict=False) if a is not None and a == b}
    collected = node.output[states:]
    for name, info, axis in zip(
        collected, yielded[states:], listed(node, "scan_output_axes", len(collected)), strict=True
    ):
        if info is not None and info.shape is not None:
            at = axis % (len(info.shape) + 1)
            infos[name] = TensorInfo(info.data_type, (*info.shape[:at], length, *info.shape[at:]))
    resolver.keep(node, infos, {"body": body})


def settled(resolver: Resolver, node: NodeProto, name: str, inputs: Sequence[TensorInfo | None]) -> Resolver:
    """Resolve a subgraph of a node alone; `inputs` are the types of its inputs."""
    proto = body_of(node, name)
    if any(resolver.sequence(operand) is not None for operand in node.input) or None in inputs:
        raise Diagnostic(
            f"{node.op_type} cannot be unrolled, and an input is a sequence or has no known type",
            where=where_node(node),
            expected="a constant condition or number of iterations, or tensors alone",
            found=NodeView(resolver.graph, node, resolver.info).operands(),
            remedy="export the model with constants there, or give inputs that decide them with --input-value",
        )
    refuse_extents(resolver, node, node.input, "takes")
    outer = resolver.graph
    graph = Graph(f"{node.name}.{name}", outer.opset, [], {}, [], [], {}, outer.folder)
    graph.nodes, outputs = read_body(proto, graph, "", {}, resolver.is_known)
    infos: Infos = {}
    for value, info in zip(proto.input, inputs, strict=True):
        assert info is not None
        graph.inputs.append(helper.make_tensor_value_info(value.name, info.data_type, info.shape))
        infos[value.name] = info
    graph.outputs = [helper.make_value_info(output, helper.make_tensor_type_proto(0, None)) for output in outputs]
    inner = resolver.inner(graph, infos)
    inner.extents.axes |= {value.name: {} for value in proto.input}
    inner.run()
    if any(inner.sequence(output) is not None for output in outputs):
        raise Diagnostic(
            f"{node.op_type} cannot be unrolled, and its result is a sequence",
            where=where_node(node),
            expected="a constant condition or number of iterations, or tensors alone",
            found=", ".join(f'the sequence "{name}"' for name in outputs if inner.sequence(name) is not None),
            remedy="give inputs that decide them with --input-value, or export the model without sequences",
        )
    refuse_extents(inner, node, outputs, "gives")
    return inner
