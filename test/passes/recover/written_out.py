"""Operators as exporters write them out, in NumPy-like expressions that become ONNX networks of random shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, helper, numpy_helper

from tilewright.ir import Array


@dataclass
class Graph:
    """A network in the making: a float tensor for each input, constants by value."""

    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    constants: dict[str, Array] = field(default_factory=dict[str, Array])

    def given(self, *shape: int) -> Value:
        """Add an input of random numbers."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = np.random.default_rng(len(self.inputs)).normal(0, 2, shape).astype(np.float32)
        return Value(self, name)

    def constant(self, value: Any, dtype: Any = np.float32) -> Value:
        """Add a constant."""
        name = f"k{len(self.constants)}"
        self.constants[name] = np.asarray(value, dtype)
        return Value(self, name)

    def weights(self, *shape: int) -> Value:
        """Add a constant of random numbers."""
        return self.constant(np.random.default_rng(99 + len(self.constants)).normal(0, 1, shape))

    def integers(self, *values: int) -> Value:
        """Add a constant of integers on one axis."""
        return self.constant(values, np.int64)

    def node(self, operator: str, *inputs: Value | float, **attributes: Any) -> Value:
        """Add an operator; returns its result."""
        names = [value.name if isinstance(value, Value) else self.constant(value).name for value in inputs]
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [result], name=result, **attributes))
        return Value(self, result)

    def model(self, *outputs: Value) -> ModelProto:
        """Return the network that computes these values."""
        graph = helper.make_graph(
            self.nodes,
            "written_out",
            [helper.make_tensor_value_info(name, 1, value.shape) for name, value in self.inputs.items()],
            [helper.make_tensor_value_info(value.name, 1, None) for value in outputs],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@dataclass(frozen=True)
class Value:
    """A tensor of a graph."""

    graph: Graph
    name: str

    def __add__(self, other: Value | float) -> Value:
        return self.graph.node("Add", self, other)

    def __sub__(self, other: Value | float) -> Value:
        return self.graph.node("Sub", self, other)

    def __mul__(self, other: Value | float) -> Value:
        return self.graph.node("Mul", self, other)

    def __rmul__(self, other: float) -> Value:
        return self.graph.node("Mul", other, self)

    def __truediv__(self, other: Value | float) -> Value:
        return self.graph.node("Div", self, other)

    def __rtruediv__(self, other: float) -> Value:
        return self.graph.node("Div", other, self)

    def __pow__(self, other: float) -> Value:
        return self.graph.node("Pow", self, other)

    def __matmul__(self, other: Value) -> Value:
        return self.graph.node("MatMul", self, other)

    def __neg__(self) -> Value:
        return self.graph.node("Neg", self)

    def apply(self, operator: str, *others: Value | float, **attributes: Any) -> Value:
        """Return an operator of this tensor."""
        return self.graph.node(operator, self, *others, **attributes)


Activation = Callable[[Value], Value]


def _tanh_gelu(cube: Activation) -> Activation:
    return lambda x: 0.5 * x * ((0.7978845608 * (x + 0.044715 * cube(x))).apply("Tanh") + 1.0)


def _fast_gelu(x: Value) -> Value:
    return x * 0.5 * ((x * 0.7978845608 * (x * 0.044715 * x + 1.0)).apply("Tanh") + 1.0)


ACTIVATIONS: dict[str, list[Activation]] = {
    "onnx.Gelu": [
        lambda x: x * ((x / 1.4142135).apply("Erf") + 1.0) * 0.5,
        lambda x: (x * 0.5) * ((x * 0.70710678).apply("Erf") + 1.0),
        lambda x: 0.5 * (x * ((x * 0.70710678).apply("Erf") + 1.0)),
        _tanh_gelu(lambda x: x**3),
        _tanh_gelu(lambda x: x * x * x),
        _fast_gelu,
    ],
    "onnx.HardSwish": [
        lambda x: x * (x + 3.0).apply("Clip", 0.0, 6.0) / 6.0,
        lambda x: x * ((x + 3.0).apply("Clip", 0.0, 6.0) / 6.0),
        lambda x: x * (x + 3.0).apply("Relu").apply("Min", 6.0) * (1 / 6),
        lambda x: x * (x / 6.0 + 0.5).apply("Clip", 0.0, 1.0),
        lambda x: x * x.apply("HardSigmoid", alpha=1 / 6, beta=0.5),
    ],
    "onnx.Swish": [
        lambda x: x * x.apply("Sigmoid"),
        lambda x: (x * 1.702).apply("Sigmoid") * x,
    ],
}

OTHER_ACTIVATIONS: list[Activation] = [
    lambda x: x * ((x / 1.414).apply("Erf") + 1.0) * 0.5,
    lambda x: x * ((x / 1.4142135).apply("Erf") + 1.0),
    lambda x: x * ((x / 1.4142135).apply("Erf") + 0.5) * 0.5,
    lambda x: (x + 1.0) * ((x / 1.4142135).apply("Erf") + 1.0) * 0.5,
    _tanh_gelu(lambda x: x**2),
    lambda x: x * (x + 3.0).apply("Clip", 0.0, 5.0) / 6.0,
    lambda x: x * (x + 2.0).apply("Clip", 0.0, 6.0) / 6.0,
    lambda x: x * x.apply("HardSigmoid", alpha=0.2, beta=0.5),
    lambda x: x * x.apply("Tanh"),
    lambda x: x.apply("Sigmoid") / x,
]
"""What is nearly an activation function, and is none."""


def mean(value: Value, axes: list[int], *, keepdims: int = 1) -> Value:
    """Return the mean over axes."""
    return value.apply("ReduceMean", value.graph.integers(*axes), keepdims=keepdims)


INVERSES: list[Callable[[Value, Value], Value]] = [
    lambda x, square: x / square.apply("Sqrt"),
    lambda x, square: x * (1.0 / square.apply("Sqrt")),
    lambda x, square: x * square.apply("Sqrt").apply("Reciprocal"),
    lambda x, square: x / square**0.5,
    lambda x, square: square**-0.5 * x,
]
"""How a value is divided by the root of a square."""
SQUARES: list[Activation] = [lambda x: x**2.0, lambda x: x * x]
