"""Operators on sequences and optionals: which tensors they hold is settled at import, and nothing is left of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count, takewhile

import numpy as np
from onnx import NodeProto, TensorProto, ValueInfoProto, helper

from ..dialects.onnx.registry import Registry
from ..errors import Diagnostic
from .attributes import attribute_of
from .onnx_graph import Graph
from .order import where_node
from .resolver import Resolver


def resolve_sequence(resolver: Resolver, node: NodeProto) -> bool:
    """
    Resolve an operator on sequences or optionals; return whether it is one.

    Raises Diagnostic where its result cannot be told, and where another operator is given a sequence.
    """
    rule = RULES.get(node.op_type) if not node.domain else None
    takes = any(resolver.sequence(name) is not None for name in node.input if name)
    if rule is None and takes:
        raise Diagnostic(
            f"an input of {node.op_type} is a sequence or an optional",
            where=where_node(node),
            expected="tensors",
            found=", ".join(f'"{name}"' for name in node.input if name and resolver.sequence(name) is not None),
            remedy="take a tensor out of it in the model, for example by SequenceAt",
        )
    if rule is None or (node.op_type == "Identity" and not takes):
        return False
    rule(resolver, node)
    return True


def split_inputs(graph: Graph, shapes: Mapping[str, Sequence[int]]) -> tuple[dict[str, list[str]], set[str]]:
    """
    Replace inputs that are sequences or optionals by tensors; return the sequences, and the optionals that are empty.

    A sequence `x` has as many tensors as shapes are given for `x[0]`, `x[1]`, ..; these are then inputs of their own.
    An optional is empty where no shape is given for it.
    """
    sequences: dict[str, list[str]] = {}
    empty: set[str] = set()
    inputs: list[ValueInfoProto] = []
    for value in graph.inputs:
        kind, is_optional = value.type, value.type.HasField("optional_type")
        kind = kind.optional_type.elem_type if is_optional else kind
        names = list(takewhile(shapes.__contains__, (f"{value.name}[{index}]" for index in count())))
        if is_optional and not names and value.name not in shapes:
            empty.add(value.name)
        elif kind.HasField("sequence_type"):
            sequences[value.name] = names
            inputs += [ValueInfoProto(name=name, type=kind.sequence_type.elem_type) for name in names]
        else:
            inputs.append(ValueInfoProto(name=value.name, type=kind))
    graph.inputs = inputs
    graph.declared |= {value.name: value.type for value in inputs}
    return sequences, empty


def split_outputs(resolver: Resolver) -> None:
    """Replace each output of a graph that is a sequence by its tensors, which are outputs named `y[0]`, `y[1]`, ..."""
    graph, outputs = resolver.graph, list[ValueInfoProto]()
    for value in graph.outputs:
        if value.name in resolver.empty_optionals:
            raise Diagnostic(
                "an output is an empty optional",
                where=f'output "{value.name}"',
                expected="a tensor, a sequence, or an optional that holds one",
                found="an optional without an element",
                remedy="remove the output from the model",
            )
        if (names := resolver.sequence(value.name)) is None:
            outputs.append(value)
            continue
        for index, name in enumerate(names):
            outputs.append(ValueInfoProto(name=f"{value.name}[{index}]"))
            resolver.push_newest([helper.make_node("Identity", [name], [outputs[-1].name], name=outputs[-1].name)])
    graph.outputs = outputs


def _names(resolver: Resolver, node: NodeProto) -> list[str]:
    names = resolver.sequence(node.input[0])
    if names is None:
        raise Diagnostic(
            f"{node.op_type} takes a sequence whose length is not known",
            where=where_node(node),
            expected="a sequence made in the network, by operators of a constant number of results",
            found=f'"{node.input[0]}"',
            remedy="export the model without sequences",
        )
    return names


def _empty_sequence(node: NodeProto) -> Diagnostic:
    return Diagnostic(
        f"the sequence of {node.op_type} is empty",
        where=where_node(node),
        expected="a sequence of one tensor or more",
        found=f'"{node.input[0]}" without tensors',
        remedy="insert a tensor before, or remove the node",
    )


def _position(resolver: Resolver, node: NodeProto, index: int, length: int, *, default: int) -> int:
    """Return the constant position that an input gives, counted from the front."""
    name = node.input[index] if index < len(node.input) else ""
    if not name:
        return default
    position = _scalar(resolver, node, index)
    if not -length <= position < length:
        raise Diagnostic(
            f"the position of {node.op_type} lies outside the sequence",
            where=where_node(node),
            expected=f"{-length} to {length - 1}",
            found=str(position),
            remedy="correct the position in the model",
        )
    return position % length


def _scalar(resolver: Resolver, node: NodeProto, index: int) -> int:
    constant = resolver.constant(node.input[index])
    if constant is None or constant.array.size != 1:
        raise Diagnostic(
            f"the position of {node.op_type} is not a constant",
            where=where_node(node),
            expected="a constant of one element",
            found=f'"{node.input[index]}"',
            remedy="give an input that decides it with --input-value, or export the model without sequences",
        )
    return int(constant.array.reshape(-1)[0])


def _empty(resolver: Resolver, node: NodeProto) -> None:
    resolver.sequences[node.output[0]] = []


def _construct(resolver: Resolver, node: NodeProto) -> None:
    resolver.sequences[node.output[0]] = list(node.input)


def _identity(resolver: Resolver, node: NodeProto) -> None:
    resolver.sequences[node.output[0]] = list(_names(resolver, node))


def _insert(resolver: Resolver, node: NodeProto) -> None:
    names = list(_names(resolver, node))
    named = len(node.input) > 2 and bool(node.input[2])
    at_end = named and _scalar(resolver, node, 2) == len(names)
    names.insert(
        len(names) if at_end or not named else _position(resolver, node, 2, len(names), default=0), node.input[1]
    )
    resolver.sequences[node.output[0]] = names


def _erase(resolver: Resolver, node: NodeProto) -> None:
    names = list(_names(resolver, node))
    if not names:
        raise _empty_sequence(node)
    del names[_position(resolver, node, 1, len(names), default=len(names) - 1)]
    resolver.sequences[node.output[0]] = names


def _at(resolver: Resolver, node: NodeProto) -> None:
    names = _names(resolver, node)
    chosen = names[_position(resolver, node, 1, len(names), default=0)]
    resolver.push_newest([helper.make_node("Identity", [chosen], node.output, name=node.name)])


def _length(resolver: Resolver, node: NodeProto) -> None:
    count = np.array(len(_names(resolver, node)), np.int64)
    resolver.settle_constant(node.output[0], count, TensorProto.INT64, node.name)


def _concat(resolver: Resolver, node: NodeProto) -> None:
    names, axis, result = _names(resolver, node), int(attribute_of(node, "axis", 0)), node.output[0]
    if not names:
        raise _empty_sequence(node)
    if not attribute_of(node, "new_axis", 0):
        resolver.push_newest([helper.make_node("Concat", names, [result], name=node.name, axis=axis)])
        return
    resolver.push_newest(stacked(resolver, node, names, result, axis))


def stacked(resolver: Resolver, node: NodeProto, names: Sequence[str], result: str, axis: int) -> list[NodeProto]:
    """Return nodes that put tensors one after the other along a new axis."""
    axes = f"{result}.axes"
    resolver.settle_constant(axes, np.array([axis], np.int64), TensorProto.INT64, node.name)
    parts = [f"{result}.{index}" for index in range(len(names))]
    nodes = [
        helper.make_node("Unsqueeze", [name, axes], [part], name=node.name)
        for name, part in zip(names, parts, strict=True)
    ]
    return [*nodes, helper.make_node("Concat", parts, [result], name=node.name, axis=axis)]


def _split(resolver: Resolver, node: NodeProto) -> None:
    result, axis = node.output[0], int(attribute_of(node, "axis", 0))
    extent = resolver.shape(node.input[0], node)
    if not -len(extent) <= axis < len(extent):
        raise Diagnostic(
            "SplitToSequence splits along an axis that its input lacks",
            where=where_node(node),
            expected=f"one of the {len(extent)} axes of {list(extent)}",
            found=str(axis),
            remedy="correct the attribute 'axis' in the model",
        )
    sizes = _sizes(resolver, node, extent[axis])
    keeps = (len(node.input) > 1 and bool(node.input[1])) or bool(attribute_of(node, "keepdims", 1))
    parts = [f"{result}.{index}" for index in range(len(sizes))]
    split, axes = f"{result}.split", f"{result}.axes"
    resolver.settle_constant(split, np.array(sizes, np.int64), TensorProto.INT64, node.name)
    resolver.settle_constant(axes, np.array([axis], np.int64), TensorProto.INT64, node.name)
    nodes = [helper.make_node("Split", [node.input[0], split], parts, name=node.name, axis=axis)] if parts else []
    resolver.sequences[result] = parts if keeps else [f"{part}.squeezed" for part in parts]
    if not keeps:
        nodes += [helper.make_node("Squeeze", [part, axes], [f"{part}.squeezed"], name=node.name) for part in parts]
    resolver.push_newest(nodes)


def _sizes(resolver: Resolver, node: NodeProto, extent: int) -> list[int]:
    name = node.input[1] if len(node.input) > 1 else ""
    constant = resolver.constant(name) if name else None
    if name and constant is None:
        raise Diagnostic(
            "the sizes of SplitToSequence are not constant",
            where=where_node(node),
            expected="a constant, or an input that --input-value gives",
            found=f'"{name}"',
            remedy="give an input that decides them with --input-value, or export the model without sequences",
        )
    if constant is None:
        return [1] * extent
    if constant.array.ndim:
        return [int(size) for size in constant.array]
    size = int(constant.array)
    if size <= 0:
        raise Diagnostic(
            "the parts of SplitToSequence have no elements",
            where=where_node(node),
            expected="parts of one entry or more",
            found=str(size),
            remedy="correct the size of the parts in the model",
        )
    return [min(size, extent - start) for start in range(0, extent, size)]


# Optionals: one that holds something is that itself, an empty one a sequence that is named so


def _optional(resolver: Resolver, node: NodeProto) -> None:
    if not node.input or not node.input[0]:
        resolver.empty_optionals.add(node.output[0])
        return
    _pass_on(resolver, node)


def _pass_on(resolver: Resolver, node: NodeProto) -> None:
    if resolver.sequence(node.input[0]) is not None:
        _identity(resolver, node)
        return
    resolver.push_newest([helper.make_node("Identity", [node.input[0]], node.output, name=node.name)])


def _has_element(resolver: Resolver, node: NodeProto) -> None:
    operand = node.input[0] if node.input else ""
    holds = np.array(bool(operand) and operand not in resolver.empty_optionals)
    resolver.settle_constant(node.output[0], holds, TensorProto.BOOL, node.name)


def _get_element(resolver: Resolver, node: NodeProto) -> None:
    if node.input[0] in resolver.empty_optionals:
        raise Diagnostic(
            "OptionalGetElement of an empty optional",
            where=where_node(node),
            expected="an optional that holds a tensor or a sequence",
            found=f'"{node.input[0]}" without an element',
            remedy="give a shape for the optional input with --input-shape",
        )
    _pass_on(resolver, node)


RULES: Registry[str, Callable[[Resolver, NodeProto], None]] = Registry(
    "sequences",
    {
        "SequenceEmpty": _empty,
        "SequenceConstruct": _construct,
        "SequenceInsert": _insert,
        "SequenceErase": _erase,
        "SequenceAt": _at,
        "SequenceLength": _length,
        "ConcatFromSequence": _concat,
        "SplitToSequence": _split,
        "Identity": _identity,
        "Optional": _optional,
        "OptionalHasElement": _has_element,
        "OptionalGetElement": _get_element,
    },
)
"""Operator -> what resolves it."""
