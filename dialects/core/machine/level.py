"""Memory levels of a machine. Sizes are bytes, times cycles of the machine's clock."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Annotated, Literal, get_args

from .keys import FollowsKey, PartName
from .values import (
    Bytes,
    Count,
    Cycles,
    IntegerForm,
    NameForm,
    NumberForm,
    TextForm,
)

Role = Literal["ins", "weights", "outs", "accumulators", "scratch"]
"""Role of an operand. A role that an engine does not mention lives where the one in `SAME_AS` does."""
ROLES: tuple[Role, ...] = get_args(Role)
SAME_AS = {"weights": "ins", "outs": "ins", "accumulators": "outs", "scratch": "outs"}

LARGEST_ELEMENT = 8
"""Bytes of the largest element type."""

_ELEMENT = TextForm(r"(ui|si|i)[1-9]\d*|f16|bf16|f32|f64|index", "an element type such as i32", "element type")
_TIMING = NameForm(kind="a timing")


@dataclass(frozen=True)
class Dram:
    """Rows of a DRAM in banks: transfers open rows (docs/machines.md#rows-of-dram)."""

    row: Annotated[int, IntegerForm(1, unit="bytes")]
    """Bytes of a row."""
    activate: Cycles
    """Cycles to activate a row."""
    precharge: Cycles
    """Cycles to precharge the bank of an open row."""
    cas: Cycles
    """Cycles from a read to its first data."""
    banks: Count = 1
    """Banks, in which the rows lie by turns; each has one row open."""


@dataclass(frozen=True)
class Level:
    """Memory level: a memory that programs address, or that transfers alone reach."""

    name: PartName
    size: Bytes
    """Size of an instance: bytes, or a text with B, KiB, MiB, GiB, kB, MB or GB."""
    alignment: Annotated[int, IntegerForm(1, unit="bytes"), FollowsKey("row_bytes")] = 4
    """
    Alignment of every buffer: a power of two, or a multiple of a row. Stages, tiles and arenas lie at multiples of it;
    constants and memories have it in C, which has powers of two only.
    """
    row_bytes: Annotated[int, IntegerForm(1, unit="bytes")] = 0
    """
    Bytes of a row of a memory that is addressed by rows: all addresses are multiples of a row, and the innermost axis
    of a buffer in blocks fills whole rows (`verify-levels`); a row-major buffer is bytes from its address on.
    """
    element: Annotated[str, _ELEMENT] = ""
    """
    The only type that the level stores, as `i32` of a memory of accumulators; any without it. Kernels leave their
    partial sums there, at that width; their epilogues are kernels of an engine that names the level among its `ins`, or
    bodies of transfers out of it, as far as the links' `transforms` go.
    """
    banks: Count = 1
    """Banks of the memory."""
    bank_width: Annotated[int, IntegerForm(0, unit="bytes per cycle")] = 0
    """Bytes that a bank delivers in a cycle; 0 sets no limit."""
    single_port: bool = False
    """
    Whether a bank serves one access of a row in a cycle, writes before reads. It needs `row_bytes`; each bank is then a
    contiguous part of the level (docs/machines.md#banks-with-a-single-port).
    """
    latency: Cycles = 1
    """Cycles of one access by a core."""
    energy: Annotated[float, NumberForm(unit="pJ per byte")] = 0.0
    """Energy of an access."""
    holds: tuple[Role, ...] = ()
    """
    Roles of operands that may live here; all without it. Some engine keeps operands of each here or in a nearer level,
    unless the level is that of an included machine.
    """
    count: tuple[Count, ...] = ()
    """Instances along coordinates, as `[16, 16]` on a mesh; one without it."""
    preloaded: bool = False
    """
    Whether it is filled before the program runs: `place-weights` puts weights there, which engines that name it for
    `weights` read in place. No link leads to it.
    """
    external: bool = False
    """
    Whether no address reaches it, only the transfers of links, as a RAM behind a serial bus; it is the farthest level.
    Inputs, outputs and state then lie in the level before it; weights and buffers beyond its capacity stay in it.
    """
    dram: Dram | None = None
    """Rows of a DRAM in banks, which transfers open; none without it."""
    timing: tuple[tuple[Annotated[str, _TIMING], Count], ...] = ()
    """
    What transfers into and out of the memory take, by functions of a target, as `{ "mysoc.refresh" = 64 }`
    (docs/extending.md#a-property-of-a-memory).
    """

    @property
    def rows(self) -> int:
        """The number of rows of a memory that is addressed by rows, else 0."""
        return self.size // self.row_bytes if self.row_bytes else 0

    @property
    def bandwidth(self) -> int:
        """Bytes per cycle of all banks together; 0 where they are no limit."""
        return self.banks * self.bank_width

    @property
    def bank_bytes(self) -> int:
        """Bytes of a bank with a single port, 0 where banks limit no accesses."""
        return self.size // self.banks if self.single_port else 0

    def shares(self, address: int, size: int) -> dict[int, float]:
        """Return the share of a buffer's bytes in each bank with a single port that it lies in."""
        bank_bytes, end = self.bank_bytes, address + size
        banks = range(address // bank_bytes, (end - 1) // bank_bytes + 1) if bank_bytes and size else ()
        return {bank: (min(end, (bank + 1) * bank_bytes) - max(address, bank * bank_bytes)) / size for bank in banks}

    def meeting(self, one: range, two: range) -> float:
        """Return the probability that a byte of each of two buffers, given by their addresses, is in one bank."""
        other = self.shares(two.start, len(two))
        return sum(share * other.get(bank, 0) for bank, share in self.shares(one.start, len(one)).items())

    @property
    def unit(self) -> int:
        """Bytes that tiles, stages and resident buffers begin at multiples of: aligned here, for every element type."""
        return lcm(self.alignment, LARGEST_ELEMENT)

    def aligned(self, count: int) -> int:
        """Return the bytes that a buffer of `count` bytes occupies."""
        return -(-count // self.alignment) * self.alignment

    def can_hold(self, role: str) -> bool:
        """Return whether operands of that role may live here."""
        return not self.holds or role in self.holds
