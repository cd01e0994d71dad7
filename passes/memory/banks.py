"""Addresses of tile buffers in banks with a single port: buffers that are accessed at once in different ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

from ...dialects.core.machine.level import Level

_TRIED = 20_000
"""Maximum number of partial placements that a search examines."""


@dataclass(frozen=True)
class BufferRing:
    """Ring of contiguous buffers of one operand: bytes of each, number, and address of the first."""

    size: int
    stages: int = 1
    address: int = 0

    @property
    def buffers(self) -> list[range]:
        """Addresses of each buffer."""
        return [range(begin, begin + self.size) for begin in range(self.address, self.end, self.size)]

    @property
    def end(self) -> int:
        """The first address behind them."""
        return self.address + self.stages * self.size


def meetings(rings: Sequence[BufferRing], level: Level) -> tuple[float, float]:
    """
    Compute how often accesses meet in banks: those of different rings, and those of one.

    Of two buffers, it is the probability that a row of each lies in one bank; of two rings, the mean over their
    buffers. Operands of a kernel are accessed at once; one buffer of a ring is filled while another one is used.
    """
    between = sum(meeting(one, two, level) for one, two in combinations(rings, 2))
    within = sum(meeting_within(ring, level) for ring in rings)
    return round(between, 6), round(within, 6)


def meeting(one: BufferRing, two: BufferRing, level: Level) -> float:
    """Return the probability of a bank conflict between rows of two rings, the mean over their buffers."""
    return _mean([level.meeting(a, b) for a in one.buffers for b in two.buffers])


def meeting_within(ring: BufferRing, level: Level) -> float:
    """Return the probability of a bank conflict between rows of two buffers of a ring, the mean over all pairs."""
    return _mean([level.meeting(a, b) for a, b in combinations(ring.buffers, 2)])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0


def consecutive(rings: Sequence[BufferRing]) -> list[BufferRing]:
    """Place rings one behind the other from address 0 on."""
    placed: list[BufferRing] = []
    for ring in rings:
        placed.append(replace(ring, address=placed[-1].end if placed else 0))
    return placed


@cache
def in_banks(rings: tuple[BufferRing, ...], level: Level, capacity: int) -> list[BufferRing]:
    """
    Allocate rings within `capacity` bytes of a level with the fewest bank conflicts; consecutively if that is as good.

    The search is depth first, the largest ring first, over addresses at which a buffer begins or ends where a bank or
    another ring does.
    """
    best = consecutive(rings)
    least = meetings(best, level)
    order = sorted(range(len(rings)), key=lambda at: (-rings[at].size * rings[at].stages, at))
    pending: list[list[BufferRing]] = [[]]
    for _ in range(_TRIED):
        if not pending:
            break
        placed = pending.pop()
        conflicts = meetings(placed, level)
        if conflicts >= least:
            continue
        if len(placed) == len(rings):
            pairs = sorted(zip(order, placed, strict=True), key=lambda pair: pair[0])
            least, best = conflicts, [ring for _, ring in pairs]
            continue
        positions = list(_positions(rings[order[len(placed)]], level, capacity, placed))
        pending += [[*placed, ring] for ring in reversed(positions)]
    return best


def _positions(ring: BufferRing, level: Level, capacity: int, placed: Sequence[BufferRing]) -> Iterator[BufferRing]:
    """Yield the positions of a ring beside others, in ascending order."""
    marks = [
        *range(0, capacity + 1, level.bank_bytes),
        *(mark for other in placed for mark in (other.address, other.end)),
    ]
    begins = {mark - before * ring.size for mark in marks for before in range(ring.stages + 1)}
    for begin in sorted(begins):
        candidate = replace(ring, address=begin)
        is_disjoint = all(candidate.end <= other.address or other.end <= begin for other in placed)
        if begin >= 0 and begin % level.unit == 0 and candidate.end <= capacity and is_disjoint:
            yield candidate
