"""
Programs for 32-bit RISC-V (RV32IMC) without an operating system: built, and run instruction by instruction.

The compiler is that of the package `ziglang`, or a GCC for RISC-V. The emulator is the package `unicorn`, with what a
program needs of the board `virt` of QEMU: RAM, a serial line, a clock, and a device that ends the run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import struct
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

from ..errors import Diagnostic
from .processes import finished
from .toolchain import cache_folder

RAM = 0x8000_0000
"""Where the board's memory begins."""

_SERIAL, _FINISHER, _TIMER = 0x1000_0000, 0x0010_0000, 0x0200_0000
_TIME = 0xBFF8
_LINE_STATUS, _CAN_PRINT = 5, 0x60  # of a 16550; bit 0 says that a byte has come
_PAGE = 4096
_GCC = ("riscv32-unknown-elf-gcc", "riscv64-unknown-elf-gcc")
_CAUSES = {0: "a jump to an odd address", 2: "an illegal instruction", 8: "a call", 11: "a call"}
_OVERFLOW = re.compile(r"region [`'](\w+)'(?: overflowed|: overflowed) by (\d+) bytes")


# Building


@dataclass(frozen=True)
class Rv32Compiler:
    """A command that compiles and links C for RV32IMC; `is_zig` tells the two families apart."""

    command: tuple[str, ...]
    is_zig: bool

    def arguments(self, uses_math: bool) -> tuple[list[str], list[str]]:
        """
        Return the compiler's arguments before and after the sources. Programs with <math.h> get it from a C library.
        """
        if not self.is_zig:
            before = ["-march=rv32imc", "-mabi=ilp32", "-nostartfiles", "-static", "-Wl,--no-warn-rwx-segments"]
            return before, (["-lm", "-lc", "-lgcc"] if uses_math else ["-nostdlib", "-lgcc"])
        # musl's sources need atomic instructions to compile; none of what is linked here has them.
        target = ("linux-musl", "+a") if uses_math else ("freestanding-none", "")
        cpu = f"-mcpu=generic_rv32+m+c{target[1]}"
        return ["-target", f"riscv32-{target[0]}", cpu, "-static", "-fno-sanitize=all", "-fomit-frame-pointer"], []


def rv32_compiler() -> Rv32Compiler:
    """
    Return the command that compiles C for RV32IMC: $RV32_CC, else the one in the package `ziglang`, else a GCC.

    Raises Diagnostic if there is none.
    """
    return _compiler(os.environ.get("RV32_CC", ""), os.environ.get("PATH", ""))


@cache
def _compiler(chosen: str, path: str) -> Rv32Compiler:
    if words := shlex.split(chosen):
        if shutil.which(words[0], path=path) is None:
            raise Diagnostic("the compiler that $RV32_CC names does not exist", where="$RV32_CC", found=chosen)
        return Rv32Compiler(tuple(words), any("zig" in word for word in words))
    if find_spec("ziglang") is not None:
        return Rv32Compiler((sys.executable, "-m", "ziglang", "cc"), True)
    for name in _GCC:
        if (program := shutil.which(name, path=path)) is not None:
            return Rv32Compiler((program,), False)
    raise Diagnostic(
        "there is no C compiler for RISC-V",
        expected=f"the package ziglang, {' or '.join(_GCC)} on the path, or the variable RV32_CC",
        remedy="install one of them: pip install 'tilewright[cc]', or apt-get install gcc-riscv64-unknown-elf",
    )


