"""Spatial mapping of a kernel's tiles onto instances of an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod


@dataclass(frozen=True)
class Spread:
    """
    Spatial mapping of tiles onto engine instances: `loops` pairs loops of a kernel, outermost first, with instances.

    The instances of a loop divide its number of tiles; each instance gets contiguous ones.
    """

    loops: tuple[tuple[int, int], ...] = ()

    @cached_property
    def copies(self) -> int:
        """Number of instances in use."""
        return prod(copies for _, copies in self.loops)

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
        own = self.counts(counts)
        for place in product(*(range(copies) for _, copies in self.loops)):
            yield {loop: at * own[loop] for (loop, _), at in zip(self.loops, place, strict=True)}


NOWHERE = Spread()
"""All tiles on one engine instance."""
