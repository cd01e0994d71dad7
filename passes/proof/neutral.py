"""Neutrality of fill values: scalar code leaves its sums unchanged where inputs have been filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.kernel import Reduction
from ...dialects.core.semantics import SCALAR_RULES, folded
from ...ir import integer_width, numpy_type
from ...runtime.interpreter import arithmetic

_SCALAR_MODULES = (arithmetic,)
"""Modules whose import registers the rules of scalar ops."""


class _Sum:
    """The sum as it was."""


_SUM = _Sum()
_Value: TypeAlias = "float | int | _Sum | None"
"""A number, the sum, or what is not known."""


def is_neutral(reduction: Reduction, fills: Mapping[int, Attribute]) -> bool:
    """Return whether a reduction with one sum leaves it as it is where these inputs have these values."""
    values: dict[SSAValue, _Value] = {}
    *inputs, total = reduction.body.args
    for index, argument in enumerate(inputs):
        values[argument] = number_of(fills.get(index))
    values[total] = _SUM
    for op in reduction.body.ops:
        if op.results:
            values[op.results[0]] = _value(op, values)
    last = reduction.body.last_op
    return last is not None and [values.get(value) for value in last.operands] == [_SUM]


def number_of(attribute: Attribute | None) -> float | int | None:
    """Return the number that an attribute is, None where it is none."""
    return attribute.value.data if isinstance(attribute, IntegerAttr | FloatAttr) else None


def _value(op: Operation, values: Mapping[SSAValue, _Value]) -> _Value:
    if isinstance(op, arith.ConstantOp):
        return number_of(op.value)
    operands = [values.get(value) for value in op.operands]
    rule = _RULES.get(type(op))
    if rule is None:
        return _folded(op, operands)
    neutral = rule(op.operands[0].type)
    for a, b in (operands, operands[::-1]):
        if isinstance(a, _Sum):
            return a if not isinstance(b, _Sum) and b is not None and b in neutral else None
        if isinstance(op, arith.SubiOp | arith.SubfOp):
            break
    return 0 if isinstance(op, arith.MuliOp) and 0 in operands else _folded(op, operands)


def _folded(op: Operation, operands: Sequence[_Value]) -> _Value:
    numbers = [operand for operand in operands if isinstance(operand, int | float)]
    if type(op) not in SCALAR_RULES or len(op.results) != 1 or len(numbers) < max(1, len(operands)):
        return None
    value = folded(op, numbers)
    return None if value is None else value.value.data


def _lowest(type: Attribute) -> tuple[float | int, ...]:
    width = integer_width(type)
    return (-(1 << (width - 1)),) if width else (-inf, float(_finite(type).min))


def _highest(type: Attribute) -> tuple[float | int, ...]:
    width = integer_width(type)
    return ((1 << (width - 1)) - 1,) if width else (inf, float(_finite(type).max))


def _finite(type: Attribute) -> Any:
    return np.finfo(cast(Any, numpy_type(type)))


def _all_ones(type: Attribute) -> tuple[int, ...]:
    return -1, (1 << (integer_width(type) or 64)) - 1


_RULES: dict[type[Operation], Callable[[Attribute], tuple[float | int, ...]]] = {
    arith.AddiOp: lambda _: (0,),
    arith.AddfOp: lambda _: (0,),
    arith.SubiOp: lambda _: (0,),
    arith.SubfOp: lambda _: (0,),
    arith.MuliOp: lambda _: (1,),
    arith.MulfOp: lambda _: (1,),
    arith.MaxSIOp: _lowest,
    arith.MaximumfOp: _lowest,
    arith.MinSIOp: _highest,
    arith.MinimumfOp: _highest,
    arith.MaxUIOp: lambda _: (0,),
    arith.MinUIOp: _all_ones,
}
"""Scalar op -> the numbers that leave the other operand as it is, in a type."""
