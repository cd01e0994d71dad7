"""Addresses for buffers that live at different times in one arena."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ...errors import Diagnostic
from .packing import Boxes, boxes_of, components, height, is_crowded, lower_bound, pack_simply

if TYPE_CHECKING:
    from .packing_search import Verdict

BUDGET = 1000
"""Units of search work where nothing else is said (see `packing_search`): seconds for a hard problem, mostly none."""


@dataclass(frozen=True)
class Lifetime:
    """
    A buffer of `size` bytes that is needed at the steps from `first` to `last`, both included.

    `address` is its offset in bytes where that is given: state that outlives a call (with a lifetime of all steps), or
    a place that something else demands.
    """

    name: str
    size: int
    first: int
    last: int
    address: int | None = None

    def meets(self, other: Lifetime) -> bool:
        """Return whether two buffers are needed at the same time."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Placement:
    """The offset of each buffer, the bytes of the arena, and the bytes that no arena can do without (proven)."""

    offsets: tuple[int, ...]
    size: int
    bound: int

    @property
    def optimal(self) -> bool:
        """Return whether no smaller arena is possible."""
        return self.size == self.bound


@dataclass(frozen=True)
class Decision:
    """
    Feasibility of a set of buffers within a capacity.

    `placement` is None where none was found; `exact` tells whether that is a proof, and is true of each placement.
    """

    placement: Placement | None
    exact: bool


def place(buffers: Sequence[Lifetime], alignment: int, budget: int = BUDGET) -> Placement:
    """
    Return offsets, multiples of `alignment` in bytes, such that buffers needed at the same time do not overlap.

    Tries first fit and best fit in several orders, and searches for better where they do not reach the lower bound,
    for `budget` units of work; with 0 it does not search. Sizes are rounded up to the alignment. Raises Diagnostic for
    a given address that is not aligned, and for two that overlap.
    """
    boxes, unit = _boxes(buffers, alignment)
    offsets, bound = _minimise(boxes, budget)
    return _placement(boxes, offsets, unit, bound)


def decide(buffers: Sequence[Lifetime], capacity: int, alignment: int, budget: int = BUDGET) -> Decision:
    """
    Return whether buffers fit into `capacity` bytes, of which whole alignments count, with a placement that does.

    Stops at the first that fits. Raises Diagnostic as `place` does.
    """
    boxes, unit = _boxes(buffers, alignment)
    limit = capacity // unit
    if lower_bound(boxes) > limit:
        return Decision(None, True)
    offsets, left = [0] * len(boxes), budget
    for group in components(boxes):
        part = boxes.part(group)
        found = pack_simply(part, limit)
        if height(part, found) > limit and is_crowded(part):
            return Decision(None, False)
        if height(part, found) > limit:
            verdict = _decide(part, limit, left)
            if verdict.offsets is None:
                return Decision(None, verdict.proved)
            found, left = verdict.offsets, left - verdict.spent
        for index, offset in zip(group, found, strict=True):
            offsets[index] = offset
    return Decision(_placement(boxes, offsets, unit, lower_bound(boxes)), True)


def fit(buffers: Sequence[Lifetime], capacity: int, alignment: int, budget: int = BUDGET) -> Placement | None:
    """Return a placement within `capacity` bytes, or None where `decide` finds none."""
    return decide(buffers, capacity, alignment, budget).placement


def peak(buffers: Sequence[Lifetime], sizes: Sequence[int]) -> int:
    """Return the most bytes that are needed at any one step."""
    return max((needed for _, needed in _demands(buffers, sizes)), default=0)


def peak_step(buffers: Sequence[Lifetime], alignment: int) -> int:
    """Return the first step of those at which most bytes are needed; there is at least one buffer."""
    demands = _demands(buffers, [_rounded(buffer.size, alignment) for buffer in buffers])
    return max(demands, key=lambda pair: (pair[1], -pair[0]))[0]


def _demands(buffers: Sequence[Lifetime], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return steps, those at which a buffer begins, with the bytes that are needed at each."""
    spans = [(buffer.first, buffer.last + 1) for buffer in buffers]
    changes: dict[int, int] = {}
    for (first, end), size in zip(spans, sizes, strict=True):
        changes[first] = changes.get(first, 0) + size
        changes[end] = changes.get(end, 0) - size
    needed, found = 0, list[tuple[int, int]]()
    for step in sorted(changes):
        needed += changes[step]
        found.append((step, needed))
    return found


def _rounded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _boxes(buffers: Sequence[Lifetime], alignment: int) -> tuple[Boxes, int]:
    """Return the buffers in the largest units of which sizes, alignment and addresses are multiples, and the unit."""
    sizes = [_rounded(buffer.size, alignment) for buffer in buffers]
    _check_addresses(buffers, sizes, alignment)
    addresses = [buffer.address for buffer in buffers]
    unit = math.gcd(*sizes, *(address for address in addresses if address is not None)) or alignment
    fixed = [None if address is None else address // unit for address in addresses]
    spans = [(buffer.first, buffer.last + 1) for buffer in buffers]
    return boxes_of([size // unit for size in sizes], spans, fixed), unit


def _check_addresses(buffers: Sequence[Lifetime], sizes: Sequence[int], alignment: int) -> None:
    given = [(b, b.address, size) for b, size in zip(buffers, sizes, strict=True) if b.address is not None]
    for buffer, address, _ in given:
        if address < 0 or address % alignment:
            raise Diagnostic(
                f"the address {address} of buffer '{buffer.name}' is not a multiple of the alignment",
                expected=f"a multiple of {alignment}",
                remedy="give an aligned address, or none",
            )
    for (one, low, size), (other, at, length) in combinations(given, 2):
        if one.meets(other) and low < at + length and at < low + size:
            raise Diagnostic(
                f"buffers '{one.name}' and '{other.name}' are needed at the same time at addresses that overlap",
                found=f"{low}..{low + size} and {at}..{at + length}",
                remedy="give one of them another address, or none",
            )


def _placement(boxes: Boxes, offsets: Sequence[int], unit: int, bound: int) -> Placement:
    return Placement(tuple(unit * offset for offset in offsets), unit * height(boxes, offsets), unit * bound)


def _minimise(boxes: Boxes, budget: int) -> tuple[list[int], int]:
    """Return offsets and a proven lower bound; groups of boxes that never meet are packed on their own."""
    offsets, bound = [0] * len(boxes), lower_bound(boxes)
    packed: list[tuple[list[int], Boxes, list[int]]] = []
    for group in components(boxes):
        part = boxes.part(group)
        packed.append((group, part, pack_simply(part, bound)))
    goal, left = bound, budget
    for group, part, found in sorted(packed, key=lambda entry: -height(entry[1], entry[2])):
        if height(part, found) > goal and left > 0 and not is_crowded(part):
            found, proven, spent = _improve(part, found, goal, left)
            bound, left = max(bound, proven), left - spent
        goal = max(goal, height(part, found))
        for index, offset in zip(group, found, strict=True):
            offsets[index] = offset
    return offsets, bound


def _improve(boxes: Boxes, offsets: list[int], goal: int, budget: int) -> tuple[list[int], int, int]:
    from . import packing_search  # OR-Tools takes most of a second to import; simple rules mostly suffice

    return packing_search.minimise(boxes, offsets, goal, budget)


def _decide(boxes: Boxes, capacity: int, budget: int) -> Verdict:
    from . import packing_search

    return packing_search.decide(boxes, capacity, budget)
