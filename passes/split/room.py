"""Whether what kernels touch has room in the near memory, so that none of them goes back to the far one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import is_shaped
from ...targets.core.machine import Machine
from ..map_engines import engine_of
from ..memory.layers import is_preloaded
from ..memory.views import bytes_of
from ..proof.compile import VIEWS


class Room:
    """The bytes of the near memory that kernels of a block need if all that is between them stays there."""

    def __init__(self, machine: Machine, ops: Sequence[Operation]):
        self._machine = machine
        self._ops = ops
        self._touched = [{_root(value) for value in op.operands if is_shaped(value)} for op in ops]
        self._ends: dict[SSAValue, tuple[int, int]] = {}
        for number, values in enumerate(self._touched):
            for value in values:
                self._ends[value] = (self._ends.get(value, (number, number))[0], number)

    def is_enough(self, first: int, last: int) -> bool:
        """Return whether all that kernels from number `first` to `last` touch, or that others keep there, has room."""
        near = self._machine.near_level_of(engine_of(self._ops[last], self._machine))
        own = {value for values in self._touched[first : last + 1] for value in values}
        kept = {
            value
            for value, (begin, end) in self._ends.items()
            if begin <= last and end >= first and isinstance(value.owner, memref.AllocOp)
        }
        needed = (value for value in own | kept if not is_preloaded(value, self._machine))
        return sum(near.aligned(bytes_of(value.type)) for value in needed) <= near.size


def _root(value: SSAValue) -> SSAValue:
    """Return the buffer that a value is a view of."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value
