"""Exact search for the mapping of layers to processors: the shortest period of a pipeline, the shortest latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, product
from typing import NamedTuple

from ...dialects.core.machine.model import Machine
from .model import Driving, LayeredNetwork, MappingPrediction, ProcessorClocks, predict, received_at


def best_mapping(
    network: LayeredNetwork,
    machine: Machine,
    mode: str = "pipeline",
    among: Sequence[str] = (),
    clocks: ProcessorClocks = ProcessorClocks(),
    driving: Driving = Driving(),
) -> MappingPrediction:
    """
    Return the mapping with the least period over all layer orders.

    In a pipeline a processor has one stage. `among` are the processors to use, by default all. The search is dynamic
    programming: over processors in switch mode, over the sets of processors used in a pipeline.
    """
    names = list(among) or [engine.name for engine in machine.engines]
    scale = {engine.name: clocks.ratio(engine) for engine in machine.engines}
    received = [received_at(network, number) for number in range(len(network.layers))]
    times: dict[str, list[float]] = {}
    entering: dict[str, list[float]] = {}
    for name in names:
        times[name] = [layer.times[name] * scale[name] for layer in network.layers]
        entering[name] = [time * scale[driving.receiver(name)] for time in received]
    order = _pipeline(times, entering, driving) if mode == "pipeline" else _switch(times, entering)
    return predict(network, order, machine, mode, clocks, driving)


def _switch(times: Mapping[str, Sequence[float]], entering: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the order of least latency: the sum of times and hand-overs."""
    best = {name: (column[0], [name]) for name, column in times.items()}
    for number in range(1, len(next(iter(times.values())))):
        through: dict[str, tuple[float, list[str]]] = {}
        for name, column in times.items():
            entered = entering[name][number]
            through[name] = min(
                (cost + column[number] + (entered if order[-1] != name else 0.0), [*order, name])
                for cost, order in best.values()
            )
        best = through
    return min(best.values())[1]


class _StageState(NamedTuple):
    """
    Stages up to a layer, in nanoseconds: the slowest stage, the loads of the hosts, the sum of all.

    A host has the work of its own stage and of the hand-overs to the processors that it hosts.
    """

    slowest: float
    loads: tuple[float, ...]
    total: float
    order: list[str]

    @property
    def period(self) -> float:
        """Nanoseconds between frames."""
        return max(self.slowest, *self.loads) if self.loads else self.slowest

    def dominates(self, other: _StageState) -> bool:
        """Return whether no completion of another state is better than the same one of this."""
        own, others = (self.slowest, *self.loads), (other.slowest, *other.loads)
        if own == others:
            return self.total <= other.total
        return all(cost <= bound for cost, bound in zip(own, others, strict=True))


def _pipeline(
    times: Mapping[str, Sequence[float]], entering: Mapping[str, Sequence[float]], driving: Driving
) -> list[str]:
    """
    Return the order of least period, in which each processor has consecutive layers.

    States are kept by the layer at which a stage ends and the set of processors used: those that no other dominates.
    """
    names = list(times)
    count = len(times[names[0]])
    loaded = list(dict.fromkeys(driving.hosts[name] for name in names if name in driving.hosts))
    totals = {name: [0.0, *accumulate(times[name])] for name in names}
    best: dict[tuple[int, int], list[_StageState]] = {(0, 0): [_StageState(0.0, (0.0,) * len(loaded), 0.0, [])]}
    for first, used, place in product(range(count), range(1 << len(names)), range(len(names))):
        if used >> place & 1:
            continue
        name = names[place]
        taken, receiver = (entering[name][first] if first else 0.0), driving.receiver(name)
        for end, state in product(range(first + 1, count + 1), best.get((first, used), ())):
            time = totals[name][end] - totals[name][first]
            loads = tuple(
                load + (time if host == name else 0.0) + (taken if host == receiver else 0.0)
                for host, load in zip(loaded, state.loads, strict=True)
            )
            slowest, total = max(state.slowest, driving.period(name, time, taken)), state.total + time + taken
            grown = _StageState(slowest, loads, total, state.order + [name] * (end - first))
            _keep(best.setdefault((end, used | 1 << place), []), grown)
    final = [state for (end, _), states in best.items() for state in states if end == count]
    return min(final, key=lambda state: (state.period, state.total, state.order)).order


def _keep(states: list[_StageState], state: _StageState) -> None:
    """Add a state to those that no other dominates."""
    if any(other.dominates(state) for other in states):
        return
    states[:] = [other for other in states if not state.dominates(other)]
    states.append(state)
