"""A network as a program on a simulator that others wrote: built once, run for each call, with its instructions."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from ...errors import Diagnostic
from ...ir import Array
from ...passes.emitc.text.files import files_in
from ..host import HostEntry, checked_arrays, emitted_text, entries_of, refused
from .external import ExternalSimulator, ProcessResult
from .rv64 import CALLS, COUNTS, DIFFERS, INPUTS, OUTPUTS, REFUSED, build_program


@dataclass(frozen=True)
class Settings:
    """
    Options of a simulator: the ISA of the core, its memory (bytes), and the time limit of a run (seconds of wall-clock
    time).
    """

    isa: str = "rv64gc"
    memory: int = 1 << 30
    seconds: float = 600
    coprocessor: tuple[Path, str] | None = None
    """The Python file of the target's coprocessor, which the simulator loads, and the machine's description in JSON."""
    extension: tuple[Path, str] | None = None
    """Another's coprocessor in its place: a shared object for the simulator, and the name of the extension in it."""


@dataclass(frozen=True)
class Measurement:
    """Measurements of the calls of a program on a simulator, in `unit`: at the first time and again."""

    first: int
    later: int
    unit: str
    version: str

    def __str__(self) -> str:
        """Return the numbers, and the simulator with its version."""
        return f"{self.first:,} {self.unit}, {self.later:,} in a later call ({self.version})"


class SimulatedProgram(Protocol):
    """
    A network as a program on a simulator; `entries` are its functions. What it keeps outlives a call, until `reset`.

    `first` and `later` are what the simulator measured of the last calls, in `unit`: at the first time and again.
    """

    entries: list[HostEntry]
    unit: str
    counted: Array
    """Counts of marked calls (`mark_calls`), [2, calls + 1, 2]: first and later, of each its count and executions."""

    @property
    def first(self) -> int: ...

    @property
    def later(self) -> int: ...

    @property
    def version(self) -> str: ...

    def run_all(self, calls: Sequence[tuple[int, Sequence[Array]]]) -> list[list[Array]]:
        """
        Make calls, each the number of a function and its inputs, and return the outputs of each.

        Raises Diagnostic where inputs do not fit or are refused, and where the simulator fails.
        """
        ...

    def reset(self) -> None:
        """Let the state be as before the first call."""
        ...


@dataclass(frozen=True)
class Rv64Simulator:
    """
    A simulator of an RV64 core: the program, and its arguments for a program under settings.

    `python` is the program beside it that loads coprocessors in Python.
    """

    program: ExternalSimulator
    arguments: Callable[[Settings, Path], Sequence[str]]
    python: str


class SimulatorSession:
    """
    A network in a folder, on a simulator.

    `entries` are its functions. `first` and `later` are the CPU instructions of the last call and of the same call
    again. `counted` are those of its marked calls, [2, calls + 1, 2]: first and later, of each its instructions and
    executions; call 0 is what is around the others. What a network with state keeps outlives a run, until `reset`: each
    process makes the calls since then again.
    """

    unit = "CPU instructions"

    def __init__(self, simulator: Rv64Simulator, folder: Path, settings: Settings, calls: int = 0):
        """
        Build the program, which counts the instructions of `calls` marked calls (`mark_calls`).

        Raises Diagnostic where the simulator is missing, or the compiler fails.
        """
        simulator.program.find()
        self._simulator, self._settings = simulator, settings
        self._temporary = tempfile.TemporaryDirectory(prefix="tilewright-")
        files = files_in(folder)
        self._header = folder / files.header
        header = emitted_text(self._header)
        if re.search(r"^#define \w+_RAM_BYTES\b", header, re.MULTILINE):
            raise Diagnostic(
                f"{simulator.program.name} has no external RAM, which the network needs",
                where=str(self._header),
                remedy="compile for a target whose weights are in memory",
            )
        self.entries = entries_of(header, folder)
        self._has_state = f"#define {self.entries[0].prefix}_STATE_BYTES" in header
        elf = Path(self._temporary.name) / "program.elf"
        self._elf = build_program(folder, files, self.entries, elf, settings.isa, settings.memory, calls)
        self._calls = calls
        self.counted: Array = np.zeros((2, calls + 1, 2), np.uint64)
        self._history: list[bytes] = []
        self.first = self.later = 0

    @property
    def version(self) -> str:
        """Return the simulator's name and version."""
        return f"{self._simulator.program.name} {self._simulator.program.found_version()}"

    def run_all(self, calls: Sequence[tuple[int, Sequence[Array]]]) -> list[list[Array]]:
        """Run functions, as `run` does, each in a process of its own."""
        return [self.run(inputs, index) for index, inputs in calls]

    def run(self, inputs: Sequence[Array], index: int = 0) -> list[Array]:
        """
        Run a function of the network and return its outputs, in order.

        Raises Diagnostic where inputs do not fit or are refused, and where the simulator fails.
        """
        entry = self.entries[index]
        arrays = checked_arrays(entry.inputs, inputs)
        call = bytes([index]) + b"".join(array.tobytes() for array in arrays)
        with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
            folder = Path(name)
            (folder / INPUTS).write_bytes(b"".join([*self._history, call]))
            arguments = self._simulator.arguments(self._settings, self._elf)
            done = self._execute(arguments, folder)
            if REFUSED < done.status < REFUSED + 8:
                raise refused(self._header, done.status - REFUSED, entry, arrays)
            if done.status == DIFFERS:
                raise Diagnostic("a call differs from the same call before", where=str(self._header))
            self._simulator.program.check(done)
            counts = np.fromfile(folder / COUNTS, "<u8")
            if self._calls:
                self.counted = np.fromfile(folder / CALLS, "<u8").reshape(-1, self._calls + 1, 2)[-2:]
            outputs = _outputs(entry, (folder / OUTPUTS).read_bytes())
        self.first, self.later = int(counts[-2]), int(counts[-1])
        self._history += [call] if self._has_state else []
        return outputs

    def _execute(self, arguments: Sequence[str], folder: Path) -> ProcessResult:
        """Run the simulator, with the target's coprocessor in its Python if there is one."""
        program, settings = self._simulator.program, self._settings
        if settings.coprocessor is None or settings.extension is not None:
            return program.execute(arguments, folder, seconds=settings.seconds)
        root, coprocessor = Path(__file__).resolve().parents[2], settings.coprocessor[0].resolve()
        package = Path(self._temporary.name) / "packages" / "tilewright"
        if not package.exists():  # a checkout may have another name
            package.parent.mkdir()
            package.symlink_to(root)
        paths = [str(package.parent), *(path for path in sys.path if path)]
        if coprocessor.is_relative_to(root):
            coprocessor = package / coprocessor.relative_to(root)
        environment = {"TILEWRIGHT_COPROCESSOR": str(coprocessor), "TILEWRIGHT_MACHINE": settings.coprocessor[1]}
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        return program.execute(
            arguments, folder, seconds=settings.seconds, beside=self._simulator.python, environment=environment
        )

    def reset(self) -> None:
        """Let the state be as before the first run."""
        self._history.clear()


def _outputs(entry: HostEntry, data: bytes) -> list[Array]:
    arrays: list[Array] = []
    start = 0
    for port in entry.outputs:
        count = int(np.prod(port.shape))
        arrays.append(np.frombuffer(data, port.dtype, count, start).reshape(port.shape).copy())
        start += count * port.dtype.itemsize
    return arrays
