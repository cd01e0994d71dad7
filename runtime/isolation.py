"""Isolation of a compiled network: it runs in a child process, whose crash does not end the caller's."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, NoReturn, TypeVar

from ..errors import Diagnostic
from ..interruption import end_at_once
from ..passes.core.failures import as_diagnostic

_T = TypeVar("_T")

_LINES = 20
"""Of what a process said before it died, so many lines are shown."""


@dataclass(eq=False)
class EndedProcess(Diagnostic):
    """Error of a child process that a signal or `exit` has ended, by its exit code: negative for a signal."""

    code: int = 0


def isolated(work: Callable[[], _T], what: str) -> _T:
    """
    Run `work` in a child process and return its result; its side effects are lost.

    Raises Diagnostic where it raises one, and EndedProcess where a signal or `exit` ends it, with what it wrote to its
    standard error. Where processes cannot be forked the work is done in this one. `what` is named in the error.
    """
    if not hasattr(os, "fork"):
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as outcome:
        child = os.fork()
        if child == 0:
            _work_and_end(work, said, outcome)
        status = _status_of(child)
        said.seek(0)
        text = said.read().decode(errors="replace")
        if status:
            raise _ended(what, os.waitstatus_to_exitcode(status), text)
        sys.stderr.write(text)
        outcome.seek(0)
        result: Any = pickle.load(outcome)
    if isinstance(result, Diagnostic):
        raise result
    return result


def _status_of(child: int) -> int:
    """Wait for a child process to end; an exception that ends the wait, such as an interrupt, ends the child too."""
    try:
        return os.waitpid(child, 0)[1]
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _work_and_end(work: Callable[[], Any], said: IO[bytes], outcome: IO[bytes]) -> NoReturn:
    """Do the work, write what came of it, and end without what a process does as it exits, which is the parent's."""
    status = 1
    try:
        os.dup2(said.fileno(), 2)
        faulthandler.disable()
        end_at_once()
        try:
            result = work()
        except Exception as error:
            result = as_diagnostic(error, "a run")
        pickle.dump(result, outcome)
        outcome.flush()
        status = 0
    finally:
        os._exit(status)


def _ended(what: str, code: int, said: str) -> EndedProcess:
    """Return the error of a process with an exit code, which is negative for a signal."""
    by = signal.Signals(-code).name if code < 0 else f"exit({code})"
    return EndedProcess(
        f"{what} was ended by {by}",
        notes=said.strip().splitlines()[:_LINES],
        remedy="run it on sanitizers, which say where",
        code=code,
    )
