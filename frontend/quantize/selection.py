"""
Selection of layers and tensors to quantise.

A layer is an operator with integer arithmetic, with the bias and the clamp after it. Its data operands and its result
are quantised; data movement shares one scale between its operands and results; functions of single numbers between two
quantised tensors stay floats, which an importer makes a table. Softmax and LayerNormalization are layers where integers
are chosen for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from glob import escape
from itertools import chain

import numpy as np
from onnx import NodeProto

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import Registry, mentions
from ...errors import Diagnostic, did_you_mean
from .layers import IN_FLOATS, PRODUCTS, ROWS, RULES, SUMS, Layer
from .network import FloatNetwork, attribute, is_named

_REDUCTIONS = frozenset(("ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2"))


@dataclass
class Selection:
    """
    Layers, and the quantised tensors by the group that shares a scale.

    `moved` are results of data movement, `origins` maps a tensor to the one that it is a function of. `kept` are
    products with constant weights that stay floats by choice, `wide` products with operands of two bytes. Those of
    constant weights are among `kept`.
    """

    layers: list[Layer] = field(default_factory=list[Layer])
    groups: dict[str, str] = field(default_factory=dict[str, str])
    moved: set[str] = field(default_factory=set[str])
    kept: list[Layer] = field(default_factory=list[Layer])
    wide: list[Layer] = field(default_factory=list[Layer])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])


def named(network: FloatNetwork, patterns: Sequence[str]) -> tuple[str, ...]:
    """
    Return patterns and the names of the nodes that match them, which nodes made of these keep.

    Raises Diagnostic for a pattern that matches no node.
    """
    names = set(chain.from_iterable((node.name, node.op_type) for node in network.nodes))
    for pattern in patterns:
        if not any(is_named(node, [pattern]) for node in network.nodes):
            raise Diagnostic(
                "the network has no such node or operator",
                expected="the name of a node, or an operator of the network",
                found=pattern,
                remedy=did_you_mean(pattern, names) or "tilewright import net.onnx shows the nodes",
            )
    return (*patterns, *(escape(node.name) for node in network.nodes if is_named(node, patterns)))


@mentions("Add", "Sub")
def select(
    network: FloatNetwork,
    floats: Sequence[str] = (),
    *,
    wide: Sequence[str] = (),
    common_sums: bool = False,
    rows: bool = False,
) -> Selection:
    """
    Select the layers and the tensors to quantise; `floats` are patterns of nodes or operators that stay floats.

    Of `wide`, patterns too, products have operands of two bytes, and other operators stay floats.

    With `common_sums`, both summands of an addition or a difference share one scale. With `rows`, Softmax and
    LayerNormalization are layers.

    Raises Diagnostic where no layer is left.
    """
    wider = {id(node) for node in network.nodes if is_named(node, wide)}
    named = {id(node) for node in network.nodes if is_named(node, floats)}
    wider -= named
    named |= wider
    others = _normalisations(network) | _stretched(network)
    kept = [layer for layer in _Layers(network, others, rows=rows).found() if id(layer.node) in named]
    tails = {id(node) for layer in kept for node in layer.tail}
    walk = _Layers(network, named | tails | others, rows=rows)
    layers = walk.found()
    products = [layer for layer in kept if id(layer.node) in wider and layer.node.op_type in PRODUCTS]
    if not layers and not products:
        raise _without_layer(network, {**dict.fromkeys(others, _IN_ROWS), **dict.fromkeys(named, _CHOSEN)}, walk)
    sums = [layer.data for layer in layers if layer.node.op_type in ("Add", "Sub")] if common_sums else []
    # A function of the result of a layer of floats stays floats with it.
    results = {layer.output for layer in kept}
    origins = {name: origin for name, origin in walk.origins.items() if origin not in results}
    groups, moved = _groups(network, layers, origins, sums)
    return Selection(layers, groups, moved, [layer for layer in kept if layer.weight], products, origins)


_CHOSEN = "--float names it"
_IN_ROWS = "it is part of a normalisation made of primitives, or only Exp, Log, Reciprocal, Softmax or Sqrt reads it"
_NODES = 8
"""Nodes of which an error says why they are no layers."""


def _without_layer(network: FloatNetwork, left: Mapping[int, str], walk: _Layers) -> Diagnostic:
    """Return the error of a network without layers, with the reason for each product, then for each other candidate."""
    candidates = [node for node in network.nodes if node.op_type in IN_FLOATS or node.op_type in {**RULES, **ROWS}]
    candidates.sort(key=lambda node: node.op_type not in PRODUCTS | IN_FLOATS)
    notes: list[str] = []
    for node in candidates:
        function = "it is a function of single numbers" if node.output[0] in walk.origins else "it is part of a layer"
        reason = left.get(id(node)) or walk.reasons.get(node.name, function)
        notes.append(f'node "{node.name}": {node.op_type} stays in floats: {reason}')
    remedy = "give a network of floats of 32 bits with such a layer"
    if any(note.endswith(_CHOSEN) for note in notes):
        remedy = "name fewer nodes with --float"
    more = [f"and {len(notes) - _NODES} more nodes"] if len(notes) > _NODES else []
    return Diagnostic(
        "the model has no layer to quantise",
        expected=f"a node of {', '.join(sorted(RULES))} that is no function of single numbers, as x + x is",
        found=", ".join(sorted({node.op_type for node in network.nodes})) or "no nodes",
        remedy=remedy,
        notes=[*notes[:_NODES], *more],
    )


# Layers


class _Layers:
    """
    Walk over a network that collects layers.

    `origins` maps a tensor to the one that it is a function of, `reasons` the name of a node to why it is no layer.
    """

    def __init__(self, network: FloatNetwork, floats: set[int], *, rows: bool):
        self._network = network
        self._rules = {**RULES, **ROWS} if rows else RULES
        self._floats = floats
        self._consumers = network.consumers()
        self._outputs = set(network.output_names)
        self.origins: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self._absorbed: set[int] = set()

    def found(self) -> list[Layer]:
        layers: list[Layer] = []
        for node in self._network.nodes:
            if id(node) in self._absorbed or id(node) in self._floats:
                continue
            origin = self._function_of(node)
            if origin is not None:
                self.origins[node.output[0]] = origin
                continue
            layer = self._layer(node)
            if layer is not None:
                layers.append(layer)
                self._absorbed |= {id(part) for part in layer.tail}
        return layers

    def _function_of(self, node: NodeProto) -> str | None:
        """Return the tensor of which a node computes a function, number by number; None for other nodes."""
        network = self._network
        if node.domain or node.op_type not in having(Trait.TABULATED) or not network.is_float(node.output[0]):
            return None
        operands = list(filter(None, node.input))
        data = [name for name in operands if name not in network.constants]
        single = all(network.constants[name].size == 1 for name in operands if name in network.constants)
        shape = network.shape(node.output[0])
        origins = {self.origins.get(name, name) for name in data}
        if not single or len(origins) != 1 or any(network.shape(name) != shape for name in data):
            return None
        return origins.pop()

    @mentions("MatMul")
    def _layer(self, node: NodeProto) -> Layer | None:
        layer = self._ruled(node)
        if isinstance(layer, str):
            self.reasons[node.name] = layer
            return None
        layer = self._with_bias(layer) if node.op_type == "MatMul" else layer
        return layer if node.op_type in ROWS else self._with_clamps(layer)

    def _ruled(self, node: NodeProto) -> Layer | str:
        """Return the layer that a node is by the rule of its operator, or why it is none."""
        network = self._network
        rule = None if node.domain else self._rules.get(node.op_type)
        tensors = [name for name in (*node.input, *node.output) if name]
        if rule is None:
            return "--nonlinear float leaves it so" if node.op_type in ROWS else "it has no arithmetic of integers"
        if not network.is_float(node.output[0]) or not network.is_float(tensors[0]):
            return "its tensors are not floats of 32 bits"
        if all(name in network.constants for name in node.input if name):
            return "its operands are constants"
        return rule(network, node)

    def _next(self, name: str) -> NodeProto | None:
        """Return the only consumer of a tensor that is no output."""
        after = self._consumers[name]
        single = len(after) == 1 and name not in self._outputs and id(after[0]) not in self._floats
        return after[0] if single else None

    @mentions("Add")
    def _with_bias(self, layer: Layer) -> Layer:
        node = self._next(layer.output)
        if node is None or node.op_type != "Add" or layer.axis != 1:
            return layer
        other = node.input[1] if node.input[0] == layer.output else node.input[0]
        bias, columns = self._network.constants.get(other), self._network.shape(layer.output)[-1]
        if bias is None or bias.shape != (columns,):
            return layer
        return Layer(layer.node, (node,), layer.data, node.output[0], layer.weight, other, layer.axis)

    def _with_clamps(self, layer: Layer) -> Layer:
        tail, output = list(layer.tail), layer.output
        while (node := self._next(output)) is not None and node.op_type in having(Trait.CLAMPS):
            if any(name and name not in self._network.constants for name in node.input[1:]):
                break
            tail.append(node)
            output = node.output[0]
        return Layer(layer.node, tuple(tail), layer.data, output, layer.weight, layer.bias, layer.axis)


# Normalisations


@mentions("ReduceMean", *_REDUCTIONS)
def _normalisations(network: FloatNetwork) -> set[int]:
    """
    Return the nodes of normalisations that are decomposed into primitives, which stay floats.

    They begin at a mean over the last axis, and go on through element-wise operators and reductions of which every
    operand belongs to them, or one that has a single number per row.
    """
    members: set[int] = set()
    values: set[str] = set()
    for node in network.nodes:
        if node.op_type == "ReduceMean" and _is_over_last(network, node):
            members.add(id(node))
            values |= set(node.output)
        elif node.op_type in having(Trait.TABULATED) | _REDUCTIONS and _belongs(network, node, values):
            members.add(id(node))
            values |= set(node.output)
    return members


def _stretched(network: FloatNetwork) -> set[int]:
    """
    Return the sums and products that only stretching functions read, which stay floats.

    So the sum of squares before a square root, and the sum with a mask before a softmax.
    """
    consumers = network.consumers()
    stretched: set[int] = set()
    for node in network.nodes:
        readers = {consumer.op_type for consumer in consumers[node.output[0]]}
        if node.op_type in SUMS and readers and readers <= having(Trait.STRETCHES):
            stretched.add(id(node))
    return stretched


def _is_over_last(network: FloatNetwork, node: NodeProto) -> bool:
    axes = network.constants.get(node.input[1]) if len(node.input) > 1 and node.input[1] else None
    rank = len(network.shape(node.input[0]))
    return axes is not None and axes.size == 1 and int(axes.flat[0]) in (-1, rank - 1) and rank > 1


def _belongs(network: FloatNetwork, node: NodeProto, values: set[str]) -> bool:
    data = [name for name in node.input if name and name not in network.constants]
    inside = [name for name in data if name in values]
    rows = any(network.shape(name)[-1:] == (1,) for name in inside)
    return bool(inside) and (rows or len(inside) == len(data))


# Groups


def _groups(
    network: FloatNetwork, layers: Sequence[Layer], origins: Mapping[str, str], sums: Sequence[Sequence[str]]
) -> tuple[dict[str, str], set[str]]:
    """Return the group of each quantised tensor, one for each of `sums`, and which tensors data movement computes."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while parents.get(name, name) != name:
            name = parents[name]
        return name

    moved: set[str] = set()
    linked: set[str] = set()
    for node in network.nodes:
        operands = _moved(network, node)
        results = list(filter(None, node.output)) if operands else []
        for name in (*operands[1:], *results):
            parents[root(name)] = root(operands[0])
        moved |= set(results)
        linked |= {*operands, *results}
    for name, *others in sums:
        for other in others:
            parents[root(other)] = root(name)
    # The result of a product that floats alone read stays its sums, dequantised.
    ends = {root(name) for name in network.output_names}
    new = {name for layer in layers for name in layer.data}
    new |= {
        name
        for layer in layers
        for name in layer.points
        if layer.node.op_type not in PRODUCTS or root(layer.output) in ends
    }
    # A function of a quantised result is a table where its operand is quantised too.
    points: set[str] = set()
    while new:
        points |= new
        chosen = {root(name) for name in points}
        every = points | {name for name in linked if root(name) in chosen}
        new = {origins[name] for name in every if name in origins} | every
        new -= points
    order = [value.name for value in network.inputs]
    order += chain.from_iterable(node.output for node in network.nodes)
    members = {name: root(name) for name in order if name in points}
    return members, moved & set(members)


