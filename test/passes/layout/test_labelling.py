"""Least cost of layout assignments, against all assignments of small problems."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.passes.layout.labelling import (
    End,
    LabelledValue,
    Labelling,
    reached_by_library,
    reached_by_paths,
    solve,
)

pytestmark = pytest.mark.quick


@st.composite
def problems(draw: st.DrawFn, most_labels: int, *, twisted: bool) -> Labelling:
    """Graphs of ops whose operands and results share a layout; constants ends demand one each."""
    labels = list(range(draw(st.integers(2, most_labels))))
    forms: list[list[tuple[int, ...]]] = []
    values: list[LabelledValue] = []
    produced: list[tuple[End, list[End], int]] = []
    for node in range(draw(st.integers(2, 7))):
        operands = draw(st.lists(st.integers(0, len(produced) - 1), max_size=3)) if produced else []
        own = labels if draw(st.booleans()) else [draw(st.sampled_from(labels))]
        turn = draw(st.permutations(labels)) if twisted and draw(st.booleans()) else labels
        forms.append([(label,) * len(operands) + (turn[label],) for label in own])
        for slot, operand in enumerate(operands):
            produced[operand][1].append(End(node, slot))
        produced.append((End(node, len(operands)), [], draw(st.integers(1, 5))))
    values = [LabelledValue(end, tuple(users), (int(cost > 2), cost)) for end, users, cost in produced]
    choices = [(node, form) for node, own in enumerate(forms) for form in range(len(own)) if len(own) > 1]
    priced = draw(st.lists(st.sampled_from(choices), max_size=3)) if choices else []
    return Labelling(forms, values, {taken: (0, draw(st.integers(1, 3))) for taken in priced})


def _least(problem: Labelling) -> tuple[int, ...]:
    """Return the least cost over all assignments."""
    return min(problem.cost(choice) for choice in product(*(range(len(forms)) for forms in problem.forms)))


@pytest.mark.long
@given(problems(2, twisted=False))
@settings(max_examples=150, deadline=None)
def test_a_cut_of_two_layouts_costs_least(problem: Labelling) -> None:
    assert problem.cost(solve(problem)) == _least(problem)


@pytest.mark.long
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 9) | st.just(2**58)), max_size=30))
@settings(deadline=None)
def test_few_arcs_have_the_cut_of_many(arcs: list[tuple[int, int, int]]) -> None:
    arcs = [(0, 1, 1), *(arc for arc in arcs if arc[0] != arc[1])]
    assert reached_by_paths(arcs) == reached_by_library(arcs)


@pytest.mark.long
@given(problems(3, twisted=True))
@settings(max_examples=30, deadline=None)
def test_more_layouts_and_transposes_cost_least(problem: Labelling) -> None:
    assert problem.cost(solve(problem)) == _least(problem)


def test_users_of_one_layout_share_its_copy() -> None:
    """One producer of layout 0 and three users of layout 1, of which two could follow either."""
    forms = [[(0,)], [(0, 0), (1, 1)], [(0, 0), (1, 1)], [(1, 1)], [(1, 1, 0)]]
    values = [
        LabelledValue(End(0, 0), (End(1, 0), End(2, 0), End(3, 0)), (1,)),
        LabelledValue(End(1, 1), (End(4, 0),), (1,)),
        LabelledValue(End(2, 1), (End(4, 1),), (1,)),
    ]
    problem = Labelling(forms, values)
    assert solve(problem) == [0, 1, 1, 0, 0]
    assert problem.cost([0, 1, 1, 0, 0]) == (1,)


def test_costs_are_lexicographic_where_their_sum_exceeds_64_bits() -> None:
    """A chain of one cut: the fewest bytes, then the latest, though all three numbers together have 100 bits."""
    count = 50
    forms = [[(0,)], *([(0, 0), (1, 1)] for _ in range(count)), [(1,)]]
    costs = [(1, 2**40 + (7 if node % 2 else 3), 2**45 - node) for node in range(count + 1)]
    values = [LabelledValue(End(node, min(node, 1)), (End(node + 1, 0),), costs[node]) for node in range(count + 1)]
    problem = Labelling(forms, values)
    assert problem.cost(solve(problem))[:2] == (1, 2**40 + 3)


def test_a_value_and_its_transpose_in_one_op_need_a_copy() -> None:
    """No cut: a value reaches an op straight and transposed, and both must have one layout."""
    forms = [[(0,), (1,)], [(0, 1), (1, 0)], [(0, 0), (1, 1)]]
    values = [LabelledValue(End(0, 0), (End(1, 0), End(2, 0)), (1,)), LabelledValue(End(1, 1), (End(2, 1),), (2,))]
    problem = Labelling(forms, values)
    assert problem.cost(solve(problem)) == (1,)


def test_a_price_of_a_form_outweighs_a_cheaper_copy() -> None:
    forms = [[(0,)], [(0, 0), (1, 1)], [(1,)]]
    values = [LabelledValue(End(0, 0), (End(1, 0),), (2,)), LabelledValue(End(1, 1), (End(2, 0),), (4,))]
    assert solve(Labelling(forms, values)) == [0, 1, 0]
    assert solve(Labelling(forms, values, {(1, 1): (3,)})) == [0, 0, 0]


@pytest.mark.nightly
@pytest.mark.long
def test_time_is_linear_in_the_ops() -> None:
    """Ten times as many ops: about ten times the time, a hundred where it is quadratic."""
    least = min(_time_of(1_000) for _ in range(3))
    assert min(_time_of(10_000) for _ in range(2)) < 40 * least


def _time_of(count: int) -> float:
    """Return the CPU seconds of a ladder of residual blocks between demands of both layouts."""
    forms = [[(node // 100 % 2,) * 3] if node % 100 == 0 else [(0, 0, 0), (1, 1, 1)] for node in range(count)]
    users: list[list[End]] = [[] for _ in range(count)]
    for node in range(1, count):
        users[node - 1].append(End(node, 0))
        users[max(0, node - 5)].append(End(node, 1))
    values = [LabelledValue(End(node, 2), tuple(users[node]), (1, node % 7 + 1, count - node)) for node in range(count)]
    start = time.process_time()
    choice = solve(Labelling(forms, values))
    seconds = time.process_time() - start
    assert Labelling(forms, values).cost(choice)[0] >= count // 100 - 1
    return seconds
