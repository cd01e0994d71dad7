"""Programs that are run to their end: compilers, what they built, and simulators."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_SECONDS = 5
"""Seconds that a program has after SIGTERM to remove its files, until SIGKILL."""


def finished(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    seconds: float | None = None,
    merged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """
    Run a program and return its exit status and what it printed; `environment` adds to that of this process.

    With `merged`, `stdout` has what it printed to either stream. Raises OSError where it does not start, and
    TimeoutExpired, with `output`, after `seconds` of wall-clock time. Where an exception ends the wait, such as an
    interrupt, the program and those that it started end too.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            _end(process)
            late.output = process.communicate()[0]
            raise
        except BaseException:
            _end(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and those of its session: by SIGTERM, at which compilers remove their files, then by SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
