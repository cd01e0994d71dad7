"""Running a compiled network, wherever it runs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ...compiler import Compilation, bare_of, machine_named
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.schema import table_of
from ...dialects.core.ports import cut_outputs
from ...discovery import module_at, target_files
from ...errors import Diagnostic, did_you_mean
from ...files import errors_in
from ...grammar import UsageError
from ...ir import Array
from ..calls import given_to, steps_of
from ..inputs import Input

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ...dialects.core.machine.targets import Machine
    from ..host import HostNetwork, HostPort
    from ..interpreter import Session
    from ..simulators.session import Measurement, Settings, SimulatedProgram

_OPTIMISED = 5_000_000
"""Multiply-accumulates from which C under sanitisers is optimised: with fewer it runs in less time than that takes."""


class Run(Protocol):
    """A network, ready to run: named inputs to named outputs. State outlives a call."""

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        """Run a function of the network once. Raises Diagnostic for inputs that do not fit."""
        ...

    def reset(self) -> None:
        """Let all state be as before the first call."""
        ...


class Interpreted:
    """
    The network as the interpreter runs it, at the level to which it was compiled.

    `interleave` is the seed of a random order of concurrent programs and asynchronous accesses.
    """

    def __init__(self, compilation: Compilation, interleave: int | None = None):
        self._model = compilation.model.path
        self._interleave = interleave
        self.session = self._session_of(compilation.module)

    def _session_of(self, module: ModuleOp) -> Session:
        from ..interpreter import Session

        return Session(module, interleave=self._interleave)

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        with errors_in(self._model):
            return self.session.run(inputs, function=function)

    @property
    def module(self) -> ModuleOp:
        """The program that is run."""
        return self.session.module

    def reset(self) -> None:
        self.session.reset()


class Simulated(Interpreted):
    """The network as the simulator runs it: kernels and transfers take the time that the machine's model says."""

    def _session_of(self, module: ModuleOp) -> Session:
        from ..simulator import TimedSession

        return TimedSession(module)


class Native:
    """A network of `runtime.host`, which takes values of any type that fit."""

    def __init__(self, network: HostNetwork):
        self._network = network

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        index = self._network.number_of(function)
        entry = self._network.entries[index]
        return _named(entry.outputs, self._network.run(given_to(entry, inputs), index))

    def all(self, steps: Sequence[Mapping[str, Array]]) -> list[dict[str, Array]]:
        """Return the outputs of calls one after the other, made in a process that may die of them."""
        from ..isolation import isolated

        def work() -> list[dict[str, Array]]:
            return [self(step) for step in steps]

        return work() if self._network.is_program else isolated(work, "the compiled network")

    def reset(self) -> None:
        self._network.reset()


class Emulated:
    """The network as a program for one RV32 core, on an emulator; `instructions` are those of the last call."""

    def __init__(self, compilation: Compilation):
        from ...passes.formats.c import write_program

        bare = bare_of(compilation)
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            write_program(compilation.program(), Path(folder))
            self._session = bare.BareSession(Path(folder))
        self.instructions = 0

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        from ..host import entry_number

        index = entry_number(self._session.entries, function)
        entry = self._session.entries[index]
        outputs = self._session.run(given_to(entry, inputs), index)
        self.instructions = self._session.instructions
        return _named(entry.outputs, outputs)

    def reset(self) -> None:
        self._session.reset()


class SimulatorRun:
    """The network as a program on a simulator that others wrote."""

    def __init__(self, compilation: Compilation, start: Callable[[Path], SimulatedProgram]):
        """Write the network's C to a folder, from which `start` makes the program."""
        from ...passes.formats.c import write_program

        self._temporary = tempfile.TemporaryDirectory(prefix="tilewright-")
        folder = Path(self._temporary.name)
        write_program(compilation.program(), folder)
        self._program = start(folder)

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        return self.all([inputs], function=function)[0]

    def all(self, steps: Sequence[Mapping[str, Array]], *, function: str = "network") -> list[dict[str, Array]]:
        """Return the outputs of calls one after the other."""
        from ..host import entry_number

        index = entry_number(self._program.entries, function)
        entry = self._program.entries[index]
        outputs = self._program.run_all([(index, given_to(entry, step)) for step in steps])
        return [_named(entry.outputs, arrays) for arrays in outputs]

    @property
    def measured(self) -> Measurement:
        """Return the measurements of the last calls."""
        from ..simulators.session import Measurement

        program = self._program
        return Measurement(program.first, program.later, program.unit, program.version)

    def reset(self) -> None:
        self._program.reset()


def on_spike(compilation: Compilation, settings: Settings) -> Run:
    """Return the network as a program on Spike."""
    return SimulatorRun(compilation, lambda folder: started("spike", compilation, folder, settings))


def _on_chip(name: str, compilation: Compilation, settings: Settings) -> Run:
    """Return the network as a program on the simulator of that name that its target's folder describes."""
    return SimulatorRun(compilation, lambda folder: started(name, compilation, folder, settings))


def started(name: str, compilation: Compilation, folder: Path, settings: Settings, calls: int = 0) -> SimulatedProgram:
    """
    Return a network, whose C is in a folder, as a program on a simulator that counts `calls` marked calls.

    Raises Diagnostic where the simulator is missing or does not run the target's programs, or a compiler fails.
    """
    from ..simulators.session import SimulatorSession
    from ..simulators.spike import SPIKE

    if name in SIMULATORS:
        return SimulatorSession(SPIKE, folder, with_coprocessor(compilation, settings), calls)
    return module_at(chip_simulator(name, compilation.machine)).start(folder, settings, calls)


