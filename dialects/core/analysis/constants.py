"""Numbers of scalar constants."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue


def constant_number(value: SSAValue) -> int | float | None:
    """Return the number of a scalar `arith.constant`, None for other values."""
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return number.value.data if isinstance(number, IntegerAttr | FloatAttr) else None


def constant_integer(value: SSAValue) -> int | None:
    """Return the number of an `arith.constant` of an integer or index, None for other values."""
    number = constant_number(value)
    return number if isinstance(number, int) else None
