"""
Timeline of concurrent programs: one event loop, in which they occupy resources first come, first served.

A program is a coroutine. It yields requests: the cycle from which on it asks, an action of a resource, and what that
action is to do. It receives the cycle at which the action ends, and returns the cycle at which it ends itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from heapq import heappop, heappush
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


class Timeline:
    """Event loop of programs. Requests are served by cycle, those of one cycle by the numbers of the programs."""

    def __init__(self, programs: Sequence[Program]):
        self._programs = programs
        self._requests: list[Request | None] = [None] * len(programs)
        self._ready: list[tuple[int, int]] = []
        """Heap of the cycle and number of each program that has a request."""
        self._blocked: dict[object, list[tuple[int, int, Any]]] = {}
        """Queue -> the programs that it blocks: the cycle of the request, the program's number, and the op."""
        self.ends = [0] * len(programs)
        """The cycle at which each program has ended."""

    def run(self) -> list[tuple[int, Any]]:
        """Run all programs to their ends; return those that block forever, by number, and the op where each does."""
        for number, program in enumerate(self._programs):
            self._resume(number, program, None)
        while self._ready:
            now, number = heappop(self._ready)
            request = self._requests[number]
            assert request is not None
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
