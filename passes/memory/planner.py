"""
Selection of the plan for the near levels of a hop.

An initial solution keeps all it can in the near level; where memory is short, a local search over whole windows of
layers refines it (plan_search).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from heapq import heappop, heappush

import numpy as np

from ...dialects.core.machine.level import Level
from ...errors import Diagnostic
from ...ir import where
from .candidates import Candidate
from .hints import hinted
from .layers import Layers
from .near import Largest, ResidentSet
from .plan import LONGEST_GROUP, Addresses, Choice, Plan, addresses_of, best, is_contested
from .prefetch import with_early_blocks
from .sweep import TOO_LARGE

_NEAR_FLOOR = 1.02
"""Kernels within this factor of their compute cycles are not refined."""

_ONE_AT_A_TIME = 32
"""Number of buffers evicted one by one, with a packing each, before larger batches."""

_SHARES = 1, 0.9, 0.8, 0.6, 0.4
"""Fractions of the capacity that extended live ranges may use, tried in order until a packing exists."""


class DoesNotFit(Diagnostic):
    """Near level too small; `needed` bytes suffice for the kernels examined."""

    needed: int = 0


def plan_layers(
    layers: Layers, capacity: Mapping[str, int], budget: float, reuse_distance: int = 0
) -> tuple[Plan, dict[str, Addresses]]:
    """
    Select a plan within the `capacity` in bytes of each near level, and allocate the addresses there.

    `budget` limits the refinement of the initial solution in units of work, about seconds but independent of the
    machine's speed; 0 disables it. Bytes are not reused for `reuse_distance` more kernels if the capacity permits.
    Raises Diagnostic for a kernel that no tiling fits.
    """
    plan = _fused(layers, _first(layers, capacity), capacity)
    if budget > 0 and is_contested(layers, plan, capacity):
        from .plan_search import improve  # OR-Tools takes most of a second to import

        plan = improve(layers, plan, capacity, budget)
    plan, addresses = _placed(layers, plan, capacity)
    for level in layers.levels:
        further = _with_reuse_distance(layers, plan, level, capacity[level.name], reuse_distance)
        addresses[level.name] = further or addresses[level.name]
    return plan, addresses


def _first(layers: Layers, capacity: Mapping[str, int]) -> Plan:
    """Build the initial solution: maximum residency, no fusion."""
    kept = (n for n, b in enumerate(layers.buffers) if b.keep or (b.keep is None and b.size <= capacity[b.level]))
    near = ResidentSet(layers, kept, capacity)
    spillable = {level.name: list[int]() for level in layers.levels}
    for number in near.resident:
        if not layers.buffers[number].keep:
            spillable[layers.buffers[number].level].append(number)
    free = {level: Largest(layers, numbers, _weight_of(layers)) for level, numbers in spillable.items()}
    fitting = set[int]()
    pending = list(range(len(layers.ops)))
    while pending:
        index = pending[0]
        if best(near, index, 1) is not None:
            fitting.add(heappop(pending))
            continue
        live = (free[level].at(index, near.resident) for level in _short_levels(near, index))
        number = next((candidate for candidate in live if candidate is not None), None)
        if number is None:
            raise _does_not_fit(layers, near.resident, capacity)
        near.toggle(number)
        # Kernels that do not touch the buffer have more capacity: they fit as before.
        for user in fitting.intersection(layers.users_of[number]):
            fitting.remove(user)
            heappush(pending, user)
    return _refilled(near, [again for index in range(len(layers.ops)) if (again := best(near, index, 1)) is not None])


def _short_levels(near: ResidentSet, index: int) -> list[str]:
    """Return the levels of a kernel's tiles, those with the most bytes taken by resident buffers first."""
    levels = near.layers.levels_of(index, 1)
    taken = {level.name: near.capacity[level.name] - near.available(index, index, [level])[0] for level in levels}
    return sorted(taken, key=lambda level: -taken[level])


def _weight_of(layers: Layers) -> Callable[[int], tuple[int, int]]:
    """Return the key of the eviction order, largest first: bytes times kernels, then the number."""

    def weight(number: int) -> tuple[int, int]:
        buffer = layers.buffers[number]
        return buffer.size * (buffer.last - buffer.first + 1), number

    return weight


