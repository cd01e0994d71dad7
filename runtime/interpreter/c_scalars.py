"""
Semantics of the expressions of `emitc`, elementwise, with C's conversions.

Signed overflow, which C leaves undefined, wraps around; divisions by zero and shifts are as in `arithmetic.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation

from ...dialects import dialects_by_origin, emitc
from ...dialects.core.analysis.arithmetic import COMPARISONS, ceil_divide, truncating_divide
from ...dialects.core.analysis.extrema import maximum, maxnum, minimum, minnum
from ...dialects.core.scalars import is_float
from ...dialects.core.semantics import C_RULES, C_SCALAR_RULES, scalar
from ...dialects.emitc.expressions import LogicalOperation, UnaryOperation
from ...errors import Diagnostic
from ...ir import Array, where
from .arithmetic import attribute_value
from .bits import dtype_of, integer_type, round_to, to_integer, width_of
from .elementary import float_function, is_float_function
from .folding import KINDS


def convert(value: Array, type_: Attribute) -> Array:
    """Return a scalar converted to a C type."""
    dtype = dtype_of(type_)
    if dtype == np.bool_:
        return np.not_equal(value, 0)
    if is_float(type_):
        return round_to(value, type_)
    source = np.asarray(value)
    if source.dtype.kind in "iub":
        return source.astype(dtype)[()]
    return to_integer(source, dtype)


def _common_type(*types: Attribute) -> np.dtype[Any]:
    """Return C's common type of operands as a NumPy type."""
    floats = [dtype_of(type_) for type_ in types if is_float(type_)]
    if floats:
        return max(floats, key=lambda dtype: dtype.itemsize)
    promoted = [dtype if (dtype := dtype_of(type_)).itemsize >= 4 else np.dtype(np.int32) for type_ in types]
    return max(promoted, key=lambda dtype: (dtype.itemsize, dtype.kind == "u"))


_OPERATORS: dict[type[Operation], Callable[[Any, Any], Any]] = {
    emitc.AddOp: np.add,
    emitc.SubOp: np.subtract,
    emitc.MulOp: np.multiply,
    emitc.DivOp: lambda a, b: np.divide(a, b) if a.dtype.kind == "f" else _divide(a, b),
    emitc.RemOp: np.fmod,
    emitc.BitwiseAndOp: np.bitwise_and,
    emitc.BitwiseOrOp: np.bitwise_or,
    emitc.BitwiseXorOp: np.bitwise_xor,
}


def _divide(a: Array, b: Array) -> Array:
    return np.floor_divide(a, b) if a.dtype.kind == "u" else truncating_divide(a, b)


@scalar(*_OPERATORS)
def _binary(op: Any, a: Array, b: Array) -> Array:
    common = _common_type(op.operands[0].type, op.operands[1].type)
    return convert(_OPERATORS[type(op)](a.astype(common), b.astype(common)), op.results[0].type)


@scalar(emitc.BitwiseLeftShiftOp, emitc.BitwiseRightShiftOp)
def _shift(op: Any, a: Array, b: Array) -> Array:
    promoted = _common_type(op.lhs.type)
    left = isinstance(op, emitc.BitwiseLeftShiftOp)
    width = 8 * promoted.itemsize
    amount = np.clip(b.astype(np.int64), 0, width - 1)
    value = a.astype(promoted)
    shifted = (np.left_shift if left else np.right_shift)(value, amount.astype(promoted))
    emptied = (b >= width) if left or promoted.kind == "u" else np.bool_(False)
    return convert(np.where(emptied, promoted.type(0), shifted), op.result.type)


@scalar(emitc.BitwiseNotOp)
def _not(op: UnaryOperation, a: Array) -> Array:
    return convert(np.invert(a.astype(_common_type(op.operand.type))), op.result.type)


