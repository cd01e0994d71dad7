"""Instructions on queues in time: depth, order, interlocks and fences."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue

from ...dialects.core.effect_traits import is_buffer
from ...dialects.core.machine.engine import Queue
from ...dialects.core.queue_effects import OnQueue, QueueAccess
from ...dialects.core.queues import queue_named
from ...ir import element_of, numpy_type
from ...passes.explicit.client import Handler
from ...passes.memory.views import row_major
from ...passes.timing.kernels import Allocation, level_of
from ...passes.timing.resources import InOrder
from .in_flight import CompletionToken
from .ports import BankRows, Ports
from .result import LayerCost
from .schedule import Schedule


class BufferRegion(NamedTuple):
    """Region of a memory that an instruction accesses: its bytes, and its first and last elements in its buffer."""

    memory: tuple[str, str]
    low: int
    high: int
    buffer: tuple[Allocation, object]
    box: tuple[tuple[int, int], ...]
    is_write: bool

    def conflicts(self, other: BufferRegion) -> bool:
        """Return whether both access a byte, and one of them writes it; of different views, by their first and last."""
        if self.memory != other.memory or not (self.is_write or other.is_write):
            return False
        if self.low >= other.high or other.low >= self.high:
            return False
        pairs = zip(self.box, other.box, strict=False)
        return self.buffer != other.buffer or all(a[0] < b[1] and b[0] < a[1] for a, b in pairs)


class SimulatedQueues:
    """
    Queues of a walk. An instruction starts when those before it in its queue, and those that conflict with it on
    interlocked levels, have ended; the program goes on when it has issued it and a full queue has a place again.
    """

    def __init__(self, schedule: Schedule, layer: Callable[[Operation], LayerCost], issuing: int):
        self._schedule = schedule
        self._issuing = issuing
        """Cycles of the program for each instruction."""
        self._layer = layer
        banked = [level for level in schedule.machine.levels if level.single_port]
        self._banked = {level.name: level for level in banked}
        self.restart()

    def restart(self) -> None:
        """Begin once more, with empty queues."""
        self._in_flight: dict[tuple[str, int], list[tuple[int, BufferRegion]]] = {}
        """Engine and its instance -> the accesses that have not ended, by the last look, each with its end."""
        self._configured: dict[Any, Any] = {}
        """The configuration of queues, by the order of issue."""
        self._orders: dict[tuple[str, int], InOrder] = {}
        """Queue and instance -> what it executes in order."""
        self._ports = Ports()

    def issue(self, op: Operation, trait: OnQueue) -> Handler:
        """Return the handler of an instruction. Raises Diagnostic for a queue that the machine does not have."""
        schedule, layer, operands = self._schedule, self._layer(op), list(op.operands)
        queue = queue_named(schedule.machine.queues, trait.queue, op)
        layer.first_engine = layer.first_engine or queue.engine
        levels = [level_of(operand, schedule.machine.home.name) if is_buffer(operand) else "" for operand in operands]
        banked = not self._banked.keys().isdisjoint(levels)

        def issue(*values: Any) -> None:
            accesses = trait.issue(op, values, self._configured)
            footprints = [
                _footprint(access, operands[access.operand], values[access.operand], levels[access.operand])
                for access in accesses
                if levels[access.operand] in queue.interlocks
            ]
            rows = self._rows(accesses, operands, values, levels) if banked else _NO_ROWS
            token = CompletionToken()
            schedule.tokens.append(token)
            cycles = trait.cycles_of(op, values, schedule.machine)
            schedule.control(layer, self._issuing)
            schedule.act(partial(self._issue, token, layer, op.name, queue, cycles, footprints, rows))

        return issue

    def fence(self, op: Operation, names: Collection[str]) -> Handler:
        """Return the handler of a fence. Raises Diagnostic for a queue that the machine does not have."""
        queues = self._schedule.machine.queues
        awaited = [queue_named(queues, name, op) for name in names] or list(queues.values())
        layer = self._layer(op)
        return lambda: self._schedule.act(partial(self._fence, layer, awaited))

    def _issue(
        self,
        token: CompletionToken,
        layer: LayerCost,
        operator: str,
        queue: Queue,
        cycles: int,
        footprints: Sequence[BufferRegion],
        rows: BankRows,
    ) -> None:
        schedule, copy = self._schedule, self._schedule.copy_of(queue.engine)
        in_flight = [access for access in self._in_flight.get((queue.engine, copy), []) if access[0] > schedule.now]
        order = self._orders.setdefault((queue.name, copy), InOrder(queue.depth))
        schedule.stall(layer, order.entry(schedule.now))
        hazards = (end for end, other in in_flight if any(mine.conflicts(other) for mine in footprints))
        token.start = max(schedule.now, order.free, *hazards, 0)
        own = queue.name, copy
        conflict_cycles = self._ports.bank_conflict_cycles(own, rows, is_next=token.start == order.free)
        token.end = order.execute_until(token.start + cycles + conflict_cycles)
        for late, lost in self._ports.execute(own, rows, token.start, token.end, schedule.now):
            self._orders[late].free += lost
            conflict_cycles += lost
        if conflict_cycles:
            schedule.conflict(layer, conflict_cycles)
        schedule.queues_end = max(schedule.queues_end, token.end)
        in_flight += [(token.end, region) for region in footprints]
        self._in_flight[queue.engine, copy] = in_flight
        schedule.executed(token, layer, queue, operator)

    def _rows(
        self,
        accesses: Sequence[QueueAccess],
        operands: Sequence[SSAValue],
        values: Sequence[Any],
        levels: Sequence[str],
    ) -> BankRows:
        """Return the rows that an instruction accesses in banks with a single port."""
        rows = BankRows({}, {}, {})
        for access in accesses:
            at = access.operand
            if (level := self._banked.get(levels[at])) is None:
                continue
            region = _footprint(access, operands[at], values[at], level.name)
            if region.high == sys.maxsize or region.memory[1]:
                continue
            *outer, row = access.counts
            item = numpy_type(element_of(operands[at])).itemsize
            count = prod(outer) * -(-row * item // level.row_bytes)
            into = rows.writes if access.is_write else rows.beside if access.beside else rows.reads
            for bank, share in level.shares(region.low, region.high - region.low).items():
                into[level.name, bank] = into.get((level.name, bank), 0) + count * share
        return rows

    def _fence(self, layer: LayerCost, awaited: Sequence[Queue]) -> None:
        issued = [self._orders.get((queue.name, self._schedule.copy_of(queue.engine))) for queue in awaited]
        ends = [order.free for order in issued if order is not None]
        self._schedule.stall(layer, max([self._schedule.now, *ends]))


_NO_ROWS = BankRows({}, {}, {})


def _footprint(access: QueueAccess, value: SSAValue, place: Allocation, level: str) -> BufferRegion:
    """Return the footprint of an access; in a view with strides of its own, where it begins is not known here: all."""
    kind = cast("MemRefType[Any]", value.type)
    memory = (level, "" if place.address >= 0 else place.name)
    if not isinstance(kind.layout, NoneAttr):
        return BufferRegion(memory, 0, sys.maxsize, (place, None), (), access.is_write)
    item, strides = numpy_type(element_of(value)).itemsize, row_major(kind.get_shape())
    low = sum(at * stride for at, stride in zip(access.offsets, strides, strict=True)) * item + max(place.address, 0)
    steps = strides if access.steps is None else access.steps
    reach = sum((count - 1) * step for count, step in zip(access.counts, steps, strict=True)) * item
    sides = zip(access.offsets, access.counts, strict=True) if access.steps is None else ()
    box = tuple((at, at + count) for at, count in sides)
    return BufferRegion(memory, low, low + reach + item, (place, kind), box, access.is_write)
