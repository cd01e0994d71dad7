"""Scalars of vector ops that compute: products and folds, in the order of the interpreter, row-major."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.ir import SSAValue

from ...dialects.vector.types import integers
from .movement import Rule
from .scalars import Elements, Scalarizer


def _kind(op: Any) -> str:
    return "add" if op.kind is None else str(op.kind.data)


def _reduction(b: Scalarizer, op: Any) -> list[Elements]:
    start = None if op.acc is None else b.elements(op.acc)
    return [b.fold(_kind(op), b.elements(op.vector), [0], start)]


def _multi_reduction(b: Scalarizer, op: Any) -> list[Elements]:
    return [b.fold(_kind(op), b.elements(op.source), integers(op.reduction_dims), b.elements(op.acc))]


def _at(operand: Elements, loops: Sequence[int], point: Mapping[int, int]) -> SSAValue:
    element: Any = operand[tuple(point[loop] for loop in loops)]
    return element


def _contract(b: Scalarizer, op: Any) -> list[Elements]:
    axes, extents = op.axes, op.extents
    operands = [b.elements(value) for value in (op.lhs, op.rhs)]
    result = b.elements(op.acc).copy()
    reduced = [loop for loop in sorted(extents) if loop not in axes[2]]
    for place in np.ndindex(result.shape):
        point = dict(zip(axes[2], place, strict=True))
        for steps in product(*(range(extents[loop]) for loop in reduced)):
            point |= dict(zip(reduced, steps, strict=True))
            left, right = (_at(operand, used, point) for operand, used in zip(operands, axes[:2], strict=True))
            total: Any = result[place]
            result[place] = b.combine(_kind(op), total, b.combine("mul", left, right))
    return [result]


def _outer_product(b: Scalarizer, op: Any) -> list[Elements]:
    left, right = b.elements(op.lhs), b.elements(op.rhs)
    values = b.each(lambda lane: b.combine("mul", *lane), left[:, None] if right.ndim else left, right)
    if op.acc is None:
        return [values]
    return [b.each(lambda lane: b.combine(_kind(op), *lane), values, b.elements(op.acc))]


def _fused(b: Scalarizer, op: Any) -> list[Elements]:
    operands = [b.elements(value) for value in (op.lhs, op.rhs, op.acc)]
    return [b.each(lambda lane: b.emit(math.FmaOp(lane[0], lane[1], lane[2])), *operands)]


def _scan(b: Scalarizer, op: Any) -> list[Elements]:
    axis, source = op.reduction_dim.value.data, b.elements(op.source)
    total, inclusive = b.elements(op.initial_value), bool(op.inclusive.value.data)
    lanes: list[Elements] = []
    rows = np.moveaxis(source, axis, 0)
    for place, row in enumerate(rows):
        if inclusive:
            total = row if place == 0 else b.each(lambda lane: b.combine(_kind(op), *lane), total, row)
        elif place:
            total = b.each(lambda lane: b.combine(_kind(op), *lane), total, rows[place - 1])
        lanes.append(total)
    return [np.stack(lanes, axis), total]


FOLDS: dict[str, Rule] = {
    "vector.contract": _contract,
    "vector.fma": _fused,
    "vector.multi_reduction": _multi_reduction,
    "vector.outerproduct": _outer_product,
    "vector.reduction": _reduction,
    "vector.scan": _scan,
}
"""Op -> its rule: the elements of its results."""
