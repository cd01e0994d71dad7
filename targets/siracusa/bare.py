"""
Bare-metal programs from emitted networks: for Siracusa, and for any RV32IMC core.

The program has the network and the inputs of one or several calls. It runs the network, prints the cycles and outputs
of each call, and exits with 0, with the network's status if an input check fails, and with 1 if outputs differ from the
expected ones. State is reset first.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import Diagnostic
from ...ir import Array
from ...passes.emitc.text.external import FILE as EXTERNAL_IMAGE
from ...runtime.host import HostEntry, HostPort, emitted_text, entries_of, refused
from ...runtime.rv32 import Rv32Machine, build_elf, run_elf
from .bare_program import BareCall, program_text, record, records, reset_record

RUNTIME = Path(__file__).parent / "c"
"""Folder of the C runtime; emitted networks include `tw_cluster.h` from it."""


@dataclass(frozen=True)
class Board:
    """Board that programs are built for: its runtime files and macros, and flags of the compiler."""

    script: str
    sources: tuple[str, ...]
    macros: tuple[str, ...]
    flags: tuple[str, ...] = ()


PORTABLE = Board(
    "portable.ld",
    ("portable.S", "program.c", "string.c", "single_hart.c", "npu_model.c"),
    ("TW_SINGLE_HART",),
)
"""One hart of RV32IMC with RAM at 0x80000000, as QEMU's `virt` and the emulator have it."""

SIRACUSA = Board(
    "bare_metal.ld", ("bare_metal.S", "program.c", "string.c"), ("TW_BARE_METAL", "TW_XPULP"), ("-mrelax",)
)
"""Siracusa and its GVSoC model, with Xpulp instructions. The linker shortens calls: code is fetched from L2."""

BOARDS = {"portable": PORTABLE, "siracusa": SIRACUSA}
"""Boards of `tilewright compile --bare`, by name of the program."""


@dataclass(frozen=True)
class BareRun:
    """
    Outputs of the last call, measured cycles of each call, and all instructions.

    `calls` are the outputs of every call of the last run.
    """

    outputs: list[Array]
    cycles: tuple[int, ...]
    instructions: int
    calls: tuple[list[Array], ...] = ()


def build_bare(
    folder: Path,
    target: Path,
    board: Board = PORTABLE,
    *,
    inputs: Sequence[Array] | None = None,
    expected: Sequence[Array] | None = None,
    calls: Sequence[BareCall] = (),
    runs: int = 1,
    shows_all: bool = False,
    counted: int = 0,
    flags: Sequence[str] = (),
) -> Path:
    """
    Build the network in a folder written by `tilewright compile` as the ELF file `target`, and return its path.

    `inputs`, zeros by default, and `expected` outputs are arrays of the types and shapes in network.h; `calls` replaces
    both by a sequence of calls. The program repeats them `runs` times, and resets the state before each run. It prints
    the outputs of the last run, or with `shows_all` those of all. The cycles of as many marked calls as `counted` are
    printed behind those of each call.

    Raises Diagnostic for arrays of other types or shapes, for a missing compiler, and for a network that exceeds a
    memory of the board.
    """
    if board == SIRACUSA and has_external(folder):
        raise _no_external(folder)
    entries = entries_at(folder)
    if not calls:
        arrays = [np.zeros(port.shape, port.dtype) for port in entries[0].inputs] if inputs is None else inputs
        calls = [BareCall(arrays, expected)]
    is_compared = any(call.expected is not None for call in calls)
    main = _program(folder, runs=runs, shown=0 if shows_all else runs, is_compared=is_compared)
    count = [f"-DTW_COUNTED={counted + 1}u", "-include", str(RUNTIME.resolve() / "tw_count.h")] if counted else []
    more = replace(board, sources=(*board.sources, "count.c")) if counted else board
    return _build(folder, target, more, main, records(entries, calls), [*count, *flags])


