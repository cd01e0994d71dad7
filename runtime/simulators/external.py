"""A simulator that others wrote, as a process: discovery, version, time limit, and errors with a remedy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import Diagnostic
from ..processes import finished

_LAST_LINES = 10


@dataclass(frozen=True)
class ProcessResult:
    """Result of a run: the exit status, and what it printed to stdout and stderr."""

    status: int
    printed: str


@dataclass(frozen=True)
class ExternalSimulator:
    """
    A simulator: the environment variable and the program that find it, its version, and the programs that it needs.

    `ask` are the arguments with which it prints its version, of which `version` is the pattern. `needs` are (program,
    remedy) pairs.
    """

    name: str
    variable: str
    program: str
    ask: tuple[str, ...]
    version: re.Pattern[str]
    remedy: str
    needs: tuple[tuple[str, str], ...] = ()

    def find(self) -> Path:
        """
        Return the program: that of the environment variable, else on PATH, else in this Python's folder of scripts.

        Raises Diagnostic if there is none, and where a program that it needs is missing.
        """
        chosen = os.environ.get(self.variable, "")
        folders = os.pathsep.join(
            [os.environ.get("PATH", ""), sysconfig.get_path("scripts"), str(Path(sys.prefix, "bin"))]
        )
        path = shutil.which(chosen or self.program, path=folders)
        if path is None and chosen:
            raise Diagnostic(
                f"the simulator that ${self.variable} names is no program", where=f"${self.variable}", found=chosen
            )
        if path is None:
            raise Diagnostic(
                f"there is no simulator '{self.name}'",
                expected=f"{self.program} on PATH, or the variable {self.variable}",
                remedy=self.remedy,
            )
        for program, remedy in self.needs:
            if shutil.which(program) is None:
                raise Diagnostic(f"{self.name} needs the program '{program}', which is missing", remedy=remedy)
        return Path(path).absolute()

    def found_version(self) -> str:
        """Return the version that the simulator prints. Raises Diagnostic where it does not start or prints none."""
        done = self.execute(self.ask, Path.cwd(), seconds=60).printed
        if (match := self.version.search(done)) is None:
            raise Diagnostic(
                f"{self.find()} is another program than {self.name}, or another version",
                expected=f"a version as /{self.version.pattern}/",
                found=done.strip().rpartition("\n")[2][:200] or "no output",
                remedy=self.remedy,
            )
        return match[1]

    def execute(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        seconds: float,
        beside: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> ProcessResult:
        """
        Run the simulator in a folder until it ends, or the program `beside` it, with more variables of the environment.

        Raises Diagnostic where it does not start, and where it takes longer than `seconds` of wall-clock time: it is
        killed, with the processes that it started.
        """
        program = self.find()
        if beside:
            program = program.parent / beside
        command = [str(program), *arguments]
        try:
            done = finished(command, folder, environment, seconds=seconds, merged=True)
        except OSError as error:
            raise Diagnostic(
                f"{self.name} does not start", where=str(program), found=error.strerror or "", remedy=self.remedy
            ) from error
        except subprocess.TimeoutExpired as late:
            raise Diagnostic(
                f"{self.name} has not ended after {seconds:g} s and was killed",
                where=str(program),
                notes=_last_lines(str(late.output)),
                remedy="allow more seconds, or run a smaller network",
            ) from None
        return ProcessResult(done.returncode, done.stdout)

    def check(self, done: ProcessResult) -> None:
        """Raise Diagnostic where a run has an exit status other than 0."""
        if done.status:
            where, notes = str(self.find()), _last_lines(done.printed)
            raise Diagnostic(f"{self.name} failed with status {done.status}", where=where, notes=notes)


def _last_lines(printed: str) -> list[str]:
    lines = printed.splitlines()[-_LAST_LINES:]
    return ["the last lines that it printed:", *lines] if lines else []
