"""
Layouts of memrefs: the physical shape and the byte order of a buffer whose type has an affine layout map.

    memref<16x64xi8, affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>, "SPAD">

is 4 column blocks of 16 rows of 16 bytes: its physical shape is 4x16x16, row-major in memory. A buffer without a map is
row-major, or strided as its type says.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    if prod(physical := _physical(lead, shape)) != prod(shape):
        return f"the layout {lead} leaves gaps: the shape {list(shape)} is {list(physical)} in memory, not whole blocks"
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
    if not prod(extents) or any(at + extent > size for at, extent, size in zip(offsets, extents, shape, strict=True)):
        return None
    strides: list[int] = []
    for axis, extent in enumerate(extents):
        first = list(offsets if extent > 1 else [0] * len(offsets))
        second = [at + (other == axis) for other, at in enumerate(first)]
        strides.append(_position(lead, shape, second) - _position(lead, shape, first) if shape[axis] > 1 else 1)
    steps = np.indices(extents, sparse=True)
    begin = _position(lead, shape, offsets)
    for axis, (step, stride) in enumerate(zip(steps, strides, strict=True)):
        line = [at + step if other == axis else at for other, at in enumerate(offsets)]
        if (_position(lead, shape, line) != begin + step * stride).any():
            return None
    if all(len(expr.used_dims()) < 2 for expr in lead.results):
        return tuple(strides)  # A position is a sum over the axes then, and linear if it is along each.
    box = _position(lead, shape, [at + step for at, step in zip(offsets, steps, strict=True)])
    expected = begin + sum(step * stride for step, stride in zip(steps, strides, strict=True))
    return tuple(strides) if (box == expected).all() else None


def _position(lead: AffineMap, shape: tuple[int, ...], index: Sequence[Any]) -> Any:
    """Return the row-major number in the physical shape of an element; indices may be arrays, which are broadcast."""
    total = 0
    for expr, extent in zip(lead.results, _physical(lead, shape), strict=True):
        total = total * extent + expr.eval(index, [])
    return total


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
    return _position(lead, shape, np.indices(shape, sparse=True)) + np.zeros(shape, np.int64)
