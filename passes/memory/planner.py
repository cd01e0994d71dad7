"""
Which plan is chosen for a near level.

A first plan keeps all it can in the near level; where memory is short, a search over whole windows of layers improves
on it (plan_search).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import Diagnostic
from ...ir import where
from .hints import hinted
from .layers import Layers
from .plan import LONGEST_GROUP, Addresses, Choice, Plan, addresses_of, best, is_contested, room, with_resident
from .prefetch import with_early_blocks

_NEAR_FLOOR = 1.02
"""Kernels that take no more than this times what their engines compute are left as they are."""

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
    fitting = [n for n, b in enumerate(layers.buffers) if b.size <= capacity or b.keep]
    resident = frozenset(n for n in fitting if layers.buffers[n].keep is not False)
    choices: dict[int, Choice] = {}
    pending = set(range(len(layers.ops)))
    while pending:
        index = min(pending)
        found = best(layers, index, 1, resident, capacity)
        if found is not None:
            choices[index] = found
            pending.discard(index)
            continue
        number = _evicted(layers, resident, index)
        if number is None:
            raise _does_not_fit(layers, resident, capacity)
        resident -= {number}
        buffer = layers.buffers[number]
        pending |= set(range(buffer.first, buffer.last + 1))
    plan = Plan(tuple(choices[index] for index in range(len(layers.ops))), resident)
    return _refilled(layers, plan, capacity)


def _evicted(layers: Layers, resident: frozenset[int], index: int) -> int | None:
    """Return the buffer to give up so that a kernel has more room: the one that takes most for longest."""
    free = [n for n in resident if not layers.buffers[n].keep]
    alive = [n for n in free if layers.buffers[n].first <= index <= layers.buffers[n].last]
    return max(alive, key=lambda n: (layers.buffers[n].size * _span(layers, n), n), default=None)


def _span(layers: Layers, number: int) -> int:
    return layers.buffers[number].last - layers.buffers[number].first + 1


def _refilled(layers: Layers, plan: Plan, capacity: int) -> Plan:
    """Return a plan with buffers taken in, or given up, where that is faster."""
    order = sorted(range(len(layers.buffers)), key=lambda n: (layers.buffers[n].size * _span(layers, n), n))
    for number in order:
        pinned = layers.buffers[number].keep is not None
        if pinned or (number in plan.resident and _is_near_floor(layers, plan, number)):
            continue
        changed = with_resident(layers, plan, plan.resident ^ {number}, number, capacity)
        if changed is not None and changed.cycles < plan.cycles:
            plan = changed
    return plan


def _is_near_floor(layers: Layers, plan: Plan, number: int) -> bool:
    """Return whether the kernels that use a buffer take hardly longer than the engines compute."""
    users = [choice for choice in plan.choices if any(number in layers.buffers_of[i] for i in choice.kernels)]
    floor = sum(layers.floor(i) for choice in users for i in choice.kernels)
    return sum(choice.candidate.cycles for choice in users) <= floor * _NEAR_FLOOR


def _fused(layers: Layers, plan: Plan, capacity: int) -> Plan:
    """
    Return a plan with neighbours done together where what is between them does not stay near anyway: where that is
    faster, and where it has no room in the far level.
    """
    index = 0
    while index + 1 < len(plan.choices):
        one, two = plan.choices[index : index + 2]
        number = layers.joins(one.last)
        joined = None
        if number is not None and number not in plan.resident and one.count + two.count <= LONGEST_GROUP:
            joined = best(layers, one.first, one.count + two.count, plan.resident, capacity)
        apart = one.candidate.cycles + two.candidate.cycles
        if joined is None or (joined.candidate.cycles >= apart and one.last not in layers.crowded):
            index += 1
            continue
        plan = replace(plan, choices=(*plan.choices[:index], joined, *plan.choices[index + 2 :]))
    return plan


def _placed(layers: Layers, plan: Plan, capacity: int) -> tuple[Plan, Addresses]:
    """Return addresses for a plan, which gives up buffers until there are some."""
    while True:
        found = addresses_of(layers, plan)
        if found.size <= capacity:
            return plan, found
        free = [n for n in plan.resident if not layers.buffers[n].keep]
        if not free:
            raise _cannot_be_packed(layers, found.size, capacity)
        number = max(free, key=lambda n: (layers.buffers[n].size * _span(layers, n), n))
        changed = with_resident(layers, plan, plan.resident - {number}, number, capacity)
        assert changed is not None, "giving up a buffer makes room"
        plan = changed


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


def _does_not_fit(layers: Layers, resident: frozenset[int], capacity: int) -> Diagnostic:
    """Return the error of the kernel that needs most: with the memory that it needs all fit."""
    needs = [_need(layers, index, resident, capacity) for index in range(len(layers.ops))]
    return max(needs, key=lambda need: need.bytes).error


@dataclass(frozen=True)
class _Need:
    """The bytes of the near level that a kernel needs at least, and the error where these are not there."""

    bytes: float
    error: Diagnostic


def _need(layers: Layers, index: int, resident: frozenset[int], capacity: int) -> _Need:
    op, near = layers.ops[index], layers.hop.near.name
    kept = frozenset(n for n in resident if layers.buffers[n].keep)
    found = layers.options(index, 1, kept).front
    pins = hinted([op, *(layers.buffers[n].alloc for n in sorted(kept))])
    notes = [f"hints: {', '.join(pins)}"] if pins else []
    remove = ", or remove a hint" if pins else ""
    if not found:
        engine = layers.engines[op].name
        message = f"'{op.name}' cannot be cut into tiles that '{engine}' runs"
        error = Diagnostic(message, where=where(op), notes=notes, remedy="remove a hint" if pins else "")
        return _Need(float("inf"), error)
    left = room(layers, kept, index, index, capacity)
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
