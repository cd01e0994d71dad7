"""Makespan of kernels on several engines, each issued as soon as its engine and its predecessors permit."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ...dialects.core.machine.engine import Engine
from .order import Duration, SchedulingProblem, makespan_by_path


class KernelRun(NamedTuple):
    """Kernel on an engine, by what its timing depends on: its cycles there, and the numbers of its predecessors."""

    engine: str
    queue: int
    setup: int
    cycles: int
    after: frozenset[int]

    @staticmethod
    def on(engine: Engine, cycles: int, after: Set[int]) -> KernelRun:
        """Return the run of a kernel on an engine."""
        return KernelRun(engine.name, engine.queue, engine.setup, cycles, frozenset(after))


def cycles_of_runs(runs: Sequence[KernelRun]) -> int:
    """
    Compute the makespan in cycles of runs under list scheduling; memoised, as layers of a network repeat.

    Schedules by program order are left out: a part of a network gains by them what the whole loses.
    """
    return _cycles(tuple(runs))


@lru_cache(maxsize=4096)
def _cycles(runs: tuple[KernelRun, ...]) -> int:
    return makespan_by_path(_problem(runs))


def _problem(runs: Sequence[KernelRun]) -> SchedulingProblem:
    """Convert runs to items: a run on an engine with a queue is a launch and a join before its first consumer."""
    follows: list[set[int]] = []
    times: list[Duration] = []
    starts: list[int] = []
    for run in runs:
        before = set[int]()
        for other in run.after:
            in_order = run.queue > 0 and runs[other].engine == run.engine
            before.add(starts[other] if in_order or not runs[other].queue else starts[other] + 1)
        starts.append(len(times))
        follows.append(before)
        if not run.queue:
            times.append(Duration(run.cycles))
            continue
        beside = max(0, run.cycles - run.setup)
        times.append(Duration(run.setup, beside, run.engine, run.queue, waits=True))
        follows.append({starts[-1]})
        times.append(Duration(0, unit=run.engine, awaits=starts[-1]))
    return SchedulingProblem(follows, times)
