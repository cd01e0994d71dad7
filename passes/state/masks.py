"""
Masking of unwritten rows in reductions, exactly: the result equals that over the written rows.

Row i of a state is valid if i < position + new rows. Integer softmaxes take the mask as an operand. Elsewhere invalid
rows become the neutral element: 0 for sums and products with values, minus infinity before a float softmax, a
valid row for an extreme.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType, f32, i1, i32, i64
from xdsl.ir import OpResult, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.onnx.facts import Trait, facts_of, having
from ...dialects.onnx.registry import Registry, mentions
from ...dialects.onnx.schema import OnnxOp, make
from ...errors import Diagnostic
from ...ir import element_of, named_location, shape_of, where
from .caches import constant_array
from .growth import Growth
from .nodes import literal, node
from .relations import softmax_axis

_MASKED = ("onnx.iSoftmax", "onnx.ITAMax")
_FILLED = frozenset(f"onnx.{name}" for name in "ReduceSum ReduceL1 ReduceL2 ReduceSumSquare ReduceProd Softmax".split())
"""Operators whose invalid rows are filled with their neutral number."""

_EXTREMES = ("onnx.ReduceMax", "onnx.ReduceMin")
_PRODUCTS = ("onnx.MatMul", "onnx.Gemm")


class Masks:
    """Mask of the valid rows, memoised by rank."""

    def __init__(self, growth: Growth, position: SSAValue):
        self._growth = growth
        self._position = position
        self._known: dict[int, SSAValue] = {}
        first = growth.function.body.block.first_op
        assert first is not None
        self._first = first

    def along(self, value: SSAValue) -> SSAValue:
        """Return the mask [rows, 1, ...] of valid rows that broadcasts to a tensor with cache rows."""
        rank, rows = len(shape_of(value)) - self._growth.axes[value], self._growth.new
        if 1 not in self._known:
            self._known[1] = self._vector()
        if rank not in self._known:
            shape = literal([rows] + [1] * (rank - 1), i64, self._first)
            kind = TensorType(i1, [rows] + [1] * (rank - 1))
            self._known[rank] = node("Reshape", [self._known[1], shape], kind, self._first)
        return self._known[rank]

    def _vector(self) -> SSAValue:
        rows, added, first = self._growth.new, self._growth.caches[0].added, self._first
        element = cast(Any, element_of(self._position))
        position = self._position
        if element != i32:
            position = node("Cast", [position], TensorType(i32, shape_of(position)), first, to=6)
        counts = literal(np.full(shape_of(position), added), i32, first)
        length = node("Add", [position, counts], position.type, first)
        mask = node("Less", [literal(np.arange(rows), i32, first), length], TensorType(i1, [rows]), first)
        mask.name_hint = "valid"
        for op in (cast(OpResult, mask).op, cast(OpResult, length).op):
            op.location = named_location("position")
        return mask

    def filled(self, op: OnnxOp, index: int, fill: float) -> None:
        """Replace the invalid rows of an operand by `fill`."""
        value = op.operands[index]
        element = element_of(value)
        if np.isinf(fill) and element != f32:
            raise _refusal(op, f"of {element}")
        self._choose(op, index, literal(fill, element, op))

    def first_row(self, op: OnnxOp, index: int) -> None:
        """Replace the invalid rows of an operand by its first row, which is always valid."""
        value = op.operands[index]
        axis = self._growth.axes[value]
        shape = [1 if i == axis else extent for i, extent in enumerate(shape_of(value))]
        bounds: list[SSAValue | None] = [literal([number], i64, op) for number in (0, 1, axis)]
        kind = TensorType(cast(Any, element_of(value)), shape)
        self._choose(op, index, node("Slice", [value, *bounds], kind, op))

    def _choose(self, op: OnnxOp, index: int, other: SSAValue) -> None:
        value = op.operands[index]
        chosen = node("Where", [self.along(value), value, other], value.type, op)
        self._growth.axes[chosen] = self._growth.axes[value]
        op.operands[index] = chosen


def _refusal(op: OnnxOp, what: str) -> Diagnostic:
    return Diagnostic(
        f"{op.name.removeprefix('onnx.')} {what} over cached rows is not exact if some rows are unwritten",
        where=where(op),
        expected="an operator with a neutral element: a sum, an extreme, a softmax or a product",
        remedy="export the network without it, or with its result as an input",
    )


@mentions(*_MASKED, *_FILLED, *_EXTREMES, *_PRODUCTS)
def neutralise(growth: Growth, position: SSAValue) -> None:
    """
    Exclude unwritten rows from all reductions over cache rows.

    Raises Diagnostic for a reduction without an exact neutral element.
    """
    masks = Masks(growth, position)
    for op in growth.reductions:
        if op.name in _MASKED:
            _mask_softmax(growth, masks, op)
        elif op.name in _PRODUCTS:
            _mask_product(growth, masks, op)
        elif op.name in _EXTREMES:
            masks.first_row(op, 0)
        elif op.name in _FILLED and (neutral := facts_of(op.name).neutral) is not None:
            masks.filled(op, 0, neutral)
        else:
            raise _refusal(op, "of a varying number of values")
    for op in list(growth.function.body.block.ops):
        # A divisor in an unwritten row may be zero, which traps in C.
        if op.name in having(Trait.DIVIDES, "onnx.") and op.operands[1] in growth.axes:
            masks.filled(cast(OnnxOp, op), 1, 1)


def _mask_softmax(growth: Growth, masks: Masks, op: OnnxOp) -> None:
    x, y = op.operands[0], op.results[0]
    assert softmax_axis(op) == growth.axes[x]
    masked = make(type(op), [x, masks.along(x)], [y.type], dict(op.properties))
    masked.location = op.location
    masked.results[0].name_hint = y.name_hint
    growth.axes[masked.results[0]] = growth.axes.pop(y)
    Rewriter.replace_op(op, masked)


def _mask_product(growth: Growth, masks: Masks, op: OnnxOp) -> None:
    """Zero the invalid rows of one factor of a product; of both for floats, because infinity times zero is NaN."""
    tails = [_tail(growth, value) for value in op.operands[:2]]
    if 0 in tails and (_is_integer(op.operands[0]) or _quantised(growth, op.operands[tails.index(0)])):
        return
    elements = [int(np.prod(shape_of(value))) for value in op.operands[:2]]
    order = [0, 1] if elements[0] <= elements[1] else [1, 0]
    for index in order[:1] if _is_integer(op.operands[0]) else order:
        masks.filled(op, index, 0)


def _is_integer(value: SSAValue) -> bool:
    return isinstance(element_of(value), IntegerType)


def _quantised(growth: Growth, value: SSAValue) -> bool:
    """Return whether a value stems from an integer-only operator."""
    while isinstance(value, OpResult) and value in growth.axes:
        if value.op.name in (*_MASKED, "onnx.RequantShift"):
            return True
        value = value.op.operands[0]
    return False


def _tail(growth: Growth, value: SSAValue) -> int | None:
    """Return the constant of a tensor in all invalid rows, None if unknown."""
    if not isinstance(value, OpResult) or value not in growth.axes:
        return None
    op = cast(OnnxOp, value.op)
    if op.name in _MASKED:
        return 0 if len(op.operands) > 1 else None
    rule = _TAILS.get(op.name)
    return rule(growth, op) if rule else None


def _kept(growth: Growth, op: OnnxOp) -> int | None:
    return _tail(growth, op.operands[0])


def _product(growth: Growth, op: OnnxOp) -> int | None:
    return 0 if 0 in (_tail(growth, value) for value in op.operands) else None


def _requantised(growth: Growth, op: OnnxOp) -> int | None:
    tail = _tail(growth, op.operands[0])
    mul, add = (constant_array(value) for value in op.operands[1:3])
    if tail is None or mul is None or add is None:
        return None
    div, levels = int(op.attribute("div")), int(op.attribute("n_levels"))
    low = -(levels // 2) if op.attribute("signed") else 0
    results = {
        min(max((tail * int(m) + int(a) + div // 2) // div, low), low + levels - 1)
        for m in np.unique(mul)
        for a in np.unique(add)
    }
    return results.pop() if len(results) == 1 else None


_TAILS: Registry[str, Callable[[Growth, OnnxOp], int | None]] = Registry(
    "rows of caches",
    {
        **dict.fromkeys(
            (
                f"onnx.{name}"
                for name in ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Cast", "Flatten")
            ),
            _kept,
        ),
        "onnx.Mul": _product,
        "onnx.RequantShift": _requantised,
    },
)
"""Transfer functions of the constant in invalid rows."""
