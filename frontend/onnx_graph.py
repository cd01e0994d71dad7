"""An ONNX model as the importer works on it: nodes, constants as arrays, declared types; names checked on reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import Message
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, defs, helper
from onnx.defs import OpSchema

from ..dialects.onnx import op_class
from ..dialects.onnx.registry import mentions
from ..errors import Diagnostic, did_you_mean
from .operator_names import check_operators
from .order import bodies_of, defined_names, produced_twice, sorted_nodes, where_node, with_inner
from .tensors import Constant, read_sparse, read_tensor, type_name

OLDEST_OPSET = 7

_GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


@dataclass
class Graph:
    """
    A network before it becomes IR.

    Nodes are copies, each with a name; `constants` are initialisers and Constant nodes, by tensor; `declared` are the
    types that the file states, which need not be complete or right. `rows` are those of caches that become state,
    which may be of an open length.
    """

    name: str
    opset: int
    nodes: list[NodeProto]
    constants: dict[str, Constant]
    inputs: list[ValueInfoProto]
    outputs: list[ValueInfoProto]
    declared: dict[str, TypeProto]
    folder: Path | None = None
    rows: int = 0
    is_open: bool = False
    _fresh: set[str] = field(default_factory=set[str])

    def copy(self) -> Graph:
        """Return a graph that can be settled without changing this one; constants are shared."""
        nodes = [NodeProto() for _ in self.nodes]
        for copied, node in zip(nodes, self.nodes, strict=True):
            copied.CopyFrom(node)
        parts = {"constants": dict(self.constants), "declared": dict(self.declared), "_fresh": set(self._fresh)}
        return replace(self, nodes=nodes, inputs=list(self.inputs), outputs=list(self.outputs), **parts)

    def add_constant(self, node: NodeProto, role: str, array: np.ndarray, data_type: int) -> str:
        """Add a constant that `node` gets as an input, and return its tensor's name."""
        base = f"{node.output[0]}.{role}"
        name, count = base, 0
        while name in self.constants or name in self.declared or name in self._fresh:
            count += 1
            name = f"{base}_{count}"
        self._fresh.add(name)
        self.constants[name] = Constant(array, data_type, node.name)
        return name


def schema_of(node: NodeProto) -> OpSchema:
    """Return the schema of a node that was checked to have one."""
    cls = op_class(node.op_type, node.domain)
    assert cls is not None, f"{node.op_type} was checked before"
    return cls.SCHEMA


def has_body(node: NodeProto) -> bool:
    """Return whether a node holds a graph."""
    return any(attribute.type in _GRAPHS for attribute in node.attribute)


def check_texts(message: Message) -> None:
    """Raise Diagnostic where a text in a protobuf is none: it holds bytes that are not UTF-8."""
    # Of tensors only what is no data is looked at: data are large.
    fields = ("name", "doc_string", "external_data") if isinstance(message, TensorProto) else None
    for field_, value in message.ListFields() if fields is None else ():
        if field_.type == field_.TYPE_STRING:
            _check_text(field_.name, value)
        elif field_.type == field_.TYPE_MESSAGE:
            for part in value if not isinstance(value, Message) else (value,):
                check_texts(part)
    for name in fields or ():
        value = getattr(message, name)
        for part in value if name == "external_data" else ():
            check_texts(part)
        _check_text(name, value if name != "external_data" else "")


def _check_text(name: str, value: Any) -> None:
    for text in (value,) if isinstance(value, (str, bytes)) else value:
        if isinstance(text, bytes):
            raise Diagnostic(
                f"a text in the model is not UTF-8: '{name}'",
                expected="UTF-8",
                found=str(text[:40]),
                remedy="the file is damaged: export or copy the model again",
            )


def check_given(graph: Graph, what: str, names: Iterable[str]) -> None:
    """Raise Diagnostic where the user gives a shape, type or value, as `what` says, for an input that is not there."""
    inputs = [value.name for value in graph.inputs]
    for name in names:
        if name not in inputs:
            raise Diagnostic(
                f"a {what} is given for an input that the model lacks",
                where=f'input "{name}"',
                expected="one of " + ", ".join(f'"{declared}"' for declared in inputs),
                found=name,
                remedy=did_you_mean(name, inputs) or "correct the name",
            )


