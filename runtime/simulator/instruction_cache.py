"""Instruction cache of the engine that executes the program: cycles to fetch code, in a call of a network."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import expm1, inf

from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation

from ...dialects.core.kernel import kernel_of
from ...dialects.core.machine.engine import FREE, ProgramCosts

_STEPS = 64
"""Steps towards the bytes that a call fetches, where a function that is used once is fetched as often as evicted."""


@dataclass(eq=False)
class CachedCode:
    """A piece of code of some bytes; `used` are the bytes that had been fetched at its last use, None before."""

    size: int = 0
    used: float | None = None


class InstructionCache:
    """
    Fully associative cache with random replacement, of whole functions, by the sizes of code that the machine states.

    Of code in the cache, exp(-n / size) is left after `n` bytes have been fetched. Before the first use of a function
    in a call these are the bytes that a call fetches; a cold cache holds nothing then.
    """

    def __init__(self, program: ProgramCosts):
        self.is_modelled = program != FREE
        self.program = program
        self._code: dict[Hashable, CachedCode] = {}
        self._total = 0
        self.restart(is_cold=False)

    def restart(self, *, is_cold: bool) -> None:
        """Begin a call; a cold cache holds nothing."""
        self._fetched = 0.0
        self._cold = inf if is_cold else None
        self._by_call = self._cold
        for code in self._code.values():
            code.used = None

    def add(self, key: Hashable, size: int) -> CachedCode:
        """Add a piece of code of `size` bytes to the program, and return it."""
        code = self._code.setdefault(key, CachedCode())
        self._total += size - code.size
        code.size = size
        self._by_call = self._cold
        return code

    def cycles(self, pieces: Sequence[CachedCode]) -> int:
        """Fetch what is not held of pieces of code, and return the cycles."""
        fetch = self.program.fetch
        return round(sum(map(self._fetch, pieces)) / self.program.line * fetch) if fetch else 0

    def _fetch(self, code: CachedCode) -> float:
        since = self._fetched - code.used if code.used is not None else self._fetched_by_call()
        fetched = code.size * self._evicted(since)
        self._fetched += fetched
        code.used = self._fetched
        return fetched

    def _fetched_by_call(self) -> float:
        """Return the bytes that a call fetches: the fixed point at which a function is fetched as often as evicted."""
        if self._by_call is None:
            self._by_call = float(self._total) if self._total > self.program.cache else 0.0
            for _ in range(_STEPS):
                self._by_call = self._total * self._evicted(self._by_call)
        return self._by_call

    def _evicted(self, fetched: float) -> float:
        """Return the share of the code in the cache that is evicted when so many bytes are fetched."""
        size = self.program.cache
        return -expm1(-fetched / size) if size else 0.0

    def kernel_bytes(self, op: Operation) -> int:
        """Estimate the code of a kernel, by the ops of its scalar code."""
        if isinstance(op, CopyOp):
            return self.program.transfer
        kernel = kernel_of(op)
        blocks = [*(reduction.body for reduction in kernel.reductions), kernel.result, kernel.epilogue]
        count = sum(len(block.ops) for block in blocks if block is not None)
        return self.program.kernel + self.program.op * count


def code_key(op: Operation) -> Hashable:
    """Return the key of an op's code: ops of the same name and types share a function."""
    return op.name, tuple(operand.type for operand in op.operands)
