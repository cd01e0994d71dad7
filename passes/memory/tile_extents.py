"""Candidate tile extents along each loop of a kernel."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from ...dialects.core.kernel import Kernel
from .hints import pinned_sizes
from .pricing import Route
from .tiling import can_cut_reductions, divided_dims, index_dims

SIZES_PER_LOOP = 12
"""Maximum number of tile sizes along a loop; of more, every second, fourth, ... is dropped."""
SIZES_PER_REDUCTION = 6
SIZES = 2000
"""Maximum number of combinations of tile sizes."""


def extents_to_try(op: Operation, kernel: Kernel, route: Route) -> list[list[int]]:
    """Enumerate the candidate tile extents along each loop: even cuts that the engine supports."""
    support = route.engines[op].support(op)
    assert support is not None
    blocks, limits, spans = support.blocks(kernel), support.limits(kernel), support.spans(kernel)
    cuttable = can_cut_reductions(op, kernel)
    pinned = pinned_sizes(op) or (0,) * len(kernel.bounds)
    spanned = index_dims(kernel) | divided_dims(kernel)
    found: list[list[int]] = []
    for dim, bound in enumerate(kernel.bounds):
        reduced = dim in kernel.reduced
        if pinned[dim]:
            found.append([pinned[dim]])
            continue
        if bound == 1 or spans[dim] or dim in spanned or (reduced and not cuttable):
            found.append([bound])
            continue
        cuts = {-(-bound // count) for count in range(1, bound + 1)}
        cuts = {min(bound, -(-cut // blocks[dim]) * blocks[dim]) for cut in cuts}
        if reduced and not kernel.fill_is_neutral:
            cuts = {cut for cut in cuts if bound % cut == 0}
        kept = sorted(cut for cut in cuts if cut <= limits[dim])
        found.append(_thinned(kept, SIZES_PER_REDUCTION if reduced else SIZES_PER_LOOP))
    # Kernels differ widely in their number of loops, so the total number of combinations is bounded.
    while prod(map(len, found)) > SIZES:
        longest = max(found, key=lambda sizes: (len(sizes), -sizes[-1] if len(sizes) == 2 else 0))
        longest[:] = _thinner(longest)
    return found


def _thinner(sizes: list[int]) -> list[int]:
    """Halve the tile sizes of a loop, keeping the smallest and the whole; the whole survives longest."""
    if len(sizes) > 3:
        return [sizes[0], *sizes[1:-1:2], sizes[-1]]
    return [sizes[0], sizes[-1]] if len(sizes) == 3 else sizes[-1:]


def _thinned(sizes: list[int], most: int) -> list[int]:
    while len(sizes) > most:
        sizes = [*sizes[:-1:2], sizes[-1]]
    return sizes
