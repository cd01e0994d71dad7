"""Process of a worker of a cluster, `python -m MODULE DESCRIPTOR`: it evaluates points of a parcel."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

from ....discovery import scope
from ....errors import warnings_as_lines
from .parcel import UnpackedSweep
from .workers import POLL, JobWorker, Process, serve

_IDLE_SECONDS = 60.0
"""Seconds without a job after which the process ends: its sweep has ended, or the client has died."""


class _PopenProcess:
    """Program as the process of a worker. That of a cluster is a daemon, which `multiprocessing` lets start none."""

    def __init__(self, popen: subprocess.Popen[bytes]):
        self._popen = popen

    def kill(self) -> None:
        """End it by SIGKILL."""
        self._popen.kill()

    def join(self) -> None:
        """Wait for its end."""
        self._popen.wait()

    @property
    def exitcode(self) -> int | None:
        """The exit code, negative for a signal, None while it runs."""
        return self._popen.poll()


def started(content: bytes) -> JobWorker:
    """Return a worker that evaluates points of a parcel in a process of its own."""

    def start(_: Connection, other: Connection, said: IO[bytes]) -> Process:
        command = [sys.executable, "-m", __name__, str(other.fileno())]
        null = subprocess.DEVNULL
        return _PopenProcess(subprocess.Popen(command, stdin=null, stdout=null, stderr=said, pass_fds=[other.fileno()]))

    worker = JobWorker(start)
    with suppress(EOFError, OSError):  # a process that died meanwhile is seen by `end`
        worker.connection.send_bytes(content)
        worker.connection.recv()  # it is ready: a limit of time is one of a point
    return worker


def main(descriptor: int) -> None:
    """Evaluate the jobs that arrive on a pipe, after the parcel that they are of."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    connection = Connection(descriptor)
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder, warnings_as_lines(), scope():
        sweep = UnpackedSweep(connection.recv_bytes(), Path(folder))
        connection.send(None)
        serve(sweep.metrics, connection, _IDLE_SECONDS, sweep.told)


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has died: another worker evaluates its point."""
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
