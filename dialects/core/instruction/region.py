"""Regions of buffers that instructions access, and the check that their semantics stays inside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ....errors import Diagnostic
from ....ir import Array
from .configuration import NotConfigured
from .flat import AccessError, Flat
from .record import Axes, Record


class Region:
    """Region of a buffer: `flat` are its elements and those between them."""

    def __init__(self, flat: Flat[Any], counts: Sequence[int], steps: Sequence[int]):
        self.flat, self._counts, self._steps = flat, tuple(counts), tuple(steps)
        self.flat.inside = np.zeros(flat.size, np.bool_)
        np.lib.stride_tricks.as_strided(self.flat.inside, self._counts, self._steps)[...] = True

    @staticmethod
    def of(flat: Flat[Any], counts: Sequence[int], steps: Sequence[int]) -> Region:
        """Return the elements of a buffer along axes, from its first one on. Raises Diagnostic where it has fewer."""
        return Region(flat[: _reach(counts, steps)].view(Flat), counts, steps)

    @staticmethod
    def blank(counts: Sequence[int], steps: Sequence[int], fill: int, type: np.dtype[Any]) -> Region:
        """Return a region in memory of its own that holds one number."""
        return Region(cast(Any, np.full(_reach(counts, steps), fill, type).view(Flat)), counts, steps)

    @property
    def array(self) -> Array:
        """The elements of the region, a view."""
        strides = [step * self.flat.itemsize for step in self._steps]
        return np.lib.stride_tricks.as_strided(self.flat.view(np.ndarray), self._counts, strides)

    def copy(self) -> Region:
        """Return a region of the same contents in memory of its own."""
        return Region(cast(Any, np.array(self.flat).view(Flat)), self._counts, self._steps)


def _reach(counts: Sequence[int], steps: Sequence[int]) -> int:
    """Return the number of elements up to the last one along axes."""
    return 0 if 0 in counts else 1 + sum((count - 1) * step for count, step in zip(counts, steps, strict=True))


def blank() -> Flat[Any]:
    """Return a buffer without elements."""
    return cast(Any, np.empty(0).view(Flat))


def check_semantics(
    record: Record,
    axes: Mapping[str, Axes],
    types: Mapping[str, np.dtype[Any]],
    numbers: Mapping[str, Any],
    states: Mapping[str, Any],
    *,
    is_complete: bool,
) -> None:
    """
    Run the semantics on blank regions, given their axes and element types, numbers of parameters, and states.

    Raises Diagnostic where it leaves them, or leaves elements of a region that it writes as they were. Unless the
    states are complete, nothing but that is an error.
    """
    arguments = {name: number for name, number in numbers.items() if name in record.numbers}
    record.check({name: number for name, number in arguments.items() if type(number) is int})
    left: list[list[Array]] = []
    for fill in (0, 1):
        regions = {
            name: Region.blank(
                counts, cast("Sequence[int]", steps), 0 if record.buffers[name].reads else fill, types[name]
            )
            for name, (counts, steps) in axes.items()
        }
        flat = {name: regions[name].flat if name in regions else blank() for name in record.buffers}
        try:
            record.run(flat, arguments, states)
        except (AccessError, NotConfigured):
            raise
        except Diagnostic:
            if is_complete:
                raise
            return
        left.append([np.array(regions[name].array) for name in axes if record.buffers[name].writes])
    if any(not np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(*left, strict=True)):
        raise AccessError(
            "an instruction leaves elements of its region unwritten",
            expected="the elements of each region that it writes",
            remedy="declare a smaller region, or the buffer as InOut",
        )
