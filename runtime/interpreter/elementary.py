"""
Semantics of the ops of `math`, on scalars and elementwise on arrays.

Transcendental functions of types narrower than f64 are computed in f64 and rounded once, so they are correctly rounded
except for rare ties; in f64 they are NumPy's, within 1 ULP (4 ULP for powers). `math.fma` is rounded once.
"""

from __future__ import annotations

import math as libm
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Attribute, Operation

from ...dialects.core.semantics import scalar
from ...ir import Array
from .bits import dtype_of, round_to, signed, unsigned, width_of, wrap

_erf_of_numbers = np.frompyfunc(libm.erf, 1, 1)


def _erf(x: Array) -> Array:
    return np.asarray(_erf_of_numbers(x)).astype(np.float64)


def _rsqrt(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _fma_of_numbers(a: float, b: float, c: float) -> float:
    if not (libm.isfinite(a) and libm.isfinite(b) and libm.isfinite(c)) or a == 0 or b == 0:
        return a * b + c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(total)
    except OverflowError:
        return libm.inf if total > 0 else -libm.inf


_fma_of_doubles = np.frompyfunc(_fma_of_numbers, 3, 1)


def _sum_to_odd(a: Array, b: Array) -> Array:
    """
    Return a + b, to odd where that is inexact: rounding the sum to a narrower type then rounds a + b once.

    S. Boldo, G. Melquiond, "Emulation of FMA and Correctly Rounded Sums", IEEE Transactions on Computers 57(4), 2008.
    """
    total = np.asarray(a + b)
    part = total - a
    rest = (a - (total - part)) + (b - part)
    is_even = (total.view(np.int64) & 1) == 0
    return np.where(is_even & (np.abs(rest) > 0), np.nextafter(total, np.copysign(np.inf, rest)), total)


def _fma(a: Array, b: Array, c: Array, type: Attribute) -> Array:
    """Return a * b + c of f64 numbers that are of `type`, rounded to it once: products of narrower types are exact."""
    if dtype_of(type) == np.float64:
        return np.asarray(_fma_of_doubles(a, b, c)).astype(np.float64)[()]
    return round_to(_sum_to_odd(a * b, c), type)


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
    math.AbsFOp: np.abs,
    math.CeilOp: np.ceil,
    math.FloorOp: np.floor,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round,
    math.CopySignOp: np.copysign,
    math.FPowIOp: np.power,
}


_NAMED_FUNCTIONS = {op.name.removeprefix("math."): function for op, function in _FLOAT_FUNCTIONS.items()}
"""Functions of `math`'s float ops by name, for f64."""


def is_float_function(name: str) -> bool:
    """Return whether `math` has a function of floats of a name."""
    return name in _NAMED_FUNCTIONS or name == "fma"


def float_function(name: str, operands: Sequence[Array], type: Attribute) -> Array:
    """Return the result of a function of floats, by its name in `math`, in a type."""
    wide = [np.asarray(operand).astype(np.float64)[()] for operand in operands]
    if name == "fma":
        a, b, c = wide
        return _fma(a, b, c, type)
    return round_to(_NAMED_FUNCTIONS[name](*wide), type)


@scalar(math.FmaOp, *_FLOAT_FUNCTIONS)
def _float_function(op: Operation, *operands: Array) -> Array:
    return float_function(op.name.removeprefix("math."), operands, op.results[0].type)


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
