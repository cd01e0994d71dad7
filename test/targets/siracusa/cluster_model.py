"""
A model of Siracusa that runs programs instruction by instruction: the outer controller, nine cores with their event
unit and DMA engine, and the NPU. It has no notion of time: cores run by turns of random length, transfers and jobs end
at random moments, so that what a program gets wrong about waiting shows.

Behaviour of the event unit and of the DMA engine: GVSoC pulp/event_unit/eu_v3_impl.cpp, pulp/mchan/mchan_v7_impl.cpp.
"""

from __future__ import annotations

import ctypes
import importlib
import random
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.runtime.rv32 import read_elf
from tilewright.targets.siracusa.npu.datapath import run_job
from tilewright.targets.siracusa.npu.memory import RegionMemory
from tilewright.test.targets.siracusa.xpulp_model import computed_by, signed

unicorn: Any = importlib.import_module("unicorn")
riscv_const: Any = importlib.import_module("unicorn.riscv_const")

CORES, CONTROLLER = 9, 8
L1, WEIGHTS, L2 = (0x1000_0000, 256 << 10), (0x1040_0000, 8 << 20), (0x1C00_0000, 2 << 20)
PERIPHERALS, EVENTS, MCHAN, NPU = 0x1020_0000, 0x1020_4000, 0x1020_4400, 0x1020_1000
DMA_EVENT, NPU_EVENT, BARRIER_EVENT, DISPATCH_EVENT = 8, 12, 16, 18
_REGISTERS = [getattr(riscv_const, f"UC_RISCV_REG_X{i}") for i in range(32)]


class Wrong(Exception):
    """The program asked for what the machine does not do."""


@dataclass
class Core:
    """A core, what it waits for (the address of a load), and its part of the event unit."""

    machine: Any
    number: int
    is_running: bool = False
    counter: int = 0
    waits: int | None = None
    has_arrived: bool = False
    mask: int = 0
    events: int = 0
    inbox: deque[int] = field(default_factory=deque[int])
    command: list[int] = field(default_factory=list[int])
    group: int | None = None
    loop: tuple[int, int, int] = (0, 0, 0)
    """Of the hardware loop: its first instruction, its last one, and the turns that are left."""


