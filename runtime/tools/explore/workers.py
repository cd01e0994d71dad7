"""Processes that do independent jobs; a job that fails, kills its process or takes too long ends no other."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import IO, Any

from ....errors import Diagnostic
from ....interruption import end_at_once
from ....passes.core.failures import as_diagnostic

_LINES = 5
"""Of what a process said before it died, so many lines are kept."""
ATTEMPTS = 3
"""Processes that a job may kill, one after the other, until it has failed."""
_POLL = 0.5
"""Seconds between two looks for outcomes, or for the death of the parent, which other processes' pipes do not show."""


@dataclass(frozen=True)
class JobOutcome:
    """Result of a job, or the error that it ended with, and the wall-clock seconds that it took."""

    number: int
    result: Any
    error: Diagnostic | None
    seconds: float
    is_death: bool = False
    """Whether the job ended its process."""


def outcomes(work: Callable[[int], Any], count: int, processes: int, limit: float = 0.0) -> Iterator[JobOutcome | None]:
    """
    Do the jobs 0 to `count`, each in a process, and yield their outcomes as they end, and None now and then between.

    A job that takes longer than `limit` seconds (0: none) is killed. One whose process dies is done again in another
    process, until it has killed ATTEMPTS of them. Where processes cannot be forked, jobs are done in this one, without
    a limit.
    """
    if not hasattr(os, "fork"):
        yield from (_outcome(work, number) for number in range(count))
        return
    waiting, deaths = deque(range(count)), Counter[int]()
    workers = [_Worker(work) for _ in range(min(processes, count))]
    try:
        for worker in workers:
            worker.give(waiting.popleft())
        while any(worker.number is not None for worker in workers):
            ready = wait([worker.connection for worker in workers if worker.number is not None], _POLL)
            ended = [worker.end(worker.connection in ready, limit) for worker in workers]
            for place, outcome in enumerate(ended):
                if outcome is None:
                    continue
                if not workers[place].is_alive:
                    workers[place].close()
                    workers[place] = _Worker(work)
                if is_tried_again(outcome, deaths):
                    waiting.appendleft(outcome.number)
                    ended[place] = None
                if waiting:
                    workers[place].give(waiting.popleft())
            yield from [outcome for outcome in ended if outcome is not None] or [None]
    finally:
        for worker in workers:
            worker.close()


def is_tried_again(outcome: JobOutcome, deaths: Counter[int]) -> bool:
    """Return whether a job is to be done again, as it ended its process; `deaths` counts those of each job."""
    if not outcome.is_death:
        return False
    deaths[outcome.number] += 1
    return deaths[outcome.number] < ATTEMPTS


class _Worker:
    """Forked process that does one job after the other."""

    def __init__(self, work: Callable[[int], Any]):
        context = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        self.number: int | None = None
        self.is_alive = True
        self._begun = 0.0
        self._said: IO[bytes] = tempfile.TemporaryFile()
        self._process = context.Process(target=_serve, args=(work, other, self.connection, self._said), daemon=True)
        self._process.start()
        other.close()

    def give(self, number: int) -> None:
        """Begin a job."""
        self.number, self._begun = number, time.monotonic()
        with suppress(OSError):  # a process that died meanwhile is seen by `end`
            self.connection.send(number)

    def end(self, is_ready: bool, limit: float) -> JobOutcome | None:
        """Return the outcome of the job, None while it runs."""
        if self.number is None:
            return None
        number, seconds = self.number, time.monotonic() - self._begun
        if is_ready:
            self.number = None
            try:
                result, error = self.connection.recv()
            except (EOFError, OSError):
                return JobOutcome(number, None, self._death(), seconds, is_death=True)
            return JobOutcome(number, result, error, seconds)
        if not limit or seconds <= limit:
            return None
        self.number, self.is_alive = None, False
        self._process.kill()
        return JobOutcome(number, None, Diagnostic("it took too long", "", f"at most {limit:g} s"), seconds)

    def _death(self) -> Diagnostic:
        self.is_alive = False
        self._process.join()
        code = self._process.exitcode or 0
        self._said.seek(0)
        text = self._said.read().decode(errors="replace").strip().splitlines()[-_LINES:]
        cause = signal.Signals(-code).name if code < 0 else f"exit({code})"
        tries = f"{ATTEMPTS} processes, one after the other"
        remedy = "--retry evaluates it again, with fewer --jobs where memory was short"
        return Diagnostic(f"its process was ended by {cause}", found=tries, remedy=remedy, notes=text)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()
        self._said.close()


def _serve(work: Callable[[int], Any], connection: Connection, other: Connection, said: IO[bytes]) -> None:
    """Do the jobs whose numbers arrive, until there are no more or the parent has died."""
    other.close()
    parent = os.getppid()
    end_at_once()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(said.fileno(), 2)
    faulthandler.disable()
    with suppress(EOFError):
        while os.getppid() == parent:
            if not connection.poll(_POLL):
                continue
            outcome = _outcome(work, connection.recv())
            connection.send((outcome.result, outcome.error))


def _outcome(work: Callable[[int], Any], number: int) -> JobOutcome:
    begun = time.monotonic()
    result, failure = None, None
    try:
        result = work(number)
    except Exception as error:
        failure = as_diagnostic(error, "a point")
    return JobOutcome(number, result, failure, time.monotonic() - begun)
