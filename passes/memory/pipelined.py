"""
The time of one grid, without a program: what the simulator finds for the loop that expand-grid and pipeline-dma make.

For planners, which price thousands of grids and build none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias, cast

Times = tuple[int, int]
"""A transfer's cycles: its start-up on a channel, then its data on the bus."""


@dataclass(frozen=True)
class Stream:
    """
    The tiles of one operand in the order of use: another one every `run` steps, `count` in all, in `stages` buffers.

    `times` gives those of the transfer of each tile, by its number, over the link of the number `link`.
    """

    is_output: bool
    run: int
    count: int
    stages: int
    times: Callable[[int], Times]
    link: int = 0


class _Link:
    """Channels and the bus that they share, as in the simulator."""

    def __init__(self, channels: int):
        self._channels = [0] * channels
        self._bus = 0

    def move(self, now: int, times: Times) -> int:
        """Begin a transfer; returns when it is done."""
        channel = min(range(len(self._channels)), key=self._channels.__getitem__)
        start = max(now, self._channels[channel])
        end = max(start + times[0], self._bus) + times[1]
        self._channels[channel] = self._bus = end
        return end


def pipelined_cycles(
    steps: int, compute: Callable[[int], int], streams: Sequence[Stream], channels: Sequence[int] = (1,)
) -> int:
    """
    Return the cycles of a grid of `steps` points, at each of which an engine computes for `compute(step)` cycles.

    `streams` are in the order of the grid's operands: inputs, then outputs. `channels` are those of each link.
    """
    links, copy, done = [_Link(count) for count in channels], _copy(steps, compute, streams), 0
    try:
        now, link, times = next(copy)
        while True:
            now, link, times = copy.send(links[link].move(now, times))
    except StopIteration as end:
        done = end.value
    return done


def cycles_together(
    steps: int, compute: Callable[[int], int], copies: Sequence[Sequence[Stream]], channels: Sequence[int] = (1,)
) -> int:
    """
    Return the cycles of a grid on instances of an engine, each of which has so many points and streams of its own.

    They share the links, which serve them in the order in which they come, the first of those that come together first.
    """
    links, last = [_Link(count) for count in channels], 0
    turns: list[tuple[int, int, int, Times]] = []
    threads = [_copy(steps, compute, streams) for streams in copies]

    def advance(copy: int, end: int | None) -> None:
        nonlocal last
        try:
            now, link, times = threads[copy].send(cast(int, end))
        except StopIteration as stop:
            last = max(last, stop.value)
        else:
            heappush(turns, (now, copy, link, times))

    for copy in range(len(threads)):
        advance(copy, None)
    while turns:
        now, copy, link, times = heappop(turns)
        advance(copy, links[link].move(now, times))
    return last


_Copy: TypeAlias = "Generator[tuple[int, int, Times], int, int]"
"""Yields each transfer, when it is wanted and over which link, is told when it is done, and returns when all is."""


def _copy(steps: int, compute: Callable[[int], int], streams: Sequence[Stream]) -> _Copy:
    """Go through the points of one copy."""
    now = 0
    inputs = [stream for stream in streams if not stream.is_output]
    outputs = [stream for stream in streams if stream.is_output]
    ahead: dict[int, int] = {}
    for index, stream in enumerate(inputs):
        if stream.count == 1:
            now = yield now, stream.link, stream.times(0)
        elif stream.stages > 1:
            ahead[index] = yield now, stream.link, stream.times(0)
    written = [[0] * min(stream.stages, stream.count) for stream in outputs]
    for step in range(steps):
        for index, stream in enumerate(inputs):
            if stream.count == 1 or step % stream.run:
                continue
            turn = step // stream.run
            if stream.stages == 1:
                now = yield now, stream.link, stream.times(turn)
                continue
            arrived = ahead[index]
            if turn + 1 < stream.count:
                ahead[index] = yield now, stream.link, stream.times(turn + 1)
            now = max(now, arrived)
        for stream, ends in zip(outputs, written, strict=True):
            now = now if step % stream.run else max(now, ends[0])
        now += compute(step)
        for stream, ends in zip(outputs, written, strict=True):
            if (step + 1) % stream.run == 0:
                ends.append((yield now, stream.link, stream.times(step // stream.run)))
                del ends[0]
    return max([now, *(end for ends in written for end in ends)])
