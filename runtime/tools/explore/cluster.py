"""Cluster of dask.distributed that evaluates the jobs of a sweep: the client's side, and a task on a worker."""

from __future__ import annotations

import logging
import re
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.metadata import version
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ....errors import Diagnostic
from ....grammar import UsageError
from .parcel import packed
from .remote import started
from .rows import PointJob
from .sweep import compiler_state
from .workers import POLL, JobOutcome, JobWorker, is_tried_again

if TYPE_CHECKING:
    from .sweep import DesignSweep

_ADDRESS = re.compile(r"([a-z]+://)?(\[[^\]]+\]|[^\s:/]+):\d+")
_CONNECT_SECONDS = 10.0
"""Seconds in which a scheduler has to answer."""
_WORKERLESS_SECONDS = 60.0
"""Seconds after which a cluster without workers is given up: a nanny starts a worker that died in a few."""
_GO_ON = "the same command evaluates the points that the file of results lacks"


def checked_address(text: str) -> str:
    """Return the address of a scheduler. Raises UsageError for another form, and Diagnostic where dask is missing."""
    if not _ADDRESS.fullmatch(text):
        raise UsageError("not the address of a scheduler", expected="HOST:PORT, such as tcp://head:8786", found=text)
    _distributed()
    return text


def _distributed() -> Any:
    """Return the package. Raises Diagnostic where it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        remedy = "pip install 'tilewright[cluster]' here and on each machine of the cluster"
        raise Diagnostic("a cluster needs dask.distributed", found=str(error), remedy=remedy) from error


# On a worker

_seat = threading.local()


def evaluate_point(content: bytes, sweep: str, compiler: str, number: int, job: PointJob, limit: float) -> JobOutcome:
    """
    Evaluate a point of a parcel on a worker of a cluster, in a process that is this thread's.

    Threads thus take no turns, and a point that takes too long or kills its process ends no worker. Raises Diagnostic
    where the compiler is another one than the client's.
    """
    if (own := compiler_state()) != compiler:
        raise _skew(compiler, own, "a worker")
    worker = _worker_of(sweep, content)
    worker.give(number, job)
    while (outcome := worker.end(worker.connection.poll(POLL), limit)) is None:
        pass
    return outcome


def _worker_of(sweep: str, content: bytes) -> JobWorker:
    """Return this thread's process for a sweep, another one where that of the last job has ended."""
    own: tuple[str, JobWorker] | None = getattr(_seat, "worker", None)
    if own is not None and own[0] == sweep and not own[1].has_ended():
        return own[1]
    if own is not None:
        own[1].close()
    _seat.worker = sweep, started(content)
    return _seat.worker[1]


def _skew(expected: str, other: str, where: str) -> Diagnostic:
    return Diagnostic(
        f"the tilewright of {where} is another one",
        expected=expected,
        found=other,
        remedy="install the tilewright of this machine there, with the same packages, and start the workers again",
    )


# On the client


def cluster_outcomes(
    address: str, sweep: DesignSweep, jobs: Sequence[PointJob], *, limit: float
) -> Iterator[JobOutcome | None]:
    """
    Evaluate jobs on the workers of a scheduler, and yield their outcomes as they end, and None now and then between.

    A worker that is lost has its point evaluated on another one; a point that kills several has failed. Raises
    Diagnostic where the scheduler does not answer or is lost, no worker is there, or their tilewright is another one.
    """
    content, compiler = packed(sweep), compiler_state()
    with _client(address) as client:
        check_workers(client, address)
        key = f"tilewright-{uuid4().hex[:12]}"
        # A task and not data that are scattered: where the worker that has it is lost, the scheduler runs it again.
        parcel = client.submit(_same, content, key=f"{key}-parcel", pure=False)
        run = _ClusterRun(client, address)
        for number, job in enumerate(jobs):
            run.submit(number, f"{key}-{number}-", evaluate_point, parcel, key, compiler, number, job, limit)
        yield from run.outcomes()


def _same(content: bytes) -> bytes:
    return content


