"""Routes between the instances of a level: numbers of instances, and hops of transfers from neighbour to neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from operator import le
from typing import TypeAlias

from .link import Link

Edge: TypeAlias = tuple[int, int]
"""Instances of a level that a link joins, by number: the sender and the receiver."""


def route_between(extents: Sequence[int], link: Link, source: int, target: int) -> tuple[Edge, ...]:
    """
    Return the hops from one instance of a level to another, by number: along each coordinate in turn, the last first.

    `extents` are the instances of the level along each coordinate. On a torus the shorter way round is taken. A
    transfer within an instance is one hop to itself.
    """
    at, end = _point(source, extents), _point(target, extents)
    visited = [source]
    for axis in reversed(range(len(extents))):
        ahead = (end[axis] - at[axis]) % extents[axis]
        wraps = link.neighbours == "torus"
        forward = 2 * ahead <= extents[axis] if wraps else end[axis] >= at[axis]
        while at[axis] != end[axis]:
            at[axis] = (at[axis] + (1 if forward else -1)) % extents[axis]
            visited.append(_number(at, extents))
    return tuple(pairwise(visited)) or ((source, source),)


def instance_number(count: Sequence[int], point: Sequence[int], extents: Sequence[int]) -> int:
    """
    Return the number of an instance by its coordinates among the `count` of the machine.

    Coordinates in `extents` that do not fit those of the machine are numbered in row-major order.
    """
    fits = len(count) == len(point) and all(map(le, extents, count))
    return _number(point, count if fits else extents)


def _number(point: Sequence[int], extents: Sequence[int]) -> int:
    """Return the number of an instance, in row-major order."""
    return sum(index * prod(extents[axis + 1 :]) for axis, index in enumerate(point))


def _point(number: int, extents: Sequence[int]) -> list[int]:
    point: list[int] = []
    for extent in reversed(extents):
        number, index = divmod(number, extent)
        point.insert(0, index)
    return point
