"""
Functional model of N-Eureka: registers, a queue of two jobs, and memory.

The model decodes a job from its registers. It is bit-exact, sub-tile by sub-tile, but takes no time. A triggered job is
executed when software polls `STATUS`, or acquires a job with a full queue. Results are thus not visible before a wait.

Source: GVSoC `pulp/neureka/src`; pulp-nnx `util/hwpe.c`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from ....errors import Diagnostic
from .datapath import run_job
from .jobs import COUNT
from .memory import RegionMemory

CONTEXTS = 2
NO_CONTEXT = 0xFFFF_FFFF
"""Result of ACQUIRE if both contexts are in use."""
LOCKED = 0xFFFF_FFFE
"""Result of ACQUIRE while a job is being written."""


class Offset(IntEnum):
    """Byte offsets of the registers."""

    TRIGGER = 0x00
    ACQUIRE = 0x04
    STATUS = 0x0C
    RUNNING_JOB = 0x10
    JOB = 0x20


class _ContextState(Enum):
    FREE = 0
    ACQUIRED = 1
    COMMITTED = 2
    STARTED = 3


@dataclass
class _Context:
    state: _ContextState = _ContextState.FREE
    job: int = 0
    words: list[int] = field(default_factory=lambda: [0] * COUNT)


class NpuModel:
    """
    NPU on a memory. `write` and `read` take byte offsets and 32-bit words.

    Both raise Diagnostic for invalid accesses: an unknown register, a job register or TRIGGER without ACQUIRE, an
    unsupported job, and an access out of bounds.
    """

    def __init__(self, memory: RegionMemory):
        self.memory = memory
        self._contexts = [_Context() for _ in range(CONTEXTS)]
        self._queue: deque[_Context] = deque()
        self._jobs = 0
        self._running = 0

    def read(self, offset: int) -> int:
        """Return the value of a register."""
        match offset:
            case Offset.ACQUIRE:
                return self._acquire()
            case Offset.STATUS:
                busy = sum(1 << 8 * number for number, context in enumerate(self._contexts) if self._is_busy(context))
                self._finish_one()
                return busy
            case Offset.RUNNING_JOB:
                return self._running
            case _:
                raise _unknown("reads", offset)

    def write(self, offset: int, value: int) -> None:
        """Write a register."""
        if offset == Offset.TRIGGER:
            self._trigger(value)
            return
        number, rest = divmod(offset - Offset.JOB, 4)
        if rest or not 0 <= number < COUNT:
            raise _unknown("writes", offset)
        self._acquired().words[number] = value & 0xFFFF_FFFF

    def _acquire(self) -> int:
        if any(context.state is _ContextState.ACQUIRED for context in self._contexts):
            return LOCKED
        free = next((context for context in self._contexts if context.state is _ContextState.FREE), None)
        if free is None:
            self._finish_one()
            return NO_CONTEXT
        free.state, free.job, free.words = _ContextState.ACQUIRED, self._jobs & 0xFF, [0] * COUNT
        self._jobs += 1
        return free.job

    def _acquired(self) -> _Context:
        for context in self._contexts:
            if context.state is _ContextState.ACQUIRED:
                return context
        raise Diagnostic("a job is written or triggered without ACQUIRE", remedy="read ACQUIRE before")

    def _trigger(self, value: int) -> None:
        if value not in (0, 1):
            raise Diagnostic("TRIGGER is written with an unknown value", expected="0 or 1", found=str(value))
        context = self._acquired()
        context.state = _ContextState.COMMITTED
        self._queue.append(context)
        if value == 0:
            for queued in self._queue:
                queued.state = _ContextState.STARTED

    @staticmethod
    def _is_busy(context: _Context) -> bool:
        return context.state in (_ContextState.COMMITTED, _ContextState.STARTED)

    def _finish_one(self) -> None:
        """Execute the oldest started job."""
        if not self._queue or self._queue[0].state is not _ContextState.STARTED:
            return
        context = self._queue.popleft()
        context.state, self._running = _ContextState.FREE, context.job
        run_job(context.words, self.memory)


def _unknown(verb: str, offset: int) -> Diagnostic:
    return Diagnostic(
        f"software {verb} a register that the NPU does not have, or that is not safe to use",
        expected="TRIGGER, ACQUIRE, STATUS, RUNNING_JOB, or one of 24 job registers from 0x20 on",
        found=f"offset 0x{offset:x}",
    )
