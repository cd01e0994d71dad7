"""Conversion of `index` to `arith`, which analyses and lowerings know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import index_constant
from ..dialects.index import (
    BINARY,
    CASTS,
    SIZE,
    IndexBoolConstantOp,
    IndexCmpOp,
    IndexConstantOp,
    IndexSizeOfOp,
    constant_value,
)
from .core.base import Pass


def convert_index_to_arith(module: ModuleOp) -> None:
    """Replace each op of `index` by the op of `arith` that computes the same."""
    for op in [op for op in nested_ops(module) if op.name.startswith("index.")]:
        Rewriter.replace_op(op, _CONVERSIONS[type(op)](op))


def _binary(op: Any) -> Operation:
    return BINARY[type(op)](op.lhs, op.rhs)  # pyright: ignore[reportCallIssue]


def _cast(op: Any) -> Operation:
    return CASTS[type(op)](op.input, op.result.type)  # pyright: ignore[reportCallIssue]


def _compare(op: IndexCmpOp) -> Operation:
    return arith.CmpiOp(op.lhs, op.rhs, op.pred.data.number)


def _truth(op: IndexBoolConstantOp) -> Operation:
    return arith.ConstantOp(IntegerAttr(constant_value(op), i1))


def _constant(op: IndexConstantOp) -> Operation:
    return index_constant(constant_value(op))


def _size(op: IndexSizeOfOp) -> Operation:
    return index_constant(SIZE)


_CONVERSIONS: dict[type[Operation], Callable[[Any], Operation]] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(CASTS, _cast),
    IndexBoolConstantOp: _truth,
    IndexCmpOp: _compare,
    IndexConstantOp: _constant,
    IndexSizeOfOp: _size,
}


@dataclass(frozen=True)
class ConvertIndexToArithPass(Pass):
    """Convert ops of index to arith; an index has 64 bits, divisions and comparisons keep their signs."""

    name = "convert-index-to-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_index_to_arith(op)
