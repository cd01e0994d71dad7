"""
A target's coprocessor in Spike: an extension that Spike's Python loads, for commands of custom-3 (RoCC).

    export TILEWRIGHT_COPROCESSOR=.../coprocessor.py TILEWRIGHT_MACHINE='{...}'
    pyspike --extlib=rocc.py --extension=tilewright program.elf

The machine is a description as a machine file has it, in JSON. Spike's Python reads and writes words of 8 bytes of the
core's memory.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedClassDecorator=false, reportUntypedBaseClass=false

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from riscv import isa

_WORD = 8
FAILED = 99
"""Exit status where a command fails: none of those of a program (rv64.py)."""


class _Memory:
    """The core's memory, in words."""

    def __init__(self, mmu: Any):
        self._mmu = mmu

    def read(self, address: int, count: int, rows: int = 1, step: int = 0) -> Any:
        """Return the bytes of rows, `step` bytes apart."""
        if rows > 1 and step % _WORD:
            return np.concatenate([self.read(address + row * step, count) for row in range(rows)])
        first, load, mask = address // _WORD * _WORD, self._mmu.load_reserved_64, (1 << 64) - 1
        size = (address + count - first + _WORD - 1) // _WORD * _WORD
        starts = (first + row * step for row in range(rows))
        data = [load(word) & mask for start in starts for word in range(start, start + size, _WORD)]
        lines = np.array(data, np.uint64).view(np.uint8).reshape(rows, size)
        return lines[:, address - first :][:, :count].reshape(-1)

    def write(self, address: int, data: Any) -> None:
        """Write bytes; what the words hold beside them stays."""
        first, count = address // _WORD * _WORD, len(data)
        if address % _WORD or count % _WORD:
            size = (address + count - first + _WORD - 1) // _WORD * _WORD
            whole = self.read(first, size)
            whole[address - first :][:count] = data
            data = whole
        for number, word in enumerate(data.view(np.uint64).tolist()):
            at = first + number * _WORD
            self._mmu.load_reserved_64(at)
            self._mmu.store_conditional_64(at, word)


@isa.register("tilewright")
class Extension(isa.ROCC):
    """The coprocessor of the target that the environment names."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        file = Path(os.environ["TILEWRIGHT_COPROCESSOR"])
        discovery = import_module("tilewright.discovery")  # a script of Spike's Python, in no package
        schema = import_module("tilewright.dialects.core.machine.schema")
        machine = schema.machine_from(json.loads(os.environ["TILEWRIGHT_MACHINE"]), "machine", "TILEWRIGHT_MACHINE")
        self._coprocessor = discovery.module_at(file).Coprocessor(machine)

    def reset(self, *_: Any) -> None:
        """Keep the state: a program configures what it uses."""

    def custom3(self, processor: Any, instruction: Any, rs1: int, rs2: int) -> int:
        """Execute a command; print the traceback and end the simulation where it fails."""
        mask = (1 << 64) - 1
        try:
            self._coprocessor.command(instruction.funct, rs1 & mask, rs2 & mask, _Memory(processor.mmu))
        except BaseException:  # Spike has no way to pass it on
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(FAILED)
        return 0