def _program(folder: Path, *, runs: int = 1, shown: int = 1, is_compared: bool = False) -> str:
    return program_text(
        entries_at(folder),
        runs=runs,
        shown=shown,
        has_state=has_state(folder),
        has_external=has_external(folder),
        is_compared=is_compared,
    )


def _build(folder: Path, target: Path, board: Board, text: str, data: bytes | None, flags: Sequence[str]) -> Path:
    """Build a program with records, or one that reads them from the serial line if there is no data."""
    files = [file for name in ("network.c", "weights.c", "weights.S") if (file := folder / name).exists()]
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        main, assembly = Path(temporary) / "main.c", Path(temporary) / "data.S"
        main.write_text(text)
        contents = {} if data is None else {"records": data}
        contents |= {"ram_image": (folder / EXTERNAL_IMAGE).read_bytes()} if has_external(folder) else {}
        # Absolute paths: an include folder of its own would make Zig compile all sources again for each program.
        binaries = {name: assembly.with_name(f"{name}.bin") for name in contents}
        assembly.write_text("    .section .rodata\n" + "".join(_included(*binary) for binary in binaries.items()))
        for name, content in contents.items():
            binaries[name].write_bytes(content)
        text_of_network = emitted_text(folder / "network.c")
        uses_math = "tilewright_math.h" in text_of_network
        options = [f"-I{path}" for path in (folder.resolve(), RUNTIME.resolve())]
        options += [] if uses_math else ["-ffreestanding", "-isystem", str(RUNTIME.resolve() / "freestanding")]
        macros = [*board.macros, *(["TW_SERIAL"] if data is None else [])]
        macros += ["TW_XPULPNN"] if "tw_dot_narrow(" in text_of_network else []
        options += [f"-D{macro}" for macro in macros]
        sources = [*files, main, assembly, *(RUNTIME / name for name in board.sources)]
        target.parent.mkdir(parents=True, exist_ok=True)
        script, options = RUNTIME / board.script, [*options, *board.flags, *flags]
        return build_elf(sources, script, target, entry="tw_start_program", flags=options, uses_math=uses_math)


def _included(name: str, file: Path) -> str:
    return f'    .balign 16\n    .globl {name}\n{name}:\n    .incbin "{file}"\n'


def run_bare(
    folder: Path,
    inputs: Sequence[Array] | None = None,
    *,
    calls: Sequence[BareCall] = (),
    runs: int = 1,
    flags: Sequence[str] = (),
) -> BareRun:
    """
    Build the network in a folder for any RV32IMC core, and run it on the emulator.

    One core runs everything; its clock counts instructions. Raises Diagnostic as `build_bare` and `run_elf` do, for a
    failed input check, and for a trap.
    """
    entries = entries_at(folder)
    calls = calls or [BareCall([np.zeros(p.shape, p.dtype) for p in entries[0].inputs] if inputs is None else inputs)]
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        elf = build_bare(folder, Path(temporary) / "network.elf", calls=calls, runs=runs, flags=flags)
        done = run_elf(elf)
    cycles = _cycles(done.console)
    if status := re.search(r"^refused (\d+)$", done.console, re.MULTILINE):
        call = calls[(len(cycles) - 1) % len(calls)]
        raise refused(folder / "network.h", int(status[1]), entries[call.entry], call.inputs)
    if done.exit_code:
        raise Diagnostic(
            f"the program ended with code {done.exit_code}",
            where=str(folder / "network.c"),
            notes=done.console.splitlines()[-10:],
        )
    run = read_calls(done.console, entries, calls)
    return replace(run, instructions=done.instructions)


