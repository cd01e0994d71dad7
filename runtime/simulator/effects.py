"""
Timed memory effects of kernels and transfers: an op computes on the contents at its start.

Until an op ends, the contents of its outputs are undefined. If another op writes its operands meanwhile, its results
are undefined. Poison stands for undefined contents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.layout_arrays import LayoutArray
from ...errors import Diagnostic
from ...ir import Array, where
from ...passes.timing.timeline import Program, wait_until

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


@dataclass(eq=False)
class TimedEffect:
    """
    Memory effect of an op from its start to its end.

    `compute` returns an array for each of `writes`, from the contents of memory at the call.
    """

    op: Operation
    reads: Sequence[Array]
    writes: Sequence[Array]
    compute: Callable[[], Sequence[Array]]

    def program(self, start: int, end: int, in_flight: set[TimedEffect]) -> Program:
        """
        Compute the results at the start, and poison the outputs; write the results at the end.

        After a data race on an operand or output it writes poison instead. The effect is in `in_flight` to its end.
        Raises Diagnostic for an error of the op.
        """
        in_flight.add(self)
        yield wait_until(start)
        try:
            results = self.compute()
        except Diagnostic as error:
            error.where = error.where or where(self.op)
            raise
        for array in self.writes:
            poison(array)
        touched = [array for array in (*self.reads, *self.writes) if array.flags.writeable]
        left = [_bits(array).copy() for array in touched]
        yield wait_until(end)
        alone = all(np.array_equal(_bits(array), bits) for array, bits in zip(touched, left, strict=True))
        for array, result in zip(self.writes, results, strict=True):
            _write(array, _bits(result) if alone else _poisoned(array))
        in_flight.remove(self)
        return end

    def may_write(self, arrays: Sequence[Array]) -> bool:
        """Return whether the effect may write memory of an array."""
        return any(np.may_share_memory(_memory(array), _memory(write)) for write in self.writes for array in arrays)
