"""Verification and construction of the ops of `nn`: shapes, affine maps, lists of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.utils.exceptions import VerifyException

from ...ir import numbers_of, shape_of
from .kernel import is_shaped
from .kernel_op import KernelOp


def ints(values: Sequence[int]) -> DenseArrayBase[Any]:
    """Return the attribute `array<i64: ...>`."""
    return DenseArrayBase.from_list(i64, list(values))


def affine(dims: int, results: Sequence[AffineExpr]) -> AffineMap:
    """Return the map from `dims` dimensions to these expressions."""
    return AffineMap(dims, 0, tuple(results))


def shapes(op: KernelOp) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return the shapes of an op's inputs and that of its output, for an op that is not verified yet."""
    if len(op.outputs) != 1:
        raise VerifyException(f"expected one output, got {len(op.outputs)}")
    if not all(is_shaped(value) for value in op.operands):
        raise VerifyException("every operand must be a tensor or a memref")
    return [shape_of(value) for value in op.inputs], shape_of(op.output)


def require_positive(**lists: Any) -> None:
    """Raise VerifyException for the first of the named lists that holds a number below 1."""
    for name, values in lists.items():
        if any(number < 1 for number in numbers_of(values)):
            raise VerifyException(f"{name} must be positive, got {list(numbers_of(values))}")
