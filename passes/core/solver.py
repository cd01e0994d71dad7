"""CP-SAT that an interrupt ends: the solver's own handler would take the interrupt for an end of the search."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ortools.sat.python import cp_model


def solve(solver: cp_model.CpSolver, model: cp_model.CpModel) -> cp_model.CpSolverStatus:
    """
    Solve a model and return the status, as `solver.solve` does.

    The search runs in a thread of its own, since Python raises the exception of a signal in the main thread only, and
    not while that is in the solver. Such an exception stops the search.
    """
    solver.parameters.catch_sigint_signal = False
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(solver.solve, model)
        try:
            return search.result()
        except BaseException:
            solver.stop_search()
            raise
