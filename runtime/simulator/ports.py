"""
Banks with a single port under instructions on queues: reads in step take turns, and reads wait for writes.

A bank serves one access in a cycle. Two reads in step that meet in a bank take a cycle each for every row. A row
that is written takes a cycle of its bank, in which a read of another queue waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

Bank: TypeAlias = "tuple[str, int]"
"""Level and number of a bank."""
Own: TypeAlias = "tuple[str, int]"
"""A queue, and the instance of its engine."""


class BankRows(NamedTuple):
    """Rows of an instruction by bank: those read, those read in step with other reads, and those written."""

    reads: dict[Bank, float]
    beside: dict[Bank, float]
    writes: dict[Bank, float]


class _Span(NamedTuple):
    """Rows accessed by bank, evenly from one cycle to another."""

    own: Own
    start: int
    end: int
    rows: Mapping[Bank, float]

    def delay(self, read: _Span) -> float:
        """
        Return the cycles that the rows written in this span delay a read.

        At a rate of r such rows in a cycle, n cycles of reading take n / (1 - r); no row delays it twice.
        """
        begin = max(self.start, read.start)
        together = min(self.end, read.end) - begin
        if together <= 0 or self.rows.keys().isdisjoint(read.rows):
            return 0
        late, length = 0.0, self.end - self.start
        for bank, rows in self.rows.items():
            rate = rows / length * min(1, read.rows.get(bank, 0) / (read.end - read.start))
            most = rows * (self.end - begin) / length if rate else 0
            late += most if rate >= 1 else min(most, together * rate / (1 - rate))
        return late


class Ports:
    """Accesses in flight of the queues of a walk to banks with a single port."""

    def __init__(self) -> None:
        self._reads: list[_Span] = []
        self._writes: list[_Span] = []
        self._last: dict[Own, _Span] = {}
        """Queue -> the reads of its last instruction."""
        self._owed: dict[Own, float] = {}
        """Queue -> cycles that its reads wait, less than one."""

    def bank_conflict_cycles(self, own: Own, rows: BankRows, *, is_next: bool) -> int:
        """Return the cycles in which reads beside others wait; `is_next` to the instruction before in its queue."""
        if not is_next:
            self._last.pop(own, None)
        others = rows.reads or (self._last[own].rows if own in self._last else {})
        return round(sum(count for bank, count in rows.beside.items() if bank in others))

    def execute(self, own: Own, rows: BankRows, start: int, end: int, now: int) -> Iterator[tuple[Own, int]]:
        """
        Execute an instruction between two cycles; yield the whole cycles that reads of a queue wait for writes.

        What has ended `now`, at its issue, meets none that are issued later.
        """
        before = self._last.pop(own, None)
        begin = start if before is None or rows.reads else before.start
        if rows.reads:
            self._last[own] = _Span(own, start, end, rows.reads)
        late = dict[Own, float]()
        for read in (_Span(own, start, end, rows.reads), _Span(own, begin, end, rows.beside)):
            if read.rows:
                self._reads = [earlier for earlier in self._reads if earlier.end > now]
                self._reads.append(read)
                late[own] = late.get(own, 0) + sum(write.delay(read) for write in self._writes if write.own != own)
        if rows.writes:
            self._writes = [write for write in self._writes if write.end > now]
            self._writes.append(written := _Span(own, start, end, rows.writes))
            for read in self._reads:
                if read.own != own:
                    late[read.own] = late.get(read.own, 0) + written.delay(read)
        for queue, cycles in late.items():
            owed = self._owed.get(queue, 0.0) + cycles
            self._owed[queue] = owed % 1
            if owed >= 1:
                yield queue, int(owed)
