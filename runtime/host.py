"""Runs an emitted network on this machine: compiles its C and calls it on NumPy arrays."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1

from ..dialects.paged.ops import PagedPoolOp, PoolShape
from ..discovery import module_at, target_folders
from ..errors import Diagnostic
from ..files import read_regular
from ..ir import Array, numpy_type
from ..passes.emitc.text.files import Files, files_in
from ..passes.formats.c import CProgram, write_program
from .host_driver import REFUSED, DriverEntry, driver_text
from .processes import finished
from .toolchain import compile_executable, compile_shared

_FLAGS = ("-std=c11", "-O2", "-pthread")
_CALLED = ("-ldl",)
"""Flags of the C that a network's target has put beside it."""
_SANITIZERS = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
"""Flags after _FLAGS: with -O2 and all of -g the compiler takes twice the time and finds no more."""
_DTYPES = {"bool": i1, "float": f32, "double": f64, "tw_f16": f16, "tw_bf16": bf16}


@dataclass(frozen=True)
class HostPort:
    """An input or output as network.h describes it: its ONNX name, element type and shape."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    added: int = 0
    """Of the position in a state: the rows that a call adds; 0 for other ports."""
    rows: int = 0
    """Of the position in a state: the rows of the state; 0 for other ports."""
    limits: tuple[int, ...] = ()
    """The least and the greatest number that it may hold; empty where that is not declared."""
    shape_of: str = ""
    """Of an output that says how much of another one is there: the name of that."""


@dataclass(frozen=True)
class HostEntry:
    """A function of an emitted network: what its macros begin with, its name, its ports, whether it has a status."""

    prefix: str
    function: str
    returns: bool
    inputs: list[HostPort]
    outputs: list[HostPort]


def is_paged(folder: Path) -> bool:
    """Return whether the emitted network of a folder keeps keys and values in a paged store."""
    header = folder / files_in(folder).header
    return header.is_file() and "_KV_PAGE_LENGTH " in emitted_text(header)


class HostNetwork:
    """
    An emitted network, compiled for this machine.

    `entries` are its functions, the network itself first, `inputs` and `outputs` what that takes and gives. With
    `sanitize` it runs as a program of its own under ASan and UBSan, twice on the same inputs, and must give the same
    bytes both times.

    What a network with state keeps outlives a run, until `reset`, and is this object's own; under the sanitisers the
    runs since then are done again in each new process.
    """

    def __init__(self, network: CProgram | Path, *, sanitize: bool = False, flags: Sequence[str] = ()):
        """Compile a network, or the folder that it was written to. Raises Diagnostic where the compiler fails."""
        self._temporary = tempfile.TemporaryDirectory(prefix="tilewright-")
        self.folder = network if isinstance(network, Path) else Path(self._temporary.name)
        if isinstance(network, CProgram):
            write_program(network, self.folder)
        self.files = files_in(self.folder) if isinstance(network, Path) else network.files
        header = self._header = emitted_text(self.folder / self.files.header)
        self.entries = entries_of(header, self.folder)
        first = self.entries[0]
        self.inputs, self.outputs = first.inputs, first.outputs
        self._has_state = f"#define {first.prefix}_STATE_BYTES" in header
        has_external = f"#define {first.prefix}_RAM_BYTES" in header
        image = self.folder.resolve() / self.files.external_image if has_external else None
        self._history: list[bytes] = []
        sources = sources_in(self.folder, self.files)
        called = runtime_sources(self.folder)
        flags = [*machine_flags(sources[0]), *flags, *(_CALLED if called else ())]
        sources += called
        self._program: Path | None = None
        if sanitize:
            driver = Path(self._temporary.name) / "driver.c"
            entries = [_driver_entry(entry) for entry in self.entries]
            driver.write_text(driver_text(self.files.header, entries, str(image or "")))
            include = f"-I{self.folder.resolve()}"
            self._program = compile_executable([*sources, driver], [*_FLAGS, *_SANITIZERS, include, *flags])
        else:
            built = compile_shared(sources, [*_FLAGS, *flags])
            # A process loads a file once; a copy has a state of its own, and an external RAM. What it opens when it
            # runs lies beside it.
            is_copied = self._has_state or image is not None or bool(called)
            own = shutil.copy(built, self._temporary.name) if is_copied else built
            if called and isinstance(network, Path):
                _link_files(self.folder, Path(self._temporary.name))
            library = ctypes.CDLL(str(own))
            if image is not None:
                _fill_external(library, first.function.removesuffix("_run"), image)
            self._library = library
            self._functions = [getattr(library, entry.function) for entry in self.entries]
            for function, entry in zip(self._functions, self.entries, strict=True):
                function.restype = ctypes.c_int32 if entry.returns else None
            name = f"{first.function.removesuffix('_run')}_reset"
            self._reset = getattr(library, name) if self._has_state else None

    def run(self, inputs: Sequence[Array], entry: int = 0) -> list[Array]:
        """
        Run a function of the network once and return its outputs, in order.

        Inputs have the types and shapes of `self.entries[entry].inputs`. Raises Diagnostic where they have not, where a
        sanitiser objects, and where the network itself refuses the inputs.
        """
        called = self.entries[entry]
        arrays = checked_arrays(called.inputs, inputs)
        if self._program is not None:
            call = bytes([entry]) + b"".join(array.tobytes() for array in arrays)
            outputs = self._run_program(self._program, call, called, arrays)
            self._history += [call] if self._has_state else []
            return outputs
        outputs = [np.empty(port.shape, port.dtype) for port in called.outputs]
        status = self._functions[entry](*(array.ctypes.data_as(ctypes.c_void_p) for array in (*arrays, *outputs)))
        if status:
            raise refused(self.folder / self.files.header, status, called, arrays)
        return outputs

    def pool_shape(self) -> PoolShape:
        """Return the sizes of the paged store that the network needs. Raises Diagnostic for a network without one."""
        prefix = f"{self.entries[0].prefix}_KV_"
        macros = dict(re.findall(rf"^#define {prefix}(\w+) (\S+)$", self._header, re.MULTILINE))
        if not macros:
            raise self._without_store()
        sizes = [int(macros[name.upper()]) for name in PagedPoolOp.SIZES]
        return PoolShape(*sizes, scale=float.fromhex(macros["SCALE"].removesuffix("f")))

    def _without_store(self) -> Diagnostic:
        return Diagnostic(
            "the network has no paged store",
            where=str(self.folder / self.files.header),
            remedy="compile it with --paged and --context",
        )

    def bind(self, steps: int) -> None:
        """
        Give the network the functions of its paged store, `tw_paged_steps` at an address, which must outlive it.

        Raises Diagnostic for a network without a paged store, and for one that runs in another process.
        """
        if self._program is not None:
            raise Diagnostic("a paged store serves a network in this process", remedy="run it on the host")
        name = f"{self.entries[0].function.removesuffix('_run')}_bind"
        if not hasattr(self._library, name):
            raise self._without_store()
        getattr(self._library, name)(ctypes.c_void_p(steps))

    @property
    def is_program(self) -> bool:
        """Return whether it runs as a program of its own, not as a function in this process."""
        return self._program is not None

    def has(self, function: str) -> bool:
        """Return whether there is a function of that name, in which `network` stands for that of the network."""
        return _symbol(self.entries, function) in [entry.function for entry in self.entries]

    def number_of(self, function: str) -> int:
        """Return the number of a function among the entries. Raises Diagnostic if there is none of that name."""
        return entry_number(self.entries, function)

    def reset(self) -> None:
        """Let the state be as before the first run."""
        self._history.clear()
        if self._program is None and self._reset is not None:
            self._reset()

    def _run_program(self, program: Path, call: bytes, called: HostEntry, arrays: Sequence[Array]) -> list[Array]:
        """Run all calls since the last reset, and one more, in one process; returns the outputs of that."""
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            source, target = Path(folder) / "inputs.bin", Path(folder) / "outputs.bin"
            source.write_bytes(b"".join([*self._history, call]))
            options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
            command = [str(program), str(source), str(target)]
            done = finished(command, environment=options)
            if REFUSED <= done.returncode < REFUSED + 8 and not done.stderr:
                raise refused(self.folder / self.files.header, done.returncode - REFUSED, called, arrays)
            if done.returncode:
                raise Diagnostic(
                    f"the network failed under the sanitisers with status {done.returncode}",
                    where=str(self.folder / self.files.source),
                    notes=done.stderr.strip().splitlines()[:20],
                )
            data = target.read_bytes()
        outputs: list[Array] = []
        start = 0
        for port in called.outputs:
            count = int(np.prod(port.shape))
            outputs.append(np.frombuffer(data, port.dtype, count, start).reshape(port.shape).copy())
            start += count * port.dtype.itemsize
        return outputs


def refused(header: Path, status: int, called: HostEntry, inputs: Sequence[Array]) -> Diagnostic:
    """Return the error for a function of the network with a header that has a status other than 0."""
    position = next((int(a.flat[0]) for port, a in zip(called.inputs, inputs, strict=True) if port.added), None)
    reasons = {1: "an input holds a number out of its range", 2: "the position is out of order"}
    return Diagnostic(
        f"the network refuses its inputs: {reasons.get(status, 'unknown')}",
        where=str(header),
        expected=f"numbers in the ranges of {header.name}, and positions up to the rows that are written",
        found=f"the status {status}" + ("" if position is None else f" at position {position}"),
        remedy="reset the state, run every position in order, or compile with a larger context",
    )


def _fill_external(library: ctypes.CDLL, network: str, image: Path) -> None:
    """Bring a network's weights to its external RAM. Raises Diagnostic where it gets none."""
    data = read_regular(image)
    if getattr(library, f"{network}_open")(None) != 0:
        raise Diagnostic("there is no memory for the network's external RAM", where=str(image))
    getattr(library, f"{network}_load")(ctypes.c_uint32(0), data, ctypes.c_uint32(len(data)))


