"""
Ways to do a group of kernels in tiles, each with the bytes it needs in the near level and its modelled time.

All tile sizes and loop orders are looked at together, as arrays, under an estimate of their time; those that may be
among the best are then priced to the cycle. Which ones these are does not depend on how much memory there is, so that
more memory never makes for a slower plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from .hints import pinned_stages
from .pricing import Pricer, Route, near_bytes
from .spreading import NOWHERE, Spread
from .sweep import Sweep
from .tile_arrays import Ints
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
    the buffers per operand of `Tiling.tiles`. `bytes` is what tiles and scratch take in the near level, those of all
    copies that share it, `cycles` the modelled time of the whole group.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    stages: tuple[int, ...]
    bytes: int
    cycles: int
    spread: Spread = NOWHERE


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
    for sizes, order, double, loops in _promising(sweep, _stages(ops, double_buffered)):
        tiling, spread = tiling_of(ops, sizes, resident), Spread(loops)
        if len(ops) > 1 and tiling.blocked_dims():
            continue
        if tiling.cut_reductions and spread.copies > 1 and spread.copies > pricer.copies_beside():
            continue
        own = frozenset(spread.order(order, tiling.counts))
        stages = tuple(2 if double and tile.dims & own and not tile.in_place else 1 for tile in tiling.tiles)
        cycles = pricer.cycles(tiling, order, stages, spread)
        if cycles is not None and (needed := _near_bytes(tiling, stages, route, spread.copies)) is not None:
            found.append(Candidate(sizes, order, stages, needed, cycles, spread))
    return pareto(found)


def _near_bytes(tiling: Tiling, stages: Sequence[int], route: Route, copies: int) -> int | None:
    """Return the bytes in the near level, None where outputs have a level of their own and do not fit there."""
    near, outs = route.sharing(route.near, copies), route.sharing(route.outs, copies)
    if route.outs == route.near:
        return near_bytes(tiling, stages, route.near) * near
    if near_bytes(tiling, stages, route.outs, ins=False) * outs > route.outs.size:
        return None
    return near_bytes(tiling, stages, route.near, outs=False) * near


def pareto(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that need fewer bytes than any that is as fast."""
    front: list[Candidate] = []
    for candidate in sorted(found, key=lambda c: (c.bytes, c.cycles, c.sizes, c.order, c.spread.loops)):
        if not front or candidate.cycles < front[-1].cycles:
            front.append(candidate)
    return front


_Loops: TypeAlias = "tuple[tuple[int, int], ...]"
_Key: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], bool, _Loops]"
"""Sizes, order of the loops that are cut, whether tiles have two stages, and the loops divided among copies."""


@dataclass(frozen=True)
class _Estimates:
    """The bytes and the estimated time of all tilings [N], in one order, with one or two stages, spread or not."""

    bytes: Ints
    times: Ints
    order: tuple[int, ...]
    double: bool
    divided: Ints | None = None
    """The copies that each loop is divided among [N, loops]."""

    def key(self, sweep: Sweep, row: int) -> _Key:
        """Return what to price of a tiling."""
        cut = tuple(dim for dim in self.order if sweep.counts[row, dim] > 1)
        extents = cast("list[int]", sweep.sizes[row].tolist())
        copies = cast("list[int]", self.divided[row].tolist()) if self.divided is not None else []
        loops = tuple((dim, copies[dim]) for dim in cut if copies and copies[dim] > 1)
        return tuple(extents), cut, self.double and bool(cut), loops


def _stages(ops: Sequence[Operation], double_buffered: bool) -> set[int]:
    """Return how many stages tiles may have."""
    pinned = {stages for op in ops if (stages := pinned_stages(op)) is not None}
    return pinned or ({1, 2} if double_buffered else {1})


def _promising(sweep: Sweep, stages: set[int]) -> list[_Key]:
    """Return what to price to the cycle: for one engine, for all copies of it, for half of them, and so on."""
    if not len(sweep):
        return []
    sizes = {each: sweep.near_bytes(each) for each in (1, 2)}
    found = _best(sweep, [each for order in sweep.orders() for each in _alone(sweep, order, stages, sizes)])
    copies = sweep.copies
    while copies > 1:
        found += _best(sweep, [each for order in sweep.orders() for each in _on_copies(sweep, order, stages, copies)])
        copies //= 2
    return list(dict.fromkeys(found))


def _best(sweep: Sweep, found: Sequence[_Estimates]) -> list[_Key]:
    """Return what is hardly slower by the estimate than all that needs no more bytes."""
    sizes, times = np.concatenate([each.bytes for each in found]), np.concatenate([each.times for each in found])
    ranked = np.lexsort((times, sizes))
    best = np.minimum.accumulate(times[ranked])
    chosen: dict[_Key, tuple[int, int]] = {}
    for index in cast("list[int]", ranked[times[ranked] <= best * _SLACK].tolist()):
        key = found[index // len(sweep)].key(sweep, index % len(sweep))
        chosen.setdefault(key, (int(sizes[index]), int(times[index])))
    return _thinned(chosen)


def _alone(sweep: Sweep, order: tuple[int, ...], stages: set[int], sizes: Mapping[int, Ints]) -> Iterator[_Estimates]:
    """Yield the estimates for one engine; `sizes` are the bytes with one and with two stages."""
    steps = sweep.counts.prod(axis=1)
    compute, moved, ends = sweep.estimate(order)
    if 1 in stages:
        yield _Estimates(sizes[1], compute + moved, order, False)
    if 2 in stages:
        hidden = np.maximum(compute, moved - ends) + ends
        yield _Estimates(sizes[2], np.where(steps > 1, hidden, compute + moved), order, True)


def _on_copies(sweep: Sweep, order: tuple[int, ...], stages: set[int], most: int) -> Iterator[_Estimates]:
    """Yield the estimates for so many copies, which share the link: their first transfers come one after the other."""
    divided = sweep.divided(order, most)
    copies = divided.prod(axis=1)
    compute, moved, ends = sweep.estimate(order, divided)
    own, first = moved // copies, ends * copies
    if 1 in stages:
        yield _Estimates(sweep.near_bytes(1, divided), np.maximum(compute + own, moved), order, False, divided)
    if 2 in stages:
        hidden = np.maximum(compute, moved - first) + first
        yield _Estimates(sweep.near_bytes(2, divided), hidden, order, True, divided)


def _thinned(found: dict[_Key, tuple[int, int]]) -> list[_Key]:
    """Return at most so many keys as are to be priced: of those close to each other in bytes, the fastest."""
    ranked = sorted(found, key=lambda key: (*found[key], key))
    count = min(_PRICED, len(ranked))
    ends = [len(ranked) * number // count for number in range(count + 1)]
    groups = [ranked[low:high] for low, high in pairwise(ends)]
    fastest = [min(group, key=lambda key: (found[key][1], found[key][0])) for group in groups]
    return list(dict.fromkeys([ranked[0], *fastest]))
