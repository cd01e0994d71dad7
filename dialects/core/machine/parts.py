"""
Parts of a machine: memory levels, the links between them, and the engines that compute.

A field has the name of its key in machine files, which docs/machines.md describes. Times are cycles of the part's
clock, energies picojoules, sizes bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, lcm, prod
from typing import TYPE_CHECKING, NamedTuple

from .operations import OpSupport

if TYPE_CHECKING:
    from xdsl.ir import Operation

ROLES = ("ins", "weights", "outs", "accumulators", "scratch")
"""The roles of operands. A role that an engine does not mention lives where the one in `_SAME_AS` does."""

LARGEST_ELEMENT = 8
"""Bytes of the largest element type."""

STACK = ("rows", "tables", "windows", "packed_windows")
"""Buffers of a kernel on the stack of a core: values of a row, a table of powers, windows of an image."""
PROGRAM = (
    *("cache", "line", "fetch"),
    *("issue", "command", "clip", "fill", "wait", "instruction"),
    *("call", "transfer", "launch", "kernel", "op"),
)
"""Instruction cache and its line (bytes, cycles); cycles of the program (`fill`: bytes a cycle); bytes of code."""

DRAM = ("row", "banks", "activate", "precharge", "cas")
"""Bytes of a row, banks, and cycles to activate a row, to precharge its bank, and from a read to its data."""

_SAME_AS = {"weights": "ins", "outs": "ins", "accumulators": "outs", "scratch": "outs"}


@dataclass(frozen=True)
class Clock:
    """
    A clock's operating points: `volts` is empty, or has one for each of `mhz`.

    `up` and `down` are the microseconds until a faster or a slower one is in force, meanwhile the old one is: least and
    most over the pairs of points. They are empty where a change takes no time.
    """

    mhz: tuple[float, ...] = ()
    volts: tuple[float, ...] = ()
    up: tuple[float, ...] = ()
    down: tuple[float, ...] = ()

    @property
    def nominal(self) -> float:
        """The fastest operating point in MHz, at which costs are modelled; 0 where none is given."""
        return max(self.mhz, default=0.0)


@dataclass(frozen=True)
class Level:
    """
    A memory that programs address.

    A memory that is addressed by rows has `row_bytes`, of which its size and every address are multiples. `count`
    says how many copies there are, along coordinates, as over the nodes of a mesh; `size` is that of one. A memory of
    accumulators stores nothing but sums, of the type `element`. What a `preloaded` memory holds is there before the
    program runs: engines read it in place, and no link leads to it. A bank with a `single_port` serves one access in a
    cycle, writes before reads, and is a contiguous part of the memory. An `external` memory is no part of what programs
    address: only the transfers of links reach it. `dram` are the keys of `DRAM` of a memory of rows in banks: transfers
    open rows. `timing` are functions of cost_table.py that say what transfers into and out of the memory take, each
    with its number.
    """

    name: str
    size: int
    alignment: int = 4
    row_bytes: int = 0
    element: str = ""
    banks: int = 1
    bank_width: int = 0
    single_port: bool = False
    latency: int = 1
    energy: float = 0.0
    holds: tuple[str, ...] = ()
    count: tuple[int, ...] = ()
    preloaded: bool = False
    external: bool = False
    dram: tuple[tuple[str, int], ...] = ()
    timing: tuple[tuple[str, int], ...] = ()

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
        bank, end = self.bank_bytes, address + size
        banks = range(address // bank, (end - 1) // bank + 1) if bank and size else ()
        return {each: (min(end, (each + 1) * bank) - max(address, each * bank)) / size for each in banks}

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


TRANSFORMS = ("convert", "scale", "clip", "relu", "broadcast", "splat", "layout", "fill")
"""Ways in which a transfer may transform what it moves."""


@dataclass(frozen=True)
class Link:
    """
    Link that moves data between a far level and a near one, such as a DMA engine.

    `direction` is `in` (to the near level), `out` or `both`; the channels are shared by both directions. A link whose
    ends are the same level joins those copies of it that are `neighbours` in a `mesh` or a `torus`. A `router` takes so
    many cycles to pass on what arrives; of 0 each hop takes a whole transfer. At most `in_flight`
    transfers of its DMA engine are issued and not waited for; 0 where the machine does not say. `transforms` are the
    ways, of `TRANSFORMS` or functions of a target, in which the engine can transform what it moves. Into so many
    `blocks` it can scatter one row, and as so many rows it can write one that it repeats. One that `packs` has the rows
    of a transfer without gaps in its near level: those of a partial tile with gaps between them are transfers each.
    Where the program issues instructions, one moves so many `rows` at most, of `blocks` blocks; of a transfer in passes
    so many `lines` of so many rows, if that is not 0.
    """

    name: str
    far: str
    near: str
    width: int
    direction: str = "both"
    neighbours: str = ""
    router: int = 0
    channels: int = 1
    startup: int = 0
    dims: int = 1
    burst: int = 0
    burst_overhead: float = 0.0
    burst_minimum: float = 1.0
    in_flight: int = 0
    energy: float = 0.0
    clock: Clock = Clock()
    transforms: tuple[str, ...] = ("fill",)
    blocks: int = 1
    repeats: int = 1
    packs: bool = False
    rows: int = 0
    lines: int = 0

    def leads(self, source: str, target: str) -> bool:
        """Return whether the link moves data from one level to another."""
        inward = self.direction != "out" and (source, target) == (self.far, self.near)
        return inward or (self.direction != "in" and (source, target) == (self.near, self.far))

    def cycles(self, row_bytes: int, counts: Sequence[int] = ()) -> int:
        """
        Return the cycles of a transfer of `prod(counts)` rows of `row_bytes` contiguous bytes, on one channel.

        `counts` are the strided dimensions, outermost first. A descriptor has `dims - 1` of them, the innermost; each
        step of the others is a transfer of its own, with its own start-up.
        """
        strided = self.dims - 1
        transfers = prod(counts[: max(0, len(counts) - strided)])
        full, rest = divmod(row_bytes, self.burst or max(row_bytes, 1))
        row = full * self._burst_cycles(self.burst or row_bytes) + (self._burst_cycles(rest) if rest else 0)
        return transfers * self.startup + ceil(prod(counts) * row)

    @cached_property
    def started(self) -> Link:
        """The link where its start-up has passed."""
        return replace(self, startup=0)

    @cached_property
    def unbroken(self) -> Link:
        """The link at its sustained rate, without start-up latency and bursts."""
        return replace(self, startup=0, burst=0, burst_overhead=0.0)

    def _burst_cycles(self, count: int) -> float:
        return max(self.burst_minimum, -(-count // self.width)) + self.burst_overhead


class Queue(NamedTuple):
    """In-order queue of an engine's instructions; `interlocks` are the levels on which its engine orders accesses."""

    name: str
    engine: str
    depth: int
    interlocks: tuple[str, ...]


