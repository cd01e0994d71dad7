"""Predicates of a reduction: a test case fails in the same way, or a command says that it is still interesting."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

from ....errors import Diagnostic
from ....files import write_text
from ....passes.core.manager import Observer, PassPosition
from ....passes.core.pipeline import Pipeline
from ...processes import finished
from .case import ReductionCase
from .runs import isolated_outcome, outcome
from .signature import ENDED, HANG, FailureSignature
from .usage import FILE

_LINES = 10
"""Lines that an error shows of what a command printed."""


_LEAST = 2.0
"""Seconds that a candidate has at least: modules are imported as a run first needs them."""
_TIMES = 3
"""A candidate has the time of so many runs of the test case before it, which is larger."""


@dataclass
class SameFailure:
    """
    Holds for test cases whose run fails with the same signature within a number of seconds.

    A failure that ends or stops the process is looked for in child processes, which it ends alone.
    """

    run: Callable[[ModuleOp, Pipeline], object]
    failure: FailureSignature
    seconds: float
    _limit: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._limit = self.seconds

    def __call__(self, case: ReductionCase) -> bool:
        """Run a test case, which its passes change."""
        run = outcome if self.failure.kind not in (ENDED, HANG) else isolated_outcome
        start = perf_counter()
        is_same = run(partial(self.run, case.module, case.pipeline), self._limit) == self.failure
        if is_same and self.failure.kind != HANG:
            self._limit = min(self.seconds, max(_LEAST, _TIMES * (perf_counter() - start)))
        return is_same


@dataclass(frozen=True)
class CommandHolds:
    """Holds for test cases on whose file a command of the shell exits with 0; `text` gives the file's content."""

    command: str
    file: Path
    text: Callable[[ReductionCase], str]
    seconds: float

    def __call__(self, case: ReductionCase) -> bool:
        """Write the file and run the command; one that takes too long does not hold."""
        try:
            return self.status(case).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def status(self, case: ReductionCase) -> subprocess.CompletedProcess[str]:
        """Return the exit status of the command and what it printed. Raises TimeoutExpired."""
        write_text(self.file, self.text(case))
        words = self.command.replace(FILE, shlex.quote(str(self.file)))
        shell = ("cmd", "/c") if os.name == "nt" else ("sh", "-c")
        return finished([*shell, words], seconds=self.seconds, merged=True)

    def check(self, case: ReductionCase) -> None:
        """Raise Diagnostic where the command does not hold for the input."""
        remedy = "give a command that exits with 0 on the input; {} stands for its file"
        try:
            status = self.status(case)
        except subprocess.TimeoutExpired as error:
            message = f"the command does not end on the input within {self.seconds:g} s"
            raise Diagnostic(message, found=self.command, remedy="give --reduce-timeout more seconds") from error
        if status.returncode:
            raise Diagnostic(
                "the predicate does not hold on the input",
                expected="exit status 0",
                found=f"exit status {status.returncode} of {self.command}",
                notes=status.stdout.strip().splitlines()[:_LINES],
                remedy=remedy,
            )


@dataclass
class LastInput(Observer):
    """
    Observer that writes the input of each pass to a file: after a failure, that of the pass that failed.

    The file outlives the process that runs the pass.
    """

    file: Path
    text: Callable[[ReductionCase], str]

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        write_text(self.file, self.text(ReductionCase(module, (place.step,))))
        write_text(self._counter, str(place.number))

    @property
    def number(self) -> int:
        """Return the number of the pass, from 1."""
        return int(self._counter.read_text(encoding="utf-8"))

    @property
    def _counter(self) -> Path:
        return self.file.with_suffix(".number")
