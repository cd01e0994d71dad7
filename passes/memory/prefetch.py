"""
Prefetch distance of weights: kernels ahead of their user at which transfers are issued, so that none is waited for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from .layers import Layers
from .plan import Choice, Plan, addresses_of
from .pricing import is_constant
from .tiling import tiling_of
from .transfers import Descriptor

_LEAST = 256
"""Fetching that takes less than such a part of the plan's time is not looked after."""


def with_early_blocks(layers: Layers, plan: Plan, capacity: int) -> tuple[int, ...] | None:
    """
    Return the kernels from which on the blocks of a plan's choices are to be their own, so that what is fetched once
    for a choice can come while kernels before it run; None where no block gains by it.

    Those that take longest to fetch go first: each gets its block as early as it needs it, or as there is room for.
    """
    wanted = _wanted(layers, plan)
    begins = [choice.first for choice in plan.choices]
    if list(wanted) == begins:
        return None
    if addresses_of(layers, plan, early=wanted).size <= capacity:
        return wanted
    fetching = _fetching(layers, plan)
    least = plan.cycles // _LEAST
    for number in sorted(range(len(begins)), key=lambda n: -fetching[n]):
        if fetching[number] <= least:
            break
        for early in _between(wanted[number], begins[number]):
            tried = (*begins[:number], early, *begins[number + 1 :])
            if addresses_of(layers, plan, early=tried).size <= capacity:
                begins[number] = early
                break
    return tuple(begins)


def _between(wanted: int, begin: int) -> Iterator[int]:
    """Yield replacements of a wanted step, the best first."""
    while wanted < begin:
        yield wanted
        wanted = (wanted + begin + 1) // 2


def _wanted(layers: Layers, plan: Plan) -> tuple[int, ...]:
    """Return for each choice the kernel while which its fetching has to begin: the link serves the last one last."""
    begins, now = list[int](), 0
    for choice in plan.choices:
        begins.append(now)
        now += choice.candidate.cycles
    wanted = [choice.first for choice in plan.choices]
    limit = now
    fetching = _fetching(layers, plan)
    for number in reversed(range(len(begins))):
        limit = min(limit, begins[number]) - fetching[number]
        if fetching[number]:
            during = bisect_right(begins, max(limit, 0), hi=number + 1) - 1
            wanted[number] = plan.choices[during].first
    return tuple(wanted)


def _fetching(layers: Layers, plan: Plan) -> list[int]:
    return [_cycles_of_weights(layers, plan, choice) for choice in plan.choices]


def _cycles_of_weights(layers: Layers, plan: Plan, choice: Choice) -> int:
    """Return the cycles of fetching those constants that stay while a choice's kernels run."""
    ops = layers.ops[choice.first : choice.last + 1]
    touched = {n for index in choice.kernels for n in layers.buffers_of[index]} & plan.resident
    near = frozenset(v for n in touched for v in layers.buffers[n].values)
    near |= layers.placed.intersection(value for op in ops for value in op.operands)
    tiling, cut = tiling_of(ops, choice.candidate.sizes, near), set(choice.candidate.order)
    machine, link = layers.hop.machine, layers.hop.fetch
    cycles = 0
    for tile in tiling.tiles:
        if tile.is_output or tile.in_place or tile.dims & cut or not is_constant(tile.value):
            continue
        cost = Descriptor(machine, link, tile.value, tile.extents, reads=True).at([0] * len(tile.extents))
        cycles += cost.startup + cost.data
    return cycles
