"""
Selection of the plan for a near level.

An initial solution keeps all it can in the near level; where memory is short, a local search over whole windows of
layers refines it (plan_search).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from ...errors import Diagnostic
from ...ir import where
from .hints import hinted
from .layers import Layers
from .near import Largest, Near
from .plan import LONGEST_GROUP, Addresses, Choice, Plan, addresses_of, best, is_contested
from .prefetch import with_early_blocks

_NEAR_FLOOR = 1.02
"""Kernels that take no more than this times what their engines compute are left as they are."""

_ONE_AT_A_TIME = 32
"""How many buffers are given up one after the other, with a packing each, until there are addresses."""

_SHARES = 1, 0.9, 0.8, 0.6, 0.4
"""How much of a near level may be taken by what is not needed any more, tried in turn until there are addresses."""


class DoesNotFit(Diagnostic):
    """A near level is too small; `needed` bytes are enough for the kernels that were looked at."""

    needed: int = 0


def plan_layers(layers: Layers, capacity: int, budget: float, apart: int = 0) -> tuple[Plan, Addresses]:
    """
    Return a plan within `capacity` bytes of the near level, and its addresses.

    `budget` limits the search for a better plan than the first, in units of work that do not depend on the machine's
    speed, about seconds; 0 takes the first. Where there is room, bytes are not used again for `apart` more kernels.
    Raises Diagnostic where a kernel fits in no tiles.
    """
    plan = _fused(layers, _first(layers, capacity), capacity)
    if budget > 0 and is_contested(layers, plan, capacity):
        from .plan_search import improve  # OR-Tools takes most of a second to import

        plan = improve(layers, plan, capacity, budget)
    plan, addresses = _placed(layers, plan, capacity)
    return plan, _set_apart(layers, plan, capacity, apart) or addresses


def _first(layers: Layers, capacity: int) -> Plan:
    """Return the plan that keeps as much as it can, one kernel at a time."""
    kept = (n for n, b in enumerate(layers.buffers) if b.keep or (b.keep is None and b.size <= capacity))
    near = Near(layers, kept, capacity)
    free = Largest(layers, (n for n in near.resident if not layers.buffers[n].keep), _weight_of(layers))
    fitting = set[int]()
    pending = list(range(len(layers.ops)))
    while pending:
        index = pending[0]
        if best(near, index, 1) is not None:
            fitting.add(heappop(pending))
            continue
        number = free.at(index, near.resident)
        if number is None:
            raise _does_not_fit(layers, near.resident, capacity)
        near.toggle(number)
        # Kernels that do not touch the buffer have more room: they fit as before.
        for user in fitting.intersection(layers.users_of[number]):
            fitting.remove(user)
            heappush(pending, user)
    return _refilled(near, [again for index in range(len(layers.ops)) if (again := best(near, index, 1)) is not None])


def _weight_of(layers: Layers) -> Callable[[int], tuple[int, int]]:
    """Return the order in which buffers are evicted, the last first: by bytes times kernels, then by number."""

    def weight(number: int) -> tuple[int, int]:
        buffer = layers.buffers[number]
        return buffer.size * (buffer.last - buffer.first + 1), number

    return weight


def _refilled(near: Near, choices: list[Choice]) -> Plan:
    """Return a plan, given one choice for each kernel, with buffers taken in, or evicted, where that is faster."""
    layers = near.layers
    limits = _Limits(near, choices)
    for number in sorted(range(len(layers.buffers)), key=_weight_of(layers)):
        pinned = layers.buffers[number].keep is not None
        if pinned or (number in near.resident and _is_near_floor(layers, choices, number)):
            continue
        near.toggle(number)
        indices = limits.crossed(number)
        changed = [found for index in indices if (found := best(near, index, 1)) is not None]
        saved = sum(choices[each.first].candidate.cycles - each.candidate.cycles for each in changed)
        if len(changed) < len(indices) or saved <= 0:
            near.toggle(number)
            continue
        for each in changed:
            choices[each.first] = each
            limits.note(each)
    return Plan(tuple(choices), frozenset(near.resident))


class _Limits:
    """
    The bytes of room at which the choice for each kernel changes.

    It fits no longer with fewer than `_least`, and another one may be faster with `_more`, where the buffers that the
    kernel touches stay as they are.
    """

    def __init__(self, near: Near, choices: Sequence[Choice]):
        self._near = near
        self._least, self._more = np.zeros(len(choices), np.int64), np.zeros(len(choices), np.int64)
        for choice in choices:
            self.note(choice)

    def note(self, choice: Choice) -> None:
        """Note the choice for a kernel with the room that there is."""
        options = self._near.layers.options(choice.first, 1, self._near.resident)
        self._least[choice.first] = choice.candidate.bytes
        self._more[choice.first] = options.more(choice.candidate, self._near.room(choice.first, choice.first))

    def crossed(self, number: int) -> list[int]:
        """Return the kernels whose choice may differ now that a buffer has been brought in or evicted."""
        buffer = self._near.layers.buffers[number]
        during = slice(buffer.first, buffer.last + 1)
        left = self._near.left[during]
        crossed = np.flatnonzero((left < self._least[during]) | (left >= self._more[during])) + buffer.first
        return sorted({*crossed.tolist(), *self._near.layers.users_of[number]})


def _is_near_floor(layers: Layers, choices: Sequence[Choice], number: int) -> bool:
    """Return whether the kernels that use a buffer take hardly longer than the engines compute."""
    users = layers.users_of[number]
    floor = sum(layers.floor(index) for index in users)
    return sum(choices[index].candidate.cycles for index in users) <= floor * _NEAR_FLOOR


def _fused(layers: Layers, plan: Plan, capacity: int) -> Plan:
    """
    Return a plan with neighbours fused where what is between them does not stay near anyway: where that is
    faster, and where it has no room in the far level.
    """
    near = Near(layers, plan.resident, capacity)
    choices = [plan.choices[0]]
    for two in plan.choices[1:]:
        one = choices[-1]
        number = layers.joins(one.last)
        joined = None
        if number is not None and number not in plan.resident and one.count + two.count <= LONGEST_GROUP:
            joined = best(near, one.first, one.count + two.count)
        apart = one.candidate.cycles + two.candidate.cycles
        if joined is None or (joined.candidate.cycles >= apart and one.last not in layers.crowded):
            choices.append(two)
        else:
            choices[-1] = joined
    return Plan(tuple(choices), plan.resident)


def _placed(layers: Layers, plan: Plan, capacity: int) -> tuple[Plan, Addresses]:
    """
    Return addresses for a plan, which evicts buffers until there are some.

    The first _ONE_AT_A_TIME are evicted one at a time, others half as many at a time as have been before.
    """
    near = Near(layers, plan.resident, capacity)
    free = sorted((n for n in plan.resident if not layers.buffers[n].keep), key=_weight_of(layers))
    given_up = 0
    while True:
        found = addresses_of(layers, plan)
        if found.size <= capacity:
            return plan, found
        if not free:
            raise _cannot_be_packed(layers, found.size, capacity)
        count = 1 if given_up < _ONE_AT_A_TIME else given_up // 2
        plan = _without(near, plan, free[-count:])
        del free[-count:]
        given_up += count


def _without(near: Near, plan: Plan, numbers: Sequence[int]) -> Plan:
    """Return a plan with less buffers in the near level, and leave that without them."""
    indices = set[int]()
    for number in numbers:
        near.toggle(number)
        during = plan.during(near.layers.buffers[number].first, near.layers.buffers[number].last)
        indices.update(range(during.start, during.stop))
    choices = list(plan.choices)
    for index in indices:
        again = best(near, choices[index].first, choices[index].count)
        assert again is not None, "giving up a buffer makes room"
        choices[index] = again
    return Plan(tuple(choices), frozenset(near.resident))


def _set_apart(layers: Layers, plan: Plan, capacity: int, apart: int) -> Addresses | None:
    """
    Return addresses at which bytes are used again as late as there is room for, None where that is at once.

    Before the last hop blocks are free before their kernels, for as long as it takes to fetch what these need.
    """
    if not apart:
        return None
    early = None if layers.hop.is_last else with_early_blocks(layers, plan, capacity)
    for share in _SHARES:
        found = addresses_of(layers, plan, apart, int(capacity * share), early)
        if found.size <= capacity:
            return found
    if early is not None and (found := addresses_of(layers, plan, early=early)).size <= capacity:
        return found
    return None


def _cannot_be_packed(layers: Layers, size: int, capacity: int) -> Diagnostic:
    near = layers.hop.near.name
    return Diagnostic(
        f"the buffers that are to stay do not fit {near}: {size - capacity:,} bytes short",
        where=where(layers.ops[0]),
        expected=f"addresses within {capacity:,} bytes",
        remedy=f"give {near} {size + layers.fixed:,} bytes, or remove a hint hier.keep",
    )


def _does_not_fit(layers: Layers, resident: Set[int], capacity: int) -> Diagnostic:
    """Return the error of the kernel that needs most: with the memory that it needs all fit."""
    near = Near(layers, (n for n in resident if layers.buffers[n].keep), capacity)
    needs = [_need(near, index) for index in range(len(layers.ops))]
    return max(needs, key=lambda need: need.bytes).error


@dataclass(frozen=True)
class _Need:
    """The bytes of the near level that a kernel needs at least, and the error where these are not there."""

    bytes: float
    error: Diagnostic


def _need(kept: Near, index: int) -> _Need:
    layers, capacity = kept.layers, kept.capacity
    op, near = layers.ops[index], layers.hop.near.name
    found = layers.options(index, 1, kept.resident).front
    pins = hinted([op, *(layers.buffers[n].alloc for n in sorted(kept.resident))])
    notes = [f"hints: {', '.join(pins)}"] if pins else []
    remove = ", or remove a hint" if pins else ""
    if not found:
        engine = layers.engines[op].name
        message = f"'{op.name}' cannot be cut into tiles that '{engine}' runs"
        error = Diagnostic(message, where=where(op), notes=notes, remedy="remove a hint" if pins else "")
        return _Need(float("inf"), error)
    left = kept.room(index, index)
    least = found[0]
    needed = least.bytes + capacity - left
    error = DoesNotFit(
        f"no tiling of '{op.name}' fits {near}: {needed - capacity:,} bytes short",
        where=where(op),
        expected=f"tiles of {max(0, left):,} bytes in all",
        found=f"{least.bytes:,} bytes for the smallest tiles {list(least.sizes)}",
        remedy=f"give {near} {needed + layers.fixed:,} bytes{remove}",
        notes=notes,
    )
    error.needed = needed
    return _Need(needed, error)
