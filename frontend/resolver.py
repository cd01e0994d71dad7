"""
The walk over a graph that resolves everything static, node by node, without knowing any operator.

`Rules` say what becomes of nodes that do not stay as they are (`resolution.py` has them). What no rule takes is given
its types by ONNX's inference, and replaced by a constant where its value follows from shapes and small constants alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from onnx import NodeProto
from xdsl.ir import Attribute

from ..ir import Array
from .attributes import canonical_node, properties_of
from .evaluation import FOLDED_LIMIT, evaluate, is_foldable, shape_value
from .known import Known
from .onnx_graph import Graph, schema_of
from .operators import operator_of
from .order import where_node
from .pasts import Past
from .shapes import infer_node
from .static_inputs import deciding
from .tensor_info import Infos, TensorInfo, info_of
from .tensors import Constant

Step = Callable[[], None]

Rule = Callable[["Resolver", NodeProto], bool]
"""Settles a node of the newest form of its operator if it is one for the rule; returns whether it was."""


@dataclass(frozen=True)
class Rules:
    """Rules that resolve the nodes and outputs of a graph."""

    upgrade: Callable[[Resolver, NodeProto], Sequence[NodeProto]]
    """Returns what a node of ai.onnx, of the model's opset, is in the newest form."""
    settle: tuple[Rule, ...]
    """The first that takes a node resolves it."""
    outputs: tuple[Callable[[Resolver], None], ...]
    """What is done in turn when all nodes are settled, for the outputs of the graph."""


_MASK_ROWS = 256
"""Most new rows at once whose mask over open caches is folded: those of a prompt in one call."""


