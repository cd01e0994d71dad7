"""
Simulation of residency: hits, misses and stalls of a trace of selected pages, for frames, a policy and a disk.

    trace = [StepTrace(filled=(), touched=(((0, 1, 5), (0, 5)), ((2, 5), (0, 4, 5)))), ...]  # two layers of two heads
    simulate(trace, 64, Policy.LRU, page_bytes=8192, disk=Disk(latency=1e-3, bandwidth=20e6), prefetch=True)

Pages are touched and evicted as docs/paged.md has it, so the counts are those of a pool. Belady's policy, which evicts
the page whose next touch is the farthest (IBM Systems Journal 5(2), 1966), bounds the reads from below.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush
from typing import Protocol, TypeAlias

from .config import Eviction
from .frames import Frames

Rows: TypeAlias = "tuple[int, ...]"


class EvictionPolicy(Enum):
    """Policy by which a frame is evicted."""

    LRU = "lru"
    CLOCK = "clock"
    BELADY = "belady"


@dataclass(frozen=True)
class Disk:
    """Disk that does one read at a time, in order: latency of a read in seconds, bandwidth in bytes a second."""

    latency: float
    bandwidth: float

    def seconds(self, size: int) -> float:
        """Return the time of a read of so many bytes."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True)
class StepTrace:
    """
    Pages of a step: the rows of the blocks that it fills, and for each layer and KV head the rows that its queries
    touch, in order of blocks. Of one sequence that only grows, the row of a block is the block's number.
    """

    filled: Rows
    touched: tuple[tuple[Rows, ...], ...]


@dataclass
class Residency:
    """
    Counts of a simulation; `stalls` are the seconds that each step waits for reads, `counts` its hits, misses and pages
    that are read ahead.
    """

    page_bytes: int
    hits: int = 0
    misses: int = 0
    prefetched: int = 0
    evictions: int = 0
    stalls: list[float] = field(default_factory=list[float])
    counts: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    @property
    def hit_rate(self) -> float:
        """Share of touched pages that are present; 1 where none is touched."""
        touched = self.hits + self.misses
        return self.hits / touched if touched else 1.0

    @property
    def bytes_read(self) -> int:
        """Bytes of all pages that are read."""
        return (self.misses + self.prefetched) * self.page_bytes

    @property
    def stall(self) -> float:
        """Mean stall of a step in seconds."""
        return sum(self.stalls) / len(self.stalls) if self.stalls else 0.0


def simulate(
    trace: Sequence[StepTrace],
    frames: int,
    policy: EvictionPolicy,
    page_bytes: int,
    disk: Disk,
    *,
    compute: float = 0.0,
    prefetch: bool = False,
) -> Residency:
    """
    Simulate the reads of a trace.

    `compute` are the seconds between the attention of a layer and that of the next. With `prefetch` the absent pages
    that the last step touched in the next layer are read meanwhile; not with Belady's policy, whose bound is of reads
    on demand.
    """
    if prefetch and policy is EvictionPolicy.BELADY:
        raise ValueError("Belady's policy is of reads on demand: prefetch with lru or clock")
    simulation = _Simulation(trace, frames, policy, page_bytes, disk)
    for step in trace:
        simulation.step(step, compute, prefetch)
    simulation.result.evictions = simulation.frames.evictions
    return simulation.result


class _Frames(Protocol):
    """Frames of a pool, or those of Belady's policy."""

    evictions: int

    def touch(self, page: int) -> int | None: ...

    def take(self, page: int, kept: Container[int] = ()) -> int | None: ...


