"""Layout assignment of least cost: a minimum cut where two forms of each op suffice, else an integer program."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias, cast

Label: TypeAlias = Hashable
Cost: TypeAlias = tuple[int, ...]
"""Cost of a copy, in lexicographic order: the first number decides, the next among equals."""

_LARGEST = 2**60
"""Bound of the sum of all costs as one integer, for solvers of 64 bits."""
_FEW_ARCS = 1000
"""Arcs of a flow network that OR-Tools takes longer to load than to solve here."""
_EFFORT = 20.0
"""Limit of the integer program, in CP-SAT's deterministic seconds."""


class End(NamedTuple):
    """Operand or result of a node: the slot of the node's forms that holds its layout."""

    node: int
    slot: int


@dataclass(frozen=True)
class LabelledValue:
    """Value with the node that produces it, the nodes that use it, and the cost of one copy in another layout."""

    producer: End
    users: tuple[End, ...]
    cost: Cost


@dataclass(frozen=True)
class Labelling:
    """
    Problem to choose one form of each node, such that the copies of values in other layouts cost least.

    `forms[node][form][slot]` is a layout. A value needs one copy for each layout that users want and its producer does
    not give; users of one layout share the copy.
    """

    forms: Sequence[Sequence[Sequence[Label]]]
    values: Sequence[LabelledValue]
    form_costs: Mapping[tuple[int, int], Cost] = field(default_factory=dict[tuple[int, int], Cost])
    """Cost of a form of a node, by both; others are free."""

    def labels(self, end: End) -> list[Label]:
        """Return the layout of an operand or result in each form of its node."""
        return [form[end.slot] for form in self.forms[end.node]]

    def copies(self, choice: Sequence[int]) -> Iterator[tuple[LabelledValue, Label]]:
        """Yield the values and layouts of the copies that a choice of forms needs."""
        for value in self.values:
            produced = self.labels(value.producer)[choice[value.producer.node]]
            wanted = dict.fromkeys(self.labels(user)[choice[user.node]] for user in value.users)
            yield from ((value, label) for label in wanted if label != produced)

    def cost(self, choice: Sequence[int]) -> Cost:
        """Return the cost of a choice of forms, () where it has none."""
        costs = [value.cost for value, _ in self.copies(choice)]
        costs += [self.form_costs[taken] for taken in enumerate(choice) if taken in self.form_costs]
        return tuple(map(sum, zip(*costs, strict=True)))


def solve(problem: Labelling) -> list[int]:
    """Return the form of each node in an assignment of least cost; connected components are solved one by one."""
    choice = [0] * len(problem.forms)
    for values in _components(problem):
        nodes = sorted({node for value in values for node in _nodes(value) if len(problem.forms[node]) > 1})
        terms = list(_terms(problem, nodes, values))
        solved = _min_cut(problem, nodes, terms)
        for node, form in zip(nodes, solved or _integer_program(problem, nodes, terms), strict=True):
            choice[node] = form
    return choice


def _components(problem: Labelling) -> list[list[LabelledValue]]:
    """Return the values between nodes of several forms, by connected component."""
    sets = _Parities()
    free_nodes: list[tuple[LabelledValue, list[int]]] = []
    for value in problem.values:
        nodes = [node for node in _nodes(value) if len(problem.forms[node]) > 1]
        if nodes:
            free_nodes.append((value, nodes))
    for _, nodes in free_nodes:
        for node in nodes:
            sets.unite(nodes[0], node, 0)
    groups: dict[int, list[LabelledValue]] = {}
    for value, nodes in free_nodes:
        groups.setdefault(sets.find(nodes[0])[0], []).append(value)
    return list(groups.values())


def _nodes(value: LabelledValue) -> list[int]:
    return [value.producer.node, *(user.node for user in value.users)]


