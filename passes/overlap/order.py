"""
An order of the items of a block in which engines and transfers run at once: list scheduling by the longest way to the
end, on modelled times.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from .tokens import ONE, Opened


@dataclass(frozen=True)
class Duration:
    """
    The modelled time of an item: `busy` cycles of the program, and of a start what then runs beside it on `unit`, of
    which `queue` may be under way. A start that `waits` does so itself until there is room.
    """

    busy: int
    beside: int = 0
    unit: str = ""
    queue: int = 1
    waits: bool = False


@dataclass(frozen=True)
class Wait:
    """What a wait is for: the item that began it, and the engine where that is a kernel."""

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
        """Return when one more may be started on a unit, which ends what it runs in order."""
        ends = self.running.get(time.unit, ())
        return self.now if len(ends) < time.queue else max(self.now, ends[-time.queue])

    def end_of(self, wait: Wait) -> int:
        """Return when a wait is over: a join waits for all that its engine has been given."""
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
    """The transfers that may be begun and not waited for, and what each item opens of them."""

    most: int
    opened: Sequence[Opened]

    @cached_property
    def _reserve(self) -> int:
        """What is left free by those that are begun alone: loops, to which they are handed, need more for a while."""
        return max((each.during for each in self.opened if each != ONE), default=0)

    def fits(self, count: int, number: int) -> bool:
        """Return whether there is room for what an item opens while so many others are open."""
        opened = self.opened[number]
        return count + opened.during + (self._reserve if opened == ONE else 0) <= self.most

    def most_open(self, order: Sequence[int]) -> int:
        """Return how many are open at once in an order."""
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
        """Return how many transfers too many are open at once in an order, 0 where there is room for all."""
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
    times, waits = problem.times, problem.waits
    after = problem.followers()
    urgency = [(-rank, number) for number, rank in enumerate(_ranks(problem, after))]
    missing = [len(before) for before in problem.follows]
    ready = sorted(urgency[number] for number, count in enumerate(missing) if not count)
    clock, order = _Clock(), list[int]()
    counts = [0] * len(problem.rooms)

    def fits(number: int) -> bool:
        """Return whether there is room for what an item opens."""
        return all(room.fits(count, number) for count, room in zip(counts, problem.rooms, strict=True))

    while ready:
        ranked = [number for _, number in ready]
        fitting = [number for number in ranked if fits(number)] if counts else ranked
        chosen = _chosen(clock, fitting or ranked, times, waits)
        del ready[bisect_left(ready, urgency[chosen])]
        order.append(chosen)
        clock.run(chosen, times[chosen], waits[chosen])
        counts = [count + room.opened[chosen].after for count, room in zip(counts, problem.rooms, strict=True)]
        for number in after[chosen]:
            missing[number] -= 1
            if not missing[number]:
                insort(ready, urgency[number])
    return order


def _chosen(clock: _Clock, ready: Sequence[int], times: Sequence[Duration], waits: Sequence[Wait | None]) -> int:
    """
    Return which of the items that may run, the most urgent first, is next: a wait that is over, something to start, the
    work of the program itself, or else what can go on first.
    """
    starts, works, later = list[int](), list[int](), list[tuple[int, bool, int]]()
    for place, number in enumerate(ready):
        wait, time = waits[number], times[number]
        at = clock.end_of(wait) if wait is not None else clock.room_at(time) if time.unit else None
        if at is None:
            works.append(number)
        elif at > clock.now:
            later += [(at, wait is None, place)] if wait is not None or time.waits else ()
        elif wait is not None:
            return number
        else:
            starts.append(number)
    first = [*starts[:1], *works[:1]]
    return first[0] if first else ready[min(later)[2] if later else 0]


def _ranks(problem: Problem, after: Sequence[Sequence[int]]) -> list[int]:
    """Return for each item the cycles from its begin to the end of the block, were all units many."""
    ranks = [0] * len(problem.times)
    for number in reversed(range(len(ranks))):
        time = problem.times[number]
        ranks[number] = time.busy + time.beside + max((ranks[n] for n in after[number]), default=0)
    return ranks
