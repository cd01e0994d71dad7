"""Durations of the items of a block, from the machine's cost model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.effect_traits import Awaits, CopyEffects, Launches
from ...dialects.core.effects import declared, effects_of
from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...dialects.hier.capabilities import passes_of_transfer
from ...ir import shape_of
from ..explicit.events import is_recursive
from ..explicit.transfers import TileTransfer, transfer_of
from ..map_engines import mapped_engine
from ..timing.kernels import cost_of_copy, cost_of_kernel
from ..timing.transfers import Descriptor, copy_over_link, link_between
from .items import ScheduleItem, launch_awaited
from .order import Duration
from .regions import range_of


class Durations:
    """Cost model of items."""

    def __init__(self, machine: Machine, transfers: int, external: int):
        self._machine = machine
        self._most = {level.name: external if level.external else transfers for level in machine.levels}
        self.has_external = any(level.external for level in machine.levels)

    def of_items(self, items: Sequence[ScheduleItem]) -> list[Duration]:
        """Return the durations of the items of a block, in cycles."""
        times = [self.of(item) for item in items]
        for number, item in enumerate(items):
            if declared(type(item.op), Awaits) is None:
                continue
            begun = next((n for n in item.follows if items[n].op is item.op.operands[0].owner), None)
            if begun is not None and times[begun].unit:
                engine = times[begun].unit if launch_awaited(item.op) is not None else ""
                times[number] = replace(times[number], unit=engine, awaits=begun)
        return times

    def of(self, item: ScheduleItem) -> Duration:
        """Return the duration of an item by itself, in cycles: a wait takes none."""
        if declared(type(item.op), Launches) is not None:
            engine, cycles = self._cost_of(_launched(item.op))
            return Duration(engine.setup, max(0, cycles - engine.setup), engine.name, engine.queue, waits=True)
        transfer = None if is_recursive(item.op) else transfer_of(item.op, effects_of(item.op))
        if transfer is not None:
            return self._transfer(item.op, transfer)
        return Duration(self._busy(item.op))

    def is_external(self, op: Operation) -> bool:
        """Return whether an end of a transfer is in an external level."""
        transfer = transfer_of(op, effects_of(op))
        ends = (transfer.far, transfer.near) if transfer is not None else ()
        return any(self._machine.level(self._level(value)).external for value in ends)

    def _transfer(self, op: Operation, transfer: TileTransfer) -> Duration:
        source, target = self._level(transfer.source), self._level(transfer.target)
        link = link_between(self._machine, source, target, op)
        far, near, repeated = transfer.far, transfer.near, transfer.repeated
        tile, reads = shape_of(near), not transfer.outward
        passes = passes_of_transfer(op, link)
        descriptor = Descriptor(
            self._machine, link, far, tile, reads=reads, near=near.type, repeated=repeated, passes=passes
        )
        begins = [range_of(offset) for offset in transfer.box.offsets if isinstance(offset, SSAValue)]
        cost = descriptor.at([begin.low if begin else 0 for begin in begins])
        return Duration(0, cost.startup + cost.data, link.name, self._most[self._level(transfer.far)])

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
            case _ if is_kernel(op):
                return self._cost_of(op)[1]
            case _ if declared(type(op), Launches) is not None:
                return self._cost_of(_launched(op))[1]
            case _ if declared(type(op), CopyEffects) is not None:
                return self._copy(op)
            case _:
                return 0

    def _sum(self, block: Block) -> int:
        return sum(self._busy(op) for op in block.ops)

    def _cost_of(self, op: Operation) -> tuple[Engine, int]:
        """Return the engine that runs a kernel, and its cycles."""
        engine = mapped_engine(op, self._machine)
        return engine, cost_of_kernel(op, self._machine, StringAttr(engine.name)).cycles

    def _copy(self, op: Operation) -> int:
        """Return the cycles of a copy that is waited for: by an engine within a level, else over a link."""
        source, target = op.operands[0], op.operands[1]
        if self._level(source) == self._level(target):
            return cost_of_copy(op, source, self._machine).cycles
        *_, cost = copy_over_link(op, source, target, self._machine)
        return cost.startup + cost.data


def _launched(launch: Operation) -> Operation:
    """Return the kernel of a launch."""
    (kernel,) = launch.regions[0].block.ops
    return kernel


def _trips(loop: scf.ForOp) -> int:
    low, end, step = (range_of(value) for value in (loop.lb, loop.ub, loop.step))
    if low is None or end is None or step is None or step.low <= 0:
        return 1
    return max(0, -(-(end.high - low.low) // step.low))
