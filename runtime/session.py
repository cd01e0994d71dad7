"""Running a compiled network, wherever it runs."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from zipfile import BadZipFile

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ..dialects.core.ports import cut_outputs
from ..errors import Diagnostic, did_you_mean
from ..ir import Array
from ..passes.core.grammar import UsageError

if TYPE_CHECKING:
    from ..compiler import Compilation
    from .host import HostNetwork, HostPort


class Run(Protocol):
    """A network, ready to run: named inputs to named outputs. State outlives a call."""

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        """Run a function of the network once. Raises Diagnostic where the inputs are not what it takes."""
        ...

    def reset(self) -> None:
        """Let all state be as before the first call."""
        ...


class Interpreted:
    """The network as the interpreter runs it, at the level to which it was compiled."""

    def __init__(self, compilation: Compilation):
        from .interpreter import Session

        self._session = Session(compilation.module)

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        return self._session.run(inputs, function=function)

    def reset(self) -> None:
        self._session.reset()


class Simulated(Interpreted):
    """The network as the simulator runs it: kernels and transfers take the time that the machine's model says."""

    def __init__(self, compilation: Compilation):
        from .simulator import TimedSession

        self._session = TimedSession(compilation.module)


class Native:
    """A network of `runtime.host`, which takes values of any type that fit."""

    def __init__(self, network: HostNetwork):
        self._network = network

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        index = entry_of(self._network, function)
        entry = self._network.entries[index]
        given = [fitted(port.name, inputs[port.name], port.dtype, port.shape) for port in entry.inputs]
        return _named(entry.outputs, self._network.run(given, index))

    def reset(self) -> None:
        self._network.reset()


class Emulated:
    """The network as a program for one RV32 core, on an emulator; `instructions` are those of the last run."""

    def __init__(self, compilation: Compilation):
        if f"{compilation.program().prefix.upper()}_STATE_BYTES" in compilation.program().header:
            raise Diagnostic(
                "a network with state does not run on the emulator",
                where=str(compilation.model.path),
                remedy="run it on the interpreter or on the host",
            )
        self._bare = bare_of(compilation)
        self._program = compilation.program()
        self.instructions = 0

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        from ..targets.c import write_program
        from .host import emitted_text, ports_of

        prefix = self._program.prefix
        if function != "network":
            raise Diagnostic(f"only the network runs on the emulator, not '{function}'")
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            write_program(self._program, Path(folder))
            header = emitted_text(Path(folder) / "network.h")
            ins, outs = (ports_of(header, f"{prefix.upper()}_{side}") for side in ("INPUT", "OUTPUT"))
            given = [fitted(port.name, inputs[port.name], port.dtype, port.shape) for port in ins]
            done = self._bare.run_bare(Path(folder), given)
        self.instructions = done.instructions
        return _named(outs, done.outputs)

    def reset(self) -> None:
        pass


def _named(ports: Sequence[HostPort], arrays: Sequence[Array]) -> dict[str, Array]:
    """Return outputs by name, each cut to what is there of it."""
    found = {port.name: array for port, array in zip(ports, arrays, strict=True)}
    return cut_outputs(found, {port.name: port.shape_of for port in ports if port.shape_of})


def bare_of(compilation: Compilation) -> Any:
    """Return the module of a target that makes programs without an operating system. Raises UsageError without one."""
    folder = compilation.machine.folder
    if not (folder / "bare.py").is_file():
        raise UsageError(
            f"target '{compilation.machine.name}' has no programs that run without an operating system",
            expected="a target with bare.py",
            remedy="compile for another target: tilewright targets lists them",
        )
    return import_module(f"..targets.{folder.name}.bare", __package__)


def entry_of(network: HostNetwork, function: str) -> int:
    """Return the number of a function of a compiled network. Raises Diagnostic where it has none of that name."""
    names = [entry.function.removesuffix("_run") for entry in network.entries]
    if function == "network":
        return 0
    if function not in names:
        raise Diagnostic(f"the network has no function '{function}'", expected=", ".join(names))
    return names.index(function)


def native(compilation: Compilation) -> Run:
    """Return the network as C, compiled for this machine."""
    from .host import HostNetwork

    return Native(HostNetwork(compilation.program()))


def sanitized(compilation: Compilation) -> Run:
    """Return the network as C under ASan and UBSan, run twice in one process."""
    from .host import HostNetwork

    return Native(HostNetwork(compilation.program(), sanitize=True))


def host_run(network: HostNetwork) -> Run:
    """Return a run of a network of `runtime.host` that takes values of any type that fit."""
    return Native(network)


def fitted(name: str, array: Array, dtype: np.dtype[np.generic], shape: Sequence[int]) -> Array:
    """Return an input in the type that the network takes. Raises Diagnostic where a value would change."""
    if tuple(array.shape) != tuple(shape):
        raise Diagnostic(
            "an input has the wrong shape", where=f'input "{name}"', expected=str(tuple(shape)), found=str(array.shape)
        )
    with np.errstate(invalid="ignore"):
        converted = np.asarray(array.astype(dtype), order="C")
    # The kind of bf16, which NumPy does not know, is V.
    same = np.array_equal(converted.astype(array.dtype), array, equal_nan=array.dtype.kind in "fV")
    if not same and dtype.kind not in "fV":
        raise Diagnostic(
            f"an input holds values that {dtype} cannot hold",
            where=f'input "{name}"',
            found=f"values from {array.min()} to {array.max()}",
            remedy=f"compile with another --input-type {name}=...",
        )
    return converted


ON: dict[str, Callable[[Compilation], Run]] = {
    "interpreter": Interpreted,
    "simulator": Simulated,
    "host": native,
    "sanitizers": sanitized,
    "rv32": Emulated,
}
"""Where a network can run."""


