"""Durations of the items of a block, from the machine's cost model."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.model import Engine, Machine
from ...dialects.hier import DmaStartOp, DmaWaitOp, JoinOp, LaunchOp
from ...ir import shape_of
from ..map_engines import mapped_engine
from ..memory.transfers import Cost, Descriptor, link_between
from ..memory.views import bytes_of
from .items import Item
from .order import Duration, Wait
from .places import range_of


def waits_of(items: Sequence[Item], times: Sequence[Duration]) -> list[Wait | None]:
    """Return the target of each item's wait, None for items that are not waits."""
    return [_wait_of(item, items, times) for item in items]


def _wait_of(item: Item, items: Sequence[Item], times: Sequence[Duration]) -> Wait | None:
    if not isinstance(item.op, DmaWaitOp | JoinOp):
        return None
    begun = next((n for n in item.follows if items[n].op is item.op.token.owner), None)
    if begun is None or not times[begun].unit:
        return None
    return Wait(begun, times[begun].unit if isinstance(item.op, JoinOp) else "")


class Times:
    """Cost model of items."""

    def __init__(self, machine: Machine, transfers: int, external: int):
        self._machine = machine
        self._most = {level.name: external if level.external else transfers for level in machine.levels}
        self.has_external = any(level.external for level in machine.levels)

    def of(self, item: Item) -> Duration:
        """Return the duration of an item, in cycles."""
        match item.op:
            case DmaStartOp():
                return self._transfer(item.op)
            case LaunchOp():
                engine, cycles = self._priced(item.op.kernel)
                return Duration(engine.setup, max(0, cycles - engine.setup), engine.name, engine.queue, waits=True)
            case _:
                return Duration(self._busy(item.op))

    def is_external(self, op: DmaStartOp) -> bool:
        """Return whether an end of a transfer is in an external level."""
        return any(self._machine.level(self._level(value)).external for value in (op.far, op.near))

    def _transfer(self, op: DmaStartOp) -> Duration:
        cost, link = self._cost(op)
        return Duration(0, cost.startup + cost.data, link, self._most[self._level(op.far)])

    def _cost(self, op: DmaStartOp) -> tuple[Cost, str]:
        levels = self._level(op.far), self._level(op.near)
        outward = op.writes_far is not None
        source, target = levels[::-1] if outward else levels
        link = link_between(self._machine, source, target, op)
        descriptor = Descriptor(self._machine, link, op.far, shape_of(op.near), reads=not outward)
        begins = [range_of(offset) for offset in op.offsets]
        return descriptor.at([begin.low if begin else 0 for begin in begins]), link.name

    def _level(self, value: SSAValue) -> str:
        space = getattr(value.type, "memory_space", None)
        return space.data if isinstance(space, StringAttr) else self._machine.far.name

    def _busy(self, op: Operation) -> int:
        """
        Return the cycles for which an op occupies the program: the sum over a loop's body, the maximum over branches.
        """
        match op:
            case scf.ForOp():
                return self._sum(op.body.block) * _trips(op)
            case scf.ParallelOp():
                return self._sum(op.body.block)
            case scf.IfOp():
                return max(self._sum(region.block) for region in op.regions if region.blocks)
            case memref.CopyOp():
                return bytes_of(op.source.type) // 4
            case LaunchOp():
                return self._kernel(op.kernel)
            case _ if is_kernel(op):
                return self._kernel(op)
            case _:
                return 0

    def _sum(self, block: Block) -> int:
        return sum(self._busy(op) for op in block.ops)

    def _kernel(self, op: Operation) -> int:
        return self._priced(op)[1]

    def _priced(self, op: Operation) -> tuple[Engine, int]:
        """Return the engine that runs a kernel, and its cycles."""
        engine = mapped_engine(op, self._machine)
        return engine, self._machine.cost(engine, op) or 0


def _trips(loop: scf.ForOp) -> int:
    low, end, step = (range_of(value) for value in (loop.lb, loop.ub, loop.step))
    if low is None or end is None or step is None or step.low <= 0:
        return 1
    return max(0, -(-(end.high - low.low) // step.low))
