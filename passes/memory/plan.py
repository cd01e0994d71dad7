"""
Which buffers stay in the near level, which kernels are done together, and in which tiles.

A first plan keeps all it can in the near level; where memory is short, a search over whole windows of layers improves
on it (plan_search).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from ...errors import Diagnostic
from ...ir import where
from .arena import Lifetime, place
from .candidates import Candidate
from .hints import hinted
from .layers import Layers
from .pricing import unit_of


class DoesNotFit(Diagnostic):
    """A near level is too small; `needed` bytes are enough for the kernels that were looked at."""

    needed: int = 0


LONGEST_GROUP = 3
"""How many kernels are done together at most."""
_NEAR_FLOOR = 1.02
"""Kernels that take no more than this times what their engines compute are left as they are."""


@dataclass(frozen=True)
class Choice:
    """Kernels `first` to `first + count - 1` done together as a candidate says."""

    first: int
    count: int
    candidate: Candidate

    @property
    def last(self) -> int:
        """The last of the kernels."""
        return self.first + self.count - 1

    @property
    def kernels(self) -> range:
        """The numbers of the kernels."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True)
class Plan:
    """What is chosen for every kernel, in order, and the numbers of the buffers that stay in the near level."""

    choices: tuple[Choice, ...]
    resident: frozenset[int]

    @cached_property
    def cycles(self) -> int:
        """The modelled time."""
        return sum(choice.candidate.cycles for choice in self.choices)


@dataclass(frozen=True)
class Addresses:
    """Where the block of each choice and each resident buffer lies in the near level, and the bytes in use."""

    blocks: tuple[int, ...]
    resident: dict[int, int]
    size: int


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


def lower_bound(layers: Layers) -> int:
    """Return the cycles that no plan is faster than: those of the engines that compute without a pause."""
    return sum(layers.floor(index) for index in range(len(layers.ops)))


def room(layers: Layers, resident: Iterable[int], first: int, last: int, capacity: int) -> int:
    """Return the bytes that buffers in the near level leave to the kernels from `first` to `last`."""
    buffers = (layers.buffers[number] for number in resident)
    return capacity - sum(b.size for b in buffers if b.first <= last and b.last >= first)


def best(layers: Layers, first: int, count: int, resident: frozenset[int], capacity: int) -> Choice | None:
    """Return the fastest way to do kernels together that fits, None where there is none."""
    left = room(layers, resident, first, first + count - 1, capacity)
    fitting = [c for c in layers.options(first, count, resident) if c.bytes <= left]
    return Choice(first, count, min(fitting, key=lambda c: (c.cycles, c.bytes))) if fitting else None


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


def with_resident(layers: Layers, plan: Plan, resident: frozenset[int], number: int, capacity: int) -> Plan | None:
    """Return a plan with another set of buffers kept, one of which has changed; None where a kernel then fits not."""
    buffer = layers.buffers[number]
    choices: list[Choice] = []
    for choice in plan.choices:
        again = choice
        if choice.first <= buffer.last and choice.last >= buffer.first:
            found = best(layers, choice.first, choice.count, resident, capacity)
            if found is None:
                return None
            again = found
        choices.append(again)
    return Plan(tuple(choices), resident)


def _fused(layers: Layers, plan: Plan, capacity: int) -> Plan:
    """Return a plan with neighbours done together where what is between them does not stay near anyway."""
    index = 0
    while index + 1 < len(plan.choices):
        one, two = plan.choices[index : index + 2]
        number = layers.joins(one.last)
        joined = None
        if number is not None and number not in plan.resident and one.count + two.count <= LONGEST_GROUP:
            joined = best(layers, one.first, one.count + two.count, plan.resident, capacity)
        if joined is None or joined.candidate.cycles >= one.candidate.cycles + two.candidate.cycles:
            index += 1
            continue
        plan = replace(plan, choices=(*plan.choices[:index], joined, *plan.choices[index + 2 :]))
    return plan


def is_contested(layers: Layers, plan: Plan, capacity: int) -> bool:
    """Return whether memory is short anywhere."""
    return any(slower(layers, plan, choice, capacity) for choice in plan.choices)


def slower(layers: Layers, plan: Plan, choice: Choice, capacity: int) -> bool:
    """Return whether a choice might be faster with more of the near level to itself, or with more kept there."""
    left = room(layers, plan.resident, choice.first, choice.last, capacity) - choice.candidate.bytes
    touched = {n for i in choice.kernels for n in layers.buffers_of[i]}
    if any(layers.buffers[n].size > left for n in touched - plan.resident if layers.buffers[n].size <= capacity):
        return True
    options = layers.options(choice.first, choice.count, plan.resident)
    fastest = min(c.cycles for c in options if c.bytes <= capacity)
    return choice.candidate.cycles > fastest


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
    """Return addresses at which bytes are used again as late as there is room for, None where that is at once."""
    while apart > 0:
        found = addresses_of(layers, plan, apart)
        if found.size <= capacity:
            return found
        apart //= 2
    return None


def addresses_of(layers: Layers, plan: Plan, apart: int = 0) -> Addresses:
    """
    Return addresses of blocks and buffers such that those needed at the same time do not overlap, nor those needed
    within `apart` kernels.
    """
    kept = sorted(plan.resident)
    unit = unit_of(layers.hop.near)
    if not kept and not apart:
        return Addresses((0,) * len(plan.choices), {}, max((c.candidate.bytes for c in plan.choices), default=0))
    blocks = [Lifetime(f"block {c.first}", c.candidate.bytes, c.first, c.last + apart) for c in plan.choices]
    buffers = [_lifetime(layers, plan, number, apart) for number in kept]
    placement = place([*blocks, *buffers], unit, 0) if apart else place([*blocks, *buffers], unit)
    offsets = placement.offsets
    return Addresses(offsets[: len(blocks)], dict(zip(kept, offsets[len(blocks) :], strict=True)), placement.size)


def _lifetime(layers: Layers, plan: Plan, number: int, apart: int) -> Lifetime:
    """Return when a buffer is needed; kernels that are done together need theirs all the time."""
    buffer = layers.buffers[number]
    users = [choice for choice in plan.choices if choice.first <= buffer.last and choice.last >= buffer.first]
    return Lifetime(f"buffer {number}", buffer.size, users[0].first, users[-1].last + apart)


def _cannot_be_packed(layers: Layers, size: int, capacity: int) -> Diagnostic:
    near = layers.hop.near.name
    return Diagnostic(
        f"the buffers that are to stay do not fit {near}: {size - capacity:,} bytes short",
        where=where(layers.ops[0]),
        expected=f"addresses within {capacity:,} bytes",
        remedy=f"give {near} {size:,} bytes, or remove a hint hier.keep",
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
    found = layers.options(index, 1, kept)
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
        remedy=f"give {near} {needed:,} bytes{remove}",
        notes=notes,
    )
    error.needed = needed
    return _Need(needed, error)
