"""Index arithmetic on Python's integers, as fast as it gets: what the interpreter computes, for numbers that it has."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Operation

Binary: TypeAlias = Callable[[int, int], int]


def _by_zero_is_zero(divide: Binary) -> Binary:
    return lambda a, b: divide(a, b) if b else 0


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return abs(a) % abs(b) * (1 if a >= 0 else -1)


ARITHMETIC: dict[type[Operation], Binary] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.DivUIOp: _by_zero_is_zero(int.__floordiv__),
    arith.RemUIOp: _by_zero_is_zero(int.__mod__),
    arith.FloorDivSIOp: _by_zero_is_zero(int.__floordiv__),
    arith.DivSIOp: _by_zero_is_zero(_truncated),
    arith.RemSIOp: _by_zero_is_zero(_remainder),
    arith.CeilDivSIOp: _by_zero_is_zero(lambda a, b: -(-a // b)),
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.MinUIOp: min,
    arith.MaxUIOp: max,
    arith.AndIOp: int.__and__,
    arith.OrIOp: int.__or__,
    arith.XOrIOp: int.__xor__,
}
"""What ops compute of two indices."""

_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
"""By the predicate's number; those of unsigned numbers follow those of signed ones, and indices are not negative."""


def comparison(op: arith.CmpiOp) -> Callable[[Any, Any], bool]:
    """Return the comparison of two indices."""
    number = op.predicate.value.data
    return _COMPARISONS[number if number < 6 else number - 4]
