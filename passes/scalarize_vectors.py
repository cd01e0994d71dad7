"""Scalarization of vectors: an op on vectors becomes scalar ops, one per element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import is_float
from ..dialects.vector.types import is_scalable, is_vector
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .vectors.folds import FOLDS
from .vectors.memory import MEMORY
from .vectors.movement import MOVEMENT, Rule
from .vectors.scalars import Elements, Scalarizer, array, extents_of, lane_type

LARGEST = 1024
"""Greatest number of elements of a vector: each is an op of its own in the text."""

_RULES: dict[str, Rule] = {**MOVEMENT, **FOLDS, **MEMORY}


def scalarize_vectors(module: ModuleOp) -> None:
    """
    Replace the ops on vectors by scalar ops.

    Raises Diagnostic for ops without a rule, for scalable vectors and those of more than `LARGEST` elements, and where
    a vector leaves its block: as an argument of a block or function, or the result of a loop.
    """
    values: dict[SSAValue, Elements] = {}
    replaced: list[Operation] = []
    for op in nested_ops(module):
        if op.name.startswith("vector.") or any(is_vector(value.type) for value in (*op.operands, *op.results)):
            _replace(op, values)
            replaced.append(op)
    for op in reversed(replaced):
        Rewriter.erase_op(op)


def _replace(op: Operation, values: dict[SSAValue, Elements]) -> None:
    for value in (*op.operands, *op.results):
        _check_size(op, value)
    rule = _RULES.get(op.name) or _rule_of(op)
    if rule is None:
        raise Diagnostic(f"'{op.name}' on vectors is not scalarized", where(op), expected=f"one of {', '.join(_RULES)}")
    for result, elements in zip(op.results, rule(Scalarizer(op, values), op), strict=True):
        if is_vector(result.type):
            values[result] = elements
        else:
            (scalar,) = elements.ravel()
            scalar.name_hint = scalar.name_hint or result.name_hint
            result.replace_all_uses_with(scalar)


def _check_size(op: Operation, value: SSAValue) -> None:
    if not is_vector(value.type):
        return
    if is_scalable(value.type):
        raise Diagnostic("a scalable vector has no scalars", where(op), found=str(value.type))
    if np.prod(extents_of(value), dtype=int) > LARGEST:
        message = f"a vector has more than {LARGEST} elements, each of which would be an op"
        raise Diagnostic(message, where(op), found=str(value.type), remedy="process it in parts")


def _rule_of(op: Operation) -> Rule | None:
    """Return the rule of an op of `arith` or `math`, which works element by element."""
    if op.name == "arith.constant":
        return _constant
    return _elementwise if op.name.startswith(("arith.", "math.")) and op.results else None


def _constant(b: Scalarizer, op: Any) -> Sequence[Elements]:
    value = cast("DenseIntOrFPElementsAttr[Any]", op.value)
    element, extents = lane_type(op.result), extents_of(op.result)
    count = int(np.prod(extents, dtype=int))
    numbers = list(value.get_values())
    numbers = numbers * count if len(numbers) == 1 else numbers
    kind: Any = FloatAttr if is_float(element) else IntegerAttr
    return [array([b.emit(arith.ConstantOp(kind(number, element))) for number in numbers], extents)]


def _elementwise(b: Scalarizer, op: Operation) -> Sequence[Elements]:
    operands = np.broadcast_arrays(*(b.elements(value) for value in op.operands))
    types = [lane_type(result) for result in op.results]
    lanes: list[Operation] = []
    for lane in zip(*(operand.ravel() for operand in operands), strict=True):
        scalar = type(op).create(
            operands=list(lane), result_types=types, properties=dict(op.properties), attributes=dict(op.attributes)
        )
        b.emit(scalar)
        lanes.append(scalar)
    shape = operands[0].shape
    columns = zip(*(lane.results for lane in lanes), strict=True)
    return [array(column, shape) for column in columns]


@dataclass(frozen=True)
class ScalarizeVectorsPass(Pass):
    """
    Replace vectors by their elements: an op on a vector becomes an op for each element.

    Ops that move elements, such as transpositions and slices, become nothing. Folds keep the interpreter's order. A
    transfer that may be out of bounds becomes conditional accesses. Vectors stay within a block.
    """

    name = "scalarize-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scalarize_vectors(op)