@mentions("Concat")
def _moved(network: FloatNetwork, node: NodeProto) -> list[str]:
    """Return the operands whose numbers a node moves unchanged; none for other nodes."""
    if node.domain or node.op_type not in having(Trait.MOVES):
        return []
    if not all(network.is_float(name) for name in node.output if name):
        return []
    if node.output[0] in network.requantised:
        return []
    is_other = _OTHER_MODES.get(node.op_type)
    if (is_other is not None and is_other(network, node)) or node.input[0] in network.constants:
        return []
    operands = list(node.input) if node.op_type == "Concat" else [node.input[0]]
    return [name for name in operands if name not in network.constants]


def _fills(network: FloatNetwork, node: NodeProto) -> bool:
    fill = network.constants.get(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros(1)
    return attribute(node, "mode") == "constant" and (fill is None or bool(np.any(fill)))


_OTHER_MODES: Registry[str, Callable[[FloatNetwork, NodeProto], bool]] = Registry(
    "quantised layer",
    {
        "MaxPool": lambda network, node: len(node.output) > 1,
        "Pad": _fills,
        "Resize": lambda network, node: (
            attribute(node, "mode") != "nearest"
            or attribute(node, "coordinate_transformation_mode") == "tf_crop_and_resize"
        ),
    },
)
"""Operators of data movement -> whether a node of them computes other numbers."""
