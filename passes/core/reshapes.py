"""Views of tensors in another shape: which axes are collapsed or expanded, and the ops."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ...errors import Diagnostic
from ...ir import reassociation


def reassociate(source: list[int], target: list[int]) -> list[list[int]] | None:
    """
    Return the reassociation of the longer shape's axes into those of the shorter, None if there is none.

    Raises Diagnostic where the shapes hold different numbers of elements.
    """
    if prod(source) != prod(target):
        raise Diagnostic(f"a tensor of shape {source} cannot be viewed as {target}")
    longer, shorter = (source, target) if len(source) > len(target) else (target, source)
    if len(longer) == len(shorter) or not shorter or 0 in longer:
        return [] if not shorter and all(extent == 1 for extent in longer) else None
    groups: list[list[int]] = []
    axis = 0
    for position, extent in enumerate(shorter):
        group, size = [axis], longer[axis] if axis < len(longer) else -1
        axis += 1
        spare = len(shorter) - position - 1
        while size < extent and axis < len(longer) - spare:
            group, size, axis = [*group, axis], size * longer[axis], axis + 1
        if size != extent:
            return None
        groups.append(group)
    if any(extent != 1 for extent in longer[axis:]):
        return None
    groups[-1] += range(axis, len(longer))
    return groups


def collapse(value: SSAValue, groups: Sequence[Sequence[int]], type: Attribute) -> Operation:
    """Return `tensor.collapse_shape` to a type of fewer axes."""
    return tensor.CollapseShapeOp.build(
        operands=[value], result_types=[type], properties={"reassociation": reassociation(groups)}
    )


def expand(value: SSAValue, groups: Sequence[Sequence[int]], type: Attribute) -> Operation:
    """Return `tensor.expand_shape` to a type of more axes."""
    shape = cast("TensorType[Any]", type).get_shape()
    return tensor.ExpandShapeOp.build(
        operands=[value, []],
        result_types=[type],
        properties={
            "reassociation": reassociation(groups),
            "static_output_shape": DenseArrayBase.from_list(i64, shape),
        },
    )
