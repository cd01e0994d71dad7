"""Kinds of updates of `memref.atomic_rmw` and of reductions of `affine.parallel`: their op of `arith` and identity."""

from __future__ import annotations

import math
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from .syntax.affine_ops import ATOMIC_KINDS

_OPS: dict[str, type[Operation]] = {
    "addf": arith.AddfOp,
    "addi": arith.AddiOp,
    "maximumf": arith.MaximumfOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumfOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulfOp,
    "muli": arith.MuliOp,
    "ori": arith.OrIOp,
    "andi": arith.AndIOp,
    "maxnumf": arith.MaxnumfOp,
    "minnumf": arith.MinnumfOp,
}
_FLOATS = {
    "addf": 0.0,
    "mulf": 1.0,
    "maximumf": -math.inf,
    "minimumf": math.inf,
    "maxnumf": -math.inf,
    "minnumf": math.inf,
}


def kind_of(number: Attribute) -> str:
    """Return the name of a kind by its number."""
    return ATOMIC_KINDS[cast("IntegerAttr[Any]", number).value.data]


def combined(kind: str, old: SSAValue, value: SSAValue) -> Operation | None:
    """Return the op that combines two numbers; None for `assign`, whose outcome is the second."""
    return cast(Any, _OPS[kind])(old, value) if kind in _OPS else None


def identity(kind: str, type: Attribute) -> Attribute:
    """Return the number that a reduction of a kind starts with, as upstream's: 0.0 for sums of floats."""
    if kind in _FLOATS:
        return FloatAttr(_FLOATS[kind], cast(AnyFloat, type))
    integer = cast("IntegerType[int, Any]", type)
    low, high = -(1 << integer.width.data - 1), (1 << integer.width.data - 1) - 1
    numbers = {"muli": 1, "andi": -1, "minu": -1, "maxs": low, "mins": high}
    return cast(Attribute, IntegerAttr(numbers.get(kind, 0), integer))
