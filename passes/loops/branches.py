"""Selects and branches of which one value is seldom taken, and the ops that compute nothing else."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Operation

from ...dialects.core.effects import is_speculatable
from ...ir import numbers_of

_WEIGHTS = "branch_weights"
"""Attribute of branch weights: frequencies of a select's first and second value, as LLVM's metadata of that name."""
_SUM = 1 << 16


def set_frequency(select: arith.SelectOp, first: float) -> None:
    """Note in which part of the cases the first value of a select is taken."""
    weight = min(max(1, round(first * _SUM)), _SUM - 1)
    select.attributes[_WEIGHTS] = DenseArrayBase.from_list(i32, [weight, _SUM - weight])


def copy_frequency(choice: Operation, other: Operation) -> None:
    """Copy the branch frequency of a select, or of another branch, to a branch."""
    if _WEIGHTS in choice.attributes:
        other.attributes[_WEIGHTS] = choice.attributes[_WEIGHTS]


def rare_value(choice: Operation) -> tuple[int, float] | None:
    """
    Return the number, 0 or 1, of the rarer value of a select, or region of a branch, and its share of the cases.

    None where nothing is known.
    """
    weights = choice.attributes.get(_WEIGHTS)
    if weights is None:
        return None
    first, second = numbers_of(cast("DenseArrayBase[Any]", weights))
    return (0, first / (first + second)) if first < second else (1, second / (first + second))


def exclusive_slice(select: arith.SelectOp, index: int) -> list[Operation]:
    """Return the ops of the select's block, in order, that compute one of its values and nothing else."""
    value = select.operands[1 + index]
    if list(select.operands).count(value) > 1:
        return []
    ops: list[Operation] = []
    op = select.prev_op
    while op is not None:
        users = {use.operation for result in op.results for use in result.uses}
        is_exclusive = users <= {select, *ops} and (value in op.results or select not in users)
        if users and is_exclusive and is_speculatable(op):
            ops.append(op)
        op = op.prev_op
    return ops[::-1]
