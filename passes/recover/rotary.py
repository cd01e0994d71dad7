"""
Rotary embedding from the form that rotates halves: x * cos + (-x2, x1) * sin.

Source: RoFormer (arXiv:2104.09864), section 3.4.2. The angles of both halves must be seen to be the same: they are
constants that are, or follow element by element from a concatenation of a value with itself.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from ..lowering.lowerer import constant_of
from ..state.nodes import literal, node
from .pattern import Match, Node, Product, Sum
from .rules import recovers

_BOUNDS = ("starts", "ends", "axes", "steps")


def _slice(name: str) -> Node:
    return Node("Slice", "x", *(f"{name}_{bound}" for bound in _BOUNDS))


_TURNED = Node("Concat", Node("Neg", _slice("second")), _slice("first"), name="concat")


@recovers("RotaryEmbedding", Sum(Product("x", "cos"), Product(_TURNED, "sin")))
def _rotary_embedding(match: Match, root: Operation) -> SSAValue | None:
    """Insert the embedding of x [N, H, S, D] by angles [N or 1, 1, S, D]."""
    x = match.values["x"]
    if len(shape_of(x)) != 4 or shape_of(x) != shape_of(root.results[0]) or shape_of(x)[3] % 2:
        return None
    half = shape_of(x)[3] // 2
    if match.nodes["concat"].attribute("axis") not in (-1, 3):
        return None
    if _range(match, "first") != (0, half) or _range(match, "second") != (half, 2 * half):
        return None
    angles = [match.values["cos"], match.values["sin"]]
    if not all(_is_angle(value, shape_of(x)) and _has_equal_halves(value) for value in angles):
        return None
    halves = [_half(value, shape_of(x), root) for value in angles]
    return node("RotaryEmbedding", [x, *halves], root.results[0].type, root)


def _range(match: Match, name: str) -> tuple[int, int] | None:
    """Return from where to where the slice of that name is along the last axis, None for another slice."""
    bounds = [constant_of(match.values[f"{name}_{bound}"]) for bound in _BOUNDS]
    if any(bound is None or bound.size != 1 for bound in bounds):
        return None
    start, end, axis, step = (int(bound.flat[0]) for bound in bounds if bound is not None)
    if axis not in (-1, 3) or step != 1:
        return None
    first, last, _ = slice(start, end).indices(shape_of(match.values["x"])[3])
    return first, last


def _is_angle(value: SSAValue, shape: tuple[int, ...]) -> bool:
    batch, _, rows, width = shape
    return shape_of(value) in {(batch, 1, rows, width), (1, 1, rows, width)}


def _has_equal_halves(value: SSAValue) -> bool:
    """Return whether the halves of the last axis are known to be the same."""
    while (constant := constant_of(value)) is None:
        if (source := _same_halves_as(value)) is None:
            return _is_doubled(value)
        value = source
    first, second = np.split(constant, 2, axis=-1)
    return bool(np.array_equal(first, second))


@mentions("Mul", "Unsqueeze")
def _same_halves_as(value: SSAValue) -> SSAValue | None:
    """Return the operand whose halves are equal where those of a value are, None where no single one decides."""
    op = value.owner
    if not isinstance(op, OnnxOp):
        return None
    if op.name in having(Trait.ELEMENTWISE, "onnx.") and len(op.operands) == 1:
        return op.operands[0]
    if op.name == "onnx.Unsqueeze":
        return op.operands[0] if shape_of(op.operands[0])[-1:] == shape_of(value)[-1:] else None
    if op.name != "onnx.Mul":
        return None
    others = [operand for operand in op.operands if shape_of(operand)[-1:] not in {(), (1,)}]
    return others[0] if len(others) == 1 else None


def _is_doubled(value: SSAValue) -> bool:
    """Return whether a value is a concatenation of another with itself along the last axis."""
    op = value.owner
    if not isinstance(op, OnnxOp) or op.name != "onnx.Concat":
        return False
    if int(op.attribute("axis")) not in (-1, len(shape_of(value)) - 1):
        return False
    return len(op.operands) == 2 and op.operands[0] == op.operands[1]


def _half(value: SSAValue, shape: tuple[int, ...], root: Operation) -> SSAValue:
    """Insert ops that slice and expand angles [N or 1, 1, S, D] to an operand [N, S, D/2]."""
    batch, _, rows, width = shape
    element, half = element_of(value), width // 2
    bounds = [literal(np.array([bound], np.int64), i64, root) for bound in (0, half, 3, 1)]
    first = TensorType(element, (shape_of(value)[0], 1, rows, half))
    sliced = node("Slice", [value, *bounds], first, root)
    sizes = literal(np.array([shape_of(value)[0], rows, half], np.int64), i64, root)
    flat = node("Reshape", [sliced, sizes], TensorType(element, (shape_of(value)[0], rows, half)), root)
    if shape_of(value)[0] == batch:
        return flat
    target = literal(np.array([batch, rows, half], np.int64), i64, root)
    return node("Expand", [flat, target], TensorType(element, (batch, rows, half)), root)
