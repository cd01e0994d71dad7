"""Streams of tiles say what a walk over the points of a loop nest sees."""

from __future__ import annotations

from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.passes.tiles.stream import TileStream, resident_steps, tiles_in_order

pytestmark = pytest.mark.quick


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_tile_is_resident_until_a_loop_moves_it(loops: list[tuple[int, bool]], shuffled: object) -> None:
    counts, moves = [count for count, _ in loops], [moved for _, moved in loops]
    order = list(range(len(loops)))
    shuffled.shuffle(order)  # type: ignore[attr-defined]
    moving = {dim for dim, moved in enumerate(moves) if moved}
    points = list(product(*(range(counts[dim]) for dim in order)))
    tiles = [tuple(at for at, dim in zip(point, order, strict=True) if dim in moving) for point in points]
    changes = 1 + sum(before != after for before, after in pairwise(tiles))
    assert resident_steps(counts, moving, order) == prod(counts) // changes
    assert tiles_in_order(np.array([counts]), np.array([moves]), order).tolist() == [changes]


@given(st.integers(1, 5), st.integers(1, 8))
def test_a_ring_of_an_output_holds_what_is_computed_written_and_started(stages: int, count: int) -> None:
    output, starter = TileStream(True, 1, count, stages), TileStream(False, 1, count, stages, starts=True)
    written = output.writes_in_flight(is_started=True)
    assert 1 <= written <= output.ring
    if stages < count:
        assert written + starter.prefetch_distance <= output.ring
    assert output.writes_in_flight(is_started=False) == output.ring


def test_the_first_steps_of_a_stream_end_with_the_last_of_these() -> None:
    assert TileStream(False, 4, 3, 2).within(12) == TileStream(False, 4, 3, 2)
    assert TileStream(False, 4, 3, 2).within(6) == TileStream(False, 4, 2, 2)
    assert TileStream(False, 8, 3, 2).within(6) == TileStream(False, 6, 1, 2)
