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
from ..dialects.onnx.registry import Registry
from ..errors import Diagnostic
from ..ir import Array
from .node_view import Info, NodeView
from .onnx_graph import Graph
from .tensors import type_name

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)


class Site(NodeView):
    """Node that is being replaced, and the nodes made in its place."""

    def __init__(self, graph: Graph, node: NodeProto, info: Info):
        super().__init__(graph, node, info)
        self.nodes: list[NodeProto] = []

    def wants(self, index: int) -> bool:
        """Return whether an output is used by name."""
        return index < len(self.node.output) and bool(self.node.output[index])

    def unsupported(self, what: str, expected: str = "") -> Diagnostic:
        """Return the error for a form of the operator that is not handled."""
        return Diagnostic(
            f"{self.op_type} {what} is not handled",
            where=self.where,
            expected=expected,
            found=self.operands(),
            remedy="export the operator in another form, or replace it in the model",
        )

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
        node = helper.make_node(op_type, inputs, results, name=self.node.name, domain=domain, **attributes)
        self.nodes.append(node)
        return results

    def constant(self, array: Array) -> str:
        """Add a constant of the type that NumPy's is in ONNX."""
        role = f"constant{len(self.nodes)}"
        return self.graph.add_constant(self.node, role, array, helper.np_dtype_to_tensor_dtype(array.dtype))

    def number(self, value: float, data_type: int) -> str:
        """Add a constant scalar of an element type. Raises Diagnostic for an integer type that does not hold it."""
        try:
            with np.errstate(over="ignore"):
                scalar = np.array(value, helper.tensor_dtype_to_np_dtype(data_type))
        except (OverflowError, ValueError) as error:
            raise self.unsupported(f"of the element type {type_name(data_type)}", "floats") from error
        return self.constant(scalar)

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
        """Bind an output of the node, where it has a name, to a value."""
        if self.wants(index):
            self.nodes.append(helper.make_node("Identity", [value], [self.node.output[index]], name=self.node.name))


Replacement = Callable[[Site], None]
"""Makes the nodes that stand for one; none where it is to stay."""

REPLACEMENTS: Registry[tuple[str, str], Replacement] = Registry("replacement")
"""Domain and operator -> its rule."""


def expands(name: str, domain: str = "") -> Callable[[Replacement], Replacement]:
    """Register a function as the expansion of an operator."""
    return REPLACEMENTS.rule((domain, name))


def replaces(name: str) -> Callable[[Replacement], Replacement]:
    """Register a function as the expansion of an operator of ONNX Runtime."""
    return expands(name, CONTRIB_DOMAIN)
