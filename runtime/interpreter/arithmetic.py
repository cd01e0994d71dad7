"""
Semantics of the ops of `arith`, on scalars and elementwise on arrays.

Cases that MLIR leaves undefined have a value here, so that vectorised evaluation may compute unused lanes. Those of
integers are in `dialects/core/analysis/arithmetic.py`; a float out of an integer's range saturates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineDimExpr, AffineExpr

from ...dialects.affine import AffineMaxOp, DelinearizeIndexOp
from ...dialects.core.analysis.affine_form import AFFINE
from ...dialects.core.analysis.arithmetic import COMPARISONS, SEMANTICS, Semantics
from ...dialects.core.analysis.extrema import EXTREMA
from ...dialects.core.index_cast import IndexCastUIOp
from ...dialects.core.semantics import Value, number_array, scalar
from ...errors import Diagnostic
from ...ir import Array, array_of, where
from .bits import dtype_of, round_to, signed, to_integer, unsigned, width_of, wrap


def attribute_value(value: Attribute, op: Operation | None = None) -> Array:
    """Return the run-time value of a constant's attribute. Raises Diagnostic for a non-numeric attribute."""
    match value:
        case DenseIntOrFPElementsAttr():
            return array_of(cast("DenseIntOrFPElementsAttr[Any]", value))
        case IntegerAttr():
            integer = cast("IntegerAttr[Any]", value)
            return wrap(np.int64(_low_bits(integer.value.data)), integer.type)
        case FloatAttr():
            number = cast("FloatAttr[Any]", value)
            return number_array(number.value.data, number.type)[()]
        case _:
            place = where(op) if op is not None else ""
            raise Diagnostic(f"no interpreter rule for a constant with the value {value}", where=place)


def _low_bits(number: int) -> int:
    return ((number + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@scalar(arith.ConstantOp)
def _constant(op: arith.ConstantOp) -> Array:
    return attribute_value(op.value, op)


# Integers


def _computed(semantics: Semantics, op: Any, a: Array, b: Array) -> Array:
    if semantics.is_unsigned:
        return semantics.on_arrays(unsigned(a, op.lhs.type), unsigned(b, op.rhs.type))
    return semantics.on_arrays(signed(a), signed(b))


@scalar(*SEMANTICS)
def _binary(op: Any, a: Array, b: Array) -> Array:
    return wrap(_computed(SEMANTICS[type(op)], op, a, b), op.result.type)


@scalar(arith.CmpiOp)
def _cmpi(op: arith.CmpiOp, a: Array, b: Array) -> Array:
    return _computed(COMPARISONS[op.predicate.value.data], op, a, b)


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


_FLOATS: dict[type[Operation], Callable[..., Any]] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.NegfOp: np.negative,
    **EXTREMA,
}


@scalar(*_FLOATS)
def _float(op: Operation, *operands: Array) -> Any:
    return _FLOATS[type(op)](*operands)


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


@scalar(IndexCastUIOp)
def _index_castui(op: IndexCastUIOp, a: Array) -> Array:
    return wrap(unsigned(a, op.input.type), op.result.type)


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
    """Evaluate an affine expression; dims and symbols are numbers or arrays that broadcast."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineDimExpr():
            return dims[expr.position]
        case AffineBinaryOpExpr():
            a, b = evaluate_affine(expr.lhs, dims, symbols), evaluate_affine(expr.rhs, dims, symbols)
            return AFFINE[expr.kind](a, b)
        case _:
            return symbols[expr.position]  # pyright: ignore


def _map_results(op: affine.ApplyOp | affine.MinOp | AffineMaxOp, operands: tuple[Array, ...]) -> list[Array]:
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


@scalar(AffineMaxOp)
def _max(op: AffineMaxOp, *operands: Array) -> Array:
    first, *others = _map_results(op, operands)
    for other in others:
        first = np.maximum(first, other)
    return first


@scalar(DelinearizeIndexOp)
def _delinearize(op: DelinearizeIndexOp, index: Array, *basis: Array) -> Any:
    inner: list[Array] = []
    for extent in reversed(basis[1:]):
        inner.append(np.mod(index, extent))
        index = np.floor_divide(index, extent)
    results = (index, *reversed(inner))
    return results if len(results) > 1 else results[0]
