"""
One walk over a network that settles everything static: newest forms, shapes, what constants decide, control flow.

Each node is brought to the newest form of its operator, given its types by ONNX's inference, and replaced by a constant
where its value follows from shapes and small constants alone. If, Loop, Scan and operators on sequences are replaced by
what they come to (`control_flow.py`, `sequences.py`); a graph that cannot be so replaced is resolved by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from math import prod

from onnx import NodeProto
from xdsl.ir import Attribute

from ..dialects.core.onnx_schema import segments
from ..errors import Diagnostic
from ..ir import Array
from .attributes import GRAPHS, canonical_node, properties_of
from .evaluation import FOLDED_LIMIT, MADE_OF_SHAPES, evaluate, is_foldable, shape_value
from .exporters import EXPORTER_RULES
from .extents import Extents
from .functions import expand_function
from .onnx_graph import Graph, schema_of
from .opset import upgraded
from .order import where_node
from .shapes import Infos, TensorInfo, infer_node, info_of
from .static_inputs import deciding
from .tensors import Constant

Step = Callable[[], None]


class Resolver:
    """
    Walks over the nodes of a graph, in order; `run` leaves in the graph those that are computed at run time.

    `infos` are the types of all tensors met so far, `properties` those of each node that is left, `bodies` the graphs
    that a node holds, by its identity. A body sees what its `outer` knows.
    """

    def __init__(self, graph: Graph, inputs: Infos, outer: Resolver | None = None):
        self.graph = graph
        self.outer = outer
        self.infos: Infos = dict(inputs)
        self.sequences: dict[str, list[str]] = {}
        self.empty_optionals: set[str] = set()
        self.properties: dict[int, dict[str, Attribute]] = {}
        self.bodies: dict[int, dict[str, Resolver]] = {}
        self.extents = Extents(outer.extents if outer is not None else None)
        self.shape_of: dict[str, str] = {}
        self.nodes: list[NodeProto] = []
        self._steps: list[Step] = []
        self._deciding = deciding(graph.nodes)
        self._folded: set[str] = set()
        self._misfits: list[tuple[NodeProto, str]] = []
        self._names = {name for node in graph.nodes for name in node.output} | self.infos.keys()
        self._names |= graph.declared.keys() | graph.constants.keys()

    def run(self) -> None:
        """
        Settle the graph. Raises Diagnostic for a node that is not as its operator asks for, or does not fit its inputs.
        """
        from .dynamic_sizes import add_shape_outputs
        from .sequences import split_outputs

        self.push_nodes(self.graph.nodes)
        self._work()
        split_outputs(self)
        self._work()
        if self.outer is None:
            add_shape_outputs(self)
        self.graph.nodes = self.nodes
        if self._misfits:
            raise _misfit(self._misfits)
        self._drop_unused()

    def _work(self) -> None:
        while self._steps:
            self._steps.pop()()

    # What is known

    def info(self, name: str) -> TensorInfo | None:
        """Return the type of a tensor, None where nothing is known of it."""
        if name in self.graph.constants and name not in self.infos:
            self.infos[name] = _constant_info(self.graph.constants[name])
        found = self.infos.get(name)
        return self.outer.info(name) if found is None and self.outer is not None else found

    def constant(self, name: str) -> Constant | None:
        """Return a tensor's value, None where it is no constant."""
        found = self.graph.constants.get(name)
        return self.outer.constant(name) if found is None and self.outer is not None else found

    def sequence(self, name: str) -> list[str] | None:
        """Return the tensors of a sequence, or of an optional, None where it is neither or not known."""
        found = self.sequences.get(name)
        return self.outer.sequence(name) if found is None and self.outer is not None else found

    def data_type(self, tensor: str, node: NodeProto) -> int:
        """Return a tensor's element type. Raises Diagnostic where neither the file nor inference gives it."""
        info = self.info(tensor)
        if info is None:
            raise self._unknown(tensor, node, "element type")
        return info.data_type

    def shape(self, tensor: str, node: NodeProto) -> tuple[int, ...]:
        """Return a tensor's shape. Raises Diagnostic where neither the file nor inference gives it."""
        info = self.info(tensor)
        if info is None or info.shape is None or None in info.shape:
            raise self._unknown(tensor, node, "shape")
        return tuple(dim for dim in info.shape if dim is not None)

    def _unknown(self, tensor: str, node: NodeProto, what: str) -> Diagnostic:
        if self._misfits:
            return _misfit(self._misfits)
        return Diagnostic(
            f"the {what} of an input of {node.op_type} must be known",
            where=where_node(node),
            expected="a tensor whose shape does not depend on data",
            found=f'"{tensor}" has none',
            remedy="give the shapes of the inputs with --input-shape, or store the tensor's type as value_info",
        )

    # What is done

    def push(self, steps: Iterable[Step]) -> None:
        """Do these steps next, in order."""
        self._steps += reversed(list(steps))

    def push_nodes(self, nodes: Iterable[NodeProto]) -> None:
        """Settle these nodes next, in order; they are of the model's opset."""
        self.push(partial(self._upgrade, node) for node in nodes)

    def push_newest(self, nodes: Iterable[NodeProto]) -> None:
        """Settle these nodes next, in order; they are of the newest form of their operator."""
        self.push(partial(self._settle, node) for node in nodes)

    def enter(self, nodes: Sequence[NodeProto], outputs: Sequence[str], holder: NodeProto) -> None:
        """Settle next the nodes of a graph that `holder` held, in order; they are of the model's opset."""
        decides = any(name in self._deciding for name in holder.output)
        self._deciding |= deciding(nodes, outputs if decides else ())
        self._names |= {name for node in nodes for name in node.output}
        self.push_nodes(nodes)

    def keep(self, node: NodeProto, infos: Infos, bodies: dict[str, Resolver]) -> None:
        """Leave a node that holds graphs as it is; `infos` are the types of its outputs, as far as they are known."""
        for name in filter(None, node.output):
            if (info := self._declared_if_open(name, infos.get(name))) is not None:
                self.infos[name] = info
        self.bodies[id(node)] = bodies
        self.properties[id(node)] = _checked_properties(self.graph, node)
        self.nodes.append(node)

    def is_known(self, name: str) -> bool:
        """Return whether a tensor, sequence or optional of that name is there for a graph that a node holds."""
        found = any(name in known for known in (self.infos, self.sequences, self._names, self.graph.constants))
        return found or (self.outer is not None and self.outer.is_known(name))

    def prefix(self, node: NodeProto) -> str:
        """Return what no name begins with, for what is written out in a node's place."""
        prefix = f"{node.name}."
        while any(name.startswith(prefix) for name in self._names):
            prefix += "_."
        self._names.add(prefix)
        return prefix

    def fresh_name(self, base: str) -> str:
        """Return a name that no tensor has, which begins with `base`, and that reads well in IR."""
        name = next(name for n in count() if not self.is_known(name := f"{base}.part{n}"))
        self._names.add(name)
        return name

    def settle_constant(self, name: str, array: Array, data_type: int, origin: str) -> None:
        """Make a tensor a constant."""
        self.graph.constants[name] = Constant(array, data_type, origin)
        self.infos[name] = TensorInfo(data_type, array.shape)
        self._folded.add(name)

    def truncate(self, count: int) -> None:
        """Take back the nodes after the first `count`."""
        del self.nodes[count:]

    def _upgrade(self, node: NodeProto) -> None:
        from .control_flow import BODIES
        from .dynamic_sizes import check_rule

        if node.domain:
            self._settle(node)
            return
        if node.op_type not in BODIES:
            check_rule(self, node)
        self.push_newest(upgraded(self.graph, node, self))

    def _settle(self, node: NodeProto) -> None:
        from .control_flow import BODIES, resolve_control_flow
        from .dynamic_sizes import resolve_sizes
        from .sequences import resolve_sequence

        _checked_properties(self.graph, node)
        if node.op_type in BODIES and not node.domain:
            resolve_control_flow(self, node)
            return
        if resolve_sizes(self, node):
            return
        schema = schema_of(node)
        if any(attribute.type in GRAPHS for attribute in schema.attributes.values()):
            expand_function(self, node, schema)
            return
        if resolve_sequence(self, node):
            return
        for rule in EXPORTER_RULES:
            if nodes := rule(self.graph, node, self.info):
                self.push_newest(nodes)
                return
        self.settle_node(node)

    def settle_node(self, node: NodeProto) -> None:
        """Settle at once a node of the newest form, which holds no graph: it stays, or its results are constants."""
        properties = _checked_properties(self.graph, node)
        self._infer(node, properties)
        if self._fold(node):
            return
        self.properties[id(node)] = properties
        self.nodes.append(node)

    def _infer(self, node: NodeProto, properties: Mapping[str, Attribute]) -> None:
        schema = schema_of(node)
        given = {name: self.info(name) for name in node.input if name}
        known = {name: info for name, info in given.items() if info is not None}
        found: Infos = {}
        if len(known) == len(given):
            try:
                found = infer_node(canonical_node(node, schema, properties), schema, known, self.constant)
            except ValueError as error:
                self._misfits.append((node, str(error)))
        for name in filter(None, node.output):
            info = self._declared_if_open(name, found.get(name))
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
            self.settle_constant(node.output[0], *value, node.name)
            return True
        constants = {name: self.constant(name) for name in node.input if name}
        arrays = {name: constant for name, constant in constants.items() if constant is not None}
        if len(arrays) < len(constants) or not is_foldable(node) or not self._is_arithmetic(node):
            return False
        if any(self._size(name) > FOLDED_LIMIT for name in node.output if name):
            return False
        found = evaluate(node, arrays)
        for name, constant in found.items():
            self.settle_constant(name, constant.array, constant.data_type, node.name)
        return bool(found)

    def _is_arithmetic(self, node: NodeProto) -> bool:
        """Return whether a node of constants computes with shapes and indices rather than with weights."""
        follows = any(name in self._folded for name in node.input)
        return follows or node.op_type in MADE_OF_SHAPES or any(name in self._deciding for name in node.output)

    def _size(self, name: str) -> int:
        info = self.info(name)
        if info is None or info.shape is None:
            return 0
        return prod(dim for dim in info.shape if dim is not None)

    def _drop_unused(self) -> None:
        """Drop the constants that were folded and that nothing needs any more."""
        needed = {value.name for value in self.graph.outputs} | self.needed()
        for name in self._folded - needed:
            self.graph.constants.pop(name, None)

    def needed(self) -> set[str]:
        """Return the tensors that the nodes that are left, and their bodies, take."""
        names = {name for node in self.nodes for name in node.input}
        for bodies in self.bodies.values():
            for body in bodies.values():
                names |= body.needed() | {value.name for value in body.graph.outputs}
        return names


