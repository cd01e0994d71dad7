"""
Timed memory effects of kernels and transfers: an op computes on the contents at its start.

Until an op ends, the contents of its outputs are undefined. If another op writes its operands meanwhile, its results
are undefined. Poison stands for undefined contents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.layout_arrays import LayoutArray
from ...errors import Diagnostic
from ...ir import Array, where

_INTEGER, _FLOAT = 0xA5, 0xFF
"""Bytes of poison: an unlikely integer, and NaN in every float format."""


def poison(array: Array) -> None:
    """Overwrite an array with the poison pattern."""
    _write(array, _poisoned(array))


def _bits(array: Array) -> Array:
    """Return the elements of an array as unsigned integers: a view, of an array in a layout a copy."""
    elements = array[...]
    return elements.view(f"u{elements.itemsize}")


def _memory(array: Array) -> Array:
    """Return the memory of an array, in a layout all of it."""
    return array.memory if isinstance(array, LayoutArray) else array


def _write(array: Array, bits: Array | int) -> None:
    """Overwrite the elements of an array by unsigned integers."""
    memory = _memory(array)
    memory.view(f"u{memory.itemsize}")[array.index if isinstance(array, LayoutArray) else ...] = bits


def _poisoned(array: Array) -> int:
    byte = _INTEGER if array.dtype.kind in "iub" else _FLOAT
    return int.from_bytes([byte] * array.dtype.itemsize, "little")


@dataclass
class TimedEffect:
    """
    Memory effect of an op from its start to its end.

    `compute` returns an array for each of `writes`, from the contents of memory at the call.
    """

    op: Operation
    reads: Sequence[Array]
    writes: Sequence[Array]
    compute: Callable[[], Sequence[Array]]

    def start(self) -> None:
        """Compute the results, and poison the outputs."""
        self._results = self.compute()
        for array in self.writes:
            poison(array)
        self._touched = [array for array in (*self.reads, *self.writes) if array.flags.writeable]
        self._left = [_bits(array).copy() for array in self._touched]

    def end(self) -> None:
        """Write the results; write poison instead after a data race on an operand or output."""
        pairs = zip(self._touched, self._left, strict=True)
        alone = all(np.array_equal(_bits(array), left) for array, left in pairs)
        for array, result in zip(self.writes, self._results, strict=True):
            _write(array, _bits(result) if alone else _poisoned(array))
        del self._results, self._touched, self._left


class EffectTimeline:
    """
    Effects ordered by time; ties are broken by program order.

    Ops are added in program order.
    """

    def __init__(self) -> None:
        self._moments: list[tuple[int, int, bool, TimedEffect]] = []
        self._added = 0
        self._now = 0

    def add(self, effect: TimedEffect, start: int, end: int) -> None:
        """Add the effects of an interval in cycles. Raises Diagnostic for a start in the past."""
        if start < self._now:
            raise Diagnostic(
                "an index is loaded in a parallel loop, before the effects of other iterations are scheduled",
                where=where(effect.op),
                expected="indices that are loaded before the loop",
            )
        self._added += 1
        heappush(self._moments, (start, self._added, False, effect))
        heappush(self._moments, (end, self._added, True, effect))

    def will_write(self, arrays: Sequence[Array]) -> bool:
        """Return whether an effect that has not ended may write memory of an array."""
        pending = [write for *_, effect in self._moments for write in effect.writes] if arrays else []
        return any(np.may_share_memory(_memory(array), _memory(write)) for write in pending for array in arrays)

    def advance(self, until: float) -> None:
        """Execute all effects up to and including a cycle. Raises Diagnostic for an error of an op."""
        while self._moments and self._moments[0][0] <= until:
            self._now, _, ends, effect = heappop(self._moments)
            try:
                effect.end() if ends else effect.start()
            except Diagnostic as error:
                error.where = error.where or where(effect.op)
                raise
