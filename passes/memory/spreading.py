"""Tiles spread over instances of an engine: which loops of a kernel are divided among them."""

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

    The number divides that of the tiles; each copy has as many, next to each other.
    """

    loops: tuple[tuple[int, int], ...] = ()

    @cached_property
    def copies(self) -> int:
        """The copies that work at once."""
        return prod(copies for _, copies in self.loops)

    def counts(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Return the tiles of one copy along each loop, given those of all."""
        divided = dict(self.loops)
        return tuple(count // divided.get(loop, 1) for loop, count in enumerate(counts))

    def order(self, order: Sequence[int], counts: Sequence[int]) -> tuple[int, ...]:
        """Return those of some loops that a copy still goes through."""
        own = self.counts(counts)
        return tuple(loop for loop in order if not self.loops or own[loop] > 1)

    def begins(self, counts: Sequence[int]) -> Iterator[dict[int, int]]:
        """Yield, for each copy, the number of its first tile along the loops that are divided."""
        own = self.counts(counts)
        for place in product(*(range(copies) for _, copies in self.loops)):
            yield {loop: at * own[loop] for (loop, _), at in zip(self.loops, place, strict=True)}


NOWHERE = Spread()
"""All tiles on one engine."""