def machine_flags(source: Path) -> list[str]:
    """
    Return the C compiler's flags for running a network on this machine: those of the emulation of its target.

    A network includes the header of its target's C runtime, the folder `c` of the target; `emulation.py` there says
    the rest. What no known target has is in the copy beside the network.
    """
    names = [name for name in _included(emitted_text(source)) if not (source.parent / name).is_file()]
    flags: list[str] = []
    for folder in target_folders().values():
        if any((folder / "c" / name).is_file() for name in names):
            flags += _emulation(folder)
    copy = source.parent / "runtime"
    return flags if flags or not any((copy / name).is_file() for name in names) else [f"-I{copy.resolve()}"]


def _included(text: str) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)


def _emulation(target: Path) -> list[str]:
    """Return the flags of a target's emulation; without one, its C runtime has headers alone."""
    if (target / "emulation.py").is_file():
        return module_at(target / "emulation.py").flags()
    runtime = target / "c"
    # Nothing reads the macro: what is built is kept by its flags, which must change with the runtime.
    content = b"".join(file.read_bytes() for file in sorted(runtime.rglob("*.h")))
    return [f"-I{runtime}", f"-DTW_RUNTIME_{hashlib.sha256(content).hexdigest()[:16]}"]


def emitted_text(file: Path) -> str:
    """Return the text of a file that `tilewright compile` wrote. Raises Diagnostic if there is none."""
    try:
        return read_regular(file).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise Diagnostic(
            "there is no emitted network",
            where=str(file),
            expected="a folder that `tilewright compile` wrote",
            found=(error.strerror or "") if isinstance(error, OSError) else "not UTF-8",
        ) from error