def _refilled(near: ResidentSet, choices: list[Choice]) -> Plan:
    """Refine a plan without fusion: toggle the residency of each buffer if that is faster."""
    layers = near.layers
    limits = _Limits(near, choices)
    for number in sorted(range(len(layers.buffers)), key=_weight_of(layers)):
        pinned = layers.buffers[number].keep is not None
        if pinned or (number in near.resident and _is_near_floor(layers, choices, number)):
            continue
        near.toggle(number)
        indices = limits.crossed(number)
        changed = [choice for index in indices if (choice := best(near, index, 1)) is not None]
        saved = sum(choices[choice.first].candidate.cycles - choice.candidate.cycles for choice in changed)
        if len(changed) < len(indices) or saved <= 0:
            near.toggle(number)
            continue
        for moved in changed:
            choices[moved.first] = moved
            limits.note(moved)
    return Plan(tuple(choices), frozenset(near.resident))


class _Limits:
    """
    Capacity thresholds, in bytes of each level, at which the choice for each kernel changes.

    The choice does not fit below `_least` bytes, and another may be faster from `_more` bytes on, for unchanged
    residency of the kernel's operands.
    """

    def __init__(self, near: ResidentSet, choices: Sequence[Choice]):
        self._near = near
        self._least = {level: np.zeros(len(choices), np.int64) for level in near.capacity}
        self._more = {level: np.full(len(choices), TOO_LARGE, np.int64) for level in near.capacity}
        for choice in choices:
            self.note(choice)

    def note(self, choice: Choice) -> None:
        """Record the thresholds of a choice at the bytes available."""
        options = self._near.layers.options(choice.first, 1, self._near.resident)
        more = options.more(choice.candidate, self._near.available(choice.first, choice.first, options.levels))
        for level, least, most in zip(options.levels, choice.candidate.bytes, more, strict=True):
            self._least[level.name][choice.first] = least
            self._more[level.name][choice.first] = most

    def crossed(self, number: int) -> list[int]:
        """Return the kernels whose choice may change after a buffer has become resident or has been evicted."""
        buffer = self._near.layers.buffers[number]
        during, level = slice(buffer.first, buffer.last + 1), buffer.level
        left, least, more = (table[level][during] for table in (self._near.left, self._least, self._more))
        crossed = np.flatnonzero((left < least) | (left >= more)) + buffer.first
        return sorted({*crossed.tolist(), *self._near.layers.users_of[number]})


def _is_near_floor(layers: Layers, choices: Sequence[Choice], number: int) -> bool:
    """Return whether the kernels that use a buffer are near their compute bound."""
    users = layers.users_of[number]
    floor = sum(layers.floor(index) for index in users)
    return sum(choices[index].candidate.cycles for index in users) <= floor * _NEAR_FLOOR


def _fused(layers: Layers, plan: Plan, capacity: Mapping[str, int]) -> Plan:
    """
    Fuse neighbouring kernels with a non-resident intermediate: if faster, or if the far level is too small for it.
    """
    near = ResidentSet(layers, plan.resident, capacity)
    choices = [plan.choices[0]]
    for two in plan.choices[1:]:
        one = choices[-1]
        number = layers.joins(one.last)
        joined = None
        if number is not None and number not in plan.resident and one.count + two.count <= LONGEST_GROUP:
            joined = best(near, one.first, one.count + two.count)
        unfused = one.candidate.cycles + two.candidate.cycles
        if joined is None or (joined.candidate.cycles >= unfused and one.last not in layers.crowded):
            choices.append(two)
        else:
            choices[-1] = joined
    return Plan(tuple(choices), plan.resident)


def _placed(layers: Layers, plan: Plan, capacity: Mapping[str, int]) -> tuple[Plan, dict[str, Addresses]]:
    """
    Allocate addresses for a plan in each level; evict buffers until packings exist.

    The first _ONE_AT_A_TIME evictions are single; later batches have half as many buffers as evicted before.
    """
    near = ResidentSet(layers, plan.resident, capacity)
    evicted = 0
    while True:
        addresses = {level.name: addresses_of(layers, plan, level) for level in layers.levels}
        level = next((name for name, allocation in addresses.items() if allocation.size > capacity[name]), None)
        if level is None:
            return plan, addresses
        here = [n for n in plan.resident if layers.buffers[n].level == level and not layers.buffers[n].keep]
        free = sorted(here, key=_weight_of(layers))
        if not free:
            raise _cannot_be_packed(layers, level, addresses[level].size, capacity[level])
        count = 1 if evicted < _ONE_AT_A_TIME else evicted // 2
        plan = _without(near, plan, free[-count:])
        evicted += count


def _without(near: ResidentSet, plan: Plan, numbers: Sequence[int]) -> Plan:
    """Evict buffers from a plan and from `near`."""
    indices = set[int]()
    for number in numbers:
        near.toggle(number)
        during = plan.during(near.layers.buffers[number].first, near.layers.buffers[number].last)
        indices.update(range(during.start, during.stop))
    choices = list(plan.choices)
    for index in indices:
        again = best(near, choices[index].first, choices[index].count)
        assert again is not None, "evicting a buffer frees capacity"
        choices[index] = again
    return Plan(tuple(choices), frozenset(near.resident))


