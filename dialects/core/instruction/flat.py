"""Buffers as an instruction's semantics sees them: flat, from one element on, with checked bounds as of a C pointer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ....errors import Diagnostic
from ....ir import Array

_T = TypeVar("_T", bound=np.generic)


class AccessError(Diagnostic):
    """Error for an access that leaves its buffer or its region, or that writes an element twice."""


class _View(NamedTuple):
    """Counts and steps of the axes of a view, the elements from its first to the end, and its strides in bytes."""

    counts: tuple[int, ...]
    steps: tuple[int, ...]
    first: int
    end: int
    strides: tuple[int, ...]
    repeated: tuple[int, int] | None
    """A step that repeats elements, and the reach of the smaller steps; None for distinct elements."""


@lru_cache(maxsize=4096)
def _placed(axes: tuple[tuple[int, int], ...], itemsize: int) -> _View:
    """Return the view along axes of (count, step in elements)."""
    counts = tuple(max(int(count), 0) for count, _ in axes)
    steps = tuple(int(step) for _, step in axes)
    reaches = [(count - 1) * step for count, step in zip(counts, steps, strict=True)]
    first = sum(min(0, reach) for reach in reaches)
    last = sum(max(0, reach) for reach in reaches)
    strides = tuple(step * itemsize for step in steps)
    return _View(counts, steps, first, last + 1, strides, _repeated(counts, steps))


def _repeated(counts: Sequence[int], steps: Sequence[int]) -> tuple[int, int] | None:
    """Return the smallest step with which elements may repeat, and the reach of smaller ones; None for no such step."""
    reach = 0
    for step, count in sorted((abs(step), count) for count, step in zip(counts, steps, strict=True) if count > 1):
        if step <= reach:
            return step, reach
        reach += (count - 1) * step
    return None


class Flat(np.ndarray[tuple[int], np.dtype[_T]]):
    """
    Elements of a buffer from the one on that a pointer points to.

    Elements are read and written by `flat[i]`, `flat[:n]` and `flat.along(...)`. An access beyond the end, which NumPy
    would cut off, raises Diagnostic; so does a slice without an end, since a pointer knows none.
    """

    inside: NDArray[np.bool_] | None = None
    """Whether each element is in the region that an instruction's record declares; None for all."""
    reached: list[int] | None = None
    """The number of elements up to the last one accessed, where a caller asks for it."""

    def __array_finalize__(self, obj: Any) -> None:
        self.reached = getattr(obj, "reached", None)

    def __getitem__(self, key: Any) -> Any:
        self._access(key)
        return self.view(np.ndarray)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._access(key)
        self.view(np.ndarray)[key] = value

    def along(self, *axes: tuple[int, int]) -> NDArray[_T]:
        """
        Return a view along axes of (count, step in elements): `view[i, j] = self[i * step0 + j * step1]`.

        Raises Diagnostic where it is out of bounds of the buffer, and where an element that is written is there twice.
        """
        place = _placed(axes, self.itemsize)
        if 0 in place.counts:
            return cast(Any, np.zeros(place.counts, self.dtype))
        self._reach(place.first, place.end)
        if self.inside is not None:
            _check_inside(np.lib.stride_tricks.as_strided(self.inside, place.counts, place.steps))
        if self.flags.writeable:
            _check_distinct(place)
        return cast(Any, np.ndarray(place.counts, self.dtype, self.view(np.ndarray), 0, place.strides))

    def _access(self, key: Any) -> None:
        """Check the bounds of an index or slice."""
        if isinstance(key, slice):
            part = cast("slice[Any, Any, Any]", key)
            if part.stop is None or part.step is not None:
                raise Diagnostic("a slice of a buffer has no end, or a step", expected="flat[first:end]")
            first, end = int(part.start or 0), int(part.stop)
            if first < 0 or end < 0:
                raise AccessError("a slice of a buffer begins or ends before it", found=f"[{first}:{end}]")
            self._reach(first, end if end > first else 0)
            if self.inside is not None:
                _check_inside(self.inside[first:end])
            return
        indices = np.asarray(key)
        if indices.dtype.kind not in "iu":
            raise Diagnostic("a buffer is indexed by neither integers nor a slice", found=str(key))
        if indices.size:
            self._reach(int(indices.min()), int(indices.max()) + 1)
            if self.inside is not None:
                _check_inside(self.inside[indices])

    def _reach(self, first: int, end: int) -> None:
        if self.inside is not None and (first < 0 or end > self.size):
            _check_inside(np.zeros(1, np.bool_))
        if first < 0 or end > self.size:
            raise AccessError(
                "an instruction is out of bounds of its buffer",
                expected=f"elements 0 to {self.size - 1} from the given one on",
                found=f"element {first if first < 0 else end - 1}",
            )
        if self.reached is not None:
            self.reached[0] = max(self.reached[0], end)


def _check_inside(accessed: NDArray[np.bool_]) -> None:
    """Raise Diagnostic where accessed elements are outside of the region that the instruction's record declares."""
    if not accessed.all():
        raise AccessError(
            "an instruction accesses elements outside of the region that its record declares",
            expected="the elements of its region",
            found=f"{accessed.size - np.count_nonzero(accessed)} others, or more",
        )


def _check_distinct(view: _View) -> None:
    """Raise Diagnostic where elements of a view along axes may be the same: the order of writes would matter."""
    if view.repeated is not None:
        step, reach = view.repeated
        raise AccessError("an instruction writes an element twice", expected=f"a step above {reach}", found=str(step))


def origin_of(array: Array) -> tuple[Array, int]:
    """Return the buffer of bytes that an array is a view of, and the byte at which the array starts in it."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return root.view(np.ndarray).reshape(-1).view(np.uint8), address(array) - address(root)


def address(array: Array) -> int:
    """Return the address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def flat_from(array: Array, indices: Sequence[int]) -> Flat[Any]:
    """
    Return the memory of an array from an element on, to its last element.

    Raises Diagnostic if there is no such element.
    """
    if any(not 0 <= index < extent for index, extent in zip(indices, array.shape, strict=False)):
        raise Diagnostic(f"element {tuple(indices)} lies outside of the buffer of shape {array.shape}")
    if array.flags.c_contiguous:
        first = 0
        for index, extent in zip(indices, array.shape, strict=False):
            first = first * extent + index
        return cast(Any, array.reshape(-1)[first:].view(Flat))
    root, start = origin_of(array)
    size = array.itemsize
    end = start + sum((extent - 1) * step for extent, step in zip(array.shape, array.strides, strict=True)) + size
    first = start + sum(index * step for index, step in zip(indices, array.strides, strict=False))
    return cast(Any, root[first:end].view(array.dtype).view(Flat))
