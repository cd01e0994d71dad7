"""
Analytic makespan of one grid: equal to the simulator's time for the loop of expand-grid and pipeline-dma.

Planners estimate thousands of grids with it, and build none.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias, cast


class Times(NamedTuple):
    """Cycles of a transfer: start-up on a channel, then data on the bus, after its issue by the program."""

    startup: int
    data: int
    issue: int = 0


@dataclass(frozen=True)
class Stream:
    """
    Tiles of one operand in order of use: a new tile every `run` steps, `count` tiles, in `stages` buffers.

    `times` maps a tile number to the cycles of its transfer; `link` is the number of the link. Each wait for a transfer
    takes the program `waiting` cycles.
    """

    is_output: bool
    run: int
    count: int
    stages: int
    times: Callable[[int], Times]
    link: int = 0
    starts: bool = False
    """True if the tiles are brought to the buffers of an output, in turn with its own `stages`."""
    waiting: int = 0

    def within(self, steps: int) -> Stream:
        """Return the tiles of the first steps, which end with the last of these."""
        run = min(self.run, steps)
        return self if run * self.count == steps else replace(self, run=run, count=-(-steps // run))

    @property
    def is_prefetched(self) -> bool:
        """Return whether the next tile of an input is fetched during the use of the present one."""
        if self.starts:
            return starts_ahead(self.stages, self.count)
        return not self.is_output and self.stages > 1 and self.count > 1

    def writes_in_flight(self, *, started: bool) -> int:
        """Return the writes of an output's tiles that may be in flight; its sums may be started by an operand."""
        return writes_in_flight(self.stages, self.count, ahead=started and starts_ahead(self.stages, self.count))


def starts_ahead(stages: int, count: int) -> bool:
    """
    Return whether the sums of an output's next tile are started while the present one is computed.

    Of the `stages` buffers of its `count` tiles one is computed, and one may be written out: the next one is a third,
    or the second of two tiles.
    """
    return count > 1 and min(stages, count) > min(2, count - 1)


def writes_in_flight(stages: int, count: int, *, ahead: bool) -> int:
    """Return the writes of an output's tiles that may be in flight, a buffer less where the next one starts `ahead`."""
    return min(stages, count) - (ahead and stages < count)


class LinkState:
    """Channels of a link and their shared bus, as in the simulator."""

    def __init__(self, channels: int):
        self._channels = [0] * channels
        self._bus = 0

    def move(self, now: int, times: Times) -> int:
        """Issue a transfer; return its completion time."""
        free = min(self._channels)
        end = max(max(now, free) + times.startup, self._bus) + times.data
        self._channels[self._channels.index(free)] = self._bus = end
        return end


def pipelined_cycles(
    steps: int, compute: Callable[[int], int], streams: Sequence[Stream], channels: Sequence[int] = (1,)
) -> int:
    """
    Compute the makespan in cycles of a grid of `steps` points, with `compute(step)` cycles of compute each.

    `streams` are in operand order: inputs, then outputs. `channels` are per link.
    """
    moves, copy, done = [LinkState(count).move for count in channels], _copy(steps, compute, streams), 0
    send = copy.send
    try:
        now, link, times = next(copy)
        while True:
            now, link, times = send(moves[link](now, times))
    except StopIteration as end:
        done = end.value
    return done


def cycles_together(
    steps: int, compute: Callable[[int], int], copies: Sequence[Sequence[Stream]], channels: Sequence[int] = (1,)
) -> int:
    """
    Compute the makespan in cycles of a grid on several engine instances, each with its own streams.

    The instances share the links, which serve transfers first come, first served; ties go to the lower instance.
    """
    links, last = [LinkState(count) for count in channels], 0
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
"""
Coroutine of one instance: yields issue time, link and cycles of a transfer, receives its end, returns its makespan.
"""


def _copy(steps: int, compute: Callable[[int], int], streams: Sequence[Stream]) -> _Copy:
    """Run the pipeline of one instance."""
    now = 0
    inputs = {n: each for n, each in enumerate(streams) if not each.is_output and not each.starts}
    starters = {n: each for n, each in enumerate(streams) if each.starts}
    outputs = [stream for stream in streams if stream.is_output]
    ahead: dict[int, int] = {}
    for number, stream in (inputs | starters).items():
        if stream.is_prefetched:
            times = stream.times(0)
            now += times.issue
            ahead[number] = yield now, stream.link, times
        elif stream.count == 1 and not stream.starts:
            times = stream.times(0)
            now = (yield now + times.issue, stream.link, times) + stream.waiting
    fetched = {number: stream for number, stream in inputs.items() if stream.count > 1}
    written = [[0] * stream.writes_in_flight(started=bool(starters)) for stream in outputs]
    for step in range(steps):
        now = yield from _fetch(now, step, fetched, ahead)
        for stream, ends in zip(outputs, written, strict=True):
            now = now if step % stream.run else max(now, ends[0]) + stream.waiting
        if starters:
            now = yield from _fetch(now, step, starters, ahead)
        now += compute(step)
        for stream, ends in zip(outputs, written, strict=True):
            if (step + 1) % stream.run == 0:
                times = stream.times(step // stream.run)
                now += times.issue
                ends.append((yield now, stream.link, times))
                del ends[0]
    for stream, ends in zip(outputs, written, strict=True):
        for end in ends:
            now = max(now, end) + stream.waiting
    return now


def _fetch(now: int, step: int, streams: Mapping[int, Stream], ahead: dict[int, int]) -> _Copy:
    """Issue the fetches of a step, those of prefetched tiles for the tile after, and wait for what it uses."""
    for number, stream in streams.items():
        if step % stream.run:
            continue
        turn = step // stream.run
        if number not in ahead:
            times = stream.times(turn)
            now = (yield now + times.issue, stream.link, times) + stream.waiting
            continue
        arrived = ahead[number]
        if turn + 1 < stream.count:
            times = stream.times(turn + 1)
            now += times.issue
            ahead[number] = yield now, stream.link, times
        now = max(now, arrived) + stream.waiting
    return now