@scalar(emitc.UnaryMinusOp)
def _minus(op: UnaryOperation, a: Array) -> Array:
    return convert(np.negative(a.astype(_common_type(op.operand.type))), op.result.type)


@scalar(emitc.UnaryPlusOp, emitc.CastOp)
def _converted(op: Operation, a: Array) -> Array:
    return convert(a, op.results[0].type)


@scalar(emitc.LogicalAndOp)
def _logical_and(op: LogicalOperation, a: Array, b: Array) -> Array:
    return np.not_equal(a, 0) & np.not_equal(b, 0)


@scalar(emitc.LogicalOrOp)
def _logical_or(op: LogicalOperation, a: Array, b: Array) -> Array:
    return np.not_equal(a, 0) | np.not_equal(b, 0)


@scalar(emitc.LogicalNotOp)
def _logical_not(op: emitc.LogicalNotOp, a: Array) -> Array:
    return np.equal(a, 0)


@scalar(emitc.CmpOp)
def _cmp(op: emitc.CmpOp, a: Array, b: Array) -> Array:
    predicate = op.predicate.value.data
    if predicate >= 6:
        raise Diagnostic("no interpreter rule for a three-way comparison", where=where(op))
    common = _common_type(op.lhs.type, op.rhs.type)
    return convert(COMPARISONS[predicate].on_arrays(a.astype(common), b.astype(common)), op.result.type)


@scalar(emitc.ConditionalOp)
def _conditional(op: emitc.ConditionalOp, condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition, a, b)[()]


@scalar(emitc.ConstantOp)
def _constant(op: emitc.ConstantOp) -> Array:
    return convert(attribute_value(op.value, op), op.result.type)


_LITERALS = {"INF": np.inf, "NAN": np.nan}


@scalar(emitc.LiteralOp)
def _literal(op: emitc.LiteralOp) -> Array:
    text = op.value.data
    if match := re.fullmatch(r"(-?)TW_(INF|NAN)_F(32|64)", text):
        return convert(np.asarray(float(match[1] + "1") * _LITERALS[match[2]]), op.result.type)
    try:
        number = float(text.rstrip("fF")) if is_float(op.result.type) else int(text.rstrip("uUlL"), 0)
    except ValueError as error:
        raise Diagnostic(
            f"no interpreter rule for the literal '{text}'",
            where=where(op),
            remedy="interpret a level before C, such as that of loops, or run the C",
        ) from error
    return convert(np.asarray(number), op.result.type)


# The functions of the runtime header


