"""Running a compiled network, wherever it runs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ...compiler import Compilation, bare_of
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.schema import table_of
from ...dialects.core.ports import cut_outputs
from ...errors import Diagnostic, did_you_mean
from ...files import errors_in
from ...grammar import UsageError
from ...ir import Array
from ..calls import given_to, steps_of
from ..inputs import Input

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ..host import HostNetwork, HostPort
    from ..interpreter import Session
    from ..simulators.session import Rv64Simulator, Settings


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
        self._session = self._session_of(compilation.module)

    def _session_of(self, module: ModuleOp) -> Session:
        from ..interpreter import Session

        return Session(module, interleave=self._interleave)

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        with errors_in(self._model):
            return self._session.run(inputs, function=function)

    def reset(self) -> None:
        self._session.reset()


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


class External:
    """The network as a program on a simulator that others wrote; `counted` says the instructions of the last call."""

    def __init__(self, simulator: Rv64Simulator, compilation: Compilation, settings: Settings):
        from ...passes.formats.c import write_program
        from ..simulators.session import SimulatorSession

        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            write_program(compilation.program(), Path(folder))
            self._session = SimulatorSession(simulator, Path(folder), settings)

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        from ..host import entry_number

        index = entry_number(self._session.entries, function)
        entry = self._session.entries[index]
        return _named(entry.outputs, self._session.run(given_to(entry, inputs), index))

    @property
    def counted(self) -> str:
        """Return the CPU instructions of the last call, and of the same call again, with the simulator's version."""
        found = self._session
        return f"{found.first:,} CPU instructions, {found.later:,} in a later call ({found.version})"

    def reset(self) -> None:
        self._session.reset()


def on_spike(compilation: Compilation, settings: Settings) -> Run:
    """Return the network as a program on Spike."""
    from ..simulators.spike import SPIKE

    return External(SPIKE, compilation, with_coprocessor(compilation, settings))


def with_coprocessor(compilation: Compilation, settings: Settings) -> Settings:
    """Return settings with the coprocessor of the target, if it has one."""
    file = compilation.machine.folder / "coprocessor.py"
    if not file.is_file():
        return replace(settings, coprocessor=None)
    return replace(settings, coprocessor=(file, json.dumps(table_of(machine_of(compilation.module)))))


def _named(ports: Sequence[HostPort], arrays: Sequence[Array]) -> dict[str, Array]:
    """Return outputs by name, each cut to its valid part."""
    found = {port.name: array for port, array in zip(ports, arrays, strict=True)}
    return cut_outputs(found, {port.name: port.shape_of for port in ports if port.shape_of})


def native(compilation: Compilation) -> Run:
    """Return the network as C, compiled for this machine."""
    from ..host import HostNetwork

    return Native(HostNetwork(compilation.program()))


def sanitized(compilation: Compilation) -> Run:
    """Return the network as C under ASan and UBSan, run twice in one process."""
    from ..host import HostNetwork

    return Native(HostNetwork(compilation.program(), sanitize=True))


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
"""Places that are simulators that others wrote, by name."""

PLACES = (*ON, *SIMULATORS)


def check_place(on: str) -> None:
    """Raise UsageError where networks cannot run."""
    if on not in PLACES:
        raise UsageError(
            f"nothing runs on '{on}'",
            expected=f"one of {', '.join(PLACES)}",
            remedy=did_you_mean(on, PLACES) or "--help shows the options",
        )


class Level(NamedTuple):
    """Last step of `compile_model`: the end, a phase or pass, or the last one whose program is explicit."""

    stop_after: str = ""
    explicit: bool = False


def level_for(on: str, interpreted: str = "") -> Level:
    """Return the last step of compiling a network to run there: for the interpreter `interpreted`, a phase or pass."""
    return Level(interpreted if on == "interpreter" else "", on == "simulator")


def runner(compilation: Compilation, on: str, settings: Settings | None = None) -> Run:
    """Return the network, ready to run there. Raises UsageError for an unknown place."""
    from ..simulators.session import Settings

    check_place(on)
    return ON[on](compilation) if on in ON else SIMULATORS[on](compilation, settings or Settings())


def run_steps(run: Run, inputs: Sequence[Input], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """
    Run a network once, or, where an array has one axis more than its input, once for each entry of that axis, in order.

    Outputs then have that axis too. A position that is not given counts the rows from 0 on. C runs in a process of its
    own, so that state is afterwards as before. Raises Diagnostic where arrays have no shape that fits, or differ in
    their number of steps, and where that process dies.
    """
    given, has_steps = steps_of(inputs, arrays)
    results = [run(step) for step in given] if not isinstance(run, Native) else run.all(given)
    if not has_steps:
        return results[0]
    return stacked(results)


def stacked(results: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Return the outputs of steps with an axis for these. Raises Diagnostic where an output differs in its size."""
    return {name: _stacked(name, [result[name] for result in results]) for name in results[0]}


def _stacked(name: str, parts: Sequence[Array]) -> Array:
    if len({part.shape for part in parts}) > 1:
        raise Diagnostic(
            "an output has another size in each step, so that no array holds all",
            where=f'output "{name}"',
            remedy="run the steps one by one",
        )
    return np.stack(parts)
