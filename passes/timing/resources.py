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


class Slots:
    """Cycles at which slots of a queue have been handed on, in order: those pushed, or those released."""

    def __init__(self) -> None:
        self.times: list[int] = []

    def take(self, ready: int, number: int) -> int | Signal:
        """Wait until a slot has been handed on; one below 0 has always been."""
        if number < 0:
            return ready
        return max(ready, self.times[number]) if number < len(self.times) else Signal(self, is_blocked=True)

    def hand_on(self, ready: int, cycle: int) -> Signal:
        """Hand the next slot on at a cycle, after those before it."""
        self.times.append(max(ready, cycle, self.times[-1] if self.times else 0))
        return Signal(self, ready)
