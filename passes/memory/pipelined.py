"""
The time of one grid, without a program: what the simulator finds for the loop that expand-grid and pipeline-dma make.

For planners, which price thousands of grids and build none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    links, now = [_Link(count) for count in channels], 0
    inputs = [stream for stream in streams if not stream.is_output]
    outputs = [stream for stream in streams if stream.is_output]
    ahead: dict[int, int] = {}
    for index, stream in enumerate(inputs):
        if stream.count == 1:
            now = links[stream.link].move(now, stream.times(0))
        elif stream.stages > 1:
            ahead[index] = links[stream.link].move(now, stream.times(0))
    written = [[0] * min(stream.stages, stream.count) for stream in outputs]
    for step in range(steps):
        for index, stream in enumerate(inputs):
            if stream.count == 1 or step % stream.run:
                continue
            now = _fetch(links[stream.link], now, stream, index, step // stream.run, ahead)
        for stream, ends in zip(outputs, written, strict=True):
            now = now if step % stream.run else max(now, ends[0])
        now += compute(step)
        for stream, ends in zip(outputs, written, strict=True):
            if (step + 1) % stream.run == 0:
                ends.append(links[stream.link].move(now, stream.times(step // stream.run)))
                del ends[0]
    return max([now, *(end for ends in written for end in ends)])


def _fetch(link: _Link, now: int, stream: Stream, index: int, turn: int, ahead: dict[int, int]) -> int:
    """Make a tile of an input be there, and begin to fetch the next where there is a buffer for it; returns when."""
    if stream.stages == 1:
        return max(now, link.move(now, stream.times(turn)))
    arrived = ahead[index]
    if turn + 1 < stream.count:
        ahead[index] = link.move(now, stream.times(turn + 1))
    return max(now, arrived)