def check_place(on: str) -> None:
    """Raise UsageError where networks cannot run."""
    if on not in ON:
        raise UsageError(
            f"nothing runs on '{on}'",
            expected=f"one of {', '.join(ON)}",
            remedy=did_you_mean(on, ON) or "--help shows the options",
        )


def level_for(on: str, target: str, interpreted: str = "") -> str:
    """
    Return the phase or pass after which a network for a target runs there, empty for the last.

    It is `interpreted` at any level, and simulated where its transfers are explicit and its kernels still ops.
    """
    from ..compiler import machine_named, pipeline_of
    from .profile import explicit_part

    if on == "simulator":
        return explicit_part(pipeline_of(machine_named(target)), target).steps[-1].name
    return interpreted if on == "interpreter" else ""


def runner(compilation: Compilation, on: str) -> Run:
    """Return the network, ready to run there. Raises UsageError for an unknown place."""
    check_place(on)
    return ON[on](compilation)


@dataclass(frozen=True)
class Input:
    """
    What a network takes.

    Of the position in a state, `added` are the rows that each call adds, `rows` those of the state; else both are 0.
    `limits` are the least and the greatest number that are allowed, empty where that is not declared.
    """

    name: str
    shape: tuple[int, ...]
    added: int = 0
    rows: int = 0
    limits: tuple[int, ...] = ()


def run_steps(run: Run, inputs: Sequence[Input], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """
    Run a network once, or, where an array has one axis more than its input, once for each entry of that axis, in order.

    Outputs then have that axis too. A position that is not given counts the rows from 0 on. Raises Diagnostic where
    arrays have no shape that fits, or differ in their number of steps.
    """
    counts = {name: len(array) for name, array in arrays.items() if _has_steps(inputs, name, array)}
    if len(set(counts.values())) > 1:
        raise Diagnostic(
            "inputs differ in their number of steps",
            expected="the same first extent",
            found=", ".join(f"{name}: {count}" for name, count in counts.items()),
        )
    steps = next(iter(counts.values()), None)
    results = [run(_step(inputs, arrays, counts, step)) for step in range(1 if steps is None else steps)]
    if steps is None:
        return results[0]
    if not results:
        raise Diagnostic("the inputs have no steps", expected="one at least")
    return {name: _stacked(name, [result[name] for result in results]) for name in results[0]}


def _stacked(name: str, parts: Sequence[Array]) -> Array:
    if len({part.shape for part in parts}) > 1:
        raise Diagnostic(
            "an output has another size in each step, so that no array holds all",
            where=f'output "{name}"',
            remedy="run the steps one by one",
        )
    return np.stack(parts)


def _has_steps(inputs: Sequence[Input], name: str, array: Array) -> bool:
    shape = next((each.shape for each in inputs if each.name == name), array.shape)
    return array.ndim == len(shape) + 1 and tuple(array.shape[1:]) == tuple(shape)


def _step(
    inputs: Sequence[Input], arrays: Mapping[str, Array], counts: Mapping[str, int], step: int
) -> dict[str, Array]:
    given = {name: array[step] if name in counts else array for name, array in arrays.items()}
    for each in inputs:
        if each.added and each.name not in given:
            given[each.name] = np.full(each.shape, step * each.added, np.int64)
    return given


def network_inputs(module: ModuleOp, function: str = "network") -> list[Input]:
    """Return what a function of a module takes, in order. Raises Diagnostic where the module has it not."""
    from .interpreter.boundary import ports

    arguments, _ = ports(_network(module, function))
    return [
        Input(port.name, port.shape, *(port.state or (0, 0)), limits=port.limits)
        for port in arguments
        if not port.is_output
    ]


def host_inputs(network: HostNetwork, function: str = "network") -> list[Input]:
    """Return what a function of a compiled network takes, in order. Raises Diagnostic where it has it not."""
    ports = network.entries[entry_of(network, function)].inputs
    return [Input(port.name, port.shape, port.added, port.rows, port.limits) for port in ports]


def input_names(module: ModuleOp) -> tuple[str, ...]:
    """Return the names of what the network takes, in order. Raises Diagnostic where the module holds no network."""
    return tuple(each.name for each in network_inputs(module))


def _network(module: ModuleOp, function: str = "network") -> Operation:
    network = next((op for op in module.body.block.ops if _symbol(op) in (function, f"{function}_run")), None)
    if network is None:
        raise Diagnostic("the module holds no network", expected=f"a function named '{function}'")
    return network


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def load_arrays(path: Path) -> dict[str, Array]:
    """Read an .npz file of arrays. Raises Diagnostic where it is none."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError, BadZipFile, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Diagnostic(
            "the arrays cannot be read", source=str(path), expected="an .npz file of numbers", found=reason
        ) from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise Diagnostic("an array holds no numbers", source=str(path), found=f"{name}: {array.dtype}")
    return arrays


def by_name(
    arrays: Mapping[str, Array], names: Sequence[str], source: Path, *, optional: Sequence[str] = ()
) -> dict[str, Array]:
    """
    Return the arrays under these names: by name, or by their order where none is named so, as exporters write them.

    Raises Diagnostic where one is missing that is not optional.
    """
    if any(name in arrays for name in names) or len(arrays) < len(names):
        names = [name for name in names if name in arrays or name not in optional]
    missing = [name for name in names if name not in arrays]
    if not missing:
        return {name: arrays[name] for name in names}
    if len(missing) < len(names) or len(arrays) < len(names):
        raise Diagnostic(
            "not all inputs are given",
            source=str(source),
            expected=", ".join(names),
            found=", ".join(arrays) or "no arrays",
            remedy=f"add {', '.join(missing)}",
        )
    return dict(zip(names, arrays.values(), strict=False))