def sources_in(folder: Path, files: Files) -> list[Path]:
    """Return the sources of an emitted network that there are, the network itself first."""
    names = (files.weights_source, files.weights_assembly)
    return [folder / files.source, *(folder / name for name in names if (folder / name).exists())]


def runtime_sources(folder: Path) -> list[Path]:
    """Return the C files beside a network that its target has put there, such as those of artefacts of an NPU."""
    return sorted(folder.glob("tilewright_*.c"))


def _link_files(source: Path, target: Path) -> None:
    """Make the files of a folder known in another one, where they have no file of their name."""
    for file in source.iterdir():
        if file.is_file() and not (target / file.name).exists():
            (target / file.name).symlink_to(file.resolve())


def shared_library(folder: Path, files: Files) -> Path:
    """Build the network in a folder as a shared library there, and return its path. Raises Diagnostic."""
    sources = sources_in(folder, files)
    built = compile_shared(sources, [*_FLAGS, *machine_flags(sources[0])])
    return Path(shutil.copy(built, folder / files.library))


def entries_of(header: str, folder: Path) -> list[HostEntry]:
    """Return the functions that a header declares, the network itself first. Raises Diagnostic if there are none."""
    macros = re.findall(r"^#define (\w+)_INPUT_COUNT", header, re.MULTILINE)
    functions = re.findall(r"^(void|int32_t) (\w+)_run\(", header, re.MULTILINE)
    if not macros or len(macros) != len(functions):
        raise Diagnostic("the header declares no network", where=str(folder / "network.h"))
    return [
        HostEntry(
            prefix,
            f"{name}_run",
            kind != "void",
            ports_of(header, f"{prefix}_INPUT"),
            ports_of(header, f"{prefix}_OUTPUT"),
        )
        for prefix, (kind, name) in zip(macros, functions, strict=True)
    ]


