"""
Candidate tilings of a fused group, each with its near-level bytes and modelled cycles.

All tile sizes and loop orders are estimated together as arrays. The exact cost is computed lazily for tilings near
the estimated Pareto front. The selection does not depend on the capacity, so more memory never gives a slower plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise, takewhile
from typing import TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.core.machine.level import Level
from ...ir import Ints
from ..tiles.group import Tilings
from ..tiles.legality import Refusal
from .cost_model import CostModel, near_bytes
from .hints import pinned_stages
from .route import Route
from .spreading import NOWHERE, SpatialMapping
from .sweep import TOO_LARGE, Stages, Sweep

_PRICED_CHAINED = 24
"""Maximum number of candidates with operands from neighbours that have an exact cost: theirs takes longer."""
_SETTLED = 1 << 15
"""Points over all instances up to which the cost of a chosen candidate with operands from neighbours is exact."""
_GROUPS_PER_FASTEST = 4
"""Groups of neighbours in bytes for each of the fastest candidates, which get an exact cost whatever their bytes."""
_SINGLE = Stages(1, 1)
_SLACK = 1.03
"""Estimated cost, relative to the best of at most equal bytes, up to which a candidate gets an exact cost."""
_SLACK_MAPPED = 1.1
"""The same on several instances, where contention for links makes the estimate less exact."""


@dataclass(frozen=True)
class Candidate:
    """
    Tiling of a fused group with its cost.

    `sizes` are the tile extents in the leader's loops, `order` the tiled loops, outermost first, and `stages` the
    buffers per operand of `Tiling.tiles`. `bytes` is the footprint of tiles and scratch in each level of the route,
    over all engine instances that share it. `cycles` is the modelled time of the whole group.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    stages: tuple[int, ...]
    bytes: tuple[int, ...]
    cycles: int
    spread: SpatialMapping = NOWHERE
    alternative: int = 0
    """Number of the role levels of the group's operands among those that may be chosen."""
    panels: tuple[int, ...] = ()
    """Positions of the leader's inputs whose tiles are panels."""


