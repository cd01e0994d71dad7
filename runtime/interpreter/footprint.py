"""Memory footprint of the arrays of a vectorised loop nest."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .facts import Facts
from .nests import Branch, Compute, Load, Loop, Node, Store

UNKNOWN_TRIPS = 64
"""Assumed trip count of a loop with unknown bounds."""


def footprint(facts: Facts, loop: Loop) -> int:
    """Estimate the elements of the largest array if one iteration of the loop is vectorised inside."""
    key, memo = ("footprint", id(loop)), facts.nest.memo
    if key not in memo:
        memo[key] = _Footprint(facts).of(loop)
    return memo[key]


class _Footprint:
    """Array sizes by the loops that each value varies with."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.varies: dict[int, frozenset[int]] = {}
        self.trips: dict[int, int] = {}
        self.largest = 1

    def of(self, loop: Loop) -> int:
        """Return the size of the largest array in one iteration of a loop."""
        self.trips[id(loop)] = 1
        self.varies[loop.index] = frozenset([id(loop)])
        self._nodes(loop.body, frozenset(), self._unmaterialised(loop))
        return self.largest

    def _unmaterialised(self, loop: Loop) -> set[int]:
        plan = self.facts.plan(loop) or []
        return {id(fold.product) for fold in plan if fold.product} | {
            id(fold.combiner) for fold in plan if fold.combiner
        }

    def _vary(self, numbers: Sequence[int]) -> frozenset[int]:
        return frozenset[int]().union(*(self.varies.get(number, frozenset[int]()) for number in numbers))

    def _set(self, numbers: Sequence[int], loops: frozenset[int]) -> None:
        self.varies.update(dict.fromkeys(numbers, loops))
        self.largest = max(self.largest, prod(self.trips[loop] for loop in loops))

    def _nodes(self, nodes: Sequence[Node], mask: frozenset[int], skipped: set[int]) -> None:
        for node in nodes:
            match node:
                case Compute() if id(node) in skipped:
                    self.varies.update(dict.fromkeys(node.outs, self._vary(node.args)))
                case Compute():
                    self._set(node.outs, self._vary(node.args))
                case Load():
                    self._set([node.out], self._vary(node.indices) | mask)
                case Store():
                    self._set([], self._vary([*node.indices, node.value]) | mask)
                case Branch():
                    under = mask | self._vary([node.condition])
                    self._nodes([*node.sides[0], *node.sides[1]], under, set())
                    self._set(node.outs, self._vary([*node.yields[0], *node.yields[1]]) | under)
                case Loop():
                    self._loop(node, mask)

    def _loop(self, loop: Loop, mask: frozenset[int]) -> None:
        plan = self.facts.plan(loop)
        spread = bool(plan) or self.facts.independent(loop)
        trips = self.facts.trips(loop)
        self.trips[id(loop)] = (UNKNOWN_TRIPS if trips is None else trips) if spread else 1
        bounds = self._vary([loop.lower, loop.upper])
        under = mask | bounds | (frozenset([id(loop)]) if bounds and spread else frozenset[int]())
        self.varies[loop.index] = bounds | {id(loop)}
        self.varies.update(dict.fromkeys(loop.args, self._vary(loop.inits)))
        self._nodes(loop.body, under, self._unmaterialised(loop))
        self._set(loop.outs, (self._vary([*loop.yields, *loop.inits]) | bounds | mask) - {id(loop)})
