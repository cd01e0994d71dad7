"""Graphs of a given number of nodes and of every shape; tensors are small, so that it is the nodes that count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.ir import Array

OPSET = 18
FLOAT = TensorProto.FLOAT
NESTED = 90
"""How deep functions are nested, of which ONNX inlines a hundred."""


class Graph:
    """A graph in the making: each method adds a node and returns the name of its result."""

    def __init__(self, inputs: int = 1, shape: Sequence[int] = (4, 4)):
        self.shape = list(shape)
        self.inputs = [f"x{index}" for index in range(inputs)]
        self.nodes: list[NodeProto] = []
        self.functions: list[FunctionProto] = []
        self._constants: dict[str, TensorProto] = {}

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of one result."""
        name = f"t{len(self.nodes)}_"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, array: Array) -> str:
        """Add an initialiser."""
        name = f"c{len(self._constants)}_"
        self._constants[name] = numpy_helper.from_array(array, name)
        return name

    def number(self, value: float) -> str:
        """Add an initialiser of one float."""
        return self.constant(np.array(value, np.float32))

    def graph(self, *outputs: str, shape: Sequence[int] | None = None, name: str = "growth") -> GraphProto:
        """Return the graph with these outputs."""
        shape = self.shape if shape is None else shape
        inputs = [helper.make_tensor_value_info(name, FLOAT, self.shape) for name in self.inputs]
        results = [helper.make_tensor_value_info(name, FLOAT, shape) for name in outputs]
        return helper.make_graph(self.nodes, name, inputs, results, list(self._constants.values()))

    def model(self, *outputs: str, shape: Sequence[int] | None = None) -> ModelProto:
        """Return the model with these outputs."""
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("own", 1)]
        return helper.make_model(
            self.graph(*outputs, shape=shape), opset_imports=opsets, functions=self.functions, ir_version=9
        )


def chain(nodes: int) -> ModelProto:
    """Return a chain of Neg and Relu."""
    graph = Graph()
    value = graph.inputs[0]
    for index in range(nodes):
        value = graph.add(("Neg", "Relu")[index % 2], value)
    return graph.model(value)


def sums(nodes: int) -> ModelProto:
    """Return a chain of additions of uniform constants."""
    graph = Graph()
    value = graph.inputs[0]
    for index in range(nodes):
        value = graph.add("Add", value, graph.number(index % 7))
    return graph.model(value)


def products(nodes: int) -> ModelProto:
    """Return a chain of products by numbers, quotients, and sums with another tensor."""
    graph = Graph(inputs=2)
    value, other = graph.inputs
    for index in range(nodes):
        operator = ("Mul", "Add", "Div", "Sub")[index % 4]
        value = graph.add(operator, value, other if index % 2 else graph.number(1.5))
    return graph.model(value)


def softmaxes(nodes: int) -> ModelProto:
    """Return a chain of operators that do not fuse."""
    graph = Graph()
    value = graph.inputs[0]
    for _ in range(nodes):
        value = graph.add("Softmax", value, axis=-1)
    return graph.model(value)


