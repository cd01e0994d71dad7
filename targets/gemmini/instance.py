"""Instances of Gemmini's generator, from the machine's description."""

from __future__ import annotations

from typing import NamedTuple

from ...dialects.core.machine.model import Machine

_SUM_BYTES = 4
_ELEMENTS = {1: "i8", 2: "bf16", 4: "f32"}
"""Bytes of an element -> its type."""


class Instance(NamedTuple):
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
    return machine.level("ACC").row_bytes // _SUM_BYTES


def instance_of(machine: Machine) -> Instance:
    """Return the instance that a machine is. Raises Diagnostic where it has no scratchpad or no accumulators."""
    spad, acc, dim = machine.level("SPAD"), machine.level("ACC"), dim_of(machine)
    return Instance(dim, spad.banks, spad.rows // spad.banks, acc.rows, spad.row_bytes // dim)