class _Simulation:
    """State of a simulation: frames, the clock, and reads in flight."""

    def __init__(
        self, trace: Sequence[StepTrace], frames: int, policy: EvictionPolicy, page_bytes: int, disk: Disk
    ) -> None:
        self.result = Residency(page_bytes)
        self._read_seconds = disk.seconds(page_bytes)
        self._pages = _Pages.of(trace)
        self._filled: set[int] = set()
        self.frames = self._frames_of(trace, frames, policy)
        self._last: dict[int, tuple[Rows, ...]] = {}
        """The rows that the last step touched in a layer."""
        self._now = self._disk_free = 0.0
        self._ready: dict[int, float] = {}
        """Page that is read ahead -> when it is there."""

    def _frames_of(self, trace: Sequence[StepTrace], count: int, policy: EvictionPolicy) -> _Frames:
        if policy is EvictionPolicy.BELADY:
            return _OptimalFrames(count, self._pages.uses(trace), self._is_filled)
        return Frames(count, Eviction.LRU if policy is EvictionPolicy.LRU else Eviction.CLOCK, self._is_filled)

    def _is_filled(self, page: int) -> bool:
        return page // self._pages.per_row in self._filled

    def step(self, step: StepTrace, compute: float, prefetch: bool) -> None:
        """Simulate a step."""
        result = self.result
        before = result.hits, result.misses, result.prefetched
        self._filled = set(step.filled)
        for row in step.filled:
            for page in range(self._pages.per_row):
                self.frames.take(row * self._pages.per_row + page)
        stall = 0.0
        for layer, heads in enumerate(step.touched):
            start = self._now
            for head, rows in enumerate(heads):
                self._touch(self._pages.numbers(layer, head, rows))
            stall += self._now - start
            self._last[layer] = heads
            if prefetch:
                self._prefetch((layer + 1) % len(step.touched))
            self._now += compute
        self._filled = set()
        result.stalls.append(stall)
        hits, misses, prefetched = before
        result.counts.append((result.hits - hits, result.misses - misses, result.prefetched - prefetched))

    def _touch(self, pages: Sequence[int]) -> None:
        """Touch pages for their keys, then for their values."""
        for counts_hit in (True, False):
            for page in pages:
                if self.frames.touch(page) is not None:
                    self.result.hits += counts_hit
                    self._now = max(self._now, self._ready.pop(page, 0.0))
                    continue
                self.result.misses += 1
                self.frames.take(page)
                self._ready.pop(page, None)
                self._now = self._read(self._now)

    def _read(self, issued: float) -> float:
        """Read a page; returns when it is there."""
        self._disk_free = max(issued, self._disk_free) + self._read_seconds
        return self._disk_free

    def _prefetch(self, layer: int) -> None:
        kept: set[int] = set()
        for head, rows in enumerate(self._last.get(layer, ())):
            for page in self._pages.numbers(layer, head, sorted(set(rows) - self._filled)):
                if self.frames.touch(page) is None:
                    if self.frames.take(page, kept) is None:
                        return
                    self.result.prefetched += 1
                    self._ready[page] = self._read(self._now)
                kept.add(page)


@dataclass(frozen=True)
class _Pages:
    """Numbers of pages: row * per_row + layer * heads + head."""

    per_row: int
    heads: int

    @classmethod
    def of(cls, trace: Sequence[StepTrace]) -> _Pages:
        layers = max((len(step.touched) for step in trace), default=1)
        heads = max((len(heads) for step in trace for heads in step.touched), default=1)
        return cls(layers * heads, heads)

    def numbers(self, layer: int, head: int, rows: Sequence[int]) -> list[int]:
        """Return the numbers of a page of rows."""
        return [row * self.per_row + layer * self.heads + head for row in rows]

    def uses(self, trace: Sequence[StepTrace]) -> Iterator[int]:
        """Yield the pages that a simulation takes and touches, in order."""
        for step in trace:
            for row in step.filled:
                yield from range(row * self.per_row, (row + 1) * self.per_row)
            for layer, heads in enumerate(step.touched):
                for head, rows in enumerate(heads):
                    yield from 2 * self.numbers(layer, head, rows)


class _OptimalFrames:
    """Frames of which the page that is used again the latest is evicted, given all uses in order."""

    def __init__(self, count: int, uses: Iterator[int], is_fixed: Callable[[int], bool]) -> None:
        self.evictions = 0
        self._count = count
        self._is_fixed = is_fixed
        self._next_uses = _next_uses(list(uses))
        self._resident: dict[int, float] = {}
        """Page -> its next use."""
        self._latest: list[tuple[float, int]] = []
        """Heap of negated next uses and pages, outdated ones included."""

    def touch(self, page: int) -> int | None:
        """Note a use; returns None where the page is absent: `take` follows, and is the use."""
        if page not in self._resident:
            return None
        self._use(page)
        return 0

    def take(self, page: int, kept: Container[int] = ()) -> int | None:
        """Take a frame for an absent page; None where all are fixed."""
        if len(self._resident) >= self._count and not self._evict():
            next(self._next_uses)
            return None
        self._use(page)
        return 0

    def _use(self, page: int) -> None:
        self._resident[page] = next(self._next_uses)
        heappush(self._latest, (-self._resident[page], page))

    def _evict(self) -> bool:
        """Evict a page; returns False where all are fixed."""
        fixed: list[tuple[float, int]] = []
        victim = None
        while self._latest and victim is None:
            entry = heappop(self._latest)
            if self._resident.get(entry[1]) != -entry[0]:
                continue
            if self._is_fixed(entry[1]):
                fixed.append(entry)
            else:
                victim = entry[1]
        for entry in fixed:
            heappush(self._latest, entry)
        if victim is None:
            return False
        del self._resident[victim]
        self.evictions += 1
        return True


def _next_uses(uses: Sequence[int]) -> Iterator[float]:
    """Yield for each use the index of the next one of the same page, infinity for the last."""
    following: dict[int, int] = {}
    result: list[float] = []
    for index in range(len(uses) - 1, -1, -1):
        result.append(following.get(uses[index], float("inf")))
        following[uses[index]] = index
    return reversed(result)
