"""
Semantics of the ops of `arith`, on scalars and elementwise on arrays.

MLIR leaves some cases undefined; here each has a value, so that a vectorised evaluation may compute what is then not
used: a division by zero gives 0, a shift by the width or more shifts everything out, a float that does not fit an
integer saturates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from ...dialects.core.semantics import Value, scalar, truncating_divide
from ...errors import Diagnostic
from ...ir import Array, array_of, where
from .bits import dtype_of, round_to, signed, to_integer, unsigned, width_of, wrap


def attribute_value(value: Attribute, op: Operation | None = None) -> Array:
    """Return the run-time value of a constant's attribute; raises Diagnostic for attributes that are no numbers."""
    match value:
        case DenseIntOrFPElementsAttr():
            return array_of(cast("DenseIntOrFPElementsAttr[Any]", value))
        case IntegerAttr():
            integer = cast("IntegerAttr[Any]", value)
            return wrap(np.int64(_low_bits(integer.value.data)), integer.type)
        case FloatAttr():
            number = cast("FloatAttr[Any]", value)
            return round_to(number.value.data, number.type)
        case _:
            place = where(op) if op is not None else ""
            raise Diagnostic(f"no interpreter rule for a constant with the value {value}", where=place)


def _low_bits(number: int) -> int:
    return ((number + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@scalar(arith.ConstantOp)
def _constant(op: arith.ConstantOp) -> Array:
    return attribute_value(op.value, op)


# Integers


@scalar(arith.AddiOp)
def _addi(op: arith.AddiOp, a: Array, b: Array) -> Array:
    return wrap(np.add(signed(a), signed(b)), op.result.type)


@scalar(arith.SubiOp)
def _subi(op: arith.SubiOp, a: Array, b: Array) -> Array:
    return wrap(np.subtract(signed(a), signed(b)), op.result.type)


@scalar(arith.MuliOp)
def _muli(op: arith.MuliOp, a: Array, b: Array) -> Array:
    return wrap(np.multiply(signed(a), signed(b)), op.result.type)


@scalar(arith.DivSIOp)
def _divsi(op: arith.DivSIOp, a: Array, b: Array) -> Array:
    return wrap(truncating_divide(signed(a), signed(b)), op.result.type)


@scalar(arith.FloorDivSIOp)
def _floordivsi(op: arith.FloorDivSIOp, a: Array, b: Array) -> Array:
    return wrap(np.floor_divide(signed(a), signed(b)), op.result.type)


@scalar(arith.CeilDivSIOp)
def _ceildivsi(op: arith.CeilDivSIOp, a: Array, b: Array) -> Array:
    quotient = np.floor_divide(signed(a), signed(b))
    inexact = (quotient * signed(b) != signed(a)) & (signed(b) != 0)
    return wrap(quotient + inexact.astype(quotient.dtype), op.result.type)


@scalar(arith.RemSIOp)
def _remsi(op: arith.RemSIOp, a: Array, b: Array) -> Array:
    return wrap(np.fmod(signed(a), signed(b)), op.result.type)


@scalar(arith.DivUIOp)
def _divui(op: arith.DivUIOp, a: Array, b: Array) -> Array:
    return wrap(np.floor_divide(unsigned(a, op.lhs.type), unsigned(b, op.rhs.type)), op.result.type)


@scalar(arith.CeilDivUIOp)
def _ceildivui(op: arith.CeilDivUIOp, a: Array, b: Array) -> Array:
    left, right = unsigned(a, op.lhs.type), unsigned(b, op.rhs.type)
    quotient = np.floor_divide(left, right)
    inexact = (quotient * right != left) & (right != 0)
    return wrap(quotient + inexact.astype(quotient.dtype), op.result.type)


@scalar(arith.RemUIOp)
def _remui(op: arith.RemUIOp, a: Array, b: Array) -> Array:
    return wrap(np.remainder(unsigned(a, op.lhs.type), unsigned(b, op.rhs.type)), op.result.type)


@scalar(arith.MinSIOp)
def _minsi(op: arith.MinSIOp, a: Array, b: Array) -> Array:
    return wrap(np.minimum(signed(a), signed(b)), op.result.type)


@scalar(arith.MaxSIOp)
def _maxsi(op: arith.MaxSIOp, a: Array, b: Array) -> Array:
    return wrap(np.maximum(signed(a), signed(b)), op.result.type)


@scalar(arith.MinUIOp)
def _minui(op: arith.MinUIOp, a: Array, b: Array) -> Array:
    return wrap(np.minimum(unsigned(a, op.lhs.type), unsigned(b, op.rhs.type)), op.result.type)


@scalar(arith.MaxUIOp)
def _maxui(op: arith.MaxUIOp, a: Array, b: Array) -> Array:
    return wrap(np.maximum(unsigned(a, op.lhs.type), unsigned(b, op.rhs.type)), op.result.type)


@scalar(arith.AndIOp)
def _andi(op: arith.AndIOp, a: Array, b: Array) -> Array:
    return np.bitwise_and(a, b)


@scalar(arith.OrIOp)
def _ori(op: arith.OrIOp, a: Array, b: Array) -> Array:
    return np.bitwise_or(a, b)


@scalar(arith.XOrIOp)
def _xori(op: arith.XOrIOp, a: Array, b: Array) -> Array:
    return np.bitwise_xor(a, b)


def _amount(b: Value, type: Attribute) -> tuple[Array, Array | None]:
    """Return shift amounts that NumPy can do in this type, and where the real ones shift everything out."""
    width = width_of(type)
    amount = unsigned(b, type)
    if np.max(amount, initial=0) < width:
        return amount.astype(b.dtype if b.dtype != np.bool_ else np.int8), None
    outside = amount >= width
    return np.where(outside, width - 1, amount).astype(b.dtype if b.dtype != np.bool_ else np.int8), outside


@scalar(arith.ShLIOp)
def _shli(op: arith.ShLIOp, a: Array, b: Array) -> Array:
    amount, outside = _amount(b, op.rhs.type)
    result = wrap(np.left_shift(signed(a), amount), op.result.type)
    return result if outside is None else np.where(outside, result.dtype.type(0), result)


@scalar(arith.ShRSIOp)
def _shrsi(op: arith.ShRSIOp, a: Array, b: Array) -> Array:
    amount, _ = _amount(b, op.rhs.type)
    return wrap(np.right_shift(signed(a), amount), op.result.type)


@scalar(arith.ShRUIOp)
def _shrui(op: arith.ShRUIOp, a: Array, b: Array) -> Array:
    amount, outside = _amount(b, op.rhs.type)
    source = unsigned(a, op.lhs.type)
    result = wrap(np.right_shift(source, amount.astype(source.dtype)), op.result.type)
    return result if outside is None else np.where(outside, result.dtype.type(0), result)


_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


@scalar(arith.CmpiOp)
def _cmpi(op: arith.CmpiOp, a: Array, b: Array) -> Array:
    predicate = op.predicate.value.data
    if predicate < len(_COMPARISONS):
        return _COMPARISONS[predicate](signed(a), signed(b))
    return _COMPARISONS[predicate - 4](unsigned(a, op.lhs.type), unsigned(b, op.rhs.type))


@scalar(arith.SelectOp)
def _select(op: arith.SelectOp, condition: Array, a: Array, b: Array) -> Array:
    result = np.where(condition, a, b)
    return result[()] if result.ndim == 0 else result


def _wide_product(op: arith.MulSIExtendedOp | arith.MulUIExtendedOp, a: Value, b: Value) -> tuple[Array, Array]:
    """Return the low and the high half of products."""
    width = width_of(op.lhs.type)
    product = np.asarray(np.asarray(a).astype(object) * np.asarray(b).astype(object), object)
    halves = [np.vectorize(_low_bits, otypes=[np.int64])(part) for part in (product, product >> width)]
    return wrap(halves[0], op.lhs.type), wrap(halves[1], op.lhs.type)


@scalar(arith.MulSIExtendedOp)
def _mulsi_extended(op: arith.MulSIExtendedOp, a: Array, b: Array) -> Any:
    if (width := width_of(op.lhs.type)) <= 32:
        product = np.asarray(signed(a), np.int64) * np.asarray(signed(b), np.int64)
        return wrap(product, op.lhs.type), wrap(product >> width, op.lhs.type)
    return _wide_product(op, signed(a), signed(b))


@scalar(arith.MulUIExtendedOp)
def _mului_extended(op: arith.MulUIExtendedOp, a: Array, b: Array) -> Any:
    if (width := width_of(op.lhs.type)) <= 32:
        product = np.asarray(unsigned(a, op.lhs.type), np.uint64) * np.asarray(unsigned(b, op.lhs.type), np.uint64)
        return wrap(product, op.lhs.type), wrap(product >> np.uint64(width), op.lhs.type)
    return _wide_product(op, unsigned(a, op.lhs.type), unsigned(b, op.rhs.type))


@scalar(arith.AddUIExtendedOp)
def _addui_extended(op: arith.AddUIExtendedOp, a: Array, b: Array) -> Any:
    total = wrap(np.add(signed(a), signed(b)), op.lhs.type)
    return total, unsigned(total, op.lhs.type) < unsigned(a, op.lhs.type)


# Floats


@scalar(arith.AddfOp)
def _addf(op: arith.AddfOp, a: Array, b: Array) -> Array:
    return np.add(a, b)


@scalar(arith.SubfOp)
def _subf(op: arith.SubfOp, a: Array, b: Array) -> Array:
    return np.subtract(a, b)


@scalar(arith.MulfOp)
def _mulf(op: arith.MulfOp, a: Array, b: Array) -> Array:
    return np.multiply(a, b)


@scalar(arith.DivfOp)
def _divf(op: arith.DivfOp, a: Array, b: Array) -> Array:
    return np.divide(a, b)


@scalar(arith.NegfOp)
def _negf(op: arith.NegfOp, a: Array) -> Array:
    return np.negative(a)


@scalar(arith.MinimumfOp)
def _minimumf(op: arith.MinimumfOp, a: Array, b: Array) -> Array:
    return np.minimum(a, b)


@scalar(arith.MaximumfOp)
def _maximumf(op: arith.MaximumfOp, a: Array, b: Array) -> Array:
    return np.maximum(a, b)


@scalar(arith.MinnumfOp)
def _minnumf(op: arith.MinnumfOp, a: Array, b: Array) -> Array:
    return np.fmin(a, b)


@scalar(arith.MaxnumfOp)
def _maxnumf(op: arith.MaxnumfOp, a: Array, b: Array) -> Array:
    return np.fmax(a, b)


_ORDERED = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}


@scalar(arith.CmpfOp)
def _cmpf(op: arith.CmpfOp, a: Array, b: Array) -> Array:
    name = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    unordered = np.isnan(a) | np.isnan(b)
    if name in ("false", "true"):
        return np.full_like(unordered, name == "true")
    if name in ("ord", "uno"):
        return unordered if name == "uno" else ~unordered
    compared = np.not_equal(a, b) if name[1:] == "ne" else _ORDERED[name[1:]](a, b)
    return compared | unordered if name[0] == "u" else compared & ~unordered


# Conversions


@scalar(arith.ExtSIOp)
def _extsi(op: arith.ExtSIOp, a: Array) -> Array:
    return signed(a).astype(dtype_of(op.result.type))


@scalar(arith.ExtUIOp)
def _extui(op: arith.ExtUIOp, a: Array) -> Array:
    return wrap(unsigned(a, op.input.type), op.result.type)


@scalar(arith.TruncIOp)
def _trunci(op: arith.TruncIOp, a: Array) -> Array:
    return wrap(a, op.result.type)


@scalar(arith.IndexCastOp)
def _index_cast(op: arith.IndexCastOp, a: Array) -> Array:
    return wrap(signed(a), op.result.type)


@scalar(arith.SIToFPOp)
def _sitofp(op: arith.SIToFPOp, a: Array) -> Array:
    return round_to(signed(a), op.result.type)


@scalar(arith.UIToFPOp)
def _uitofp(op: arith.UIToFPOp, a: Array) -> Array:
    return round_to(unsigned(a, op.input.type), op.result.type)


@scalar(arith.FPToSIOp)
def _fptosi(op: arith.FPToSIOp, a: Array) -> Array:
    width = width_of(op.result.type)
    if width == 1:
        return wrap(to_integer(a, np.dtype(np.int8)), op.result.type)
    return wrap(to_integer(a, dtype_of(op.result.type)), op.result.type)


@scalar(arith.FPToUIOp)
def _fptoui(op: arith.FPToUIOp, a: Array) -> Array:
    return wrap(to_integer(a, np.dtype(f"uint{max(8, width_of(op.result.type))}")), op.result.type)


@scalar(arith.ExtFOp, arith.TruncFOp)
def _resize_float(op: arith.ExtFOp | arith.TruncFOp, a: Array) -> Array:
    return round_to(a, op.result.type)


@scalar(arith.BitcastOp)
def _bitcast(op: arith.BitcastOp, a: Array) -> Array:
    return a.view(dtype_of(op.result.type))


# Index expressions


def evaluate_affine(expr: AffineExpr, dims: list[Any], symbols: list[Any]) -> Any:
    """Return the value of an affine expression; dims and symbols are numbers or arrays that broadcast."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineDimExpr():
            return dims[expr.position]
        case AffineBinaryOpExpr():
            a, b = evaluate_affine(expr.lhs, dims, symbols), evaluate_affine(expr.rhs, dims, symbols)
            return _AFFINE[expr.kind](a, b)
        case _:
            return symbols[expr.position]  # pyright: ignore


_AFFINE: dict[AffineBinaryOpKind, Callable[[Any, Any], Any]] = {
    AffineBinaryOpKind.Add: lambda a, b: a + b,
    AffineBinaryOpKind.Mul: lambda a, b: a * b,
    AffineBinaryOpKind.Mod: lambda a, b: a % b,
    AffineBinaryOpKind.FloorDiv: lambda a, b: a // b,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -(-a // b),
}


def _map_results(op: affine.ApplyOp | affine.MinOp, operands: tuple[Array, ...]) -> list[Array]:
    map = op.map.data
    dims, symbols = list(operands[: map.num_dims]), list(operands[map.num_dims :])
    return [np.add(evaluate_affine(expr, dims, symbols), np.int64(0)) for expr in map.results]


@scalar(affine.ApplyOp)
def _apply(op: affine.ApplyOp, *operands: Array) -> Array:
    return _map_results(op, operands)[0]


@scalar(affine.MinOp)
def _min(op: affine.MinOp, *operands: Array) -> Array:
    first, *others = _map_results(op, operands)
    for other in others:
        first = np.minimum(first, other)
    return first
