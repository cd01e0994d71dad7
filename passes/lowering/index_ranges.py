"""
Inputs that select rows of a table can be checked before the network runs: they hold the numbers of its rows, or
negative ones, which count from its end.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, i64
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import numbers_of, set_argument_attributes, shape_of
from .lowerer import constant_of

RANGE = "tilewright.range"
"""The attribute of an input whose numbers are checked on every call: the least and the greatest."""

CARRIERS = having(Trait.RESHAPES, "onnx.") | {"onnx.Cast"}
"""Operators that give back the numbers that they take, where these fit."""


@mentions("Gather")
def bound_indices(function: func.FuncOp) -> None:
    """Declare (`tilewright.range`) for each input that is the index of a Gather the rows that it can select."""
    arguments = function.body.block.args
    rows: list[dict[str, Attribute]] = [dict(row.data) for row in function.arg_attrs.data] if function.arg_attrs else []
    rows += [{} for _ in range(len(arguments) - len(rows))]
    for op in function.body.block.ops:
        if op.name != "onnx.Gather" or not isinstance(op, OnnxOp):
            continue
        source, least, greatest = moved(op.operands[1])
        if not isinstance(source, BlockArgument):
            continue
        table = shape_of(op.operands[0])
        count = table[int(op.attribute("axis")) % len(table)]
        rows[source.index][RANGE] = _narrowed(rows[source.index].get(RANGE), -count - least, count - 1 - greatest)
    if any(rows):
        set_argument_attributes(function, [DictionaryAttr(row) for row in rows])


@mentions("Cast")
def carried(value: SSAValue) -> SSAValue:
    """Return the value whose numbers a value has, perhaps in another shape or type."""
    while isinstance(value, OpResult) and value.op.name in CARRIERS:
        value = value.op.operands[0]
    return value


@mentions("Add")
def moved(value: SSAValue) -> tuple[SSAValue, int, int]:
    """
    Return the value whose numbers a value has but for constants that are added, and the least and greatest of these.

    Where several are added to one number, as places to the position of the first, it has to allow for all.
    """
    least, greatest = 0, 0
    while True:
        value = carried(value)
        if not isinstance(value, OpResult) or value.op.name != "onnx.Add":
            return value, least, greatest
        one, other = value.op.operands
        added = constant_of(other)
        if added is None:
            one, added = other, constant_of(one)
        # Narrower integers wrap around, and floats lose their fraction.
        if added is None or not added.size or added.dtype.name not in ("int32", "int64"):
            return value, least, greatest
        if prod(shape_of(one)) > 1 and added.size > 1:
            return value, least, greatest
        value, least, greatest = one, least + int(added.min()), greatest + int(added.max())


def _narrowed(declared: Attribute | None, least: int, greatest: int) -> Attribute:
    """Return the numbers from the least to the greatest, as far as they were possible before."""
    low, high = numbers_of(declared) if declared is not None else (least, greatest)
    return DenseArrayBase.from_list(i64, [max(low, least), min(high, greatest)])