def entry_number(entries: Sequence[HostEntry], function: str) -> int:
    """Return the number of a function among the entries. Raises Diagnostic if there is none of that name."""
    names = [entry.function for entry in entries]
    if (symbol := _symbol(entries, function)) in names:
        return names.index(symbol)
    expected = ", ".join(name.removesuffix("_run") for name in names)
    raise Diagnostic(f"the network has no function '{function}'", expected=expected)


def _symbol(entries: Sequence[HostEntry], function: str) -> str:
    """Return the name in C of a function, in which `network` stands for the name of the first."""
    own = entries[0].function.removesuffix("_run")
    is_named = any(entry.function == f"{function}_run" for entry in entries)
    return f"{function}_run" if is_named else f"{function.replace('network', own, 1)}_run"


def _driver_entry(entry: HostEntry) -> DriverEntry:
    return DriverEntry(entry.prefix, entry.function, len(entry.inputs), len(entry.outputs), entry.returns)


def ports_of(header: str, prefix: str) -> list[HostPort]:
    """Return the inputs or outputs that a header describes, whose macros begin with `prefix`, as `NETWORK_INPUT`."""
    macros = dict(re.findall(rf"^#define {prefix}_(\w+) (.*)$", header, re.MULTILINE))
    ports = [_port(macros, str(index)) for index in range(int(macros["COUNT"]))]
    for index, port in enumerate(ports):
        if said := re.match(r"\d+", macros.get(f"{index}_SHAPE_OF", "")):
            ports[index] = replace(port, shape_of=ports[int(said[0])].name)
    whole = prefix.removesuffix("_INPUT")
    said = re.findall(rf"^#define {whole}_(POSITION_INPUT|NEW_ROWS|CONTEXT) (\d+)", header, re.MULTILINE)
    if prefix.endswith("_INPUT") and said:
        counts = {key: int(count) for key, count in said}
        index = counts["POSITION_INPUT"]
        ports[index] = replace(ports[index], added=counts["NEW_ROWS"], rows=counts["CONTEXT"])
    return ports


def _port(macros: dict[str, str], index: str) -> HostPort:
    sizes = [int(size) for size in macros[f"{index}_SHAPE"].strip("{}").split(",")]
    c_type = macros[f"{index}_TYPE"]
    name = re.sub(rb"\\(\d{3})", lambda match: bytes([int(match[1], 8)]), macros[f"{index}_NAME"][1:-1].encode())
    shape = tuple(sizes[: int(macros[f"{index}_RANK"])])
    limits = tuple(int(bound) for bound in re.findall(r"-?\d+", macros.get(f"{index}_RANGE", "")))
    dtype = numpy_type(_DTYPES[c_type]) if c_type in _DTYPES else np.dtype(c_type.removesuffix("_t"))
    return HostPort(name.decode(), dtype, shape, limits=limits)


def checked_arrays(ports: Sequence[HostPort], inputs: Sequence[Array]) -> list[Array]:
    """Return the inputs in C order. Raises Diagnostic where their number, a type or a shape is wrong."""
    if len(inputs) != len(ports):
        raise Diagnostic("a wrong number of inputs", expected=str(len(ports)), found=str(len(inputs)))
    for port, array in zip(ports, inputs, strict=True):
        if (array.dtype, array.shape) != (port.dtype, port.shape):
            raise Diagnostic(
                "an input has the wrong type or shape",
                where=f'input "{port.name}"',
                expected=f"{port.dtype} of shape {port.shape}",
                found=f"{array.dtype} of shape {array.shape}",
            )
    return [np.asarray(array, order="C") for array in inputs]
