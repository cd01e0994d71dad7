"""
Timed memory effects of kernels and transfers: an op computes on the contents at its start.

An op reads its operands when it starts. Until it ends nobody can know what the buffers hold that it writes, and what it
makes of operands that somebody else changes meanwhile; poison stands for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from xdsl.ir import Operation

from ...errors import Diagnostic
from ...ir import Array, where

_INTEGER, _FLOAT = 0xA5, 0xFF
"""Every byte of poison: a number in the middle of nowhere, and bits that are not a number in any format."""


def poison(array: Array) -> None:
    """Overwrite an array with what nobody could have meant to be there: always the same."""
    _bits(array)[...] = _poisoned(array)


def _bits(array: Array) -> Array:
    """Return the elements of an array as unsigned integers, to compare and to overwrite whatever they are."""
    return array.view(f"u{array.itemsize}")


def _poisoned(array: Array) -> int:
    byte = _INTEGER if array.dtype.kind in "iub" else _FLOAT
    return int.from_bytes([byte] * array.itemsize, "little")


@dataclass
class Effect:
    """
    Memory effects of an op from its start to its end.

    `compute` returns an array for each of `writes`, made of what memory holds when it is called.
    """

    op: Operation
    reads: Sequence[Array]
    writes: Sequence[Array]
    compute: Callable[[], Sequence[Array]]

    def start(self) -> None:
        """Compute, and poison what is written."""
        self._results = self.compute()
        for array in self.writes:
            poison(array)
        self._touched = [array for array in (*self.reads, *self.writes) if array.flags.writeable]
        self._left = [_bits(array).copy() for array in self._touched]

    def end(self) -> None:
        """Write what was computed; poison where another op has written meanwhile what this one reads or writes."""
        pairs = zip(self._touched, self._left, strict=True)
        alone = all(np.array_equal(_bits(array), left) for array, left in pairs)
        for array, result in zip(self.writes, self._results, strict=True):
            _bits(array)[...] = _bits(result) if alone else _poisoned(array)
        del self._results, self._touched, self._left


class Timeline:
    """
    Effects in the order of time; of two things at once, the one whose op comes first in the program is first.

    Ops are added in the order of the program.
    """

    def __init__(self) -> None:
        self._moments: list[tuple[int, int, bool, Effect]] = []
        self._added = 0
        self._now = 0

    def add(self, effect: Effect, start: int, end: int) -> None:
        """Add the effects of an interval in cycles. Raises Diagnostic if its start has passed already."""
        if start < self._now:
            raise Diagnostic(
                "an index is loaded in a parallel loop, before what another iteration does is known",
                where=where(effect.op),
                expected="indices that are loaded before the loop",
            )
        self._added += 1
        heappush(self._moments, (start, self._added, False, effect))
        heappush(self._moments, (end, self._added, True, effect))

    def advance(self, until: float) -> None:
        """Let everything happen up to and with a cycle. Raises Diagnostic for what goes wrong in an op."""
        while self._moments and self._moments[0][0] <= until:
            self._now, _, ends, effect = heappop(self._moments)
            try:
                effect.end() if ends else effect.start()
            except Diagnostic as error:
                error.where = error.where or where(effect.op)
                raise
