"""An interrupt ends a search of CP-SAT, and is not taken for its end."""

from __future__ import annotations

import os
import signal
import time
from itertools import pairwise
from threading import Timer

import pytest
from ortools.sat.python import cp_model

from tilewright.interruption import Terminated, raise_when_ended
from tilewright.passes.core.solver import solve

_SECONDS = 20


def ruler(marks: int) -> cp_model.CpModel:
    """Return the search of a Golomb ruler: marks whose distances all differ, the last one least."""
    model = cp_model.CpModel()
    places = [model.new_int_var(0, marks**2, "") for _ in range(marks)]
    for one, other in pairwise(places):
        model.add(one < other)
    model.add_all_different([one - other for k, one in enumerate(places) for other in places[:k]])
    model.minimize(places[-1])
    return model


def solver() -> cp_model.CpSolver:
    made = cp_model.CpSolver()
    made.parameters.num_workers = 1
    made.parameters.max_time_in_seconds = _SECONDS
    return made


@pytest.mark.quick
def test_a_search_gives_its_status():
    found = solver()
    assert solve(found, ruler(5)) == cp_model.OPTIMAL
    assert found.objective_value == 11


@pytest.mark.parametrize(("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)])
def test_a_signal_ends_a_search(number: signal.Signals, error: type[BaseException]):
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    search, model, begun = solver(), ruler(14), time.monotonic()
    try:
        raise_when_ended()
        Timer(0.5, os.kill, (os.getpid(), number)).start()
        with pytest.raises(error):
            solve(search, model)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert time.monotonic() - begun < _SECONDS / 2
