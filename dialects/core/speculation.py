"""Ops that are undefined for some operands: they may run only where the program runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ...ir import numbers_of
from .effects_upstream import DIVISIONS


def is_defined(op: Operation) -> bool:
    """
    Return whether an op is defined whatever its operands are, those that are constants excepted.

    Divisions need a constant divisor, accesses of tensors constant positions within bounds.
    """
    if op.name in DIVISIONS:
        divisor = _constant(op.operands[1])
        return divisor is not None and divisor not in ((0, -1) if DIVISIONS[op.name] else (0,))
    return op.name not in _ACCESSES or _ACCESSES[op.name](op)


def _constant(value: SSAValue) -> int | None:
    attribute = value.owner.properties.get("value") if isinstance(value.owner, Operation) else None
    is_constant = isinstance(value.owner, Operation) and value.owner.has_trait(ConstantLike)
    return attribute.value.data if is_constant and isinstance(attribute, IntegerAttr) else None


def _is_element(op: Operation) -> bool:
    source, indices = (
        (op.operands[0], op.operands[1:]) if op.name == "tensor.extract" else (op.operands[1], op.operands[2:])
    )
    positions = [_constant(index) for index in indices]
    shape = cast("TensorType[Any]", source.type).get_shape()
    return all(position is not None and 0 <= position < size for position, size in zip(positions, shape, strict=True))


def _is_slice(op: Operation) -> bool:
    from xdsl.dialects import tensor

    assert isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp)
    if [*op.offsets, *op.sizes, *op.strides]:
        return False
    whole = op.source if isinstance(op, tensor.ExtractSliceOp) else op.dest
    numbers = (numbers_of(array) for array in (op.static_offsets, op.static_sizes, op.static_strides))
    shape = cast("TensorType[Any]", whole.type).get_shape()
    return all(
        offset >= 0 and (size == 0 or offset + (size - 1) * stride < extent)
        for offset, size, stride, extent in zip(*numbers, shape, strict=True)
    )


def _is_static(op: Operation) -> bool:
    """Return whether a cast claims no size that its operand's type leaves open."""
    types = [value.type for value in (op.operands[0], op.results[0])]
    if not all(isinstance(type, TensorType) for type in types):
        return False
    pairs = zip(*(cast("TensorType[Any]", type).get_shape() for type in types), strict=True)
    return all(old != DYNAMIC_INDEX or new == DYNAMIC_INDEX for old, new in pairs)


_ACCESSES: dict[str, Callable[[Operation], bool]] = {
    "tensor.cast": _is_static,
    "tensor.extract": _is_element,
    "tensor.extract_slice": _is_slice,
    "tensor.insert": _is_element,
    "tensor.insert_slice": _is_slice,
}
"""Name of an op of a tensor -> whether it is in bounds, from its constants and types."""
