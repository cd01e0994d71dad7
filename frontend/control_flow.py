"""
Graphs that nodes hold: written out where the way through them is known at import, else resolved by themselves.

An If whose condition is constant becomes its branch; a Loop of a constant number of turns, a Scan and a SequenceMap
become one copy of their body a turn, as long as that is small. What is inside a body gets new names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from ..dialects.onnx.registry import Registry
from ..errors import Diagnostic
from .attributes import attribute_of
from .dynamic_sizes import refuse_extents
from .kept_graphs import body_of, constant_number, is_endless, keep_loop, keep_scan, listed, settled
from .loop_counts import counted
from .onnx_graph import body_graph, copies, read_body
from .order import where_node
from .resolver import Resolver
from .sequences import stacked
from .tensor_info import TensorInfo, described, info_of

UNROLLED_NODES = 4096
"""The most nodes that a loop is written out to."""


def resolve_control_flow(resolver: Resolver, node: NodeProto) -> bool:
    """
    Write out a node that holds graphs, or resolve the graphs; return whether it is one.

    Raises Diagnostic where neither can be done.
    """
    if node.op_type not in BODIES or node.domain:
        return False
    missing = [name for name in BODIES[node.op_type] if body_graph(node, name) is None]
    if missing:
        raise Diagnostic(
            f"{node.op_type} lacks the graph '{missing[0]}'",
            where=where_node(node),
            expected=f"the attributes {', '.join(BODIES[node.op_type])}, each a graph",
            found=", ".join(attribute.name for attribute in node.attribute) or "no attributes",
            remedy="export the model again, with the graphs of its nodes",
        )
    RULES[node.op_type](resolver, node)
    return True


def _check_arity(node: NodeProto, body: GraphProto, inputs: int, outputs: int) -> None:
    if (len(body.input), len(body.output)) != (inputs, outputs):
        raise Diagnostic(
            f"the graph that {node.op_type} holds has not the inputs and outputs that the node asks for",
            where=where_node(node),
            expected=f"{inputs} inputs, {outputs} outputs",
            found=f"{len(body.input)} inputs, {len(body.output)} outputs",
            remedy="correct the node, or export the model again",
        )


def _inline(resolver: Resolver, node: NodeProto, body: GraphProto, prefix: str, arguments: Sequence[str]) -> list[str]:
    """Resolve a copy of a body next, its inputs bound to tensors; returns the names of its outputs."""
    names = {value.name: argument for value, argument in zip(body.input, arguments, strict=True)}
    nodes, outputs = read_body(body, resolver.graph, prefix, names, resolver.is_known)
    resolver.enter(nodes, outputs, node)
    return outputs


# If


def _if(resolver: Resolver, node: NodeProto) -> None:
    condition = constant_number(resolver, node.input[0])
    for name in BODIES["If"]:
        _check_arity(node, body_of(node, name), 0, len(node.output))
    if condition is None:
        bodies = {name: settled(resolver, node, name, []) for name in BODIES["If"]}
        infos: dict[str, TensorInfo] = {}
        then, otherwise = bodies.values()
        for name, one, other in zip(node.output, then.graph.outputs, otherwise.graph.outputs, strict=True):
            info = then.info(one.name)
            if info is not None and info == otherwise.info(other.name):
                infos[name] = info
        resolver.keep(node, infos, bodies)
        return
    chosen = body_of(node, "then_branch" if condition else "else_branch")
    prefix = resolver.prefix(node)
    resolver.push([lambda: resolver.push_newest(copies(node, outputs, node.output))])
    outputs = _inline(resolver, node, chosen, prefix, [])


# Loop


def _loop(resolver: Resolver, node: NodeProto) -> None:
    body, carried = body_of(node, "body"), list(node.input[2:])
    _check_arity(node, body, 2 + len(carried), 1 + len(node.output))
    inputs = [*node.input, "", ""][:2]
    turns, condition = (constant_number(resolver, name) for name in inputs)
    if not any(inputs):
        raise Diagnostic(
            "a Loop without end: it has neither a number of iterations nor a condition",
            where=where_node(node),
            expected="a maximum trip count as input 0, or a condition as input 1",
            found="both are left out",
            remedy="give the Loop one of them in the model",
        )
    if (inputs[0] == "" or turns is not None) and not is_endless(resolver, node):
        if (fixed := counted(resolver, node, body, turns)) is not None:
            _loop(resolver, fixed)
            return
    is_open = (inputs[0] and turns is None) or (inputs[1] and condition is None)
    if is_open or (turns is not None and max(turns, 0) * len(body.node) > UNROLLED_NODES):
        keep_loop(resolver, node)
        return
    unrolled = _Unrolled(resolver, node, body, turns, carried)
    unrolled.turn(condition is None or bool(condition))


@dataclass
class _Unrolled:
    """A Loop that is being written out."""

    resolver: Resolver
    node: NodeProto
    body: GraphProto
    turns: int | None
    carried: list[str]
    scanned: list[list[str]] = field(default_factory=list[list[str]])

    def __post_init__(self) -> None:
        self._start = len(self.resolver.nodes)
        self._prefix, self._own = (self.resolver.prefix(self.node) for _ in range(2))
        self.scanned = [[] for _ in range(len(self.node.output) - len(self.carried))]
        self._count = 0

    def turn(self, goes_on: bool | None) -> None:
        """Unroll one more iteration, or the nodes after the last; None where the condition depends on data."""
        written = (self._count + 1) * len(self.body.node)
        if goes_on is None or (goes_on and self.turns is None and written > UNROLLED_NODES):
            self.resolver.truncate(self._start)
            keep_loop(self.resolver, self.node)
            return
        if not goes_on or self._count == self.turns or (self.turns is not None and self.turns <= 0):
            self._finish()
            return
        prefix = f"{self._prefix}{self._count}."
        number, condition = f"{self._own}{self._count}.turn", f"{self._own}{self._count}.goes_on"
        self.resolver.settle_constant(number, np.array(self._count, np.int64), TensorProto.INT64, self.node.name)
        self.resolver.settle_constant(condition, np.array(True), TensorProto.BOOL, self.node.name)
        self._count += 1
        self.resolver.push([lambda: self._turned(outputs)])
        outputs = _inline(self.resolver, self.node, self.body, prefix, [number, condition, *self.carried])

    def _turned(self, outputs: Sequence[str]) -> None:
        goes_on = constant_number(self.resolver, outputs[0])
        self.carried = list(outputs[1 : 1 + len(self.carried)])
        for names, name in zip(self.scanned, outputs[1 + len(self.carried) :], strict=True):
            names.append(name)
        self.turn(None if goes_on is None else bool(goes_on))

    def _finish(self) -> None:
        outputs = self.node.output
        nodes = copies(self.node, self.carried, outputs)
        for port, names, result in zip(
            self.body.output[1 + len(self.carried) :], self.scanned, outputs[len(self.carried) :], strict=True
        ):
            if not names and result:
                info = info_of(port.type)
                _settle_empty(self.resolver, self.node, result, info)
            elif result:
                nodes += stacked(self.resolver, self.node, names, result, 0)
        self.resolver.push_newest(nodes)


def _settle_empty(resolver: Resolver, node: NodeProto, result: str, info: TensorInfo | None) -> None:
    """Replace the scan outputs of a loop without iterations by constants."""
    if info is None or info.shape is None or None in info.shape:
        raise Diagnostic(
            "the shape of a scan output of a Loop without iterations is not known",
            where=where_node(node),
            expected="a body whose outputs have known shapes",
            found=f'"{result}" {described(info)}',
            remedy="store the type of the body's outputs as value_info",
        )
    shape = [0, *(dim for dim in info.shape if dim is not None)]
    array = np.zeros(shape, helper.tensor_dtype_to_np_dtype(info.data_type))
    resolver.settle_constant(result, array, info.data_type, node.name)


# Scan


def _scan(resolver: Resolver, node: NodeProto) -> None:
    body, count = body_of(node, "body"), int(attribute_of(node, "num_scan_inputs", 0))
    states = len(node.input) - count
    collected = len(node.output) - states
    if resolver.graph.opset < 9:
        raise Diagnostic(
            "the Scan of opset 8 is not handled",
            where=where_node(node),
            expected="opset 9 or newer",
            found=f"opset {resolver.graph.opset}",
            remedy="convert the model with onnx.version_converter",
        )
    if not 0 < count <= len(node.input):
        raise Diagnostic(
            "a Scan has fewer inputs than it scans, or scans none",
            where=where_node(node),
            expected=f"num_scan_inputs from 1 to {len(node.input)}",
            found=str(count),
            remedy="correct num_scan_inputs in the model",
        )
    _check_arity(node, body, len(node.input), len(node.output))
    refuse_extents(resolver, node, node.input[states:], "scans")
    shapes = [resolver.shape(name, node) for name in node.input[states:]]
    axes = listed(node, "scan_input_axes", count)
    if any(not -len(shape) <= axis < len(shape) for shape, axis in zip(shapes, axes, strict=True)):
        raise Diagnostic(
            "a Scan scans along an axis that its input lacks",
            where=where_node(node),
            expected=f"an axis of each of the shapes {[list(shape) for shape in shapes]}",
            found=f"scan_input_axes = {axes}",
            remedy="correct scan_input_axes in the model",
        )
    lengths = [shape[axis] for shape, axis in zip(shapes, axes, strict=True)]
    if len(set(lengths)) != 1:
        raise Diagnostic(
            "the inputs that a Scan scans differ in length",
            where=where_node(node),
            expected="one length along the scanned axes",
            found=f"the lengths {lengths} of the shapes {[list(shape) for shape in shapes]}",
            remedy="correct the shapes in the model, or those given with --input-shape",
        )
    if lengths[0] * len(body.node) > UNROLLED_NODES:
        keep_scan(resolver, node, shapes, axes, lengths[0])
        return
    _Scanned(
        resolver,
        node,
        body,
        lengths[0],
        list(zip(node.input[states:], axes, listed(node, "scan_input_directions", count), strict=True)),
        list(
            zip(
                listed(node, "scan_output_axes", collected),
                listed(node, "scan_output_directions", collected),
                strict=True,
            )
        ),
        list(node.input[:states]),
    ).turn(0)


@dataclass
class _Scanned:
    """Unrolling of a Scan."""

    resolver: Resolver
    node: NodeProto
    body: GraphProto
    length: int
    inputs: list[tuple[str, int, int]]
    """Name, axis and direction of each input that is scanned."""
    outputs: list[tuple[int, int]]
    """Axis and direction of each output that is collected."""
    states: list[str]

    def __post_init__(self) -> None:
        self._prefix, self._own = (self.resolver.prefix(self.node) for _ in range(2))
        self._collected: list[list[str]] = [[] for _ in self.outputs]

    def turn(self, index: int) -> None:
        """Unroll the iterations from `index` on."""
        if index == self.length:
            self._finish()
            return
        prefix = f"{self._prefix}{index}."
        slices = [
            self._slice(
                f"{self._own}{index}.slice{number}", name, axis, self.length - 1 - index if backwards else index
            )
            for number, (name, axis, backwards) in enumerate(self.inputs)
        ]
        self.resolver.push([lambda: self._turned(index, outputs)])
        outputs = _inline(
            self.resolver, self.node, self.body, prefix, [*self.states, *(node.output[0] for node in slices)]
        )
        self.resolver.push_newest(slices)

    def _slice(self, result: str, name: str, axis: int, index: int) -> NodeProto:
        position = f"{result}.index"
        self.resolver.settle_constant(position, np.array(index, np.int64), TensorProto.INT64, self.node.name)
        return helper.make_node("Gather", [name, position], [result], name=self.node.name, axis=axis)

    def _turned(self, index: int, outputs: Sequence[str]) -> None:
        self.states = list(outputs[: len(self.states)])
        for names, name in zip(self._collected, outputs[len(self.states) :], strict=True):
            names.append(name)
        self.turn(index + 1)

    def _finish(self) -> None:
        count = len(self.states)
        nodes = copies(self.node, self.states, self.node.output)
        results = zip(self.body.output[count:], self.outputs, self._collected, self.node.output[count:], strict=True)
        for port, (axis, backwards), names, result in results:
            if not names and result:
                _settle_empty(self.resolver, self.node, result, info_of(port.type))
            elif result:
                nodes += stacked(self.resolver, self.node, names[::-1] if backwards else names, result, axis)
        self.resolver.push_newest(nodes)


# SequenceMap


def _sequence_map(resolver: Resolver, node: NodeProto) -> None:
    body = body_of(node, "body")
    _check_arity(node, body, len(node.input), len(node.output))
    sequences = [resolver.sequence(name) for name in node.input]
    if (first := sequences[0]) is None:
        raise Diagnostic(
            "the length of the sequence of a SequenceMap is not known",
            where=where_node(node),
            expected="a sequence made in the network, by operators of a constant number of results",
            found=f'"{node.input[0]}"',
            remedy="export the model without sequences",
        )
    length = len(first)
    if any(names is not None and len(names) != length for names in sequences):
        raise Diagnostic(
            "the sequences of a SequenceMap differ in length",
            where=where_node(node),
            expected=f"{length} tensors in each, as in the first",
            found=str([len(names) for names in sequences if names is not None]),
            remedy="correct the sequences in the model",
        )
    if length * len(body.node) > UNROLLED_NODES:
        raise Diagnostic(
            "a SequenceMap is too long to be unrolled",
            where=where_node(node),
            expected=f"at most {UNROLLED_NODES} nodes",
            found=f"{length} iterations of {len(body.node)} nodes",
            remedy="shorten the sequence, or export the model with a Loop over one tensor",
        )
    prefix = resolver.prefix(node)
    mapped: list[list[str]] = [[] for _ in node.output]

    def turn(index: int) -> None:
        if index == length:
            for name, names in zip(node.output, mapped, strict=True):
                resolver.sequences[name] = names
            return
        arguments = [name if names is None else names[index] for name, names in zip(node.input, sequences, strict=True)]
        resolver.push([lambda: turned(index, outputs)])
        outputs = _inline(resolver, node, body, f"{prefix}{index}.", arguments)

    def turned(index: int, outputs: Sequence[str]) -> None:
        for names, name in zip(mapped, outputs, strict=True):
            names.append(name)
        turn(index + 1)

    turn(0)


# Graphs that stay


BODIES: Registry[str, tuple[str, ...]] = Registry(
    "graphs in attributes",
    {
        "If": ("then_branch", "else_branch"),
        "Loop": ("body",),
        "Scan": ("body",),
        "SequenceMap": ("body",),
    },
)
"""Operator -> the graphs that it holds."""

RULES = Registry("control flow", {"If": _if, "Loop": _loop, "Scan": _scan, "SequenceMap": _sequence_map})
"""Operator -> what resolves it."""
