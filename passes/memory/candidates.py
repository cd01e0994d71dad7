"""
Ways to do a group of kernels in tiles, each with the bytes it needs in the near level and its modelled time.

All tile sizes and loop orders are looked at together, as arrays, under an estimate of their time; those that may be
among the best are then priced to the cycle. Which ones these are does not depend on how much memory there is, so that
more memory never makes for a slower plan.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from .hints import pinned_stages
from .pricing import Pricer, Route, near_bytes
from .sweep import Ints, Sweep
from .tiling import Tiling, tiling_of

_PRICED = 32
"""How many candidates are priced to the cycle."""
_SLACK = 1.03
"""How much slower than another by the estimate a candidate may be and still be priced."""


@dataclass(frozen=True)
class Candidate:
    """
    One way to do a group of kernels in tiles.

    `sizes` are the tile's extents in the leader's loops, `order` the loops that are cut, outermost first, `stages`
    the buffers per operand of `Tiling.tiles`. `bytes` is what tiles and scratch take in the near level, `cycles` the
    modelled time of the whole group.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    stages: tuple[int, ...]
    bytes: int
    cycles: int


def candidates(
    ops: Sequence[Operation], route: Route, *, double_buffered: bool, resident: Collection[SSAValue] = ()
) -> list[Candidate]:
    """
    Return the ways to do a group that none other beats in both bytes and cycles, the smallest first.

    `resident` are the buffers that lie in the near level already. There is none where an engine cannot run a kernel on
    any tile.
    """
    pricer = Pricer(tuple(ops), route)
    sweep = Sweep(ops, route, pricer, frozenset(resident))
    found: list[Candidate] = []
    for sizes, order, double in _promising(sweep, _stages(ops, double_buffered)):
        tiling = tiling_of(ops, sizes, resident)
        stages = tuple(2 if double and tile.dims and not tile.in_place else 1 for tile in tiling.tiles)
        cycles = pricer.cycles(tiling, order, stages)
        if cycles is not None and (needed := _near_bytes(tiling, stages, route)) is not None:
            found.append(Candidate(sizes, order, stages, needed, cycles))
    return pareto(found)


def _near_bytes(tiling: Tiling, stages: Sequence[int], route: Route) -> int | None:
    """Return the bytes in the near level, None where outputs have a level of their own and do not fit there."""
    if route.outs == route.near:
        return near_bytes(tiling, stages, route.near)
    if near_bytes(tiling, stages, route.outs, ins=False) > route.outs.size:
        return None
    return near_bytes(tiling, stages, route.near, outs=False)


def pareto(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that need fewer bytes than any that is as fast."""
    front: list[Candidate] = []
    for candidate in sorted(found, key=lambda c: (c.bytes, c.cycles, c.sizes, c.order)):
        if not front or candidate.cycles < front[-1].cycles:
            front.append(candidate)
    return front


_Key: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], bool]"
"""Sizes, order of the loops that are cut, and whether tiles have two stages."""


def _stages(ops: Sequence[Operation], double_buffered: bool) -> set[int]:
    """Return how many stages tiles may have."""
    pinned = {stages for op in ops if (stages := pinned_stages(op)) is not None}
    return pinned or ({1, 2} if double_buffered else {1})


def _promising(sweep: Sweep, stages: set[int]) -> list[_Key]:
    """Return what to price to the cycle."""
    if not len(sweep):
        return []
    steps = sweep.counts.prod(axis=1)
    single, double = sweep.near_bytes(1), sweep.near_bytes(2)
    found: list[tuple[Ints, Ints, tuple[int, ...], bool]] = []
    for order in sweep.orders():
        compute, moved, ends = sweep.estimate(order)
        if 1 in stages:
            found.append((single, compute + moved, order, False))
        if 2 in stages:
            hidden = np.maximum(compute, moved - ends) + ends
            found.append((double, np.where(steps > 1, hidden, compute + moved), order, True))
    sizes, times = np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])
    ranked = np.lexsort((times, sizes))
    best = np.minimum.accumulate(times[ranked])
    chosen: dict[_Key, tuple[int, int]] = {}
    for index in cast("list[int]", ranked[times[ranked] <= best * _SLACK].tolist()):
        (_, _, order, twice), row = found[index // len(sweep)], index % len(sweep)
        cut = tuple(dim for dim in order if sweep.counts[row, dim] > 1)
        extents = cast("list[int]", sweep.sizes[row].tolist())
        key = tuple(extents), cut, twice and bool(cut)
        chosen.setdefault(key, (int(sizes[index]), int(times[index])))
    return _spread(chosen)


def _spread(found: dict[_Key, tuple[int, int]]) -> list[_Key]:
    """Return at most so many keys as are to be priced: of those close to each other in bytes, the fastest."""
    ranked = sorted(found, key=lambda key: (*found[key], key))
    count = min(_PRICED, len(ranked))
    ends = [len(ranked) * number // count for number in range(count + 1)]
    groups = [ranked[low:high] for low, high in pairwise(ends)]
    fastest = [min(group, key=lambda key: (found[key][1], found[key][0])) for group in groups]
    return list(dict.fromkeys([ranked[0], *fastest]))
