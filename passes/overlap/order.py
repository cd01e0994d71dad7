"""
An order of the items of a block in which engines and transfers run at once: list scheduling by the longest way to the
end, on modelled times.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import TypeAlias

from .tokens import ONE, Opened


@dataclass(frozen=True)
class Duration:
    """
    The modelled time of an item: `busy` cycles of the program, and of a start what then runs beside it on `unit`, of
    which `queue` may be in flight. A start that `waits` does so itself until there is room.
    """

    busy: int
    beside: int = 0
    unit: str = ""
    queue: int = 1
    waits: bool = False


@dataclass(frozen=True)
class Wait:
    """Target of a wait: the item that issued it, and the engine where that is a kernel."""

    start: int
    engine: str = ""


@dataclass
class _Clock:
    """Time as a block runs: when the program and each unit are next idle, and when what was started is done."""

    now: int = 0
    free: dict[str, int] = field(default_factory=dict[str, int])
    done: dict[int, int] = field(default_factory=dict[int, int])
    running: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])

    def room_at(self, time: Duration) -> int:
        """Return the earliest issue time on a unit whose queue executes in order."""
        ends = self.running.get(time.unit, ())
        return self.now if len(ends) < time.queue else max(self.now, ends[-time.queue])

    def end_of(self, wait: Wait) -> int:
        """Return the end of a wait: a join waits for all that its engine has been given."""
        return self.free[wait.engine] if wait.engine else self.done[wait.start]

    def run(self, number: int, time: Duration, wait: Wait | None) -> None:
        """Run the item of that number, a wait or another."""
        if wait is not None:
            self.now = max(self.now, self.end_of(wait))
        if time.unit:
            ends = self.running.setdefault(time.unit, [])
            self.now = self.room_at(time) + time.busy
            end = max(self.now, self.free.get(time.unit, 0)) + time.beside
            self.free[time.unit] = self.done[number] = end
            ends.append(end)
            return
        self.now += time.busy


@dataclass(frozen=True)
class Room:
    """The transfers that may be in flight, and what each item opens of them."""

    most: int
    opened: Sequence[Opened]

    @cached_property
    def _reserve(self) -> int:
        """Reserve queue entries for loops: items that are issued alone leave as many free as loops need for a while."""
        return max((each.during for each in self.opened if each != ONE), default=0)

    def fits(self, count: int, number: int) -> bool:
        """Return whether there is room for what an item opens while so many others are open."""
        opened = self.opened[number]
        return count + opened.during + (self._reserve if opened == ONE else 0) <= self.most

    def most_open(self, order: Sequence[int]) -> int:
        """Return the peak of in-flight items in an order."""
        count = most = 0
        for number in order:
            most = max(most, count + self.opened[number].during)
            count += self.opened[number].after
        return most


@dataclass(frozen=True)
class Problem:
    """
    Items in the order of the program: those that each has to follow, what it takes, and what it waits for; `rooms` are
    for the transfers of each DMA engine.
    """

    follows: Sequence[Set[int]]
    times: Sequence[Duration]
    waits: Sequence[Wait | None]
    rooms: Sequence[Room] = ()

    def excess(self, order: Sequence[int]) -> int:
        """Return the in-flight transfers above the limits in an order, 0 where all fit."""
        return sum(max(0, room.most_open(order) - room.most) for room in self.rooms)

    def cycles(self, order: Sequence[int]) -> int:
        """Return the modelled time of the items in an order."""
        clock = _Clock()
        for number in order:
            clock.run(number, self.times[number], self.waits[number])
        return max([clock.now, *clock.free.values()])

    def followers(self) -> list[list[int]]:
        """Return for each item those that follow it."""
        found: list[list[int]] = [[] for _ in self.follows]
        for number, before in enumerate(self.follows):
            for each in before:
                found[each].append(number)
        return found


def best_order(problem: Problem) -> list[int]:
    """
    Return the order that is modelled to be fastest: that of the program, or one that lists give.

    A join waits for all that its engine has been given, so that it may be better to give it one kernel at a time. Of
    orders that open more transfers than there may be, the one with fewest is taken.
    """
    alone = [replace(time, queue=1) if time.waits else time for time in problem.times]
    orders = list(range(len(problem.times))), _listed(problem), _listed(replace(problem, times=alone))
    return min(orders, key=lambda order: (problem.excess(order), problem.cycles(order)))


def _listed(problem: Problem) -> list[int]:
    """Return the order of list scheduling: of the items that may run, one that `_Ready` chooses is next."""
    after = problem.followers()
    clock, order = _Clock(), list[int]()
    ready = _Ready(problem, [(-rank, number) for number, rank in enumerate(_ranks(problem, after))], clock)
    missing = [len(before) for before in problem.follows]
    counts = [0] * len(problem.rooms)
    for number, count in enumerate(missing):
        if not count:
            ready.add(number)
    while ready.count:
        chosen = ready.take(counts)
        order.append(chosen)
        clock.run(chosen, problem.times[chosen], problem.waits[chosen])
        counts = [count + room.opened[chosen].after for count, room in zip(counts, problem.rooms, strict=True)]
        for number in after[chosen]:
            missing[number] -= 1
            if not missing[number]:
                ready.add(number)
    return order


_Urgency: TypeAlias = "tuple[int, int]"
"""The negated rank of an item and its number: the least is the most urgent."""

_WAIT, _START, _WORK, _LATER, _LAST = range(5)
"""Classes of items in order of preference: waits that are over, starts with room, work, others that can go on."""


@dataclass
class _Queue:
    """
    Items that may run and differ in urgency alone: they open the same, and are for the same engine or link.

    Waits for transfers end apart: those that are not over are in `later`, by their time.
    """

    member: int
    """The first of the items."""
    items: list[_Urgency] = field(default_factory=list[_Urgency])
    later: list[tuple[int, _Urgency]] = field(default_factory=list[tuple[int, _Urgency]])


class _Ready:
    """Items that may run, in queues of like ones, so that a choice looks at the first of each queue only."""

    def __init__(self, problem: Problem, urgency: Sequence[_Urgency], clock: _Clock):
        self._problem, self._urgency, self._clock = problem, urgency, clock
        self._queues: dict[tuple[object, ...], _Queue] = {}
        self.count = 0

    def add(self, number: int) -> None:
        """Add an item all of whose predecessors have run."""
        time, wait = self._problem.times[number], self._problem.waits[number]
        key = wait.engine if wait is not None else (time.unit, time.queue, time.waits)
        queue = self._queues.setdefault((key, *(r.opened[number] for r in self._problem.rooms)), _Queue(number))
        if wait is not None and not wait.engine:
            heappush(queue.later, (self._clock.end_of(wait), self._urgency[number]))
        else:
            heappush(queue.items, self._urgency[number])
        self.count += 1

    def take(self, counts: Sequence[int]) -> int:
        """Remove and return the next item, given the open transfers of each room: one that fits, if any does."""
        filled = [queue for queue in self._queues.values() if queue.items or queue.later]
        for queue in filled:
            while queue.later and queue.later[0][0] <= self._clock.now:
                heappush(queue.items, heappop(queue.later)[1])
        fitting = [queue for queue in filled if self._fits(queue, counts)] if counts else filled
        queue = min(fitting or filled, key=self._preference)
        self.count -= 1
        return heappop(queue.items)[1] if queue.items else heappop(queue.later)[1][1]

    def _fits(self, queue: _Queue, counts: Sequence[int]) -> bool:
        """Return whether there is room for what the items of a queue open."""
        return all(room.fits(count, queue.member) for count, room in zip(counts, self._problem.rooms, strict=True))

    def _preference(self, queue: _Queue) -> tuple[int, int, bool, _Urgency]:
        """Return the class of the first item of a queue, of _LATER when it can go on, and its urgency."""
        time, wait = self._problem.times[queue.member], self._problem.waits[queue.member]
        if not queue.items:
            at, urgency = queue.later[0]
            return _LATER, at, False, urgency
        first = queue.items[0]
        if wait is None and not time.unit:
            return _WORK, 0, False, first
        if wait is not None and not wait.engine:
            return _WAIT, 0, False, first
        at = self._clock.room_at(time) if wait is None else self._clock.end_of(wait)
        if at <= self._clock.now:
            return _START if wait is None else _WAIT, 0, False, first
        if wait is None and not time.waits:
            return _LAST, 0, False, first
        return _LATER, at, wait is None, first


def _ranks(problem: Problem, after: Sequence[Sequence[int]]) -> list[int]:
    """Return for each item the cycles from its begin to the end of the block, were all units many."""
    ranks = [0] * len(problem.times)
    for number in reversed(range(len(ranks))):
        time = problem.times[number]
        ranks[number] = time.busy + time.beside + max((ranks[n] for n in after[number]), default=0)
    return ranks