def matmuls(nodes: int) -> ModelProto:
    """Return a chain of matrix products with a weight each, and Relu."""
    graph = Graph()
    value = graph.inputs[0]
    generator = np.random.default_rng(0)
    for _ in range(nodes // 2):
        weight = graph.constant(generator.standard_normal((4, 4)).astype(np.float32))
        value = graph.add("Relu", graph.add("MatMul", value, weight))
    return graph.model(value)


def convolutions(nodes: int) -> ModelProto:
    """Return a chain of convolutions with a bias, and Relu."""
    graph = Graph(shape=(1, 4, 4, 4))
    value = graph.inputs[0]
    generator = np.random.default_rng(0)
    bias = graph.constant(np.ones(4, np.float32))
    for _ in range(nodes // 2):
        weight = graph.constant(generator.standard_normal((4, 4, 3, 3)).astype(np.float32))
        value = graph.add("Relu", graph.add("Conv", value, weight, bias, pads=[1, 1, 1, 1]))
    return graph.model(value)


def quantised(nodes: int) -> ModelProto:
    """Return a chain of quantised matrix products, QLinearMatMul between QuantizeLinear and DequantizeLinear."""
    graph = Graph()
    scale, zero = graph.number(0.05), graph.constant(np.array(0, np.int8))
    value = graph.add("QuantizeLinear", graph.inputs[0], scale, zero)
    generator = np.random.default_rng(0)
    for _ in range(nodes - 2):
        weight = graph.constant(generator.integers(-127, 127, (4, 4), np.int8))
        value = graph.add("QLinearMatMul", value, scale, zero, weight, scale, zero, scale, zero)
    return graph.model(graph.add("DequantizeLinear", value, scale, zero))


def wide(nodes: int) -> ModelProto:
    """Return a value with many users, whose results a balanced tree of additions joins."""
    graph = Graph()
    added = [graph.add("Add", graph.inputs[0], graph.number(index)) for index in range(nodes // 3)]
    values = [graph.add("Softmax", value, axis=-1) for value in added]
    while len(values) > 1:
        pairs = [graph.add("Add", *values[index : index + 2]) for index in range(0, len(values) - 1, 2)]
        values = [*pairs, *values[len(pairs) * 2 :]]
    return graph.model(values[0])


def fan_in(nodes: int) -> ModelProto:
    """Return operators of many operands: Sum and Concat of all results of different nodes."""
    graph = Graph()
    values = [graph.add("Softmax", graph.add("Add", graph.inputs[0], graph.number(i))) for i in range(nodes // 2 - 1)]
    joined = graph.add("Concat", *values, axis=0)
    total = graph.add("Sum", *values)
    return graph.model(graph.add("Add", graph.add("ReduceMax", joined, keepdims=1), total))


def diamonds(nodes: int) -> ModelProto:
    """Return a chain of diamonds: the sum of Relu and Neg of a value."""
    graph = Graph()
    value = graph.inputs[0]
    for _ in range(nodes // 3):
        value = graph.add("Add", graph.add("Relu", value), graph.add("Neg", value))
    return graph.model(value)


def ladder(nodes: int) -> ModelProto:
    """Return residual blocks: a matrix product and Relu, added to their input."""
    graph = Graph()
    value = graph.inputs[0]
    weight = graph.constant(np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32))
    for _ in range(nodes // 3):
        value = graph.add("Add", value, graph.add("Relu", graph.add("MatMul", value, weight)))
    return graph.model(value)


def skips(nodes: int) -> ModelProto:
    """Return a chain whose values are all used again in reverse, so that half of them are alive at once."""
    graph = Graph()
    values = [graph.inputs[0]]
    for _ in range(nodes // 3):
        values.append(graph.add("Softmax", values[-1], axis=-1))
    value = values.pop()
    while len(values) > 1:
        value = graph.add("Softmax", graph.add("Add", value, values.pop()), axis=0)
    return graph.model(value)


def views(nodes: int) -> ModelProto:
    """Return a chain of Reshape and Transpose."""
    graph = Graph()
    value = graph.inputs[0]
    shapes = [graph.constant(np.array(shape)) for shape in ((2, 8), (4, 4))]
    for index in range(nodes // 2):
        value = graph.add("Transpose", graph.add("Reshape", value, shapes[index % 2]), perm=[1, 0])
    return graph.model(graph.add("Reshape", value, shapes[1]))


def slices(nodes: int) -> ModelProto:
    """Return slices of one tensor, each through an operator, and their Concat."""
    graph = Graph(shape=(nodes // 2, 4))
    axis = graph.constant(np.array([0]))
    parts: list[str] = []
    for index in range(nodes // 2):
        start, end = graph.constant(np.array([index])), graph.constant(np.array([index + 1]))
        parts.append(graph.add("Softmax", graph.add("Slice", graph.inputs[0], start, end, axis), axis=-1))
    return graph.model(graph.add("Concat", *parts, axis=0))


def splits(nodes: int) -> ModelProto:
    """Return one Split of many results, each through an operator."""
    graph = Graph(shape=(nodes, 4))
    parts = [f"part{index}" for index in range(nodes)]
    graph.nodes.append(helper.make_node("Split", graph.inputs, parts, axis=0, num_outputs=nodes))
    return graph.model(graph.add("Concat", *(graph.add("Softmax", part, axis=-1) for part in parts), axis=0))


def constants(nodes: int) -> ModelProto:
    """Return Constant nodes, and an addition for each."""
    graph = Graph()
    value = graph.inputs[0]
    generator = np.random.default_rng(0)
    for _ in range(nodes // 2):
        tensor = numpy_helper.from_array(generator.standard_normal((4, 4)).astype(np.float32))
        value = graph.add("Add", value, graph.add("Constant", value=tensor))
    return graph.model(value)


def ports(nodes: int) -> ModelProto:
    """Return as many inputs and outputs as nodes."""
    graph = Graph(inputs=nodes)
    return graph.model(*(graph.add("Relu", name) for name in graph.inputs))


def calls(nodes: int) -> ModelProto:
    """Return calls of one function, one after the other."""
    graph = Graph()
    _function(graph, "Own", [("Softmax", "x", "y"), ("Softmax", "y", "z")], "z")
    value = graph.inputs[0]
    for _ in range(nodes // 2):
        value = graph.add("Own", value, domain="own")
    return graph.model(value)


def nested_functions(nodes: int) -> ModelProto:
    """Return functions that call the next one, NESTED deep, which the main graph calls again and again."""
    graph = Graph()
    for index in range(NESTED):
        call = (f"Own{index + 1}" if index < NESTED - 1 else "Relu", "t", "y")
        _function(graph, f"Own{index}", [("Softmax", "x", "t"), call], "y")
    value = graph.inputs[0]
    for _ in range(-(-nodes // NESTED)):
        value = graph.add("Own0", value, domain="own")
    return graph.model(value)


def doubling_functions(functions: int) -> ModelProto:
    """Return functions that call the next one twice: 2 ** functions nodes where they are expanded."""
    graph = Graph()
    for index in range(functions):
        operator = "Softmax" if index == functions - 1 else f"Own{index + 1}"
        _function(graph, f"Own{index}", [(operator, "x", "t"), (operator, "t", "y")], "y")
    return graph.model(graph.add("Own0", graph.inputs[0], domain="own"))


def _function(graph: Graph, name: str, body: Sequence[tuple[str, str, str]], output: str) -> None:
    nodes = [
        helper.make_node(operator, [x], [y], domain="own" if operator.startswith("Own") else "")
        for operator, x, y in body
    ]
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("own", 1)]
    graph.functions.append(helper.make_function("own", name, ["x"], [output], nodes, opsets))


def ifs(nodes: int) -> ModelProto:
    """Return conditionals one after the other, with an operator in each branch."""
    graph = Graph()
    value = graph.inputs[0]
    chosen = _condition(graph)
    for _ in range(nodes // 3):
        branches = {f"{name}_branch": _branch("Softmax", value, axis) for name, axis in (("then", 0), ("else", 1))}
        value = graph.add("If", chosen, **branches)
    return graph.model(value)


def nested_ifs(depth: int) -> ModelProto:
    """Return conditionals in conditionals."""
    graph = Graph()
    chosen = _condition(graph)
    body = _branch("Neg", graph.inputs[0])
    for _ in range(depth):
        node = helper.make_node("If", [chosen], ["y"], then_branch=body, else_branch=_branch("Relu", graph.inputs[0]))
        body = helper.make_graph([node], "body", [], [helper.make_tensor_value_info("y", FLOAT, graph.shape)])
    node = graph.add("If", chosen, then_branch=body, else_branch=_branch("Relu", graph.inputs[0]))
    return graph.model(node)


def _condition(graph: Graph) -> str:
    largest = graph.add("ReduceMax", graph.inputs[0], keepdims=0)
    return graph.add("Greater", largest, graph.number(0))


def _branch(operator: str, value: str, axis: int | None = None) -> GraphProto:
    attributes: dict[str, Any] = {} if axis is None else {"axis": axis}
    node = helper.make_node(operator, [value], ["y"], **attributes)
    return helper.make_graph([node], "body", [], [helper.make_tensor_value_info("y", FLOAT, [4, 4])])


SHAPES: dict[str, Callable[[int], ModelProto]] = {
    shape.__name__: shape
    for shape in (
        *(chain, sums, products, softmaxes, matmuls, convolutions, quantised, wide, fan_in, diamonds, ladder, skips),
        *(views, slices, splits, constants, ports, calls, nested_functions, ifs),
    )
}
"""The graphs of n nodes, by name."""
