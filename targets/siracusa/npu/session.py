"""NPU of an interpreted program: its model, and the addresses of the program's buffers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from ....dialects.core.instruction.flat import origin_of
from ....dialects.core.machine.attribute import ATTRIBUTE, machine_from_attr
from ....dialects.core.machine.model import Machine
from ....errors import Diagnostic
from ....ir import Array
from .geometry import L1_BASE, WEIGHT_MEMORY_BASE
from .memories import memories_of
from .memory import RegionMemory
from .model import LOCKED, NpuModel, Offset

_ALIGNMENT = 64
_JOBS = 256


@dataclass
class NpuSession:
    """
    Model on the buffers of a run, with addresses assigned at first use.

    `machine` has the memory sizes; without one only the address space limits them.
    """

    machine: Machine | None = None
    memory: RegionMemory = field(default_factory=RegionMemory)
    model: NpuModel = field(init=False)
    _addresses: dict[int, int] = field(default_factory=dict[int, int])
    _ends: dict[int, int] = field(default_factory=dict[int, int])

    def __post_init__(self) -> None:
        self.model = NpuModel(self.memory)

    @classmethod
    def of_program(cls, root: Operation) -> NpuSession:
        """Return the session of a run of a module, with its machine."""
        attached = root.attributes.get(ATTRIBUTE)
        return cls(None if attached is None else machine_from_attr(attached))

    def acquire(self) -> int:
        """Acquire a job once the queue has a free entry. Raises Diagnostic while another job is being written."""
        while (job := self.model.read(Offset.ACQUIRE)) >= _JOBS:
            if job == LOCKED:
                raise Diagnostic("a job is acquired before the one before it was triggered")
        return job

    def wait(self) -> None:
        """Wait for all jobs."""
        while self.model.read(Offset.STATUS):
            pass

    def address(self, array: Array) -> int:
        """
        Return the address of an array's first element: in the weight memory for constants, else in the near memory.

        Raises Diagnostic if the buffers exceed a memory.
        """
        root, start = origin_of(array)
        key = int(root.__array_interface__["data"][0])
        if key not in self._addresses:
            self._addresses[key] = self._allocate(root, is_constant=not array.flags.writeable)
        return self._addresses[key] + start

    def _allocate(self, root: Array, *, is_constant: bool) -> int:
        base = WEIGHT_MEMORY_BASE if is_constant else L1_BASE
        size = self._size(is_constant=is_constant)
        start = self._ends.get(base, base)
        if start + len(root) > base + size:
            raise Diagnostic(
                f"the NPU is given more {'weights' if is_constant else 'buffers'} than its memory holds",
                expected=f"{size:,} bytes",
                found=f"{start - base + len(root):,} bytes",
            )
        self._ends[base] = start + -(-len(root) // _ALIGNMENT) * _ALIGNMENT
        self.memory.regions[start] = root.view(np.uint8)
        return start

    def _size(self, *, is_constant: bool) -> int:
        """Return the bytes of the weight memory or of the near one, by default up to the next address."""
        if self.machine is None:
            return (1 << 32) - WEIGHT_MEMORY_BASE if is_constant else WEIGHT_MEMORY_BASE - L1_BASE
        memories = memories_of(self.machine)
        return sum(level.size for level in memories.weights) if is_constant else memories.near.size