class _Parities:
    """Union-find over nodes, each equal (0) or opposite (1) to the root of its set."""

    def __init__(self) -> None:
        self._parents: dict[int, tuple[int, int]] = {}

    def find(self, node: int) -> tuple[int, int]:
        """Return the root of a node and the node's parity."""
        path = [node]
        while (parent := self._parents.get(path[-1], (path[-1], 0))[0]) != path[-1]:
            path.append(parent)
        root, parity = path.pop(), 0
        for step in reversed(path):
            parity ^= self._parents[step][1]
            self._parents[step] = root, parity
        return root, parity

    def unite(self, first: int, second: int, parity: int) -> bool:
        """State the parity between two nodes; return False where it contradicts the stated ones."""
        (a, of_a), (b, of_b) = self.find(first), self.find(second)
        if a == b:
            return of_a ^ of_b == parity
        self._parents[b] = a, of_a ^ of_b ^ parity
        return True


class _Literal(NamedTuple):
    """Statement that a node has a form."""

    node: int
    form: int


class _CopyTerm(NamedTuple):
    """Copy of a value in one layout: paid if a literal of `users` holds, or always, and none of `producers` does."""

    cost: int
    producers: list[_Literal]
    users: list[_Literal]
    always: bool


def _terms(problem: Labelling, nodes: Sequence[int], values: Sequence[LabelledValue]) -> Iterator[_CopyTerm]:
    """Yield the costs of forms and the copies that depend on the choice in a component."""
    costed = [_Literal(node, form) for node in nodes for form in range(len(problem.forms[node]))]
    costed = [literal for literal in costed if literal in problem.form_costs]
    scaled = iter(_scaled(problem, values, [problem.form_costs[literal] for literal in costed]))
    for value, cost in zip(values, scaled, strict=False):
        produced = problem.labels(value.producer)
        producers = {label: _literals(problem, value.producer, label) for label in dict.fromkeys(produced)}
        wanted: dict[Label, list[End]] = {}
        for user in value.users:
            for label in dict.fromkeys(problem.labels(user)):
                wanted.setdefault(label, []).append(user)
        for label, users in wanted.items():
            always = any(set(problem.labels(user)) == {label} for user in users)
            if set(produced) == {label} or (always and label not in produced):
                continue
            literals = [] if always else [literal for user in users for literal in _literals(problem, user, label)]
            yield _CopyTerm(cost, producers.get(label, []), literals, always)
    for literal, cost in zip(costed, scaled, strict=True):
        yield _CopyTerm(cost, [], [literal], always=False)


def _literals(problem: Labelling, end: End, label: Label) -> list[_Literal]:
    return [_Literal(end.node, form) for form, own in enumerate(problem.labels(end)) if own == label]


def _scaled(problem: Labelling, values: Sequence[LabelledValue], form_costs: Sequence[Cost]) -> list[int]:
    """
    Return the costs of a component's values and forms as integers of the same order.

    The last numbers are rounded where all together have more than 64 bits.
    """
    most: list[int] = []
    for value in values:
        most.append(len(set(chain.from_iterable(map(problem.labels, value.users)))))
    most += [1] * len(form_costs)
    costs = [*(value.cost for value in values), *form_costs]
    scaled, total = [0] * len(costs), 0
    for part in zip(*costs, strict=True):
        shift = 0
        while (total + 1) * (1 + sum(n * (number >> shift) for n, number in zip(most, part, strict=True))) > _LARGEST:
            shift += 1
        rounded = [number >> shift for number in part]
        radix = 1 + sum(n * number for n, number in zip(most, rounded, strict=True))
        scaled = [old * radix + number for old, number in zip(scaled, rounded, strict=True)]
        total = total * radix + radix - 1
    return scaled


@dataclass
class _FlowNetwork:
    """Flow network of a component: vertex 0, the source, is on side 0 of a cut, vertex 1, the sink, on side 1."""

    ids: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    arcs: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def vertex(self, key: Hashable) -> int:
        """Return the vertex of a key; a new one is added."""
        return self.ids.setdefault(key, 2 + len(self.ids))

    def pay(self, capacity: int, here: int, other: int, side: int) -> None:
        """Add the arc that is cut where `here` is on a side and `other` is not."""
        self.arcs.append((other, here, capacity) if side else (here, other, capacity))

    def zeros(self) -> set[int]:
        """Return the fewest vertices that can be on side 0 of a minimum cut: a maximum flow leaves them in reach."""
        return reached_by_paths(self.arcs) if len(self.arcs) <= _FEW_ARCS else reached_by_library(self.arcs)


