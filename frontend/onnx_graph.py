"""An ONNX model as the importer works on it: nodes, constants as arrays, declared types; names checked on reading."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, defs

from ..dialects.onnx import op_class, op_types
from ..errors import Diagnostic, did_you_mean
from .tensors import Constant, read_tensor

OLDEST_OPSET = 7


@dataclass
class Graph:
    """
    A network before it becomes IR.

    Nodes are copies, each with a name; `constants` are initialisers and Constant nodes, by tensor; `declared` are the
    types that the file states, which need not be complete or right.
    """

    name: str
    opset: int
    nodes: list[NodeProto]
    constants: dict[str, Constant]
    inputs: list[ValueInfoProto]
    outputs: list[ValueInfoProto]
    declared: dict[str, TypeProto]
    folder: Path | None = None
    _fresh: set[str] = field(default_factory=set[str])

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


def where_node(node: NodeProto) -> str:
    """Return the place to name in an error about a node."""
    return f'node "{node.name}"'


def read_graph(model: ModelProto, folder: Path | None) -> Graph:
    """
    Return the model's main graph, its nodes in an order in which each follows what it needs.

    Raises Diagnostic for what is not there, not unique, not known or in a cycle.
    """
    proto = model.graph
    if not proto.node and not proto.output:
        raise Diagnostic("the graph is empty", expected="nodes and outputs", found="neither")
    if not proto.output:
        raise Diagnostic("the graph has no outputs", remedy="mark the results as graph outputs when exporting")
    if proto.sparse_initializer:
        raise Diagnostic(
            "sparse initialisers are not handled",
            where=f'tensor "{proto.sparse_initializer[0].values.name}"',
            remedy="export the weights as dense tensors",
        )
    nodes = _named_copies(proto)
    _check_operators(nodes)
    opset = _opset(model)
    constants = _initialisers(proto, folder)
    nodes = [node for node in nodes if not _take_constant(node, constants, folder)]
    graph = Graph(
        proto.name or "network",
        opset,
        nodes,
        constants,
        [value for value in proto.input if value.name not in constants],
        list(proto.output),
        {value.name: value.type for value in (*proto.input, *proto.value_info, *proto.output)},
        folder,
    )
    _check_unique((value.name for value in graph.inputs), "input")
    graph.nodes = _sorted(graph)
    return graph


def _opset(model: ModelProto) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    newest = defs.onnx_opset_version()
    if not versions:
        raise Diagnostic(
            "the model does not say which opset of ai.onnx it is of",
            expected=f"an opset_import of ai.onnx, version {OLDEST_OPSET} to {newest}",
            found="none",
            remedy="export the model again",
        )
    if not OLDEST_OPSET <= versions[0] <= newest:
        old = versions[0] < OLDEST_OPSET
        raise Diagnostic(
            f"the model's opset is too {'old' if old else 'new'}",
            expected=f"opset {OLDEST_OPSET} to {newest}",
            found=f"opset {versions[0]}",
            remedy="convert the model with onnx.version_converter" if old else "install a newer onnx package",
        )
    return versions[0]


def _named_copies(proto: GraphProto) -> list[NodeProto]:
    copies: list[NodeProto] = []
    for index, original in enumerate(proto.node):
        node = NodeProto()
        node.CopyFrom(original)
        node.name = node.name or f"{node.op_type}_{index}"
        copies.append(node)
    return copies


# Operators


def _check_operators(nodes: Sequence[NodeProto]) -> None:
    """Give every node the domain of its schema. Raises one Diagnostic that names all operators not handled."""
    complaints: dict[tuple[str, str], tuple[str, str]] = {}
    for node in nodes:
        if complaint := _complaint(node):
            complaints.setdefault((node.domain, node.op_type), (node.name, complaint))
    if not complaints:
        return
    notes = [f'node "{node}": {complaint}' for node, complaint in complaints.values()]
    raise Diagnostic(
        f"{len(notes)} operator{'s are' if len(notes) > 1 else ' is'} not handled",
        where=f'node "{next(iter(complaints.values()))[0]}"',
        expected="operators of ONNX, or the quantised ones that docs/import.md lists",
        found=", ".join(name if not domain else f"{domain}::{name}" for domain, name in complaints),
        remedy="export the model with operators that are handled",
        notes=notes,
    )


def _complaint(node: NodeProto) -> str:
    domain = f" of the domain {node.domain}" if node.domain else ""
    if (cls := op_class(node.op_type, node.domain)) is None:
        return " ".join(filter(None, (f"{node.op_type}{domain} is unknown", did_you_mean(node.op_type, op_types()))))
    node.domain, node.op_type = cls.SCHEMA.domain, cls.SCHEMA.name
    if cls.get_irdl_definition().regions:
        return f"{node.op_type}{domain} holds a graph, which is not handled yet"
    return ""


# Constants


def _initialisers(proto: GraphProto, folder: Path | None) -> dict[str, Constant]:
    _check_unique((tensor.name for tensor in proto.initializer), "initialiser")
    return {tensor.name: read_tensor(tensor, folder, tensor.name) for tensor in proto.initializer}


def _check_unique(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Diagnostic(
                f"two tensors have one name: an {what} is there twice",
                where=f'tensor "{name}"',
                expected="a name for each tensor",
                remedy="rename one of them",
            )
        seen.add(name)


_NUMBERS = {
    "value_float": TensorProto.FLOAT,
    "value_floats": TensorProto.FLOAT,
    "value_int": TensorProto.INT64,
    "value_ints": TensorProto.INT64,
}


def _take_constant(node: NodeProto, constants: dict[str, Constant], folder: Path | None) -> bool:
    """Enter the value of a Constant node among the constants; return whether it is one."""
    if (node.domain, node.op_type) != ("", "Constant"):
        return False
    given = [attribute for attribute in node.attribute if attribute.name.startswith(("value", "sparse_value"))]
    if len(given) != 1 or len(node.output) != 1:
        raise Diagnostic("a Constant must have one value and one output", where=where_node(node))
    if node.output[0] in constants:
        raise _produced_twice(node.output[0], [constants[node.output[0]].origin, node.name])
    attribute = given[0]
    if attribute.name == "value":
        constants[node.output[0]] = read_tensor(attribute.t, folder, node.name)
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
            expected="value, " + ", ".join(_NUMBERS),
            remedy="export the constant as a dense tensor of numbers",
        )
    return True


def _produced_twice(tensor: str, producers: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "two nodes produce one tensor",
        where=f'tensor "{tensor}"',
        expected="one producer",
        found=" and ".join(f'"{name}"' for name in producers),
        remedy="rename the output of one of them",
    )


# Order


def _sorted(graph: Graph) -> list[NodeProto]:
    """Return the nodes, each after those it needs, as near to the file's order as that allows."""
    producers = _producers(graph)
    _check_produced(graph, producers)
    needs = [{producers[name] for name in node.input if name in producers} for node in graph.nodes]
    users: list[list[int]] = [[] for _ in graph.nodes]
    for index, needed in enumerate(needs):
        for producer in sorted(needed):
            users[producer].append(index)
    open_needs = [len(needed) for needed in needs]
    ready = [index for index, count in enumerate(open_needs) if count == 0]
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for user in users[index]:
            open_needs[user] -= 1
            if open_needs[user] == 0:
                heapq.heappush(ready, user)
    if len(order) < len(graph.nodes):
        cycle = [graph.nodes[index].name for index in _cycle(needs, set(range(len(needs))) - set(order))]
        raise Diagnostic(
            "the graph has a cycle",
            where=f'node "{cycle[0]}"',
            expected="nodes that need only what comes before them",
            found=" -> ".join(f'"{name}"' for name in [*cycle, cycle[0]]),
            remedy="break the cycle: pass state from call to call as an input and an output",
        )
    return [graph.nodes[index] for index in order]


