"""
Exact rectangle packing with CP-SAT, for packings above the lower bound.

`decide` asks CP-SAT if boxes fit below a height. The branching follows MiniMalloc (Moffitt, ASPLOS 2023): the box
with the lowest feasible offset is next, a static order breaks ties, and the branches are that offset or above it.
Many static orders are tried with growing limits, because one order finds a packing at once and another never does.
The orders are by demand at a box's steps, by overlaps, by area, by duration, and by random perturbations of these.

Limits count work, not time: equal input gives equal output on every machine. One unit of a budget is one conflict,
or a thousandth of a CP-SAT deterministic second if that is more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from operator import mul, sub

from ortools.sat.python import cp_model

from ..core.solver import solve
from .packing import Boxes, Verdict, demand, height, lower_bound, overlaps, settle

_ORDERS = (
    "fullest time size",
    "fullest overlaps bulk",
    "bulk area fullest",
    "fullest area",
    "steps size",
    "area",
)
"""Static orders: keys by priority, largest value first."""

_FIRST_LIMIT = 200
"""Units of a run in the first round; doubled in every round."""

_LEAST_WORK = 10
"""Units charged for a run without conflicts."""

_FIXED = "search_branching: FIXED_SEARCH cp_model_presolve: false cp_model_probing_level: 0"
_FREE = "search_branching: PORTFOLIO_SEARCH"


def minimise(boxes: Boxes, offsets: list[int], goal: int, budget: int) -> tuple[list[int], int, int]:
    """
    Minimise the height of a packing; return the offsets, a proven lower bound and the units spent.

    Searches upwards from the lower bound; a height of at most `goal` is good enough.
    """
    bound, best, left = lower_bound(boxes), height(boxes, offsets), budget
    while max(bound, goal) < best and left > 0:
        probe = floor = max(bound, goal)
        while floor < best and left > 0:
            verdict = decide(boxes, probe, min(left, max(left // 3, _FIRST_LIMIT)))
            left -= verdict.spent
            if verdict.offsets is not None:
                offsets, best = verdict.offsets, height(boxes, verdict.offsets)
            else:
                floor = probe + 1
                bound = floor if verdict.proved else bound
            probe = (floor + best) // 2
    return offsets, bound, budget - left


def decide(boxes: Boxes, capacity: int, budget: int) -> Verdict:
    """Search for offsets below `capacity`, within a budget; the verdict may be a proof of infeasibility."""
    if lower_bound(boxes) > capacity:
        return Verdict(None, True, 0)
    if budget <= 0:
        return Verdict(None, False, 0)
    spent = 0
    for order, limit in attempts(boxes):
        verdict = _run(boxes, capacity, order, min(limit, budget - spent))
        spent += verdict.spent
        if verdict.proved:
            return Verdict(verdict.offsets, True, spent)
        if spent >= budget:
            return Verdict(None, False, spent)
    raise AssertionError("attempts do not end")


def attempts(boxes: Boxes) -> Iterator[tuple[list[int] | None, int]]:
    """
    Yield static orders of the boxes, None for a free search, each with the limit of its run; the sequence is infinite.
    """
    features = _features(boxes)
    noise = random.Random(0)
    limit = _FIRST_LIMIT
    while True:
        for keys in _ORDERS:
            yield _ranked(features, keys), limit
        if limit > _FIRST_LIMIT:
            yield from ((_ranked(_disturbed(features, noise), keys), limit) for keys in _ORDERS)
            yield None, limit
        limit *= 2


def _features(boxes: Boxes) -> dict[str, list[float]]:
    """Compute the features of the boxes by name: one value per box."""
    needed = demand(boxes)
    steps = list(map(sub, boxes.ends, boxes.begins))
    return {
        "size": [*boxes.sizes],
        "steps": [*steps],
        "time": [*boxes.durations],
        "bulk": list(map(mul, boxes.sizes, steps)),
        "area": list(map(mul, boxes.sizes, boxes.durations)),
        "fullest": [max(needed[begin:end]) for begin, end in zip(boxes.begins, boxes.ends, strict=True)],
        "overlaps": [*overlaps(boxes)],
    }


def _disturbed(features: Mapping[str, Sequence[float]], noise: random.Random) -> dict[str, list[float]]:
    """Perturb all features except the first key of the orders by up to a quarter."""
    disturbed: dict[str, list[float]] = {}
    for name, values in features.items():
        disturbed[name] = [value if name == "fullest" else value * noise.uniform(0.8, 1.25) for value in values]
    return disturbed


def _ranked(features: Mapping[str, Sequence[float]], keys: str) -> list[int]:
    columns = [features[key] for key in keys.split()]
    return sorted(range(len(columns[0])), key=lambda i: (*(-column[i] for column in columns), i))


def _run(boxes: Boxes, capacity: int, order: Sequence[int] | None, limit: int) -> Verdict:
    """Run CP-SAT once, for at most `limit` units."""
    model, offsets = packing_model(boxes, capacity)
    if order is not None:
        ranked = [offsets[i] for i in order]
        model.add_decision_strategy(ranked, cp_model.CHOOSE_LOWEST_MIN, cp_model.SELECT_MIN_VALUE)
    solver = cp_model.CpSolver()
    solver.parameters.parse_text_format(
        f"num_workers: 1 random_seed: 0 linearization_level: 0 symmetry_level: 0 "
        f"max_number_of_conflicts: {limit} max_deterministic_time: {limit / 1000} {_FREE if order is None else _FIXED}"
    )
    status = solve(solver, model)
    work = max(solver.num_conflicts, round(1000 * solver.response_proto.deterministic_time), _LEAST_WORK)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Verdict(settle(boxes, [solver.value(offset) for offset in offsets]), True, work)
    return Verdict(None, status == cp_model.INFEASIBLE, work)


def packing_model(boxes: Boxes, capacity: int) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Build the CP-SAT model of a packing below `capacity`, with the offset variable of each box."""
    model = cp_model.CpModel()
    offsets: list[cp_model.IntVar] = []
    for size, at in zip(boxes.sizes, boxes.fixed, strict=True):
        low, high = (0, capacity - size) if at is None else (at, at)
        offsets.append(model.new_int_var(low, high, ""))
    times = [model.new_fixed_size_interval_var(b, e - b, "") for b, e in zip(boxes.begins, boxes.ends, strict=True)]
    ranges = [model.new_fixed_size_interval_var(o, size, "") for o, size in zip(offsets, boxes.sizes, strict=True)]
    model.add_no_overlap_2d(times, ranges)
    return model, offsets
