"""Arrays of buffers in a layout: their elements lie in memory where the layout map of their type says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import MemRefType

from ...errors import Diagnostic
from ...ir import Array
from .layouts import layout_map, positions, view_strides
from .semantics import Value


@dataclass(frozen=True, eq=False)
class LayoutArray:
    """Array of elements of `memory`, a row of elements, by their numbers there; no strides lead to them."""

    memory: Array
    index: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.index.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the elements."""
        return self.memory.dtype

    @property
    def flags(self) -> Any:
        """The flags of the memory."""
        return self.memory.flags

    def __getitem__(self, key: Any) -> Array:
        """Return a copy of a part of the array."""
        return self.memory[self.index[key]]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a part of the array."""
        self.memory[self.index[key]] = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return a copy of the array."""
        return self.memory[self.index].astype(dtype or self.dtype, copy=False)

    def has_strides(self, slices: tuple[slice, ...]) -> bool:
        """Return whether the elements of a box lie at strides."""
        index = self.index[slices]
        return not index.size or _is_strided(index, _strides(index))

    def box(self, slices: tuple[slice, ...], strides: Sequence[int] | None = None) -> Array:
        """
        Return the view of a box that has these strides, in elements; by default those that it has.

        Raises Diagnostic where the box has others, or none.
        """
        index = self.index[slices]
        if not index.size:
            return np.zeros(index.shape, self.dtype)
        first, strides = int(index[(0,) * index.ndim]), _strides(index) if strides is None else strides
        if not _is_strided(index, strides):
            raise Diagnostic(
                "a view of a buffer in blocks spans several of them",
                expected=f"elements at strides {list(strides)}",
                found=f"elements {[f'{piece.start}:{piece.stop}' for piece in slices]} of the shape {list(self.shape)}",
                remedy="let tiles lie in one block: offsets at multiples of it, extents at most its own",
            )
        size = self.memory.itemsize
        return np.lib.stride_tricks.as_strided(self.memory[first:], index.shape, [stride * size for stride in strides])


def _strides(index: Array) -> list[int]:
    """Return the strides of the first elements of a box along each axis, from their positions."""
    first = int(index[(0,) * index.ndim])
    units = np.eye(index.ndim, dtype=np.int64)
    return [int(index[tuple(units[axis])]) - first if extent > 1 else 1 for axis, extent in enumerate(index.shape)]


def _is_strided(index: Array, strides: Sequence[int]) -> bool:
    """Return whether the positions of a box's elements are those of an array with strides."""
    steps = (step * stride for step, stride in zip(np.indices(index.shape), strides, strict=True))
    return np.array_equal(index, int(index[(0,) * index.ndim]) + sum(steps))


def laid_out(memory: Array, type: MemRefType[Any]) -> Array:
    """Return the array of a memref's type on a row of elements; a view in strides where its layout has them."""
    if layout_map(type) is None:
        return memory.reshape(type.get_shape())
    strides = view_strides(type, type.get_shape())
    array = LayoutArray(memory, positions(type))
    whole = tuple(slice(0, extent) for extent in type.get_shape())
    return cast(Array, array) if strides is None else array.box(whole, strides)


def box_of(array: Array, slices: tuple[slice, ...]) -> Array:
    """Return the view of a box of an array. Raises Diagnostic where it spans blocks of a layout."""
    return array.box(slices) if isinstance(array, LayoutArray) else array[slices]


def part_of(array: Array, slices: tuple[slice, ...]) -> Array:
    """Return the elements of a box of an array in place, of one in a layout those of all blocks that it spans."""
    if isinstance(array, LayoutArray):
        return cast(Array, LayoutArray(array.memory, array.index[slices]))
    return array[slices]


def strided(value: Value) -> Value:
    """Return a value for ops that need strides: of an array in a layout a copy."""
    return np.array(value) if isinstance(value, LayoutArray) else value
