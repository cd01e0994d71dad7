"""Engines of a machine: what they run, where their operands live, and what their programs cost. Sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Annotated, NamedTuple

from .clock import NO_CLOCK, Clock
from .keys import Alone, PartName
from .level import SAME_AS, Role
from .operations import OpSupport
from .values import Amount, Bytes, Count, Cycles, EngineName, IntegerForm, LevelName, Number, NumberForm, TextForm

if TYPE_CHECKING:
    from xdsl.ir import Operation

_QueueName = Annotated[str, TextForm(r"[A-Za-z_]\w*", "the name of a queue, of letters, digits and '_'", "queue")]


class Queue(NamedTuple):
    """In-order queue of an engine's instructions; `interlocks` are the levels on which its engine orders accesses."""

    name: str
    engine: str
    depth: int
    interlocks: tuple[str, ...]


@dataclass(frozen=True)
class Stack:
    """Bytes that a kernel's buffers may take on the stack of a core, by use; without a key none of that use do."""

    rows: Bytes = 0
    """Values that softmax and norms keep of a row."""
    tables: Bytes = 0
    """Powers of a softmax."""
    windows: Bytes = 0
    """Windows that a convolution copies."""
    packed_windows: Bytes = 0
    """Windows that a convolution packs."""


@dataclass(frozen=True)
class ProgramCosts:
    """
    Costs of the program's own code on the engine that executes it.

    The simulation counts them; plans count `issue`, `command`, `clip`, `fill`, `wait` and `instruction`, not the code
    that is fetched.
    """

    cache: Bytes = 0
    """Bytes of the instruction cache; none without it."""
    line: Bytes = 1
    """Bytes of a line of the instruction cache."""
    fetch: Cycles = 0
    """Cycles to fetch a line."""
    issue: Cycles = 0
    """Cycles to issue a transfer."""
    command: Cycles = 0
    """Cycles of each further command of a transfer."""
    clip: Cycles = 0
    """Cycles more for a transfer whose tile may extend beyond its buffer."""
    fill: Annotated[int, IntegerForm(0, unit="bytes per cycle")] = 0
    """Rate at which the program fills the part of a tile beyond its buffer; 0: it takes no time."""
    wait: Cycles = 0
    """Cycles of each wait for a transfer."""
    instruction: Cycles = 0
    """Cycles to issue an instruction to a queue."""
    call: Bytes = 0
    """Code of a call."""
    transfer: Bytes = 0
    """Code of a function that issues a transfer."""
    launch: Bytes = 0
    """Code of a function that launches a kernel."""
    kernel: Bytes = 0
    """Code of a kernel, without its scalar ops."""
    op: Bytes = 0
    """Code of each scalar op of a kernel."""


FREE = ProgramCosts()
"""Program of which the machine states no cost."""


@dataclass(frozen=True)
class Engine:
    """Engine that computes: a core, a cluster of them, an accelerator."""

    name: PartName
    level: Annotated[tuple[tuple[Role, tuple[LevelName, ...]], ...], Alone("ins", "a level for the role ins")]
    """Levels of its operands: one, several in order of preference, or a table of these by role."""
    runs: tuple[OpSupport, ...]
    """Ops that it can run: the name of each, `DIALECT.*` or `*`; the most exact entry that takes its types counts."""
    cores: Count = 1
    """Cores that share the work of a call."""
    count: tuple[Count, ...] = ()
    """Instances along coordinates; one without it."""
    setup: Cycles = 0
    """Cycles of each call."""
    warm_setup: Cycles = 0
    """
    Cycles of a call whose code the instruction cache of `program` holds; 0: `setup`. Counted by the simulation, not by
    plans.
    """
    contention: Amount = 0.0
    """
    Share by which a kernel that it runs beside the program takes longer while another engine works in its level, where
    all its operands are in one: both meet at its banks. Counted by the simulation, not by plans.
    """
    vector_bytes: Annotated[int, IntegerForm(0, unit="bytes")] = 0
    """Width of its vector registers."""
    queue: Number = 0
    """
    Kernels that may run or wait at once while the program goes on (`overlap-engines`); 0: the program waits for each.
    """
    queues: tuple[tuple[_QueueName, Count], ...] = ()
    """
    In-order queues of its instructions, and how many each holds at most, as `{ load = 8, execute = 16, store = 4 }`;
    instructions name their queue (docs/hier.md#instruction-programs), so that no other engine has one of that name.
    """
    interlocks: tuple[LevelName, ...] = ()
    """
    Levels on which it orders accesses of its queues: two that conflict take effect in the order of their issue.
    Elsewhere, as in DRAM, only a fence orders them.
    """
    caches: tuple[Bytes, ...] = ()
    """Caches between the engine and its level, the nearest first. Hardware fills them; blocks are chosen to fit."""
    stack: Stack = Stack()
    """Bytes that a kernel's buffers may take on the stack of a core, by use."""
    program: ProgramCosts = FREE
    """Costs of the program's own code, where this engine executes it."""
    energy: Annotated[float, NumberForm(unit="pJ per point")] = 0.0
    """Energy of a point of a kernel."""
    clock: Clock = NO_CLOCK
    """Clock of its own, in whose cycles its times are; without it the machine's."""
    hosts: tuple[EngineName, ...] = ()
    """Engines of which one drives it, such as the cores that may hand work to a GPU."""
    watts: Annotated[float, NumberForm(unit="W")] = 0.0
    """Power of the whole machine while the engine alone works, at its fastest clock."""

    @property
    def total(self) -> int:
        """Number of instances."""
        return prod(self.count)

    def levels_of(self, role: str = "ins") -> tuple[str, ...]:
        """Return the names of the levels where the engine reaches operands of a role, the preferred one first."""
        levels: dict[str, tuple[str, ...]] = dict(self.level)
        while role not in levels:
            role = SAME_AS[role]
        return levels[role]

    def support(self, op: Operation) -> OpSupport | None:
        """Return the engine's support of an op, by its name and its element types; None where it does not run it."""
        dialect = op.name.partition(".")[0] + ".*"
        by_name = {support.op: support for support in self.runs}
        candidates = (by_name[name] for name in (op.name, dialect, "*") if name in by_name)
        return next((support for support in candidates if not support.type_fault(op)), None)

    def fault(self, op: Operation) -> str:
        """Return why no entry of `runs` supports an op: its name or its element types; empty if one does."""
        if self.support(op) is not None:
            return ""
        names = op.name, op.name.partition(".")[0] + ".*", "*"
        faults = [support.type_fault(op) for name in names for support in self.runs if support.op == name]
        return faults[0] if faults else f"it runs {', '.join(support.op for support in self.runs)}, not {op.name}"
