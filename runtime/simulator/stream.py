"""Arrays of streams in time: how many slots their queues have taken, and when slots are handed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from ...dialects.core.machine.model import Machine
from ...dialects.core.machine.routes import instance_number
from ...dialects.hier.sharded import level_name
from ...dialects.hier.streams import PopOp, PushOp, ReleaseOp, ReserveOp, StreamEndOp, StreamOp
from ...ir import Array
from ...passes.timing.kernels import Allocation
from ...passes.timing.resources import SlotQueue


class LaneSlots:
    """
    Slots of the queues of a stream that lanes hand on, after those that have been: cycles and orders by number, queue.

    They are in the queues once `settle` is called.
    """

    def __init__(self, handed: Sequence[list[int]]):
        self._handed = handed
        self._counts = np.array(list(map(len, handed)), np.int64)
        self._times = np.zeros((max(8, *self._counts), len(handed)), np.int64)
        for queue, times in enumerate(handed):
            self._times[: len(times), queue] = times
        self._orders = np.full(self._times.shape, -1, np.int64)

    def has(self, queues: Array, numbers: Array) -> bool:
        """Return whether a slot of each queue, by number, has been handed on; one below 0 has always been."""
        return bool(np.all(numbers < self._counts[queues]))

    def at(self, queues: Array, numbers: Array) -> tuple[Array, Array]:
        """Return the cycle and the order of slots; 0 and -1 of those below 0, -1 of those before these programs."""
        rows, never = np.maximum(numbers, 0), numbers < 0
        return np.where(never, 0, self._times[rows, queues]), np.where(never, -1, self._orders[rows, queues])

    def add(self, queues: Array, times: Array, order: Array) -> None:
        """Hand on a slot of each queue, after those before it."""
        numbers = self._counts[queues]
        self._reserve(int(numbers.max()) + 1)
        before = np.where(numbers > 0, self._times[np.maximum(numbers - 1, 0), queues], 0)
        self._times[numbers, queues] = np.maximum(times, before)
        self._orders[numbers, queues] = order
        self._counts[queues] += 1

    def time(self, queue: int, number: int) -> int | None:
        """Return the cycle at which a slot is handed on, 0 for one below 0, None where it has not been."""
        if number < 0:
            return 0
        return int(self._times[number, queue]) if number < self._counts[queue] else None

    def hand_on(self, queue: int, time: int) -> None:
        """Hand on a slot of one queue, after those before it."""
        number = int(self._counts[queue])
        self._reserve(number + 1)
        before = int(self._times[number - 1, queue]) if number else 0
        self._times[number, queue] = max(time, before)
        self._counts[queue] += 1

    def settle(self) -> None:
        """Hand the slots on in the queues."""
        for queue, (times, count) in enumerate(zip(self._handed, self._counts.tolist(), strict=True)):
            times += self._times[len(times) : count, queue].tolist()

    def _reserve(self, count: int) -> None:
        """Extend the tables to `count` slots of a queue."""
        if count > len(self._times):
            size = count, self._times.shape[1]
            self._times = np.concatenate([self._times, np.zeros(size, np.int64)])
            self._orders = np.concatenate([self._orders, np.full(size, -1, np.int64)])


class Stream:
    """Array of streams: queues in row-major order of their coordinates, in the instances of a level."""

    def __init__(self, op: StreamOp, machine: Machine):
        tile = op.type.tile
        level = machine.level((level_name(tile) if tile else None) or machine.far.name)
        self.name = op.stream.name_hint or "stream"
        self.level = level.name
        self.depth = op.depth.data
        self.extents = op.type.extents
        self.has_slots = tile is not None
        points = list(product(*map(range, self.extents)))
        self._places = [f"[{', '.join(map(str, point))}]" if point else "" for point in points]
        numbers = [instance_number(level.count, point, self.extents) for point in points]
        self.instances: Array | None = np.array(numbers) if self.extents else None
        """The instance of the level that each queue lies in; None for one queue, which lies where it is used."""
        count = prod(self.extents)
        self.taken: dict[type[StreamEndOp], Array] = {
            kind: np.zeros(count, np.int64) for kind in (ReserveOp, PushOp, PopOp, ReleaseOp)
        }
        self.queues = [SlotQueue(self.depth) for _ in range(count)]
        self._slots: dict[tuple[int, int], Allocation] = {}

    def queue_at(self, point: Sequence[int]) -> int | None:
        """Return the queue at some coordinates, None outside of the array."""
        queue = 0
        for index, extent in zip(point, self.extents, strict=True):
            if not 0 <= index < extent:
                return None
            queue = queue * extent + index
        return queue

    def take(self, kind: type[StreamEndOp], queue: int) -> int:
        """Count a step of a queue; return how many there were before."""
        self.taken[kind][queue] += 1
        return int(self.taken[kind][queue]) - 1

    def slot_name(self, queue: int, slot: int) -> str:
        """Return the name of a slot."""
        return f"slot {slot} of {self.name}{self._places[queue]}"

    def slot(self, queue: int, number: int) -> Allocation | None:
        """Return the slot of a step, None of a stream of nothing."""
        if not self.has_slots:
            return None
        key = queue, number % self.depth
        if key not in self._slots:
            self._slots[key] = Allocation(self.slot_name(*key), self.level, -1)
        return self._slots[key]

    def instances_of_slots(self) -> dict[Allocation, int]:
        """Return the instance of its level that each slot lies in, of an array of streams."""
        if self.instances is None or not self.has_slots:
            return {}
        instances: dict[Allocation, int] = {}
        for queue, number in enumerate(self.instances):
            slots = (self.slot(queue, slot) for slot in range(self.depth))
            instances |= dict.fromkeys((slot for slot in slots if slot is not None), int(number))
        return instances

    def begin(self) -> Mapping[type[StreamEndOp], LaneSlots]:
        """Begin the execution of programs by classes."""
        return {
            PushOp: LaneSlots([queue.pushed for queue in self.queues]),
            ReleaseOp: LaneSlots([queue.released for queue in self.queues]),
        }
