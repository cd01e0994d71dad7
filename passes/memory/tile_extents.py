"""The tile extents that are tried along each loop of a kernel."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from ...dialects.core.kernel import Kernel
from .hints import pinned_sizes
from .pricing import Route
from .tiling import can_cut_reductions, divided_dims, index_dims

SIZES_PER_LOOP = 12
"""How many tile sizes are tried along a loop; beyond that every second, fourth, ... is left out."""
SIZES_PER_REDUCTION = 6
SIZES = 2000
"""How many combinations of tile sizes are tried."""


def extents_to_try(op: Operation, kernel: Kernel, route: Route) -> list[list[int]]:
    """Return the tile extents to try along each loop of a kernel: even cuts, as far as the engine allows."""
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
    # The kernels of a network differ widely in how many loops they have; the total is kept within reach.
    while prod(map(len, found)) > SIZES:
        longest = max(found, key=lambda sizes: (len(sizes), -sizes[-1] if len(sizes) == 2 else 0))
        longest[:] = _thinner(longest)
    return found


def _thinner(sizes: list[int]) -> list[int]:
    """Return fewer of the tile sizes of a loop: the least and the whole to the last, then the whole alone."""
    if len(sizes) > 3:
        return [sizes[0], *sizes[1:-1:2], sizes[-1]]
    return [sizes[0], sizes[-1]] if len(sizes) == 3 else sizes[-1:]


def _thinned(sizes: list[int], most: int) -> list[int]:
    while len(sizes) > most:
        sizes = [*sizes[:-1:2], sizes[-1]]
    return sizes
