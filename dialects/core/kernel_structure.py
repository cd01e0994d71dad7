"""Canonical keys of kernels, under which results for one are memoised for all structurally equal ones."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

_SCALES = ("value", "shift")
"""The properties of scalar ops that hold a constant, and by how much to shift."""


def structure_of(
    ops: Sequence[Operation], marked: Collection[SSAValue] = (), attributes: Sequence[str] = ()
) -> Hashable:
    """
    Return the canonical key of a group of kernels: everything but the operands themselves.

    That is what each op is, its types, properties and scalar code, which operands are the same, which of them are among
    `marked`, and the discardable attributes of these names. Of constants and shifts in scalar code, such as those of
    a requantisation, it tells apart only 0, 1 and -1; of what is made outside, by which op and the type.
    """
    numbers: dict[SSAValue, int] = {}
    return tuple(
        (
            op.name,
            tuple((numbers.setdefault(value, len(numbers)), value.type, value in marked) for value in op.operands),
            frozenset(op.properties.items()),
            tuple(op.attributes.get(name) for name in attributes),
            tuple(_code(region, numbers) for region in op.regions),
        )
        for op in ops
    )


def _code(region: Region, numbers: dict[SSAValue, int]) -> Hashable:
    """Return the ops of a region, with a number for each value."""
    found: list[Hashable] = []
    for block in region.blocks:
        for argument in block.args:
            numbers[argument] = len(numbers)
        found.append(tuple(argument.type for argument in block.args))
        for op in block.ops:
            operands = tuple(_operand(value, numbers) for value in op.operands)
            for result in op.results:
                numbers[result] = len(numbers)
            types = tuple(result.type for result in op.results)
            inner = tuple(_code(each, numbers) for each in op.regions)
            facts = frozenset((name, _fact(name, each)) for name, each in op.properties.items())
            found.append((op.name, operands, types, facts, inner))
    return tuple(found)


def _fact(name: str, attribute: Attribute) -> Hashable:
    """Return an attribute of scalar code; of a number that differs from layer to layer no more than its type."""
    if name not in _SCALES or not isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute
    scale = cast("IntegerAttr[Any] | FloatAttr[Any]", attribute)
    return scale if scale.value.data in (0, 1, -1) else scale.type


def _operand(value: SSAValue, numbers: dict[SSAValue, int]) -> Hashable:
    """Return the number of a value, with its type and what defines it where that is outside of the kernel."""
    if value in numbers:
        return numbers[value]
    numbers[value] = len(numbers)
    owner = value.owner
    return numbers[value], value.type, owner.name if isinstance(owner, Operation) else ""
