"""Accesses of ops to memory, as ranges of addresses: which op was the last to write what another one reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from ....dialects.core.semantics import Value
from ....ir import Array


class AddressRange(NamedTuple):
    """Addresses from `low` to before `high`, in bytes."""

    low: int
    high: int


class WriteAccess(NamedTuple):
    """Write of an op."""

    op: Operation
    range: AddressRange


def accesses_of(op: Operation, values: Mapping[SSAValue, Value], written: Sequence[SSAValue]) -> list[WriteAccess]:
    """Return the writes of an op that has run: of a store its element, else all memory that it may write."""
    if not written:
        return []
    if (element := _element(op, values)) is not None:
        return [WriteAccess(op, element)]
    return [WriteAccess(op, _whole(array)) for value in written if (array := _memory(values, value)).size]


def read_ranges(op: Operation, values: Mapping[SSAValue, Value]) -> tuple[AddressRange, ...]:
    """Return the memory that an op may read: of a load its element."""
    if (element := _element(op, values)) is not None:
        return (element,)
    memory = [value for value in op.operands if isinstance(value.type, MemRefType)]
    return tuple(_whole(array) for value in memory if (array := _memory(values, value)).size)


def last_writer(accesses: Sequence[WriteAccess], ranges: Sequence[AddressRange]) -> Operation | None:
    """Return the op that was the last to write into one of some ranges, None if there is none."""
    for access in reversed(accesses):
        low, high = access.range
        if any(low < other.high and other.low < high for other in ranges):
            return access.op
    return None


def element_range(array: Array, index: Sequence[int]) -> AddressRange:
    """Return the addresses of an element."""
    low = _address(array) + sum(int(i) * stride for i, stride in zip(index, array.strides, strict=True))
    return AddressRange(low, low + array.itemsize)


def _element(op: Operation, values: Mapping[SSAValue, Value]) -> AddressRange | None:
    """Return the addresses of the element that a scalar load or store accesses; None for other ops."""
    match op:
        case memref.LoadOp() | memref.StoreOp():
            indices = [int(values[index]) for index in op.indices]
        case affine.LoadOp() | affine.StoreOp():
            operands = [int(values[index]) for index in op.indices]
            dims = op.map.data.num_dims
            indices = list(op.map.data.eval(operands[:dims], operands[dims:]))
        case _:
            return None
    array = _memory(values, op.memref)
    return element_range(array, indices) if array.ndim == len(indices) else None


def _memory(values: Mapping[SSAValue, Value], value: SSAValue) -> Array:
    """Return the array of memory in scope, an empty one where it is none."""
    array: Array | None = values.get(value)
    return np.empty(0) if array is None or type(array) is not np.ndarray else array


def _whole(array: Array) -> AddressRange:
    extents = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    low = _address(array) + sum(min(0, extent) for extent in extents)
    return AddressRange(low, _address(array) + sum(max(0, extent) for extent in extents) + array.itemsize)


def _address(array: Array) -> int:
    interface: Any = array.__array_interface__
    return int(interface["data"][0])
