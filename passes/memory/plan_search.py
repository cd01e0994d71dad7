"""
Local search for a better plan: CP-SAT over windows of layers in which the capacity limits the choices.

The model of a window selects one candidate per kernel, alone or fused, and the residency of each buffer. The
constraint is that the live bytes at each kernel fit the capacity. Packing then computes the addresses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ortools.sat.python import cp_model

from ..core.solver import solve
from .candidates import fits
from .layers import Layers
from .near import ResidentSet
from .plan import LONGEST_GROUP, Choice, Plan, can_be_packed, slower

_WIDEST = 12
"""Maximum number of kernels in a window."""
_PACKED = 256
"""Maximum number of packings over all windows."""


@dataclass(frozen=True)
class _Option:
    """Choice that holds if, of the buffers it accesses, exactly `near` are resident."""

    choice: Choice
    near: frozenset[int]
    far: frozenset[int]


def improve(layers: Layers, plan: Plan, capacity: Mapping[str, int], budget: float) -> Plan:
    """
    Refine a plan within `budget` units of work (CP-SAT deterministic time); the result is never slower.

    A changed window is accepted if a packing exists. If there are more than _PACKED windows, several share a packing.
    """
    near = ResidentSet(layers, plan.resident, capacity)
    windows = list(_windows(near, plan))
    several = -(-len(windows) // _PACKED)
    for begin in range(0, len(windows), max(1, several)):
        changed = plan
        for first, last in windows[begin : begin + several]:
            changed = _improved(near, changed, first, last, budget / len(windows))
        if changed is plan or can_be_packed(layers, changed, capacity):
            plan = changed
            continue
        for number in changed.resident ^ plan.resident:
            near.toggle(number)
    return plan


def _windows(near: ResidentSet, plan: Plan) -> Iterator[tuple[int, int]]:
    """Yield windows of kernels, whole choices each, around choices that may be faster."""
    begin: int | None = None
    end = -1
    for choice in plan.choices:
        open_here = slower(near, choice)
        if begin is not None and (not open_here or choice.last - begin >= _WIDEST):
            yield begin, end
            begin = None
        if open_here:
            begin = choice.first if begin is None else begin
            end = choice.last
    if begin is not None:
        yield begin, end


def _improved(near: ResidentSet, plan: Plan, first: int, last: int, budget: float) -> Plan:
    """Return the plan with a faster window and its residency, or the same plan."""
    layers, capacity = near.layers, near.capacity
    begun = sorted(n for index in range(first, last + 1) for n in layers.begun_at[index])
    buffers = ((n, layers.buffers[n]) for n in begun if layers.buffers[n].keep is not False)
    inside = [n for n, buffer in buffers if buffer.last <= last and buffer.size <= capacity[buffer.level]]
    before = plan.resident.intersection(inside)
    for number in before:
        near.toggle(number)
    improved = _searched(near, plan, first, last, inside, budget)
    for number in improved.resident.intersection(inside):
        near.toggle(number)
    return improved


def _searched(near: ResidentSet, plan: Plan, first: int, last: int, inside: list[int], budget: float) -> Plan:
    """Search a window for a faster plan; none of its buffers is resident at first."""
    layers = near.layers
    within = plan.choices[plan.during(first, last)]
    together = layers.crowded & {i for choice in within for i in choice.kernels if i != choice.last}
    options = [
        option
        for option in _options(near, first, last, frozenset(inside))
        if not together & {option.choice.first - 1, option.choice.last}
    ]
    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in options]
    kept = {n: model.new_bool_var("") for n in inside}
    for number in inside:
        if layers.buffers[number].keep:
            model.add(kept[number] == 1)
    used: dict[tuple[int, str], list[cp_model.LinearExprT]] = defaultdict(list)
    for variable, option in zip(taken, options, strict=True):
        for number in option.near:
            model.add_implication(variable, kept[number])
        for number in option.far:
            model.add_implication(variable, ~kept[number])
    for step in range(first, last + 1):
        here = [(v, o) for v, o in zip(taken, options, strict=True) if o.choice.first <= step <= o.choice.last]
        model.add_exactly_one(v for v, _ in here)
        for variable, option in here:
            levels = layers.levels_of(option.choice.first, option.choice.count)
            for level, size in zip(levels, option.choice.candidate.bytes, strict=True):
                used[step, level.name].append(variable * size)
        for number in inside:
            if (buffer := layers.buffers[number]).first <= step <= buffer.last:
                used[step, buffer.level].append(kept[number] * buffer.size)
        for level, left in zip(layers.levels, near.available(step, step, layers.levels), strict=True):
            if used[step, level.name]:
                model.add(sum(used[step, level.name]) <= left)
    model.minimize(sum(v * o.choice.candidate.cycles for v, o in zip(taken, options, strict=True)))
    _hint(model, plan, within, options, taken, kept)
    return _solved(plan, (first, last), model, options, taken, kept, budget)


def _hint(
    model: cp_model.CpModel,
    plan: Plan,
    within: Sequence[Choice],
    options: list[_Option],
    taken: list[cp_model.IntVar],
    kept: dict[int, cp_model.IntVar],
) -> None:
    chosen = set(within)
    for variable, option in zip(taken, options, strict=True):
        model.add_hint(variable, option.choice in chosen and option.near <= plan.resident)
    for number, variable in kept.items():
        model.add_hint(variable, number in plan.resident)


def _solved(
    plan: Plan,
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
    if solve(solver, model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return plan
    during = plan.during(*window)
    chosen = [o.choice for v, o in zip(taken, options, strict=True) if solver.boolean_value(v)]
    before = sum(choice.candidate.cycles for choice in plan.choices[during])
    if sum(choice.candidate.cycles for choice in chosen) >= before:
        return plan
    chosen.sort(key=lambda choice: choice.first)
    resident = plan.resident - set(kept) | {n for n, v in kept.items() if solver.boolean_value(v)}
    return Plan((*plan.choices[: during.start], *chosen, *plan.choices[during.stop :]), frozenset(resident))


def _options(near: ResidentSet, first: int, last: int, inside: frozenset[int]) -> Iterator[_Option]:
    """Yield the options of a window; buffers live outside of it keep their residency."""
    layers = near.layers
    for begin in range(first, last + 1):
        for count in range(1, min(LONGEST_GROUP, last - begin + 1) + 1):
            between = _joined(layers, begin, count)
            if between is None:
                break
            touched = {n for i in range(begin, begin + count) for n in layers.buffers_of[i]}
            outside = touched & near.resident
            left = near.available(begin, begin + count - 1, layers.levels_of(begin, count))
            touched &= inside
            for kept in _subsets(sorted(touched - between)):
                fitting = (c for c in layers.options(begin, count, kept | outside).front if fits(c.bytes, left))
                yield from (_Option(Choice(begin, count, c), kept, frozenset(touched - kept)) for c in fitting)


def _joined(layers: Layers, begin: int, count: int) -> frozenset[int] | None:
    """Return the intermediates of a fused group; None if its kernels cannot be fused."""
    intermediates = [layers.joins(index) for index in range(begin, begin + count - 1)]
    return None if None in intermediates else frozenset(n for n in intermediates if n is not None)


def _subsets(numbers: list[int]) -> Iterator[frozenset[int]]:
    for size in range(len(numbers) + 1):
        yield from (frozenset(subset) for subset in combinations(numbers, size))
