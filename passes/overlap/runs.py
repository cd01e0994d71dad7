"""Makespan of kernels on several engines, each issued when its engine is free and its predecessors permit."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...dialects.core.machine.model import Engine
from .order import Duration, Problem, Wait, best_order


@dataclass(frozen=True)
class Run:
    """A kernel on an engine, its cycles there, and the numbers of the runs before it that it has to follow."""

    engine: Engine
    cycles: int
    after: Set[int]


class _Kind(NamedTuple):
    """Parameters of a run's time: its engine's name, queue and set-up, and those of `Run`."""

    engine: str
    queue: int
    setup: int
    cycles: int
    after: frozenset[int]


def cycles_of_runs(runs: Sequence[Run]) -> int:
    """
    Return the modelled time of runs, given in the order of the program, in that in which engines are busiest.

    It is remembered: layers of a network are alike.
    """
    return _cycles(
        tuple(_Kind(r.engine.name, r.engine.queue, r.engine.setup, r.cycles, frozenset(r.after)) for r in runs)
    )


@lru_cache(maxsize=4096)
def _cycles(runs: tuple[_Kind, ...]) -> int:
    problem = _problem(runs)
    return problem.cycles(best_order(problem))


def _problem(runs: Sequence[_Kind]) -> Problem:
    """Return runs as items: what an engine with a queue does is started, and waited for where it is needed."""
    follows: list[set[int]] = []
    times: list[Duration] = []
    waits: list[Wait | None] = []
    starts: list[int] = []
    for run in runs:
        before = set[int]()
        for other in run.after:
            in_order = run.queue > 0 and runs[other].engine == run.engine
            before.add(starts[other] if in_order or not runs[other].queue else starts[other] + 1)
        starts.append(len(times))
        follows.append(before)
        waits.append(None)
        if not run.queue:
            times.append(Duration(run.cycles))
            continue
        beside = max(0, run.cycles - run.setup)
        times.append(Duration(run.setup, beside, run.engine, run.queue, waits=True))
        follows.append({starts[-1]})
        times.append(Duration(0))
        waits.append(Wait(starts[-1], run.engine))
    return Problem(follows, times, waits)
