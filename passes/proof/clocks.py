"""Vector clocks of concurrent programs: which accesses to a byte have no order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.kernel import is_kernel
from ...ir import Array
from .regions import Memory, Region
from .rules import Steps, listed, refuse, shown


class Conflict(NamedTuple):
    """Two accesses without an order: what is wrong with the one, the other one, and the names of their programs."""

    what: str
    other: str
    programs: tuple[str, ...]


_NONE = np.zeros(0, np.int32)


@dataclass(slots=True)
class _Events:
    """Last event of a program for each byte of a memory; 0 for none."""

    whole: int = 0
    """That of every byte, until accesses to parts of the memory need a table."""
    low: int = 0
    table: Array | None = None
    """From byte `low` on; the rest has none."""

    def last(self, region: Region) -> int:
        """Return the last event that accesses a byte of a region."""
        if self.table is None:
            return self.whole
        if region.high <= self.low or self.low + len(self.table) <= region.low:
            return 0
        return int(region.within(self._covering(region), self.low).max())

    def note(self, region: Region, event: int) -> None:
        """Set the last event of the bytes of a region."""
        if self.table is None and region.is_whole:
            self.whole = event
        else:
            table = self._covering(region)
            region.within(table, self.low)[...] = event

    def _covering(self, region: Region) -> Array:
        """Return the table, extended to the bytes of a region."""
        if self.table is None:
            size = region.memory.size
            self.low, self.table = (0, np.full(size, self.whole, np.int32)) if self.whole else (region.low, _NONE)
        low, high = min(self.low, region.low), max(self.low + len(self.table), region.high)
        if (low, high) != (self.low, self.low + len(self.table)):
            wider = np.zeros(high - low, np.int32)
            wider[self.low - low : self.low - low + len(self.table)] = self.table
            self.low, self.table = low, wider
        return self.table


class Clocks:
    """Vector clocks of concurrent programs, and the accesses of each program to each byte."""

    def __init__(
        self,
        names: Sequence[str],
        points: Sequence[tuple[int, ...]] = (),
        homes: Mapping[Memory, tuple[int, ...]] | None = None,
    ):
        """Begin; `points` are the coordinates of the programs, `homes` those of the slots in memory of an instance."""
        self.names = names
        self._points = points or [()] * len(names)
        self._homes = homes or {}
        self.current = 0
        self.clocks = [[0] * len(names) for _ in names]
        """For each program, how many events of each program happen before its present one."""
        self._events: list[list[tuple[Operation, Steps]]] = [[] for _ in names]
        self._tables: dict[Memory, tuple[dict[int, _Events], dict[int, _Events]]] = {}
        """Memory -> for each program that accesses it, the number of its last read, and write, of each byte; from 1."""
        self.holders: dict[Memory, int | None] = {}
        """Slot of a stream -> the program that holds it, None while it is free or in the stream."""

    @property
    def point(self) -> tuple[int, ...]:
        """Return the coordinates of the current program."""
        return self._points[self.current]

    def read(self, op: Operation, region: Region, steps: Steps) -> Conflict | None:
        """Record a read by the current program; return its conflict with another program, if any."""
        return None if region.memory.constant else self._access(op, region, steps, is_write=False)

    def write(self, op: Operation, region: Region, steps: Steps) -> Conflict | None:
        """Record a write by the current program; return its conflict with another program, if any."""
        return self._access(op, region, steps, is_write=True)

    def _access(self, op: Operation, region: Region, steps: Steps, *, is_write: bool) -> Conflict | None:
        if not region.array.size:
            return None
        holder = self.holders.get(region.memory, self.current)
        name = self.names[self.current]
        if holder != self.current:
            where = "free or in the stream" if holder is None else f"held by program '{self.names[holder]}'"
            others = [other for other in self.names if other != name] if holder is None else [self.names[holder]]
            return Conflict(f"a slot that program '{name}' does not hold", f"the slot is {where}", (name, *others))
        self._check_home(op, region, steps)
        clock = self.clocks[self.current]
        tables = self._tables.setdefault(region.memory, ({}, {}))
        for kind in (0, 1) if is_write else (1,):
            for other, accessed in tables[kind].items():
                if other == self.current:
                    continue
                last = accessed.last(region)
                if last > clock[other]:
                    culprit, at = self._events[other][last - 1]
                    place = f" at {shown(at)}" if at else ""
                    does = "writes" if kind else "reads"
                    what = f"which another program accesses in no order with '{name}'"
                    culprit_text = f"program '{self.names[other]}' {does} it by '{culprit.name}'{place}"
                    return Conflict(what, culprit_text, (name, self.names[other]))
        events = self._events[self.current]
        events.append((op, steps))
        clock[self.current] = len(events)
        table = tables[is_write]
        if self.current not in table:
            table[self.current] = _Events()
        table[self.current].note(region, len(events))
        return None

    def _check_home(self, op: Operation, region: Region, steps: Steps) -> None:
        """Check that the operands of a kernel are in the memory of its program's instance: only transfers leave it."""
        home, point = self._homes.get(region.memory, ()), self._points[self.current]
        if home == point or not home or not point or not is_kernel(op):
            return
        raise refuse(
            "level",
            f"'{op.name}' accesses {region.memory.name}, in the memory of instance {listed(home)}",
            op,
            [f"address {region.low} of {region.memory.name}", shown(steps)],
            found=f"program '{self.names[self.current]}', whose engine does not reach it",
            remedy="compute in memory of the program's own instance, and transfer the result",
        )

    def snapshot(self) -> list[int]:
        """Return the clock of the current program."""
        return list(self.clocks[self.current])

    def join(self, clock: Sequence[int]) -> None:
        """Order what another program did up to its clock before what the current one does next."""
        own = self.clocks[self.current]
        own[:] = map(max, own, clock)
