"""List scheduling of the items of a block by critical path, on modelled cycles."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import TypeAlias

from ..timing.resources import InOrder
from .tokens import ONE, Opened

_SAVED = 0.99
"""Makespan of a list schedule by program order that is taken, at most, in those of the others."""


@dataclass(frozen=True)
class Duration:
    """
    Duration of an item: `busy` cycles of the program, then `beside` cycles of concurrent work on `unit`.

    `queue` is the queue depth of the unit. A start that `waits` blocks until the queue has a free entry. A wait has the
    number of the item that `awaits` gives, which issued what it waits for; for a kernel, `unit` is its engine.
    """

    busy: int
    beside: int = 0
    unit: str = ""
    queue: int = 1
    waits: bool = False
    awaits: int | None = None

    @property
    def is_start(self) -> bool:
        """True if the item issues work on a unit."""
        return bool(self.unit) and self.awaits is None

    @property
    def is_join(self) -> bool:
        """True if the item waits for all kernels launched on a unit."""
        return bool(self.unit) and self.awaits is not None


class _BlockState:
    """State of a block in time: the cycle of the program, its units, and when each start completes."""

    def __init__(self, problem: SchedulingProblem):
        self._problem = problem
        self._units: dict[str, InOrder] = {unit: InOrder(depth) for unit, depth in problem.depths.items()}
        self._done: dict[int, int] = {}
        self.now = 0

    @property
    def end(self) -> int:
        """The cycle at which the program and all units are idle."""
        return max([self.now, *(unit.free for unit in self._units.values())])

    def entry(self, number: int) -> int:
        """Return the cycle at which the unit of an item has a free entry of its queue."""
        time = self._problem.times[number]
        return self._units[time.unit].entry(self.now, time.queue)

    def end_of(self, wait: Duration) -> int:
        """Return the end of a wait; a join waits for all kernels launched on its engine."""
        assert wait.awaits is not None
        return self._units[wait.unit].free if wait.unit else self._done[wait.awaits]

    def run(self, number: int) -> None:
        """Advance the time by an item."""
        time = self._problem.times[number]
        if time.awaits is not None:
            self.now = max(self.now, self.end_of(time))
        if time.is_start:
            self.now = self.entry(number) + time.busy
            self._done[number] = self._units[time.unit].execute(self.now, time.beside)
            return
        self.now += time.busy


@dataclass(frozen=True)
class TransferLimit:
    """Limit `most` of in-flight transfers, and the change of their number by each item."""

    most: int
    opened: Sequence[Opened]

    @cached_property
    def _reserve(self) -> int:
        """Queue entries reserved for loops: the peak of in-flight transfers of any item other than a single start."""
        return max((opened.during for opened in self.opened if opened != ONE), default=0)

    def fits(self, count: int, number: int) -> bool:
        """Return whether an item stays within the limit while `count` transfers are in flight."""
        opened = self.opened[number]
        return count + opened.during + (self._reserve if opened == ONE else 0) <= self.most

    def most_open(self, order: Sequence[int]) -> int:
        """Return the peak of in-flight transfers in an order."""
        count = most = 0
        for number in order:
            most = max(most, count + self.opened[number].during)
            count += self.opened[number].after
        return most


@dataclass(frozen=True)
class SchedulingProblem:
    """
    Scheduling problem: predecessors and duration of each item in program order.

    `limits` has the limit of in-flight transfers of each DMA engine.
    """

    follows: Sequence[Set[int]]
    times: Sequence[Duration]
    limits: Sequence[TransferLimit] = ()

    def excess(self, order: Sequence[int]) -> int:
        """Return the in-flight transfers above the limits in an order, 0 if none."""
        return sum(max(0, limit.most_open(order) - limit.most) for limit in self.limits)

    def cycles(self, order: Sequence[int]) -> int:
        """Compute the makespan in cycles of an order."""
        block = _BlockState(self)
        for number in order:
            block.run(number)
        return block.end

    @cached_property
    def depths(self) -> dict[str, int]:
        """Unit -> the greatest queue depth of its items."""
        depths: dict[str, int] = {}
        for time in self.times:
            if time.is_start:
                depths[time.unit] = max(time.queue, depths.get(time.unit, 0))
        return depths

    def followers(self) -> list[list[int]]:
        """Return the successors of each item."""
        followers: list[list[int]] = [[] for _ in self.follows]
        for number, before in enumerate(self.follows):
            for predecessor in before:
                followers[predecessor].append(number)
        return followers


def best_order(problem: SchedulingProblem) -> list[int]:
    """
    Return the order with the least makespan: program order, or a list schedule by critical path or by program order.

    The last is taken if it saves 1 %, since the model of times is no better. Orders that exceed the limits of in-flight
    transfers least are preferred to faster ones.
    """
    after = problem.followers()
    refined, listed = _least(problem, _by_path(problem, after)), _listed(problem, after, [0] * len(after))
    saves = problem.cycles(listed) <= _SAVED * problem.cycles(refined)
    return listed if saves and problem.excess(listed) <= problem.excess(refined) else refined


def makespan_by_path(problem: SchedulingProblem) -> int:
    """Compute the least makespan in cycles of program order and of the list schedules by critical path."""
    return problem.cycles(_least(problem, _by_path(problem, problem.followers())))


def _least(problem: SchedulingProblem, orders: Sequence[list[int]]) -> list[int]:
    return min(orders, key=lambda order: (problem.excess(order), problem.cycles(order)))


def _by_path(problem: SchedulingProblem, after: Sequence[Sequence[int]]) -> list[list[int]]:
    """
    Return program order and two list schedules by critical path.

    The second one launches one kernel at a time per engine, because a join waits for all kernels of its engine.
    """
    ranks = _ranks(problem, after)
    alone = replace(problem, times=[replace(time, queue=1) if time.waits else time for time in problem.times])
    return [list(range(len(after))), _listed(problem, after, ranks), _listed(alone, after, ranks)]


def _listed(problem: SchedulingProblem, after: Sequence[Sequence[int]], ranks: Sequence[int]) -> list[int]:
    """Compute a list schedule: `_Ready` selects the next item among those without pending predecessors."""
    time, order = _BlockState(problem), list[int]()
    ready = _Ready(problem, [(-rank, number) for number, rank in enumerate(ranks)], time)
    missing = [len(before) for before in problem.follows]
    counts = [0] * len(problem.limits)
    for number, count in enumerate(missing):
        if not count:
            ready.add(number)
    while ready.count:
        chosen = ready.take(counts)
        order.append(chosen)
        time.run(chosen)
        counts = [count + limit.opened[chosen].after for count, limit in zip(counts, problem.limits, strict=True)]
        for number in after[chosen]:
            missing[number] -= 1
            if not missing[number]:
                ready.add(number)
    return order


_Urgency: TypeAlias = "tuple[int, int]"
"""Negated rank (critical-path length, or 0) of an item and its number; the least is the most urgent."""

_WAIT, _START, _WORK, _LATER, _LAST = range(5)
"""Priority classes of items: completed waits, starts with a free queue entry, work, others ready, blocked ones."""


@dataclass
class _Bucket:
    """
    Ready items that differ in urgency only: they issue the same transfers, for the same engine or link.

    Waits for transfers complete at different times: pending ones are in `later`, by completion time.
    """

    member: int
    """Number of the first item."""
    items: list[_Urgency] = field(default_factory=list[_Urgency])
    later: list[tuple[int, _Urgency]] = field(default_factory=list[tuple[int, _Urgency]])


class _Ready:
    """Ready list, bucketed by equal items so that a selection inspects only the head of each bucket."""

    def __init__(self, problem: SchedulingProblem, urgency: Sequence[_Urgency], block: _BlockState):
        self._problem, self._urgency, self._block = problem, urgency, block
        self._buckets: dict[tuple[object, ...], _Bucket] = {}
        self.count = 0

    def add(self, number: int) -> None:
        """Add an item without pending predecessors."""
        time = self._problem.times[number]
        is_wait = time.awaits is not None
        key = time.unit if is_wait else (time.unit, time.queue, time.waits)
        bucket = self._buckets.setdefault((key, *(r.opened[number] for r in self._problem.limits)), _Bucket(number))
        if is_wait and not time.is_join:
            heappush(bucket.later, (self._block.end_of(time), self._urgency[number]))
        else:
            heappush(bucket.items, self._urgency[number])
        self.count += 1

    def take(self, counts: Sequence[int]) -> int:
        """
        Remove and return the next item, given the in-flight transfers per limit; items within the limits are preferred.
        """
        filled = [bucket for bucket in self._buckets.values() if bucket.items or bucket.later]
        for bucket in filled:
            while bucket.later and bucket.later[0][0] <= self._block.now:
                heappush(bucket.items, heappop(bucket.later)[1])
        fitting = [bucket for bucket in filled if self._fits(bucket, counts)] if counts else filled
        bucket = min(fitting or filled, key=self._preference)
        self.count -= 1
        return heappop(bucket.items)[1] if bucket.items else heappop(bucket.later)[1][1]

    def _fits(self, bucket: _Bucket, counts: Sequence[int]) -> bool:
        """Return whether the items of a bucket stay within the limits of in-flight transfers."""
        return all(limit.fits(count, bucket.member) for count, limit in zip(counts, self._problem.limits, strict=True))

    def _preference(self, bucket: _Bucket) -> tuple[int, int, bool, _Urgency]:
        """
        Return the priority class of the first item of a bucket, when a later one is ready, and its urgency.
        """
        time = self._problem.times[bucket.member]
        if not bucket.items:
            at, urgency = bucket.later[0]
            return _LATER, at, False, urgency
        first = bucket.items[0]
        if not time.unit:
            return _WORK if time.awaits is None else _WAIT, 0, False, first
        at = self._block.entry(bucket.member) if time.is_start else self._block.end_of(time)
        if at <= self._block.now:
            return _START if time.is_start else _WAIT, 0, False, first
        if time.is_start and not time.waits:
            return _LAST, 0, False, first
        return _LATER, at, time.is_start, first


def _ranks(problem: SchedulingProblem, after: Sequence[Sequence[int]]) -> list[int]:
    """Compute the rank of each item: the longest path in cycles to the end of the block, with unlimited units."""
    ranks = [0] * len(problem.times)
    for number in reversed(range(len(ranks))):
        time = problem.times[number]
        ranks[number] = time.busy + time.beside + max((ranks[n] for n in after[number]), default=0)
    return ranks