def chip_simulators(machine: Machine) -> dict[str, Path]:
    """Return the files with which a machine's target describes simulators of its chip, by name."""
    return {file.stem: file for file in target_files(CHIP_SIMULATORS) if file.parent.parent == machine.folder}


def chip_simulator(name: str, machine: Machine) -> Path:
    """Return the file with which a target describes a simulator. Raises UsageError for another target's simulator."""
    own = chip_simulators(machine)
    if name not in own:
        others = [file.parent.parent.name for file in target_files(CHIP_SIMULATORS) if file.stem == name]
        raise UsageError(
            f"the simulator '{name}' does not run programs of target '{machine.name}'",
            expected=" or ".join(f"--target {other}" for other in others),
        )
    return own[name]


def with_coprocessor(compilation: Compilation, settings: Settings) -> Settings:
    """Return settings with the coprocessor of the target, if it has one."""
    file = compilation.machine.folder / "coprocessor.py"
    if not file.is_file():
        return replace(settings, coprocessor=None)
    return replace(settings, coprocessor=(file, json.dumps(table_of(machine_of(compilation.module)))))


def _named(ports: Sequence[HostPort], arrays: Sequence[Array]) -> dict[str, Array]:
    """Return outputs by name, each cut to its valid part."""
    by_name = {port.name: array for port, array in zip(ports, arrays, strict=True)}
    return cut_outputs(by_name, {port.name: port.shape_of for port in ports if port.shape_of})


def native(compilation: Compilation) -> Run:
    """Return the network as C, compiled for this machine."""
    from ..host import HostNetwork

    return Native(HostNetwork(compilation.program()))


def sanitized(compilation: Compilation) -> Run:
    """Return the network as C under ASan and UBSan, run twice in one process."""
    from ..host import HostNetwork

    flags = ["-O0"] if compilation.report["macs"] < _OPTIMISED else []
    return Native(HostNetwork(compilation.program(), sanitize=True, flags=flags))


def host_run(network: HostNetwork) -> Run:
    """Return a run of a network of `runtime.host` that takes values of any type that fit."""
    return Native(network)


ON: dict[str, Callable[[Compilation], Run]] = {
    "interpreter": Interpreted,
    "simulator": Simulated,
    "host": native,
    "sanitizers": sanitized,
    "rv32": Emulated,
}
"""Places where a network can run, by name."""

SIMULATORS: dict[str, Callable[[Compilation, Settings], Run]] = {"spike": on_spike}
"""Simulators that others wrote, of processors of any target, by name."""

CHIP_SIMULATORS = "simulators/*.py"
"""
Files of a target's folder that describe simulators of its chip, of which each file has the name.

`start(folder, settings, calls)` of such a module returns the `SimulatedProgram` of the network whose C is in the
folder; it counts so many marked calls.
"""


def simulators() -> dict[str, Callable[[Compilation, Settings], Run]]:
    """Return the places that are simulators that others wrote, by name."""
    names = sorted({file.stem for file in target_files(CHIP_SIMULATORS)})
    return SIMULATORS | {name: partial(_on_chip, name) for name in names}


def places() -> list[str]:
    """Return the names of all places where a network can run."""
    return [*ON, *simulators()]


def check_place(on: str, target: str = "") -> None:
    """Raise UsageError where networks cannot run, or, with a target, where those for it cannot."""
    machine = machine_named(target) if target else None  # makes a target outside of the package known
    if on not in places():
        raise UsageError(
            f"nothing runs on '{on}'",
            expected=f"one of {', '.join(places())}",
            remedy=did_you_mean(on, places()) or "--help shows the options",
        )
    if machine is not None and on not in (*ON, *SIMULATORS):
        chip_simulator(on, machine)


class CompileLevel(NamedTuple):
    """
    Last step of `compile_model`: the end, a phase or pass, or the last one whose program is explicit or which the
    interpreter runs.
    """

    stop_after: str = ""
    explicit: bool = False
    interpreted: bool = False


def level_for(on: str, stop_after: str = "") -> CompileLevel:
    """
    Return the last step of compiling a network to run there: for the interpreter a phase or pass `stop_after`, without
    one the last that it runs.
    """
    if on == "interpreter":
        return CompileLevel(stop_after, interpreted=not stop_after)
    return CompileLevel(explicit=on == "simulator")


def runner(compilation: Compilation, on: str, settings: Settings | None = None) -> Run:
    """Return the network, ready to run there. Raises UsageError for an unknown place."""
    from ..simulators.session import Settings

    check_place(on)
    return ON[on](compilation) if on in ON else simulators()[on](compilation, settings or Settings())


def run_steps(run: Run, inputs: Sequence[Input], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """
    Run a network once, or, where an array has one axis more than its input, once for each entry of that axis, in order.

    Outputs then have that axis too. A position that is not given counts the rows from 0 on. C runs in a process of its
    own, so that state is afterwards as before. Raises Diagnostic where arrays have no shape that fits, or differ in
    their number of steps, and where that process dies.
    """
    steps, has_steps = steps_of(inputs, arrays)
    results = run.all(steps) if isinstance(run, Native | SimulatorRun) else [run(step) for step in steps]
    if not has_steps:
        return results[0]
    return stacked(results)


def stacked(results: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Return the outputs of steps with an axis for these. Raises Diagnostic where an output differs in its size."""
    return {name: _stacked(name, list(map(itemgetter(name), results))) for name in results[0]}


def _stacked(name: str, parts: Sequence[Array]) -> Array:
    if len({part.shape for part in parts}) > 1:
        raise Diagnostic(
            "an output has another size in each step, so that no array holds all",
            where=f'output "{name}"',
            remedy="run the steps one by one",
        )
    return np.stack(parts)
