"""Views of buffers with static shapes: types and memref ops."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.core.layouts import buffer_bytes, layout_map, physical_shape
from ...dialects.hier import ViewOp
from ...ir import element_of, numpy_type, shape_of

BufferType: TypeAlias = "MemRefType[Any]"

MEMORY_VIEWS = (memref.ViewOp, ViewOp)
"""Ops whose result is a buffer from a byte of a memory on."""

VIEWS = (
    *MEMORY_VIEWS,
    memref.SubviewOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
)
"""Ops whose result is a view of their first operand's buffer."""


def buffer_type(shape: Sequence[int], element: Attribute, layout: AffineMapAttr | None = None) -> BufferType:
    """Return the type of a dense buffer, row-major without a layout."""
    return MemRefType(cast(Any, element), shape, NoneAttr() if layout is None else layout)


def row_major(shape: Sequence[int]) -> list[int]:
    """Return the row-major strides of a shape, in elements."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def layout_of(value: SSAValue) -> tuple[list[int], int]:
    """Return the strides and the offset of a buffer, in elements."""
    type = cast(BufferType, value.type)
    if isinstance(type.layout, NoneAttr):
        return row_major(type.get_shape()), 0
    strides, offset = type.get_strides(), type.get_strides() and cast(StridedLayoutAttr, type.layout).get_offset()
    assert strides is not None
    return [cast(int, stride) for stride in strides], cast(int, offset)


def is_dense(value: SSAValue) -> bool:
    """Return whether a buffer's type has the identity layout."""
    return isinstance(cast(BufferType, value.type).layout, NoneAttr)


def move(value: SSAValue, level: StringAttr) -> list[SSAValue]:
    """Set the memory level of a buffer and of its views; return the new values."""
    type = cast(BufferType, value.type)
    there = MemRefType(type.element_type, type.get_shape(), type.layout, level)
    moved: list[SSAValue] = [Rewriter.replace_value_with_new_type(value, there)]
    for use in list(moved[0].uses):
        if isinstance(use.operation, VIEWS) and use.index == 0:
            moved += move(use.operation.results[0], level)
    return moved


def bytes_of(type: Attribute) -> int:
    """Return the bytes of a dense buffer with a static shape, in its layout."""
    return buffer_bytes(cast(BufferType, type))


def short_row(type: Attribute, row_bytes: int) -> int:
    """
    Return the contiguous bytes of a block's rows if they are no multiple of a level's, else 0.

    Only a layout in blocks says where rows begin; a row-major buffer is bytes from its address on.
    """
    shaped = cast(BufferType, type)
    if layout_map(type) is None:
        return 0
    row = physical_shape(shaped)[-1:]
    size = prod(row) * numpy_type(shaped.get_element_type()).itemsize
    return size if size % row_bytes else 0


def view_of(memory: SSAValue, start: SSAValue, type: BufferType) -> memref.ViewOp | ViewOp:
    """Build the view of a memory from byte `start` on as a buffer, in its layout."""
    return memref.ViewOp(memory, start, [], type) if layout_map(type) is None else ViewOp(memory, start, type)


def subview(source: SSAValue, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> Operation:
    """Build the subview of a buffer at static offsets, sizes and strides."""
    old_strides, old_offset = layout_of(source)
    offset = old_offset + sum(o * s for o, s in zip(offsets, old_strides, strict=True))
    layout = StridedLayoutAttr([a * b for a, b in zip(old_strides, strides, strict=True)], offset)
    return memref.SubviewOp.build(
        operands=[source, [], [], []],
        result_types=[MemRefType(cast(Any, element_of(source)), sizes, layout)],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, offsets),
            "static_sizes": DenseArrayBase.from_list(i64, sizes),
            "static_strides": DenseArrayBase.from_list(i64, strides),
        },
    )


def reshape(source: SSAValue, shape: Sequence[int], groups: ArrayAttr[ArrayAttr[IntegerAttr]]) -> Operation:
    """Build the reshape of a dense buffer, with the reassociation `groups`."""
    result = buffer_type(shape, element_of(source))
    if len(shape) < len(shape_of(source)):
        return memref.CollapseShapeOp.build(
            operands=[source], result_types=[result], properties={"reassociation": groups}
        )
    return memref.ExpandShapeOp.build(
        operands=[source, []],
        result_types=[result],
        properties={"reassociation": groups, "static_output_shape": DenseArrayBase.from_list(i64, shape)},
    )
