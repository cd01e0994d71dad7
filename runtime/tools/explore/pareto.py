"""Pareto-optimal points of a design space: those that no other point dominates."""

from __future__ import annotations

from collections.abc import Sequence
from operator import le


def pareto(costs: Sequence[tuple[float, ...]]) -> list[bool]:
    """
    Return for each vector of costs whether none dominates it: is at most as large everywhere, and smaller somewhere.

    Equal vectors are optimal together.
    """
    distinct = sorted(set(costs))
    front: list[tuple[float, ...]] = []
    for vector in distinct:  # one that dominates another comes before it
        if not any(all(map(le, other, vector)) for other in front):
            front.append(vector)
    optimal = set(front)
    return [vector in optimal for vector in costs]