class BareSession:
    """
    Network on the emulator with persistent state, called over the serial line.

    `instructions` are those of the last call, serial input and output included.
    """

    def __init__(self, folder: Path, *, flags: Sequence[str] = ()):
        """Build the network in a folder. Raises Diagnostic as `build_bare` does."""
        self.entries = entries_at(folder)
        self._folder = folder
        main = _program(folder)
        with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
            elf = _build(folder, Path(temporary) / "network.elf", PORTABLE, main, None, flags)
            self._machine = Rv32Machine(elf)
        self.instructions = 0

    def run(self, inputs: Sequence[Array], entry: int = 0) -> list[Array]:
        """
        Call a function of the network and return its outputs.

        Raises Diagnostic for inputs that do not match `self.entries[entry]`, for a failed input check, and for a trap.
        """
        console = self._take(record(self.entries, BareCall(inputs, entry=entry)))
        if status := re.search(r"^refused (\d+)$", console, re.MULTILINE):
            raise refused(self._folder / "network.h", int(status[1]), self.entries[entry], inputs)
        return _outputs(console, self.entries[entry].outputs)

    def reset(self) -> None:
        """Reset the state to its initial value."""
        self._take(reset_record())

    def _take(self, data: bytes) -> str:
        done = self._machine.run(data)
        self.instructions = done.instructions
        if not done.is_waiting:
            raise Diagnostic(
                f"the program ended with code {done.exit_code}",
                where=str(self._folder / "network.c"),
                notes=done.console.splitlines()[-10:],
            )
        return done.console


def read_console(console: str, ports: Sequence[HostPort]) -> tuple[list[Array], tuple[int, ...]]:
    """
    Parse the outputs and the cycles of each call from the console of a program that prints the outputs of one call.

    Raises Diagnostic for an incomplete output.
    """
    return _outputs(console, ports), _cycles(console)


def read_calls(console: str, entries: Sequence[HostEntry], calls: Sequence[BareCall]) -> BareRun:
    """
    Parse the cycles of all calls, and the outputs of the last ones, `calls`, from the console of a program.

    Raises Diagnostic where the program has not printed all that.
    """
    cycles = _cycles(console)
    if len(cycles) < len(calls):
        raise Diagnostic(
            "the program has not made all calls",
            expected=f"the cycles of {len(calls):,} calls",
            found=f"{len(cycles):,}",
            notes=console.splitlines()[-10:],
        )
    parts = re.split(r"^cycles \d+\n", console, flags=re.MULTILINE)[-len(calls) :]
    outputs = [_outputs(part, entries[call.entry].outputs) for part, call in zip(parts, calls, strict=True)]
    return BareRun(outputs[-1], cycles, 0, tuple(outputs))


def _cycles(console: str) -> tuple[int, ...]:
    return tuple(int(count) for count in re.findall(r"^cycles (\d+)$", console, re.MULTILINE))


def _outputs(console: str, ports: Sequence[HostPort]) -> list[Array]:
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
    return outputs


def entries_at(folder: Path) -> list[HostEntry]:
    """Return the functions of the network in a folder. Raises Diagnostic where its header is malformed."""
    return entries_of(emitted_text(folder / "network.h"), folder)


def has_state(folder: Path) -> bool:
    """Return whether a network keeps state."""
    return _defines(folder, "STATE_BYTES")


def has_external(folder: Path) -> bool:
    """Return whether a network uses external RAM."""
    return _defines(folder, "RAM_BYTES")


def _defines(folder: Path, macro: str) -> bool:
    return f"#define {entries_at(folder)[0].prefix}_{macro}" in emitted_text(folder / "network.h")


def _no_external(folder: Path) -> Diagnostic:
    """Return the error of a network that needs a driver of the chip's HyperBus."""
    return Diagnostic(
        "the network needs external RAM, which the chip's program without an SDK does not reach",
        where=str(folder / "network.h"),
        expected="a network that fits L2 and the weight memory",
        remedy="compile its C under pulp-sdk, with -DTW_PULP_SDK (docs/siracusa-runtime.md); "
        "or build for one RISC-V core, where memory plays the RAM (build_bare without a board)",
    )
