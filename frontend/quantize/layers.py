"""Layers: operators with integer arithmetic, each with its rule, which says why a node of it is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from onnx import NodeProto

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import Registry, mentions
from .network import FloatNetwork, attribute

SUMS = frozenset(("Add", "Mul", "Sub"))
_LONGEST_ROW = 1 << 14
"""Numbers of a row up to which 32 bits hold the sums of integer rows."""


@dataclass(frozen=True)
class Layer:
    """
    Operator with integer arithmetic.

    `tail` are the nodes after it that are part of it: the sum with a bias, clamps. `data` are the operands that the
    network computes, `weight` and `bias` the constant ones, "" where there is none; `axis` is that of the output
    channels in the weight, None where the weight has one scale. `output` is the quantised result. A softmax may have a
    `summand` of its operand, such as a mask; one that `is_wide` has a result of 32 bits.
    """

    node: NodeProto
    tail: tuple[NodeProto, ...]
    data: tuple[str, ...]
    output: str
    weight: str = ""
    bias: str = ""
    axis: int | None = None
    summand: str = ""
    is_wide: bool = False

    @property
    def name(self) -> str:
        """The name of the operator's node."""
        return self.node.name

    @property
    def summing(self) -> NodeProto:
        """The node that adds the bias."""
        return self.tail[0] if self.node.op_type == "MatMul" else self.node

    @property
    def is_softmax(self) -> bool:
        """Test for the operator Softmax."""
        return self.node.op_type == "Softmax"

    @property
    def points(self) -> tuple[str, ...]:
        """The tensors that are quantised to bytes."""
        return self.data if self.is_wide else (*self.data, self.output)


def _convolution(network: FloatNetwork, node: NodeProto) -> Layer | str:
    bias = node.input[2] if len(node.input) > 2 else ""
    for role, name in (("weights are", node.input[1]), ("bias is", bias)):
        if name and name not in network.constants:
            return f"its {role} computed, not constant"
    return Layer(node, (), (node.input[0],), node.output[0], node.input[1], bias, 0)


def _gemm(network: FloatNetwork, node: NodeProto) -> Layer | str:
    layer = _convolution(network, node)
    if isinstance(layer, str):
        return layer
    if node.input[0] in network.constants or attribute(node, "transA"):
        return "its first operand is constant or transposed"
    if attribute(node, "alpha") != 1 or attribute(node, "beta") != 1:
        return "its factors alpha and beta are not 1"
    columns = network.shape(node.output[0])[1]
    if layer.bias and network.constants[layer.bias].size not in (1, columns):
        return f"its bias has the shape {list(network.shape(layer.bias))}, not a number for each of {columns} columns"
    axis = 0 if attribute(node, "transB") else 1
    return Layer(node, (), layer.data, layer.output, layer.weight, layer.bias, axis)


def _matmul(network: FloatNetwork, node: NodeProto) -> Layer | str:
    data = tuple(name for name in node.input if name not in network.constants)
    if len(data) == 2:
        return Layer(node, (), data, node.output[0])
    weight = next(name for name in node.input if name in network.constants)
    along = node.input[1] == weight and network.shape(weight) == network.shape(weight)[-2:]
    columns = along and len(network.shape(weight)) == 2 and len(network.shape(node.input[0])) > 1
    return Layer(node, (), data, node.output[0], weight, axis=1 if columns else None)


def _sum(network: FloatNetwork, node: NodeProto) -> Layer | str:
    data = tuple(name for name in node.input if name not in network.constants)
    if len(data) == 2:
        return Layer(node, (), data, node.output[0])
    constant = next(name for name in node.input if name in network.constants)
    same = network.shape(data[0]) == network.shape(node.output[0])
    # The sum with a constant of floats is exact in 32 bits; a factor needs a scale.
    return Layer(node, (), data, node.output[0], "" if node.op_type == "Add" and same else constant)


def _average_pool(network: FloatNetwork, node: NodeProto) -> Layer | str:
    padded = any(attribute(node, "pads") or ()) and not attribute(node, "count_include_pad")
    if padded or attribute(node, "ceil_mode") or attribute(node, "auto_pad") not in ("NOTSET", "VALID"):
        return "its windows at the border have fewer elements"
    return _mean(network, node)


def _mean(network: FloatNetwork, node: NodeProto) -> Layer | str:
    if any(name and name not in network.constants for name in node.input[1:]):
        return "its axes are computed, not constant"
    return Layer(node, (), (node.input[0],), node.output[0])


Rule = Callable[[FloatNetwork, NodeProto], Layer | str]
"""Return the layer that a node is, or why it is none."""

RULES: Registry[str, Rule] = Registry(
    "quantised layer",
    {
        "Conv": _convolution,
        "Gemm": _gemm,
        "MatMul": _matmul,
        **dict.fromkeys(SUMS, _sum),
        "AveragePool": _average_pool,
        "GlobalAveragePool": _mean,
        "ReduceMean": _mean,
    },
)


def _softmax(network: FloatNetwork, node: NodeProto) -> Layer | str:
    if network.shape(node.output[0])[attribute(node, "axis")] > _LONGEST_ROW:
        return f"its rows have more than {_LONGEST_ROW} numbers"
    name, summand = _summand(network, node.input[0])
    return Layer(node, (), (name,), node.output[0], summand=summand, is_wide=node.output[0] in network.output_names)


def _summand(network: FloatNetwork, name: str) -> tuple[str, str]:
    """Return the tensor that a sum of the operand of a softmax ends, and its other summand; "" for other operands."""
    total = network.producers().get(name)
    if total is None or total.op_type != "Add" or len(network.consumers()[name]) != 1 or name in network.output_names:
        return name, ""
    scores = next((operand for operand in total.input if _is_product(network, operand)), None)
    if scores is None or network.shape(scores) != network.shape(name):
        return name, ""
    return scores, next(operand for operand in total.input if operand != scores)


@mentions("Div")
def _is_product(network: FloatNetwork, name: str) -> bool:
    """Return whether a tensor is a matrix product, or one times a number."""
    producers = network.producers()
    node = producers.get(name)
    while node is not None and node.op_type in ("Mul", "Div"):
        data = [operand for operand in node.input if operand not in network.constants]
        single = all(network.constants[operand].size == 1 for operand in node.input if operand in network.constants)
        node = producers.get(data[0]) if len(data) == 1 and single else None
    return node is not None and node.op_type == "MatMul"


def _layer_norm(network: FloatNetwork, node: NodeProto) -> Layer | str:
    shape = network.shape(node.input[0])
    if any(name and name not in network.constants for name in node.input[1:]):
        return "its factors or summands are computed, not constant"
    if any(node.output[1:]):
        return "its mean or deviation is used"
    if prod(shape[attribute(node, "axis") :]) > _LONGEST_ROW:
        return f"its rows have more than {_LONGEST_ROW} numbers"
    return Layer(node, (), (node.input[0],), node.output[0])


ROWS: Registry[str, Rule] = Registry(
    "quantised layer",
    {
        "Softmax": _softmax,
        "LayerNormalization": _layer_norm,
    },
)
"""Operators over rows that are layers where integers are chosen for them."""

PRODUCTS = having(Trait.SUMS_PRODUCTS) & RULES.keys()
IN_FLOATS = having(Trait.SUMS_PRODUCTS) - RULES.keys()
"""Operators of products that have no integer arithmetic here."""
