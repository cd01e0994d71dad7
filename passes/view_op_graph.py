"""Graph of a program in Graphviz's DOT: ops as nodes, ops with regions as clusters, values as edges."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from shutil import which
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ..errors import Diagnostic
from ..files import write_text
from ..ir import DenseAttr
from .core.base import Pass

_LARGEST = 16
"""The elements of a constant or a list that a label shows: upstream's limit for elided attributes."""


@dataclass(frozen=True)
class GraphContents:
    """Contents of a graph beside its ops; texts in labels are cut to `label_length` characters."""

    label_length: int
    attributes: bool
    control_flow: bool
    data_flow: bool
    result_types: bool


class _Node(NamedTuple):
    """Node of a graph; of an op with regions the anchor in its cluster."""

    number: int
    cluster: int = 0


class _Edge(NamedTuple):
    """Edge of a graph, from a node or from that of a value, which may be defined after its use."""

    start: _Node | SSAValue
    end: _Node
    label: str
    style: str


@dataclass
class _Graph:
    """Graph that is written, with the names that nodes and clusters have."""

    contents: GraphContents
    colours: Mapping[str, str]
    lines: list[str] = field(default_factory=list[str])
    data_flow: list[_Edge] = field(default_factory=list[_Edge])
    control_flow: list[_Edge] = field(default_factory=list[_Edge])
    nodes: dict[SSAValue, _Node] = field(default_factory=dict[SSAValue, _Node])
    depth: int = 1
    count: int = 0

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{'  ' * self.depth}{text}")

    def node(self, label: str, shape: str = "ellipse", colour: str = "") -> _Node:
        """Add a node."""
        self.count += 1
        attributes = {"label": _quoted(label), "shape": shape}
        attributes |= {"style": "filled", "fillcolor": f'"{colour}"'} if colour else {}
        self.line(f"v{self.count} {_listed(attributes)};")
        return _Node(self.count)

    @contextmanager
    def cluster(self, label: str = "") -> Generator[_Node]:
        """Add a cluster with what the body adds, and an anchor for the ends of edges."""
        self.count += 1
        number = self.count
        self.line(f"subgraph cluster_{number} {{")
        self.depth += 1
        anchor = self.node(" ", "plain")
        self.line(f"label = {_quoted(label)};")
        yield _Node(anchor.number, number)
        self.depth -= 1
        self.line("}")

    def edge(self, edge: _Edge) -> str:
        """Return the line of an edge; one that is clipped at a cluster has no label."""
        start = self.nodes[edge.start] if isinstance(edge.start, SSAValue) else edge.start
        attributes = {"style": edge.style}
        attributes |= {} if start.cluster or edge.end.cluster else {"label": _quoted(edge.label)}
        attributes |= {"ltail": f"cluster_{start.cluster}"} if start.cluster else {}
        attributes |= {"lhead": f"cluster_{edge.end.cluster}"} if edge.end.cluster else {}
        return f"  v{start.number} -> v{edge.end.number} {_listed(attributes)};"

    def op(self, op: Operation) -> _Node:
        """Add an op, those inside of it, and the edges of its operands."""
        label = _label(op, self.contents)
        if op.regions:
            with self.cluster(label) as node:
                for block in (block for region in op.regions for block in region.blocks):
                    self.block(block)
        else:
            node = self.node(label, colour=self.colours[_name(op)])
        if self.contents.data_flow:
            for index, operand in enumerate(op.operands):
                label = "" if len(op.operands) == 1 else str(index)
                self.data_flow.append(_Edge(operand, node, label, "solid"))
        self.nodes |= dict.fromkeys(op.results, node)
        return node

    def block(self, block: Block) -> None:
        """Add a block as a cluster of its arguments and ops."""
        with self.cluster():
            for argument in block.args:
                self.nodes[argument] = self.node(f"arg{argument.index}")
            previous: _Node | None = None
            for op in block.ops:
                node = self.op(op)
                if self.contents.control_flow and previous is not None:
                    self.control_flow.append(_Edge(previous, node, "", "dashed"))
                previous = node


