"""Memory plan of the near levels: resident buffers, fused groups, their tilings and addresses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...dialects.core.machine.level import Level
from .arena import BUDGET, Lifetime, place
from .candidates import Candidate
from .layers import Layers, loads
from .near import ResidentSet

LONGEST_GROUP = 3
"""Maximum number of kernels in a fused group."""


@dataclass(frozen=True)
class Choice:
    """Fused group of kernels `first` to `first + count - 1` with its tiling."""

    first: int
    count: int
    candidate: Candidate

    @property
    def last(self) -> int:
        """Number of the last kernel."""
        return self.first + self.count - 1

    @property
    def kernels(self) -> range:
        """Numbers of the kernels."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True)
class Plan:
    """Memory plan: the choice for every kernel, in program order, and the numbers of the resident buffers."""

    choices: tuple[Choice, ...]
    resident: frozenset[int]

    @cached_property
    def cycles(self) -> int:
        """Modelled cycles."""
        return sum(choice.candidate.cycles for choice in self.choices)

    def during(self, first: int, last: int) -> slice:
        """Return the slice of `choices` that intersects the kernels `first` to `last`."""
        begin = bisect_right(self.choices, first, key=lambda choice: choice.first) - 1
        return slice(begin, bisect_right(self.choices, last, key=lambda choice: choice.first))


@dataclass(frozen=True)
class Addresses:
    """
    Allocation in a level: offset of each choice's block and of each resident buffer, and the arena, in bytes.
    """

    blocks: tuple[int, ...]
    resident: dict[int, int]
    size: int


def best(near: ResidentSet, first: int, count: int) -> Choice | None:
    """Return the fastest fused group that fits; None if none fits."""
    options = near.layers.options(first, count, near.resident)
    candidate = options.fastest(near.available(first, first + count - 1, options.levels))
    return None if candidate is None else Choice(first, count, candidate)


def slower(near: ResidentSet, choice: Choice) -> bool:
    """Return whether a choice may be faster with more bytes of a level, or with more resident operands."""
    layers, capacity = near.layers, near.capacity
    options = layers.options(choice.first, choice.count, near.resident)
    taken = dict(zip((level.name for level in options.levels), choice.candidate.bytes, strict=True))
    touched = {n for i in choice.kernels for n in layers.buffers_of[i]}
    for buffer in (layers.buffers[n] for n in touched - near.resident):
        left = near.available(choice.first, choice.last, [layers.machine.level(buffer.level)])[0]
        if left - taken.get(buffer.level, 0) < buffer.size <= capacity[buffer.level]:
            return True
    fastest = options.fastest([capacity[level.name] for level in options.levels])
    return fastest is not None and choice.candidate.cycles > fastest.cycles


def is_contested(layers: Layers, plan: Plan, capacity: Mapping[str, int]) -> bool:
    """Return whether the capacity limits any choice."""
    near = ResidentSet(layers, plan.resident, capacity)
    return any(slower(near, choice) for choice in plan.choices)


def addresses_of(
    layers: Layers, plan: Plan, level: Level, reuse_distance: int = 0, size: int = 0, early: Sequence[int] | None = None
) -> Addresses:
    """
    Compute addresses in a level such that blocks and buffers with intersecting live ranges do not overlap.

    Bytes are not reused within `reuse_distance` kernels, as long as the live bytes stay within `size`. `early` gives
    the kernel at which the live range of each choice's block begins.
    """
    kept = sorted(n for n in plan.resident if layers.buffers[n].level == level.name)
    sizes = [_bytes_in(level, layers, choice) for choice in plan.choices]
    if not kept and not reuse_distance and early is None:
        return Addresses((0,) * len(plan.choices), {}, max(sizes, default=0))
    begins = [c.first for c in plan.choices] if early is None else early
    users = [number for number, size_in in enumerate(sizes) if size_in or len(layers.levels) == 1]
    blocks = [Lifetime(f"block {(c := plan.choices[n]).first}", sizes[n], begins[n], c.last) for n in users]
    needed = [*blocks, *(_lifetime(layers, plan, number) for number in kept)]
    needed = _longer(needed, reuse_distance, size) if reuse_distance else needed
    placement = place(needed, level.unit, 0 if reuse_distance or early is not None else BUDGET)
    offsets = placement.offsets
    tile_offsets = dict(zip(users, offsets[: len(blocks)], strict=True))
    resident = dict(zip(kept, offsets[len(blocks) :], strict=True))
    return Addresses(tuple(tile_offsets.get(n, 0) for n in range(len(sizes))), resident, placement.size)


def _bytes_in(level: Level, layers: Layers, choice: Choice) -> int:
    """Return the bytes of a choice's tiles and scratch in a level."""
    levels = layers.levels_of(choice.first, choice.count)
    return next((size for other, size in zip(levels, choice.candidate.bytes, strict=True) if other == level), 0)


def can_be_packed(layers: Layers, plan: Plan, capacity: Mapping[str, int]) -> bool:
    """Return whether addresses within its capacity are found in each level."""
    return all(addresses_of(layers, plan, level).size <= capacity[level.name] for level in layers.levels)


def _lifetime(layers: Layers, plan: Plan, number: int) -> Lifetime:
    """Compute the live range of a buffer; a fused group is one step."""
    users = plan.choices[plan.during(layers.buffers[number].first, layers.buffers[number].last)]
    return Lifetime(f"buffer {number}", layers.buffers[number].size, users[0].first, users[-1].last)


def _longer(needed: Sequence[Lifetime], reuse_distance: int, size: int) -> list[Lifetime]:
    """Extend live ranges by `reuse_distance` kernels while the live bytes stay within `size`, small buffers first."""
    ends = [lifetime.last for lifetime in needed]
    spans = ((lifetime.first, lifetime.last, lifetime.size) for lifetime in needed)
    load = loads(spans, max(ends, default=0) + reuse_distance + 1)
    order = sorted(range(len(needed)), key=lambda number: needed[number].size)
    for distance in range(1, reuse_distance + 1):
        for number in order:
            step = needed[number].last + distance
            if ends[number] == step - 1 and load[step] + needed[number].size <= size:
                ends[number], load[step] = step, load[step] + needed[number].size
    return [replace(lifetime, last=end) for lifetime, end in zip(needed, ends, strict=True)]


def lower_bound(layers: Layers) -> int:
    """Compute a lower bound of the cycles of any plan: engines compute without stalls."""
    return sum(layers.floor(index) for index in range(len(layers.ops)))
