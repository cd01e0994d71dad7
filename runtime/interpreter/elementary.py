"""
Semantics of the ops of `math`, on scalars and elementwise on arrays.

Transcendental functions of types narrower than f64 are computed in f64 and rounded once, so they are correctly rounded
except for rare ties; in f64 they are NumPy's, within 1 ULP (4 ULP for powers).
"""

from __future__ import annotations

import math as libm
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from ...dialects.core.semantics import scalar
from ...ir import Array
from .bits import round_to, signed, unsigned, width_of, wrap

_erf_of_numbers = np.frompyfunc(libm.erf, 1, 1)


def _erf(x: Array) -> Array:
    return np.asarray(_erf_of_numbers(x)).astype(np.float64)


def _rsqrt(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _fma(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


def _round(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) < 0.5, whole, whole + np.copysign(1.0, x))


_FLOAT_FUNCTIONS: dict[type[Operation], Callable[..., Any]] = {
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.Atan2Op: np.arctan2,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.LogOp: np.log,
    math.PowFOp: np.float_power,
    math.RsqrtOp: _rsqrt,
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.ErfOp: _erf,
    math.FmaOp: _fma,
    math.AbsFOp: np.abs,
    math.CeilOp: np.ceil,
    math.FloorOp: np.floor,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round,
    math.CopySignOp: np.copysign,
    math.FPowIOp: np.power,
}


NAMED_FUNCTIONS = {op.name.removeprefix("math."): function for op, function in _FLOAT_FUNCTIONS.items()}
"""Functions of `math`'s float ops by name, for f64."""


@scalar(*_FLOAT_FUNCTIONS)
def _float_function(op: Operation, *operands: Array) -> Array:
    wide = [np.asarray(operand).astype(np.float64)[()] for operand in operands]
    return round_to(_FLOAT_FUNCTIONS[type(op)](*wide), op.results[0].type)


@scalar(math.AbsIOp)
def _absi(op: math.AbsIOp, a: Array) -> Array:
    return wrap(np.abs(signed(a)), op.result.type)


@scalar(math.CtPopOp)
def _ctpop(op: math.CtPopOp, a: Array) -> Array:
    return wrap(np.bitwise_count(unsigned(a, op.operand.type)), op.result.type)


@scalar(math.CountLeadingZerosOp)
def _ctlz(op: math.CountLeadingZerosOp, a: Array) -> Array:
    smeared = unsigned(a, op.operand.type).astype(np.uint64)
    for distance in (1, 2, 4, 8, 16, 32):
        smeared = smeared | (smeared >> np.uint64(distance))
    return wrap(width_of(op.operand.type) - np.bitwise_count(smeared).astype(np.int64), op.result.type)


@scalar(math.CountTrailingZerosOp)
def _cttz(op: math.CountTrailingZerosOp, a: Array) -> Array:
    bits = unsigned(a, op.operand.type).astype(np.uint64)
    below = ~bits & (bits - np.uint64(1))
    return wrap(np.minimum(np.bitwise_count(below), width_of(op.operand.type)), op.result.type)


@scalar(math.IPowIOp)
def _ipowi(op: math.IPowIOp, a: Array, b: Array) -> Array:
    base, exponent = signed(a).astype(np.int64), signed(b).astype(np.int64)
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2 == 0, 1, -1), 0))
    return wrap(np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))), op.result.type)
