"""
Ways to cut a kernel into tiles for a near memory, each with the bytes it needs there and the time it is modelled to
take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import prod
from typing import cast

from xdsl.ir import Operation

from ...ir import element_of, numpy_type, shape_of
from ...targets.core.machine import Engine, Level, Link, Machine
from .tiling import OperandTile, Tiling, tiling_of
from .views import row_major

_SIZES_PER_DIMENSION = 12
"""How many tile sizes are tried along a dimension; beyond that every second, fourth, ... is left out."""


@dataclass(frozen=True)
class Candidate:
    """
    One way to do a kernel in tiles.

    `sizes` are the tile's extents in the kernel's loops, `order` the loops that are cut, outermost first, `stages`
    the buffers per operand of `Tiling.tiles`. `bytes` is what the tiles take in the near level, `cycles` the modelled
    time of the whole kernel.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    stages: tuple[int, ...]
    bytes: int
    cycles: int


@dataclass(frozen=True)
class Route:
    """Between which levels a kernel's operands move, and how."""

    machine: Machine
    engine: Engine
    near: Level
    fetch: Link
    store: Link


def candidates(op: Operation, route: Route, *, double_buffered: bool) -> list[Candidate]:
    """Return the ways to do a kernel that none other beats in both bytes and cycles, the smallest first."""
    price = route.machine.pricer(route.engine, op)
    if price is None:
        return []
    best: dict[tuple[int, int], Candidate] = {}
    for sizes in _sizes(op, route):
        tiling = tiling_of(op, sizes)
        cycles = None if tiling.blocked_dims() else price(sizes)
        if cycles is None:
            continue
        for stages in (1, 2) if double_buffered else (1,):
            for candidate in _ordered(tiling, route, cycles, stages):
                best.setdefault((candidate.bytes, candidate.cycles), candidate)
    return pareto(best.values())


def pareto(found: Iterator[Candidate] | Sequence[Candidate] | object) -> list[Candidate]:
    """Return the candidates that need fewer bytes than any that is as fast."""
    front: list[Candidate] = []
    for candidate in sorted(cast("Sequence[Candidate]", found), key=lambda c: (c.bytes, c.cycles, c.sizes, c.order)):
        if not front or candidate.cycles < front[-1].cycles:
            front.append(candidate)
    return front


def _sizes(op: Operation, route: Route) -> Iterator[tuple[int, ...]]:
    """Yield tile extents: even cuts of every parallel loop, as far as the engine allows."""
    whole = tiling_of(op)
    support = route.engine.support(op)
    assert support is not None
    kernel = whole.kernel
    blocks, limits, spans = support.blocks(kernel), support.limits(kernel), support.spans(kernel)
    choices: list[list[int]] = []
    for dim, bound in enumerate(kernel.bounds):
        if bound == 1 or dim in kernel.reduced or spans[dim]:
            choices.append([bound])
            continue
        cuts = {-(-bound // count) for count in range(1, bound + 1)}
        cuts = {min(bound, -(-cut // blocks[dim]) * blocks[dim]) for cut in cuts}
        choices.append(_thinned(sorted(cut for cut in cuts if cut <= limits[dim])))
    # The kernels of a network differ widely in how many loops they have; the total is kept within reach.
    while prod(map(len, choices)) > 4000:
        longest = max(choices, key=len)
        longest[1:-1] = longest[1:-1:2]
    return product(*choices)


def _thinned(sizes: list[int]) -> list[int]:
    while len(sizes) > _SIZES_PER_DIMENSION:
        sizes = [*sizes[:-1:2], sizes[-1]]
    return sizes


def _ordered(tiling: Tiling, route: Route, compute: int, stages: int) -> Iterator[Candidate]:
    """Yield the candidates of a tiling, one per order of the loops that are cut."""
    cut = [dim for dim, count in enumerate(tiling.counts) if count > 1]
    steps = prod(tiling.counts)
    transfers = [_transfer(tile, route) for tile in tiling.tiles]
    buffers = tuple(stages if tile.dims else 1 for tile in tiling.tiles)
    near = sum(_reserved(tile.bytes, route.near) * count for tile, count in zip(tiling.tiles, buffers, strict=True))
    orders = permutations(cut) if len(cut) <= 3 else [tuple(cut)]
    for order in orders:
        fetches = [_fetches(tile, tiling, order) for tile in tiling.tiles]
        moved = sum(count * cycles for count, cycles in zip(fetches, transfers, strict=True))
        total = _time(steps * compute, moved, transfers, tiling.tiles, overlapped=stages > 1 and steps > 1)
        yield Candidate(tiling.sizes, order, buffers, near, total)


def _reserved(size: int, level: Level) -> int:
    """Return the bytes that one buffer of a tile takes."""
    return -(-size // max(level.alignment, 8)) * max(level.alignment, 8)


def _fetches(tile: OperandTile, tiling: Tiling, order: Sequence[int]) -> int:
    """Return how many times an operand's tile changes: it stays while loops inside of those it depends on run."""
    moving = [place for place, dim in enumerate(order) if dim in tile.dims]
    return prod(tiling.counts[dim] for dim in order[: moving[-1] + 1]) if moving else 1


def _transfer(tile: OperandTile, route: Route) -> int:
    """Return the cycles of one transfer of a tile: contiguous rows, strided as the far buffer lies."""
    shape, extents = shape_of(tile.value), tile.extents
    row, axis = numpy_type(element_of(tile.value)).itemsize, len(extents)
    strides = row_major(shape)
    while axis and (strides[axis - 1] * numpy_type(element_of(tile.value)).itemsize == row):
        axis -= 1
        row *= extents[axis]
    link = route.store if tile.is_output else route.fetch
    return route.machine.transfer_cycles(link, row, extents[:axis])


def _time(compute: int, moved: int, transfers: Sequence[int], tiles: Sequence[OperandTile], *, overlapped: bool) -> int:
    """Return the modelled cycles: what can overlap counts once, the first fetches and the last write come on top."""
    if not overlapped:
        return compute + moved
    ends = sum(cycles for cycles, _ in zip(transfers, tiles, strict=True))
    return max(compute, moved - ends) + ends
