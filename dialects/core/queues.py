"""In-order queues of a run: issued instructions take effect in any order that queues, interlocks and fences allow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...errors import Diagnostic, did_you_mean
from ...ir import Array, where
from .interleaving import Interleaving
from .machine.attribute import ATTRIBUTE, machine_of
from .machine.engine import Queue
from .machine.model import Machine


@dataclass(eq=False)
class Work:
    """
    Instruction on a queue: the regions that it reads and writes, each with its level, None for that of programs.

    `compute` returns the contents that it writes, for each of `writes`, from the contents of memory at the call.
    """

    op: Operation
    queue: str
    reads: Sequence[tuple[Array, str | None]]
    writes: Sequence[tuple[Array, str | None]]
    compute: Callable[[], Sequence[Array]]
    finish: Callable[[], None] = field(default=lambda: None)

    def take_effect(self) -> None:
        """Compute, and write the results."""
        for (array, _), result in zip(self.writes, self.compute(), strict=True):
            array[...] = result

    def conflicts(self, other: Work, levels: Collection[str]) -> bool:
        """Return whether both access a byte in one of these levels, and one of them writes it."""
        pairs = [(self.writes, other.writes), (self.writes, other.reads), (self.reads, other.writes)]
        return any(
            a_level in levels and a_level == b_level and np.shares_memory(a, b)
            for mine, theirs in pairs
            for a, a_level in mine
            for b, b_level in theirs
        )


class Queues:
    """
    Queues of a run. Without a machine no level is interlocked, and no queue is ever full.

    Raises Diagnostic for a queue that the machine does not have.
    """

    def __init__(self, machine: Machine | None = None):
        self._machine = machine
        self._pending: list[Work] = []
        """Issued instructions that have not taken effect, in order of issue."""
        self._lazy: dict[str, bool] = {}
        """Queue -> whether its instructions take effect as late as fences, depth and other instructions allow."""

    @staticmethod
    def of_program(op: Operation) -> Queues:
        """Return the queues of a module's machine."""
        has_machine = isinstance(op, ModuleOp) and ATTRIBUTE in op.attributes
        return Queues(machine_of(op) if isinstance(op, ModuleOp) and has_machine else None)

    def issue(self, work: Work, interleaving: Interleaving) -> None:
        """Issue an instruction: without a seed it takes effect at once, else at the latest at a fence."""
        depth = 0
        if self._machine is not None:
            depth = queue_named(self._machine.queues, work.queue, work.op).depth
        if interleaving.order.seed is None:
            work.take_effect()
            return
        before = [pending for pending in self._pending if pending.queue == work.queue]
        if depth and len(before) >= depth:
            self._finish(before[0], interleaving)
        self._pending.append(work)
        work.finish = lambda: self._finish(work, interleaving)
        if work.queue not in self._lazy:
            self._lazy[work.queue] = interleaving.is_lazy()
        if not self._lazy[work.queue]:
            interleaving.issue(work.finish, work.op)

    def fence(self, queues: Collection[str], interleaving: Interleaving) -> None:
        """Complete the instructions on these queues, on all if there is none."""
        for work in interleaving.shuffled(
            [pending for pending in self._pending if not queues or pending.queue in queues]
        ):
            self._finish(work, interleaving)

    def _finish(self, work: Work, interleaving: Interleaving) -> None:
        """Let an instruction take effect, unless it has, after those that have to precede it."""
        if work not in self._pending:
            return
        at = self._pending.index(work)
        needed = [work]
        for earlier in reversed(self._pending[:at]):
            if any(self._precedes(earlier, other) for other in needed):
                needed.append(earlier)
        for earlier_work in reversed(needed):
            self._pending.remove(earlier_work)
            interleaving.forget(earlier_work.finish)
            earlier_work.take_effect()

    def _precedes(self, earlier: Work, later: Work) -> bool:
        """Return whether the machine executes one instruction before another one, which is issued after it."""
        if earlier.queue == later.queue:
            return True
        if self._machine is None:
            return False
        a, b = (self._machine.queues[work.queue] for work in (earlier, later))
        return a.engine == b.engine and earlier.conflicts(later, a.interlocks)


def queue_named(queues: Mapping[str, Queue], name: str, op: Operation) -> Queue:
    """Return the queue of a machine that an instruction names. Raises Diagnostic for an unknown one."""
    if name in queues:
        return queues[name]
    raise Diagnostic(
        f"the machine has no queue '{name}', which '{op.name}' names",
        where=where(op),
        expected=" or ".join(queues) or "an engine with queues",
        remedy=did_you_mean(name, queues) or "add it to the queues of an engine in the machine file",
    )