class _ClusterRun:
    """Tasks of a sweep on a cluster, until all have ended."""

    def __init__(self, client: Any, address: str):
        self._client, self._address = client, address
        self._ended: Queue[tuple[int, Any]] = Queue()
        self._tasks: dict[int, tuple[str, Callable[..., JobOutcome], tuple[Any, ...]]] = {}
        self._futures: dict[int, Any] = {}
        self._deaths = Counter[int]()
        self._workerless = time.monotonic()

    def submit(self, number: int, key: str, function: Callable[..., JobOutcome], *arguments: Any) -> None:
        """Submit the task of a job."""
        self._tasks[number] = key, function, arguments
        self._submit(number, None)

    def _submit(self, number: int, workers: Sequence[str] | None) -> None:
        key, function, arguments = self._tasks[number]
        attempt = self._deaths[number]
        future = self._client.submit(
            function, *arguments, key=f"{key}{attempt}", pure=False, workers=workers, allow_other_workers=bool(workers)
        )
        self._futures[number] = future
        future.add_done_callback(partial(self._end, number))

    def _end(self, number: int, future: Any) -> None:
        self._ended.put((number, future))

    def outcomes(self) -> Iterator[JobOutcome | None]:
        """Yield the outcomes as tasks end, and None where none did for a while."""
        while self._futures:
            try:
                number, future = self._ended.get(timeout=POLL)
            except Empty:
                self._check_alive()
                yield None
                continue
            if future is not self._futures.get(number):
                continue
            outcome = self._outcome(number, future)
            if is_tried_again(outcome, self._deaths):
                self._submit(number, self._others(future))
                continue
            del self._futures[number]
            yield outcome

    def _outcome(self, number: int, future: Any) -> JobOutcome:
        """Return the outcome of a task that has ended. Raises Diagnostic where it is the cluster's fault."""
        if future.status in ("cancelled", "lost"):
            raise _lost(self._address)
        if future.status == "finished":
            return future.result()
        error = future.exception()
        if isinstance(error, _distributed().scheduler.KilledWorker):
            tries = f"{error.allowed_failures + 1} workers, one after the other"
            remedy = "the logs of the workers say more; --retry evaluates it again"
            text = str(Diagnostic("its worker was lost", found=tries, remedy=remedy))
            return JobOutcome(number, None, text, 0.0)
        raise _as_diagnostic(error, self._address)

    def _others(self, future: Any) -> list[str] | None:
        """Return the addresses of the workers but for that of a task, None where there are no others."""
        holders = self._client.who_has([future]).get(future.key, ())
        return sorted(set(self._client.nthreads()) - set(holders)) or None

    def _check_alive(self) -> None:
        """Raise Diagnostic where the scheduler is lost, or has no workers for a minute."""
        if self._client.status in ("closed", "closing"):
            raise _lost(self._address)
        now = time.monotonic()
        with suppress(OSError):  # while the client connects again
            if self._client.status == "running" and self._client.nthreads():
                self._workerless = now
        if now - self._workerless > _WORKERLESS_SECONDS:
            raise _workerless(self._address, f"for {_WORKERLESS_SECONDS:g} s")


@contextmanager
def _client(address: str) -> Generator[Any]:
    """Give a client of a scheduler. Raises Diagnostic where the scheduler does not answer."""
    distributed = _distributed()
    # What is wrong is raised as an error; the package's log says it in its own words, with tracebacks.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph|(.|\n)*Mismatched versions")
        try:
            client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except Exception as error:
            remedy = "start one with `dask scheduler`; check host, port and protocol, and that no firewall is between"
            raise Diagnostic(f"no scheduler answers at {address}", found=str(error), remedy=remedy) from error
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def check_workers(client: Any, address: str) -> None:
    """Raise Diagnostic where no worker is there, or where the tilewright of one or of the scheduler is another one."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
    except TimeoutError as error:
        raise _workerless(address, f"after {_CONNECT_SECONDS:g} s") from error
    own = version("tilewright")
    try:
        versions: dict[str, Any] = client.get_versions(packages=["tilewright"])
        machines = {"the scheduler": versions["scheduler"], **versions["workers"]}
        for where, machine in machines.items():
            if (other := machine["packages"].get("tilewright")) != own:
                raise _skew(f"tilewright {own}", f"tilewright {other}" if other else "no tilewright", where)
        states: dict[str, str] = client.run(compiler_state)
    except Diagnostic:
        raise
    except Exception as error:
        raise _as_diagnostic(error, address) from error
    for where, state in states.items():
        if state != compiler_state():
            raise _skew(compiler_state(), state, where)


def _as_diagnostic(error: BaseException, address: str) -> Diagnostic:
    """Return the error of a cluster: that of a task, or one of versions that differ."""
    if isinstance(error, Diagnostic):
        return error
    remedy = f"install the same versions of Python, dask and tilewright on all machines; {_GO_ON}"
    return Diagnostic(
        f"the cluster at {address} cannot run a point", found=f"{type(error).__name__}: {error}", remedy=remedy
    )


def _lost(address: str) -> Diagnostic:
    return Diagnostic(f"the scheduler at {address} was lost", remedy=f"start it again; {_GO_ON}")


def _workerless(address: str, since: str) -> Diagnostic:
    remedy = f"start one on each machine with `dask worker {address}`; {_GO_ON}"
    return Diagnostic(f"the scheduler at {address} has no workers", found=f"none {since}", remedy=remedy)
