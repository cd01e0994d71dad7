"""Structurally equal grids: what has been proved of the tiles and the body of one is so of the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects.core.kernel_op import KernelOp
from ...dialects.hier import GridOp, ScratchAttr, TileAttr

_BESIDE = frozenset({"engine", "modelled_cycles"})
"""The attributes that say nothing of what a grid does."""
_NUMBERS = frozenset({"value", "shift"})
"""The properties of scalar ops that hold a constant, and by how much to shift."""


def first_alike(grids: Sequence[GridOp]) -> dict[GridOp, GridOp]:
    """Return for each grid the first of those that it is like."""
    firsts: dict[Hashable, GridOp] = {}
    return {grid: firsts.setdefault(structure_of_grid(grid), grid) for grid in grids}


def structure_of_grid(grid: GridOp) -> Hashable:
    """
    Return all of a grid, and of what is in it, that its tiles and its body are proved from.

    That is all but the addresses of buffers, the engines, what the operands are besides their types, and the numbers in
    what a kernel does with its sums once they are complete.
    """
    return _op(grid, {}, is_epilogue=False)


def _op(op: Operation, numbers: dict[SSAValue, int], *, is_epilogue: bool) -> Hashable:
    operands = tuple(_operand(value, numbers) for value in op.operands)
    within = is_epilogue or isinstance(op, KernelOp)
    blocks = tuple(
        tuple(_block(block, numbers, is_epilogue=within) for block in region.blocks) for region in op.regions
    )
    for value in op.results:
        numbers[value] = len(numbers)
    properties = op.properties.items()
    return (
        op.name,
        operands,
        tuple(value.type for value in op.results),
        frozenset((name, _fact(each)) for name, each in properties if not (is_epilogue and name in _NUMBERS)),
        frozenset((name, each) for name, each in op.attributes.items() if name not in _BESIDE),
        blocks,
    )


def _block(block: Block, numbers: dict[SSAValue, int], *, is_epilogue: bool) -> Hashable:
    for value in block.args:
        numbers[value] = len(numbers)
    types = tuple(value.type for value in block.args)
    return types, tuple(_op(op, numbers, is_epilogue=is_epilogue) for op in block.ops)


def _operand(value: SSAValue, numbers: dict[SSAValue, int]) -> Hashable:
    """Return the number of a value; of one from outside also its type, and the constant that it is, if it is one."""
    if value in numbers:
        return numbers[value]
    numbers[value] = len(numbers)
    owner = value.owner
    return numbers[value], value.type, owner.value if isinstance(owner, arith.ConstantOp) else None


def _fact(attribute: Attribute) -> Hashable:
    """Return an attribute without the addresses of tiles and scratch."""
    if not isinstance(attribute, ArrayAttr):
        return attribute
    return tuple(_fact_of(each) for each in cast("ArrayAttr[Attribute]", attribute))


def _fact_of(attribute: Attribute) -> Hashable:
    match attribute:
        case TileAttr():
            return attribute.shape, attribute.map, attribute.level, attribute.stages, attribute.fill
        case ScratchAttr():
            return attribute.buffer
        case _:
            return attribute
