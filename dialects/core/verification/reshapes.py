"""Rules of upstream's reshapes that xDSL's definitions do not check."""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from ....ir import reassociated_axes, shape_of

_EXPANSIONS = frozenset(("memref.expand_shape", "tensor.expand_shape"))
_COLLAPSES = frozenset(("memref.collapse_shape", "tensor.collapse_shape"))


def verify_reshape(op: Operation) -> None:
    """
    Check that each group of axes of an expansion or a collapse has the elements of the axis that it stands for.

        memref.expand_shape %t [[0], [1, 2]] output_shape [32, 2, 12] : memref<32x24xf32> into memref<32x2x12xf32>

    To or from no axis there may be no group: all axes have one element. Raises VerifyException for other groups.
    """
    if op.name not in _EXPANSIONS and op.name not in _COLLAPSES:
        return
    few, many = shape_of(op.operands[0]), shape_of(op.results[0])
    if op.name in _COLLAPSES:
        few, many = many, few
    groups = reassociated_axes(cast(Any, op).reassociation)
    if not few and not groups:
        groups = [[*range(len(many))]]
    if [axis for axes in groups for axis in axes] != [*range(len(many))] or (len(groups) != len(few) and few):
        raise VerifyException(
            f"the groups {groups} are not the axes of {list(many)} in order, one for each of {len(few)}"
        )
    for extent, axes in zip(few or [1], groups, strict=False):
        sizes = [many[axis] for axis in axes]
        if DYNAMIC_INDEX not in (extent, *sizes) and prod(sizes) != extent:
            raise VerifyException(
                f"the axes {axes} have {prod(sizes)} elements together, the axis of the group {extent}"
            )
