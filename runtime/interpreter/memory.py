"""Semantics of memref: a NumPy strided view of one buffer's bytes, so that views alias as in memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, MemRefType, StridedLayoutAttr
from xdsl.ir import Operation, SSAValue

from ...dialects.core.instruction.flat import origin_of
from ...dialects.core.layout_arrays import LayoutArray, laid_out
from ...dialects.core.layouts import physical_shape
from ...dialects.core.semantics import Runner, Value, semantics, storage
from ...errors import Diagnostic
from ...ir import Array, array_of, collapsed_shape, reassociated_axes, where
from .bits import dtype_of
from .tensors import extent, mixed, point, sized, window


def new_buffer(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Allocate a zeroed array as a view of a new byte buffer. Raises MemoryError if it is too large."""
    count = prod(shape) * dtype.itemsize
    if count > sys.maxsize:
        raise MemoryError(f"{count:,} bytes for the shape {list(shape)}")
    return np.zeros(count, np.uint8).view(dtype).reshape(shape)


@storage(memref.GlobalOp)
def _global(op: memref.GlobalOp) -> Array:
    if "initial_value" not in op.properties:
        raise Diagnostic("the global is declared only: its value is not in this module", where=where(op))
    type_ = cast("MemRefType[Any]", op.type)
    buffer = new_memref(type_)
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        buffer[...] = array_of(cast("DenseIntOrFPElementsAttr[Any]", op.initial_value))
    if op.constant is not None:
        buffer.flags.writeable = False
    return buffer


