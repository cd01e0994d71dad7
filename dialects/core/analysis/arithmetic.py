"""
Semantics of integer arithmetic, once for Python integers and once for NumPy arrays.

A shift by the width or more shifts everything out, although MLIR leaves it undefined. Division by zero raises
ZeroDivisionError for Python integers; arrays get 0, so that lanes may compute what is not used. A Python integer is the
signed value of its type, of i1 0 or 1. An `index` has 64 bits, and wraps around as they do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import OpTrait

from ....errors import Diagnostic
from ....ir import Array, array_of, integer_width, where
from ..index_cast import IndexCastUIOp


class Tabulated(OpTrait):
    """The result is the entry of the property `table` for the operand, an index."""


class Semantics(NamedTuple):
    """Function of a binary op on signed or unsigned readings of its operands, before the result wraps around."""

    on_numbers: Callable[[int, int], int]
    on_arrays: Callable[[Any, Any], Any]
    is_unsigned: bool = False


def floor_divide(a: Any, b: Any) -> Any:
    """Return a / b rounded down."""
    return a // b


def bitwise_and(a: Any, b: Any) -> Any:
    """Return the bits that both have."""
    return a & b


def bitwise_or(a: Any, b: Any) -> Any:
    """Return the bits that one or both have."""
    return a | b


def bitwise_xor(a: Any, b: Any) -> Any:
    """Return the bits that one alone has."""
    return a ^ b


def _ceil_divide(a: int, b: int) -> int:
    return -(-a // b)


def _truncating_divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return abs(a) % abs(b) * (1 if a >= 0 else -1)


def _shift_left(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _shift_right(a: int, b: int) -> int:
    return a >> (b if 0 <= b < 64 else 64)


def truncating_divide(a: Array, b: Array) -> Array:
    """Return a / b rounded toward zero, as C divides integers; a zero divisor gives 0."""
    quotient = np.floor_divide(
        a,
        b,
        where=np.not_equal(b, 0),
        out=np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), np.result_type(a, b)),
    )
    exact = (quotient * b == a) | np.equal(b, 0)
    return quotient + (~exact & ((np.less(a, 0)) != np.less(b, 0))).astype(quotient.dtype)


def ceil_divide(a: Array, b: Array) -> Array:
    """Return a / b rounded up; a zero divisor gives 0."""
    quotient = np.floor_divide(a, b)
    return quotient + ((quotient * b != a) & np.not_equal(b, 0)).astype(quotient.dtype)


def _shift_arrays(shift: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a shift of arrays that takes any amount; one that is negative is a large unsigned one."""

    def shifted(a: Array, b: Array) -> Array:
        outside = np.less(b, 0) | np.greater_equal(b, 8 * a.dtype.itemsize)
        if not np.any(outside):
            return shift(a, b)
        most = a.dtype.type(8 * a.dtype.itemsize - 1)
        return shift(shift(a, np.where(outside, most, b).astype(a.dtype)), outside.astype(a.dtype))

    return shifted


SEMANTICS: dict[type[Operation], Semantics] = {
    arith.AddiOp: Semantics(operator.add, np.add),
    arith.SubiOp: Semantics(operator.sub, np.subtract),
    arith.MuliOp: Semantics(operator.mul, np.multiply),
    arith.DivSIOp: Semantics(_truncating_divide, truncating_divide),
    arith.FloorDivSIOp: Semantics(floor_divide, np.floor_divide),
    arith.CeilDivSIOp: Semantics(_ceil_divide, ceil_divide),
    arith.RemSIOp: Semantics(_remainder, np.fmod),
    arith.MinSIOp: Semantics(min, np.minimum),
    arith.MaxSIOp: Semantics(max, np.maximum),
    arith.AndIOp: Semantics(bitwise_and, np.bitwise_and),
    arith.OrIOp: Semantics(bitwise_or, np.bitwise_or),
    arith.XOrIOp: Semantics(bitwise_xor, np.bitwise_xor),
    arith.ShLIOp: Semantics(_shift_left, _shift_arrays(np.left_shift)),
    arith.ShRSIOp: Semantics(_shift_right, _shift_arrays(np.right_shift)),
    arith.DivUIOp: Semantics(floor_divide, np.floor_divide, is_unsigned=True),
    arith.CeilDivUIOp: Semantics(_ceil_divide, ceil_divide, is_unsigned=True),
    arith.RemUIOp: Semantics(_remainder, np.remainder, is_unsigned=True),
    arith.MinUIOp: Semantics(min, np.minimum, is_unsigned=True),
    arith.MaxUIOp: Semantics(max, np.maximum, is_unsigned=True),
    arith.ShRUIOp: Semantics(_shift_right, _shift_arrays(np.right_shift), is_unsigned=True),
}
"""Op class -> what it computes."""