def build_elf(
    sources: Sequence[Path],
    script: Path,
    target: Path,
    *,
    entry: str,
    flags: Sequence[str] = (),
    uses_math: bool = False,
    compiler: Rv32Compiler | None = None,
) -> Path:
    """
    Compile C and assembly files, link them by a linker script, and return the program, which is `target`.

    The program starts at the symbol `entry`. Assembly finds the binaries that it includes beside the first source.

    Raises Diagnostic where the compiler fails, and where a region of the script is too small: with the bytes it lacks.
    """
    compiler = compiler or rv32_compiler()
    before, behind = compiler.arguments(uses_math)
    files = [str(source.resolve()) for source in sources]
    common = ["-std=c11", "-O3", "-g0", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
    arguments = [*compiler.command, *before, *common, *flags, *files, "-o", str(target.resolve())]
    arguments += [f"-Wl,-e,{entry},-T,{script.resolve()}", *behind]
    caches = str(cache_folder() / "zig")
    zig = {"ZIG_GLOBAL_CACHE_DIR": caches, "ZIG_LOCAL_CACHE_DIR": caches} if compiler.is_zig else {}
    folder = sources[0].resolve().parent
    # Zig compiles anew what its arguments or headers change, but does not look into binaries that assembly includes.
    arguments += [f"-DTW_BINARIES={_digest(folder)}"] if compiler.is_zig else []
    done = finished(arguments, folder, zig)
    if done.returncode == 0:
        return target
    lacks = [(int(size), region) for region, size in _OVERFLOW.findall(done.stderr)]
    if lacks:
        size, region = max(lacks)
        raise Diagnostic(
            f"the program does not fit in {region}: {size:,} bytes too many",
            where=str(target),
            expected=f"a program for the regions of {script.name}",
            remedy="compile the network for less memory, or choose a smaller one",
        )
    raise Diagnostic(
        f"the C compiler for RISC-V failed with status {done.returncode}",
        where=str(sources[0]),
        notes=(done.stderr or done.stdout).strip().splitlines()[:20],
        found=shlex.join(arguments),
        remedy="" if compiler.is_zig or not uses_math else "use the package ziglang, which has the C library for it",
    )


def _digest(folder: Path) -> str:
    """Return a number for what the binaries in a folder hold."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.bin")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


# ELF files


@dataclass(frozen=True)
class Elf:
    """
    A 32-bit little-endian program.

    `segments` are (address, bytes in the file, size in memory); `variables` the (start, end) of what may be written;
    `symbols` the addresses by name.
    """

    entry: int
    segments: tuple[tuple[int, bytes, int], ...]
    variables: tuple[tuple[int, int], ...]
    symbols: dict[str, int]

    def address_text(self, address: int) -> str:
        """Return an address as text, with the symbol before it."""
        symbols = sorted((value, name) for name, value in self.symbols.items() if not name.startswith((".", "$")))
        index = bisect_right(symbols, (address, "\U0010ffff")) - 1
        if index < 0:
            return f"0x{address:08x}"
        start, name = symbols[index]
        return f"0x{address:08x} ({name}+{address - start})"


def read_elf(file: Path) -> Elf:
    """Read a program. Raises Diagnostic where the file is none for RV32."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Diagnostic("there is no program", where=str(file)) from error
    if data[:6] != b"\x7fELF\x01\x01" or len(data) < 52 or struct.unpack_from("<H", data, 18)[0] != 243:
        raise Diagnostic("this is not a program for 32-bit RISC-V", where=str(file), expected="an ELF file")
    entry, programs, headers = struct.unpack_from("<III", data, 24)
    program_size, program_count, size, count = struct.unpack_from("<HHHH", data, 42)
    segments = [struct.unpack_from("<8I", data, programs + index * program_size) for index in range(program_count)]
    sections = [struct.unpack_from("<10I", data, headers + index * size) for index in range(count)]
    loaded = [
        (address, data[offset : offset + stored], size)
        for kind, offset, address, _, stored, size, *_ in segments
        if kind == 1 and size > 0
    ]
    writable = [
        (address, address + size) for _, _, flags, address, _, size, *_ in sections if flags & 3 == 3 and size > 0
    ]
    return Elf(entry, tuple(loaded), tuple(writable), _symbols(data, sections))


def _symbols(data: bytes, sections: Sequence[tuple[int, ...]]) -> dict[str, int]:
    result: dict[str, int] = {}
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != 2:
            continue
        names = sections[link][4]
        for at in range(offset, offset + size, 16):
            name, value, _, information, _, section = struct.unpack_from("<IIIBBH", data, at)
            text = data[names + name : data.index(b"\0", names + name)].decode("utf-8", "replace")
            if text and information & 15 <= 2 and 0 < section < 0xFF00:
                result[text] = value
    return result


# Running


@dataclass(frozen=True)
class Rv32Run:
    """
    Result of a run: its output, its exit code (0 is success), and the number of executed instructions.

    Where `is_waiting` it has not ended: the program waits for more on the serial line.
    """

    console: str
    exit_code: int
    instructions: int
    is_waiting: bool = False


@dataclass
class _Board:
    """A machine with its devices. `lengths` remembers how many instructions a block of code has."""

    machine: Any
    limit: int
    console: bytearray = field(default_factory=bytearray)
    serial_input: deque[int] = field(default_factory=deque[int])
    is_waiting: bool = False
    exit_code: int | None = None
    instructions: int = 0
    cause: int | None = None
    access: str = ""
    lengths: dict[int, int] = field(default_factory=dict[int, int])

    def on_block(self, machine: Any, address: int, size: int, _: Any) -> None:
        length = self.lengths.get(address)
        if length is None:
            length = self.lengths[address] = _instructions(bytes(machine.mem_read(address, size)))
        self.instructions += length
        if self.instructions > self.limit:
            machine.emu_stop()

    def on_exception(self, machine: Any, cause: int, _: Any) -> None:
        self.cause = cause
        machine.emu_stop()

    def on_access(self, machine: Any, kind: int, address: int, size: int, value: int, _: Any) -> bool:
        self.access = f"{size} bytes at 0x{address:08x}"
        return False

    def on_serial(self, machine: Any, offset: int, size: int, value: int, _: Any) -> None:
        if offset == 0:
            self.console.append(value & 0xFF)

    def on_serial_read(self, machine: Any, offset: int, size: int, _: Any) -> int:
        if offset != _LINE_STATUS:
            return self.serial_input.popleft() if self.serial_input and offset == 0 else 0
        if not self.serial_input:
            self.is_waiting = True
            machine.emu_stop()
        return _CAN_PRINT | (len(self.serial_input) > 0)

    def on_finisher(self, machine: Any, offset: int, size: int, value: int, _: Any) -> None:
        self.exit_code = 0 if value == 0x5555 else value >> 16
        machine.emu_stop()

    def on_timer(self, machine: Any, offset: int, size: int, _: Any) -> int:
        return (self.instructions >> (8 * (offset - _TIME))) & 0xFFFF_FFFF if offset in (_TIME, _TIME + 4) else 0


def _instructions(code: bytes) -> int:
    count = at = 0
    while at < len(code):
        at += 4 if code[at] & 3 == 3 else 2
        count += 1
    return count


class Rv32Machine:
    """
    A hart with its board, and a program that is loaded.

    `ram` bytes lie at 0x80000000; pages of the program without variables cannot be written. A byte stored to
    0x10000000 is printed; bit 0 of 0x10000005 says whether a byte can be read there. A word stored to 0x100000 ends the
    run: 0x5555, or 0x3333 and an exit code in the upper half. 0x0200bff8 reads as the instructions so far. These are
    counted by basic blocks.
    """

    def __init__(self, file: Path, *, limit: int = 20_000_000_000, ram: int = 128 << 20):
        """Load a program, which may run `limit` instructions at once. Raises Diagnostic where it does not fit."""
        self._file, self._limit, self._elf = file, limit, read_elf(file)
        self._board, self._counter = _board(self._elf, file, limit, ram), self._elf.entry

    def run(self, data: bytes = b"") -> Rv32Run:
        """
        Go on until the program ends the run, or waits for more on the serial line; returns what it did since.

        Raises Diagnostic where it touches other memory, meets an exception, or exceeds the limit.
        """
        unicorn = _unicorn()
        board, before = self._board, self._board.instructions
        board.serial_input.extend(data)
        board.is_waiting, board.limit = False, before + self._limit
        board.console.clear()
        try:
            board.machine.emu_start(self._counter, 0)
        except unicorn.UcError as error:
            raise _fault(self._elf, board, self._file, str(error)) from error
        if board.exit_code is None and not board.is_waiting:
            raise _fault(self._elf, board, self._file, "")
        self._counter = _counter(board)
        console, code = board.console.decode("utf-8", "replace"), board.exit_code
        return Rv32Run(console, -1 if code is None else code, board.instructions - before, code is None)


def run_elf(file: Path, *, limit: int = 20_000_000_000, ram: int = 128 << 20) -> Rv32Run:
    """
    Run a program on one hart, as Rv32Machine does, until it ends the run itself.

    Raises Diagnostic where the program touches other memory, meets an exception, exceeds `limit` instructions, or waits
    for the serial line, on which nothing comes.
    """
    done = Rv32Machine(file, limit=limit, ram=ram).run()
    if done.is_waiting:
        raise Diagnostic("the program waits for the serial line, on which nothing comes", where=str(file))
    return done


def _unicorn() -> Any:
    if find_spec("unicorn") is None:
        raise Diagnostic(
            "there is no emulator for RISC-V", expected="the package unicorn", remedy="pip install 'tilewright[test]'"
        )
    import unicorn

    return unicorn


def _board(elf: Elf, file: Path, limit: int, ram: int) -> _Board:
    unicorn = _unicorn()
    machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    place = RAM
    for start, size in _constants(elf):
        if RAM <= start and start + size <= RAM + ram:
            _map(machine, place, start, unicorn.UC_PROT_ALL)
            _map(machine, start, start + size, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
            place = start + size
    _map(machine, place, RAM + ram, unicorn.UC_PROT_ALL)
    for address, content, size in elf.segments:
        if address < RAM or address + size > RAM + ram:
            raise Diagnostic(
                "the program needs memory that the board has not",
                where=str(file),
                expected=f"0x{RAM:08x} to 0x{RAM + ram:08x}",
                found=f"0x{address:08x} to 0x{address + size:08x}",
            )
        machine.mem_write(address, content)
    board = _Board(machine, limit)
    machine.mmio_map(_SERIAL, _PAGE, board.on_serial_read, None, board.on_serial, None)
    machine.mmio_map(_FINISHER, _PAGE, None, None, board.on_finisher, None)
    machine.mmio_map(_TIMER, 0x10000, board.on_timer, None, None, None)
    machine.hook_add(unicorn.UC_HOOK_BLOCK, board.on_block)
    machine.hook_add(unicorn.UC_HOOK_INTR, board.on_exception)
    machine.hook_add(unicorn.UC_HOOK_MEM_INVALID, board.on_access)
    return board


def _map(machine: Any, start: int, end: int, access: int) -> None:
    if start < end:
        machine.mem_map(start, end - start, access)


def _constants(elf: Elf) -> Iterator[tuple[int, int]]:
    """Return (start, bytes) of the pages of a program that hold no variables, as long as they go."""
    written = {page for start, end in elf.variables for page in range(start // _PAGE, -(-end // _PAGE))}
    pages = {page for start, _, size in elf.segments for page in range(start // _PAGE, -(-(start + size) // _PAGE))}
    constant = sorted(pages - written)
    # Neighbours have the same difference to their place in the list.
    for _, run in groupby(enumerate(constant), lambda item: item[1] - item[0]):
        run_pages = [page for _, page in run]
        yield run_pages[0] * _PAGE, len(run_pages) * _PAGE


def _counter(board: _Board) -> int:
    from unicorn.riscv_const import UC_RISCV_REG_PC

    return int(board.machine.reg_read(UC_RISCV_REG_PC))


def _fault(elf: Elf, board: _Board, file: Path, error: str) -> Diagnostic:
    counter = _counter(board)
    printed = board.console.decode("utf-8", "replace").splitlines()[-10:]
    notes = ["the program printed:", *printed] if printed else []
    if board.cause is not None:
        # unicorn has gone on by 4 when it tells of an exception.
        reason = (
            f"the program met {_CAUSES.get(board.cause, f'exception {board.cause}')} at {elf.address_text(counter - 4)}"
        )
        return Diagnostic(reason, where=str(file), notes=notes)
    if not error:
        reason = f"the program has not ended after {board.limit:,} instructions, it is at {elf.address_text(counter)}"
        return Diagnostic(reason, where=str(file), notes=notes, remedy="allow more instructions")
    if not board.access:
        return Diagnostic(
            f"the emulator stopped the program at {elf.address_text(counter)}: {error}", str(file), notes=notes
        )
    return Diagnostic(
        f"the program touches memory that is not its own, at {elf.address_text(counter)}",
        where=str(file),
        found=f"{board.access}: {error}",
        notes=notes,
    )
