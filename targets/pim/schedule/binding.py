"""Binding of branches to sub-arrays, so that branches that exchange rows lie near to each other."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from .packing import Rectangle
from .solve import StagePlan

Graph = Sequence[Set[int]]
"""Branches that each branch exchanges rows with."""


def shifted_windows(grid: int) -> Graph:
    """Return the exchanges of `grid` x `grid` windows whose image is shifted cyclically, as Swin does."""
    graph: list[set[int]] = [set() for _ in range(grid * grid)]
    for one in range(grid * grid):
        for down, right in ((0, 1), (1, 0), (1, 1)):
            row, column = (one // grid + down) % grid, (one % grid + right) % grid
            _join(graph, one, row * grid + column)
    return graph


def ring(branches: int) -> Graph:
    """Return the exchanges of branches in a ring, each with the one before and the one after."""
    graph: list[set[int]] = [set() for _ in range(branches)]
    for one in range(branches):
        _join(graph, one, (one + 1) % branches)
    return graph


def _join(graph: Sequence[set[int]], one: int, other: int) -> None:
    if one != other:
        graph[one].add(other)
        graph[other].add(one)


def slots(plan: StagePlan) -> list[tuple[int, Rectangle]]:
    """Return the sub-arrays of all layers with the numbers of these, by layer, row and column."""
    numbered: list[tuple[int, Rectangle]] = []
    for index, layer in enumerate(plan.layers):
        numbered += [(index, rectangle) for rectangle in sorted(layer.candidate.sub_arrays)]
    return numbered


def bind(plan: StagePlan, graph: Graph) -> list[tuple[int, Rectangle]]:
    """
    Return the layer and the sub-array of each branch, by list scheduling on the graph.

    Next is the branch with most neighbours bound, on the free sub-array with the least sum of Manhattan distances to
    them; ties go to the lowest index. No layer takes more branches than the plan has for it.
    """
    all_slots = slots(plan)
    layer_of = np.array([layer for layer, _ in all_slots])
    rows = np.array([rectangle[0] for _, rectangle in all_slots])
    columns = np.array([rectangle[1] for _, rectangle in all_slots])
    free = np.ones(len(all_slots), dtype=bool)
    left = [layer.branches for layer in plan.layers]
    bound: dict[int, int] = {}
    ready = np.zeros(len(graph), dtype=np.int64)
    for _ in range(len(graph)):
        branch = int(np.argmax(ready))
        near = [bound[other] for other in graph[branch] if other in bound]
        distance = np.zeros(len(all_slots), dtype=np.int64)
        for slot in near:
            distance += np.abs(rows - rows[slot]) + np.abs(columns - columns[slot])
        slot = int(np.argmin(np.where(free, distance, np.iinfo(np.int64).max)))
        bound[branch], free[slot], ready[branch] = slot, False, -1
        left[layer_of[slot]] -= 1
        if not left[layer_of[slot]]:
            free[layer_of == layer_of[slot]] = False
        for other in graph[branch]:
            ready[other] += ready[other] >= 0
    return [all_slots[bound[branch]] for branch in range(len(graph))]


def in_order(plan: StagePlan) -> list[tuple[int, Rectangle]]:
    """Return the binding of branches in the order of their numbers."""
    binding: list[tuple[int, Rectangle]] = []
    all_slots = slots(plan)
    for index, layer in enumerate(plan.layers):
        binding += [slot for slot in all_slots if slot[0] == index][: layer.branches]
    return binding


def consecutive(plan: StagePlan) -> list[tuple[int, Rectangle]]:
    """Return the binding of consecutive branches of a part to one sub-array, part after part, as programs have them."""
    rectangles = sorted(plan.layers[0].candidate.sub_arrays)
    layers = len(plan.layers) // plan.stage.parts
    parts = range(plan.stage.parts)
    return [(part * layers + layer, rectangle) for part in parts for rectangle in rectangles for layer in range(layers)]


def mean_hops(binding: Sequence[tuple[int, Rectangle]], graph: Graph) -> float:
    """Return the mean Manhattan distance of the exchanges, between the first nodes of sub-arrays."""
    pairs = [(binding[one][1], binding[other][1]) for one, others in enumerate(graph) for other in others]
    hops = (abs(first.row - second.row) + abs(first.column - second.column) for first, second in pairs)
    return sum(hops) / len(pairs) if pairs else 0.0