def _isqrt(a: Array) -> Array:
    root = np.floor(np.sqrt(a.astype(np.float64))).astype(a.dtype)
    root = np.where(root > a // np.maximum(root, 1), root - 1, root)
    return np.where(root + 1 <= a // (root + 1), root + 1, root)


def _entry(entry: Array, low: Array, high: Array) -> Array:
    """Return an entry of a table. Raises Diagnostic for one out of its range, from `low` to below `high`."""
    outside = (entry < low) | (entry >= high)
    if np.any(outside):
        shown = ", ".join(str(value) for value in np.unique(np.asarray(entry)[outside])[:4])
        raise Diagnostic("an entry of a table is out of its range", expected=f"in [{low}, {high})", found=shown)
    return entry


def _differ(a: Array, b: Array) -> Array:
    return np.less(a, b) | np.greater(a, b)


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _high_half(a: Array, b: Array) -> Array:
    product = np.asarray(np.asarray(a).astype(object) * np.asarray(b).astype(object) >> 64, object)
    return product.astype(a.dtype)


def _multiply_add(a: Array, b: Array, sum: Array) -> Array:
    return a.astype(np.int64) * b + sum


def _integer_power(a: Array, b: Array) -> Array:
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.where(b < 0, inverse, np.power(a, np.maximum(b, 0)))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "floordiv": np.floor_divide,
    "ceildiv": ceil_divide,
    "mulhi": _high_half,
    "mac": _multiply_add,
    "isqrt": _isqrt,
    "differ": _differ,
    "unordered": _unordered,
    "maximum": maximum,
    "minimum": minimum,
    "fmod": np.fmod,
    "entry": _entry,
    "ipow": _integer_power,
    "maxnum": maxnum,
    "minnum": minnum,
    "select": np.where,
}
_BY_TYPE = re.compile(r"tw_([a-z0-9]*[a-z]|expm1|exp2|log2|log10|log1p|atan2)_([iuf]\d+)|tw_(isqrt)(\d+)")


_RESIZING = re.compile(r"tw_(extf|truncf)_(f16|bf16|f32|f64)_(f16|bf16|f32)")


def _runtime_function(op: Operation) -> str:
    """Return the part between `tw_` and the type in the name of a runtime function, empty for others."""
    match = _BY_TYPE.fullmatch(cast(StringAttr, op.properties["callee"]).data)
    return "" if match is None else match[1] or match[3]


def is_runtime(op: Operation) -> bool:
    """Return whether an `emitc.call_opaque` calls a scalar function of Tilewright's own runtime headers."""
    callee, name = cast(StringAttr, op.properties["callee"]).data, _runtime_function(op)
    is_conversion = callee.startswith("tw_bitcast_") or _RESIZING.fullmatch(callee) is not None
    return is_conversion or name in _FUNCTIONS or is_float_function(name)


def load_rules(op: Any) -> None:
    """Import all dialects, whose modules register rules, unless the callee of `emitc.call_opaque` is known."""
    if op.callee.data not in C_RULES and op.callee.data not in C_SCALAR_RULES:
        for origin, dialects in dialects_by_origin().items():
            for load in () if origin == "xDSL" else dialects.values():
                load()


@scalar(emitc.CallOpaqueOp)
def _call_opaque(op: Any, *operands: Array) -> Array:
    callee, result = op.callee.data, op.results[0].type if len(op.results) == 1 else None
    if result is not None and callee.startswith("tw_bitcast_"):
        return operands[0].view(dtype_of(result))
    if result is not None and _RESIZING.fullmatch(callee):
        return convert(operands[0], result)
    name = _runtime_function(op)
    if result is not None and name in _FUNCTIONS:
        return convert(_FUNCTIONS[name](*operands), result)
    if result is not None and is_float_function(name):
        return float_function(name, operands, result)
    load_rules(op)
    if result is not None and (rule := C_SCALAR_RULES.get(callee)) is not None:
        return rule(op, *operands)
    raise Diagnostic(f"no interpreter rule for a call of '{callee}'", where=where(op))


# Constant folding


def _same_types(op: Operation) -> bool:
    return all(operand.type == op.results[0].type for operand in op.operands)


def _kind_of_sum(op: Operation) -> type[Operation] | None:
    if not isinstance(op.results[0].type, IntegerType | IndexType):
        return arith.AddfOp if is_float(op.results[0].type) and _same_types(op) else None
    return arith.AddiOp if _same_types(op) else None


def _kind_of_product(op: Operation) -> type[Operation] | None:
    type_: Attribute = op.results[0].type
    if is_float(type_) or integer_type(type_) is None:
        return arith.MulfOp if is_float(type_) and _same_types(op) else None
    return arith.MuliOp if _same_types(op) and width_of(type_) >= 32 else None


_CALL_KINDS: dict[str, type[Operation]] = {
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "maximum": arith.MaximumfOp,
    "minimum": arith.MinimumfOp,
    "maxnum": arith.MaxnumfOp,
    "minnum": arith.MinnumfOp,
}


def _kind_of_call(op: Operation) -> type[Operation] | None:
    return _CALL_KINDS.get(_runtime_function(op)) if _same_types(op) else None


KINDS.update(
    {emitc.AddOp: _kind_of_sum, emitc.MulOp: _kind_of_product, emitc.CallOpaqueOp: _kind_of_call},
)