def _with_reuse_distance(
    layers: Layers, plan: Plan, level: Level, capacity: int, reuse_distance: int
) -> Addresses | None:
    """
    Allocate addresses in a level with the longest feasible reuse distance of bytes; None if the distance is 0.

    Before the last hop, blocks are reserved ahead of their kernels by the prefetch distance of their weights.
    """
    if not reuse_distance:
        return None
    early = None if layers.is_last else with_early_blocks(layers, plan, level, capacity)
    for share in _SHARES:
        addresses = addresses_of(layers, plan, level, reuse_distance, int(capacity * share), early)
        if addresses.size <= capacity:
            return addresses
    if early is not None and (addresses := addresses_of(layers, plan, level, early=early)).size <= capacity:
        return addresses
    return None


def _cannot_be_packed(layers: Layers, near: str, size: int, capacity: int) -> Diagnostic:
    return Diagnostic(
        f"the resident buffers do not fit {near}: {size - capacity:,} bytes short",
        where=where(layers.ops[0]),
        expected=f"addresses within {capacity:,} bytes",
        remedy=f"give {near} {size + layers.fixed[near]:,} bytes, or remove a hint hier.keep",
    )


def _does_not_fit(layers: Layers, resident: Set[int], capacity: Mapping[str, int]) -> Diagnostic:
    """Return the error of the kernel with the largest demand."""
    near = ResidentSet(layers, (n for n in resident if layers.buffers[n].keep), capacity)
    needs = [_need(near, index) for index in range(len(layers.ops))]
    return max(needs, key=lambda need: need[0])[1]


def _need(kept: ResidentSet, index: int) -> tuple[float, Diagnostic]:
    """Return the least bytes of the near level that a kernel needs, and the error if they are missing."""
    layers = kept.layers
    op, options = layers.ops[index], layers.options(index, 1, kept.resident)
    front = options.front
    pins = hinted([op, *(layers.buffers[n].alloc for n in sorted(kept.resident))])
    notes = [f"hints: {', '.join(pins)}"] if pins else []
    remove = ", or remove a hint" if pins else ""
    if not front:
        engine = layers.engines[op].name
        message = f"'{op.name}' cannot be cut into tiles that '{engine}' runs"
        if options.emptied:
            notes = [options.emptied, *notes]
        change = f"change what '{engine}' runs, or map the kernel to another engine (the attribute 'engine')"
        error = Diagnostic(message, where=where(op), notes=notes, remedy="remove a hint" if pins else change)
        return float("inf"), error
    available = kept.available(index, index, options.levels)
    least = min(
        front, key=lambda candidate: max(size - left for size, left in zip(candidate.bytes, available, strict=True))
    )
    level, size, left = max(
        zip(options.levels, least.bytes, available, strict=True), key=lambda entry: entry[1] - entry[2]
    )
    near, capacity = level.name, kept.capacity[level.name]
    needed = size + capacity - left
    notes = [_largest(layers, index, kept, least, level), *notes]
    error = DoesNotFit(
        f"no tiling of '{op.name}' fits {near}: {needed - capacity:,} bytes short",
        where=where(op),
        expected=f"tiles of {max(0, left):,} bytes in all",
        found=f"{size:,} bytes for the smallest tiles {list(least.sizes)}",
        remedy=f"give {near} {needed + layers.fixed[near]:,} bytes{remove}",
        notes=notes,
    )
    error.needed = needed
    return needed, error


def _largest(layers: Layers, index: int, kept: ResidentSet, candidate: Candidate, level: Level) -> str:
    """Describe the largest tile or scratch buffer of a candidate in a level."""
    tiling = layers.tiling(index, 1, candidate.sizes, kept.resident, candidate.alternative, candidate.panels)
    operands = list(tiling.op.operands)
    pairs = zip(tiling.tiles, candidate.stages, strict=True)
    buffers = [
        (tile.near_size * stages, f"operand {operands.index(tile.value)} has tiles of {list(tile.shape)}")
        for tile, stages in pairs
        if tile.level == level.name and not tile.starts
    ]
    scratch = [buffer for buffer in tiling.scratch if buffer.level == level.name]
    buffers += [(buffer.size, f"scratch is {list(buffer.shape)}") for buffer in scratch]
    size, text = max(buffers, default=(0, "no tile"))
    return f"most of it: {text}, {size:,} bytes"
