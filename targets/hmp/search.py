"""Exact search for the mapping of layers to processors: the shortest period of a pipeline, the shortest latency."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ...dialects.core.machine.model import Machine
from .model import OUTSIDE, Clocks, Network, Prediction, predict


def best_mapping(
    network: Network, machine: Machine, mode: str = "pipeline", among: Sequence[str] = (), clocks: Clocks = Clocks()
) -> Prediction:
    """
    Return the mapping with the least period over all layer orders.

    In a pipeline a processor has one stage. `among` are the processors to use, by default all. The search is dynamic
    programming: over processors in switch mode, over the sets of processors used in a pipeline.
    """
    names = list(among) or [engine.name for engine in machine.engines]
    scale = {engine.name: clocks.ratio(engine) for engine in machine.engines}
    layers = {name: [layer.times[name] * scale[name] for layer in network.layers] for name in names}
    order = _pipeline(network, layers) if mode == "pipeline" else _switch(network, layers)
    return predict(network, order, machine, mode, clocks)


def _switch(network: Network, times: dict[str, list[float]]) -> list[str]:
    """Return the order of least latency: the sum of times and hand-overs."""
    best = {name: (times[name][0], [name]) for name in times}
    for number in range(1, len(network.layers)):
        entering = _received_at(network, number)
        best = {
            name: min(
                (cost + times[name][number] + (entering if order[-1] != name else 0.0), [*order, name])
                for cost, order in best.values()
            )
            for name in times
        }
    return min(best.values())[1]


def _pipeline(network: Network, times: dict[str, list[float]]) -> list[str]:
    """
    Return the order of least period, in which each processor has consecutive layers.

    A state is a layer at which a stage ends, and the set of processors used; its worth is the slowest stage, then the
    sum of all.
    """
    count, names = len(network.layers), list(times)
    totals = {name: [0.0, *accumulate(times[name])] for name in names}
    best: dict[tuple[int, int], tuple[float, float, list[str]]] = {(0, 0): (0.0, 0.0, [])}
    for first in range(count):
        entering = _received_at(network, first) if first else 0.0
        states = [(used, state) for (end, used), state in best.items() if end == first]
        for used, (slowest, total, order) in states:
            for place, name in enumerate(names):
                if used >> place & 1:
                    continue
                for end in range(first + 1, count + 1):
                    time = totals[name][end] - totals[name][first] + entering
                    made = max(slowest, time), total + time, order + [name] * (end - first)
                    key = end, used | 1 << place
                    if key not in best or made < best[key]:
                        best[key] = made
    return min(state for (end, _), state in best.items() if end == count)[2]


def _received_at(network: Network, number: int) -> float:
    """
    Return the nanoseconds in which a stage that begins at a layer receives what the layers before give it.

    That is what its first layer reads: between the layers of find-layers one value alone is alive.
    """
    values = (value for value in network.values if OUTSIDE < value.producer < number)
    return sum(network.handover(value.bytes) for value in values if number in value.consumers)
