"""Builder for rules that replace a node by others, and the table of the rules in `replacements/`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ..dialects.core.small_floats import FORMATS
from ..dialects.onnx import op_class
from ..dialects.onnx.contrib import CONTRIB_DOMAIN
from ..dialects.onnx.custom import DOMAIN
from ..dialects.onnx.schema import default_value
from ..errors import Diagnostic
from ..ir import Array
from .onnx_graph import Graph, schema_of
from .order import where_node
from .shapes import TensorInfo

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)

Info = Callable[[str], "TensorInfo | None"]


class Site:
    """A node that is being replaced: makes the nodes that stand for it."""

    def __init__(self, graph: Graph, node: NodeProto, info: Info):
        self.graph = graph
        self.node = node
        self.info = info
        self.nodes: list[NodeProto] = []
        self.given: dict[str, Any] = {a.name: helper.get_attribute_value(a) for a in node.attribute}

    # The node

    def attribute(self, name: str) -> Any:
        """Return an attribute's value, or its default; texts are str."""
        value = self.given.get(name)
        value = default_value(schema_of(self.node).attributes[name]) if value is None else value
        return value.decode() if isinstance(value, bytes) else value

    def input(self, index: int) -> str:
        """Return the name of an input, "" where it is left out."""
        return self.node.input[index] if index < len(self.node.input) else ""

    def wants(self, index: int) -> bool:
        """Return whether an output is there."""
        return index < len(self.node.output) and bool(self.node.output[index])

    def kind(self, index: int) -> int:
        """Return the element type of an input, 0 where it is left out or not known."""
        name = self.input(index)
        found = self.info(name) if name else None
        return 0 if found is None else found.data_type

    def shape(self, index: int, *ranks: int) -> tuple[int, ...]:
        """Return the shape of an input. Raises Diagnostic where it is not known, or of none of the ranks."""
        found = self.info(self.node.input[index])
        dims = None if found is None else found.shape
        if dims is None or None in dims:
            raise Diagnostic(f"the shape of an input of {self.node.op_type} must be known", where=where_node(self.node))
        if ranks and len(dims) not in ranks:
            raise Diagnostic(
                f"an input of {self.node.op_type} has a wrong number of axes",
                where=where_node(self.node),
                expected=f"{' or '.join(map(str, ranks))} axes of '{self.node.input[index]}'",
                found=f"the shape {list(dims)}",
            )
        return tuple(dim for dim in dims if dim is not None)

    def value(self, index: int) -> Array | None:
        """Return the value of an input, None where it is no constant."""
        constant = self.graph.constants.get(self.input(index))
        return None if constant is None else constant.array

    def unsupported(self, what: str, remedy: str = "") -> Diagnostic:
        """Return the error for a form of the operator that is not handled."""
        return Diagnostic(f"{self.node.op_type} {what} is not handled", where=where_node(self.node), remedy=remedy)

    # What stands for it

    def emit(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        """Append a node of one result and return that."""
        return self.emit_many(op_type, inputs, 1, **attributes)[0]

    def emit_many(self, op_type: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """Append a node of ai.onnx or, where the operator is ours, of our domain, and return its results."""
        cls = op_class(op_type)
        assert cls is not None, op_type
        name = next(filter(None, self.node.output))
        results = [f"{name}:{self.node.op_type}.{len(self.nodes)}.{index}" for index in range(outputs)]
        domain = DOMAIN if cls.SCHEMA.domain == DOMAIN else ""
        made = helper.make_node(op_type, inputs, results, name=self.node.name, domain=domain, **attributes)
        self.nodes.append(made)
        return results

    def constant(self, array: Array) -> str:
        """Add a constant of the type that NumPy's is in ONNX."""
        role = f"constant{len(self.nodes)}"
        return self.graph.add_constant(self.node, role, array, helper.np_dtype_to_tensor_dtype(array.dtype))

    def number(self, value: float, data_type: int) -> str:
        """Add a constant scalar of an element type."""
        return self.constant(np.array(value, helper.tensor_dtype_to_np_dtype(data_type)))

    def sizes(self, *sizes: int) -> str:
        """Add a constant list of sizes."""
        return self.constant(np.array(sizes, np.int64))

    def reshape(self, x: str, *shape: int) -> str:
        """Append a tensor in another shape."""
        return self.emit("Reshape", x, self.sizes(*shape))

    def cast(self, x: str, source: int, target: int) -> str:
        """Append the conversion of a tensor from one element type to another."""
        if source == target:
            return x
        small = source in FORMATS or target in FORMATS
        return self._small(x, source, target) if small else self.emit("Cast", x, to=target)

    def _small(self, x: str, source: int, target: int) -> str:
        if source in FORMATS:
            wide = target if target in FLOATS else TensorProto.FLOAT
            return self.cast(self.emit("DecodeFloat", x, format=source, to=wide), wide, target)
        x = x if source in FLOATS else self.emit("Cast", x, to=TensorProto.FLOAT)
        mode, saturate = self.given.get("round_mode", b"up"), self.given.get("saturate", 1)
        return self.emit("EncodeFloat", x, to=target, saturate=saturate, round_mode=mode)

    def sum(self, *values: str) -> str:
        """Append the sum of tensors, of which those left out are "", in order; "" where all are."""
        total = ""
        for value in filter(None, values):
            total = self.emit("Add", total, value) if total else value
        return total

    def integer_product(self, a: str, b: str, zeros: tuple[str, str], scales: tuple[str, str]) -> str:
        """Append the product of integers less their zero points, "" for none, times the product of their scales."""
        operands = [a, b, *zeros]
        while not operands[-1]:
            operands.pop()
        total = self.cast(self.emit("MatMulInteger", *operands), TensorProto.INT32, TensorProto.FLOAT)
        return self.emit("Mul", total, self.emit("Mul", *scales))

    def give(self, index: int, value: str) -> None:
        """Let an output of the node, where it is there, be a value."""
        if self.wants(index):
            self.nodes.append(helper.make_node("Identity", [value], [self.node.output[index]], name=self.node.name))


Replacement = Callable[[Site], None]
"""Makes the nodes that stand for one; none where it is to stay."""

REPLACEMENTS: dict[tuple[str, str], Replacement] = {}
"""Domain and operator -> its rule."""


def expands(name: str, domain: str = "") -> Callable[[Replacement], Replacement]:
    """Register a function as what an operator comes to."""

    def register(rule: Replacement) -> Replacement:
        REPLACEMENTS[domain, name] = rule
        return rule

    return register


def replaces(name: str) -> Callable[[Replacement], Replacement]:
    """Register a function as what an operator of ONNX Runtime comes to."""
    return expands(name, CONTRIB_DOMAIN)
