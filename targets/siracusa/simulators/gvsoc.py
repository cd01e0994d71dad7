"""
GVSoC, the simulator of PULP's chips: networks as bare-metal programs on its model of Siracusa, with their cycles.

It is found by $GVSOC or on PATH. GVSoC prints no version: its release is told by a digest of the descriptions of its
models, the folder `generators` of its installation, whose `bin` has the program.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....errors import Diagnostic
from ....ir import Array
from ....runtime.host import refused
from ....runtime.simulators.external import ExternalSimulator, ProcessResult
from ..bare import SIRACUSA, BareCall, BareRun, build_bare, entries_at, has_state, read_calls

if TYPE_CHECKING:
    from ....runtime.simulators.session import Settings

PROGRAM = ExternalSimulator(
    name="GVSoC",
    variable="GVSOC",
    program="gvsoc",
    ask=("--help",),
    version=re.compile(r"usage: (gapy)\b"),
    remedy="build github.com/gvsoc/gvsoc with TARGETS=siracusa, and set GVSOC to install/bin/gvsoc",
)

RELEASES = {"c3d99a02f996": "edfcd839"}
"""Digest of the models' descriptions -> commit of gvsoc. The costs were compared with these."""

RUNS = 3
"""Runs of a program's calls, one after the other; the cycles of the last run are those of later calls."""

_CHIP = "siracusa"
_PARTS = ("cache", "cpu", "interco", "memory", "pulp")
"""Folders of `generators` that describe the chip's parts."""


def start(folder: Path, settings: Settings, calls: int = 0) -> GvsocSession:
    """
    Return the network whose C is in a folder as a program on GVSoC, which counts the cycles of `calls` marked calls.

    Raises Diagnostic as GvsocSession does.
    """
    return GvsocSession(folder, seconds=settings.seconds, calls=calls)


@cache
def release(generators: Path) -> str:
    """
    Return the commit of GVSoC by the descriptions of its models, or their digest where that is unknown.

    A script elsewhere that starts GVSoC has no models beside it. Raises Diagnostic where there is no model of the chip.
    """
    if not generators.is_dir():
        return "of unknown release"
    if not (generators / f"{_CHIP}.py").is_file():
        raise Diagnostic(
            f"GVSoC was built without a model of {_CHIP}, or is another version",
            where=str(generators),
            expected=f"{_CHIP}.py",
            remedy=PROGRAM.remedy,
        )
    files = [generators / f"{_CHIP}.py", *(file for part in _PARTS for file in (generators / part).rglob("*"))]
    digest = hashlib.sha256()
    for file in sorted(file for file in files if file.suffix in (".py", ".json")):
        digest.update(file.relative_to(generators).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    models_digest = digest.hexdigest()[:12]
    return RELEASES.get(models_digest, f"of unknown release (models {models_digest})")


class GvsocSession:
    """
    A network in a folder, on GVSoC's Siracusa.

    `entries` are its functions. `cycles` are those of each of the last calls, in each run of the program; `first` and
    `later` those of all of them, in its first run and in its last. `counted` are the controller's cycles in the marked
    calls of the last call, [2, calls + 1, 2]: first and later, of each its cycles and executions; call 0 is all that
    is around the others. State outlives a call, until `reset`: each program makes the calls since then again.
    """

    unit = "cycles"

    def __init__(self, folder: Path, *, seconds: float = 600, calls: int = 0, runs: int = RUNS):
        """
        Find the simulator, which runs a program for `seconds` of wall-clock time at most, and its calls `runs` times.

        Raises Diagnostic where it is missing, is another program, or has no model of the chip.
        """
        PROGRAM.found_version()
        self.version = f"GVSoC {release(PROGRAM.find().resolve().parent.parent / 'generators')}"
        self.entries = entries_at(folder)
        self._marked = calls
        self.counted: Array = np.zeros((2, calls + 1, 2), np.uint64)
        self._folder, self._seconds, self._runs = folder, seconds, runs
        self._history: list[BareCall] = []
        self.cycles: Array = np.zeros((runs, 0), np.int64)

    @property
    def first(self) -> int:
        """Return the cycles of the last calls when they were made first."""
        return int(self.cycles[0].sum())

    @property
    def later(self) -> int:
        """Return the cycles of the last calls when they were made again."""
        return int(self.cycles[-1].sum())

    def run_all(self, calls: Sequence[tuple[int, Sequence[Array]]]) -> list[list[Array]]:
        """
        Make calls in one program and return the outputs of each.

        Raises Diagnostic where the network needs external RAM or the program does not fit the chip's memories, where
        inputs are refused, where a later run gives other outputs than the first, and where the simulator fails or
        exceeds its time.
        """
        new_calls = [BareCall(inputs, entry=index) for index, inputs in calls]
        done = self._run([*self._history, *new_calls])
        self.cycles = np.array(done.cycles, np.int64).reshape(self._runs, -1)[:, len(self._history) :]
        self._history += new_calls if has_state(self._folder) else []
        return [list(outputs) for outputs in done.calls[-len(new_calls) :]]

    def _run(self, calls: Sequence[BareCall]) -> BareRun:
        with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
            folder = Path(name)
            elf = folder / "network.elf"
            build_bare(self._folder, elf, SIRACUSA, calls=calls, runs=self._runs, shows_all=True, counted=self._marked)
            done = PROGRAM.execute(["--target", _CHIP, "--binary", str(elf), "run"], folder, seconds=self._seconds)
        if status := re.search(r"^refused (\d+)$", done.printed, re.MULTILINE):
            call = calls[(len(re.findall(r"^cycles \d+$", done.printed, re.MULTILINE)) - 1) % len(calls)]
            raise refused(self._folder / "network.h", int(status[1]), self.entries[call.entry], call.inputs)
        PROGRAM.check(done)
        return self._read(done, calls)

    def _read(self, done: ProcessResult, calls: Sequence[BareCall]) -> BareRun:
        """Return the outputs of the last run and the cycles of all. Raises Diagnostic where runs differ."""
        run = read_calls(done.printed, self.entries, [*calls] * self._runs)
        if self._marked:
            self.counted = self._counts(done.printed, len(calls))
        first, last = run.calls[: len(calls)], run.calls[-len(calls) :]
        for number, (before, after) in enumerate(zip(first, last, strict=True)):
            if any(not np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(before, after, strict=True)):
                raise Diagnostic(
                    f"call {number} differs from the same call before", where=str(self._folder / "network.h")
                )
        return run

    def _counts(self, printed: str, calls: int) -> Array:
        """Return the counts of the last call of the first run and of the last. Raises Diagnostic for missing ones."""
        numbers = re.findall(r"^count \d+ (\d+) (\d+)$", printed, re.MULTILINE)
        if len(numbers) != self._runs * calls * (self._marked + 1):
            raise Diagnostic("the program has not printed all counts", where=str(self._folder / "network.h"))
        counts = np.array(numbers, np.uint64).reshape(self._runs, calls, self._marked + 1, 2)
        return counts[[0, -1], -1]

    def reset(self) -> None:
        """Let the state be as before the first call."""
        self._history.clear()
