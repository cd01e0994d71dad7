"""Capacity for weights: those of NPU kernels in its weight memory, all others in the far level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import is_shaped
from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....ir import shape_of
from ....passes.memory.views import bytes_of
from .division import Division
from .flow import KernelFlow
from .sharing import NpuChoice


@dataclass(frozen=True)
class WeightCapacity:
    """Constants of a block of tensor-level ops, and the levels that they need."""

    flow: KernelFlow
    machine: Machine
    npu: Engine

    def fitted(
        self, taken: Iterable[Operation], divided: Mapping[Operation, Division], choices: Mapping[Operation, NpuChoice]
    ) -> tuple[set[Operation], dict[Operation, Division]]:
        """
        Return the kernels for the NPU, whole and in part, such that the weights of the others fit.

        Where they have not, it does more of `choices` whole, those that lose fewest cycles a byte of the far level
        first, as long as its memory holds their weights.
        """
        chosen, parts = set(taken), dict(divided)
        if not self._own or self._needed(chosen, parts) <= self._capacity:
            return chosen, parts
        freed = {op: _weights_of(op) * _share(op, op.operands[1], chosen, parts) for op in choices}
        used = sum(map(_weights_of, chosen | parts.keys())) - sum(freed[op] for op in parts)
        losses = {op: _loss(choices[op], parts.get(op)) / size for op, size in freed.items() if size}
        for op in sorted(losses, key=losses.__getitem__):
            if used + freed[op] > self._own:
                continue
            chosen.add(op)
            parts.pop(op, None)
            used += freed[op]
            if self._needed(chosen, parts) <= self._capacity:
                break
        return chosen, parts

    @cached_property
    def _own(self) -> int:
        """Bytes of the NPU's preloaded levels for weights."""
        levels = (self.machine.level(name) for name in self.npu.levels_of("weights"))
        return sum(level.size * prod(level.count) for level in levels if level.preloaded)

    @cached_property
    def _capacity(self) -> int:
        """Bytes of the far level besides inputs, results and the tensors of the largest kernel."""
        constants = set(self.flow.constants)
        largest = max((_bytes(set(op.operands) - constants) for op in self.flow.kernels), default=0)
        return self.machine.far.size - _bytes(self.flow.ends) - largest

    def _needed(self, taken: set[Operation], divided: Mapping[Operation, Division]) -> int:
        """Return the bytes of constants that must be in the far level."""
        kernels = set(self.flow.kernels)
        total = 0
        for constant in self.flow.constants:
            users = [use.operation for use in constant.uses]
            shares = (_share(user, constant, taken, divided) if user in kernels else 1 for user in users)
            total += int(_bytes([constant]) * max(shares, default=0))
        return total


def _loss(choice: NpuChoice, division: Division | None) -> int:
    """Return the additional cycles of a kernel computed by the NPU alone."""
    if division is None:
        return choice.loss
    return choice.on_npu - max(division.npu + (division.rest or 0), division.beside)


def _share(op: Operation, constant: SSAValue, taken: set[Operation], divided: Mapping[Operation, Division]) -> float:
    """Return the fraction of a constant that an engine other than the NPU needs for a kernel."""
    if op.operands[1] is not constant:
        return 1
    if op in divided:
        return divided[op].others_share
    return 0 if op in taken else 1


def _weights_of(op: Operation) -> int:
    return max(1, bytes_of(op.operands[1].type))


def _bytes(values: Iterable[SSAValue]) -> int:
    return sum(
        bytes_of(value.type) for value in set(values) if is_shaped(value) and min(shape_of(value), default=0) >= 0
    )
