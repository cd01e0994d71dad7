"""Shape inputs: inputs of a model that decide the sizes of tensors, fixed before compilation to make shapes static."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np
from onnx import ModelProto, NodeProto

from ..dialects.onnx.registry import mentions
from ..errors import Diagnostic
from ..ir import Array, numpy_type
from .onnx_graph import Graph, check_given
from .operators import operator_of
from .order import taken, with_inner
from .tensor_info import info_of
from .tensors import Constant, element_type

_KNOWN_SHAPES = ("Shape", "Size")
"""Operators whose result depends on no value."""


def static_inputs(model: ModelProto) -> list[str]:
    """
    Return the inputs, in order, whose values decide the shape of a tensor, directly or through other nodes.

    Only those with one axis at most: what is larger is data, and a shape that depends on data is no static one.
    """
    graph = model.graph
    decide = deciding(graph.node)
    constants = {tensor.name for tensor in graph.initializer}
    return [
        value.name
        for value in graph.input
        if value.name in decide and value.name not in constants and len(value.type.tensor_type.shape.dim) <= 1
    ]


@mentions(*_KNOWN_SHAPES)
def deciding(nodes: Iterable[NodeProto], wanted: Iterable[str] = ()) -> set[str]:
    """Return all tensors whose values decide a shape among these nodes, or the values of the tensors `wanted`."""
    nodes = list(with_inner(nodes))
    producers = {name: node for node in nodes for name in node.output}
    pending = [
        node.input[position]
        for node in nodes
        for position in operator_of(node.op_type, node.domain).shape_inputs
        if position < len(node.input) and node.input[position]
    ]
    pending += wanted
    tensors: set[str] = set()
    while pending:
        name = pending.pop()
        if name in tensors:
            continue
        tensors.add(name)
        node = producers.get(name)
        if node is not None and node.op_type not in _KNOWN_SHAPES:
            pending += taken(node)
    return tensors


def value_remedy(graph: Graph, nodes: Iterable[NodeProto], names: Iterable[str]) -> str:
    """Return "give 'n' with --input-value, or " for the small inputs that tensors follow from, "" for none."""
    producers = {name: node for node in nodes for name in node.output}
    pending, seen = [name for name in names if name], set[str]()
    while pending:
        name = pending.pop()
        if name not in seen and name in producers:
            pending += taken(producers[name])
        seen.add(name)
    infos = {value.name: info_of(value.type) for value in graph.inputs if value.name in seen}
    small = [name for name, info in infos.items() if info is not None and len(info.shape or ()) <= 1]
    return f"give {' and '.join(map(repr, small))} with --input-value, or " if small else ""


def fix_inputs(graph: Graph, values: Mapping[str, Array]) -> None:
    """Make inputs constants of the given values. Raises Diagnostic for an unknown input or a value of another type."""
    check_given(graph, "value", values)
    for name, array in values.items():
        graph.constants[name] = _constant(name, np.asarray(array), graph)
    graph.inputs = [value for value in graph.inputs if value.name not in values]


def numbers(name: str, text: str) -> Array:
    """Return the numbers that a text such as "1,2.5" lists, as one axis. Raises Diagnostic where it lists none."""
    try:
        values = [int(word) if word.strip().lstrip("+-").isdecimal() else float(word) for word in text.split(",")]
    except ValueError as error:
        raise Diagnostic(
            "the value given for an input is not a list of numbers",
            where=f'input "{name}"',
            expected=f"{name}=1,2,3",
            found=text,
            remedy="separate numbers by commas",
        ) from error
    return np.array(values)


def _constant(name: str, values: Array, graph: Graph) -> Constant:
    info = info_of(graph.declared[name])
    if info is None:
        raise Diagnostic(
            "a value is given for an input that is not a tensor",
            where=f'input "{name}"',
            expected="an input of a tensor type",
            found=graph.declared[name].WhichOneof("value") or "no type",
            remedy="give values of tensors alone",
        )
    is_static = info.shape is not None and None not in info.shape
    if is_static and values.ndim == 1 and values.size == prod(dim or 0 for dim in info.shape or ()):
        values = values.reshape([dim or 0 for dim in info.shape or ()])
    array = values.astype(numpy_type(element_type(info.data_type, f'input "{name}"')))
    fits = info.shape is None or (
        len(info.shape) == values.ndim
        and all(d is None or d == n for d, n in zip(info.shape, values.shape, strict=True))
    )
    if not fits or not np.array_equal(array.astype(values.dtype), values, equal_nan=values.dtype.kind == "f"):
        raise Diagnostic(
            "the value given for an input is not of its type",
            where=f'input "{name}"',
            expected=f"{element_type(info.data_type, name)} of shape {list(info.shape or ())}",
            found=f"{values.dtype} of shape {list(values.shape)}",
            remedy="correct the value",
        )
    return Constant(array, info.data_type, name)
