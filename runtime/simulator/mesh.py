"""Transfers between the instances of a level over the links from neighbour to neighbour, and their contention."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence

import numpy as np

from ...dialects.core.machine.model import Link
from ...dialects.core.machine.routes import Edge
from ...ir import Array
from .lanes import NotInStep

PORT = -1
"""Stands for an instance itself, as an end of the bus to or from its router."""


class Mesh:
    """
    Directed buses between neighbours, each with the cycles in which it is busy.

    A transfer occupies each bus of its route for as long as its data take. On a link with routers it does so one router
    after the other, and passes h + 1 of them over h hops, while its data follow (cut-through); an instance sends one
    transfer at a time to its router, and receives one. On a link without, each hop takes the whole transfer.

    A transfer that finds a bus busy waits for the first gap that is long enough.
    """

    def __init__(self) -> None:
        self._busy: dict[tuple[str, int, int], list[tuple[int, int]]] = {}

    def spans(self) -> Spans:
        """Return the use of all buses, for the transfers of several lanes at once."""
        return Spans(self._busy)

    def settle(self, spans: Spans, now: int) -> None:
        """Take over the use of buses; transfers begin at `now` or later from here on."""
        for bus in spans.used():
            self._busy[bus] = [span for span in self._busy.get(bus, ()) if span[1] > now]
        for bus, span in spans.after(now):
            insort(self._busy[bus], span)

    def send(
        self, link: Link, route: Sequence[Edge], now: int, startup: int, data: int
    ) -> tuple[int, int, list[tuple[int, int]]]:
        """Occupy the buses of a route for `data` cycles each; return start and end, and those on each bus."""
        if not link.router:
            spans = self._forwarded(link, route, now, startup, data)
            return spans[0][0], spans[-1][1], spans
        at = now + startup
        if len(route) == 1 and route[0][0] == route[0][1]:
            at = self._occupied(link, route[0], at, data)
            return max(now, at - startup), at + data, [(at, at + data)]
        at = first = self._occupied(link, (PORT, route[0][0]), at, data)
        spans: list[tuple[int, int]] = []
        for edge in route:
            at = self._occupied(link, edge, at + link.router, data)
            spans.append((at, at + data))
        at = self._occupied(link, (route[-1][1], PORT), at + link.router, data)
        return max(now, first - startup), at + data, spans

    def buses(self, link: str) -> int:
        """Return the number of buses of a link that transfers have used."""
        return sum(name == link and PORT not in edge for name, *edge in self._busy)

    def _forwarded(self, link: Link, route: Sequence[Edge], now: int, startup: int, data: int) -> list[tuple[int, int]]:
        """Take the whole transfer from instance to instance; return the cycles on each bus."""
        at, spans = now, list[tuple[int, int]]()
        for edge in route:
            busy = self._busy.setdefault((link.name, *edge), [])
            begun = max(at, busy[-1][1] if busy else 0)
            at = begun + startup + data
            busy[:] = [(0, at)]
            spans.append((begun, at))
        return spans

    def _occupied(self, link: Link, edge: Edge, ready: int, data: int) -> int:
        """Occupy a bus in its first gap from a cycle on that the data fit in; return the cycle of its begin."""
        busy = self._busy.setdefault((link.name, *edge), [])
        if not busy or busy[-1][1] <= ready:
            busy.append((ready, ready + data))
            return ready
        at = ready
        number = max(0, bisect_right(busy, (ready, ready)) - 1)
        while number < len(busy) and busy[number][0] < at + data:
            at = max(at, busy[number][1])
            number += 1
        insort(busy, (at, at + data))
        return at


class Spans:
    """
    Last use of each bus, and the uses of several at once by lanes.

    Each lane's use is as if all were in the order of their events: one that waits for a bus comes after all before it.
    Raises NotInStep where it does not, and where a gap before the last use may be long enough.
    """

    def __init__(self, busy: Mapping[tuple[str, int, int], Sequence[tuple[int, int]]]):
        self._size = 1
        self._last: dict[str, Array] = {}
        """Start, end and order of the last use of each bus, by link."""
        self._log: list[tuple[str, Array, Array, int]] = []
        for (link, source, target), spans in busy.items():
            if spans:
                last = self._table(link, max(source, target))
                last[:2, source, target] = spans[-1]

    def _table(self, link: str, highest: int) -> Array:
        """Return the table of a link by the instances at its ends, of which the last row and column are ports."""
        if link not in self._last or highest >= self._last[link].shape[1] - 1:
            size = max(16, 2 * highest) + 2
            wider = np.full((3, size, size), -1, np.int64)
            if (old := self._last.get(link)) is not None:
                inner = old.shape[1] - 1
                wider[:, :inner, :inner] = old[:, :inner, :inner]
                wider[:, PORT, :inner], wider[:, :inner, PORT] = old[:, PORT, :inner], old[:, :inner, PORT]
            self._last[link] = wider
        return self._last[link]

    def occupy(self, link: str, sources: Array, targets: Array, ready: Array, data: int, order: Array) -> Array:
        """Occupy a bus for each lane for `data` cycles from a cycle on at the earliest; return the cycles of begin."""
        last = self._table(link, int(max(sources.max(), targets.max())))
        buses = sources * last.shape[1] + targets
        begun = np.empty_like(ready)
        for lanes in _rounds(buses, order):
            one, other, at = sources[lanes], targets[lanes], ready[lanes]
            start, end, before = last[:, one, other]
            waits = at < end
            if np.any(waits & ((at < start) | (order[lanes] <= before))):
                raise NotInStep
            begun[lanes] = at = np.where(waits, end, at)
            last[0, one, other], last[1, one, other] = at, at + data
            last[2, one, other] = np.maximum(before, order[lanes])
        self._log.append((link, np.stack([sources, targets]), begun, data))
        return begun

    def used(self) -> set[tuple[str, int, int]]:
        """Return the buses that have been occupied."""
        found: set[tuple[str, int, int]] = set()
        for link, ends, _, _ in self._log:
            found.update((link, source, target) for source, target in ends.T.tolist())
        return found

    def after(self, now: int) -> list[tuple[tuple[str, int, int], tuple[int, int]]]:
        """Return the uses that end after a cycle, by bus."""
        found: list[tuple[tuple[str, int, int], tuple[int, int]]] = []
        for link, ends, begun, data in self._log:
            for lane in np.flatnonzero(begun + data > now).tolist():
                span = int(begun[lane]), int(begun[lane]) + data
                found.append(((link, int(ends[0, lane]), int(ends[1, lane])), span))
        return found


def _rounds(buses: Array, order: Array) -> list[Array]:
    """Return the lanes in rounds in which each takes a bus of its own, those of one bus in order."""
    by_bus = np.lexsort((order, buses))
    ranked = buses[by_bus]
    first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    rank = np.arange(len(buses)) - np.repeat(first, np.diff(np.r_[first, len(buses)]))
    return [by_bus[rank == number] for number in range(int(rank.max()) + 1)]
