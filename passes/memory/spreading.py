"""Spatial mapping of a kernel's tiles onto instances of an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from ..tiles.operands import OperandTiles


@dataclass(frozen=True)
class SpatialMapping:
    """
    Spatial mapping of tiles onto engine instances: `loops` pairs loops of a kernel, outermost first, with instances.

    The instances of a loop divide its number of tiles; each instance gets contiguous ones. If `chained`, an instance
    takes the tiles of inputs that do not depend on a mapped loop from its neighbour along that loop.
    """

    loops: tuple[tuple[int, int], ...] = ()
    chained: bool = False

    @cached_property
    def copies(self) -> int:
        """Number of instances in use."""
        return prod(copies for _, copies in self.loops)

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """Number of instances along each mapped loop."""
        return tuple(copies for _, copies in self.loops)

    def chain(self, tile: OperandTiles) -> tuple[int, ...]:
        """Return the mapped loops, by position, along which instances take a tile from their neighbours."""
        if not self.chained or tile.is_output or not tile.has_buffer or tile.near is not None:
            return ()
        return tuple(position for position, (loop, _) in enumerate(self.loops) if loop not in tile.dims)

    def counts(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Return the tiles per instance along each loop, given the total."""
        divided = dict(self.loops)
        return tuple(count // divided.get(loop, 1) for loop, count in enumerate(counts))

    def order(self, order: Sequence[int], counts: Sequence[int]) -> tuple[int, ...]:
        """Return the loops of `order` that remain temporal within an instance."""
        own = self.counts(counts)
        return tuple(loop for loop in order if not self.loops or own[loop] > 1)

    def begins(self, counts: Sequence[int]) -> Iterator[dict[int, int]]:
        """Yield, for each instance, the number of its first tile along each spatially mapped loop."""
        for place in product(*map(range, self.extents)):
            yield self.begin(place, counts)

    def begin(self, place: Sequence[int], counts: Sequence[int]) -> dict[int, int]:
        """Return the number of the first tile of an instance along each spatially mapped loop."""
        own = self.counts(counts)
        return {loop: at * own[loop] for (loop, _), at in zip(self.loops, place, strict=True)}


NOWHERE = SpatialMapping()
"""All tiles on one engine instance."""
