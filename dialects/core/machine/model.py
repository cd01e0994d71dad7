"""
Machine model: what levels, links and engines together do, and what kernels and transfers cost on them.

A `Machine` comes from a TOML file (`machine_file`), or from the attribute `hier.machine` of a module
(`machine_attribute`), which is all that passes read. Times are cycles of the machine's clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Annotated, TypeVar

from ....errors import Diagnostic, did_you_mean
from .clock import NO_CLOCK, Clock
from .cost_table import cost_named, count_named, is_over_tiles
from .engine import FREE, Engine, ProgramCosts, Queue
from .keys import HEADING
from .level import Level
from .link import Link
from .operations import OpSupport
from .tile_costs import KernelCosts, TileCost, with_setup
from .values import NumberForm

if TYPE_CHECKING:
    from xdsl.ir import Operation

_KERNELS_PRICED = 4096
"""Structurally different kernels whose costs a machine memoises."""


@dataclass(frozen=True)
class Machine:
    """
    A machine that networks are compiled for.

    `levels` go from far to near; of those equally far, the ones for all data come first, then the largest. `links` and
    `engines` are in order of their names.
    """

    name: Annotated[str, HEADING]
    levels: tuple[Level, ...]
    """Memory levels, each by its name."""
    engines: tuple[Engine, ...]
    """Engines that compute, each by its name. Some engine has to run `"*"`."""
    links: tuple[Link, ...] = ()
    """Links between the levels, each by its name."""
    description: str = ""
    """One line about the machine."""
    clock: Clock = NO_CLOCK
    """Clock of the machine, in whose cycles times are; without it, no seconds are known."""
    idle_watts: Annotated[float, NumberForm(unit="W")] = 0.0
    """Power of the machine while no engine works."""

    @cached_property
    def queues(self) -> dict[str, Queue]:
        """The queues of all engines, by name."""
        return {
            name: Queue(name, engine.name, depth, engine.interlocks)
            for engine in self.engines
            for name, depth in engine.queues
        }

    @property
    def far(self) -> Level:
        """The level where a network's weights live, and its inputs and outputs where programs address it."""
        return self.levels[0]

    @property
    def home(self) -> Level:
        """The farthest level that programs address: there is what they touch themselves, such as inputs and outputs."""
        return next(level for level in self.levels if not (level.external or level.preloaded))

    @property
    def copier(self) -> Engine:
        """The engine that copies buffers within a level: the first general-purpose one, else the first."""
        for engine in self.engines:
            if any(support.op == "*" for support in engine.runs):
                return engine
        return self.engines[0]

    def in_flight(self, *, external: bool) -> int:
        """Return the most in-flight transfers over links from external levels, or from others; 0 if not given."""
        ends = ((link, self.level(link.far).external) for link in self.links)
        return max((link.in_flight for link, is_external in ends if is_external == external), default=0)

    def level(self, name: str) -> Level:
        """Return a level. Raises Diagnostic for an unknown one."""
        return _find(self.levels, name, "level", self.name)

    def link(self, name: str) -> Link:
        """Return a link. Raises Diagnostic for an unknown one."""
        return _find(self.links, name, "link", self.name)

    def engine(self, name: str) -> Engine:
        """Return an engine. Raises Diagnostic for an unknown one."""
        return _find(self.engines, name, "engine", self.name)

    def near_level_of(self, engine: Engine, role: str = "ins") -> Level:
        """Return the level where an engine prefers operands of a role."""
        return self.level(engine.levels_of(role)[0])

    def path(self, source: str, target: str) -> tuple[Link, ...]:
        """
        Return the links to take from one level to another, in order: the fewest, by name if there are several.

        Raises Diagnostic where none leads there.
        """
        if (source, target) not in self._paths:
            for name in (source, target):
                self.level(name)
            raise Diagnostic(
                f"no link leads from '{source}' to '{target}'",
                f"machine {self.name}",
                remedy="add a link, or one with direction 'both'",
            )
        return self._paths[source, target]

    @cached_property
    def _paths(self) -> dict[tuple[str, str], tuple[Link, ...]]:
        return {
            (source.name, target): path
            for source in self.levels
            for target, path in _paths_from(source.name, self).items()
        }

    def tile_cost(self, engine: Engine, op: Operation) -> TileCost | None:
        """
        Return the cost model of the kernel `op`, or of a tile of it, on an engine; None where it does not run the op.

        The function takes the extents of the tile's loops, by default those of the whole, and returns cycles of the
        machine's clock, set-up included, or None where the engine cannot run a kernel of that form. What it returned is
        remembered for kernels that are structurally equal. Raises Diagnostic where `op` is not a kernel.
        """
        costs = self._costs_on(engine, op, self._known_costs(op))
        return None if costs is None else costs.of(op)

    def counter(self, engine: Engine, op: Operation) -> TileCost | None:
        """Return the instructions of a kernel, or of a tile of it, on an engine, as `tile_cost`; None where unknown."""
        support = engine.support(op)
        count = count_named(support.cost) if support is not None else None
        if support is None or count is None:
            return None
        parameters, over_tiles = dict(support.parameters), is_over_tiles(count)
        return KernelCosts(
            support, lambda kernel, tile: count(kernel, tile, engine, **parameters), over_tiles=over_tiles
        ).of(op)

    @cached_property
    def program(self) -> ProgramCosts:
        """Costs of the program's own code: those of the engine that executes it, FREE if none states them."""
        return next((engine.program for engine in self.engines if engine.program != FREE), FREE)

    @cached_property
    def warm(self) -> Machine:
        """The machine whose set-ups are those of code in the instruction cache."""
        engines = (replace(engine, setup=engine.warm_setup or engine.setup) for engine in self.engines)
        return replace(self, engines=tuple(engines))

    @property
    def issuing(self) -> int:
        """Cycles in which the program issues an instruction, 0 where the machine does not say."""
        return self.program.instruction

    def cost(self, engine: Engine, op: Operation, bounds: tuple[int, ...] | None = None) -> int | None:
        """Return the cycles of an op, or of a tile with loops of these extents, on an engine; None where it cannot."""
        tile_cost = self.tile_cost(engine, op)
        return None if tile_cost is None else tile_cost(bounds)

    def fault(self, engine: Engine, op: Operation) -> str:
        """Return why an engine cannot run an op: its name, element types or form; empty if it can."""
        costs = self._costs_on(engine, op, self._known_costs(op))
        return engine.fault(op) if costs is None else costs.fault(op)

    def engines_for(self, op: Operation) -> tuple[tuple[Engine, int], ...]:
        """Return the engines that can run an op, each with the cycles of the whole of it, the fastest first."""
        memoised = self._known_costs(op)
        costs_by_engine = ((engine, self._costs_on(engine, op, memoised)) for engine in self.engines)
        costs = ((engine, tile_costs.of(op)()) for engine, tile_costs in costs_by_engine if tile_costs is not None)
        able = [(engine, cycles) for engine, cycles in costs if cycles is not None]
        return tuple(sorted(able, key=lambda pair: pair[1]))

    def peak(self, engine: Engine, op: Operation) -> float:
        """
        Return the multiply-accumulates per cycle of the machine's clock that an engine does at most of a kernel.

        0 where the machine does not say, or the engine does not run the op.
        """
        support = engine.support(op)
        return support.peak_of(op, engine.cores) / self._cycles_per_cycle_of(engine) if support is not None else 0.0

    def transfer_cycles(self, link: Link, row_bytes: int, counts: Sequence[int] = ()) -> int:
        """Return `link.cycles(...)` in cycles of the machine's clock."""
        cycles = link.cycles(row_bytes, counts)
        return ceil(cycles * self.clock.nominal / link.clock.nominal) if link.clock.mhz else cycles

    def fetch_cycles(self, engine: Engine, count: int) -> int:
        """Return the cycles of bringing `count` contiguous bytes from the far level to an engine's inputs."""
        path = self.path(self.far.name, self.near_level_of(engine).name)
        return sum(self.transfer_cycles(link, count) for link in path)

    def seconds(self, cycles: int) -> float:
        """Return the seconds of cycles of the machine's clock; NaN where its frequency is not given."""
        return cycles / (self.clock.nominal * 1e6) if self.clock.mhz else float("nan")

    def _known_costs(self, op: Operation) -> dict[str, KernelCosts | None]:
        """Return the memoised costs of kernels structurally equal to `op`, by engine name."""
        from ..kernel_structure import structure_of

        key = structure_of([op])
        costs = self._kernel_costs.get(key)
        if costs is None:
            if len(self._kernel_costs) >= _KERNELS_PRICED:
                self._kernel_costs.clear()
            costs = self._kernel_costs[key] = {}
        return costs

    def _costs_on(self, engine: Engine, op: Operation, memoised: dict[str, KernelCosts | None]) -> KernelCosts | None:
        """Return the costs on an engine of kernels structurally equal to `op`, None where it does not run them."""
        if engine.name not in memoised:
            support = engine.support(op)
            memoised[engine.name] = None if support is None else self._new_kernel_costs(engine, support)
        return memoised[engine.name]

    def _new_kernel_costs(self, engine: Engine, support: OpSupport) -> KernelCosts:
        """Return the costs of kernels on an engine, in cycles of the machine's clock, set-up included."""
        cost, parameters = cost_named(support.cost), dict(support.parameters)
        ratio = self._cycles_per_cycle_of(engine)
        cycles = with_setup(lambda kernel, tile: cost(kernel, tile, engine, **parameters), engine.setup, ratio)
        return KernelCosts(support, cycles, over_tiles=is_over_tiles(cost))

    @cached_property
    def _kernel_costs(self) -> dict[Hashable, dict[str, KernelCosts | None]]:
        return {}

    def _cycles_per_cycle_of(self, engine: Engine) -> float:
        return self.clock.nominal / engine.clock.nominal if engine.clock.mhz else 1


_Part = TypeVar("_Part", Level, Link, Engine)


def _find(parts: tuple[_Part, ...], name: str, kind: str, machine: str) -> _Part:
    for part in parts:
        if part.name == name:
            return part
    names = [part.name for part in parts]
    message = f"the machine has no {kind} '{name}'"
    raise Diagnostic(message, f"machine {machine}", ", ".join(names), name, did_you_mean(name, names))


def _paths_from(source: str, machine: Machine) -> dict[str, tuple[Link, ...]]:
    """Return the shortest path to each level that can be reached, by breadth-first search."""
    paths: dict[str, tuple[Link, ...]] = {source: ()}
    pending = deque([source])
    while pending:
        here = pending.popleft()
        for link in machine.links:
            there = link.near if link.far == here else link.far
            if there not in paths and link.leads(here, there):
                paths[there] = (*paths[here], link)
                pending.append(there)
    return paths
