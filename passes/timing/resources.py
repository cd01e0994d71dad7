"""
Resources of a machine in time: links, engines and queues of slots, each with the only rule of waiting for it.

An action takes the cycle from which on a program asks, and returns the cycle at which it ends.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from .timeline import Signal


class Times(NamedTuple):
    """Cycles of a transfer: start-up on a channel, then data on the bus, after its issue by the program."""

    startup: int
    data: int
    issue: int = 0


class LinkTime:
    """
    Channels of a link and their shared bus.

    A transfer takes the channel that is idle first, from start to end. Its start-up needs the channel alone; its data
    pass over the bus in order of issue.
    """

    def __init__(self, channels: int):
        self.channels = [0] * channels
        """The cycle at which each channel is next idle."""
        self.bus = 0
        """The cycle at which the bus is next idle."""
        self.last = 0, 0, 0
        """Channel of the last transfer, its start, and the cycle at which its data began to move."""

    def copy(self) -> LinkTime:
        """Return an independent copy of the state."""
        copy = LinkTime(0)
        copy.channels, copy.bus, copy.last = list(self.channels), self.bus, self.last
        return copy

    def move(self, ready: int, times: Times) -> int:
        """Issue a transfer; return its completion time."""
        startup, data, _ = times
        channels = self.channels
        idle = min(channels)
        channel = channels.index(idle)
        start = ready if ready > idle else idle
        begin = start + startup
        if begin < self.bus:
            begin = self.bus
        self.last = channel, start, begin
        channels[channel] = self.bus = end = begin + data
        return end


class InOrder:
    """Engine, or instruction queue, with in-order execution; at most `depth` are in flight."""

    def __init__(self, depth: int = 0):
        self.free = 0
        """The cycle at which it is next idle."""
        self._ends: deque[int] = deque(maxlen=max(depth, 1))
        self._depth = depth

    def entry(self, ready: int, depth: int | None = None) -> int:
        """Return the cycle at which fewer than `depth`, by default all, are in flight; at once with a depth of 0."""
        depth = self._depth if depth is None else depth
        if not depth or len(self._ends) < depth:
            return ready
        return max(ready, self._ends[-depth])

    def execute(self, ready: int, cycles: int) -> int:
        """Execute behind all that was issued before; return the end."""
        return self.execute_until(max(ready, self.free) + cycles)

    def execute_until(self, end: int) -> int:
        """Execute behind all that was issued before, to an end that is known; return it."""
        self.free = end
        self._ends.append(end)
        return end


class SlotQueue:
    """
    Queue of tiles between two programs, with `depth` slots, which are handed on in order.

    The producer reserves a slot, which waits for the release of the one `depth` before, and pushes it; the consumer
    pops it, which waits for its push, and releases it. `pushed` and `released` are the cycles at which slots have been.
    """

    def __init__(self, depth: int):
        self.depth = depth
        self.pushed: list[int] = []
        self.released: list[int] = []

    def reserve(self, ready: int, number: int) -> int | Signal:
        """Wait until a slot is free."""
        return self._after(self.released, ready, number - self.depth)

    def push(self, ready: int, cycle: int) -> Signal:
        """Push the next slot at a cycle, after those before it."""
        return self._hand_on(self.pushed, ready, cycle)

    def pop(self, ready: int, number: int) -> int | Signal:
        """Wait until a slot has been pushed."""
        return self._after(self.pushed, ready, number)

    def release(self, ready: int, cycle: int) -> Signal:
        """Release the next slot at a cycle, after those before it."""
        return self._hand_on(self.released, ready, cycle)

    def _after(self, times: list[int], ready: int, number: int) -> int | Signal:
        """Wait for the event of a slot; that of one below 0 has always been."""
        if number < 0:
            return ready
        return max(ready, times[number]) if number < len(times) else Signal(self, is_blocked=True)

    def _hand_on(self, times: list[int], ready: int, cycle: int) -> Signal:
        times.append(max(ready, cycle, times[-1] if times else 0))
        return Signal(self, ready)
