"""RUN lines of a test: where they stand, and their execution on the text as the editor has it."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ...errors import Diagnostic
from ..driver.run_lines.script import ScriptError, run_lines, substitute

_RUN = re.compile(r"//\s*RUN:(.*)$")
_SOURCE_FOLDER = re.compile(r"(?<!%)%S")
_SECONDS = 120
"""Seconds after which a command is ended: a test that computes something takes a few."""
_SHOWN = 8000
"""Characters of an output that a report has, from its end: the error is there."""


class RunOutcome(NamedTuple):
    """Outcome of a test; `text` has the output of the command that failed."""

    passed: bool
    text: str


def command_lines(text: str) -> list[int]:
    """Return the line, from 0, at which each command begins: no RUN line after one that ends with a backslash."""
    starts: list[int] = []
    unfinished = False
    for number, line in enumerate(text.split("\n")):
        if (match := _RUN.search(line.rstrip("\r"))) is None:
            continue
        if not unfinished:
            starts.append(number)
        unfinished = match[1].rstrip().endswith("\\")
    return starts


async def run_test(text: str, path: Path, line: int | None = None) -> RunOutcome:
    """
    Run the commands of a test, or the one that begins at a line, until one fails; `text` is that of the file now.

    They run in a folder of their own, `%s` being a copy where the file on the disk is another. Raises Diagnostic where
    the text has no such command.
    """
    try:
        commands = run_lines(text)
    except ScriptError as error:
        raise Diagnostic(str(error)) from error
    starts = command_lines(text)
    if line is not None and line not in starts:
        raise Diagnostic(f"no command begins in line {line + 1}", remedy="run the test once more from its first line")
    chosen = commands if line is None else [commands[starts.index(line)]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = path
        if not path.is_file() or path.read_bytes().decode("utf-8", "replace") != text:
            file = folder / path.name
            file.write_bytes(text.encode())
        for command in chosen:
            shown = _SOURCE_FOLDER.sub(lambda _: str(path.parent), command)
            code, output = await _run(substitute(shown, file, folder), folder)
            if code:
                return RunOutcome(False, f"exit code {code} of\n  RUN: {command}\n{output[-_SHOWN:]}")
    return RunOutcome(True, "\n".join(f"RUN: {command}" for command in chosen))


async def _run(command: str, folder: Path) -> tuple[int, str]:
    """Run a command of a shell; return its exit code and its output."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    process = await asyncio.create_subprocess_exec(
        *("bash", "-o", "pipefail", "-c", command),
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), _SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        return 124, f"it took more than {_SECONDS} seconds"
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode or 0, output.decode(errors="replace")
