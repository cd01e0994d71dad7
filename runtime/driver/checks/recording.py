"""The output that each filecheck of a lit test reads, and the prefixes of its CHECK lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from ....errors import Diagnostic
from ..run_lines.script import run_lines, substitute
from ..run_lines.shell import CommandResult, Tool, is_understood, run_line

_SHOWN = 8
"""Lines of a failing command's standard error that an error shows."""


@dataclass(frozen=True)
class Reading:
    """Text that one filecheck of a test reads, with its prefixes and its words on the command line."""

    prefixes: tuple[str, ...]
    text: str
    words: tuple[str, ...]


def varying_paths(file: Path, folder: Path) -> tuple[str, ...]:
    """Return the paths that the output of a test in a folder names, and that are others in each run."""
    copy, run = _places(file, folder)
    return str(copy), str(run / f"{file.name}.tmp"), str(run)


def _places(file: Path, folder: Path) -> tuple[Path, Path]:
    """Return the copy of a test in a folder, and the folder in which its commands run."""
    return folder / "source" / file.name, folder / "run"


def readings(text: str, file: Path, folder: Path, tools: Mapping[str, Tool]) -> list[Reading]:
    """
    Run the commands of a test whose text is `text`, in a folder, without checking; return what filecheck would read.

    `%s` is a copy in the folder, `%S` the folder of `file`. A `not filecheck` runs as it is. Raises Diagnostic for a
    command that fails or needs a shell, and ScriptError for a malformed test.
    """
    copy, run = _places(file, folder)
    copy.parent.mkdir()
    run.mkdir()
    copy.write_text(text, encoding="utf-8")
    recorded: list[Reading] = []

    def record(words: list[str]) -> int:
        from filecheck.options import parse_argv_options

        options = parse_argv_options(list(words))
        if options.match_filename == str(copy):
            read = sys.stdin.read() if options.input_file == "-" else Path(options.input_file).read_text("utf-8")
            recorded.append(Reading(tuple(options.check_prefixes), read, tuple(words)))
        return 0

    with chdir(run):
        for line in run_lines(text):
            command = substitute(line.replace("%S", str(file.parent)), copy, run)
            if "filecheck" in line and not is_understood(command):
                raise Diagnostic(
                    "the RUN line needs a shell",
                    expected="commands with pipes, &&, not and redirections",
                    found=line,
                    remedy="write a simpler RUN line, or its CHECK lines by hand",
                )
            is_negated = "not filecheck" in line
            result = run_line(command, tools if is_negated else {**tools, "filecheck": record})
            if result.code:
                raise _failure(line, result)
    return recorded


def _failure(line: str, result: CommandResult) -> Diagnostic:
    shown = result.err.decode(errors="replace").strip().splitlines()[:_SHOWN]
    return Diagnostic(
        "the RUN line fails",
        expected="a command that succeeds; one that has to fail begins with 'not'",
        found=f"exit code {result.code} of {line}",
        notes=shown,
        remedy="mend the test, or add --verify-diagnostics or 'not' for errors that are expected",
    )


def fault(recorded: Sequence[Reading], folder: Path, tools: Mapping[str, Tool]) -> str:
    """Return the output of the first filecheck that fails on what it reads, empty where all pass."""
    for reading in recorded:
        read = folder / "read"
        read.write_text(reading.text, encoding="utf-8")
        result = run_line(f"{shlex.join(reading.words)} < {shlex.quote(str(read))}", tools)
        if result.code:
            return (result.out + result.err).decode(errors="replace")
    return ""
