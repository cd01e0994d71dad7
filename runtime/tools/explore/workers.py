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
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import IO, Any, Protocol

from ....errors import Diagnostic
from ....interruption import end_at_once
from ....passes.core.failures import as_diagnostic

_LINES = 5
"""Of what a process said before it died, so many lines are kept."""
ATTEMPTS = 3
"""Processes that a job may kill, one after the other, until it has failed."""
POLL = 0.5
"""Seconds between two looks for outcomes, or for the death of the parent, which other processes' pipes do not show."""


@dataclass(frozen=True)
class JobOutcome:
    """Result of a job, or the error that it ended with, and the wall-clock seconds that it took."""

    number: int
    result: Any
    error: str
    seconds: float
    is_death: bool = False
    """Whether the job ended its process."""


class Process(Protocol):
    """Process of a worker."""

    def kill(self) -> None:
        """End it by SIGKILL."""
        ...

    def join(self) -> None:
        """Wait for its end."""
        ...

    @property
    def exitcode(self) -> int | None:
        """The exit code, negative for a signal, None while it runs."""
        ...


def outcomes(work: Callable[[int], Any], count: int, processes: int, limit: float = 0.0) -> Iterator[JobOutcome | None]:
    """
    Do the jobs 0 to `count`, each in a process, and yield their outcomes as they end, and None now and then between.

    A job that takes longer than `limit` seconds (0: none) is killed. One whose process dies is done again in another
    process, until it has killed ATTEMPTS of them. Where processes cannot be forked, jobs are done in this one, without
    a limit.
    """
    if not hasattr(os, "fork"):
        yield from (outcome_of(work, number, number) for number in range(count))
        return
    waiting, deaths = deque(range(count)), Counter[int]()
    workers = [_forked(work) for _ in range(min(processes, count))]
    try:
        for worker in workers:
            number = waiting.popleft()
            worker.give(number, number)
        while any(worker.number is not None for worker in workers):
            ready = wait([worker.connection for worker in workers if worker.number is not None], POLL)
            ended = [worker.end(worker.connection in ready, limit) for worker in workers]
            for place, outcome in enumerate(ended):
                if outcome is None:
                    continue
                if not workers[place].is_alive:
                    workers[place].close()
                    workers[place] = _forked(work)
                if is_tried_again(outcome, deaths):
                    waiting.appendleft(outcome.number)
                    ended[place] = None
                if waiting:
                    number = waiting.popleft()
                    workers[place].give(number, number)
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


class JobWorker:
    """
    Process that does one job after the other.

    `start` starts it with both ends of a pipe, of which the second is the process's, and a file for what it says.
    """

    def __init__(self, start: Callable[[Connection, Connection, IO[bytes]], Process]):
        self.connection, other = multiprocessing.Pipe()
        self.number: int | None = None
        self.is_alive = True
        self._begun = 0.0
        self._said: IO[bytes] = tempfile.TemporaryFile()
        self._process = start(self.connection, other, self._said)
        other.close()

    def give(self, number: int, job: Any) -> None:
        """Begin a job."""
        self.number, self._begun = number, time.monotonic()
        with suppress(OSError):  # a process that died meanwhile is seen by `end`
            self.connection.send((number, job))

    def end(self, is_ready: bool, limit: float) -> JobOutcome | None:
        """Return the outcome of the job, None while it runs."""
        if self.number is None:
            return None
        number, seconds = self.number, time.monotonic() - self._begun
        if is_ready:
            self.number = None
            try:
                return self.connection.recv()
            except (EOFError, OSError):
                return JobOutcome(number, None, self._death(), seconds, is_death=True)
        if not limit or seconds <= limit:
            return None
        self.number, self.is_alive = None, False
        self._process.kill()
        return JobOutcome(number, None, str(Diagnostic("it took too long", "", f"at most {limit:g} s")), seconds)

    def _death(self) -> str:
        self.is_alive = False
        self._process.join()
        code = self._process.exitcode or 0
        self._said.seek(0)
        text = self._said.read().decode(errors="replace").strip().splitlines()[-_LINES:]
        cause = signal.Signals(-code).name if code < 0 else f"exit({code})"
        tries = f"{ATTEMPTS} processes, one after the other"
        remedy = "--retry evaluates it again, with fewer --jobs where memory was short"
        return str(Diagnostic(f"its process was ended by {cause}", found=tries, remedy=remedy, notes=text))

    def has_ended(self) -> bool:
        """Return whether the process has ended by itself."""
        return not self.is_alive or self._process.exitcode is not None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()
        self._said.close()


def _forked(work: Callable[[int], Any]) -> JobWorker:
    """Return a worker in a fork of this process."""

    def start(own: Connection, other: Connection, said: IO[bytes]) -> Process:
        target, arguments = _serve_forked, (work, other, own, said)
        process = multiprocessing.get_context("fork").Process(target=target, args=arguments, daemon=True)
        process.start()
        return process

    return JobWorker(start)


def _serve_forked(work: Callable[[int], Any], connection: Connection, other: Connection, said: IO[bytes]) -> None:
    other.close()
    os.dup2(said.fileno(), 2)
    serve(work, connection)


def serve(
    work: Callable[[Any], Any],
    connection: Connection,
    idle: float = float("inf"),
    told: Callable[[str], str] = str,
) -> None:
    """
    Do the jobs that arrive, until the parent has closed the pipe or died, or none arrives for `idle` seconds.

    Texts of errors are those that `told` returns.
    """
    parent, last = os.getppid(), time.monotonic()
    end_at_once()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()
    with suppress(EOFError):
        while os.getppid() == parent and time.monotonic() - last < idle:
            if not connection.poll(POLL):
                continue
            outcome = outcome_of(work, *connection.recv())
            connection.send(replace(outcome, error=told(outcome.error)))
            last = time.monotonic()


def outcome_of(work: Callable[[Any], Any], number: int, job: Any) -> JobOutcome:
    """Do a job in this process."""
    begun = time.monotonic()
    result, failure = None, ""
    try:
        result = work(job)
    except Exception as error:
        failure = str(as_diagnostic(error, "a point"))
    return JobOutcome(number, result, failure, time.monotonic() - begun)
