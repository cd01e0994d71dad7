"""
Memories, regions of their bytes, and buffers, as the proof of memory sees them.

Nothing is computed. A memref is a NumPy view of memory that is never touched, so that the interpreter's own rules for
views give its place; beside it lies an array that holds, for each byte, the number of the write that it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialects.core.layout_arrays import LayoutArray
from ...dialects.hier.tile_copies import is_partial
from ...ir import Array
from .origins import Index, Spot

Key: TypeAlias = "tuple[Any, ...]"
"""Identity of a buffer: memory, first byte and bytes; in an arena, also the op that made it."""

Place: TypeAlias = "tuple[Any, ...]"

NEVER, INITIAL = 0, 1
"""Numbers of the writes of bytes that nobody has written, and that the caller has."""


class Memory:
    """A piece of memory of its own: an argument, a global or an allocation."""

    def __init__(self, name: str, array: Array, *, initial: bool, constant: bool = False, level: str | None = None):
        self.name = name
        self.array = array
        self.size = array.nbytes
        self.initial = initial
        self.constant = constant
        self.level = level
        self.is_arena = False
        self.copies = 1
        """The copies of its level that it has parts in, all of the same size."""
        self.is_shared = False
        """Whether buffers lie in it that do not belong to it: tiles, scratch and resident buffers of a level."""
        self._last = self.unwritten
        """The number of the last write of every byte, as long as that is one."""
        self._writes: Array | None = None
        """That of each byte, once it differs: most buffers are only written as a whole, and need no table."""

    @property
    def unwritten(self) -> int:
        """The number for bytes that the program has not written."""
        return INITIAL if self.initial else NEVER

    @property
    def writes(self) -> Array:
        """The number of the last write, per byte."""
        if self._writes is None:
            self._writes = np.full(self.size, self._last, np.int32)
        return self._writes

    @property
    def last_write(self) -> int | None:
        """The number of the last write of every byte; None where they are known to be several."""
        return self._last if self._writes is None else None

    def fill(self, number: int) -> None:
        """Set the last write of every byte."""
        self._last = number
        if self._writes is not None:
            self._writes[...] = number


class Region:
    """A strided box of bytes of a memory, `array` its elements."""

    __slots__ = ("_flat", "_writes", "array", "blocks", "box", "high", "low", "memory")

    def __init__(self, memory: Memory, array: Array, box: tuple[Region, tuple[slice, ...]] | None = None):
        self.memory = memory
        self.blocks: LayoutArray | None = None
        """Where its elements are, of a buffer in blocks; `array` has the same bytes in row-major order."""
        self.array = array
        self.box = box
        # NumPy's views of no elements begin anywhere.
        here, start = (side.__array_interface__["data"][0] for side in (array, memory.array))
        self.low = here - start if array.size else 0
        reach = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True))
        self.high = self.low + (reach + array.itemsize if array.size else 0)
        self._writes: Array | None = None
        self._flat: Array | None = None

    @property
    def writes(self) -> Array:
        """The memory's writes of these bytes, as a view: by element, then by byte of it."""
        if self._writes is None:
            self._writes = self.within(self.memory.writes, 0)
        return self._writes

    @property
    def flat(self) -> Array:
        """The same writes in fewer, longer dimensions: runs of bytes without gaps are one."""
        if self._flat is None:
            table = self.memory.writes
            sizes, strides = _runs(self.array, table.itemsize)
            offset = self.low * table.itemsize
            self._flat = np.ndarray(sizes, table.dtype, table, offset, strides) if self.array.size else table[:0]
        return self._flat

    def within(self, table: Array, first: int) -> Array:
        """Return the entries for these bytes of a table of the memory's bytes from `first` on, as a view."""
        item, width = self.array.itemsize, table.itemsize
        shape, strides = [*self.array.shape, item], [*(s * width for s in self.array.strides), width]
        if not self.array.size:
            return np.empty(shape, table.dtype)
        return np.ndarray(shape, table.dtype, table, (self.low - first) * width, strides)

    @property
    def index(self) -> Index | None:
        """Element index of its begin in the enclosing buffer; None where it is no box of it."""
        outer = self.box[0].index if self.box is not None else None
        if self.box is None or outer is None:
            return None
        return tuple(at + piece.start for at, piece in zip(outer, self.box[1], strict=True))

    @property
    def home(self) -> Index | None:
        """The shape of the buffer that it is a box of, None where it is no box of it."""
        return self.box[0].home if self.box is not None else None

    def part(self, slices: tuple[slice, ...]) -> Region:
        """Return a box of it."""
        if self.blocks is not None and is_partial(slices, self.array.shape):
            return Region(self.memory, self.blocks.box(slices), (self, slices))
        return Region(self.memory, self.array[(*slices, ...)], (self, slices))

    @property
    def is_whole(self) -> bool:
        """Return whether it is all of its memory, without gaps."""
        return self.array.nbytes == self.memory.size and self.array.flags.c_contiguous

    @property
    def is_dense(self) -> bool:
        """Return whether it leaves no gaps."""
        return self.high - self.low == self.array.nbytes

    @property
    def place(self) -> Place:
        """Its key among all regions: memory, first byte, shape, strides and element size."""
        return self.memory, self.low, self.array.shape, self.array.strides, self.array.itemsize

    def same(self, other: Region) -> bool:
        """Return whether another region is the same elements in the same order."""
        return self.place == other.place

    def meets(self, other: Region) -> bool:
        """Return whether the regions share a byte."""
        if self.memory is not other.memory or self.low >= other.high or other.low >= self.high:
            return False
        if self.box is not None and other.box is not None and self.box[0] is other.box[0]:
            pairs = zip(self.box[1], other.box[1], strict=True)
            return all(a.start < b.stop and b.start < a.stop for a, b in pairs)
        return (self.is_dense and other.is_dense) or self.first_common(other) is not None

    def address(self, byte: int | None = None) -> str:
        """Return an address in its memory for messages, of its first byte or another one."""
        return f"address {self.low if byte is None else byte} of {self.memory.name}"

    def byte_of(self, element: Sequence[int]) -> int:
        """Return the address of a byte, its last index, of an element."""
        *index, byte = element
        return self.low + byte + sum(i * stride for i, stride in zip(index, self.array.strides, strict=True))

    def first_common(self, other: Region) -> int | None:
        """Return the first byte that two regions of a memory share, None if they are disjoint."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low >= high:
            return None
        first = min(self.low, other.low)
        marks = np.zeros(max(self.high, other.high) - first, np.uint8)
        self.within(marks, first)[...] = 1
        other.within(marks, first)[...] |= 2
        both = np.flatnonzero(marks == 3)
        return first + int(both[0]) if both.size else None


def _runs(array: Array, width: int) -> tuple[list[int], list[int]]:
    """Return sizes and strides of a table of an array's bytes, `width` bytes each, dimensions without gaps as one."""
    sizes, strides = [array.itemsize], [1]
    for size, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if size == 1:
            continue
        if stride == sizes[-1] * strides[-1]:
            sizes[-1] *= size
        else:
            sizes.append(size)
            strides.append(stride)
    return sizes[::-1], [stride * width for stride in reversed(strides)]


class Buffer(Region):
    """
    Denotation of a memref: a region, and the buffer that it is a part of.

    `spots` are where it begins in what it is a box of, itself first; `views` the rest of them. `is_form` says that it,
    or what it is a box of, is a view of the buffer in another form, such as a reshaped one. One with `by_data` is some
    part of the region, at indices that depend on data.
    """

    __slots__ = ("_home", "by_data", "key", "number", "spots")

    def __init__(
        self,
        memory: Memory,
        array: Array,
        key: Key,
        number: int,
        views: Sequence[Spot] = (),
        *,
        is_form: bool = False,
        by_data: bool = False,
    ):
        super().__init__(memory, array)
        self.key = key
        self.number = number
        self.by_data = by_data
        spots = (Spot((number, self.low), (0,) * array.ndim, array.shape), *views)
        self.spots = spots if not by_data else ()
        self._home = spots[-1].shape if not is_form and not by_data else None

    @property
    def index(self) -> Index | None:
        """Index of its begin in the enclosing buffer."""
        return self.spots[-1].start if self.spots and self._home is not None else None

    @property
    def home(self) -> Index | None:
        """The shape of the buffer that it is a box of."""
        return self._home