class Candidates:
    """
    Candidate tilings of a fused group, costed lazily; `residency` has the level of operands outside of the far one.

    There are those of each of the `alternatives`, which differ in the role levels. The levels are those of
    the first one.
    A candidate whose compute cycles exceed the best cost found is pruned. `tried` is the number of tilings, and `legal`
    that of those that the rules of tilings and the engines permit; `refusals` are those of the rules, for remarks.
    The set is empty if an engine cannot run a kernel on any tile.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        alternatives: Mapping[int, tuple[Route, CostModel]],
        *,
        double_buffered: bool,
        residency: Mapping[SSAValue, str],
    ):
        first, _ = next(iter(alternatives.values()))
        self.levels, self.emptied, self.tried, self.legal = first.levels, "", 0, 0
        self.refusals: Sequence[Refusal] = ()
        lazy: list[_LazyCandidate] = []
        for number, (route, cost_model) in alternatives.items():
            sweep = Sweep.of(ops, route, cost_model, residency)
            self.emptied = self.emptied or sweep.emptied
            self.tried, self.legal = self.tried + sweep.tried, self.legal + len(sweep)
            self.refusals = self.refusals or sweep.refusals
            for variant in (sweep, *sweep.with_panels()):
                computing = _promising(variant, _stages(ops, variant, double_buffered))
                tilings = variant.tilings.take(np.array([row for row, _ in computing.values()], np.int64))
                lazy += [
                    _LazyCandidate(cost_model, (tilings, row), key, cycles, self.levels, number)
                    for row, (key, (_, cycles)) in enumerate(computing.items())
                ]
        self._lazy = sorted(lazy, key=lambda entry: entry.bound)

    @cached_property
    def costed(self) -> list[Candidate]:
        """All candidates with their costs."""
        return [entry.candidate for entry in self._lazy if entry.candidate is not None]

    @cached_property
    def front(self) -> list[Candidate]:
        """Pareto front of bytes and cycles, in increasing bytes."""
        return pareto(self.costed)

    def fastest(self, capacity: Sequence[int]) -> Candidate | None:
        """Return the fastest candidate within `capacity` bytes per level, the smallest of equals; None if none fits."""
        # Best first: the cost of an entry is a lower bound until it is asked for, and extrapolated until it is settled.
        queue: list[tuple[int, int, tuple[object, ...], int]] = [
            (entry.bound, 0, (), number) for number, entry in enumerate(self._lazy)
        ]
        while queue:
            _, asked, _, number = heappop(queue)
            entry = self._lazy[number]
            if asked == 2:
                return entry.settled
            if not asked and (entry.bytes is None or not fits(entry.bytes, capacity)):
                continue
            candidate = entry.settled if asked else entry.candidate
            if candidate is not None:
                heappush(queue, (candidate.cycles, 1 + asked, _rank(candidate), number))
        return None

    def more(self, best: Candidate, capacity: Sequence[int]) -> tuple[int, ...]:
        """Return per level the least bytes above `capacity` at which a candidate may be faster than `best`."""
        lazy = list(takewhile(lambda entry: entry.bound <= best.cycles, self._lazy))
        sizes = [entry.bytes for entry in lazy if entry.bytes is not None]
        return tuple(
            min((size[level] for size in sizes if size[level] > left), default=TOO_LARGE)
            for level, left in enumerate(capacity)
        )


def fits(sizes: Sequence[int], capacity: Sequence[int]) -> bool:
    """Return whether bytes per level are within the bytes available."""
    return all(size <= left for size, left in zip(sizes, capacity, strict=True))


def _rank(candidate: Candidate) -> tuple[object, ...]:
    return (
        candidate.cycles,
        candidate.bytes,
        candidate.sizes,
        candidate.order,
        candidate.spread.loops,
        candidate.spread.chained,
        candidate.alternative,
        candidate.panels,
    )


_Loops: TypeAlias = "tuple[tuple[int, int], ...]"
_Key: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], Stages, _Loops, bool]"
"""Tile sizes, order of the tiled loops, stages, instances per spatially mapped loop, operands from neighbours."""


class _LazyCandidate:
    """Candidate tiling; `bound` is a lower bound of its cost: the cycles of its engines, or of its transfers."""

    def __init__(
        self,
        cost_model: CostModel,
        row: tuple[Tilings, int],
        key: _Key,
        computing: int,
        levels: tuple[Level, ...],
        alternative: int,
    ):
        self._cost_model, self._key, self.bound = cost_model, key, computing
        self._levels, self._alternative = levels, alternative
        _, order, _, loops, chained = key
        self._row, self._spread = row, SpatialMapping(loops, chained)
        if loops:
            self.bound = cost_model.floor(self._tiling, order, self._spread, computing)

    @cached_property
    def _tiling(self) -> Tilings:
        tilings, number = self._row
        return tilings.row(number)

    @cached_property
    def _stages(self) -> tuple[int, ...]:
        _, order, stages, *_ = self._key
        own = frozenset(self._spread.order(order, self._tiling.grid))
        written = {tile for tile in self._tiling.tiles if tile.is_output or tile.starts}
        return tuple(
            1 if not tile.dims & own or tile.in_place else stages.outputs if tile in written else stages.inputs
            for tile in self._tiling.tiles
        )

    @cached_property
    def bytes(self) -> tuple[int, ...] | None:
        """Footprint in bytes in each level of the route; None if the tiling is illegal."""
        tiling, copies = self._tiling, self._spread.copies
        if self._spread.chained and not self._cost_model.route.are_neighbours(self._spread.extents):
            return None
        if tiling.cut_reductions and copies > 1 and copies > self._cost_model.copies_beside():
            return None
        route = self._cost_model.route
        sizes = [int(near_bytes(tiling, self._stages, level)[0]) for level in self._levels]
        return tuple(size * route.sharing(level, copies) for size, level in zip(sizes, self._levels, strict=True))

    @cached_property
    def candidate(self) -> Candidate | None:
        """Candidate with its exact cost; None if the tiling is illegal or an engine cannot run a tile."""
        if self.bytes is None:
            return None
        sizes, order, *_ = self._key
        cycles = self._cost_model.cycles(self._tiling, order, self._stages, self._spread)
        if cycles is None:
            return None
        panels = self._tiling.panels
        cycles = max(cycles, self.bound) if self._spread.chained else cycles
        return Candidate(sizes, order, self._stages, self.bytes, cycles, self._spread, self._alternative, panels)

    @cached_property
    def settled(self) -> Candidate | None:
        """Candidate whose cost is not extrapolated from its first points, unless it has very many."""
        if self.candidate is None or not self._spread.chained:
            return self.candidate
        _, order, *_ = self._key
        cycles = self._cost_model.cycles(self._tiling, order, self._stages, self._spread, _SETTLED)
        return self.candidate if cycles is None else replace(self.candidate, cycles=cycles)


def pareto(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the Pareto front of bytes per level and cycles."""
    front: list[Candidate] = []
    for candidate in sorted(
        candidates, key=lambda c: (sum(c.bytes), c.cycles, c.sizes, c.order, c.spread.loops, c.alternative, c.panels)
    ):
        if not any(fits(other.bytes, candidate.bytes) and other.cycles <= candidate.cycles for other in front):
            front.append(candidate)
    return front


