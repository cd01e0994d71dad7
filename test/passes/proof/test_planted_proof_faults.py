"""Faults planted in the proof of concurrent programs: the enumeration of all interleavings shows each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any

import pytest

from tilewright.dialects.hier.streams import PopOp, PushOp, ReleaseOp, ReserveOp
from tilewright.passes import verify_memory
from tilewright.passes.proof import programs
from tilewright.passes.proof.clocks import Clocks
from tilewright.passes.proof.memory import InFlightOp, MemoryState
from tilewright.passes.proof.programs import ProgramsWalk
from tilewright.passes.proof.regions import INITIAL
from tilewright.test.oracles import interleavings
from tilewright.test.oracles.interleavings_cases import random_case


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing, and find nothing."""


def _without_order(patch: pytest.MonkeyPatch) -> None:
    """All accesses of programs are ordered."""
    patch.setattr(Clocks, "read", _nothing)
    patch.setattr(Clocks, "write", _nothing)


def _without_reads(patch: pytest.MonkeyPatch) -> None:
    """A read conflicts with no write of another program."""
    patch.setattr(Clocks, "read", _nothing)


def _joins_the_last(patch: pytest.MonkeyPatch, taking: type, handing: type) -> None:
    take = ProgramsWalk._take  # pyright: ignore[reportPrivateUsage]

    def after_all(self: Any, op: Any, queue: Any) -> Generator[Any, Any, Any]:
        slot = yield from take(self, op, queue)
        if isinstance(op, taking) and queue.handed[handing]:
            self._clocks.join(queue.handed[handing][-1])
        return slot

    patch.setattr(ProgramsWalk, "_take", after_all)


def _reserve_after_every_release(patch: pytest.MonkeyPatch) -> None:
    """A reserve is ordered after each release of the schedule, not after that of its slot."""
    _joins_the_last(patch, ReserveOp, ReleaseOp)


def _pop_after_every_push(patch: pytest.MonkeyPatch) -> None:
    """A pop is ordered after each push of the schedule, not after that of its slot."""
    _joins_the_last(patch, PopOp, PushOp)


def _waits_do_nothing(patch: pytest.MonkeyPatch) -> None:
    """A transfer or a kernel accesses memory as it is issued."""
    patch.setattr(MemoryState, "begin", _nothing)
    patch.setattr(MemoryState, "end", _nothing)
    patch.setattr(MemoryState, "joined", _nothing)


def _ends_in_no_order(patch: pytest.MonkeyPatch) -> None:
    """The end of a transfer is no access of its program."""
    end = MemoryState.end

    def alone(self: MemoryState, op: Any, transfer: Any) -> None:
        clocks, self.programs = self.programs, None
        end(self, op, transfer)
        self.programs = clocks

    patch.setattr(MemoryState, "end", alone)


def _one_queue(patch: pytest.MonkeyPatch) -> None:
    """All kernels are launched on one queue."""

    def beside(self: MemoryState) -> list[InFlightOp]:
        return [] if self.queue is not None else self.under_way

    patch.setattr(MemoryState, "_beside", beside)


def _without_holders(patch: pytest.MonkeyPatch) -> None:
    """Each program holds each slot."""

    class Everybody(dict[Any, Any]):
        def get(self, key: Any, default: Any = None) -> Any:
            """Return the program that asks."""
            return default

    begin = Clocks.__init__

    def init(self: Clocks, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        self.holders = Everybody()

    patch.setattr(Clocks, "__init__", init)


def _slots_keep_their_content(patch: pytest.MonkeyPatch) -> None:
    """The content of a reserved slot is defined."""
    patch.setattr(programs, "NEVER", INITIAL)


def _without_balance(patch: pytest.MonkeyPatch) -> None:
    """Slots may be left in a stream."""
    patch.setattr(ProgramsWalk, "finish", _nothing)


def _without_addresses(patch: pytest.MonkeyPatch) -> None:
    """Buffers at addresses are disjoint."""
    patch.setattr(verify_memory, "prove_residents", _nothing)


FAULTS: list[tuple[Callable[[pytest.MonkeyPatch], None], int]] = [
    (_without_order, 9),
    (_without_reads, 9),
    (_reserve_after_every_release, 35),
    (_pop_after_every_push, 16),
    (_waits_do_nothing, 6),
    (_ends_in_no_order, 438),
    (_one_queue, 154),
    (_without_holders, 381),
    (_slots_keep_their_content, 575),
    (_without_balance, 248),
    (_without_addresses, 21),
]
"""Fault in the proof -> the number of a case of seed 5 that it lets through."""


@pytest.mark.sample(6)
@pytest.mark.parametrize(("fault", "number"), FAULTS)
def test_a_fault_in_the_proof_is_seen(
    fault: Callable[[pytest.MonkeyPatch], None], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(Random(f"5 {number}"))
    sound = interleavings.judged(case)
    assert sound is not None
    assert sound.rule
    fault(monkeypatch)
    faulty = interleavings.judged(case)
    assert faulty is not None
    assert faulty.verdict == "missed"
