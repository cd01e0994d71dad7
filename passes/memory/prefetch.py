"""Prefetch distance of weights: kernels between issue and use of a transfer, so that its latency is hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from ...dialects.core.machine.level import Level
from ..timing.transfers import Descriptor
from .layers import Layers
from .plan import Choice, Plan, addresses_of
from .route import is_constant

_LEAST = 256
"""Transfers below this fraction of the plan's cycles are ignored."""


def with_early_blocks(layers: Layers, plan: Plan, level: Level, capacity: int) -> tuple[int, ...] | None:
    """
    Reserve blocks of a level ahead of their choice: return the first kernel of each live range, None if none changes.

    Transfers of weights are then issued during earlier kernels. The longest transfers go first; each block is reserved
    as early as it needs to be, or as the capacity permits.
    """
    wanted = _wanted(layers, plan)
    begins = [choice.first for choice in plan.choices]
    if list(wanted) == begins:
        return None
    if addresses_of(layers, plan, level, early=wanted).size <= capacity:
        return wanted
    fetching = _fetching(layers, plan)
    least = plan.cycles // _LEAST
    for number in sorted(range(len(begins)), key=lambda n: -fetching[n]):
        if fetching[number] <= least:
            break
        for early in _between(wanted[number], begins[number]):
            tried = (*begins[:number], early, *begins[number + 1 :])
            if addresses_of(layers, plan, level, early=tried).size <= capacity:
                begins[number] = early
                break
    return tuple(begins)


def _between(wanted: int, begin: int) -> Iterator[int]:
    """Yield kernels from `wanted` to `begin` by bisection, the earliest first."""
    while wanted < begin:
        yield wanted
        wanted = (wanted + begin + 1) // 2


def _wanted(layers: Layers, plan: Plan) -> tuple[int, ...]:
    """
    Compute for each choice the kernel at which its transfers are issued at the latest; transfers share a link in order.
    """
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
    """Compute the cycles to transfer the constants that are loaded once per choice."""
    tiling = layers.tiling(choice.first, choice.count, choice.candidate.sizes, plan.resident)
    cut, route = set(choice.candidate.order), layers.route(tiling.ops)
    cycles = 0
    for tile in tiling.tiles:
        if tile.is_output or tile.in_place or tile.dims & cut or not is_constant(tile.value):
            continue
        cost = Descriptor(route.machine, route.link(tile), tile.value, tile.shape, reads=True)
        once = cost.at([0] * len(tile.shape))
        cycles += once.startup + once.data
    return cycles