class Resolver(Known):
    """
    Walk over the nodes of a graph in order; `run` leaves in the graph the nodes that compute at run time.

    `properties` and `bodies` are those of each remaining node, by its identity. `shape_of` maps an output to the one
    whose actual shape it is. A body sees the facts of its `outer` resolver. `folded` are the results that became
    constants, `written` those of operators that were written out for caches; `past` tells which of them depend on the
    length of open caches.
    """

    def __init__(self, graph: Graph, inputs: Infos, rules: Rules, outer: Resolver | None = None):
        super().__init__(graph, inputs, outer)
        self.outer = outer
        self.properties: dict[int, dict[str, Attribute]] = {}
        self.bodies: dict[int, dict[str, Resolver]] = {}
        self.shape_of: dict[str, str] = {}
        self.nodes: list[NodeProto] = []
        self.past: Past | None = None
        self._rules = rules
        self._steps: list[Step] = []
        self._deciding = deciding(graph.nodes)
        self.folded: dict[str, Constant] = {}
        self.written: dict[str, Constant] = {}

    def run(self) -> None:
        """
        Resolve the graph. Raises Diagnostic for a node that violates its schema, or is incompatible with its inputs.
        """
        self.push_nodes(self.graph.nodes)
        self._work()
        for finish in self._rules.outputs:
            finish(self)
            self._work()
        self.graph.nodes = self.nodes
        if (error := self.misfit()) is not None:
            raise error
        self._drop_unused()

    def inner(self, graph: Graph, inputs: Infos) -> Resolver:
        """Return the resolver of a nested graph, by the same rules."""
        if self.past is not None:
            raise self.past.refused_branch()
        return Resolver(graph, inputs, self._rules, self)

    def _work(self) -> None:
        while self._steps:
            self._steps.pop()()

    # What rules do

    def push(self, steps: Iterable[Step]) -> None:
        """Do these steps next, in order."""
        self._steps += reversed(list(steps))

    def push_nodes(self, nodes: Iterable[NodeProto]) -> None:
        """Resolve these nodes next, in order; they are of the model's opset."""
        self.push(partial(self._upgrade, node) for node in nodes)

    def push_newest(self, nodes: Iterable[NodeProto]) -> None:
        """Resolve these nodes next, in order; they are of the newest form of their operator."""
        self.push(partial(self._settle, node) for node in nodes)

    def enter(self, nodes: Sequence[NodeProto], outputs: Sequence[str], holder: NodeProto) -> None:
        """Resolve next the nodes of a graph that `holder` held, in order; they are of the model's opset."""
        decides = any(name in self._deciding for name in holder.output)
        self._deciding |= deciding(nodes, outputs if decides else ())
        self.take_names(name for node in nodes for name in node.output)
        self.push_nodes(nodes)

    def keep(self, node: NodeProto, infos: Infos, bodies: dict[str, Resolver]) -> None:
        """Keep a node that holds graphs; `infos` are the known types of its outputs."""
        for name in filter(None, node.output):
            if (info := self._declared_if_open(name, infos.get(name))) is not None:
                self.infos[name] = info
        self.bodies[id(node)] = bodies
        self.properties[id(node)] = self._properties(node)
        self.nodes.append(node)

    def settle_constant(self, name: str, array: Array, data_type: int, origin: str) -> None:
        """Make a tensor a constant."""
        self.graph.constants[name] = Constant(array, data_type, origin)
        self.infos[name] = TensorInfo(data_type, array.shape)
        self.folded[name] = self.graph.constants[name]

    def note_written(self, node: NodeProto, constants: Mapping[str, Constant]) -> None:
        """Take note of the constants that a replacement of a node has added; they may follow from open caches."""
        if not self.graph.rows:
            return
        self.written |= constants
        if self.past is None:
            return
        for name, constant in constants.items():
            self.past.check_constant(name, constant.array, where_node(node))

    def truncate(self, count: int) -> None:
        """Take back the nodes after the first `count`."""
        del self.nodes[count:]

    def _upgrade(self, node: NodeProto) -> None:
        self.push_newest([node] if node.domain else self._rules.upgrade(self, node))

    def _settle(self, node: NodeProto) -> None:
        node = self._prepared(node)
        self._properties(node)
        if not any(rule(self, node) for rule in self._rules.settle):
            self.settle_node(node)

    def settle_node(self, node: NodeProto) -> None:
        """Resolve at once a node of the newest form, which holds no graph: it stays, or its results are constants."""
        properties = self._properties(node)
        self._infer(node, properties)
        if self._fold(node):
            return
        if (changed := self._prepared(node, folded=True)) is not node:
            node, properties = changed, self._properties(changed)
        self.properties[id(node)] = properties
        self.nodes.append(node)

    def _prepared(self, node: NodeProto, folded: bool = False) -> NodeProto:
        """Return a node whose data that depend on the length of open caches are computed by nodes settled before."""
        if self.past is None:
            return node
        node, before = self.past.prepare(self, node, folded)
        for prepared in before:
            self.settle_node(prepared)
        return node

    def _properties(self, node: NodeProto) -> dict[str, Attribute]:
        """Return a node's properties. Raises Diagnostic where it violates its schema."""
        return properties_of(node, schema_of(node), self.graph.folder)

    def _infer(self, node: NodeProto, properties: Mapping[str, Attribute]) -> None:
        schema = schema_of(node)
        operands = {name: self.info(name) for name in node.input if name}
        infos = {name: info for name, info in operands.items() if info is not None}
        results: Infos = {}
        if len(infos) == len(operands):
            try:
                results = infer_node(canonical_node(node, schema, properties), schema, infos, self.constant)
            except ValueError as error:
                self.misfits.append((node, str(error)))
        for name in filter(None, node.output):
            info = self._declared_if_open(name, results.get(name))
            if info is not None:
                self.infos[name] = info

    def _declared_if_open(self, name: str, info: TensorInfo | None) -> TensorInfo | None:
        if info is not None and info.shape is not None and None not in info.shape:
            return info
        declared = info_of(self.graph.declared[name]) if name in self.graph.declared else None
        if declared is None or declared.shape is None:
            return info
        if info is None or info.shape is None:
            return declared
        if info.data_type != declared.data_type or len(info.shape) != len(declared.shape):
            return info
        shape = tuple(a if a is not None else b for a, b in zip(info.shape, declared.shape, strict=True))
        return TensorInfo(info.data_type, shape)

    def _fold(self, node: NodeProto) -> bool:
        """Replace a node by constants where its results follow from shapes and constants; return whether they did."""
        if (value := shape_value(node, self.info)) is not None:
            if self.past is not None:
                self.past.check(node, value[0])
            self.settle_constant(node.output[0], *value, node.name)
            return True
        constants = {name: self.constant(name) for name in node.input if name}
        arrays = {name: constant for name, constant in constants.items() if constant is not None}
        if len(arrays) < len(constants) or not is_foldable(node) or not self._is_arithmetic(node):
            return False
        # Masks of networks with open caches have an entry for each new row and each row of the caches.
        limit = max(FOLDED_LIMIT, self.graph.rows * _MASK_ROWS) if self.graph.is_open else FOLDED_LIMIT
        if any(self._size(name) > limit for name in node.output if name):
            return False
        results = evaluate(node, arrays)
        if self.past is not None and not all(
            self.past.folds(name, constant.array) for name, constant in results.items()
        ):
            return False
        for name, constant in results.items():
            self.settle_constant(name, constant.array, constant.data_type, node.name)
        return bool(results)

    def _is_arithmetic(self, node: NodeProto) -> bool:
        """Return whether a node of constants computes with shapes and indices rather than with weights."""
        follows = any(name in self.folded for name in node.input)
        is_made = operator_of(node.op_type).made_of_shapes
        return follows or is_made or any(name in self._deciding for name in node.output)

    def _size(self, name: str) -> int:
        info = self.info(name)
        if info is None or info.shape is None:
            return 0
        return prod(dim for dim in info.shape if dim is not None)

    def _drop_unused(self) -> None:
        """Drop the constants that were folded and that nothing needs any more."""
        needed = {value.name for value in self.graph.outputs} | self.needed()
        for name in self.folded.keys() - needed:
            self.graph.constants.pop(name, None)

    def needed(self) -> set[str]:
        """Return the tensors that the nodes that are left, and their bodies, take."""
        names = {name for node in self.nodes for name in node.input}
        for bodies in self.bodies.values():
            for body in bodies.values():
                names |= body.needed() | {value.name for value in body.graph.outputs}
        return names