def op_graph(module: Operation, contents: GraphContents) -> str:
    """Return the graph of a program in DOT, as upstream's view-op-graph prints it."""
    names = list(dict.fromkeys(_name(op) for op in module.walk(region_first=True)))
    colours = {name: f"{index / len(names):.6f} 1.0 1.0" for index, name in enumerate(names)}
    graph = _Graph(contents, colours)
    graph.op(module)
    edges = map(graph.edge, [*graph.control_flow, *graph.data_flow])
    return "\n".join(["digraph G {", "  compound = true;", *graph.lines, *edges, "}"])


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _label(op: Operation, contents: GraphContents) -> str:
    types = ", ".join(map(str, op.result_types))
    label = f"{_name(op)} : ({_cut(types, contents)})" if contents.result_types else _name(op)
    if not contents.attributes:
        return label
    attributes = sorted({**op.properties, **op.attributes}.items())
    return "\n".join([label, "", *(f"{name}: {_value(value, contents)}" for name, value in attributes)])


def _value(value: Attribute, contents: GraphContents) -> str:
    if isinstance(value, DenseIntOrFPElementsAttr):
        constant = cast(DenseAttr, value)
        shape = constant.get_shape()
        if prod(shape) > _LARGEST and not constant.is_splat():
            return f"{'[' * len(shape)}...{']' * len(shape)} : {constant.get_type()}"
    elif isinstance(value, ArrayAttr) and len(cast("ArrayAttr[Attribute]", value).data) > _LARGEST:
        return "[...]"
    return _cut(str(cast(Attribute, value)), contents)


def _cut(text: str, contents: GraphContents) -> str:
    return text if len(text) <= contents.label_length else f"{text[: contents.label_length]}..."


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _listed(attributes: Mapping[str, str]) -> str:
    return f"[{', '.join(f'{name} = {value}' for name, value in sorted(attributes.items()))}]"


def write_graph(dot: str, file: Path) -> None:
    """
    Write a graph in DOT to a file: to .dot as it is, to .svg as Graphviz draws it.

    Raises Diagnostic for other files, and where Graphviz is not installed or fails.
    """
    if file.suffix == ".dot":
        write_text(file, f"{dot}\n")
        return
    remedy = "install Graphviz (https://graphviz.org), or write the graph itself: output=graph.dot"
    if file.suffix != ".svg":
        raise Diagnostic("view-op-graph writes no such file", expected="a .svg or a .dot file", found=str(file))
    if (program := which("dot")) is None:
        raise Diagnostic("Graphviz, which draws graphs, is not installed: no 'dot' on PATH", remedy=remedy)
    done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Diagnostic(f"Graphviz draws no graph: {lines[0]}", remedy=remedy)
    write_text(file, done.stdout)


@dataclass(frozen=True)
class ViewOpGraphPass(Pass):
    """
    Print the graph of the program in Graphviz's DOT, to standard error.

    Each op is a node, and one with regions a cluster; an edge is an operand, with its number. `max_label_len` is the
    most characters of a type or attribute in a label. With `output` the graph is written to a file instead, .dot or
    .svg, which Graphviz draws. The program stays as it is. Upstream's pass of that name, which has no `output`.
    """

    name = "view-op-graph"

    max_label_len: int = 20
    print_attrs: bool = True
    print_control_flow_edges: bool = False
    print_data_flow_edges: bool = True
    print_result_types: bool = True
    output: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        contents = GraphContents(
            self.max_label_len,
            self.print_attrs,
            self.print_control_flow_edges,
            self.print_data_flow_edges,
            self.print_result_types,
        )
        graph = op_graph(op, contents)
        if self.output:
            write_graph(graph, Path(self.output))
        else:
            print(graph, file=sys.stderr)
