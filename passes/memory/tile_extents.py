"""Candidate tile extents along each loop of a kernel."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from ...dialects.core.kernel import Kernel
from ..tiles.legality import can_cut_reductions, index_dims
from .hints import pinned_sizes
from .route import Route


@dataclass(frozen=True)
class Most:
    """Maximum numbers of tile sizes along a loop, along a reduction, and of their combinations; others are dropped."""

    per_loop: int = 12
    per_reduction: int = 6
    combinations: int = 2000
    costed: int = 32
    """Candidates with an exact cost."""


MAPPED = Most(combinations=3000)
"""Limits of the candidates that are mapped to several engine instances."""
IN_BLOCKS = Most(40, 16, 20000, 96)
"""Limits of the candidates on engines that compute in blocks: neighbouring sizes differ by whole and partial blocks."""


def most_of(op: Operation, kernel: Kernel, route: Route) -> Most:
    """Return the maximum numbers of candidates of a kernel on its engine."""
    support = route.engines[op].support(op)
    assert support is not None
    if route.copies > 1:
        return MAPPED
    return IN_BLOCKS if max(support.blocks(kernel), default=1) > 1 else Most()


def extents_to_try(op: Operation, kernel: Kernel, route: Route) -> list[list[int]]:
    """
    Enumerate the candidate tile extents along each loop: even cuts that the engine supports.

    Where the number of candidates is limited, cuts are preferred that divide evenly over the engine instances, or into
    the rows that an instruction moves.
    """
    support = route.engines[op].support(op)
    assert support is not None
    blocks, limits, spans = support.blocks(kernel), support.limits(kernel), support.spans(kernel)
    ends = support.padded_bounds(kernel)
    cuttable = can_cut_reductions(op, kernel)
    pinned = pinned_sizes(op) or (0,) * len(kernel.bounds)
    spanned = index_dims(kernel) | kernel.divided_dims
    most, rows = most_of(op, kernel, route), max((link.rows for link in route.machine.links), default=0)
    extents: list[list[int]] = []
    mapped: list[set[int]] = []
    for dim, bound in enumerate(kernel.bounds):
        reduced = dim in kernel.reduced
        mapped.append(set())
        if pinned[dim]:
            extents.append([pinned[dim]])
            continue
        if bound == 1 or spans[dim] or dim in spanned or (reduced and not cuttable):
            extents.append([ends[dim]])
            continue
        cuts = {-(-bound // count) for count in range(1, bound + 1)}
        cuts |= {_blocked(cut, rows, bound) for cut in cuts if rows and not reduced}
        cuts = {_blocked(cut, blocks[dim], ends[dim]) for cut in cuts}
        if reduced and not kernel.fill_is_neutral and ends[dim] == bound:
            cuts = {cut for cut in cuts if bound % cut == 0}
        kept = sorted(cut for cut in cuts if cut <= limits[dim])
        even = {_blocked(-(-bound // count), blocks[dim], ends[dim]) for count in _even_counts(bound, route.copies)}
        in_rows = set[int]() if reduced else {cut for cut in kept if rows and cut % rows == 0}
        mapped[dim] = {*even.intersection(kept), *_thinned(sorted(in_rows), most.per_loop // 4, ())}
        extents.append(_thinned(kept, most.per_reduction if reduced else most.per_loop, mapped[dim]))
    # Kernels differ widely in their number of loops, so the total number of combinations is bounded.
    while prod(map(len, extents)) > most.combinations:
        longest = max(extents, key=lambda sizes: (len(sizes), -sizes[-1] if len(sizes) == 2 else 0))
        dim = next(dim for dim, sizes in enumerate(extents) if sizes is longest)
        longest[:] = _thinner(longest, mapped[dim])
    return extents


def _blocked(size: int, block: int, bound: int) -> int:
    """Round a tile size up to a multiple of the engine's block, at most the loop's bound, padded if need be."""
    return min(bound, -(-size // block) * block)


def _even_counts(bound: int, copies: int) -> set[int]:
    """Return the numbers of tiles that divide evenly over engine instances: divisors of `copies`, times powers of 2."""
    if copies == 1:
        return set()
    divisors = [count for count in range(1, min(bound, copies) + 1) if copies % count == 0]
    return {count << power for count in divisors for power in range((bound // count).bit_length())}


def _thinner(sizes: list[int], mapped: Collection[int]) -> list[int]:
    """
    Halve the tile sizes of a loop, keeping the smallest and the whole; `mapped` ones survive others, the whole longest.
    """
    loose = [size for size in sizes[1:-1] if size not in mapped]
    if len(sizes) > 3 and mapped and loose:
        dropped = loose[1::2] or loose
        return [size for size in sizes if size not in dropped]
    if len(sizes) > 3:
        return [sizes[0], *sizes[1:-1:2], sizes[-1]]
    return [sizes[0], sizes[-1]] if len(sizes) == 3 else sizes[-1:]


def _thinned(sizes: list[int], most: int, mapped: Collection[int]) -> list[int]:
    """Drop every second size until at most `most` are left, beside the `mapped` ones."""
    while len(sizes) > most:
        sizes = [*sizes[:-1:2], sizes[-1]]
    return sorted({*sizes, *mapped})
