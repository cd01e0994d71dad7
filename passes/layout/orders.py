"""Layouts of tensors as orders of their axes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Order: TypeAlias = tuple[int, ...]
"""The axes of a tensor as they follow each other in memory: (0, 2, 3, 1) is NHWC for a tensor [N, C, H, W]."""


def identity(rank: int) -> Order:
    """Return the row-major order of axes."""
    return tuple(range(rank))


def channels_last(rank: int) -> Order:
    """Return the order of axes of [N, C, spatial...] that is [N, spatial..., C]."""
    return (0, *range(2, rank), 1)


def swapped(rank: int) -> Order:
    """Return the order of axes that transposes the matrices of the last two."""
    return (*range(rank - 2), rank - 1, rank - 2)


def composed(first: Sequence[int], second: Sequence[int]) -> Order:
    """Return the order that takes axes in the order `first`, then those in the order `second`."""
    return tuple(first[axis] for axis in second)


def relative(old: Sequence[int], new: Sequence[int]) -> Order:
    """Return the permutation of a tensor in the order `old` that gives the order `new`."""
    return tuple(old.index(axis) for axis in new)


def memory_order(shape: Sequence[int], order: Sequence[int]) -> Order:
    """Return the axes of extents other than 1 in an order: layouts of equal memory order differ by a view."""
    return tuple(axis for axis in order if shape[axis] != 1)


def collapsed(shape: Sequence[int], groups: Sequence[Sequence[int]], order: Order) -> Order | None:
    """Return the order of axes that each merge a group of those in `order`; None where a group is not contiguous."""
    place = {axis: index for index, axis in enumerate(memory_order(shape, order))}
    for group in groups:
        places = [place[axis] for axis in group if axis in place]
        if places != list(range(places[0], places[0] + len(places)) if places else ()):
            return None

    def outermost(number: int) -> int:
        group = groups[number]
        return min((order.index(axis) for axis in group if axis in place), default=order.index(group[0]))

    return tuple(sorted(range(len(groups)), key=outermost))


def expanded(groups: Sequence[Sequence[int]], order: Order) -> Order:
    """Return the order of axes of which each group splits one axis in `order`."""
    return tuple(axis for whole in order for axis in groups[whole])
