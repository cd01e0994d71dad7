"""
Pareto fronts of mappings: layer orders, clocks and hosts by period and energy, exactly or by NSGA-II.

All orders of a pipeline are enumerated, and all clocks and hosts of an order evaluated at once; where there are too
many of them, NSGA-II (Deb et al. 2002, of pymoo) searches on the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import combinations, permutations, product
from math import comb, perm, prod
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from ...ir import Array
from .mapping import MappedStage, stages_of
from .model import LayeredNetwork, received_by

Progress: TypeAlias = Callable[[int], object]
"""Callback that takes the number of the order that is evaluated, or of the generation."""


def no_progress(number: int) -> None:
    """Show no progress."""


class FrontPoint(NamedTuple):
    """A point of the space, with what it gives: milliseconds between frames, and millijoules of a frame."""

    order: tuple[str, ...]
    clocks: Mapping[str, float]
    hosts: Mapping[str, str]
    period: float
    energy: float
    measured: float | None = None
    """Milliseconds between frames that a run had, None for a point of the model alone."""


@dataclass(frozen=True)
class Space:
    """
    The mappings of a network to a machine's processors: in a pipeline each has one stage at most.

    A hand-over to a processor with hosts is work of its host, and part of the time of its own stage on a frame.
    """

    network: LayeredNetwork
    machine: Machine
    names: tuple[str, ...]
    outstanding: Mapping[str, int] = field(default_factory=dict[str, int])
    """Frames that a processor takes before the first is done: it computes while its host hands over."""

    @cached_property
    def engines(self) -> list[Engine]:
        """The processors, those that only host others last."""
        hosts = dict.fromkeys(host for name in self.names for host in self.machine.engine(name).hosts)
        return [self.machine.engine(name) for name in dict.fromkeys((*self.names, *hosts))]

    @property
    def orders(self) -> int:
        """The number of orders: of each number of stages, the processors in order times the places of the cuts."""
        layers, names = len(self.network.layers), len(self.names)
        return sum(perm(names, count) * comb(layers - 1, count - 1) for count in range(1, min(names, layers) + 1))

    @cached_property
    def settings(self) -> tuple[Array, Array]:
        """
        All clocks and hosts, as two arrays with a row for each combination.

        The first has the index of each processor's operating point, the second that of each processor's host among the
        processors, its own without hosts.
        """
        names = [engine.name for engine in self.engines]
        points = [range(max(1, len(engine.clock.mhz))) for engine in self.engines]
        hosts = [list(map(names.index, engine.hosts or [engine.name])) for engine in self.engines]
        rows = np.array(list(product(*points, *hosts)), np.int64)
        return rows[:, : len(names)], rows[:, len(names) :]

    @property
    def points(self) -> int:
        """The number of points of the whole space."""
        count = prod(max(1, len(engine.clock.mhz)) * max(1, len(engine.hosts)) for engine in self.engines)
        return self.orders * count

    def all_orders(self) -> Iterator[list[str]]:
        """Yield each order once."""
        layers = len(self.network.layers)
        for count in range(1, min(len(self.names), layers) + 1):
            for chosen in permutations(self.names, count):
                for cuts in combinations(range(1, layers), count - 1):
                    bounds = [0, *cuts, layers]
                    yield [name for place, name in enumerate(chosen) for _ in range(bounds[place], bounds[place + 1])]

    @cached_property
    def _scales(self) -> list[tuple[Array, Array]]:
        """Of each processor, by operating point: how much longer work takes, and the power of it when busy, in W."""
        scales: list[tuple[Array, Array]] = []
        for engine in self.engines:
            mhz = np.array(sorted(engine.clock.mhz) or [1.0])
            volts = np.array(engine.clock.volts or [1.0] * len(mhz))
            watts = max(0.0, engine.watts - self.machine.idle_watts)
            scales.append((mhz[-1] / mhz, watts * (volts / volts[-1]) ** 2 * mhz / mhz[-1]))
        return scales

    def evaluate(self, order: Sequence[str], clocks: Array, hosts: Array) -> tuple[Array, Array]:
        """Return the periods in ms and the energies in mJ of an order, for rows of clocks and hosts."""
        work, received = self._loads(stages_of(order))
        count = len(self.engines)
        busy = np.zeros((len(clocks), count))
        for place, (slower, _) in enumerate(self._scales):
            busy[:, place] += work[place] * slower[clocks[:, place]]
        stages = busy.copy()
        slower_of = np.stack([slower[clocks[:, place]] for place, (slower, _) in enumerate(self._scales)], axis=1)
        rows = np.arange(len(clocks))
        for place in range(count):
            host = hosts[:, place]
            taken = received[place] * slower_of[rows, host]
            busy[rows, host] += taken
            if self.outstanding.get(self.engines[place].name, 1) == 1:
                stages[:, place] += taken
        periods = np.maximum(busy.max(axis=1), stages.max(axis=1))
        watts = np.stack([power[clocks[:, place]] for place, (_, power) in enumerate(self._scales)], axis=1)
        return periods / 1e6, ((busy * watts).sum(axis=1) + self.machine.idle_watts * periods) / 1e6

    def _loads(self, stages: Sequence[MappedStage]) -> tuple[list[float], list[float]]:
        """Return the nanoseconds of each processor's layers at its fastest clock, and of what it receives."""
        names = [engine.name for engine in self.engines]
        work, received = [0.0] * len(names), [0.0] * len(names)
        for number, stage in enumerate(stages):
            place, layers = names.index(stage.processor), self.network.layers[stage.first : stage.last + 1]
            work[place] += sum(layer.times[stage.processor] for layer in layers)
            received[place] += received_by(self.network, stages, number)
        return work, received

    def choice(self, order: Sequence[str], clocks: Array, hosts: Array, period: float, energy: float) -> FrontPoint:
        """Return a point with its values in place of indices."""
        named: dict[str, float] = {
            engine.name: sorted(engine.clock.mhz)[int(clocks[place])]
            for place, engine in enumerate(self.engines)
            if engine.clock.mhz
        }
        hosting: dict[str, str] = {
            engine.name: self.engines[int(hosts[place])].name
            for place, engine in enumerate(self.engines)
            if engine.hosts
        }
        return FrontPoint(tuple(order), named, hosting, period, energy)