def read_graph(model: ModelProto, folder: Path | None) -> Graph:
    """
    Read the main graph of a model, its nodes in topological order.

    Raises Diagnostic for what is not there, not unique, not known or in a cycle.
    """
    proto = model.graph
    if not proto.node and not proto.output:
        raise Diagnostic(
            "the graph is empty", expected="nodes and outputs", found="neither", remedy="export or copy the model again"
        )
    if not proto.output:
        raise Diagnostic(
            "the graph has no outputs",
            expected="one output or more",
            found=f"{len(proto.node)} nodes and no output",
            remedy="mark the results as graph outputs when exporting",
        )
    nodes = _named_copies(proto)
    check_operators(list(with_inner(nodes)))
    opset = _opset(model, nodes)
    constants = _initialisers(proto, folder)
    nodes = [node for node in nodes if not _take_constant(node, constants, folder)]
    inputs = [value for value in proto.input if value.name not in constants]
    declared = {value.name: value.type for value in (*proto.input, *proto.value_info, *proto.output)}
    graph = Graph(proto.name or "network", opset, nodes, constants, inputs, _outputs(proto), declared, folder)
    _check_unique((value.name for value in graph.inputs), "input")
    origins = {value.name: "an input" for value in inputs} | dict.fromkeys(constants, "a constant")
    graph.nodes = sorted_nodes(nodes, origins, [value.name for value in proto.output], origins.__contains__)
    return graph


def _outputs(proto: GraphProto) -> list[ValueInfoProto]:
    """
    Return the outputs of a graph, a tensor that is listed several times once: results are known by their names.

    Raises Diagnostic where it is listed with several element types.
    """
    outputs: dict[str, ValueInfoProto] = {}
    for value in proto.output:
        first = outputs.setdefault(value.name, value)
        kinds = [port.type.tensor_type.elem_type for port in (first, value)]
        if kinds[0] != kinds[1]:
            raise Diagnostic(
                "a tensor is listed twice as an output of the graph, with two types",
                where=f'output "{value.name}"',
                expected="one type",
                found=" and ".join(map(type_name, kinds)),
                remedy="remove one of the two outputs, or correct its type",
            )
    return list(outputs.values())


def body_graph(node: NodeProto, name: str) -> GraphProto | None:
    """Return a graph that a node holds, None where it has none of that name."""
    return next(
        (attribute.g for attribute in node.attribute if attribute.name == name and attribute.HasField("g")), None
    )


def read_body(
    proto: GraphProto, graph: Graph, prefix: str, names: dict[str, str], is_known: Callable[[str], bool]
) -> tuple[list[NodeProto], list[str]]:
    """
    Return copies of the nodes of a graph that a node holds, sorted, and the names of its outputs.

    Its constants are added to those of `graph`. What it defines has the prefix in front of its name; `names` are those
    of its inputs where these are bound to other tensors. `is_known` says what is there around it. Raises Diagnostic as
    `read_graph` does.
    """
    renamed = {name: f"{prefix}{name}" for name in defined_names(proto) if name} | names
    nodes = _named_copies(proto)
    for node in nodes:
        node.name = f"{prefix}{node.name}"
        _rename(node, renamed)
    check_operators(nodes)
    constants = {renamed[name]: value for name, value in _initialisers(proto, graph.folder).items()}
    nodes = [node for node in nodes if not _take_constant(node, constants, graph.folder)]
    graph.constants |= constants
    stated = {value.name: value.type for value in (*proto.value_info, *proto.output)}
    graph.declared |= {renamed[name]: kind for name, kind in stated.items() if name in renamed and name not in names}
    origins = {renamed[value.name]: "an input" for value in proto.input} | dict.fromkeys(constants, "a constant")
    outputs = [renamed.get(value.name, value.name) for value in proto.output]
    return sorted_nodes(nodes, origins, outputs, lambda name: name in origins or is_known(name)), outputs


def copies(node: NodeProto, sources: Sequence[str], results: Sequence[str]) -> list[NodeProto]:
    """Return the nodes that give results of a node, empty where they are left out, the values of other tensors."""
    return [
        helper.make_node("Identity", [source], [result], name=node.name)
        for source, result in zip(sources, results, strict=False)
        if result
    ]


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    """Rename the tensors of a node and of its subgraphs, except those that a subgraph defines."""
    for field_ in (node.input, node.output):
        for index, name in enumerate(field_):
            field_[index] = names.get(name, name)
    for body in bodies_of(node):
        own = defined_names(body)
        visible = {name: new for name, new in names.items() if name not in own}
        for inner in body.node:
            _rename(inner, visible)
        for value in body.output:
            value.name = visible.get(value.name, value.name)


