"""
Timeline of concurrent programs: one event loop, in which they occupy resources first come, first served.

A program is a coroutine. It yields requests: the cycle from which on it asks, an action of a resource, and what that
action is to do. It receives the cycle at which the action ends, and returns the cycle at which it ends itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple, TypeAlias


class Signal(NamedTuple):
    """
    Answer of an action on a queue: a program blocks on it until the queue is handed on, or has handed it on at `end`.

    `op` is the op at which the program blocks, where there is one.
    """

    queue: object
    end: int = 0
    is_blocked: bool = False
    op: Any = None


Action: TypeAlias = "Callable[[int, Any], int | Signal]"
"""Maps the cycle from which on a program asks, and its demand, to the cycle at which the action ends."""
Request: TypeAlias = "tuple[int, Action, Any]"
Program: TypeAlias = "Generator[Request, int, int]"


def _at_once(ready: int, demand: Any) -> int:
    """End an action at the cycle from which on a program asks: the program waits for that cycle."""
    return ready


_NOTHING: Request = 0, _at_once, None


def wait_until(cycle: int) -> Request:
    """Return the request of a program that does nothing until a cycle."""
    return cycle, _at_once, None


class Timeline:
    """
    Event loop of programs. Requests are served by cycle, those of one cycle by the numbers of the programs.

    Programs are numbered in the order in which they are added.
    """

    def __init__(self, programs: Sequence[Program] = ()):
        self._programs: list[Program] = []
        self._requests: list[Request] = []
        self._ready: list[tuple[int, int]] = []
        """Heap of the cycle and number of each program that has a request."""
        self._blocked: dict[object, list[tuple[int, int, Any]]] = {}
        """Queue -> the programs that it blocks: the cycle of the request, the program's number, and the op."""
        self.now = 0
        """The cycle of the last request."""
        self.ends: list[int] = []
        """The cycle at which each program has ended."""
        for program in programs:
            self.add(program)

    def add(self, program: Program) -> None:
        """Begin one more program."""
        number = len(self._programs)
        self._programs.append(program)
        self._requests.append(_NOTHING)
        self.ends.append(0)
        self._resume(number, program, None)

    def run(self, until: float = inf) -> list[tuple[int, Any]]:
        """
        Serve the requests up to and including a cycle, by default run all programs to their ends.

        Returns the programs that block, of those to their ends forever, by number, and the op where each does.
        """
        while self._ready and self._ready[0][0] <= until:
            now, number = heappop(self._ready)
            self.now, request = now, self._requests[number]
            answer = request[1](now, request[2])
            if isinstance(answer, Signal):
                if answer.is_blocked:
                    self._blocked.setdefault(answer.queue, []).append((now, number, answer.op))
                    continue
                for ready, blocked, _ in self._blocked.pop(answer.queue, ()):
                    heappush(self._ready, (ready, blocked))
                answer = answer.end
            self._resume(number, self._programs[number], answer)
        blocked = [(number, op) for waiting in self._blocked.values() for _, number, op in waiting]
        return sorted(blocked, key=lambda pair: pair[0])

    def _resume(self, number: int, program: Program, end: int | None) -> None:
        try:
            request = program.send(end)  # pyright: ignore[reportArgumentType]
        except StopIteration as stop:
            self.ends[number] = stop.value
            return
        self._requests[number] = request
        heappush(self._ready, (request[0], number))


def makespan(programs: Sequence[Program]) -> int:
    """Return the cycle at which the last of some programs ends. None of them may block forever."""
    if len(programs) == 1:
        return _alone(programs[0])
    timeline = Timeline(programs)
    blocked = timeline.run()
    assert not blocked
    return max(timeline.ends, default=0)


def _alone(program: Program) -> int:
    """Run one program, which no other one delays or blocks: each request is served at once."""
    send = program.send
    try:
        ready, action, demand = next(program)
        while True:
            ready, action, demand = send(action(ready, demand))  # pyright: ignore[reportArgumentType]
    except StopIteration as stop:
        return stop.value
