"""
Analytic makespan of a grid whose operands come from neighbours: equal to the simulator's time for its programs.

Each engine instance is a program, and so is each fetch of a chain's first tiles; the queues between them have a slot
for each stage. `grids/neighbours.py` makes these programs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, TypeAlias

from ...dialects.core.machine.routes import Edge
from .pipelined import LinkState, Stream, Times


@dataclass
class Queue:
    """Cycles at which slots of a queue have been pushed and released, in order."""

    depth: int
    pushed: list[int] = field(default_factory=list[int])
    released: list[int] = field(default_factory=list[int])


@dataclass(frozen=True)
class Chained:
    """
    Tiles of one operand at one instance: popped from `queue` every `run` steps, and sent on to the queues `behind`.

    A tile takes `cycles` for each hop of the route to a queue behind.
    """

    run: int
    count: int
    cycles: int
    queue: Queue
    behind: Sequence[tuple[Queue, Sequence[Edge]]]


@dataclass(frozen=True)
class Feed:
    """Program that fetches the first tiles of a chain: `count` tiles over a link, to a queue."""

    count: int
    times: Callable[[int], Times]
    link: int
    queue: Queue


@dataclass(frozen=True)
class Node:
    """Program of an engine instance: the streams of the operands from far, and the operands from neighbours."""

    streams: list[Stream]
    chained: list[Chained]


_Turn: TypeAlias = "tuple[int, str, Any, Any]"
"""Cycle, kind and arguments of an action of a program."""
_Program: TypeAlias = "Generator[_Turn, int, int]"
"""Coroutine of a program: yields actions, receives the cycle at which each has an end, returns its makespan."""


def chained_cycles(
    steps: int, compute: Callable[[int], int], feeds: Sequence[Feed], nodes: Sequence[Node], channels: Sequence[int]
) -> int:
    """
    Compute the makespan in cycles of a grid of `steps` points at each node, with `compute(step)` cycles each.

    The programs share the links, which serve transfers first come, first served; ties go to the first program.
    `channels` are per link.
    """
    programs = [*(_feed(feed) for feed in feeds), *(_node(steps, compute, node) for node in nodes)]
    return _Run(programs, channels).cycles()


class _Run:
    """Programs that share links, hops between neighbours, and queues."""

    def __init__(self, programs: Sequence[_Program], channels: Sequence[int]):
        self._programs = programs
        self._links = [LinkState(count) for count in channels]
        self._hops: dict[Edge, int] = {}
        """Two neighbours -> the cycle at which the link between them is next idle."""
        self._blocked: dict[int, tuple[int, int]] = {}
        """Queue's cycles, by identity -> the cycle and the program that waits for the next one."""
        self._turns: list[tuple[int, int]] = []
        self._actions: list[_Turn] = [(0, "", None, None)] * len(programs)
        self._last = 0

    def cycles(self) -> int:
        """Run all programs; return the cycle at which the last one ends."""
        for program in range(len(self._programs)):
            self._go_on(program, None)
        while self._turns:
            now, program = heappop(self._turns)
            end = self._take_turn(now, program)
            if end is not None:
                self._go_on(program, end)
        return self._last

    def _go_on(self, program: int, end: int | None) -> None:
        try:
            turn = self._programs[program].send(end)  # pyright: ignore[reportArgumentType]
        except StopIteration as stop:
            self._last = max(self._last, stop.value)
            return
        self._actions[program] = turn
        heappush(self._turns, (turn[0], program))

    def _take_turn(self, now: int, program: int) -> int | None:
        """Return the end of a program's action; None if it blocks."""
        _, kind, subject, detail = self._actions[program]
        if kind == "move":
            link: int = subject
            return self._links[link].move(now, detail)
        if kind == "hop":
            return self._hop(now, subject, detail)
        if kind == "hand":
            subject.append(max(now, detail, subject[-1] if subject else 0))
            waiting = self._blocked.pop(id(subject), None)
            if waiting is not None:
                heappush(self._turns, waiting)
            return now
        if detail < 0:
            return now
        if detail < len(subject):
            return max(now, subject[detail])
        self._blocked[id(subject)] = now, program
        return None

    def _hop(self, now: int, route: Sequence[Edge], cycles: int) -> int:
        for edge in route:
            now = self._hops[edge] = max(now, self._hops.get(edge, 0)) + cycles
        return now


