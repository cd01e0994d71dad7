"""
Happens-before of instructions on queues: a vector clock for each instruction, and one for the core.

The core issues instructions in program order, and a queue executes its own in order. On interlocked levels the machine
orders conflicting accesses of an engine's queues as they are issued; elsewhere only a fence of the core orders them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.effect_traits import State, StateEffects
from ...dialects.core.effects import declared
from ...dialects.core.machine.engine import Queue
from ...dialects.core.queues import queue_named
from ...ir import Array, where
from ..explicit.events import queue_of
from .regions import Memory, Region
from .rules import Steps, refuse, shown


@dataclass
class _Instruction:
    """Instruction that was issued: its op, its step, and how many of each queue have ended when it has."""

    op: Operation
    steps: Steps
    clock: dict[str, int]


@dataclass
class _Executed:
    """Instructions of a queue, and the number of the last one that reads, or writes, each byte; from 1."""

    queue: Queue
    instructions: list[_Instruction] = field(default_factory=list[_Instruction])
    reads: dict[Memory, Array] = field(default_factory=dict[Memory, Array])
    writes: dict[Memory, Array] = field(default_factory=dict[Memory, Array])

    def last(self, region: Region, *, is_write: bool) -> tuple[int, str]:
        """Return the number of the last instruction that conflicts with an access, 0 for none, and what it does."""
        tables = [(self.writes, "writes"), *([(self.reads, "reads")] if is_write else [])]
        conflicts = [(_latest(table, region), does) for table, does in tables]
        return max(conflicts, key=lambda conflict: conflict[0])

    def note(self, region: Region, *, is_write: bool) -> None:
        """Note an access of the last instruction."""
        table = self.writes if is_write else self.reads
        if region.memory not in table:
            table[region.memory] = np.zeros(region.memory.size, np.int32)
        region.within(table[region.memory], 0)[...] = len(self.instructions)


def _latest(table: Mapping[Memory, Array], region: Region) -> int:
    return int(region.within(table[region.memory], 0).max(initial=0)) if region.memory in table else 0


class InFlightInstructions:
    """Instructions in flight on the queues of a machine, during the walk of a program."""

    def __init__(self, machine_queues: Mapping[str, Queue] | None, home: str):
        """Begin; without a machine there is any queue, and no level is interlocked."""
        self._known = machine_queues
        self._home = home
        self._executed: dict[str, _Executed] = {}
        self._core: dict[str, int] = {}
        """How many instructions of each queue have ended before what the core does next."""
        self.is_issuing = False
        """An instruction is being issued, whose accesses are not the core's."""

    def issue(self, op: Operation, steps: Steps, name: str, accesses: Sequence[tuple[Region, bool, str]]) -> None:
        """
        Issue an instruction to a queue, given its regions, whether it writes each, and their names.

        Raises Diagnostic for an access to memory that another queue still accesses.
        """
        own = self._queue(op, name)
        clock = dict(self._core)
        if own.instructions:
            _join(clock, own.instructions[-1].clock)
        others = [executed for executed in self._executed.values() if executed is not own]
        for other in others:
            for region, is_write, _ in accesses:
                last, _ = other.last(region, is_write=is_write)
                if last > clock.get(other.queue.name, 0) and self._interlocks(own.queue, other.queue, region):
                    _join(clock, other.instructions[last - 1].clock)
        for other in others:
            for region, is_write, what in accesses:
                self._check(op, steps, other, clock, region, what, is_write=is_write)
        clock[name] = len(own.instructions) + 1
        own.instructions.append(_Instruction(op, steps, clock))
        for region, is_write, _ in accesses:
            own.note(region, is_write=is_write)

    def _queue(self, op: Operation, name: str) -> _Executed:
        if name not in self._executed:
            queue = Queue(name, "", 0, ()) if self._known is None else queue_named(self._known, name, op)
            self._executed[name] = _Executed(queue)
        return self._executed[name]

    def _interlocks(self, queue: Queue, other: Queue, region: Region) -> bool:
        return queue.engine == other.engine and (region.memory.level or self._home) in queue.interlocks

    def access(self, op: Operation, steps: Steps, region: Region, what: str, *, is_write: bool) -> None:
        """Check an access of the core itself. Raises Diagnostic for memory that a queue still accesses."""
        for other in self._executed.values():
            self._check(op, steps, other, self._core, region, what, is_write=is_write)

    def _check(
        self,
        op: Operation,
        steps: Steps,
        other: _Executed,
        clock: Mapping[str, int],
        region: Region,
        what: str,
        *,
        is_write: bool,
    ) -> None:
        """Check that a conflicting access of another queue happens before one of an op."""
        last, does = other.last(region, is_write=is_write)
        if last <= clock.get(other.queue.name, 0):
            return
        culprit = other.instructions[last - 1]
        raise refuse(
            "race",
            f"'{op.name}' {'writes' if is_write else 'reads'} {what}, which '{culprit.op.name}' on the queue "
            f"'{other.queue.name}' still {does}",
            op,
            [f"address {region.low} of {region.memory.name}", shown(steps)],
            found=f"no fence after '{culprit.op.name}' ({where(culprit.op)}{_at(culprit.steps)}), and no interlock on "
            f"{region.memory.level or self._home} between the two",
            remedy=f"insert a fence between '{culprit.op.name}' and '{op.name}'",
            others=[culprit.op],
        )

    def fence(self, op: Operation, names: Collection[str]) -> None:
        """Let the core await queues, all if there is no name. Raises Diagnostic for a queue that the machine lacks."""
        for name in names:
            self._queue(op, name)
        for name, executed in self._executed.items():
            if executed.instructions and (not names or name in names):
                _join(self._core, executed.instructions[-1].clock)

    def finish(self) -> None:
        """Check that all instructions have been awaited. Raises Diagnostic for the first that has not been."""
        for name, executed in self._executed.items():
            ended = self._core.get(name, 0)
            if ended < len(executed.instructions):
                culprit = executed.instructions[ended]
                raise refuse(
                    "fence",
                    f"'{culprit.op.name}' on the queue '{name}' is never awaited",
                    culprit.op,
                    [f"instruction {ended + 1} of {len(executed.instructions)} on the queue", shown(culprit.steps)],
                    remedy="insert a fence before the end of the program",
                )


def _join(clock: dict[str, int], other: Mapping[str, int]) -> None:
    for name, count in other.items():
        clock[name] = max(clock.get(name, 0), count)


def _at(steps: Steps) -> str:
    return f" at {shown(steps)}" if steps else ""


def check_states(ops: Iterable[Operation]) -> None:
    """Check that a state is accessed by one queue only, given an op of each class: nothing orders others."""
    owners: dict[State, tuple[str, Operation]] = {}
    for op in ops:
        trait, of_core = queue_of(type(op)), declared(type(op), StateEffects)
        effects = trait.get_effects(op) if trait is not None else of_core.get_effects(op) if of_core is not None else ()
        owner = f"the queue '{trait.queue}'" if trait is not None else "the core"
        for state in {effect.resource for effect in effects or () if isinstance(effect.resource, State)}:
            other, culprit = owners.setdefault(state, (owner, op))
            if other != owner:
                raise refuse(
                    "race",
                    f"'{op.name}' on {owner} and '{culprit.name}' on {other} access the state {state.name()}",
                    op,
                    [],
                    remedy="let instructions of one queue access it, or keep it in memory of an interlocked level",
                )
