"""Structurally equal grids: what has been proved of the tiles and the body of one is so of the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.analysis.structural_key import structural_key
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import GridOp, ScratchAttr, TileAttr

_BESIDE = frozenset({"engine", "modelled_cycles"})
"""The attributes that say nothing of what a grid does."""
_NUMBERS = frozenset({"value", "shift"})
"""The properties of scalar ops that hold a constant, and by how much to shift."""


def first_equal_grids(grids: Sequence[GridOp]) -> dict[GridOp, GridOp]:
    """Map each grid to the first one of the sequence that is structurally equal to it."""
    firsts: dict[Hashable, GridOp] = {}
    return {grid: firsts.setdefault(structure_of_grid(grid), grid) for grid in grids}


def structure_of_grid(grid: GridOp) -> Hashable:
    """
    Return all of a grid, and of what is in it, that its tiles and its body are proved from.

    That is all but the addresses of buffers, the engines, what the operands are besides their types, and the numbers in
    what a kernel does with its sums once they are complete.
    """
    kernels = (op for op in nested_ops(grid) if isinstance(op, KernelOp))
    code = {op for kernel in kernels for region in kernel.regions for op in nested_ops(region)}

    def facts(op: Operation) -> Hashable:
        properties = (
            (name, attribute) for name, attribute in op.properties.items() if not (op in code and name in _NUMBERS)
        )
        attributes = ((name, attribute) for name, attribute in op.attributes.items() if name not in _BESIDE)
        return frozenset((name, _fact(attribute)) for name, attribute in properties), frozenset(attributes)

    return structural_key([grid], _outside, facts)


def _outside(value: SSAValue) -> Hashable:
    """Return the type of a value from around a grid, and the constant that it is, if it is one."""
    return value.type, value.owner.value if isinstance(value.owner, arith.ConstantOp) else None


def _fact(attribute: Attribute) -> Hashable:
    """Return an attribute without the addresses of tiles and scratch."""
    if not isinstance(attribute, ArrayAttr):
        return attribute
    return tuple(_fact_of(element) for element in cast("ArrayAttr[Attribute]", attribute))


def _fact_of(attribute: Attribute) -> Hashable:
    match attribute:
        case TileAttr():
            return attribute.with_address(None)
        case ScratchAttr():
            return attribute.buffer
        case _:
            return attribute