def space_of(
    network: LayeredNetwork, machine: Machine, names: Sequence[str], outstanding: Mapping[str, int] = {}
) -> Space:
    """Return the space of a network's mappings. Raises Diagnostic for processors whose power the machine lacks."""
    chosen = tuple(names) or tuple(engine.name for engine in machine.engines)
    missing = [name for name in chosen if not machine.engine(name).watts]
    if missing:
        raise Diagnostic(
            f"'{machine.name}' does not say what its processors take",
            expected=f"watts of {', '.join(missing)}",
            remedy="add engines.NAME.watts and idle_watts to the machine file (docs/machines.md)",
        )
    return Space(network, machine, chosen, outstanding)


def exact_front(space: Space, progress: Progress = no_progress) -> list[FrontPoint]:
    """Return the Pareto front of the whole space, by period; `progress` is told the number of each order."""
    clocks, hosts = space.settings
    kept: list[FrontPoint] = []
    reach = np.zeros((0, 2))
    for number, order in enumerate(space.all_orders()):
        progress(number)
        costs = np.stack(space.evaluate(order, clocks, hosts), axis=1)
        new = front_of(costs)
        new = new[~_dominated(costs[new], reach)] if len(reach) else new
        if len(new):
            kept += [space.choice(order, clocks[row], hosts[row], *map(float, costs[row])) for row in new]
            reach = np.array([[choice.period, choice.energy] for choice in kept])
            on_front = front_of(reach)
            kept = [kept[row] for row in on_front]
            reach = reach[on_front]
    return sorted(kept, key=lambda choice: choice.period)


def measured_front(front: Sequence[FrontPoint], measure: Callable[[FrontPoint], float]) -> list[FrontPoint]:
    """Return the Pareto front of points by the period that `measure` gives, in ms, and by their modelled energy."""
    points = [choice._replace(measured=measure(choice)) for choice in front]
    costs = np.array([[cast(float, choice.measured), choice.energy] for choice in points])
    return [points[row] for row in front_of(costs)]


def front_of(costs: Array) -> Array:
    """Return the rows of a set of two costs that no other row is as good as in both; of equal rows the first."""
    rows = np.lexsort((costs[:, 1], costs[:, 0]))
    least = np.minimum.accumulate(costs[rows, 1])
    is_better = np.concatenate([[True], costs[rows[1:], 1] < least[:-1]])
    return rows[is_better]


def _dominated(costs: Array, front: Array) -> Array:
    """Return for each row of costs whether a row of a front, sorted by the first cost, is as good in both."""
    front = front[np.argsort(front[:, 0], kind="stable")]
    least = np.minimum.accumulate(front[:, 1])
    place = np.searchsorted(front[:, 0], costs[:, 0], side="right") - 1
    return (place >= 0) & (least[np.maximum(place, 0)] <= costs[:, 1])


