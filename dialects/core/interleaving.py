"""Interleaving of concurrent programs, and of the asynchronous accesses that they have issued, by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random
from threading import Semaphore, Thread
from typing import TypeVar

import numpy as np
from xdsl.ir import Operation

from ...errors import Diagnostic
from ...ir import Array, where


@dataclass(frozen=True)
class Order:
    """
    Order of concurrent programs and asynchronous accesses, one of those that a program allows.

    With a `seed` both are random. Without one, the program of the highest rank among those that can go on takes each
    step, by its name in `ranks` (0), the first of several; asynchronous accesses complete at their waits, or as they
    are issued: all of them, or those of the ops that are `early`. Bytes that nothing has written are `undefined`; of a
    number above 255, drawn by it.

    A lookup gives the entry that the table holds, or the "low" or the "high" one of its declared range. A stream that
    `keeps` its slots begins with those that the call before has left in it.
    """

    seed: int | None = None
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    early: bool | frozenset[Operation] = False
    undefined: int = 0
    entries: str = "held"
    keeps: bool = False

    def is_early(self, op: Operation) -> bool:
        """Return whether an asynchronous access of an op completes as it is issued."""
        return op in self.early if isinstance(self.early, frozenset) else self.early


_T = TypeVar("_T")


class _Stopped(BaseException):
    """Raised in the threads of programs that do not go on."""


@dataclass(eq=False)
class _Program:
    """Program of its own thread, of which one runs at a time: the one that has been given its turn."""

    name: str
    turn: Semaphore = field(default_factory=lambda: Semaphore(0))
    ready: Callable[[], bool] | None = None
    """The condition that it is blocked on."""
    blocked_at: Operation | None = None
    blocked_state: str = ""
    """State of what it is blocked on."""
    is_done: bool = False
    error: BaseException | None = None
    rank: float = 0.0


class Interleaving:
    """
    Order of the steps of concurrent programs, and of the completion of asynchronous accesses.

    By default each program runs until it blocks, in the order of the IR, and an asynchronous access completes at its
    wait. With a seed both are chosen at random: by even seeds anew at each step, by odd ones by priorities that change
    now and then, as in Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs"
    (ASPLOS 2010). Every order is one that the program allows.
    """

    def __init__(self, order: Order | int | None = None):
        self.order = order if isinstance(order, Order) else Order(order)
        self.is_default = self.order.seed is None and not self.order.ranks
        """Whether programs change only where one blocks, so that `step` does nothing."""
        self._random = Random(self.order.seed)
        self._main = Semaphore(0)
        self._programs: list[_Program] = []
        self._current: _Program | None = None
        self._stops = False
        self._pending: list[Callable[[], None]] = []
        self._is_atomic = False
        self.in_flight: dict[Operation, int] = {}
        """Op -> the transfers that it has begun, and that have not been waited for."""

    def step(self) -> None:
        """Begin the next op of a program: others may run before it, and asynchronous accesses complete."""
        if self._is_atomic:
            return
        if self.order.seed is None:
            if self._is_outranked():
                self._switch()
            return
        if self._pending and self._random.random() < 0.25:
            self._pending.pop(self._random.randrange(len(self._pending)))()
        if self._current is not None and self._random.random() < 0.5:
            self._switch()

    def atomically(self, run: Callable[[], object]) -> None:
        """Run an asynchronous kernel: no other program and no other asynchronous access comes in between."""
        around, self._is_atomic = self._is_atomic, True
        try:
            run()
        finally:
            self._is_atomic = around

    def issue(self, finish: Callable[[], None], op: Operation) -> None:
        """
        Note an asynchronous access of an op; `finish` completes it, at the latest when it is waited for, and does so
        once.
        """
        if self.order.seed is None:
            if self.order.is_early(op):
                finish()
            return
        self._pending.append(finish)
        if self._random.random() < 0.25:
            self._pending.pop()()

    def undefine(self, array: Array) -> Array:
        """Return a buffer whose content is undefined from here on, until it is written."""
        byte, size = self.order.undefined, array.dtype.itemsize
        if byte > 255:
            is_truth = array.dtype.kind == "b"
            drawn = np.random.default_rng(byte).integers(0, 2 if is_truth else 256, prod(array.shape) * size, np.uint8)
            array[...] = drawn.view(array.dtype).reshape(array.shape)
        elif byte:
            array[...] = np.full(size, byte, np.uint8).view(array.dtype)[0]
        return array

    def forget(self, finish: Callable[[], None]) -> None:
        """Forget an asynchronous access that has completed."""
        if finish in self._pending:
            self._pending.remove(finish)

    def is_lazy(self) -> bool:
        """Draw whether accesses of a queue complete no earlier than they have to; never with an even seed."""
        return self.order.seed is not None and self.order.seed % 2 == 1 and self._random.random() < 0.5

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """Return items in an order by chance, in their own without a seed."""
        return list(items) if self.order.seed is None else self._random.sample(items, len(items))

    def wait(self, ready: Callable[[], bool], op: Operation, state: Callable[[], str]) -> None:
        """Block the program at an op until it is ready. `state` is the state that it is blocked on, for messages."""
        current = self._current
        while not ready():
            if current is None:
                raise Diagnostic(f"'{op.name}' blocks forever", where=where(op), found=state())
            current.ready, current.blocked_at, current.blocked_state = ready, op, state()
            self._switch()
        if current is not None:
            current.ready = current.blocked_at = None

    def run(self, programs: Sequence[tuple[str, Callable[[], object]]], op: Operation) -> None:
        """
        Run programs to their ends, given their names and bodies.

        Raises Diagnostic where all of those that have not ended are blocked, and the error of a program.
        """
        if self._current is not None:
            raise Diagnostic("concurrent programs in a program cannot be run", where=where(op))
        self._programs = [_Program(name, rank=self._rank(name)) for name, _ in programs]
        bodies = zip(self._programs, programs, strict=True)
        threads = [Thread(target=self._run, args=(program, body), daemon=True) for program, (_, body) in bodies]
        for thread in threads:
            thread.start()
        try:
            while any(not program.is_done for program in self._programs):
                self._give_turn(op)
        finally:
            self._stop(threads)

    def _rank(self, name: str) -> float:
        return self.order.ranks.get(name, 0) if self.order.seed is None else self._random.random()

    def _is_outranked(self) -> bool:
        """Return whether a program of a higher rank than the current one can go on."""
        current = self._current
        return current is not None and any(
            program.rank > current.rank
            and not program.is_done
            and program is not current
            and (program.ready is None or program.ready())
            for program in self._programs
        )

    def _give_turn(self, op: Operation) -> None:
        """Let one program run until it gives its turn back."""
        live = [program for program in self._programs if not program.is_done]
        able = _able(live)
        while not able and self._pending:
            self._pending.pop(self._random.randrange(len(self._pending)))()
            able = _able(live)
        if not able:
            raise _deadlock(live, op)
        self._current = program = self._chosen(able)
        program.turn.release()
        self._main.acquire()
        self._current = None
        if program.error is not None:
            raise program.error

    def _chosen(self, able: Sequence[_Program]) -> _Program:
        if self.order.seed is not None and self.order.seed % 2 == 0:
            return self._random.choice(able)
        chosen = max(able, key=lambda program: program.rank)
        if self.order.seed is not None and self._random.random() < 0.05:
            chosen.rank = self._random.random()
        return chosen

    def _run(self, program: _Program, body: Callable[[], object]) -> None:
        program.turn.acquire()
        try:
            if not self._stops:
                with np.errstate(all="ignore"):
                    body()
        except _Stopped:
            pass
        except BaseException as error:
            program.error = error
        program.is_done = True
        self._main.release()

    def _switch(self) -> None:
        """Give the turn back, and wait for the next one."""
        program = self._current
        assert program is not None
        self._main.release()
        program.turn.acquire()
        if self._stops:
            raise _Stopped

    def _stop(self, threads: Sequence[Thread]) -> None:
        self._stops = True
        for program, thread in zip(self._programs, threads, strict=True):
            program.turn.release()
            thread.join()
        self._stops, self._current, self._programs = False, None, []
        self._main = Semaphore(0)


def _able(programs: Sequence[_Program]) -> list[_Program]:
    return [program for program in programs if program.ready is None or program.ready()]


def _deadlock(blocked: Sequence[_Program], op: Operation) -> Diagnostic:
    """Return the error for programs of which none can go on."""
    notes = [
        f"program '{program.name}' is blocked at '{program.blocked_at.name}': {program.blocked_state}"
        for program in blocked
        if program.blocked_at is not None
    ]
    ops = [program.blocked_at for program in blocked if program.blocked_at is not None]
    return Diagnostic(
        "deadlock: no program can go on",
        where=where(ops[0] if ops else op),
        expected="a program that is not blocked, or the end of all",
        notes=notes,
        remedy="release or push what they wait for, or give the stream more depth",
    )
