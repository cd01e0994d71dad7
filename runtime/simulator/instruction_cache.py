"""Instruction cache of the engine that executes the program: cycles to fetch code, in later calls of a network."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation

from ...dialects.core.kernel import kernel_of


class InstructionCache:
    """
    Fully associative cache with LRU replacement, of whole functions, by the sizes in `Engine.program`.

    Code that fits the cache as a whole is never fetched in a later call. All else is fetched where it was evicted; the
    first use in a call is a miss, as a call goes through its code in the same order as the one before.
    """

    def __init__(self, program: Mapping[str, int]):
        self.is_modelled = bool(program)
        self.sizes = {"line": 1, **program}
        self._all: dict[Hashable, int] = {}
        self._held: OrderedDict[Hashable, int] = OrderedDict()
        self._total = self._used = 0

    def add(self, key: Hashable, size: int) -> None:
        """Add a piece of code of `size` bytes to the program."""
        self._total += size - self._all.get(key, 0)
        self._all[key] = size

    def cycles(self, keys: Sequence[Hashable]) -> int:
        """Fetch pieces of code that are not held, and return the cycles."""
        return sum(map(self._fetch, keys)) if self._total > self.sizes.get("cache", 0) else 0

    def _fetch(self, key: Hashable) -> int:
        if key in self._held:
            self._held.move_to_end(key)
            return 0
        self._held[key] = self._all[key]
        self._used += self._all[key]
        while self._used > self.sizes.get("cache", 0):
            self._used -= self._held.popitem(last=False)[1]
        return round(self._all[key] / self.sizes["line"] * self.sizes.get("fetch", 0))

    def kernel_bytes(self, op: Operation) -> int:
        """Estimate the code of a kernel, by the ops of its scalar code."""
        if isinstance(op, CopyOp):
            return self.sizes.get("transfer", 0)
        kernel = kernel_of(op)
        blocks = [*(each.body for each in kernel.reductions), kernel.result, kernel.epilogue]
        count = sum(len(block.ops) for block in blocks if block is not None)
        return self.sizes.get("kernel", 0) + self.sizes.get("op", 0) * count


def code_key(op: Operation) -> Hashable:
    """Return the key of an op's code: ops of the same name and types share a function."""
    return op.name, tuple(operand.type for operand in op.operands)