def at_byte(root: Array, start: int, shape: Sequence[int], strides: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """
    Return a strided view of a buffer at byte `start`; strides are in elements.

    Raises Diagnostic for a view out of bounds.
    """
    reaches = [(n - 1) * stride * dtype.itemsize for n, stride in zip(shape, strides, strict=True)]
    if 0 in shape:
        return np.empty(shape, dtype)
    first = start + sum(min(0, reach) for reach in reaches)
    end = start + sum(max(0, reach) for reach in reaches)
    if first < 0 or end + dtype.itemsize > root.size:
        raise Diagnostic(
            "a view is out of bounds of its buffer",
            expected=f"bytes 0 to {root.size - 1}",
            found=f"bytes {first} to {end + dtype.itemsize - 1}",
        )
    return np.ndarray(shape, dtype, root, start, [stride * dtype.itemsize for stride in strides])


def row_major(shape: Sequence[int]) -> list[int]:
    """Return the strides, in elements, of a contiguous array."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _type(value: SSAValue) -> MemRefType[Any]:
    return cast("MemRefType[Any]", value.type)


@semantics(memref.AllocOp, memref.AllocaOp)
def _alloc(runner: Runner, op: memref.AllocOp | memref.AllocaOp, operands: Sequence[Value]) -> list[Array]:
    type = _type(op.memref)
    buffer = new_buffer(sized(type.get_shape(), operands), dtype_of(type)) if operands else new_memref(type)
    return [runner.interleaving.undefine(buffer)]


def new_memref(type: MemRefType[Any]) -> Array:
    """Allocate the zeroed array of a memref's type, in its layout; row-major where strides or offset are dynamic."""
    strides, shape, dtype = type.get_strides(), type.get_shape(), dtype_of(type)
    if not isinstance(type.layout, StridedLayoutAttr) or strides is None or None in strides or 0 in shape:
        return laid_out(new_buffer([prod(physical_shape(type))], dtype), type)
    steps, offset = cast("Sequence[int]", strides), _static_offset(type)
    last = offset + sum(max(0, (n - 1) * step) for n, step in zip(shape, steps, strict=True))
    root, _ = origin_of(new_buffer([last + 1], dtype))
    return at_byte(root, offset * dtype.itemsize, shape, steps, dtype)


@semantics(memref.DeallocOp)
def _dealloc(runner: Runner, op: memref.DeallocOp, operands: Sequence[Value]) -> list[Array]:
    if operands[0].flags.writeable:
        runner.interleaving.undefine(operands[0])
    return []


@semantics(memref.GetGlobalOp)
def _get_global(runner: Runner, op: memref.GetGlobalOp, operands: Sequence[Value]) -> list[Array]:
    return [runner.storage(op.name_.string_value())]


@semantics(memref.StoreOp)
def _store(runner: Runner, op: memref.StoreOp, operands: Sequence[Value]) -> list[Array]:
    value, array, *indices = operands
    check_writable(op, array)
    array[point(op, array, indices)] = value
    return []


def check_writable(op: Operation, array: Array) -> None:
    """Raise Diagnostic for a constant array."""
    if not array.flags.writeable:
        raise Diagnostic(f"'{op.name}' writes to constant memory", where=where(op))


@semantics(memref.CopyOp)
def _copy(runner: Runner, op: memref.CopyOp, operands: Sequence[Value]) -> list[Array]:
    source, target = operands
    check_writable(op, target)
    if source.shape != target.shape:
        raise Diagnostic("a copy needs equal shapes", expected=str(target.shape), found=str(source.shape))
    runner.interleaving.undefine(target)
    target[...] = source
    return []


@semantics(memref.ViewOp)
def _view(runner: Runner, op: memref.ViewOp, operands: Sequence[Value]) -> list[Array]:
    source, shift, *dynamic = operands
    root, start = origin_of(source)
    shape = sized(_type(op.result).get_shape(), dynamic)
    inside = root[start : start + source.nbytes]
    return [at_byte(inside, int(shift), shape, row_major(shape), dtype_of(op.result.type))]


@semantics(memref.SubviewOp)
def _subview(runner: Runner, op: memref.SubviewOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    slices, sizes = window(op, source.shape, dynamic)
    strides = cast("Sequence[int]", _type(op.result).get_strides())
    part = source.box(slices, strides) if isinstance(source, LayoutArray) else source[slices]
    dropped = _dropped_axes(sizes, _type(op.result).get_shape(), op)
    # The ellipsis leaves a view where all axes are dropped.
    return [part[(*(0 if axis in dropped else slice(None) for axis in range(len(sizes))), ...)]]


def _dropped_axes(sizes: Sequence[int], shape: Sequence[int], op: Operation) -> set[int]:
    """Return the axes of extent 1 that a rank-reducing subview drops."""
    dropped: set[int] = set()
    kept = list(shape)
    for axis, size in enumerate(sizes):
        if kept and kept[0] in (size, DYNAMIC_INDEX):
            kept.pop(0)
        elif size == 1:
            dropped.add(axis)
        else:
            raise Diagnostic(f"sizes {list(sizes)} do not reduce to the shape {list(shape)}", where=where(op))
    return dropped


@semantics(memref.ReinterpretCastOp)
def _reinterpret_cast(runner: Runner, op: memref.ReinterpretCastOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    first, second = len(op.offsets), len(op.offsets) + len(op.sizes)
    offset = mixed(op.static_offsets, dynamic[:first])[0]
    sizes = mixed(op.static_sizes, dynamic[first:second])
    strides = mixed(op.static_strides, dynamic[second:])
    root, start = origin_of(source)
    base = start - _static_offset(_type(op.source)) * source.itemsize
    return [at_byte(root, base + offset * source.itemsize, sizes, strides, source.dtype)]


def _static_offset(type_: MemRefType[Any]) -> int:
    offset = getattr(type_.layout, "offset", None)
    data = getattr(offset, "data", 0)
    return data if isinstance(data, int) else 0


@semantics(memref.ExtractStridedMetaDataOp)
def _metadata(runner: Runner, op: memref.ExtractStridedMetaDataOp, operands: Sequence[Value]) -> list[Any]:
    (source,) = operands
    root, start = origin_of(source)
    offset = _type(op.source).get_offset()
    offset = start // source.itemsize if offset is None else offset
    base = at_byte(root, start - offset * source.itemsize, (), (), source.dtype)
    strides = [stride // source.itemsize for stride in source.strides]
    return [base, *(np.int64(number) for number in (offset, *source.shape, *strides))]


@semantics(memref.ExpandShapeOp)
def _expand_shape(runner: Runner, op: memref.ExpandShapeOp, operands: Sequence[Value]) -> list[Array]:
    source, *dynamic = operands
    return [_reshaped(op, source, mixed(op.static_output_shape, dynamic))]


@semantics(memref.CollapseShapeOp)
def _collapse_shape(runner: Runner, op: memref.CollapseShapeOp, operands: Sequence[Value]) -> list[Array]:
    return [_reshaped(op, operands[0], collapsed_shape(operands[0].shape, reassociated_axes(op.reassociation)))]


def _reshaped(op: Operation, array: Array, shape: Sequence[int]) -> Array:
    """Return a view in another shape. Raises Diagnostic if the strides do not permit it."""
    try:
        return array.reshape(tuple(shape), copy=False)
    except ValueError as error:
        raise Diagnostic(
            f"'{op.name}' would need a copy of its strided source",
            where=where(op),
            found=f"shape {list(array.shape)}, strides of {list(array.strides)} bytes, to {list(shape)}",
        ) from error


@semantics(memref.CastOp, memref.MemorySpaceCastOp, memref.AssumeAlignmentOp)
def _same(runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Array]:
    return list(operands)[: len(op.results)]


@semantics(memref.DimOp)
def _dim(runner: Runner, op: memref.DimOp, operands: Sequence[Value]) -> list[Array]:
    return [extent(op, operands[0], operands[1])]


@semantics(memref.RankOp)
def _rank(runner: Runner, op: memref.RankOp, operands: Sequence[Value]) -> list[Any]:
    return [np.int64(operands[0].ndim)]


@semantics(memref.AllocaScopeOp)
def _alloca_scope(runner: Runner, op: memref.AllocaScopeOp, operands: Sequence[Value]) -> Sequence[Value]:
    return runner.run_region(op.scope, ())
