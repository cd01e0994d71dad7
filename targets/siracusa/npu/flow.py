"""Dataflow between the kernels of a block on tensors: producers and consumers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ....dialects.core.kernel import is_kernel, is_shaped
from ....ir import shape_of


class KernelFlow:
    """
    Dataflow between the kernels with static extents of a block, in program order.

    `constants` are the constant tensors of the block, `ends` its inputs and outputs.
    """

    def __init__(self, block: Block):
        last = block.last_op
        self.ends: Sequence[SSAValue] = [*block.args, *(last.operands if last is not None else ())]
        self.constants: Sequence[SSAValue] = [
            op.result for op in block.ops if isinstance(op, arith.ConstantOp) and is_shaped(op.result)
        ]
        self.kernels: Sequence[Operation] = [op for op in block.ops if is_kernel(op) and _is_static(op)]
        self._numbers = {op: number for number, op in enumerate(self.kernels)}
        self._makers: dict[SSAValue, frozenset[Operation]] = {}
        self._before: dict[Operation, int] = {}
        for op in block.ops:
            self._add(op)

    def number(self, op: Operation) -> int:
        """Return the position of a kernel in program order."""
        return self._numbers[op]

    def makers(self, value: SSAValue) -> frozenset[Operation]:
        """Return the kernels that a value depends on without other kernels in between."""
        return self._makers.get(value, frozenset())

    def needs(self, value: SSAValue, kernel: Operation) -> bool:
        """Return whether a value depends on a kernel, transitively."""
        return bool(self._all_before(self.makers(value)) >> self._numbers[kernel] & 1)

    def _add(self, op: Operation) -> None:
        operands = {value for inner in op.walk() for value in inner.operands}
        makers = frozenset(maker for value in operands for maker in self.makers(value))
        if op in self._numbers:
            self._before[op] = self._all_before(makers)
            makers = frozenset({op})
        if makers:
            self._makers |= dict.fromkeys(op.results, makers)

    def _all_before(self, makers: frozenset[Operation]) -> int:
        """Return kernels and their transitive producers as a bit set."""
        bits = 0
        for maker in makers:
            bits |= self._before[maker] | 1 << self._numbers[maker]
        return bits


def _is_static(op: Operation) -> bool:
    return all(extent >= 0 for value in op.operands if is_shaped(value) for extent in shape_of(value))