@dataclass(frozen=True)
class Engine:
    """
    Engine that computes: a core, a cluster of them, an accelerator.

    `level` gives, for a role of operands, the levels where the engine reaches them, the preferred one first. `runs` are
    the ops, exact names before `dialect.*` before `*`. `count` says how many there are, along coordinates. Of an engine
    that works beside the program, `queue` kernels may run or wait at once; of one with instructions, `queues` are the
    in-order queues and the instructions that each may hold. On the levels `interlocks`, the engine executes accesses of
    its queues that conflict in the order of their issue. `stack` are the bytes that each buffer of
    STACK may take on the stack of a core. `program` states what the code of the program itself takes on the
    engine's cores, by PROGRAM. `warm_setup` is the `setup` of code that the instruction cache holds, 0 where both are
    the same. By the share `contention` a launched kernel whose operands are all in one level takes longer while another
    engine works there. `hosts` are the engines of which one drives it, `watts` what the whole machine takes while it
    alone works, at its fastest clock.
    """

    name: str
    level: tuple[tuple[str, tuple[str, ...]], ...]
    runs: tuple[OpSupport, ...]
    cores: int = 1
    count: tuple[int, ...] = ()
    setup: int = 0
    warm_setup: int = 0
    contention: float = 0.0
    vector_bytes: int = 0
    queue: int = 0
    queues: tuple[tuple[str, int], ...] = ()
    interlocks: tuple[str, ...] = ()
    caches: tuple[int, ...] = ()
    stack: tuple[tuple[str, int], ...] = ()
    program: tuple[tuple[str, int], ...] = ()
    energy: float = 0.0
    clock: Clock = Clock()
    hosts: tuple[str, ...] = ()
    watts: float = 0.0

    @property
    def total(self) -> int:
        """Number of instances."""
        return prod(self.count)

    def levels_of(self, role: str = "ins") -> tuple[str, ...]:
        """Return the names of the levels where the engine reaches operands of a role, the preferred one first."""
        levels = dict(self.level)
        while role not in levels:
            role = _SAME_AS[role]
        return levels[role]

    def stack_bytes(self, use: str) -> int:
        """Return the bytes that a buffer of STACK may take on the stack of a core; 0 forbids it."""
        return dict(self.stack).get(use, 0)

    def support(self, op: Operation) -> OpSupport | None:
        """Return the engine's support of an op, by its name and its element types; None where it does not run it."""
        dialect = op.name.partition(".")[0] + ".*"
        named = {each.op: each for each in self.runs}
        found = (named[name] for name in (op.name, dialect, "*") if name in named)
        return next((each for each in found if not each.type_fault(op)), None)

    def fault(self, op: Operation) -> str:
        """Return why no entry of `runs` supports an op: its name or its element types; empty if one does."""
        if self.support(op) is not None:
            return ""
        names = op.name, op.name.partition(".")[0] + ".*", "*"
        found = [each.type_fault(op) for name in names for each in self.runs if each.op == name]
        return found[0] if found else f"it runs {', '.join(each.op for each in self.runs)}, not {op.name}"
