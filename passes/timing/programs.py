"""
Programs of a grid in time: the requests of each engine instance, and of the fetches of first tiles of chains.

They ask for what the loop of expand-grid and pipeline-dma asks for, in its order: `grids/neighbours.py` makes the
programs whose operands come from neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...dialects.core.machine.link import Link
from ...dialects.core.machine.routes import Edge
from ..tiles.stream import TileStream
from .mesh import NeighbourBuses
from .resources import LinkTime, SlotQueue, Times
from .timeline import Program, Request


@dataclass(frozen=True)
class TileTransfers:
    """
    Transfers of the tiles of one operand over a link, which has a number; `times` maps a tile's number to its cycles.

    Each wait for a transfer takes the program `waiting` cycles.
    """

    tiles: TileStream
    times: Callable[[int], Times]
    link: int = 0
    waiting: int = 0

    def within(self, steps: int) -> TileTransfers:
        """Return the transfers of the first steps."""
        return replace(self, tiles=self.tiles.within(steps))


@dataclass(frozen=True)
class PassedTiles:
    """
    Tiles of one operand at one instance: popped from `queue` every `run` steps, and passed on to the queues `behind`.

    Each of these is behind a route of hops over a `link` of a mesh, over which a tile takes `times`.
    """

    run: int
    count: int
    mesh: NeighbourBuses
    link: Link
    times: Times
    queue: SlotQueue
    behind: Sequence[tuple[SlotQueue, Sequence[Edge]]]

    def send(self, ready: int, route: Sequence[Edge]) -> int:
        """Send a tile over a route; return its completion time."""
        return self.mesh.send(self.link, route, ready, self.times.startup, self.times.data)[1]


_Part: TypeAlias = "Generator[Request, int, int]"
"""Part of a program: returns the cycle at which it ends."""


def feed_program(transfers: TileTransfers, queue: SlotQueue, links: Sequence[LinkTime]) -> Program:
    """Fetch the first tiles of a chain over a link, to a queue."""
    now, move = 0, links[transfers.link].move
    for number in range(transfers.tiles.count):
        now = yield now, queue.reserve, number
        times = transfers.times(number)
        now = yield now + times.issue, move, times
        now = yield now, queue.push, now
    return now


def grid_program(
    steps: int,
    compute: Callable[[int], int],
    transfers: Sequence[TileTransfers],
    links: Sequence[LinkTime],
    passed: Sequence[PassedTiles] = (),
) -> Program:
    """
    Run the software pipeline of one engine instance over `steps` grid points, with `compute(step)` cycles each.

    `transfers` are in operand order: inputs, then outputs. `passed` are the operands from neighbours.
    """
    now, sent = 0, 0
    for operand in passed:
        if operand.count == 1:
            now, end = yield from _pass_on(now, 0, operand)
            sent = max(sent, end)
    fetches, starters, writes = _in_groups(transfers)
    ahead: dict[int, int] = {}
    for number, fetch in (fetches | starters).items():
        move = links[fetch.link].move
        if fetch.tiles.prefetch_distance:
            times = fetch.times(0)
            now += times.issue
            ahead[number] = yield now, move, times
        elif fetch.tiles.count == 1 and not fetch.tiles.starts:
            times = fetch.times(0)
            now = (yield now + times.issue, move, times) + fetch.waiting
    fetches = {number: fetch for number, fetch in fetches.items() if fetch.tiles.count > 1}
    written = [[0] * write.tiles.writes_in_flight(is_started=bool(starters)) for write in writes]
    streaming = [operand for operand in passed if operand.count > 1]
    for step in range(steps):
        now = yield from _fetch(now, step, fetches, ahead, links)
        for write, ends in zip(writes, written, strict=True):
            now = now if step % write.tiles.run else max(now, ends[0]) + write.waiting
        if starters:
            now = yield from _fetch(now, step, starters, ahead, links)
        through = 0
        for operand in streaming:
            if step % operand.run == 0:
                now, end = yield from _pass_on(now, step // operand.run, operand)
                through = max(through, end)
        now = max(now + compute(step), through)
        for operand in streaming:
            if (step + 1) % operand.run == 0:
                now = yield now, operand.queue.release, now
        for write, ends in zip(writes, written, strict=True):
            if (step + 1) % write.tiles.run == 0:
                times = write.times(step // write.tiles.run)
                now += times.issue
                ends.append((yield now, links[write.link].move, times))
                del ends[0]
    for write, ends in zip(writes, written, strict=True):
        for end in ends:
            now = max(now, end) + write.waiting
    return max(now, sent)


def _in_groups(
    transfers: Sequence[TileTransfers],
) -> tuple[dict[int, TileTransfers], dict[int, TileTransfers], list[TileTransfers]]:
    """Return the fetches, those that start sums, and the writes."""
    reads = {number: read for number, read in enumerate(transfers) if not read.tiles.is_output}
    fetches = {number: read for number, read in reads.items() if not read.tiles.starts}
    starters = {number: read for number, read in reads.items() if read.tiles.starts}
    return fetches, starters, [write for write in transfers if write.tiles.is_output]


def _fetch(
    now: int, step: int, fetches: Mapping[int, TileTransfers], ahead: dict[int, int], links: Sequence[LinkTime]
) -> _Part:
    """Issue the fetches of a step, for prefetched tiles those of the next tile, and wait for the tiles in use."""
    for number, fetch in fetches.items():
        tiles = fetch.tiles
        if step % tiles.run:
            continue
        index = step // tiles.run
        if number not in ahead:
            times = fetch.times(index)
            now = (yield now + times.issue, links[fetch.link].move, times) + fetch.waiting
            continue
        arrived = ahead[number]
        if index + 1 < tiles.count:
            times = fetch.times(index + 1)
            now += times.issue
            ahead[number] = yield now, links[fetch.link].move, times
        now = max(now, arrived) + fetch.waiting
    return now


def _pass_on(now: int, number: int, operand: PassedTiles) -> Generator[Request, int, tuple[int, int]]:
    """Pop a tile and pass it on; return the present cycle and the end of the transfers."""
    now, sent = (yield now, operand.queue.pop, number), 0
    for queue, route in operand.behind:
        now = yield now, queue.reserve, number
        end = yield now, operand.send, route
        sent = max(sent, end)
        now = yield now, queue.push, end
    return now, sent
