"""How long kernels on several engines take when each runs as soon as its engine and those before it let it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ...targets.core.machine import Engine
from .order import Duration, Problem, Wait, best_order


@dataclass(frozen=True)
class Run:
    """A kernel on an engine, its cycles there, and the numbers of the runs before it that it has to follow."""

    engine: Engine
    cycles: int
    after: Set[int]


def cycles_of_runs(runs: Sequence[Run]) -> int:
    """Return the modelled time of runs, given in the order of the program, in that in which engines are busiest."""
    problem = _problem(runs)
    return problem.cycles(best_order(problem))


def _problem(runs: Sequence[Run]) -> Problem:
    """Return runs as items: what an engine with a queue does is started, and waited for where it is needed."""
    follows: list[set[int]] = []
    times: list[Duration] = []
    waits: list[Wait | None] = []
    starts: list[int] = []
    for run in runs:
        engine, before = run.engine, set[int]()
        for other in run.after:
            in_order = engine.queue > 0 and runs[other].engine == engine
            before.add(starts[other] if in_order or not runs[other].engine.queue else starts[other] + 1)
        starts.append(len(times))
        follows.append(before)
        waits.append(None)
        if not engine.queue:
            times.append(Duration(run.cycles))
            continue
        beside = max(0, run.cycles - engine.setup)
        times.append(Duration(engine.setup, beside, engine.name, engine.queue, waits=True))
        follows.append({starts[-1]})
        times.append(Duration(0))
        waits.append(Wait(starts[-1], engine.name))
    return Problem(follows, times, waits)
