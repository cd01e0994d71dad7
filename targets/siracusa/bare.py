"""
Emitted networks as programs without an operating system: for Siracusa, and for any RV32IMC core.

The program holds the network and its inputs. It runs the network, prints the cycles that it took and the outputs, and
ends the run with 0; with the network's status where that refuses the inputs, and with 1 where outputs are not as they
should be.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import Diagnostic
from ...ir import Array
from ...runtime.host import HostPort, checked_arrays, emitted_text, ports_of
from ...runtime.rv32 import build_elf, run_elf

RUNTIME = Path(__file__).parent / "c"
"""The folder of the C runtime; emitted networks include `tw_cluster.h` from it."""


@dataclass(frozen=True)
class Board:
    """A machine that programs are built for: files of the runtime that it needs, and the macros that choose it."""

    script: str
    sources: tuple[str, ...]
    macros: tuple[str, ...]


PORTABLE = Board(
    "portable.ld",
    ("portable.S", "program.c", "string.c", "single_hart.c", "npu_model.c"),
    ("TW_SINGLE_HART",),
)
"""One hart of RV32IMC with RAM at 0x80000000, as QEMU's `virt` and the emulator have it."""

SIRACUSA = Board("bare_metal.ld", ("bare_metal.S", "program.c", "string.c"), ("TW_BARE_METAL", "TW_XPULP"))
"""Siracusa and its model in GVSoC, with the instructions of Xpulp."""

BOARDS = {"portable": PORTABLE, "siracusa": SIRACUSA}
"""The machines that `tilewright compile --bare` builds for, by the names of the programs."""


@dataclass(frozen=True)
class BareRun:
    """Outputs, the cycles of each run of the network as the program measured them, and all instructions."""

    outputs: list[Array]
    cycles: tuple[int, ...]
    instructions: int


def build_bare(
    folder: Path,
    target: Path,
    board: Board = PORTABLE,
    *,
    inputs: Sequence[Array] | None = None,
    expected: Sequence[Array] | None = None,
    runs: int = 1,
    flags: Sequence[str] = (),
) -> Path:
    """
    Build the network in a folder that `tilewright compile` wrote as an ELF file, and return its path, `target`.

    `inputs`, zeros where there are none, and `expected` outputs are arrays of the types and shapes in network.h. The
    program runs the network `runs` times. Raises Diagnostic where arrays have others, where there is no compiler, and
    where the network is larger than a memory of the board.
    """
    network = _interface(folder)
    given = [np.zeros(port.shape, port.dtype) for port in network.inputs] if inputs is None else inputs
    arrays = {f"input_{i}": array for i, array in enumerate(checked_arrays(network.inputs, given))}
    if expected is not None:
        arrays |= {f"expected_{i}": array for i, array in enumerate(checked_arrays(network.outputs, expected))}
    files = [file for name in ("network.c", "weights.c", "weights.S") if (file := folder / name).exists()]
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        main, data = Path(temporary) / "main.c", Path(temporary) / "data.S"
        main.write_text(_main(network, expected is not None, runs))
        data.write_text("    .section .rodata\n" + "".join(_included(name) for name in arrays))
        for name, array in arrays.items():
            (data.parent / f"{name}.bin").write_bytes(array.tobytes())
        uses_math = "tilewright_math.h" in emitted_text(folder / "network.c")
        options = [f"-I{path}" for path in (folder.resolve(), RUNTIME.resolve(), temporary)]
        options += [] if uses_math else ["-ffreestanding", "-isystem", str(RUNTIME.resolve() / "freestanding")]
        options += [f"-D{macro}" for macro in board.macros]
        sources = [*files, main, data, *(RUNTIME / name for name in board.sources)]
        target.parent.mkdir(parents=True, exist_ok=True)
        script, options = RUNTIME / board.script, [*options, *flags]
        return build_elf(sources, script, target, entry="tw_start_program", flags=options, uses_math=uses_math)


