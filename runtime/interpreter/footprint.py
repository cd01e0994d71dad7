"""Memory footprint of the arrays of a vectorised loop nest."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import prod

from .facts import NestFacts
from .nests import BranchNode, ComputeNode, LoadNode, LoopNode, Node, StoreNode

UNKNOWN_TRIPS = 64
"""Assumed trip count of a loop with unknown bounds."""


def footprint(facts: NestFacts, loop: LoopNode) -> int:
    """Estimate the elements of the largest array if one iteration of the loop is vectorised inside."""
    key, memo = ("footprint", loop), facts.nest.memo
    if key not in memo:
        memo[key] = _Footprint(facts).of(loop)
    return memo[key]


class _Footprint:
    """Array sizes by the loops that each value varies with."""

    def __init__(self, facts: NestFacts):
        self.facts = facts
        self.varies: dict[int, frozenset[LoopNode]] = {}
        """Number of a value -> the loops that it varies with."""
        self.trips: dict[LoopNode, int] = {}
        self.largest = 1

    def of(self, loop: LoopNode) -> int:
        """Return the size of the largest array in one iteration of a loop."""
        self.trips[loop] = 1
        self.varies[loop.index] = frozenset([loop])
        self._nodes(loop.body, frozenset(), self._unmaterialised(loop))
        return self.largest

    def _unmaterialised(self, loop: LoopNode) -> set[ComputeNode]:
        plan = self.facts.plan(loop) or []
        return {node for fold in plan for node in (fold.product, fold.combiner) if node is not None}

    def _vary(self, numbers: Sequence[int]) -> frozenset[LoopNode]:
        return frozenset[LoopNode]().union(*(self.varies.get(number, frozenset[LoopNode]()) for number in numbers))

    def _set(self, numbers: Sequence[int], loops: frozenset[LoopNode]) -> None:
        self.varies.update(dict.fromkeys(numbers, loops))
        self.largest = max(self.largest, prod(self.trips[loop] for loop in loops))

    def _nodes(self, nodes: Sequence[Node], mask: frozenset[LoopNode], skipped: Set[ComputeNode]) -> None:
        for node in nodes:
            match node:
                case ComputeNode() if node in skipped:
                    self.varies.update(dict.fromkeys(node.outs, self._vary(node.args)))
                case ComputeNode():
                    self._set(node.outs, self._vary(node.args))
                case LoadNode():
                    self._set([node.out], self._vary(node.indices) | mask)
                case StoreNode():
                    self._set([], self._vary([*node.indices, node.value]) | mask)
                case BranchNode():
                    under = mask | self._vary([node.condition])
                    self._nodes([*node.sides[0], *node.sides[1]], under, set())
                    self._set(node.outs, self._vary([*node.yields[0], *node.yields[1]]) | under)
                case LoopNode():
                    self._loop(node, mask)

    def _loop(self, loop: LoopNode, mask: frozenset[LoopNode]) -> None:
        plan = self.facts.plan(loop)
        spread = bool(plan) or self.facts.independent(loop)
        trips = self.facts.trips(loop)
        self.trips[loop] = (UNKNOWN_TRIPS if trips is None else trips) if spread else 1
        bounds = self._vary([loop.lower, loop.upper])
        under = mask | bounds | (frozenset([loop]) if bounds and spread else frozenset[LoopNode]())
        self.varies[loop.index] = bounds | {loop}
        self.varies.update(dict.fromkeys(loop.args, self._vary(loop.inits)))
        self._nodes(loop.body, under, self._unmaterialised(loop))
        self._set(loop.outs, (self._vary([*loop.yields, *loop.inits]) | bounds | mask) - {loop})
