"""Race detection in parallel loops: the iterations that read and write each byte."""

from __future__ import annotations

import numpy as np

from ...ir import Array
from .regions import Memory, Region

_NOBODY, _SEVERAL = 0, -1


class Fork:
    """Parallel loop: its iterations are concurrent, so that they must not have data races."""

    def __init__(self) -> None:
        self._iterations: list[str] = []
        self._readers: dict[Memory, Array] = {}
        self._writers: dict[Memory, Array] = {}

    def begin(self, name: str) -> None:
        """Begin an iteration; its name gives its indices."""
        self._iterations.append(name)

    def read(self, region: Region) -> tuple[int, str] | None:
        """Record a read by the iteration; return a byte that another iteration writes, and its name."""
        if region.memory.constant or not region.array.size:
            return None
        if conflict := self._others(region, self._writers):
            return conflict
        readers = region.within(self._table(region, self._readers), 0)
        others = (readers != _NOBODY) & (readers != len(self._iterations))
        readers[...] = np.where(others, _SEVERAL, len(self._iterations))
        return None

    def write(self, region: Region) -> tuple[int, str] | None:
        """Record a write by the iteration; return a byte that another iteration accesses, and its name."""
        if not region.array.size:
            return None
        if conflict := self._others(region, self._writers) or self._others(region, self._readers):
            return conflict
        region.within(self._table(region, self._writers), 0)[...] = len(self._iterations)
        return None

    def _table(self, region: Region, tables: dict[Memory, Array]) -> Array:
        """Return the last writers and readers of each byte of a region's memory: iterations, counted from 1."""
        if region.memory not in tables:
            tables[region.memory] = np.zeros(region.memory.size, np.int32)
        return tables[region.memory]

    def _others(self, region: Region, tables: dict[Memory, Array]) -> tuple[int, str] | None:
        """Return the first byte of a region that another iteration has touched, and its name, empty for several."""
        if region.memory not in tables:
            return None
        iterations = region.within(tables[region.memory], 0)
        others = (iterations != _NOBODY) & (iterations != len(self._iterations))
        if not others.any():
            return None
        element = tuple(int(i) for i in np.argwhere(others)[0])
        number = int(iterations[element])
        return region.byte_of(element), self._iterations[number - 1] if number != _SEVERAL else ""
