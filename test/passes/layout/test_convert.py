"""Conversion of random graphs: as many transposes as the best of all assignments of layouts has, and equal results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes.canonicalize import CanonicalizePass
from tilewright.passes.convert_layout import ConvertLayoutPass
from tilewright.runtime.interpreter import Interpreter, load_rules

CONTEXT = new_context()
ORDERS = list(permutations(range(3)))
PARALLEL = '["parallel", "parallel", "parallel"]'
MOST_FREE = 4
"""Ops of a graph that are free in their layout: each has six."""
SAME = "affine_map<(d0, d1, d2) -> (d0, d1, d2)>"
KINDS = ("conv", "transpose", "transpose", "add", "unary", "concat", "slice", "repeat", "gather")
ROW_MAJOR, LAST = (0, 1, 2), (0, 2, 1)


@dataclass
class Node:
    """Op of a graph on tensors of three axes; the operands are nodes before it."""

    kind: str
    operands: list[int]
    shape: tuple[int, ...]
    permutation: tuple[int, ...] = ROW_MAJOR
    axis: int = 0


@dataclass
class Graph:
    """Graph of ops that are free in their layout, transposes, and convolutions that demand channels-last."""

    nodes: list[Node] = field(default_factory=list[Node])
    outputs: list[int] = field(default_factory=list[int])

    def text(self) -> str:
        """Return the graph as a function of tensors."""
        lines = [line for index, node in enumerate(self.nodes) for line in _lines(index, node, self.nodes)]
        inputs = [f"%v{i} : {_type(node)}" for i, node in enumerate(self.nodes) if node.kind == "input"]
        types = [_type(self.nodes[index]) for index in self.outputs]
        returned = ", ".join(f"%v{index}" for index in self.outputs)
        body = "\n".join([*lines, f"func.return {returned} : {', '.join(types)}"])
        return f"func.func @f({', '.join(inputs)}) -> ({', '.join(types)}) {{\n{body}\n}}"

    def transposes(self, produced: Sequence[tuple[int, ...]]) -> int:
        """Return how many copies an assignment of a layout to each node needs; a transpose is its operand."""
        wanted: list[set[tuple[int, ...]]] = [set() for _ in produced]
        pairs = [(node, order) for node, order in zip(self.nodes, produced, strict=True) if node.kind != "transpose"]
        ends = [(operand, order) for node, order in pairs for operand in node.operands]
        for index, order in [*ends, *((index, ROW_MAJOR) for index in self.outputs)]:
            while self.nodes[index].kind == "transpose":
                order = tuple(self.nodes[index].permutation[axis] for axis in order)
                index = self.nodes[index].operands[0]
            wanted[index].add(order)
        return sum(len(orders - {order}) for orders, order in zip(wanted, produced, strict=True))

    def least(self) -> int:
        """Return the fewest copies of all assignments."""
        demands = {"input": [ROW_MAJOR], "conv": [LAST], "transpose": [ROW_MAJOR]}
        return min(map(self.transposes, product(*(demands.get(node.kind, ORDERS) for node in self.nodes))))


def _type(node: Node) -> str:
    return f"tensor<{'x'.join(map(str, node.shape))}xi32>"


def _lines(index: int, node: Node, nodes: Sequence[Node]) -> Iterator[str]:
    of = ", ".join(f"%v{operand}" for operand in node.operands)
    types = ", ".join(_type(nodes[operand]) for operand in node.operands)
    out = f"outs(%e{index} : {_type(node)})"
    if node.kind == "input":
        return
    yield f"%e{index} = tensor.empty() : {_type(node)}"
    match node.kind:
        case "conv":
            taps = f"tensor<{node.shape[1]}x{nodes[node.operands[0]].shape[1]}x1xi32>"
            numbers = np.arange(node.shape[1] * nodes[node.operands[0]].shape[1]).reshape(node.shape[1], -1, 1)
            yield f"%w{index} = arith.constant dense<{numbers.tolist()}> : {taps}"
            options = "strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64"
            sums = "accumulator = i32, wraps"
            yield f"%v{index} = nn.conv ins({of}, %w{index} : {types}, {taps}) {out} {{{options}, {sums}}}"
        case "transpose":
            order = list(node.permutation)
            yield f"%v{index} = linalg.transpose ins({of} : {types}) {out} permutation = {order}"
        case "concat":
            yield f"%v{index} = tensor.concat dim({node.axis}) {of} : ({types}) -> {_type(node)}"
        case "slice":
            place = "[1, 0, 0] [{}, {}, {}] [1, 1, 1]".format(*node.shape)
            yield f"%v{index} = tensor.extract_slice {of}{place} : {types} to {_type(node)}"
        case "repeat":
            maps = f"[affine_map<(d0, d1, d2) -> (d0, d1 floordiv 2, d2)>, {SAME}]"
            yield f"%v{index} = linalg.generic {{indexing_maps = {maps}, iterator_types = {PARALLEL}}}"
            yield f"ins({of} : {types}) {out} {{\n^bb0(%a: i32, %b: i32):\nlinalg.yield %a : i32\n}} -> {_type(node)}"
        case "gather":
            yield f"%v{index} = linalg.generic {{indexing_maps = [{SAME}], iterator_types = {PARALLEL}}} {out} {{"
            yield "^bb0(%a: i32):\n%i = linalg.index 0 : index"
            yield "%j = linalg.index 1 : index\n%k = linalg.index 2 : index"
            yield f"%c = arith.constant {node.shape[1] - 1} : index\n%r = arith.subi %c, %j : index"
            yield f"%x = tensor.extract {of}[%i, %r, %k] : {types}\nlinalg.yield %x : i32\n}} -> {_type(node)}"
        case _:
            maps = ", ".join([SAME] * (len(node.operands) + 1))
            yield f"%v{index} = linalg.generic {{indexing_maps = [{maps}], iterator_types = {PARALLEL}}}"
            arguments = ", ".join(f"%a{i}: i32" for i in range(len(node.operands) + 1))
            yield f"ins({of} : {types}) {out} {{\n^bb0({arguments}):"
            yield f"%s = arith.subi %a0, %a{len(node.operands) - 1} : i32\n%t = arith.shli %a0, %s : i32"
            yield f"linalg.yield %{'s' if len(node.operands) > 1 else 't'} : i32\n}} -> {_type(node)}"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = [Node("input", [], (3, 4, 5)) for _ in range(draw(st.integers(1, 2)))]
    for _ in range(draw(st.integers(1, 6))):
        x = draw(st.integers(0, len(nodes) - 1))
        shape = nodes[x].shape
        is_full = sum(node.kind not in ("input", "conv", "transpose") for node in nodes) == MOST_FREE
        match "conv" if is_full else draw(st.sampled_from(KINDS)):
            case "conv":
                nodes.append(Node("conv", [x], (shape[0], 6, shape[2])))
            case "transpose":
                order = draw(st.sampled_from(ORDERS[1:]))
                nodes.append(Node("transpose", [x], tuple(shape[axis] for axis in order), order))
            case "concat":
                extents = list(shape)
                extents[axis := draw(st.integers(0, 2))] *= 2
                nodes.append(Node("concat", [x, x], tuple(extents), axis=axis))
            case "slice" if shape[0] > 2:
                nodes.append(Node("slice", [x], (shape[0] - 1, *shape[1:])))
            case "add":
                others = [i for i, node in enumerate(nodes) if node.shape == shape]
                nodes.append(Node("add", [x, draw(st.sampled_from(others))], shape))
            case "repeat":
                nodes.append(Node("repeat", [x], (shape[0], shape[1] * 2, shape[2])))
            case "gather":
                nodes.append(Node("gather", [x], shape))
            case _:
                nodes.append(Node("unary", [x], shape))
    used = {operand for node in nodes for operand in node.operands}
    return Graph(nodes, [i for i in range(len(nodes)) if i not in used or draw(st.integers(0, 4)) == 0])


GATHERED = Graph(
    [
        Node("input", [], (3, 4, 5)),
        Node("gather", [0], (3, 4, 5)),
        Node("conv", [1], (3, 6, 5)),
        Node("conv", [1], (3, 6, 5)),
        Node("unary", [1], (3, 4, 5)),
    ],
    [0, 2, 3, 4],
)
"""A tensor that only a gather reads: its copy counts as that of an operand does."""


@pytest.mark.sample(14)
@given(graphs())
@example(GATHERED)
@settings(max_examples=60, deadline=None)
def test_random_graphs_have_the_fewest_transposes(graph: Graph) -> None:
    before, after = (parse_module(CONTEXT, graph.text()) for _ in range(2))
    ConvertLayoutPass().apply(CONTEXT, after)
    verify(after)
    CanonicalizePass().apply(CONTEXT, after)
    assert str(after).count("linalg.transpose") == graph.least()
    inputs = [
        np.arange(prod(node.shape), dtype=np.int32).reshape(node.shape) * (i + 1)
        for i, node in enumerate(graph.nodes)
        if node.kind == "input"
    ]
    load_rules(before)
    expected, found = (Interpreter(module).call("f", inputs) for module in (before, after))
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
