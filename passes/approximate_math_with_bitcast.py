"""Approximation of logarithms and exponentials by the bits of floats."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log, log2
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.builder import Builder
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


class _Floats(Builder):
    """Builder of float arithmetic before an op, in its type, with its flags and name."""

    def __init__(self, source: Operation):
        super().__init__(InsertPoint.before(source), source.location)
        self.source = source
        self.type: Any = source.results[0].type
        self.mantissa, self.bias = _FORMATS[type(self.type)]
        self.integer = IntegerType(self.type.bitwidth)
        self._flags = source.properties.get("fastmath")

    def insert(self, op: Operation) -> None:
        """Insert an op."""
        super().insert(op)
        op.results[0].name_hint = self.source.results[0].name_hint

    def binary(self, kind: type[arith.FloatingPointLikeBinaryOperation], a: SSAValue, b: float) -> SSAValue:
        """Insert an op of a value and a number."""
        return self.op(kind(a, self.constant(b, self.type), cast(Any, self._flags)))


def _rewrite(op: Operation, expand: Any) -> None:
    if type(op.results[0].type) in _FORMATS:
        Rewriter.replace_op(op, [], [expand(_Floats(op), op.operands[0])])


def _logarithm(code: _Floats, x: SSAValue) -> SSAValue:
    """Insert log2(x) = bits(x) / 2^mantissa - bias + epsilon, times log(2) where the base is e."""
    if isinstance(code.source, math.Log1pOp):
        x = code.binary(arith.AddfOp, x, 1.0)
    bits = code.op(arith.SIToFPOp(code.op(arith.BitcastOp(x, code.integer)), code.type))
    scaled = code.binary(arith.MulfOp, bits, 2.0**-code.mantissa)
    result = code.binary(arith.AddfOp, scaled, _EPSILON - code.bias)
    if isinstance(code.source, math.Log2Op):
        return result
    return code.binary(arith.MulfOp, result, log(2.0))


def _exponential(code: _Floats, x: SSAValue) -> SSAValue:
    """
    Insert 2^x = float of the bits 2^mantissa * (x + bias - epsilon); e^x is 2^(x * log2(e)).

    The bits are clamped to those of 0 and of infinity.
    """
    if isinstance(code.source, math.ExpOp):
        x = code.binary(arith.MulfOp, x, log2(e))
    exponent = code.binary(arith.AddfOp, x, code.bias - _EPSILON)
    above = code.binary(arith.MaximumfOp, exponent, 0.0)
    within = code.binary(arith.MinimumfOp, above, 2.0 * code.bias + 1)
    scaled = code.binary(arith.MulfOp, within, 2.0**code.mantissa)
    return code.op(arith.BitcastOp(code.op(arith.FPToSIOp(scaled, code.integer)), code.type))


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