@dataclass(frozen=True)
class _Estimates:
    """
    Estimates of all N tilings in one loop order, with some stages: bytes, total and compute cycles, each [N].
    """

    bytes: Ints
    times: Ints
    computing: Ints
    order: tuple[int, ...]
    stages: Stages
    divided: Ints | None = None
    """Engine instances along each loop [N, loops]."""
    chained: bool = False
    """Operands come from neighbours."""

    def key(self, sweep: Sweep, row: int) -> _Key:
        """Return the canonical key of a tiling's cost."""
        cut = tuple(dim for dim in self.order if sweep.counts[row, dim] > 1)
        extents = cast("list[int]", sweep.tilings.sizes[row].tolist())
        copies = cast("list[int]", self.divided[row].tolist()) if self.divided is not None else []
        loops = tuple((dim, copies[dim]) for dim in cut if copies and copies[dim] > 1)
        return tuple(extents), cut, self.stages if cut else _SINGLE, loops, self.chained and bool(loops)


def _stages(ops: Sequence[Operation], sweep: Sweep, double_buffered: bool) -> set[Stages]:
    """
    Return the permitted buffer stages: the pinned ones, else single and, with double buffering, double ones.

    Outputs whose sums start from an operand may have a third buffer, and those that hold partial sums only one.
    """
    pinned = {stages for op in ops if (stages := pinned_stages(op)) is not None}
    most = 3 if sweep.tilings.operands.starts else 2
    numbers = pinned or ({1, 2, 3} if double_buffered else {1})
    permitted = {Stages(min(number, 2), min(number, most)) for number in numbers}
    is_reused = double_buffered and not pinned and sweep.holds_sums and sweep.copies == 1
    return permitted | {Stages(2, 1)} if is_reused else permitted


def _promising(sweep: Sweep, stages: set[Stages]) -> dict[_Key, tuple[int, int]]:
    """Select tilings for an exact cost, with rows and compute cycles: on one engine instance, on all, on half, ..."""
    if not len(sweep):
        return {}
    sizes = {pair: sweep.all_bytes(pair) for pair in stages}
    chosen = _best(sweep, [estimates for order in sweep.orders() for estimates in _alone(sweep, order, stages, sizes)])
    copies = sweep.copies
    while copies > 1:
        mapped = [_on_copies(sweep, order, stages, copies) for order in sweep.orders()]
        chosen |= _best(sweep, [estimates for order in mapped for estimates in order], _SLACK_MAPPED)
        if sweep.route.chains:
            chained = [_on_copies(sweep, order, stages, copies, chained=True) for order in sweep.orders()]
            chosen |= _best(
                sweep, [estimates for order in chained for estimates in order], _SLACK_MAPPED, _PRICED_CHAINED
            )
        copies //= 2
    return chosen


