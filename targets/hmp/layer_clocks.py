"""
Clocks of layers in switch mode: least energy of a frame within a latency, by dynamic programming.

As a layer begins, it asks for the clock of its processor, and for those from which the run started of all others; work
goes on at the old clock until the delay of the change has passed. The simulation (frames.py) and a run do the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from .frames import delay
from .model import Driving, LayeredNetwork, ProcessorClocks, received_at

Setting: TypeAlias = tuple[str, float | None]
"""Processor of a layer, and its clock in MHz, None where it has none."""


class LayerClocks(NamedTuple):
    """Settings of the layers of a frame, and what they give: nanoseconds, and millijoules."""

    settings: tuple[Setting, ...]
    latency: float
    energy: float

    @property
    def order(self) -> tuple[str, ...]:
        """The processor of each layer."""
        return tuple(processor for processor, _ in self.settings)


class _Clock(NamedTuple):
    """Clock of a processor in MHz: in force, and in force once some nanoseconds have passed."""

    mhz: float
    wanted: float
    left: float = 0.0

    def after(self, time: float) -> _Clock:
        """Return the clock some nanoseconds later."""
        return self._replace(left=self.left - time) if self.left > time else _Clock(self.wanted, self.wanted)


class _FrameState(NamedTuple):
    """A frame up to a layer: its time in ns, its energy in nJ, the clocks of all processors, the settings so far."""

    time: float
    energy: float
    clocks: tuple[_Clock, ...]
    settings: tuple[Setting, ...] = ()

    @property
    def key(self) -> Hashable:
        """Everything on which the costs of the layers behind depend."""
        return self.settings[-1][0], self.clocks


@dataclass(frozen=True)
class SwitchModel:
    """
    Model of a frame in switch mode, whose layers set clocks; `starts` are the clocks where none does.

    A frame begins with all processors at these.
    """

    network: LayeredNetwork
    machine: Machine
    starts: ProcessorClocks = field(default_factory=ProcessorClocks)
    driving: Driving = field(default_factory=Driving)

    @cached_property
    def _indices(self) -> Mapping[str, int]:
        return {engine.name: index for index, engine in enumerate(self.machine.engines)}

    @cached_property
    def _nominal(self) -> Mapping[str, float]:
        return {engine.name: engine.clock.nominal for engine in self.machine.engines}

    @cached_property
    def _starting(self) -> Sequence[float]:
        return [self.start_of(engine) for engine in self.machine.engines]

    @cached_property
    def _received(self) -> Sequence[float]:
        return [received_at(self.network, number) for number in range(len(self.network.layers))]

    @cached_property
    def _delays(self) -> Mapping[tuple[str, float, float], float]:
        return {
            (engine.name, before, wanted): delay(engine, before, wanted) if before != wanted else 0.0
            for engine in self.machine.engines
            for before in engine.clock.mhz
            for wanted in engine.clock.mhz
        }

    @cached_property
    def _shares(self) -> Mapping[tuple[str, float], float]:
        """Watts above those of the idle machine, by processor and clock."""
        return {
            (engine.name, mhz): (engine.watts - self.machine.idle_watts)
            * ProcessorClocks({engine.name: mhz}).share(engine)
            for engine in self.machine.engines
            for mhz in engine.clock.mhz or (engine.clock.nominal,)
        }

    def start_of(self, engine: Engine) -> float:
        """Return the clock of a processor where no layer sets it."""
        return self.starts.mhz.get(engine.name, engine.clock.nominal)

    def settings_of(self, names: Iterable[str]) -> list[Setting]:
        """Return all settings of a layer on some processors."""
        engines = [self.machine.engine(name) for name in names]
        return [(engine.name, mhz) for engine in engines for mhz in (engine.clock.mhz or (None,))]

    def begin(self) -> _FrameState:
        """Return the state before the first layer."""
        return _FrameState(0.0, 0.0, tuple(_Clock(mhz, mhz) for mhz in self._starting))

    def extended(self, state: _FrameState, setting: Setting) -> _FrameState:
        """Return a state after one more layer: values are handed over, clocks are asked for, the layer computes."""
        number, name, own = len(state.settings), setting[0], self._indices[setting[0]]
        if state.settings and state.settings[-1][0] != name:
            state = self._worked(state, self.driving.receiver(name), self._received[number])
        clocks = list(state.clocks)
        for place, clock in enumerate(state.clocks):
            wanted = setting[1] if place == own and setting[1] is not None else self._starting[place]
            if wanted != clock.wanted:
                engine = self.machine.engines[place].name
                clocks[place] = _Clock(clock.mhz, wanted, self._delays[engine, clock.mhz, wanted])
        asked = _FrameState(state.time, state.energy, tuple(clocks), (*state.settings, setting))
        return self._worked(asked, name, self.network.layers[number].times[name])

    def _worked(self, state: _FrameState, name: str, work: float) -> _FrameState:
        """Return a state after work of so many nanoseconds at the fastest clock of a processor."""
        nominal, clock = self._nominal[name], state.clocks[self._indices[name]]
        before = min(clock.left, work * nominal / clock.mhz)
        behind = (work - before * clock.mhz / nominal) * nominal / clock.wanted
        energy = before * self._shares[name, clock.mhz] + behind * self._shares[name, clock.wanted]
        time = before + behind
        clocks = tuple(clock.after(time) if clock.left else clock for clock in state.clocks)
        total = state.energy + energy + time * self.machine.idle_watts
        return _FrameState(state.time + time, total, clocks, state.settings)

    def evaluate(self, settings: Sequence[Setting]) -> LayerClocks:
        """Return the time, energy and clocks of settings of all layers."""
        state = self.begin()
        for setting in settings:
            state = self.extended(state, setting)
        return _result(state)

    def wanted_by_layer(self, settings: Sequence[Setting]) -> dict[int, dict[str, float]]:
        """Return the clocks that each layer asks for, as `works_of` takes them."""
        starts = {engine.name: self.start_of(engine) for engine in self.machine.engines if engine.clock.mhz}
        return {
            number: starts | ({name: mhz} if mhz is not None else {}) for number, (name, mhz) in enumerate(settings)
        }


def _result(state: _FrameState) -> LayerClocks:
    return LayerClocks(state.settings, state.time, state.energy / 1e6)


def best_layer_clocks(
    model: SwitchModel, names: Sequence[str], order: Sequence[str] = (), latency: float = float("inf")
) -> LayerClocks:
    """
    Return the settings of least energy whose frame takes `latency` nanoseconds at most.

    Exact: of states with the same processor, clocks in force and changes in flight those are kept that no other is
    better than in both costs. `names` are the processors to use, `order` those of the layers where they are
    given. Raises Diagnostic for a machine without watts, and for a latency that no settings keep.
    """
    chosen = [[name] for name in order] if order else [list(names)] * len(model.network.layers)
    missing = [name for name in dict.fromkeys([*names, *order]) if not model.machine.engine(name).watts]
    if missing:
        raise Diagnostic(
            f"'{model.machine.name}' does not say what its processors take",
            expected=f"watts of {', '.join(missing)}",
            remedy="add engines.NAME.watts and idle_watts to the machine file (docs/machines.md)",
        )
    settings = [model.settings_of(processors) for processors in chosen]
    least = _least(model, settings, _FrameCosts(model, settings, watts=0.0))
    if least.latency <= latency:
        return least
    times = _FrameCosts(model, settings, watts=1.0, joules=0.0)
    fastest = _least(model, settings, times)
    if fastest.latency > latency:
        raise Diagnostic(
            f"no clocks keep a latency of {latency / 1e6:g} ms",
            expected=f"{fastest.latency / 1e6:.3f} ms or more",
            found=f"{latency / 1e6:g} ms",
            remedy="a longer latency, or other processors",
        )
    return _within(model, settings, latency, fastest, times)


class _FrameCosts:
    """
    Cost of a frame, its energy times `joules` and its time times `watts`, with lower bounds of that of later layers.

    The bounds leave changes of clocks out: a processor works at the clock of least cost.
    """

    def __init__(self, model: SwitchModel, settings: Sequence[Sequence[Setting]], watts: float, joules: float = 1.0):
        self._model, self.watts, self._joules = model, watts, joules
        names = list(dict.fromkeys(name for layer in settings for name, _ in layer))
        rates = {engine.name: self._rate(engine) for engine in model.machine.engines}
        self.rest: list[dict[str, float]] = [dict.fromkeys(names, 0.0)]
        """Bounds of the cost from each layer on, by the processor of the layer before."""
        self._best: list[dict[str, Setting]] = []
        for number, layer in reversed(list(enumerate(settings))):
            received, behind = received_at(model.network, number) if number else 0.0, self.rest[-1]
            times = model.network.layers[number].times
            costs = {name: times[name] * rates[name][0] + behind[name] for name, _ in layer}
            entering = {name: received * rates[model.driving.receiver(name)][0] for name in costs}
            best = {
                before: min(costs, key=lambda name: costs[name] + (entering[name] if name != before else 0.0))
                for before in names
            }
            self._best.append({before: (name, rates[name][1]) for before, name in best.items()})
            self.rest.append(
                {before: costs[name] + (entering[name] if name != before else 0.0) for before, name in best.items()}
            )
        self.rest.reverse()
        self._best.reverse()

    def _rate(self, engine: Engine) -> tuple[float, float | None]:
        """Return the least cost of a nanosecond of work at the fastest clock, and the clock that has it."""
        points = self._model.settings_of([engine.name])
        return min((self._of_work(engine, mhz), mhz) for _, mhz in points)

    def _of_work(self, engine: Engine, mhz: float | None) -> float:
        clocks = ProcessorClocks({} if mhz is None else {engine.name: mhz})
        idle = self._model.machine.idle_watts
        power = (engine.watts - idle) * clocks.share(engine) + idle
        return clocks.ratio(engine) * (self._joules * power + self.watts)

    def of(self, state: _FrameState) -> float:
        """Return the cost of a state."""
        return self._joules * state.energy + self.watts * state.time

    def bound(self, state: _FrameState) -> float:
        """Return a lower bound of the cost of all frames that begin with the layers of a state."""
        return self.of(state) + self.rest[len(state.settings)][state.settings[-1][0]]

    def guess(self) -> _FrameState:
        """Return a frame whose layers have the settings of the bounds."""
        state, before = self._model.begin(), next(iter(self.rest[0]))
        for layer in self._best:
            state = self._model.extended(state, layer[before])
            before = state.settings[-1][0]
        return state


_SLACK = 1 + 1e-9
"""Bounds are sums in another order than costs."""


def _least(model: SwitchModel, settings: Sequence[Sequence[Setting]], costs: _FrameCosts) -> LayerClocks:
    """Return the settings of least cost, which is a sum over layers."""
    limit = costs.of(costs.guess()) * _SLACK
    states = [model.begin()]
    for layer in settings:
        best: dict[Hashable, _FrameState] = {}
        for state in (model.extended(state, setting) for state in states for setting in layer):
            if costs.bound(state) > limit:
                continue
            if (key := state.key) not in best or costs.of(state) < costs.of(best[key]):
                best[key] = state
        states = list(best.values())
    return _result(min(states, key=costs.of))


_BISECTIONS = 8
"""Watts that are tried for a bound of the energy; more of them hardly tighten it."""


def _within(
    model: SwitchModel, settings: Sequence[Sequence[Setting]], latency: float, fastest: LayerClocks, times: _FrameCosts
) -> LayerClocks:
    """
    Return the settings of least energy within a latency.

    States are dropped where their time is too long, or where their energy, or their energy and their time at a price in
    watts, is more than that of settings that keep the latency: the price is one at which these are nearly the best.
    """
    best, low, high = fastest, 0.0, 2.0 * max(engine.watts for engine in model.machine.engines)
    for _ in range(_BISECTIONS):
        costs = _FrameCosts(model, settings, watts=(low + high) / 2)
        tried = _least(model, settings, costs)
        is_kept = tried.latency <= latency
        low, high = (low, costs.watts) if is_kept else (costs.watts, high)
        best = tried if is_kept and tried.energy < best.energy else best
    limits = [(times, latency)]
    limits += [(_FrameCosts(model, settings, watts), best.energy * 1e6 + watts * latency) for watts in (0.0, low, high)]
    fronts: dict[Hashable, list[_FrameState]] = {(): [model.begin()]}
    for layer in settings:
        grown: dict[Hashable, list[_FrameState]] = {}
        for state in (state for front in fronts.values() for state in front):
            for after in (model.extended(state, setting) for setting in layer):
                if all(costs.bound(after) <= limit * _SLACK for costs, limit in limits):
                    grown.setdefault(after.key, []).append(after)
        fronts = {key: _front(states) for key, states in grown.items()}
    final = [_result(state) for front in fronts.values() for state in front if state.time <= latency]
    return min([best, *final], key=lambda candidate: (candidate.energy, candidate.latency))


def _front(states: Sequence[_FrameState]) -> list[_FrameState]:
    """Return the states that no other is as good as in time and in energy."""
    kept: list[_FrameState] = []
    for state in sorted(states, key=lambda state: (state.time, state.energy)):
        if not kept or state.energy < kept[-1].energy:
            kept.append(state)
    return kept