def _producers(graph: Graph) -> dict[str, int]:
    producers: dict[str, int] = {}
    given = {value.name: "an input" for value in graph.inputs} | dict.fromkeys(graph.constants, "a constant")
    for index, node in enumerate(graph.nodes):
        for name in filter(None, node.output):
            if name in producers:
                raise _produced_twice(name, [graph.nodes[producers[name]].name, node.name])
            if name in given:
                raise _produced_twice(name, [given[name], node.name])
            producers[name] = index
    return producers


def _check_produced(graph: Graph, producers: dict[str, int]) -> None:
    known = producers.keys() | graph.constants.keys() | {value.name for value in graph.inputs}
    missing = [(node, name) for node in graph.nodes for name in node.input if name and name not in known]
    if missing:
        node, name = missing[0]
        raise Diagnostic(
            "a node needs a tensor that nothing produces",
            where=where_node(node),
            expected="an input, an initialiser or the output of a node",
            found=f'"{name}"',
            remedy=did_you_mean(name, sorted(known)) or "add the tensor as an input or an initialiser",
            notes=[f'{where_node(other)} needs "{text}"' for other, text in missing[1:]],
        )
    for value in graph.outputs:
        if value.name not in known:
            raise Diagnostic(
                "an output of the graph is never produced",
                where=f'output "{value.name}"',
                expected="the output of a node",
                remedy=did_you_mean(value.name, sorted(known)) or "remove the output",
            )


def _cycle(needs: Sequence[set[int]], rest: set[int]) -> Iterator[int]:
    """Yield the nodes of a cycle among `rest`, in the order in which data flow."""
    path = [min(rest)]
    while (previous := min(needs[path[-1]] & rest)) not in path:
        path.append(previous)
    loop = path[path.index(previous) :][::-1]
    first = loop.index(min(loop))
    yield from loop[first:] + loop[:first]
