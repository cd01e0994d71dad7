"""Buses between neighbours in the execution by classes: the uses of several lanes at once."""

from __future__ import annotations

from bisect import insort

import numpy as np

from ...ir import Array
from ...passes.timing.mesh import PORT, NeighbourBuses, Wire
from .lanes import NotInStep


class Spans:
    """
    Last use of each bus, and the uses of several at once by lanes.

    Each lane's use is as if all were in the order of their events: one that waits for a bus comes after all before it.
    Raises NotInStep where it does not, and where a gap before the last use may be long enough.
    """

    def __init__(self, mesh: NeighbourBuses):
        self._last: dict[str, Array] = {}
        """Start, end and order of the last use of each bus, by link."""
        self._log: list[tuple[str, Array, Array, int]] = []
        for (link, source, target), spans in mesh.busy.items():
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

    def settle(self, mesh: NeighbourBuses, now: int) -> None:
        """Let the uses count in a mesh whose transfers begin at `now` or later from here on."""
        for bus in self._used():
            mesh.busy[bus] = [span for span in mesh.busy.get(bus, ()) if span[1] > now]
        for bus, span in self._after(now):
            insort(mesh.busy[bus], span)

    def _used(self) -> set[Wire]:
        """Return the buses that have been occupied."""
        wires: set[Wire] = set()
        for link, ends, _, _ in self._log:
            wires.update((link, source, target) for source, target in ends.T.tolist())
        return wires

    def _after(self, now: int) -> list[tuple[Wire, tuple[int, int]]]:
        """Return the uses that end after a cycle, by bus."""
        uses: list[tuple[Wire, tuple[int, int]]] = []
        for link, ends, begun, data in self._log:
            for lane in np.flatnonzero(begun + data > now).tolist():
                span = int(begun[lane]), int(begun[lane]) + data
                uses.append(((link, int(ends[0, lane]), int(ends[1, lane])), span))
        return uses


def _rounds(buses: Array, order: Array) -> list[Array]:
    """Return the lanes in rounds in which each takes a bus of its own, those of one bus in order."""
    by_bus = np.lexsort((order, buses))
    ranked = buses[by_bus]
    first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    rank = np.arange(len(buses)) - np.repeat(first, np.diff(np.r_[first, len(buses)]))
    return [by_bus[rank == number] for number in range(int(rank.max()) + 1)]
