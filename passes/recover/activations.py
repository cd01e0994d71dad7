"""
Activation functions from the arithmetic that exporters write for them.

Sources: Gaussian Error Linear Units (arXiv:1606.08415), which gives both forms and x * sigmoid(1.702 x); Searching for
MobileNetV3 (arXiv:1905.02244), section 5.2, for hard-swish.
"""

from __future__ import annotations

from math import pi, sqrt

from .pattern import AnyOf, Node, Number, Pattern, Product, Sum
from .rules import pointwise, recovers

_PROBABILITY = Sum(Node("Erf", Product("x", scale=1 / sqrt(2))), offset=1)
_CUBE_TERM = AnyOf(
    Product(Node("Pow", "x", Number(3)), scale=0.044715),
    Product("x", "x", "x", scale=0.044715),
)
_BENT = AnyOf(
    Product(Sum("x", _CUBE_TERM), scale=sqrt(2 / pi)),
    Product("x", Sum(Product("x", "x", scale=0.044715), offset=1), scale=sqrt(2 / pi)),
)


def _clipped(value: Pattern, high: float) -> Pattern:
    """Return the pattern of a value between 0 and `high`."""
    zero, top = Number(0), Number(high)
    return AnyOf(
        Node("Clip", value, zero, top),
        Node("Min", Node("Relu", value), top),
        Node("Min", Node("Max", value, zero), top),
        Node("Max", Node("Min", value, top), zero),
    )


recovers("Gelu", Product("x", _PROBABILITY, scale=0.5))(pointwise("Gelu"))
recovers("Gelu", Product("x", Sum(Node("Tanh", _BENT), offset=1), scale=0.5))(pointwise("Gelu", approximate="tanh"))
recovers(
    "HardSwish",
    Product("x", _clipped(Sum("x", offset=3), 6), scale=1 / 6),
    Product("x", _clipped(Sum(Product("x", scale=1 / 6), offset=0.5), 1)),
    Product("x", Node("HardSigmoid", "x", alpha=1 / 6, beta=0.5)),
)(pointwise("HardSwish"))
recovers("Swish", Product("x", Node("Sigmoid", Product("x", scale="alpha"))))(pointwise("Swish"))