def reached_by_paths(arcs: Sequence[tuple[int, int, int]]) -> set[int]:
    """
    Return the vertices that 0 reaches beside a maximum flow to 1, of arcs (tail, head, capacity).

    Shortest paths are augmented until none is left (Edmonds and Karp, 1972).
    """
    left = defaultdict[int, dict[int, int]](dict)
    for tail, head, capacity in arcs:
        left[tail][head] = left[tail].get(head, 0) + capacity
        left[head].setdefault(tail, 0)
    while True:
        before, reached = {0: 0}, [0]
        for tail in reached:
            heads = [head for head, capacity in left[tail].items() if capacity and head not in before]
            before |= dict.fromkeys(heads, tail)
            reached += heads
        if 1 not in before:
            return set(reached)
        path = [1]
        while path[-1]:
            path.append(before[path[-1]])
        steps = [*pairwise(reversed(path))]
        flow = min(left[tail][head] for tail, head in steps)
        for tail, head in steps:
            left[tail][head] -= flow
            left[head][tail] += flow


def reached_by_library(arcs: Sequence[tuple[int, int, int]]) -> set[int]:
    """Return the same by OR-Tools."""
    from ortools.graph.python.max_flow import SimpleMaxFlow

    flow = SimpleMaxFlow()
    for tail, head, capacity in arcs:
        flow.add_arc_with_capacity(tail, head, capacity)
    status = cast(Any, flow).solve(0, 1)
    assert status == flow.OPTIMAL, status
    return {0, *flow.get_source_side_min_cut()}


def _min_cut(problem: Labelling, nodes: Sequence[int], terms: Sequence[_CopyTerm]) -> list[int] | None:
    """
    Return the forms of nodes by a minimum cut, None where the choice is no cut.

    A node of two forms is a vertex and a form is a side of the cut. All literals of one copy must mean the same side:
    then its cost is submodular. An auxiliary vertex joins the users, so that they share the copy.
    """
    sets = _Parities()
    for term in terms:
        literals = [*term.producers, *term.users]
        if not all(sets.unite(literals[0].node, literal.node, literals[0].form ^ literal.form) for literal in literals):
            return None
    if any(len(problem.forms[node]) > 2 for node in nodes):
        return None
    network = _FlowNetwork()
    infinite = 1 + sum(term.cost for term in terms)
    for index, term in enumerate(terms):
        node, form = (*term.producers, *term.users)[0]
        side = form ^ sets.find(node)[1]
        joint = side if term.always else network.vertex(("joint", index))
        producer = network.vertex(term.producers[0].node) if term.producers else 1 - side
        network.pay(term.cost, joint, producer, side)
        for user in term.users:
            network.pay(infinite, network.vertex(user.node), joint, side)
    zeros = network.zeros()
    return [(network.vertex(node) not in zeros) ^ sets.find(node)[1] for node in nodes]


def _integer_program(problem: Labelling, nodes: Sequence[int], terms: Sequence[_CopyTerm]) -> list[int]:
    """Return the forms of nodes by an integer program, for values of more than two layouts."""
    from ortools.sat.python import cp_model

    from ..core.solver import solve

    model = cp_model.CpModel()
    chosen: dict[int, list[cp_model.IntVar]] = {}
    for node in nodes:
        chosen[node] = [model.new_bool_var("") for _ in problem.forms[node]]
        model.add_exactly_one(chosen[node])
    costs: list[cp_model.LinearExprT] = []
    for term in terms:
        literals = [chosen[node][form] for node, form in term.producers]
        copied = model.new_bool_var("")
        costs.append(term.cost * copied)
        for user in [1] if term.always else [chosen[node][form] for node, form in term.users]:
            model.add(copied + sum(literals) >= user)
    model.minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.parse_text_format(f"num_workers: 1 random_seed: 0 max_deterministic_time: {_EFFORT}")
    status = solve(solver, model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE), solver.status_name(status)
    if status != cp_model.OPTIMAL:
        warnings.warn(f"layout assignment of {len(nodes)} ops is not proved minimal", stacklevel=2)
    return [list(map(solver.value, chosen[node])).index(1) for node in nodes]