def run_bare(folder: Path, inputs: Sequence[Array], *, runs: int = 1, flags: Sequence[str] = ()) -> BareRun:
    """
    Build the network in a folder for any RV32IMC core, and run it on the emulator.

    One core does everything; its clock counts instructions. Raises Diagnostic as `build_bare` and `run_elf` do, and
    where the program stops by itself.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        elf = build_bare(folder, Path(temporary) / "network.elf", inputs=inputs, runs=runs, flags=flags)
        done = run_elf(elf)
    if done.exit_code:
        raise Diagnostic(
            f"the program ended with code {done.exit_code}",
            where=str(folder / "network.c"),
            notes=done.console.splitlines()[-10:],
        )
    outputs, cycles = read_console(done.console, _interface(folder).outputs)
    return BareRun(outputs, cycles, done.instructions)


def read_console(console: str, ports: Sequence[HostPort]) -> tuple[list[Array], tuple[int, ...]]:
    """
    Return the outputs and the cycles of each run that a program has printed.

    Raises Diagnostic where an output is not whole.
    """
    outputs: list[Array] = []
    for index, port in enumerate(ports):
        data = bytes.fromhex("".join(re.findall(rf"^output {index}: ([0-9a-f]*)$", console, re.MULTILINE)))
        size = int(np.prod(port.shape)) * port.dtype.itemsize
        if len(data) != size:
            raise Diagnostic(
                "the program has not printed an output",
                where=f'output "{port.name}"',
                expected=f"{size:,} bytes",
                found=f"{len(data):,}",
                notes=console.splitlines()[-10:],
            )
        outputs.append(np.frombuffer(data, port.dtype).reshape(port.shape).copy())
    return outputs, tuple(int(count) for count in re.findall(r"^cycles (\d+)$", console, re.MULTILINE))


@dataclass(frozen=True)
class _Interface:
    """What network.h says: the prefix of its macros, the function, whether that returns a status, its arrays."""

    prefix: str
    function: str
    returns: bool
    inputs: list[HostPort]
    outputs: list[HostPort]


def _interface(folder: Path) -> _Interface:
    header = emitted_text(folder / "network.h")
    macro = re.search(r"#define (\w+)_INPUT_COUNT", header)
    function = re.search(r"^(void|int32_t) (\w+_run)\(", header, re.MULTILINE)
    if macro is None or function is None:
        raise Diagnostic("the header declares no network", where=str(folder / "network.h"))
    ins, outs = ports_of(header, f"{macro[1]}_INPUT"), ports_of(header, f"{macro[1]}_OUTPUT")
    return _Interface(macro[1], function[2], function[1] != "void", ins, outs)


def _included(name: str) -> str:
    return f'    .balign 16\n    .globl {name}\n{name}:\n    .incbin "{name}.bin"\n'


_MAIN = """\
#include <string.h>

#include "network.h"
#include "program.h"
#include "tw_cluster.h"

@DECLARATIONS@
int main(void) {
    int32_t code = 0;
#if defined(TW_BARE_METAL)
    tw_start();
#endif
    for (int run = 0; run < @RUNS@; ++run) {
        const uint32_t begin = tw_cycles();
        @CALL@;
        const uint32_t end = tw_cycles();
        tw_put_text("cycles ");
        tw_put_decimal(end - begin);
        tw_put('\\n');
        if (code != 0) return code;
    }
@PRINTS@@COMPARES@    return code;
}
"""


def _main(network: _Interface, is_compared: bool, runs: int) -> str:
    """Return the program that runs a network on inputs that lie beside it."""
    prefix, size = network.prefix, "{0}_SIZE > 0 ? {0}_SIZE : 1"
    ins = [(f"{prefix}_INPUT_{index}", f"input_{index}") for index in range(len(network.inputs))]
    outs = [(f"{prefix}_OUTPUT_{index}", f"output_{index}") for index in range(len(network.outputs))]
    compared = [(macro, name, name.replace("output", "expected")) for macro, name in outs if is_compared]
    declarations = [f"extern const {macro}_TYPE {name}[];" for macro, name in ins]
    declarations += [f"static _Alignas(16) {macro}_TYPE {name}[{size.format(macro)}];" for macro, name in outs]
    declarations += [f"extern const {macro}_TYPE {wanted}[];" for macro, _, wanted in compared]
    prints = [f'    tw_put_bytes("output", {i}, {name}, {macro}_BYTES);' for i, (macro, name) in enumerate(outs)]
    compares = [
        f"    if (memcmp({name}, {wanted}, {macro}_BYTES) != 0) {{\n"
        f'        tw_put_text("{name} differs\\n");\n        code = 1;\n    }}'
        for macro, name, wanted in compared
    ]
    parts = {"DECLARATIONS": declarations, "PRINTS": prints, "COMPARES": compares}
    arguments = ", ".join(name for _, name in (*ins, *outs))
    call = f"{'code = ' if network.returns else ''}{network.function}({arguments})"
    text = _MAIN.replace("@RUNS@", str(runs)).replace("@CALL@", call)
    for key, lines in parts.items():
        text = text.replace(f"@{key}@", "".join(f"{line}\n" for line in lines))
    return text