def _feed(feed: Feed) -> _Program:
    now = 0
    for number in range(feed.count):
        now = yield now, "take", feed.queue.released, number - feed.queue.depth
        times = feed.times(number)
        now = yield now + times.issue, "move", feed.link, times
        now = yield now, "hand", feed.queue.pushed, now
    return now


def _taken(now: int, number: int, chained: Chained) -> Generator[_Turn, int, tuple[int, int]]:
    """Pop a tile and send it on; return the present cycle and the end of the transfers."""
    now, sent = (yield now, "take", chained.queue.pushed, number), 0
    for queue, route in chained.behind:
        now = yield now, "take", queue.released, number - queue.depth
        end = yield now, "hop", route, chained.cycles
        sent = max(sent, end)
        now = yield now, "hand", queue.pushed, end
    return now, sent


def _fetched(now: int, step: int, streams: Mapping[int, Stream], ahead: dict[int, int]) -> _Program:
    """Issue the fetches of a step, as `pipelined.py` does."""
    for number, stream in streams.items():
        if step % stream.run:
            continue
        turn = step // stream.run
        if not stream.is_prefetched:
            times = stream.times(turn)
            now = (yield now + times.issue, "move", stream.link, times) + stream.waiting
            continue
        arrived = ahead[number]
        if turn + 1 < stream.count:
            times = stream.times(turn + 1)
            now += times.issue
            ahead[number] = yield now, "move", stream.link, times
        now = max(now, arrived) + stream.waiting
    return now


def _node(steps: int, compute: Callable[[int], int], node: Node) -> _Program:
    """Run the program of one instance: what `pipelined.py` does, with the operands from neighbours."""
    now, sent = 0, 0
    held, passing = ([each for each in node.chained if (each.count == 1) is once] for once in (True, False))
    for chained in held:
        now, end = yield from _taken(now, 0, chained)
        sent = max(sent, end)
    inputs = {n: each for n, each in enumerate(node.streams) if not each.is_output and not each.starts}
    starters = {n: each for n, each in enumerate(node.streams) if each.starts}
    outputs = [stream for stream in node.streams if stream.is_output]
    ahead: dict[int, int] = {}
    for number, stream in (inputs | starters).items():
        if stream.is_prefetched:
            times = stream.times(0)
            now += times.issue
            ahead[number] = yield now, "move", stream.link, times
        elif stream.count == 1 and not stream.starts:
            times = stream.times(0)
            now = (yield now + times.issue, "move", stream.link, times) + stream.waiting
    written = [[0] * stream.writes_in_flight(started=bool(starters)) for stream in outputs]
    for step in range(steps):
        now = yield from _fetched(now, step, {n: each for n, each in inputs.items() if each.count > 1}, ahead)
        for stream, ends in zip(outputs, written, strict=True):
            now = now if step % stream.run else max(now, ends[0]) + stream.waiting
        now = yield from _fetched(now, step, starters, ahead)
        through = 0
        for chained in passing:
            if step % chained.run == 0:
                now, end = yield from _taken(now, step // chained.run, chained)
                through = max(through, end)
        now = max(now + compute(step), through)
        for chained in passing:
            if (step + 1) % chained.run == 0:
                now = yield now, "hand", chained.queue.released, now
        for stream, ends in zip(outputs, written, strict=True):
            if (step + 1) % stream.run == 0:
                times = stream.times(step // stream.run)
                now += times.issue
                ends.append((yield now, "move", stream.link, times))
                del ends[0]
    for stream, ends in zip(outputs, written, strict=True):
        for end in ends:
            now = max(now, end) + stream.waiting
    return max(now, sent)
