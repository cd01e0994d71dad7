"""
Streams of tiles: the tiles of one operand in order of use by a loop over grid points.

The tiles are double-buffered in a ring. A stream gives the residency of a tile, and of its transfers the prefetch
distance and the writes in flight.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...ir import Ints


@dataclass(frozen=True)
class TileStream:
    """
    Tiles of one operand: a new tile every `run` steps, `count` tiles, in a ring of at most `stages` buffers.

    Those that `starts` sums are brought to the buffers of an output, whose `run` and `stages` they have.
    """

    is_output: bool
    run: int
    count: int
    stages: int
    starts: bool = False

    @property
    def ring(self) -> int:
        """Buffers of the ring, at most the number of tiles."""
        return min(self.stages, self.count)

    @property
    def starts_ahead(self) -> bool:
        """
        Return whether the sums of an output's next tile are started while the present one is computed.

        Of the buffers of the ring one is computed, and one may be written out: the next one is a third, or the second
        of two tiles.
        """
        return self.count > 1 and self.ring > min(2, self.count - 1)

    @property
    def prefetch_distance(self) -> int:
        """Tiles between the fetch of an input's tile and its use, 0 where each is waited for at once."""
        if self.is_output:
            return 0
        return int(self.starts_ahead if self.starts else self.stages > 1 and self.count > 1)

    def writes_in_flight(self, *, is_started: bool) -> int:
        """Return the writes of an output in flight at most: one less where an operand starts its next tile ahead."""
        return self.ring - (is_started and self.starts_ahead and self.stages < self.count)

    def within(self, steps: int) -> TileStream:
        """Return the tiles of the first steps, which end with the last of these."""
        run = min(self.run, steps)
        if run * self.count == steps:
            return self
        return TileStream(self.is_output, run, -(-steps // run), self.stages, self.starts)


def resident_steps(counts: Sequence[int], moving: Container[int], order: Sequence[int]) -> int:
    """
    Return the steps for which a tile is resident: those of the loops inside of the innermost that moves it.

    `counts` are the tiles along each loop, `moving` the loops along which the tile moves; `order` lists the loops of
    the nest, outermost first.
    """
    steps = 1
    for dim in reversed(order):
        if counts[dim] > 1 and dim in moving:
            break
        steps *= counts[dim]
    return steps


def tiles_in_order(counts: Ints, moving: NDArray[np.bool_], order: Sequence[int]) -> Ints:
    """
    Return the number of tiles in order of use [N]: the steps over those for which each is resident, for N tilings.

    `counts` are the tiles along each loop [N, loops], `moving` the loops along which the tile moves [N, loops].
    """
    total = np.ones(len(counts), np.int64)
    begun = np.zeros(len(counts), np.bool_)
    for dim in reversed(order):
        begun = begun | (moving[:, dim] & (counts[:, dim] > 1))
        total *= np.where(begun, counts[:, dim], 1)
    return total
