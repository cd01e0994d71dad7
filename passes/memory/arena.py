"""Static allocation: offsets of buffers with known live ranges in one arena."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ...errors import Diagnostic
from .packing import Boxes, Verdict, boxes_of, components, height, is_crowded, lower_bound, pack_simply

BUDGET = 1000
"""Default search budget in units of work (see `packing_search`): seconds for a hard problem, mostly none."""


@dataclass(frozen=True)
class Lifetime:
    """
    Buffer of `size` bytes with the live range [first, last] in steps.

    `address` is a fixed offset in bytes: of state that outlives a call (alive at all steps), or of a given place.
    """

    name: str
    size: int
    first: int
    last: int
    address: int | None = None

    def meets(self, other: Lifetime) -> bool:
        """Return whether two live ranges intersect."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Placement:
    """Allocation: the offset of each buffer, the size of the arena and a proven lower bound of it, all in bytes."""

    offsets: tuple[int, ...]
    size: int
    bound: int

    @property
    def optimal(self) -> bool:
        """Return whether the arena has the least possible size."""
        return self.size == self.bound


def place(buffers: Sequence[Lifetime], alignment: int, budget: int = BUDGET) -> Placement:
    """
    Compute offsets, multiples of `alignment` in bytes, such that buffers with intersecting live ranges do not overlap.

    Tries first fit and best fit in several orders. Searches for `budget` units of work if these miss the lower bound;
    a budget of 0 disables the search. Sizes are rounded up to the alignment. Raises Diagnostic for a fixed address
    that is not aligned, and for fixed buffers that overlap.
    """
    boxes, unit = _boxes(buffers, alignment)
    offsets, bound = _minimise(boxes, budget)
    return _placement(boxes, offsets, unit, bound)


def decide(buffers: Sequence[Lifetime], capacity: int, alignment: int, budget: int = BUDGET) -> Verdict:
    """
    Decide if buffers fit into `capacity` bytes, rounded down to the alignment, and return offsets in bytes if they do.

    Stops at the first placement. Raises Diagnostic as `place` does.
    """
    boxes, unit = _boxes(buffers, alignment)
    limit = capacity // unit
    if lower_bound(boxes) > limit:
        return Verdict(None, True, 0)
    offsets, left = [0] * len(boxes), budget
    for group in components(boxes):
        part = boxes.part(group)
        packed = pack_simply(part, limit)
        if height(part, packed) > limit and is_crowded(part):
            return Verdict(None, False, budget - left)
        if height(part, packed) > limit:
            verdict = _decide(part, limit, left)
            if verdict.offsets is None:
                return replace(verdict, spent=budget - left + verdict.spent)
            packed, left = verdict.offsets, left - verdict.spent
        for index, offset in zip(group, packed, strict=True):
            offsets[index] = offset
    return Verdict([unit * offset for offset in offsets], True, budget - left)


def peak_step(buffers: Sequence[Lifetime], alignment: int) -> int:
    """Return the first step with the peak of live bytes; `buffers` is not empty."""
    demands = _demands(buffers, [_rounded(buffer.size, alignment) for buffer in buffers])
    return max(demands, key=lambda pair: (pair[1], -pair[0]))[0]


def _demands(buffers: Sequence[Lifetime], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of a step at which a live range begins and the bytes live there."""
    spans = [(buffer.first, buffer.last + 1) for buffer in buffers]
    changes: dict[int, int] = {}
    for (first, end), size in zip(spans, sizes, strict=True):
        changes[first] = changes.get(first, 0) + size
        changes[end] = changes.get(end, 0) - size
    needed, demands = 0, list[tuple[int, int]]()
    for step in sorted(changes):
        needed += changes[step]
        demands.append((step, needed))
    return demands


def _rounded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _boxes(buffers: Sequence[Lifetime], alignment: int) -> tuple[Boxes, int]:
    """Return the buffers as boxes in units, and the unit: the greatest common divisor of sizes and addresses."""
    sizes = [_rounded(buffer.size, alignment) for buffer in buffers]
    _check_addresses(buffers, sizes, alignment)
    addresses = [buffer.address for buffer in buffers]
    unit = math.gcd(*sizes, *(address for address in addresses if address is not None)) or alignment
    fixed = [None if address is None else address // unit for address in addresses]
    spans = [(buffer.first, buffer.last + 1) for buffer in buffers]
    return boxes_of([size // unit for size in sizes], spans, fixed), unit


def _check_addresses(buffers: Sequence[Lifetime], sizes: Sequence[int], alignment: int) -> None:
    addressed = [(b, b.address, size) for b, size in zip(buffers, sizes, strict=True) if b.address is not None]
    for buffer, address, _ in addressed:
        if address < 0 or address % alignment:
            raise Diagnostic(
                f"the address {address} of buffer '{buffer.name}' is not a multiple of the alignment",
                expected=f"a multiple of {alignment}",
                remedy="give an aligned address, or none",
            )
    for (one, low, size), (other, at, length) in combinations(addressed, 2):
        if one.meets(other) and low < at + length and at < low + size:
            raise Diagnostic(
                f"buffers '{one.name}' and '{other.name}' are needed at the same time at addresses that overlap",
                found=f"{low}..{low + size} and {at}..{at + length}",
                remedy="give one of them another address, or none",
            )


def _placement(boxes: Boxes, offsets: Sequence[int], unit: int, bound: int) -> Placement:
    return Placement(tuple(unit * offset for offset in offsets), unit * height(boxes, offsets), unit * bound)


def _minimise(boxes: Boxes, budget: int) -> tuple[list[int], int]:
    """Compute offsets and a proven lower bound; components with disjoint live ranges are packed separately."""
    offsets, bound = [0] * len(boxes), lower_bound(boxes)
    packed: list[tuple[list[int], Boxes, list[int]]] = []
    for group in components(boxes):
        part = boxes.part(group)
        packed.append((group, part, pack_simply(part, bound)))
    goal, left = bound, budget
    for group, part, packing in sorted(packed, key=lambda entry: -height(entry[1], entry[2])):
        if height(part, packing) > goal and left > 0 and not is_crowded(part):
            packing, proven, spent = _improve(part, packing, goal, left)
            bound, left = max(bound, proven), left - spent
        goal = max(goal, height(part, packing))
        for index, offset in zip(group, packing, strict=True):
            offsets[index] = offset
    return offsets, bound


def _improve(boxes: Boxes, offsets: list[int], goal: int, budget: int) -> tuple[list[int], int, int]:
    from . import packing_search  # OR-Tools takes most of a second to import; simple rules mostly suffice

    return packing_search.minimise(boxes, offsets, goal, budget)


def _decide(boxes: Boxes, capacity: int, budget: int) -> Verdict:
    from . import packing_search

    return packing_search.decide(boxes, capacity, budget)
