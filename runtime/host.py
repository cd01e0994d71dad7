"""Runs an emitted network on this machine: compiles its C and calls it on NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Diagnostic
from ..ir import Array
from ..targets.c import CProgram, write_program
from .toolchain import compile_executable, compile_shared

_FLAGS = ("-std=c11", "-O2")
_SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
_DTYPES = {"bool": "bool", "float": "float32", "double": "float64"}


@dataclass(frozen=True)
class HostPort:
    """An input or output as network.h describes it: its ONNX name, element type and shape."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class HostNetwork:
    """
    An emitted network, compiled for this machine.

    `inputs` and `outputs` describe what it takes and gives. With `sanitize` it runs as a program of its own under
    ASan and UBSan, twice on the same inputs, and must give the same bytes both times.
    """

    def __init__(self, network: CProgram | Path, *, sanitize: bool = False, flags: Sequence[str] = ()):
        """Compile a network, or the folder that it was written to. Raises Diagnostic where the compiler fails."""
        self._temporary = tempfile.TemporaryDirectory(prefix="tilewright-")
        self.folder = network if isinstance(network, Path) else Path(self._temporary.name)
        if isinstance(network, CProgram):
            write_program(network, self.folder)
        header = _read(self.folder / "network.h")
        self._prefix, self._function = _names(header, self.folder)
        self.inputs = _ports(header, f"{self._prefix}_INPUT")
        self.outputs = _ports(header, f"{self._prefix}_OUTPUT")
        sources = [file for name in ("network.c", "weights.c", "weights.S") if (file := self.folder / name).exists()]
        self._program: Path | None = None
        if sanitize:
            driver = Path(self._temporary.name) / "driver.c"
            driver.write_text(_driver(self._prefix, self._function, len(self.inputs), len(self.outputs)))
            include = f"-I{self.folder.resolve()}"
            self._program = compile_executable([*sources, driver], [*_FLAGS, *_SANITIZERS, include, *flags])
        else:
            library = ctypes.CDLL(str(compile_shared(sources, [*_FLAGS, *flags])))
            self._run = getattr(library, self._function)
            self._run.restype = None

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """
        Run the network once and return its outputs, in order.

        Inputs have the types and shapes of `self.inputs`. Raises Diagnostic where they have not, or where a sanitiser
        objects.
        """
        given = _checked(self.inputs, inputs)
        if self._program is not None:
            return self._run_program(self._program, given)
        outputs = [np.empty(port.shape, port.dtype) for port in self.outputs]
        self._run(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*given, *outputs)))
        return outputs

    def _run_program(self, program: Path, inputs: list[Array]) -> list[Array]:
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            source, target = Path(folder) / "inputs.bin", Path(folder) / "outputs.bin"
            source.write_bytes(b"".join(array.tobytes() for array in inputs))
            options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
            command = [str(program), str(source), str(target)]
            done = subprocess.run(command, env=os.environ | options, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Diagnostic(
                    f"the network failed under the sanitisers with status {done.returncode}",
                    where=str(self.folder / "network.c"),
                    notes=done.stderr.strip().splitlines()[:20],
                )
            data = target.read_bytes()
        outputs: list[Array] = []
        start = 0
        for port in self.outputs:
            count = int(np.prod(port.shape))
            outputs.append(np.frombuffer(data, port.dtype, count, start).reshape(port.shape).copy())
            start += count * port.dtype.itemsize
        return outputs


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise Diagnostic(
            "there is no emitted network", where=str(file), expected="a folder that `tilewright compile` wrote"
        ) from error


def _names(header: str, folder: Path) -> tuple[str, str]:
    """Return the prefix of the macros and the name of the function."""
    macro, function = re.search(r"#define (\w+)_INPUT_COUNT", header), re.search(r"^void (\w+)\(", header, re.MULTILINE)
    if macro is None or function is None:
        raise Diagnostic("the header declares no network", where=str(folder / "network.h"))
    return macro[1], function[1]


def _ports(header: str, prefix: str) -> list[HostPort]:
    macros = dict(re.findall(rf"^#define {prefix}_(\w+) (.*)$", header, re.MULTILINE))
    return [_port(macros, str(index)) for index in range(int(macros["COUNT"]))]


def _port(macros: dict[str, str], index: str) -> HostPort:
    sizes = [int(size) for size in macros[f"{index}_SHAPE"].strip("{}").split(",")]
    c_type = macros[f"{index}_TYPE"]
    name = re.sub(rb"\\(\d{3})", lambda match: bytes([int(match[1], 8)]), macros[f"{index}_NAME"][1:-1].encode())
    shape = tuple(sizes[: int(macros[f"{index}_RANK"])])
    return HostPort(name.decode(), np.dtype(_DTYPES.get(c_type, c_type.removesuffix("_t"))), shape)


def _checked(ports: Sequence[HostPort], inputs: Sequence[Array]) -> list[Array]:
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
    return [np.ascontiguousarray(array) for array in inputs]


# The program for the sanitisers

_DRIVER = """\
#include <stdio.h>
#include <string.h>
#include "network.h"

@DECLARATIONS@
static int fail(const char *message) {
    fprintf(stderr, "%s\\n", message);
    return 1;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return fail("no inputs");
@READS@    fclose(file);
    @CALL@
@SAVES@    @CALL@
@COMPARES@    file = fopen(argv[2], "wb");
    if (file == NULL) return fail("no outputs");
@WRITES@    return fclose(file);
}
"""


def _driver(prefix: str, function: str, inputs: int, outputs: int) -> str:
    """Return a program that reads raw inputs, runs the network twice, and writes the outputs if they agree."""
    ins = [(f"{prefix}_INPUT_{index}", f"input_{index}") for index in range(inputs)]
    outs = [(f"{prefix}_OUTPUT_{index}", f"output_{index}") for index in range(outputs)]
    arguments = ", ".join(name for _, name in (*ins, *outs))
    parts = {
        "DECLARATIONS": [
            f"static {macro}_TYPE {name}[{macro}_SIZE > 0 ? {macro}_SIZE : 1];" for macro, name in (*ins, *outs)
        ]
        + [f"static {macro}_TYPE first_{name}[{macro}_SIZE > 0 ? {macro}_SIZE : 1];" for macro, name in outs],
        "READS": [
            f'    if (fread({name}, 1, {macro}_BYTES, file) != {macro}_BYTES) return fail("short inputs");'
            for macro, name in ins
        ],
        "SAVES": [
            f"    memcpy(first_{name}, {name}, {macro}_BYTES);\n    memset({name}, 0x5a, {macro}_BYTES);"
            for macro, name in outs
        ],
        "COMPARES": [
            f'    if (memcmp(first_{name}, {name}, {macro}_BYTES) != 0) return fail("the second call differs");'
            for macro, name in outs
        ],
        "WRITES": [
            f'    if (fwrite({name}, 1, {macro}_BYTES, file) != {macro}_BYTES) return fail("short outputs");'
            for macro, name in outs
        ],
    }
    text = _DRIVER.replace("@CALL@", f"{function}({arguments});")
    for key, lines in parts.items():
        text = text.replace(f"@{key}@", "".join(f"{line}\n" for line in lines))
    return text