_ORDERS = (
    *((operator.eq, np.equal), (operator.ne, np.not_equal), (operator.lt, np.less)),
    *((operator.le, np.less_equal), (operator.gt, np.greater), (operator.ge, np.greater_equal)),
)
COMPARISONS = (
    *(Semantics(*order) for order in _ORDERS),
    *(Semantics(*order, is_unsigned=True) for order in _ORDERS[2:]),
)
"""Comparisons by the predicate's number in `arith.cmpi`."""

_CASTS: dict[type[Operation], bool] = {
    arith.ExtSIOp: False,
    arith.ExtUIOp: True,
    arith.TruncIOp: False,
    arith.IndexCastOp: False,
    IndexCastUIOp: True,
}
"""Op class of an integer conversion -> it reads its operand as unsigned."""


def wrapped(value: int, type: Attribute) -> int:
    """Return an integer modulo 2^width as the signed value of a type, of i1 as 0 or 1."""
    width = integer_width(type) or 64
    half = 1 << (width - 1) if width > 1 else 0
    return (value + half & (1 << width) - 1) - half


def integer_of(value: SSAValue) -> int | None:
    """Return the number that an integer constant gives, None for other values."""
    owner = value.owner
    if type(owner) is not arith.ConstantOp or not isinstance(owner.value, IntegerAttr):
        return None
    return wrapped(cast("IntegerAttr[Any]", owner.value).value.data, value.type)


def _choose(condition: int, a: Any, b: Any) -> Any:
    return a if condition else b


def evaluator(op: Operation, *, unbounded: bool = False) -> Callable[..., Any] | None:
    """
    Return the function from Python integers to the result of an op of integer arithmetic, or of one that is
    `Tabulated`; None for other ops.

    With `unbounded`, signed arithmetic on `index` is that of the integers: an address that overflows stays beyond its
    memory.
    """
    kind = type(op)
    if kind is arith.SelectOp:
        return _choose
    if kind in _CASTS:
        return _cast_evaluator(op.operands[0].type, op.results[0].type, is_unsigned=_CASTS[kind])
    binary = COMPARISONS[op.predicate.value.data] if isinstance(op, arith.CmpiOp) else SEMANTICS.get(kind)
    if binary is not None:
        source = op.operands[0].type
        if unbounded and isinstance(source, IndexType) and not binary.is_unsigned:
            return binary.on_numbers
        return _binary_evaluator(binary, source, op.results[0].type)
    return _entry_evaluator(op) if kind.has_trait(Tabulated) else None


def _entry_evaluator(op: Operation) -> Callable[[int], Any]:
    table = array_of(cast(Any, op).table)

    def entry(index: int) -> Any:
        check_entry(op, index, index)
        return table.item(index)

    return entry


def check_entry(op: Operation, first: int, last: int) -> None:
    """Raise Diagnostic where the indices from `first` to `last` are not all in the table of an op."""
    count = len(array_of(cast(Any, op).table))
    if first < 0 or last >= count:
        raise Diagnostic(
            "an index is beyond the table that it is looked up in",
            where=where(op),
            expected=f"0 to {count - 1}",
            found=str(first if first < 0 else last),
            remedy="give the table an entry for each index",
        )


def is_evaluated(kind: type[Operation]) -> bool:
    """Return whether ops of a class have an `evaluator`."""
    is_arithmetic = kind in SEMANTICS or kind in _CASTS or kind in (arith.SelectOp, arith.CmpiOp)
    return is_arithmetic or kind.has_trait(Tabulated)


@cache
def _cast_evaluator(source: Attribute, result: Attribute, *, is_unsigned: bool) -> Callable[[int], int]:
    mask = (1 << (integer_width(source) or 64)) - 1
    if is_unsigned:
        return lambda a: wrapped(a & mask, result)
    return lambda a: wrapped(-a if mask == 1 else a, result)


@cache
def _binary_evaluator(semantics: Semantics, source: Attribute, result: Attribute) -> Callable[[int, int], int]:
    compute, mask = semantics.on_numbers, (1 << (integer_width(source) or 64)) - 1

    def unsigned(a: int, b: int) -> int:
        return compute(a, b) if a >= 0 < b else wrapped(compute(a & mask, b & mask), result)

    if semantics.is_unsigned:
        return unsigned
    if mask == 1:
        return lambda a, b: wrapped(compute(-a, -b), result)
    return lambda a, b: wrapped(compute(a, b), result)
