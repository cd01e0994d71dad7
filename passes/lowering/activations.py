"""Lowerings of activation functions: elementwise, on floats, with parameters in attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import Any

from xdsl.dialects import math
from xdsl.ir import SSAValue

from ...dialects.core.builder import Builder
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from .lowerer import Build, Lowerer, lowers
from .rules import scalar_rule

# Scalar code that operators share


def sigmoid(body: Builder, x: SSAValue) -> SSAValue:
    """Append 1 / (1 + exp(-x))."""
    return body.div(body.constant(1, x.type), body.add(body.op(math.ExpOp(body.negate(x))), 1))


def softplus(body: Builder, x: SSAValue) -> SSAValue:
    """Append log(1 + exp(x)), without overflow: max(x, 0) + log1p(exp(-|x|))."""
    decay = body.op(math.ExpOp(body.negate(body.magnitude(x))))
    return body.add(body.max(x, 0), body.op(math.Log1pOp(decay)))


def tanh(body: Builder, x: SSAValue) -> SSAValue:
    """Append tanh(x)."""
    return body.op(math.TanhOp(x))


def normal_probability(body: Builder, x: SSAValue) -> SSAValue:
    """Append (1 + erf(x / sqrt(2))) / 2: the normal distribution's probability of less than x."""
    return body.mul(body.add(body.op(math.ErfOp(body.mul(x, 1 / sqrt(2)))), 1), 0.5)


def gelu(body: Builder, x: SSAValue) -> SSAValue:
    """Append x times the normal distribution's probability of less than x."""
    return body.mul(x, normal_probability(body, x))


def gelu_by_tanh(body: Builder, x: SSAValue) -> SSAValue:
    """Append x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2."""
    cube = body.mul(body.mul(body.mul(x, x), x), 0.044715)
    bent = body.mul(body.add(x, cube), sqrt(2 / pi))
    return body.mul(body.mul(x, 0.5), body.add(tanh(body, bent), 1))


def _negative_part(body: Builder, x: SSAValue, below: SSAValue) -> SSAValue:
    """Append x where it is not negative, `below` elsewhere."""
    return body.select(body.compare(x, "slt", 0), below, x)


def _exponential_part(body: Builder, x: SSAValue, alpha: float) -> SSAValue:
    """Append x where it is not negative, alpha * (exp(x) - 1) elsewhere."""
    return _negative_part(body, x, body.mul(body.op(math.ExpM1Op(x)), alpha))


# Operators without parameters


def _relu(body: Builder, x: SSAValue) -> SSAValue:
    return body.max(x, 0)


def _hard_swish(body: Builder, x: SSAValue) -> SSAValue:
    return body.mul(x, body.clip(body.add(body.div(x, 6), 0.5), 0, 1))


def _mish(body: Builder, x: SSAValue) -> SSAValue:
    return body.mul(x, tanh(body, softplus(body, x)))


def _softsign(body: Builder, x: SSAValue) -> SSAValue:
    return body.div(x, body.add(body.magnitude(x), 1))


def _prelu(body: Builder, x: SSAValue, slope: SSAValue) -> SSAValue:
    return _negative_part(body, x, body.mul(x, slope))


_PLAIN: Registry[str, Build] = Registry(
    "scalar code",
    {
        "Relu": _relu,
        "Sigmoid": sigmoid,
        "Softplus": softplus,
        "Softsign": _softsign,
        "HardSwish": _hard_swish,
        "Mish": _mish,
        "PRelu": _prelu,
    },
)
for _name, _build in _PLAIN.items():
    lowers(_name)(scalar_rule(_build))


# Operators whose attributes are numbers in the scalar code


def _leaky_relu(body: Builder, x: SSAValue, *, alpha: float) -> SSAValue:
    return _negative_part(body, x, body.mul(x, alpha))


def _selu(body: Builder, x: SSAValue, *, alpha: float, gamma: float) -> SSAValue:
    return body.mul(_exponential_part(body, x, alpha), gamma)


def _celu(body: Builder, x: SSAValue, *, alpha: float) -> SSAValue:
    return _negative_part(body, x, body.mul(body.op(math.ExpM1Op(body.div(x, alpha))), alpha))


def _elu(body: Builder, x: SSAValue, *, alpha: float) -> SSAValue:
    return _exponential_part(body, x, alpha)


def _thresholded_relu(body: Builder, x: SSAValue, *, alpha: float) -> SSAValue:
    return body.select(body.compare(x, "sgt", alpha), x, body.constant(0, x.type))


def _hard_sigmoid(body: Builder, x: SSAValue, *, alpha: float, beta: float) -> SSAValue:
    return body.clip(body.add(body.mul(x, alpha), beta), 0, 1)


def _swish(body: Builder, x: SSAValue, *, alpha: float) -> SSAValue:
    return body.mul(x, sigmoid(body, x if alpha == 1 else body.mul(x, alpha)))


def _shrink(body: Builder, x: SSAValue, *, bias: float, lambd: float) -> SSAValue:
    zero = body.constant(0, x.type)
    above = body.select(body.compare(x, "sgt", lambd), body.sub(x, bias), zero)
    return body.select(body.compare(x, "slt", -lambd), body.add(x, bias), above)


def _gelu(body: Builder, x: SSAValue, *, approximate: str) -> SSAValue:
    return gelu_by_tanh(body, x) if approximate == "tanh" else gelu(body, x)


_PARAMETRIC: Registry[str, Callable[..., SSAValue]] = Registry(
    "scalar code",
    {
        "LeakyRelu": _leaky_relu,
        "Selu": _selu,
        "Celu": _celu,
        "Elu": _elu,
        "ThresholdedRelu": _thresholded_relu,
        "HardSigmoid": _hard_sigmoid,
        "Swish": _swish,
        "Shrink": _shrink,
        "Gelu": _gelu,
    },
)


def _parametric(build: Callable[..., SSAValue]) -> Callable[[Lowerer, OnnxOp], Sequence[SSAValue]]:
    """Return the rule for an operator whose attributes are the keyword arguments of `build`."""

    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        parameters: dict[str, Any] = {name: op.attribute(name) for name in op.SCHEMA.attributes}

        def scalars(body: Builder, x: SSAValue) -> SSAValue:
            return build(body, x, **parameters)

        return scalar_rule(scalars)(lower, op)

    return rule


for _name, _build in _PARAMETRIC.items():
    lowers(_name)(_parametric(_build))
