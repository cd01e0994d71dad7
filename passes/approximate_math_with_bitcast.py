"""Approximation of logarithms and exponentials by the bits of floats."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log, log2
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, FloatAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from .core.base import Pass

_EPSILON = 0.045
"""Mean of log2(1 + m) - m for m in 0..1, rounded; Schraudolph, Neural Computation 11(4), 1999."""
_FORMATS = {Float16Type: (10, 15), Float32Type: (23, 127), Float64Type: (52, 1023)}
"""Type -> bits of the mantissa, bias of the exponent. bf16 has too few bits to compute in its own arithmetic."""


def approximate_math(module: ModuleOp, logarithms: bool, exponentials: bool) -> None:
    """Replace scalar logarithms and exponentials of f16, f32 and f64 by approximations."""
    for op in nested_ops(module):
        if isinstance(op, math.LogOp | math.Log2Op | math.Log1pOp) and logarithms:
            _rewrite(op, _logarithm)
        elif isinstance(op, math.ExpOp | math.Exp2Op) and exponentials:
            _rewrite(op, _exponential)


class _Code:
    """Builder of float arithmetic before an op, in its type and with its flags."""

    def __init__(self, op: Operation):
        self.op = op
        self.type: Any = op.results[0].type
        self.mantissa, self.bias = _FORMATS[type(self.type)]
        self.integer = IntegerType(self.type.bitwidth)
        self._flags = op.properties.get("fastmath")

    def insert(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        op.results[0].name_hint = self.op.results[0].name_hint
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0]

    def constant(self, value: float) -> SSAValue:
        return self.insert(arith.ConstantOp(FloatAttr(value, self.type)))

    def binary(self, kind: type[arith.FloatingPointLikeBinaryOperation], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(kind(a, b, cast(Any, self._flags)))


def _rewrite(op: Operation, made: Any) -> None:
    if type(op.results[0].type) in _FORMATS:
        Rewriter.replace_op(op, [], [made(_Code(op), op.operands[0])])


def _logarithm(code: _Code, x: SSAValue) -> SSAValue:
    """Insert log2(x) = bits(x) / 2^mantissa - bias + epsilon, times log(2) where the base is e."""
    if isinstance(code.op, math.Log1pOp):
        x = code.binary(arith.AddfOp, x, code.constant(1.0))
    bits = code.insert(arith.SIToFPOp(code.insert(arith.BitcastOp(x, code.integer)), code.type))
    scaled = code.binary(arith.MulfOp, bits, code.constant(2.0**-code.mantissa))
    result = code.binary(arith.AddfOp, scaled, code.constant(_EPSILON - code.bias))
    if isinstance(code.op, math.Log2Op):
        return result
    return code.binary(arith.MulfOp, result, code.constant(log(2.0)))


def _exponential(code: _Code, x: SSAValue) -> SSAValue:
    """
    Insert 2^x = float of the bits 2^mantissa * (x + bias - epsilon); e^x is 2^(x * log2(e)).

    The bits are clamped to those of 0 and of infinity.
    """
    if isinstance(code.op, math.ExpOp):
        x = code.binary(arith.MulfOp, x, code.constant(log2(e)))
    exponent = code.binary(arith.AddfOp, x, code.constant(code.bias - _EPSILON))
    above = code.binary(arith.MaximumfOp, exponent, code.constant(0.0))
    within = code.binary(arith.MinimumfOp, above, code.constant(2.0 * code.bias + 1))
    scaled = code.binary(arith.MulfOp, within, code.constant(2.0**code.mantissa))
    return code.insert(arith.BitcastOp(code.insert(arith.FPToSIOp(scaled, code.integer)), code.type))


@dataclass(frozen=True)
class ApproximateMathWithBitcastPass(Pass):
    """
    Approximate log, log2, log1p, exp and exp2 of scalars by the bits of floats; results change.

    The relative error of an exponential is at most 4 % in f32 and f64 and 6 % in f16, the absolute error of a
    logarithm to the base 2 at most 0.06, of positive normal numbers. NaN is not handled, nor the logarithm of numbers
    that are not positive.
    """

    name = "approximate-math-with-bitcast"

    log: bool = True
    exp: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        approximate_math(op, self.log, self.exp)
