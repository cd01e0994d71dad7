"""Layouts through reshapes, against all layouts of small arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from tilewright.passes.layout.orders import collapsed, composed, expanded, relative
from tilewright.passes.layout.views import common_axes

pytestmark = pytest.mark.quick

SHAPES = ((2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 4, 1), (2, 3, 1, 5))


def _groupings(rank: int) -> Iterator[list[list[int]]]:
    """Yield the ways to merge neighbouring axes."""
    for bits in range(1 << (rank - 1)):
        groups = [[0]]
        for axis in range(1, rank):
            if bits >> (axis - 1) & 1:
                groups.append([axis])
            else:
                groups[-1].append(axis)
        yield groups


@pytest.mark.parametrize("shape", SHAPES)
def test_merged_axes_have_a_layout_where_they_follow_each_other(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    for groups in _groupings(len(shape)):
        y = x.reshape([int(np.prod([shape[axis] for axis in group])) for group in groups])
        for order in permutations(range(len(shape))):
            found = collapsed(shape, groups, order)
            views = [
                r
                for r in permutations(range(y.ndim))
                if np.array_equal(y.transpose(r).ravel(), x.transpose(order).ravel())
            ]
            assert found in views if views else found is None


@pytest.mark.parametrize("shape", SHAPES)
def test_split_axes_follow_each_other(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    for groups in _groupings(len(shape)):
        y = x.reshape([int(np.prod([shape[axis] for axis in group])) for group in groups])
        for order in permutations(range(y.ndim)):
            assert np.array_equal(y.transpose(order).ravel(), x.transpose(expanded(groups, order)).ravel())


def test_orders_compose_and_invert() -> None:
    for first in permutations(range(3)):
        for second in permutations(range(3)):
            assert composed(first, relative(first, second)) == second


def test_common_axes_are_the_most() -> None:
    assert common_axes((1, 64, 56, 56), (1, 1, 64, 3136)) == [64, 3136]
    assert common_axes((2, 6), (3, 4)) == [12]
    assert common_axes((1, 1), (1,)) == []
