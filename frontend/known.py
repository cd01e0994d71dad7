"""Facts about the tensors of a graph during resolution: types, values, sequences, sizes, names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from onnx import NodeProto

from ..errors import Diagnostic
from .checks import refusal
from .extents import Extents
from .node_view import NodeView
from .onnx_graph import Graph
from .order import where_node
from .tensor_info import Infos, TensorInfo, unknown_type
from .tensors import Constant


class Known:
    """
    Facts about a graph's tensors. A nested graph sees those of its `outer` graph.

    `infos` are the types of all tensors met so far, `sequences` the tensors that sequences hold, `extents` the sizes
    that data decide, `misfits` the nodes that inference refused, each with its reason.
    """

    def __init__(self, graph: Graph, inputs: Infos, outer: Known | None = None):
        self.graph = graph
        self.infos: Infos = dict(inputs)
        self.sequences: dict[str, list[str]] = {}
        self.empty_optionals: set[str] = set()
        self.extents = Extents(outer.extents if outer is not None else None)
        self.misfits: list[tuple[NodeProto, str]] = []
        self._names: set[str] = set()
        self._stems: set[str] = set()
        self._parts: dict[str, int] = {}
        self.take_names(name for node in graph.nodes for name in node.output)
        self.take_names((*self.infos, *graph.declared, *graph.constants))
        self._outer = outer

    def info(self, name: str) -> TensorInfo | None:
        """Return the type of a tensor, None where nothing is known of it."""
        if name in self.graph.constants and name not in self.infos:
            self.infos[name] = _info_of(self.graph.constants[name])
        info = self.infos.get(name)
        return self._outer.info(name) if info is None and self._outer is not None else info

    def constant(self, name: str) -> Constant | None:
        """Return a tensor's value, None where it is no constant."""
        constant = self.graph.constants.get(name)
        return self._outer.constant(name) if constant is None and self._outer is not None else constant

    def sequence(self, name: str) -> list[str] | None:
        """Return the tensors of a sequence, or of an optional, None where it is neither or not known."""
        tensors = self.sequences.get(name)
        return self._outer.sequence(name) if tensors is None and self._outer is not None else tensors

    def data_type(self, tensor: str, node: NodeProto) -> int:
        """Return a tensor's element type. Raises Diagnostic where neither the file nor inference gives it."""
        info = self.info(tensor)
        if info is None:
            raise self.misfit() or unknown_type(node, tensor, info)
        return info.data_type

    def shape(self, tensor: str, node: NodeProto) -> tuple[int, ...]:
        """Return a tensor's shape. Raises Diagnostic where neither the file nor inference gives it."""
        info = self.info(tensor)
        if info is None or info.shape is None or None in info.shape:
            raise self.misfit() or unknown_type(node, tensor, info)
        return tuple(dim for dim in info.shape if dim is not None)

    def misfit(self) -> Diagnostic | None:
        """Return the error for the nodes that inference refused, None if there is none."""
        if not self.misfits:
            return None
        (node, text), *others = self.misfits
        error = refusal(NodeView(self.graph, node, self.info), text)
        error.notes += [f"{where_node(other)}: {reason}" for other, reason in others]
        return error

    def is_known(self, name: str) -> bool:
        """Return whether a tensor, sequence or optional of a name is visible to a subgraph."""
        is_own = any(name in table for table in (self.infos, self.sequences, self._names, self.graph.constants))
        return is_own or (self._outer is not None and self._outer.is_known(name))

    def take_names(self, names: Iterable[str]) -> None:
        """Take names, which are new tensors'."""
        for name in names:
            self._names.add(name)
            # All that end with a dot, which is what a prefix does.
            end = name.find(".")
            while end >= 0:
                self._stems.add(name[: end + 1])
                end = name.find(".", end + 1)

    def prefix(self, node: NodeProto) -> str:
        """Return an unused prefix of names, for the nodes of an expansion."""
        prefix = f"{node.name}."
        while prefix in self._stems:
            prefix += "_."
        self.take_names([prefix])
        return prefix

    def fresh_name(self, base: str) -> str:
        """Return a name that no tensor has, which begins with `base`, and that reads well in IR."""
        numbers = count(self._parts.get(base, 0))
        self._parts[base] = next(n for n in numbers if not self.is_known(f"{base}.part{n}"))
        name = f"{base}.part{self._parts[base]}"
        self.take_names([name])
        return name


def _info_of(constant: Constant) -> TensorInfo:
    return TensorInfo(constant.data_type, constant.array.shape)
