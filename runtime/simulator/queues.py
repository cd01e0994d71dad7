"""Instructions on queues in time: depth, order, interlocks and fences."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from ...dialects.core.effect_traits import Effect, OnQueue
from ...dialects.core.effects import Effects
from ...dialects.core.machine.model import Queue
from ...dialects.core.queues import queue_named
from ...ir import element_of, numpy_type
from ...passes.explicit.client import Handler
from ...passes.memory.views import row_major
from .accounts import Layer, Place, Token
from .kernels import level_of
from .schedule import Schedule


class Footprint(NamedTuple):
    """Region of a memory that an instruction accesses: its bytes, and its first and last elements in its buffer."""

    memory: tuple[str, str]
    low: int
    high: int
    buffer: tuple[Place, object]
    box: tuple[tuple[int, int], ...]
    is_write: bool

    def conflicts(self, other: Footprint) -> bool:
        """Return whether both access a byte, and one of them writes it; of different views, by their first and last."""
        if self.memory != other.memory or not (self.is_write or other.is_write):
            return False
        if self.low >= other.high or other.low >= self.high:
            return False
        pairs = zip(self.box, other.box, strict=False)
        return self.buffer != other.buffer or all(a[0] < b[1] and b[0] < a[1] for a, b in pairs)


class _InFlight(NamedTuple):
    end: int
    queue: str
    footprints: Sequence[Footprint]


class Queues:
    """
    Queues of a walk. An instruction starts when those before it in its queue, and those that conflict with it on
    interlocked levels, have ended; the program goes on at once, or when a full queue has a place again.
    """

    def __init__(self, schedule: Schedule, layer: Callable[[Operation], Layer]):
        self._schedule = schedule
        self._layer = layer
        self._in_flight: dict[tuple[str, int], list[_InFlight]] = {}
        """Engine and its instance -> its instructions that have not ended, by the last look."""
        self._ends: dict[tuple[str, int], int] = {}
        """Queue and instance -> the cycle at which it is next idle."""

    def issue(self, op: Operation, trait: OnQueue, effects: Effects) -> Handler:
        """Return the handler of an instruction. Raises Diagnostic for a queue that the machine does not have."""
        schedule, layer, operands = self._schedule, self._layer(op), list(op.operands)
        queue = queue_named(schedule.machine.queues, trait.queue, op)
        layer.engine = layer.engine or queue.engine
        plans = [
            (operands.index(each.value), each, level_of(each.value, schedule.machine.home.name))
            for each in effects.instances
            if isinstance(each, Effect) and isinstance(each.value, SSAValue) and each.region is not None
        ]
        plans = [plan for plan in plans if plan[2] in queue.interlocks]

        def issue(*values: Any) -> None:
            known = dict(zip(operands, values, strict=True))
            footprints = [_footprint(each, values[at], level, known) for at, each, level in plans]
            token = Token()
            schedule.tokens.append(token)
            cycles = trait.cycles_of(op, values)
            schedule.act(partial(self._issue, token, layer, op.name, queue, cycles, footprints))

        return issue

    def fence(self, op: Operation, names: Collection[str]) -> Handler:
        """Return the handler of a fence. Raises Diagnostic for a queue that the machine does not have."""
        known = self._schedule.machine.queues
        awaited = [queue_named(known, name, op) for name in names] or list(known.values())
        layer = self._layer(op)
        return lambda: self._schedule.act(partial(self._fence, layer, awaited))

    def _issue(
        self, token: Token, layer: Layer, operator: str, queue: Queue, cycles: int, footprints: Sequence[Footprint]
    ) -> None:
        schedule, copy = self._schedule, self._schedule.copy_of(queue.engine)
        in_flight = [each for each in self._in_flight.get((queue.engine, copy), []) if each.end > schedule.now]
        ends = [each.end for each in in_flight if each.queue == queue.name]
        if len(ends) >= queue.depth:
            schedule.stall(layer, ends[-queue.depth])
        hazards = (
            each.end
            for each in in_flight
            if any(mine.conflicts(other) for mine in footprints for other in each.footprints)
        )
        token.start = max(schedule.now, self._ends.get((queue.name, copy), 0), *hazards, 0)
        token.end = self._ends[queue.name, copy] = token.start + cycles
        schedule.queues_end = max(schedule.queues_end, token.end)
        in_flight.append(_InFlight(token.end, queue.name, footprints))
        self._in_flight[queue.engine, copy] = in_flight
        schedule.executed(token, layer, queue, operator)

    def _fence(self, layer: Layer, awaited: Sequence[Queue]) -> None:
        ends = [self._ends.get((queue.name, self._schedule.copy_of(queue.engine)), 0) for queue in awaited]
        self._schedule.stall(layer, max([self._schedule.now, *ends]))


def _footprint(effect: Effect, place: Place, level: str, known: Mapping[Any, Any]) -> Footprint:
    """Return the footprint of an access; in a view with strides of its own, where it begins is not known here: all."""
    value, region = cast(SSAValue, effect.value), effect.region
    assert region is not None
    kind, is_write = cast("MemRefType[Any]", value.type), effect.kind is MemoryEffectKind.WRITE
    memory = (level, "" if place.address >= 0 else place.name)
    if not isinstance(kind.layout, NoneAttr):
        return Footprint(memory, 0, sys.maxsize, (place, None), (), is_write)
    offsets, sizes = ([known.get(each, each) for each in side] for side in (region.offsets, region.sizes))
    item, strides = numpy_type(element_of(value)).itemsize, row_major(kind.get_shape())
    low = sum(at * stride for at, stride in zip(offsets, strides, strict=True)) * item + max(place.address, 0)
    reach = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) * item
    box = tuple((at, at + size) for at, size in zip(offsets, sizes, strict=True))
    return Footprint(memory, low, low + reach + item, (place, kind), box, is_write)