class Siracusa:
    """
    The machine. `console` is what the program has printed, `exit_code` how it ended.

    `haste` is how likely transfers and jobs go on while cores could.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.haste = self.random.choice((0.3, 0.03, 0.002))
        self.memories = {base: np.zeros(size, np.uint8) for base, size in (L1, WEIGHTS, L2)}
        self.memory = RegionMemory(dict(self.memories))
        self.contexts: list[list[int] | None] = [None, None]
        self.acquired: int | None = None
        self.jobs: list[int] = []
        self.console, self.exit_code = "", -1
        self.boot = [0] * CORES
        self.team, self.barriers = 0, {0: [0, 0, 0], 1: [0, 0, 0]}
        self.allocated = 0
        self.pending = [0] * 16
        self.commands: list[tuple[int, list[int]]] = []
        self.enabled = False
        self.error: Wrong | None = None
        self.cores = [Core(self._machine(number), number) for number in range(CORES + 1)]

    def _machine(self, number: int) -> Any:
        machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        for base, buffer in self.memories.items():
            machine.mem_map_ptr(base, len(buffer), unicorn.UC_PROT_ALL, buffer.ctypes.data)

        def guarded(action: Callable[[], int | None]) -> int:
            try:
                return action() or 0
            except Wrong as error:
                self.error = self.error or error
                machine.emu_stop()
                return 0

        def read(_: Any, offset: int, size: int, __: Any) -> int:
            return guarded(lambda: self.load(self.cores[number], PERIPHERALS + offset))

        def write(_: Any, offset: int, size: int, value: int, __: Any) -> None:
            guarded(lambda: self.store(self.cores[number], PERIPHERALS + offset, size, value))

        def write_chip(_: Any, offset: int, size: int, value: int, __: Any) -> None:
            guarded(lambda: self.store(self.cores[number], 0x1A10_4000 + offset, size, value))

        def on_exception(_: Any, cause: int, __: Any) -> None:
            guarded(lambda: self.instruction(self.cores[number], cause))

        machine.mmio_map(PERIPHERALS, 0x5000, read, None, write, None)
        machine.mmio_map(0x1A10_4000, 0xC000, None, None, write_chip, None)
        machine.hook_add(unicorn.UC_HOOK_INTR, on_exception)
        return machine

    def run(self, elf_file: Path, turns: int = 200_000) -> None:
        """Run a program until it ends the run. Raises Wrong where it never will."""
        elf = read_elf(elf_file)
        for address, content, _ in elf.segments:
            base, size = next((base, size) for base, size in (L1, WEIGHTS, L2) if base <= address < base + size)
            assert address - base + len(content) <= size
            content = _with_own_csrs(content)
            self.memories[base][address - base :][: len(content)] = np.frombuffer(content, np.uint8)
        self.cores[CORES].counter, self.cores[CORES].is_running = elf.entry, True
        for _ in range(turns):
            if self.exit_code >= 0:
                return
            ready = [core for core in self.cores if core.is_running and (core.waits is None or self._has_come(core))]
            beside = len(self.commands) + len(self.jobs)
            if not ready and not beside:
                raise Wrong(
                    f"all cores wait: {[(c.number, c.waits and hex(c.waits), hex(c.counter)) for c in self.cores]}"
                )
            if beside and (not ready or self.random.random() < self.haste):
                self._work_beside()
            elif ready:
                self._turn(self.random.choice(ready))
        raise Wrong("the program does not end")

    def _turn(self, core: Core) -> None:
        if core.waits is not None:
            (word,) = struct.unpack("<I", bytes(core.machine.mem_read(core.counter, 4)))
            self._set(core, word >> 7 & 31, self._take(core))
            core.counter += 4
        try:
            core.machine.emu_start(core.counter, 0, count=self.random.choice((1, 7, 50, 400, 4000)))
        except unicorn.UcError as error:
            raise Wrong(f"core {core.number} at {core.counter:#x}: {error}") from error
        if self.error is not None:
            raise self.error
        if core.waits is None:
            core.counter = int(core.machine.reg_read(riscv_const.UC_RISCV_REG_PC))

    # Instructions that the processor's model lacks

    def instruction(self, core: Core, cause: int) -> None:
        """Execute the instruction that has caused an exception: one of Xpulp, or of the CSRs."""
        machine = core.machine
        at = int(machine.reg_read(riscv_const.UC_RISCV_REG_PC)) - 4
        (word,) = struct.unpack("<I", bytes(machine.mem_read(at, 4)))
        opcode, rd, funct3, rs1, rs2 = word & 127, word >> 7 & 31, word >> 12 & 7, word >> 15 & 31, word >> 20 & 31
        if cause != 2:
            raise Wrong(f"core {core.number} at {at:#x}: exception {cause}")
        a, b, c = (int(machine.reg_read(_REGISTERS[number])) for number in (rs1, rs2, rd))
        if (opcode, funct3) == (0x03, 6):
            core.waits, core.has_arrived, core.counter = (a + signed(word >> 20, 12)) & 0xFFFF_FFFF, False, at
            if not self._has_come(core):
                machine.emu_stop()
                return
            value = self._take(core)
        elif (opcode, funct3) == (0x0B, 2):
            (value,) = struct.unpack("<I", self._bytes(a, 4))
            machine.reg_write(_REGISTERS[rs1], (a + signed(word >> 20, 12)) & 0xFFFF_FFFF)
        elif (opcode, funct3) == (0x2B, 2):
            ctypes.memmove(self._place(a, 4), struct.pack("<I", b), 4)
            rd, value = rs1, a + signed((word >> 25) << 5 | rd, 12)
        elif (opcode, funct3, word >> 25) == (0x0B, 7, 0x20):
            (value,) = self._bytes(a, 1)
            machine.reg_write(_REGISTERS[rs1], (a + b) & 0xFFFF_FFFF)
        elif (opcode, funct3) == (0x2B, 0):
            ctypes.memmove(self._place(a, 1), struct.pack("<I", b), 1)
            rd, value = rs1, a + signed((word >> 25) << 5 | rd, 12)
        elif (opcode, funct3, word >> 25) == (0x2B, 6, 0):
            ctypes.memmove(self._place(a, 4), struct.pack("<I", b), 4)
            rd, value = rs1, a + c
        elif (opcode, funct3, rd) == (0x7B, 4, 0):
            core.loop = at + 4, at + (word >> 20) * 2, a
            return
        elif word & 0xFFFF_F07F in _OWN_CSRS.values():
            value = core.number if word >> 20 == 0xF14 else self.random.randrange(1 << 32)
        elif (computed := computed_by(word, a, b, c)) is not None:
            value = computed
        else:
            raise Wrong(f"core {core.number} at {at:#x}: instruction {word:08x}")
        self._set(core, rd, value)
        first, last, turns = core.loop
        if at == last and turns > 1:
            core.loop = first, last, turns - 1
            machine.reg_write(riscv_const.UC_RISCV_REG_PC, first)

    def _bytes(self, address: int, size: int) -> bytes:
        return ctypes.string_at(self._place(address, size), size)

    def _set(self, core: Core, register: int, value: int) -> None:
        if register:
            core.machine.reg_write(_REGISTERS[register], value & 0xFFFF_FFFF)

    # The event unit

    def _has_come(self, core: Core) -> bool:
        """Whether a load that waits can go on; a core that waits at a barrier is counted there once."""
        assert core.waits is not None
        offset = core.waits - EVENTS
        if offset == 0x3C:
            return core.events & core.mask != 0
        if offset == 0x80:
            return bool(core.inbox)
        if offset not in (0x21C, 0x23C):
            raise Wrong(f"core {core.number} waits at {core.waits:#x}")
        if not core.has_arrived:
            core.has_arrived = True
            self._arrive(offset // 0x20 & 1, core.number)
        return core.events & core.mask != 0

    def _take(self, core: Core) -> int:
        waits, core.waits = core.waits, None
        if waits == EVENTS + 0x80:
            core.events &= ~(1 << DISPATCH_EVENT)
            return core.inbox.popleft()
        value = core.events & core.mask
        core.events &= ~core.mask
        return value

    def _arrive(self, number: int, core: int) -> None:
        barrier = self.barriers[number]
        if core >= 0:
            if barrier[2] >> core & 1:
                raise Wrong(f"core {core} comes twice to barrier {number}")
            barrier[2] |= 1 << core
        if barrier[2] == barrier[0]:
            barrier[2] = 0
            self._raise(BARRIER_EVENT, barrier[1] or (1 << CORES) - 1)

    def _raise(self, event: int, mask: int) -> None:
        for core in self.cores[:CORES]:
            if mask >> core.number & 1:
                core.events |= 1 << event

    # DMA and NPU

    def _work_beside(self) -> None:
        index = self.random.randrange(len(self.commands) + len(self.jobs))
        if index >= len(self.commands):
            self._finish_job()
            return
        group, (command, near, far, *rest) = self.commands.pop(index)
        size = command & 0x1FFFF
        row, stride = rest or (size, 0)
        for at in range(0, size, row):
            part = min(row, size - at)
            ends = near + at, far + at // row * stride
            target, source = ends if command >> 17 & 1 else ends[::-1]
            ctypes.memmove(self._place(target, part), self._place(source, part), part)
        self.pending[group] -= size
        if self.pending[group] == 0:
            self._raise(DMA_EVENT, (1 << CORES) - 1)

    def _finish_job(self) -> None:
        context = self.jobs.pop(0)
        words = self.contexts[context]
        assert words is not None
        run_job(words, self.memory)
        self.contexts[context] = None
        self._raise(NPU_EVENT, (1 << CORES) - 1)

    def _read_npu(self, offset: int) -> int:
        if offset == 0x0C:
            return sum(1 << 8 * context for context in self.jobs)
        if offset != 0x04:
            raise Wrong(f"the NPU has no register {offset:#x} to read")
        free = [context for context, words in enumerate(self.contexts) if words is None]
        if self.acquired is not None or not free:
            return 0xFFFF_FFFE if self.acquired is not None else 0xFFFF_FFFF
        self.acquired, self.contexts[free[0]] = free[0], [0] * 24
        return self.random.randrange(256)

    def _write_npu(self, offset: int, value: int) -> None:
        number, words = offset // 4 - 8, self.contexts[self.acquired] if self.acquired is not None else None
        if words is None or self.acquired is None or ((offset, value) != (0, 0) and not 0 <= number < 24):
            raise Wrong(f"the NPU's register {offset:#x} is written")
        if offset:
            words[number] = value
            return
        self.jobs.append(self.acquired)
        self.acquired = None

    def _place(self, address: int, size: int) -> int:
        for base, buffer in self.memories.items():
            if base <= address and address + size <= base + len(buffer):
                return buffer.ctypes.data + address - base
        raise Wrong(f"a transfer of {size} bytes at {address:#x}")

    def _command(self, core: Core, value: int) -> None:
        core.command.append(value)
        if len(core.command) < (5 if core.command[0] >> 19 & 1 else 3):
            return
        command, near, *_ = core.command
        if core.group is None or not self.allocated >> core.group & 1:
            raise Wrong("a transfer without a counter")
        if command >> 18 & 0b101 != 0b101 or not command & 0x1FFFF or command >> 21:
            raise Wrong(f"a transfer with command {command:#x}")
        if not L1[0] <= near < L1[0] + L1[1]:
            raise Wrong(f"a transfer with near side {near:#x}")
        self.pending[core.group] += command & 0x1FFFF
        self.commands.append((core.group, core.command))
        core.command = []

    # Registers

    def load(self, core: Core, address: int) -> int:
        """Return what a core reads."""
        if address == MCHAN:
            free = [group for group in range(16) if not self.allocated >> group & 1]
            if not free:
                raise Wrong("no counter is free")
            core.group = free[0]
            self.allocated |= 1 << free[0]
            return free[0]
        if address == MCHAN + 4:
            return sum((count != 0) << group for group, count in enumerate(self.pending)) | self.allocated << 16
        if NPU <= address < NPU + 0x80:
            return self._read_npu(address - NPU)
        raise Wrong(f"core {core.number} reads {address:#x}")

    def store(self, core: Core, address: int, size: int, value: int) -> None:
        """Do what a core's write asks for."""
        barrier = (address - EVENTS - 0x200) // 0x20
        if address == 0x1A10_40A0 and size == 4 and value >> 31:
            self.exit_code = value & 0x7FFF_FFFF
            core.machine.emu_stop()
        elif address == 0x1A10_F000 + 8 * CONTROLLER and size == 1 and core.number == CONTROLLER:
            self.console += chr(value)
        elif size != 4:
            raise Wrong(f"core {core.number} writes {size} bytes to {address:#x}")
        elif PERIPHERALS + 0x40 <= address < PERIPHERALS + 0x40 + 4 * CORES:
            self.boot[(address - PERIPHERALS - 0x40) // 4] = value
        elif address in (PERIPHERALS + 0x1400, PERIPHERALS + 0x1404):
            self.enabled = self.enabled or address == PERIPHERALS + 0x1400
        elif address == PERIPHERALS + 8:
            self._start(value)
            self.cores[CORES].is_running = False  # it only waits from here on
            core.machine.emu_stop()
        elif address == MCHAN:
            self._command(core, value)
        elif address == MCHAN + 4:
            if any(self.pending[group] for group in range(16) if value >> group & 1):
                raise Wrong("a counter is freed before its transfers are done")
            self.allocated &= ~value
        elif address == EVENTS:
            core.mask = value
        elif address == EVENTS + 0x80:
            self._dispatch(value)
        elif address == EVENTS + 0x84:
            self.team = value
        elif barrier in (0, 1) and address % 0x20 in (0, 0xC):
            self.barriers[barrier][address % 0x20 == 0xC] = value
            self._arrive(barrier, -1)
        elif NPU <= address < NPU + 0x80:
            self._write_npu(address - NPU, value)
        else:
            raise Wrong(f"core {core.number} writes {value:#x} to {address:#x}")

    def _start(self, mask: int) -> None:
        for core in self.cores[:CORES]:
            core.is_running, core.counter = bool(mask >> core.number & 1), self.boot[core.number]

    def _dispatch(self, value: int) -> None:
        for core in self.cores[:CORES]:
            if self.team >> core.number & 1:
                core.inbox.append(value)
                core.events |= 1 << DISPATCH_EVENT
                if len(core.inbox) > 8:
                    raise Wrong("the dispatch queue is full")


_OWN_CSRS = {csr << 20 | 0x2073: csr << 20 | 0x707B for csr in (0xF14, 0xB00)}
"""Reads of mhartid and mcycle, which the processor's model answers itself -> what it does not know."""


def _with_own_csrs(code: bytes) -> bytes:
    result = bytearray(code)
    for at in range(0, len(code) - 3, 2):
        word = int.from_bytes(code[at : at + 4], "little")
        if (known := word & 0xFFFF_F07F) in _OWN_CSRS:
            result[at : at + 4] = (_OWN_CSRS[known] | word & 0xF80).to_bytes(4, "little")
    return bytes(result)
