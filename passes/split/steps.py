"""Makespan of consecutive kernels with some of them split into parts, by the machine's cost model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...ir import element_of, numpy_type
from ..map_engines import mapped_engine
from ..memory.layers import is_preloaded
from ..memory.views import bytes_of
from ..overlap.regions import MemoryRegion
from ..overlap.runs import KernelRun, cycles_of_runs
from ..tiles.kernels import KernelTiles
from .parts import OperandFootprint, footprints_of, parts_along


@dataclass(frozen=True)
class KernelStep:
    """Kernel or part of one: its engine, cycles, bytes and memory regions read and written."""

    engine: Engine
    cycles: int
    size: int
    reads: tuple[MemoryRegion, ...]
    writes: tuple[MemoryRegion, ...]

    def has_to_follow(self, other: KernelStep) -> bool:
        """Return whether a step depends on an earlier one by a RAW, WAR or WAW hazard."""
        pairs = [(self.reads, other.writes), (self.writes, other.reads), (self.writes, other.writes)]
        return any(a.meets(b) for mine, theirs in pairs for a in mine for b in theirs)


def steps_of(whole: KernelTiles, machine: Machine, loop: int, cuts: Sequence[int]) -> list[KernelStep] | None:
    """
    Split a kernel along a loop into steps; `cuts` are the first points of all parts but the first.

    Without cuts the kernel is one step, and may have no loops. None if the engine does not support a part, or if a
    memory region is unknown.
    """
    engine = mapped_engine(whole.op, machine)
    tile_cost = machine.tile_cost(engine, whole.op)
    parts = parts_along(whole, loop, cuts) if cuts else whole
    steps: list[KernelStep] = []
    for sizes, footprints in zip(parts.sizes.tolist(), footprints_of(parts), strict=True):
        cycles = tile_cost(tuple(sizes)) if tile_cost is not None else None
        regions = {
            position: region for position, footprint in footprints.items() if (region := footprint.region) is not None
        }
        if cycles is None or len(regions) < len(footprints):
            return None
        again = _fetched_again(footprints.values(), engine, machine) if steps else 0
        reads = tuple(region for position, region in regions.items() if position < whole.first_output)
        writes = tuple(region for position, region in regions.items() if position >= whole.first_output)
        steps.append(KernelStep(engine, cycles + again, _size(footprints.values(), machine), reads, writes))
    return steps


def _size(footprints: Iterable[OperandFootprint], machine: Machine) -> int:
    """Return the bytes of footprints in levels that are not preloaded."""
    fetched = [footprint for footprint in footprints if not is_preloaded(footprint.value, machine)]
    return sum(prod(footprint.extents) * numpy_type(element_of(footprint.value)).itemsize for footprint in fetched)


def _fetched_again(footprints: Iterable[OperandFootprint], engine: Engine, machine: Machine) -> int:
    """Return the cycles to fetch constants to the engine, once per part, without overlap."""
    wholes = [footprint.value for footprint in footprints if isinstance(footprint.value.owner, memref.GetGlobalOp)]
    return sum(machine.fetch_cycles(engine, bytes_of(v.type)) for v in wholes if not is_preloaded(v, machine))


def cycles_of(steps: Sequence[KernelStep]) -> int:
    """Compute the makespan in cycles of steps under list scheduling."""
    runs: list[KernelRun] = []
    for number, step in enumerate(steps):
        predecessors = {other for other in range(number) if step.has_to_follow(steps[other])}
        runs.append(KernelRun.on(step.engine, step.cycles, predecessors))
    return cycles_of_runs(runs)
