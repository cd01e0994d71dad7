"""
Facts about ONNX operators, one row an operator: what more than one rule asks, in place of sets of names.

    having(Trait.VIEW)             # {"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
    having(Trait.VIEW, "onnx.")    # the names of their ops
    facts_of("QLinearConv").weight # 3

An operator without a row has none of these traits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any

from .registry import key_of, treats


class Trait(Enum):
    """Property that an operator has in all its forms."""

    ELEMENTWISE = "each element of the result depends on one element of every input; inputs broadcast"
    TABULATED = "elementwise function of floats that quantisation may replace by a table of all bytes"
    DIVIDES = "integers of its second operand must not be 0"
    CLAMPS = "limits numbers to a range"
    HOMOGENEOUS = "f(s x) = s f(x) for a positive s of each channel, along axis 1"
    STRETCHES = "relative errors of small operands count after it, and large operands may not matter"
    MOVES = "moves, repeats or chooses elements"
    SELECTS = "chooses the greatest or least of several elements"
    VIEW = "reshapes or permutes its first operand"
    RESHAPES = "keeps the row-major order of elements"
    CROPS = "its auto_pad crops an input that is longer than its windows, as ONNX's text and ONNX Runtime have it"
    SUMS_PRODUCTS = "sums products of its operands"
    QUANTISED = "has operands or results that are quantised tensors"
    COMPUTES_FLOATS = "takes quantised tensors and computes in floats"
    CARRIES_INTEGERS = "computes integers, which floats may carry: an operator of quantisers"
    RANDOM = "has random results"
    HANDLED = "has a rule, as one of a domain of ONNX beside ai.onnx, where others have none"


_IMPLIED = {
    Trait.CLAMPS: Trait.TABULATED,
    Trait.TABULATED: Trait.ELEMENTWISE,
    Trait.SELECTS: Trait.MOVES,
    Trait.RESHAPES: Trait.VIEW,
    Trait.VIEW: Trait.MOVES,
}
"""Trait -> the trait that every operator with it has too."""


@dataclass(frozen=True)
class Facts:
    """
    Facts about one operator.

    `weight` and `bias` are positions of inputs, `channels` is the axis of the output channels in a weight of any rank.
    `integer` is the operator on integers whose sums are of 32 bits, `quantised` that on quantised tensors. `zeros` maps
    the position of a quantised operand to that of its zero point; `result_zero` is the position of the result's. `size`
    is the position of the input that says how many entries the result has. `neutral` is the number that does not count
    among the elements that the operator combines.
    """

    traits: frozenset[Trait] = frozenset()
    weight: int | None = None
    bias: int | None = None
    channels: int | None = None
    integer: str = ""
    quantised: str = ""
    zeros: Mapping[int, int] = field(default_factory=dict[int, int])
    result_zero: int | None = None
    size: int | None = None
    neutral: float | None = None


_NONE = Facts()
FACTS: dict[str, Facts] = {}
"""Operator -> its facts."""


def facts_of(operator: str) -> Facts:
    """Return the facts about an operator, or about that of an op."""
    return FACTS.get(key_of(operator), _NONE)


@cache
def having(trait: Trait, prefix: str = "") -> frozenset[str]:
    """Return the names of the operators with a trait; with the prefix `onnx.` those of their ops."""
    return frozenset(prefix + name for name, facts in FACTS.items() if trait in facts.traits)


def _operator(name: str, *traits: Trait, **facts: Any) -> None:
    whole = list(traits)
    for trait in whole:
        whole += [_IMPLIED[trait]] if trait in _IMPLIED else []
    FACTS[name] = Facts(frozenset(whole), **facts)
    treats("facts", [name])


_operator("Abs", Trait.TABULATED)
_operator("Acos", Trait.ELEMENTWISE)
_operator("Acosh", Trait.ELEMENTWISE)
_operator("Add", Trait.TABULATED, quantised="QLinearAdd")
_operator("And", Trait.ELEMENTWISE)
_operator("Asin", Trait.ELEMENTWISE)
_operator("Asinh", Trait.ELEMENTWISE)
_operator("Atan", Trait.ELEMENTWISE)
_operator("Atanh", Trait.ELEMENTWISE)
_operator("Attention", Trait.SUMS_PRODUCTS)
_operator("AveragePool", Trait.HOMOGENEOUS, Trait.CROPS)
_operator("Bernoulli", Trait.RANDOM)
_operator("BitShift", Trait.ELEMENTWISE)
_operator("BitwiseAnd", Trait.ELEMENTWISE)
_operator("BitwiseNot", Trait.ELEMENTWISE)
_operator("BitwiseOr", Trait.ELEMENTWISE)
_operator("BitwiseXor", Trait.ELEMENTWISE)
_operator("Cast", Trait.ELEMENTWISE)
_operator("Ceil", Trait.TABULATED)
_operator("Celu", Trait.TABULATED)
_operator("Clip", Trait.CLAMPS)
_operator("Concat", Trait.MOVES)
_operator("ConstantOfShape", size=0)
_operator("Conv", Trait.SUMS_PRODUCTS, weight=1, bias=2, channels=0, integer="ConvInteger", quantised="QLinearConv")
_operator("ConvInteger", Trait.SUMS_PRODUCTS, Trait.QUANTISED, weight=1, channels=0, zeros={0: 2, 1: 3})
_operator("ConvTranspose", Trait.SUMS_PRODUCTS, weight=1, bias=2, channels=1)
_operator("Cos", Trait.TABULATED)
_operator("Cosh", Trait.ELEMENTWISE)
_operator("DecodeFloat", Trait.QUANTISED)
_operator("DeformConv", Trait.SUMS_PRODUCTS)
_operator("DepthToSpace", Trait.MOVES)
_operator("Dequant", Trait.ELEMENTWISE, Trait.CARRIES_INTEGERS)
_operator("DequantizeLinear", Trait.QUANTISED, Trait.COMPUTES_FLOATS, zeros={0: 2})
_operator("Div", Trait.TABULATED, Trait.DIVIDES)
_operator("DynamicQuantizeLinear", Trait.QUANTISED)
_operator("Einsum", Trait.SUMS_PRODUCTS)
_operator("Elu", Trait.TABULATED)
_operator("EncodeFloat", Trait.QUANTISED)
_operator("Equal", Trait.ELEMENTWISE)
_operator("Erf", Trait.TABULATED)
_operator("Exp", Trait.TABULATED, Trait.STRETCHES)
_operator("Expand", Trait.MOVES, size=1)
_operator("Flatten", Trait.RESHAPES)
_operator("Floor", Trait.TABULATED)
_operator("Gather", Trait.MOVES)
_operator("GatherElements", Trait.MOVES)
_operator("GatherND", Trait.MOVES)
_operator("Gelu", Trait.TABULATED)
_operator("Gemm", Trait.SUMS_PRODUCTS, weight=1, bias=2, integer="MatMulInteger")
_operator("GlobalAveragePool", Trait.HOMOGENEOUS)
_operator("GlobalMaxPool", Trait.SELECTS, Trait.HOMOGENEOUS)
_operator("Greater", Trait.ELEMENTWISE)
_operator("GreaterOrEqual", Trait.ELEMENTWISE)
_operator("GRU", Trait.SUMS_PRODUCTS)
_operator("HardSigmoid", Trait.TABULATED)
_operator("HardSwish", Trait.TABULATED)
_operator("Identity", Trait.ELEMENTWISE, Trait.RESHAPES)
_operator("iGELU", Trait.ELEMENTWISE, Trait.CARRIES_INTEGERS)
_operator("iHardswish", Trait.ELEMENTWISE, Trait.CARRIES_INTEGERS)
_operator("iLayerNorm", Trait.CARRIES_INTEGERS)
_operator("iNoNorm", Trait.CARRIES_INTEGERS)
_operator("IntegerDiv", Trait.ELEMENTWISE, Trait.DIVIDES, Trait.CARRIES_INTEGERS)
_operator("IntegerMean", Trait.CARRIES_INTEGERS)
_operator("iRMSNorm", Trait.CARRIES_INTEGERS)
_operator("IsInf", Trait.ELEMENTWISE)
_operator("IsNaN", Trait.ELEMENTWISE)
_operator("iSoftmax", Trait.CARRIES_INTEGERS)
_operator("ITAMax", Trait.CARRIES_INTEGERS)
_operator("ITAPartialMax", Trait.CARRIES_INTEGERS)
_operator("LeakyRelu", Trait.TABULATED, Trait.HOMOGENEOUS)
_operator("Less", Trait.ELEMENTWISE)
_operator("LessOrEqual", Trait.ELEMENTWISE)
_operator("LinearAttention", Trait.SUMS_PRODUCTS)
_operator("Log", Trait.TABULATED, Trait.STRETCHES)
_operator("LpPool", Trait.CROPS)
_operator("LSTM", Trait.SUMS_PRODUCTS)
_operator("MatMul", Trait.SUMS_PRODUCTS, weight=1, integer="MatMulInteger", quantised="QLinearMatMul")
_operator("MatMulInteger", Trait.SUMS_PRODUCTS, Trait.QUANTISED, weight=1, zeros={0: 2, 1: 3})
_operator("Max", Trait.TABULATED)
_operator("MaxPool", Trait.SELECTS, Trait.HOMOGENEOUS, Trait.CROPS)
_operator("Mean", Trait.ELEMENTWISE)
_operator("Min", Trait.TABULATED)
_operator("Mish", Trait.TABULATED)
_operator("Mod", Trait.ELEMENTWISE, Trait.DIVIDES)
_operator("Mul", Trait.TABULATED, quantised="QLinearMul")
_operator("Multinomial", Trait.RANDOM)
_operator("Neg", Trait.TABULATED)
_operator("Not", Trait.ELEMENTWISE)
_operator("Or", Trait.ELEMENTWISE)
_operator("Pad", Trait.MOVES)
_operator("Pow", Trait.TABULATED)
_operator("PRelu", Trait.TABULATED)
_operator("QLinearAdd", Trait.COMPUTES_FLOATS, zeros={0: 2, 3: 5}, result_zero=7)
_operator(
    "QLinearConv", Trait.SUMS_PRODUCTS, Trait.QUANTISED, weight=3, bias=8, channels=0, zeros={0: 2, 3: 5}, result_zero=7
)
_operator("QLinearMatMul", Trait.SUMS_PRODUCTS, Trait.QUANTISED, weight=3, zeros={0: 2, 3: 5}, result_zero=7)
_operator("QLinearMul", Trait.COMPUTES_FLOATS, zeros={0: 2, 3: 5}, result_zero=7)
_operator("Quant", Trait.ELEMENTWISE, Trait.CARRIES_INTEGERS)
_operator("QuantizeLinear", Trait.QUANTISED, result_zero=2)
_operator("RandomNormal", Trait.RANDOM)
_operator("RandomNormalLike", Trait.RANDOM)
_operator("RandomUniform", Trait.RANDOM)
_operator("RandomUniformLike", Trait.RANDOM)
_operator("Range", size=1)
_operator("Reciprocal", Trait.TABULATED, Trait.STRETCHES)
_operator("ReduceL1", neutral=0.0)
_operator("ReduceL2", neutral=0.0)
_operator("ReduceLogSum", neutral=0.0)
_operator("ReduceMax", Trait.SELECTS)
_operator("ReduceMean", neutral=0.0)
_operator("ReduceMin", Trait.SELECTS)
_operator("ReduceProd", neutral=1.0)
_operator("ReduceSum", neutral=0.0)
_operator("ReduceSumSquare", neutral=0.0)
_operator("Relu", Trait.CLAMPS, Trait.HOMOGENEOUS)
_operator("RequantShift", Trait.CARRIES_INTEGERS)
_operator("Reshape", Trait.RESHAPES, size=1)
_operator("Resize", Trait.MOVES)
_operator("RNN", Trait.SUMS_PRODUCTS)
_operator("RotaryEmbedding", Trait.SUMS_PRODUCTS)
_operator("Round", Trait.TABULATED)
_operator("Selu", Trait.TABULATED)
_operator("Shrink", Trait.ELEMENTWISE)
_operator("Sigmoid", Trait.TABULATED)
_operator("Sign", Trait.TABULATED)
_operator("Sin", Trait.TABULATED)
_operator("Sinh", Trait.ELEMENTWISE)
_operator("Slice", Trait.MOVES, size=2)
_operator("Softmax", Trait.STRETCHES, neutral=float("-inf"))
_operator("Softplus", Trait.TABULATED)
_operator("Softsign", Trait.TABULATED)
_operator("SpaceToDepth", Trait.MOVES)
_operator("Split", Trait.MOVES)
_operator("Sqrt", Trait.TABULATED, Trait.STRETCHES)
_operator("Squeeze", Trait.RESHAPES)
_operator("Sub", Trait.TABULATED)
_operator("Sum", Trait.ELEMENTWISE)
_operator("Swish", Trait.TABULATED)
_operator("Tan", Trait.ELEMENTWISE)
_operator("Tanh", Trait.TABULATED)
_operator("ThresholdedRelu", Trait.TABULATED)
_operator("Tile", Trait.MOVES)
_operator("Transpose", Trait.VIEW)
_operator("TrueIntegerDiv", Trait.ELEMENTWISE, Trait.CARRIES_INTEGERS)
_operator("Unsqueeze", Trait.RESHAPES)
_operator("Where", Trait.ELEMENTWISE)
_operator("Xor", Trait.ELEMENTWISE)
_operator("ml.ArrayFeatureExtractor", Trait.HANDLED)
_operator("ml.Binarizer", Trait.HANDLED)
_operator("preview.training.Adagrad", Trait.HANDLED)
_operator("preview.training.Adam", Trait.HANDLED)
_operator("preview.training.Momentum", Trait.HANDLED)