def _best(
    sweep: Sweep, alternatives: Sequence[_Estimates], slack: float = _SLACK, most: int = 0
) -> dict[_Key, tuple[int, int]]:
    """Return the tilings near the Pareto front of estimated cycles and bytes, with their rows and compute cycles."""
    sizes = np.concatenate([estimates.bytes for estimates in alternatives])
    times = np.concatenate([estimates.times for estimates in alternatives])
    ranked = np.lexsort((times, sizes))
    if sizes[ranked[0]] < TOO_LARGE:
        ranked = ranked[sizes[ranked] < TOO_LARGE]
    best = np.minimum.accumulate(times[ranked])
    chosen: dict[_Key, tuple[int, int]] = {}
    computing: dict[_Key, tuple[int, int]] = {}
    for index in cast("list[int]", ranked[times[ranked] <= best * slack].tolist()):
        estimates, row = alternatives[index // len(sweep)], index % len(sweep)
        key = estimates.key(sweep, row)
        chosen.setdefault(key, (int(sizes[index]), int(times[index])))
        computing.setdefault(key, (row, int(estimates.computing[row])))
    return {key: computing[key] for key in _thinned(chosen, most or sweep.most.costed)}


def _alone(
    sweep: Sweep, order: tuple[int, ...], stages: set[Stages], sizes: Mapping[Stages, Ints]
) -> Iterator[_Estimates]:
    """Yield the estimates for one engine instance; `sizes` are the bytes by stages."""
    steps = sweep.counts.prod(axis=1)
    compute, moved, ends = sweep.estimate(order)
    if _SINGLE in stages:
        yield _Estimates(sizes[_SINGLE], compute + moved, compute, order, _SINGLE)
    for staging in sorted(stages - {_SINGLE}):
        busy = compute + sweep.exposed(order, staging)
        hidden = np.maximum(busy, moved - ends) + ends
        yield _Estimates(sizes[staging], np.where(steps > 1, hidden, compute + moved), compute, order, staging)


def _on_copies(
    sweep: Sweep, order: tuple[int, ...], stages: set[Stages], most: int, *, chained: bool = False
) -> Iterator[_Estimates]:
    """Yield the estimates for up to `most` engine instances, whose first transfers serialise on the shared link."""
    for divided in sweep.divided(order, most):
        copies = divided.prod(axis=1)
        compute, moved, ends = sweep.estimate(order, divided, chained=chained)
        own, first = moved // copies, ends
        passed, last = sweep.hops(order, divided) if chained else (0, 0)
        sizes = {staging: sweep.all_bytes(staging, divided) for staging in stages}
        if chained:
            fits = sweep.are_neighbours(order, divided)
            sizes = {staging: np.where(fits, size, 2 * TOO_LARGE) for staging, size in sizes.items()}
        if _SINGLE in stages:
            times = np.maximum(compute + own + passed - ends // copies, moved - first) + first + last
            yield _Estimates(sizes[_SINGLE], times, compute, order, _SINGLE, divided, chained)
        for staging in sorted(stages - {_SINGLE}):
            hidden = np.maximum(np.maximum(compute, passed), moved - first) + first + last
            yield _Estimates(sizes[staging], hidden, compute, order, staging, divided, chained)


def _thinned(sized: dict[_Key, tuple[int, int]], costed: int) -> list[_Key]:
    """Return the fastest of each of `costed` groups of neighbours in bytes, and the fastest of all."""
    ranked = sorted(sized, key=lambda key: (*sized[key], key))
    count = min(costed, len(ranked))
    ends = [len(ranked) * number // count for number in range(count + 1)]
    groups = [ranked[low:high] for low, high in pairwise(ends)]
    fastest = [min(group, key=lambda key: (sized[key][1], sized[key][0])) for group in groups]
    best = sorted(sized, key=lambda key: (sized[key][1], sized[key][0], key))
    return list(dict.fromkeys([ranked[0], *fastest, *best[: costed // _GROUPS_PER_FASTEST]]))