def hypervolume(front: Iterable[tuple[float, float]], reference: tuple[float, float]) -> float:
    """Return the area that a front of two costs dominates, below a reference point."""
    area, bound = 0.0, reference[1]
    for period, energy in sorted(front):
        if period < reference[0] and energy < bound:
            area += (reference[0] - period) * (bound - energy)
            bound = energy
    return area


def searched_front(
    space: Space,
    generations: int = 80,
    population: int = 200,
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[FrontPoint]:
    """
    Return the front that NSGA-II finds; the same for a seed.

    A chromosome is a key for each processor, whose order is that of the stages, a cut between each two of them, and
    for each processor its clock and its host. Raises Diagnostic without pymoo.
    """
    try:
        modules = [
            import_module(f"pymoo.{name}") for name in ("algorithms.moo.nsga2", "core.problem", "core.duplicate")
        ]
    except ImportError as error:
        raise Diagnostic(
            "the search by NSGA-II needs pymoo", remedy="pip install 'tilewright[explore]', or take --method exact"
        ) from error
    nsga2, problem, duplicate = cast("list[Any]", modules)
    names, engines = len(space.names), len(space.engines)
    genes = names + names - 1 + 2 * engines

    class _Mapping(problem.Problem):
        def _evaluate(self, x: Array, out: dict[str, Any], *args: object, **kwargs: object) -> None:
            out["F"] = np.array([_costs(space, row) for row in x])

    class _Same(duplicate.DuplicateElimination):
        def _do(self, pop: Sequence[Any], other: Sequence[Any] | None, is_duplicate: Array) -> Array:
            phenotypes = {_phenotype(space, individual.X) for individual in (() if other is None else other)}
            for place, individual in enumerate(pop):
                phenotype = _phenotype(space, individual.X)
                is_duplicate[place] |= phenotype in phenotypes
                if other is None:
                    phenotypes.add(phenotype)
            return is_duplicate

    algorithm = nsga2.NSGA2(pop_size=population, eliminate_duplicates=_Same())
    algorithm.setup(_Mapping(n_var=genes, n_obj=2, xl=0.0, xu=1.0), termination=("n_gen", generations), seed=seed)
    while algorithm.has_next():
        algorithm.next()
        progress(algorithm.n_gen)
    result = algorithm.result()
    choices = [_choice(space, row) for row in np.atleast_2d(result.X)]
    costs = np.array([[choice.period, choice.energy] for choice in choices])
    return [choices[row] for row in front_of(costs)]


def _decoded(space: Space, genes: Array) -> tuple[list[str], Array, Array]:
    """Return the order, the clocks and the hosts of a chromosome of numbers from 0 to 1."""
    names, layers, engines = len(space.names), len(space.network.layers), space.engines
    keys, cuts, rest = genes[:names], genes[names : 2 * names - 1], genes[2 * names - 1 :]
    bounds = [0, *sorted(_index(cut, layers + 1) for cut in cuts), layers]
    chosen = [space.names[int(place)] for place in np.argsort(keys, kind="stable")]
    order = [name for place, name in enumerate(chosen) for _ in range(bounds[place], bounds[place + 1])]
    clocks = [_index(gene, max(1, len(engine.clock.mhz))) for gene, engine in zip(rest, engines, strict=False)]
    own = [engine.name for engine in engines]
    hosts = [
        own.index(engine.hosts[_index(gene, len(engine.hosts))]) if engine.hosts else place
        for place, (gene, engine) in enumerate(zip(rest[len(engines) :], engines, strict=True))
    ]
    return order, np.array([clocks]), np.array([hosts])


def _phenotype(space: Space, genes: Array) -> tuple[object, ...]:
    """Return the phenotype of a chromosome: chromosomes differ in keys and cuts that make the same stages."""
    order, clocks, hosts = _decoded(space, genes)
    used = [place for place, engine in enumerate(space.engines) if engine.name in order]
    return tuple(order), tuple(clocks[0, used]), tuple(hosts[0, used])


def _index(gene: float, count: int) -> int:
    """Return the index, of so many, that a number from 0 to 1 stands for."""
    return min(int(gene * count), count - 1)


def _costs(space: Space, genes: Array) -> tuple[float, float]:
    periods, energies = space.evaluate(*_decoded(space, genes))
    return float(periods[0]), float(energies[0])


def _choice(space: Space, genes: Array) -> FrontPoint:
    order, clocks, hosts = _decoded(space, genes)
    return space.choice(order, clocks[0], hosts[0], *_costs(space, genes))
