"""Transfers between the instances of a level over the links from neighbour to neighbour, and their contention."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import TypeAlias

from ...dialects.core.machine.link import Link
from ...dialects.core.machine.routes import Edge

PORT = -1
"""Stands for an instance itself, as an end of the bus to or from its router."""

Wire: TypeAlias = "tuple[str, int, int]"
"""Directed bus of a link: the link's name, and the instances at its ends, or `PORT`."""


class NeighbourBuses:
    """
    Directed buses between neighbours, each with the cycles in which it is busy.

    A transfer occupies each bus of its route for as long as its data take. On a link with routers it does so one router
    after the other, and passes h + 1 of them over h hops, while its data follow (cut-through); an instance sends one
    transfer at a time to its router, and receives one. On a link without, each hop takes the whole transfer.

    A transfer that finds a bus busy waits for the first gap that is long enough.
    """

    def __init__(self) -> None:
        self.busy: dict[Wire, list[tuple[int, int]]] = {}
        """The cycles in which each bus is busy, by their begin."""

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
        return sum(name == link and PORT not in edge for name, *edge in self.busy)

    def _forwarded(self, link: Link, route: Sequence[Edge], now: int, startup: int, data: int) -> list[tuple[int, int]]:
        """Take the whole transfer from instance to instance; return the cycles on each bus."""
        at, spans = now, list[tuple[int, int]]()
        for edge in route:
            busy = self.busy.setdefault((link.name, *edge), [])
            begun = max(at, busy[-1][1] if busy else 0)
            at = begun + startup + data
            busy[:] = [(0, at)]
            spans.append((begun, at))
        return spans

    def _occupied(self, link: Link, edge: Edge, ready: int, data: int) -> int:
        """Occupy a bus in its first gap from a cycle on that the data fit in; return the cycle of its begin."""
        busy = self.busy.setdefault((link.name, *edge), [])
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
