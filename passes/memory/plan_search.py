"""
The search for a better plan where memory is short, by CP-SAT: over windows of layers, all that is open at once.

A window's model chooses for every kernel how it is done (which candidate, alone or with its neighbours) and for every
buffer whether it stays in the near level, such that at each kernel all that is there fits. Addresses follow by packing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from ortools.sat.python import cp_model

from .layers import Layers
from .plan import LONGEST_GROUP, Choice, Plan, addresses_of, room, slower

_WIDEST = 12
"""How many kernels a window has at most."""


@dataclass(frozen=True)
class _Option:
    """A choice that holds where exactly these of the buffers that it touches stay in the near level."""

    choice: Choice
    near: frozenset[int]
    far: frozenset[int]


def improve(layers: Layers, plan: Plan, capacity: int, budget: float) -> Plan:
    """Return a plan that is no slower, found in `budget` units of work (CP-SAT's deterministic time)."""
    windows = list(_windows(layers, plan, capacity))
    for first, last in windows:
        plan = _improved(layers, plan, capacity, first, last, budget / len(windows))
    return plan


def _windows(layers: Layers, plan: Plan, capacity: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of kernels, whole choices each, around those that might be faster."""
    begin: int | None = None
    end = -1
    for choice in plan.choices:
        open_here = slower(layers, plan, choice, capacity)
        if begin is not None and (not open_here or choice.last - begin >= _WIDEST):
            yield begin, end
            begin = None
        if open_here:
            begin = choice.first if begin is None else begin
            end = choice.last
    if begin is not None:
        yield begin, end


def _improved(layers: Layers, plan: Plan, capacity: int, first: int, last: int, budget: float) -> Plan:
    inside = [n for n, b in enumerate(layers.buffers) if first <= b.first and b.last <= last and b.size <= capacity]
    outside = plan.resident - set(inside)
    together = layers.crowded & {i for choice in plan.choices for i in choice.kernels if i != choice.last}
    options = [
        option
        for option in _options(layers, first, last, frozenset(inside), outside, capacity)
        if not together & {option.choice.first - 1, option.choice.last}
    ]
    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in options]
    kept = {n: model.new_bool_var("") for n in inside}
    for number in inside:
        if (keep := layers.buffers[number].keep) is not None:
            model.add(kept[number] == keep)
    used: dict[int, list[cp_model.LinearExprT]] = defaultdict(list)
    for variable, option in zip(taken, options, strict=True):
        for number in option.near:
            model.add_implication(variable, kept[number])
        for number in option.far:
            model.add_implication(variable, ~kept[number])
    for step in range(first, last + 1):
        here = [(v, o) for v, o in zip(taken, options, strict=True) if o.choice.first <= step <= o.choice.last]
        model.add_exactly_one(v for v, _ in here)
        used[step] = [v * o.choice.candidate.bytes for v, o in here]
        used[step] += [kept[n] * b.size for n in inside if (b := layers.buffers[n]).first <= step <= b.last]
        model.add(sum(used[step]) <= room(layers, outside, step, step, capacity))
    model.minimize(sum(v * o.choice.candidate.cycles for v, o in zip(taken, options, strict=True)))
    _hint(model, plan, options, taken, kept)
    return _solved(layers, plan, capacity, (first, last), model, options, taken, kept, budget)


def _hint(
    model: cp_model.CpModel,
    plan: Plan,
    options: list[_Option],
    taken: list[cp_model.IntVar],
    kept: dict[int, cp_model.IntVar],
) -> None:
    chosen = set(plan.choices)
    for variable, option in zip(taken, options, strict=True):
        model.add_hint(variable, option.choice in chosen and option.near <= plan.resident)
    for number, variable in kept.items():
        model.add_hint(variable, number in plan.resident)


def _solved(
    layers: Layers,
    plan: Plan,
    capacity: int,
    window: tuple[int, int],
    model: cp_model.CpModel,
    options: list[_Option],
    taken: list[cp_model.IntVar],
    kept: dict[int, cp_model.IntVar],
    budget: float,
) -> Plan:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = budget
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return plan
    chosen = [o.choice for v, o in zip(taken, options, strict=True) if solver.boolean_value(v)]
    first, last = window
    before = [choice for choice in plan.choices if choice.last < first]
    after = [choice for choice in plan.choices if choice.first > last]
    resident = plan.resident - set(kept) | {n for n, v in kept.items() if solver.boolean_value(v)}
    found = Plan((*before, *sorted(chosen, key=lambda choice: choice.first), *after), frozenset(resident))
    if found.cycles >= plan.cycles or addresses_of(layers, found).size > capacity:
        return plan
    return found


def _options(
    layers: Layers, first: int, last: int, inside: frozenset[int], outside: frozenset[int], capacity: int
) -> Iterator[_Option]:
    """Yield what may be chosen in a window; buffers that reach out of it stay where they are."""
    for begin in range(first, last + 1):
        for count in range(1, min(LONGEST_GROUP, last - begin + 1) + 1):
            between = _joined(layers, begin, count)
            if between is None:
                break
            touched = {n for i in range(begin, begin + count) for n in layers.buffers_of[i]} & inside
            left = room(layers, outside, begin, begin + count - 1, capacity)
            for near in _subsets(sorted(touched - between)):
                fitting = (c for c in layers.options(begin, count, near | outside).front if c.bytes <= left)
                yield from (_Option(Choice(begin, count, c), near, frozenset(touched - near)) for c in fitting)


def _joined(layers: Layers, begin: int, count: int) -> frozenset[int] | None:
    """Return the buffers inside of a group, None where its kernels cannot be done together."""
    found = [layers.joins(index) for index in range(begin, begin + count - 1)]
    return None if None in found else frozenset(n for n in found if n is not None)


def _subsets(numbers: list[int]) -> Iterator[frozenset[int]]:
    for size in range(len(numbers) + 1):
        yield from (frozenset(each) for each in combinations(numbers, size))
