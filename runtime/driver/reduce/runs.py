"""
Runs of a test case, each with a time limit: in this process, or in a child that a crash or a hang may end.

Children cost a fork each, so they are for failures that end or stop the process.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ....passes.core.failures import catchable
from ...isolation import EndedProcess, isolated
from .signature import ENDED, HANG, FailureSignature, signature_of

_AGAIN = 0.5
"""Seconds after which a run that has swallowed the exception of its time limit gets it again."""


class _OverTime(BaseException):
    """End of a time limit: no pass catches it as an error of its own."""


def outcome(run: Callable[[], object], seconds: float) -> FailureSignature | None:
    """Run in this process and return the signature of the failure, None where there is none."""
    try:
        with _limited(seconds):
            return _outcome(run)
    except _OverTime:
        return FailureSignature("", HANG, shown=_too_long(seconds))


def isolated_outcome(run: Callable[[], object], seconds: float) -> FailureSignature | None:
    """Run in a child process, where processes can be forked, and return the signature of the failure."""

    def limited() -> FailureSignature | None:
        # The signal's default action ends the child, also where Python's handler would not be called.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return _outcome(run)

    if not hasattr(os, "fork"):
        return outcome(run, seconds)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            return isolated(limited, "the run")
    except EndedProcess as error:
        if error.code == -signal.SIGALRM:
            return FailureSignature("", HANG, shown=_too_long(seconds))
        return FailureSignature("", ENDED, error.message, f"error: {error.message}")


def _outcome(run: Callable[[], object]) -> FailureSignature | None:
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
            run()
    except BaseException as error:
        if not catchable(error) and not isinstance(error, SystemExit):
            raise
        return signature_of(error)
    return None


def _too_long(seconds: float) -> str:
    return f"the run does not end within {seconds:g} s (--reduce-timeout)"


@contextmanager
def _limited(seconds: float) -> Generator[None]:
    """Raise _OverTime in the block after a wall-clock time; only the main thread of a POSIX process can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise _OverTime

    handler = signal.signal(signal.SIGALRM, end)
    rest, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if rest:
            signal.setitimer(signal.ITIMER_REAL, rest, interval)
