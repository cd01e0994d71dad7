"""The NPU of a run of the interpreter: its model, and the addresses at which it sees the run's buffers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from ....dialects.core.semantics import Runner
from ....errors import Diagnostic
from ....ir import Array
from .geometry import L1_BASE, L1_SIZE, NEAR, WEIGHT_MEMORY_BASE, WEIGHT_MEMORY_SIZE
from .memory import Memory
from .model import LOCKED, NpuModel, Offset

_ALIGNMENT = 64
_JOBS = 256


@dataclass
class Session:
    """A model whose memories are the buffers of a run, each at an address from the first time that it is asked for."""

    memory: Memory = field(default_factory=Memory)
    model: NpuModel = field(init=False)
    _known: dict[int, int] = field(default_factory=dict[int, int])
    _ends: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.model = NpuModel(self.memory)

    def acquire(self) -> int:
        """Return the number of a new job, when there is room for one. Raises Diagnostic while one is being written."""
        while (job := self.model.read(Offset.ACQUIRE)) >= _JOBS:
            if job == LOCKED:
                raise Diagnostic("a job is acquired before the one before it was triggered")
        return job

    def wait(self) -> None:
        """Wait until no job is left."""
        while self.model.read(Offset.STATUS):
            pass

    def address(self, array: Array, space: str) -> int:
        """
        Return the address of an array's first element, in the near memory or, in any other space, the weight memory.

        Raises Diagnostic where the buffers of a memory are larger than it.
        """
        from ....runtime.interpreter.memory import origin_of

        root, start = origin_of(array)
        key = int(root.__array_interface__["data"][0])
        if key not in self._known:
            self._known[key] = self._place(root, space)
        return self._known[key] + start

    def _place(self, root: Array, space: str) -> int:
        base, size = (L1_BASE, L1_SIZE) if space == NEAR else (WEIGHT_MEMORY_BASE, WEIGHT_MEMORY_SIZE)
        start = self._ends.get(space, base)
        if start + len(root) > base + size:
            raise Diagnostic(
                f"the buffers in '{space}' that the NPU is given are larger than that memory",
                expected=f"{size:,} bytes",
                found=f"{start - base + len(root):,} bytes",
            )
        self._ends[space] = start + -(-len(root) // _ALIGNMENT) * _ALIGNMENT
        self.memory.regions[start] = root.view(np.uint8)
        return start


def session_of(runner: Runner, op: Operation) -> Session:
    """Return the session of a run; `op` is any op of its module."""
    root = op
    while (parent := root.parent_op()) is not None:
        root = parent
    return runner.cached(root, _new)


def _new(root: Operation) -> Session:
    return Session()
