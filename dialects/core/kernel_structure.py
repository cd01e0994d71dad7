"""Canonical keys of kernels, under which results for one are memoised for all structurally equal ones."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from .analysis.structural_key import structural_key

_SCALES = ("value", "shift")
"""The properties of scalar ops that hold a constant, and by how much to shift."""


def structure_of(
    ops: Sequence[Operation], marked: Collection[SSAValue] = (), attributes: Sequence[str] = ()
) -> Hashable:
    """
    Return the canonical key of a group of kernels: everything but the operands themselves.

    That is what each op is, its types, properties and scalar code, which operands are the same, which of them are among
    `marked`, and the discardable attributes of these names. Of constants and shifts in scalar code, such as those of
    a requantisation, it distinguishes only 0, 1 and -1, and so of scalar constants that are operands; of values
    defined outside, their op and type.
    """
    own, operands = set(ops), {value for op in ops for value in op.operands}

    def outside(value: SSAValue) -> Hashable:
        if value in operands:
            return value.type, value in marked, _constant(value)
        return value.type, value.owner.name if isinstance(value.owner, Operation) else ""

    def facts(op: Operation) -> Hashable:
        if op in own:
            return frozenset(op.properties.items()), tuple(op.attributes.get(name) for name in attributes)
        return frozenset((name, _fact(name, attribute)) for name, attribute in op.properties.items())

    return structural_key(ops, outside, facts)


def _constant(value: SSAValue) -> Hashable:
    """Return the number of an operand that is a scalar constant as far as keys distinguish numbers."""
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return _fact("value", number) if isinstance(number, IntegerAttr | FloatAttr) else None


def _fact(name: str, attribute: Attribute) -> Hashable:
    """Return an attribute of scalar code; of a number that differs from layer to layer no more than its type."""
    if name not in _SCALES or not isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute
    scale = cast("IntegerAttr[Any] | FloatAttr[Any]", attribute)
    return scale if scale.value.data in (0, 1, -1) else scale.type
