"""View of a node for import rules: its attributes, and the types and values of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from google.protobuf.message import Message
from onnx import NodeProto, helper

from ..dialects.onnx.schema import default_value
from ..errors import Diagnostic
from ..ir import Array
from .onnx_graph import Graph, schema_of
from .order import where_node
from .tensor_info import TensorInfo, described, unknown_type

Info = Callable[[str], TensorInfo | None]


class NodeView:
    """Read access to a node of a graph; `info` gives the type of a tensor, None for one not known."""

    def __init__(self, graph: Graph, node: NodeProto, info: Info):
        self.graph = graph
        self.node = node
        self.info = info

    @cached_property
    def given(self) -> dict[str, Any]:
        """The attributes of the node by name, texts as bytes."""
        return {a.name: helper.get_attribute_value(a) for a in self.node.attribute}

    @property
    def op_type(self) -> str:
        """The name of the operator."""
        return self.node.op_type

    @property
    def where(self) -> str:
        """The node as the place of an error."""
        return where_node(self.node)

    @property
    def inputs(self) -> int:
        """The number of inputs, those left out in the middle included."""
        return len(self.node.input)

    def attribute(self, name: str) -> Any:
        """Return an attribute's value, or its default; texts are str."""
        value = self.given.get(name)
        value = default_value(schema_of(self.node).attributes[name]) if value is None else value
        return value.decode() if isinstance(value, bytes) else value

    def input(self, index: int) -> str:
        """Return the name of an input, "" where it is left out."""
        return self.node.input[index] if index < len(self.node.input) else ""

    def kind(self, index: int) -> int:
        """Return the element type of an input, 0 where it is left out or not known."""
        name = self.input(index)
        info = self.info(name) if name else None
        return 0 if info is None else info.data_type

    def shape(self, index: int, *ranks: int) -> tuple[int, ...]:
        """Return the shape of an input. Raises Diagnostic where it is not known, or of none of the ranks."""
        name = self.node.input[index]
        info = self.info(name)
        dims = None if info is None else info.shape
        if dims is None or None in dims:
            raise unknown_type(self.node, name, info)
        if ranks and len(dims) not in ranks:
            raise self.misfit(f"the rank of input {index}", f"{' or '.join(map(str, ranks))} axes", list(dims))
        return tuple(dim for dim in dims if dim is not None)

    def result(self) -> tuple[int, ...] | None:
        """Return the shape of the first output, None where it is not known."""
        info = self.info(self.node.output[0])
        dims = None if info is None else info.shape
        return None if dims is None or None in dims else tuple(dim for dim in dims if dim is not None)

    def value(self, index: int) -> Array | None:
        """Return the value of an input, None where it is not constant."""
        constant = self.graph.constants.get(self.input(index))
        return None if constant is None else constant.array

    def integers(self, index: int) -> list[int] | None:
        """Return the elements of an input in order, None where it is no constant of integers."""
        values = self.value(index)
        return None if values is None or values.dtype.kind not in "iu" else [int(n) for n in values.reshape(-1)]

    def operands(self) -> str:
        """Return the operator with the types of its inputs and its attributes, as the note of an error."""
        inputs = [self._operand(index, name) for index, name in enumerate(self.node.input) if name]
        attributes = [f"{name} = {_text(value)}" for name, value in sorted(self.given.items())]
        return f"{self.op_type} of {', '.join([*inputs, *attributes]) or 'nothing'}"

    def _operand(self, index: int, name: str) -> str:
        """Return the name and type of an input, with the numbers of a small constant of integers."""
        numbers = self.integers(index)
        value = f" = {numbers}" if numbers is not None and len(numbers) <= 8 else ""
        return f'"{name}" {described(self.info(name))}{value}'

    def misfit(self, what: str, expected: Any, found: Any, remedy: str = "") -> Diagnostic:
        """Return the error for a part of the node that is incompatible with its inputs."""
        return Diagnostic(
            f"{what} of {self.op_type} does not fit",
            where=self.where,
            expected=str(expected),
            found=str(found),
            remedy=remedy or "correct the shapes and attributes in the model, or the shapes given with --input-shape",
            notes=[self.operands()],
        )


def _text(value: Any) -> str:
    """Return an attribute's value on one line of at most 80 characters; a tensor or graph is named by its type."""
    if isinstance(value, Message):
        return type(value).__name__
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
