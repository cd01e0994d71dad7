"""
Layouts of memrefs: the physical shape and the byte order of a buffer whose type has an affine layout map.

    memref<16x64xi8, affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>, "SPAD">

is 4 column blocks of 16 rows of 16 bytes: its physical shape is 4x16x16, row-major in memory. A buffer without a map is
row-major, or strided as its type says.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from ...ir import Array, numpy_type

Buffer: TypeAlias = "MemRefType[Any]"


def layout_map(type: Attribute) -> AffineMap | None:
    """Return the affine layout map of a memref's type, None for a row-major or strided one."""
    layout = cast(Buffer, type).layout if isinstance(type, MemRefType) else None
    return layout.data if isinstance(layout, AffineMapAttr) else None


def physical_shape(type: Buffer) -> tuple[int, ...]:
    """Return the shape in memory: the range of the layout map, the shape of a type without one."""
    lead = layout_map(type)
    return type.get_shape() if lead is None else _physical(lead, type.get_shape())


def buffer_bytes(type: Buffer) -> int:
    """Return the bytes of a buffer with a static shape that is dense in memory."""
    return prod(physical_shape(type)) * numpy_type(type.get_element_type()).itemsize


def positions(type: Buffer) -> Array:
    """Return, by element, its row-major number in the physical shape; the array has the shape of the type."""
    lead = layout_map(type)
    if lead is None:
        return np.arange(prod(type.get_shape())).reshape(type.get_shape())
    return _positions(lead, type.get_shape())


@cache
def layout_fault(shape: tuple[int, ...], lead: AffineMap) -> str | None:
    """Return the fault of a layout map for a shape, None for a one-to-one map into non-negative indices."""
    if lead.num_symbols or lead.num_dims != len(shape):
        return f"a layout of {len(shape)} dimensions needs a map of as many, without symbols, got {lead}"
    places = _places(lead, shape)
    if prod(shape) and any(place.min() < 0 for place in places):
        return f"the layout {lead} leads to negative indices"
    if np.unique(_positions(lead, shape)).size != prod(shape):
        return f"the layout {lead} puts two elements of the shape {list(shape)} in one place"
    if prod(found := _physical(lead, shape)) != prod(shape):
        return f"the layout {lead} leaves gaps: the shape {list(shape)} is {list(found)} in memory, not whole blocks"
    return None


def view_strides(
    type: Buffer, extents: tuple[int, ...], offsets: tuple[int, ...] | None = None
) -> tuple[int, ...] | None:
    """
    Return the strides, in elements, of a box of a buffer at `offsets` (by default at its beginning).

    None where the box is not strided, such as one that spans several blocks. Axes of extent 1 have the stride at the
    buffer's beginning.
    """
    lead = layout_map(type)
    assert lead is not None
    return _view_strides(lead, type.get_shape(), extents, offsets or (0,) * len(extents))


@cache
def _view_strides(
    lead: AffineMap, shape: tuple[int, ...], extents: tuple[int, ...], offsets: tuple[int, ...]
) -> tuple[int, ...] | None:
    whole = _positions(lead, shape)
    box = whole[tuple(slice(at, at + extent) for at, extent in zip(offsets, extents, strict=True))]
    if box.shape != extents or not box.size:
        return None
    strides: list[int] = []
    for axis, extent in enumerate(extents):
        line = box if extent > 1 else whole
        first = (0,) * len(extents)
        following = tuple(int(other == axis) for other in range(len(extents)))
        strides.append(int(line[following] - line[first]) if line.shape[axis] > 1 else 1)
    steps = np.indices(extents, sparse=True)
    expected = box[(0,) * len(extents)] + sum(step * stride for step, stride in zip(steps, strides, strict=True))
    return tuple(strides) if np.array_equal(box, expected) else None


@cache
def _places(lead: AffineMap, shape: tuple[int, ...]) -> list[Array]:
    """Return the physical index of each element, by axis; arrays are broadcast along the dimensions that one lacks."""
    index: list[Any] = list(np.indices(shape, sparse=True))
    return [np.asarray(expr.eval(index, [])) for expr in lead.results]


@cache
def _physical(lead: AffineMap, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(place.max()) + 1 if prod(shape) else 0 for place in _places(lead, shape))


@cache
def _positions(lead: AffineMap, shape: tuple[int, ...]) -> Array:
    total: Array = np.zeros(shape, np.int64)
    for place, extent in zip(_places(lead, shape), _physical(lead, shape), strict=True):
        total = total * extent + place
    return total
