"""Instances of Gemmini's generator, from the machine's description."""

from __future__ import annotations

from typing import NamedTuple

from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from .limits import SUM_BYTES

_ELEMENTS = {1: "i8", 2: "bf16", 4: "f32"}
"""Bytes of an element -> its type."""


class ArrayInstance(NamedTuple):
    """Parameters of an instance: `dim` x `dim` cells, rows of scratchpad and accumulators, bytes of elements."""

    dim: int
    banks: int
    bank_rows: int
    acc_rows: int
    size: int

    @property
    def element(self) -> str:
        """The type of elements."""
        return _ELEMENTS[self.size]


def dim_of(machine: Machine) -> int:
    """Return the columns of the array: the sums of 32 bits in a row of the accumulators."""
    return machine.level("ACC").row_bytes // SUM_BYTES


def instance_of(machine: Machine) -> ArrayInstance:
    """
    Return the instance that a machine is.

    Raises Diagnostic where it has no scratchpad or no accumulators, or where a row of the one is no row of the other.
    """
    spad, acc, dim = machine.level("SPAD"), machine.level("ACC"), dim_of(machine)
    widths = [size * dim for size in _ELEMENTS]
    if spad.row_bytes not in widths:
        raise Diagnostic(
            "the rows of scratchpad and accumulators are of arrays of different sizes",
            where=f"machine {machine.name}",
            expected=f"row_bytes of SPAD of {', '.join(map(str, widths))}, as those of ACC are {acc.row_bytes}",
            found=f"{spad.row_bytes} bytes",
            remedy="let rows of SPAD have as many elements as those of ACC have sums of 32 bits",
        )
    return ArrayInstance(dim, spad.banks, spad.rows // spad.banks, acc.rows, spad.row_bytes // dim)