def _opset(model: ModelProto, nodes: Sequence[NodeProto]) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    newest = defs.onnx_opset_version()
    if not versions and all(node.domain for node in nodes):
        return newest
    if not versions:
        raise Diagnostic(
            "the model does not say which opset of ai.onnx it is of",
            expected=f"an opset_import of ai.onnx, version {OLDEST_OPSET} to {newest}",
            found="none",
            remedy="export the model again",
        )
    if 0 < versions[0] < OLDEST_OPSET and all(_is_unchanged(node, versions[0]) for node in nodes):
        return versions[0]
    if not OLDEST_OPSET <= versions[0] <= newest:
        old = versions[0] < OLDEST_OPSET
        raise Diagnostic(
            f"the model's opset is too {'old' if old else 'new'}",
            expected=f"opset {OLDEST_OPSET} to {newest}",
            found=f"opset {versions[0]}",
            remedy="convert the model with onnx.version_converter" if old else "install a newer onnx package",
        )
    return versions[0]


def _is_unchanged(node: NodeProto, opset: int) -> bool:
    """Return whether an operator is the same in an older opset and in the oldest supported one."""
    if node.domain or not defs.has(node.op_type, opset, ""):
        return bool(node.domain)
    then, taken = (defs.get_schema(node.op_type, version, "") for version in (opset, OLDEST_OPSET))
    return then.since_version == taken.since_version


def _named_copies(proto: GraphProto) -> list[NodeProto]:
    copies: list[NodeProto] = []
    for original in proto.node:
        node = NodeProto()
        node.CopyFrom(original)
        copies.append(node)
    _name(copies)
    return copies


def _name(nodes: Iterable[NodeProto]) -> None:
    """Give nodes without a name one, those of graphs that nodes hold too."""
    for index, node in enumerate(nodes):
        node.name = node.name or f"{node.op_type}_{index}"
        for body in bodies_of(node):
            _name(body.node)


# Operators


def nodes_of(model: ModelProto) -> list[NodeProto]:
    """Return copies of all nodes of a model, each with a name, those of graphs that nodes hold too."""
    return list(with_inner(_named_copies(model.graph)))


# Constants


def _initialisers(proto: GraphProto, folder: Path | None) -> dict[str, Constant]:
    _check_unique((tensor.name for tensor in proto.initializer), "initialiser")
    _check_unique((tensor.values.name for tensor in proto.sparse_initializer), "initialiser")
    dense = {tensor.name: read_tensor(tensor, folder, tensor.name) for tensor in proto.initializer}
    return dense | {
        tensor.values.name: read_sparse(tensor, folder, tensor.values.name) for tensor in proto.sparse_initializer
    }


def _check_unique(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Diagnostic(
                f"two tensors have one name: it is that of two {what}s",
                where=f'tensor "{name}"',
                expected="a name for each tensor",
                found=f'"{name}" twice',
                remedy="rename one of them",
            )
        seen.add(name)


_NUMBERS = {
    "value_float": TensorProto.FLOAT,
    "value_floats": TensorProto.FLOAT,
    "value_int": TensorProto.INT64,
    "value_ints": TensorProto.INT64,
}


@mentions("Constant")
def _take_constant(node: NodeProto, constants: dict[str, Constant], folder: Path | None) -> bool:
    """Enter the value of a Constant node among the constants; return whether it is one."""
    if (node.domain, node.op_type) != ("", "Constant"):
        return False
    attributes = [attribute for attribute in node.attribute if attribute.name.startswith(("value", "sparse_value"))]
    if len(attributes) != 1 or len(node.output) != 1:
        raise Diagnostic(
            "a Constant without one value and one output",
            where=where_node(node),
            expected="one attribute value, sparse_value, " + ", ".join(_NUMBERS),
            found=f"{', '.join(value.name for value in attributes) or 'no value'}; {len(node.output)} outputs",
            remedy="correct the node, or export the model again",
        )
    if node.output[0] in constants:
        raise produced_twice(node.output[0], [constants[node.output[0]].origin, node.name])
    attribute = attributes[0]
    if attribute.name == "value":
        constants[node.output[0]] = read_tensor(attribute.t, folder, node.name)
    elif attribute.name == "sparse_value":
        constants[node.output[0]] = read_sparse(attribute.sparse_tensor, folder, node.name)
    elif attribute.name in _NUMBERS:
        data_type = _NUMBERS[attribute.name]
        fields = {"value_float": attribute.f, "value_int": attribute.i}
        values = fields.get(attribute.name, attribute.floats or attribute.ints)
        dtype = np.float32 if data_type == TensorProto.FLOAT else np.int64
        constants[node.output[0]] = Constant(np.array(values, dtype), data_type, node.name)
    else:
        raise Diagnostic(
            f"a Constant given as '{attribute.name}' is not handled",
            where=where_node(node),
            expected="value, sparse_value, " + ", ".join(_NUMBERS),
            found=attribute.name,
            remedy="export the constant as a tensor of numbers",
        )
    return True