def _constant_info(constant: Constant) -> TensorInfo:
    return TensorInfo(constant.data_type, constant.array.shape)


def _checked_properties(graph: Graph, node: NodeProto) -> dict[str, Attribute]:
    """Return a node's properties. Raises Diagnostic where it does not have what its operator asks for."""
    schema = schema_of(node)
    try:
        list(segments("input", schema.inputs, [name or None for name in node.input]))
        list(segments("output", schema.outputs, [name or None for name in node.output]))
    except ValueError as error:
        raise Diagnostic(
            f"{node.op_type} has not the inputs and outputs that its operator asks for",
            where=where_node(node),
            expected=f"{_span(schema.min_input, schema.max_input)} inputs, "
            f"{_span(schema.min_output, schema.max_output)} outputs",
            found=f"{len(node.input)} inputs, {len(node.output)} outputs: {error}",
            remedy="correct the node, or export the model again",
        ) from error
    return properties_of(node, schema, graph.folder)


def _span(low: int, high: int) -> str:
    if high > 1000:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _misfit(misfits: Sequence[tuple[NodeProto, str]]) -> Diagnostic:
    (node, text), *others = misfits
    return Diagnostic(
        f"the inputs of a {node.op_type} do not fit together",
        where=where_node(node),
        expected="inputs and attributes of the types and shapes that ONNX asks for",
        found=text,
        remedy="correct the shapes in the model, or those given with --input-shape",
        notes=[f"{where_node(other)}: {reason}" for other, reason in others],
    )
