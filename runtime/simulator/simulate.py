"""Timing simulation of a program on its machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.model import Machine
from ...dialects.core.syntax.text import new_context
from ...dialects.hier import GridOp
from ...passes.core.byte_ranges import joined
from ...passes.expand_grid import ExpandGridPass
from ...passes.grids.memories import COPIES
from ...passes.memory.views import bytes_of
from ...passes.pipeline_dma import PipelineDmaPass
from ...passes.sharding.residents import one_call
from .clock import BareSchedule
from .columns import Batch, Trail
from .result import (
    BufferResidency,
    BusyInterval,
    EdgeCost,
    EngineCost,
    Hop,
    KernelTotals,
    LayerCost,
    LevelUse,
    MeshLevel,
    Simulation,
)
from .schedule import Schedule
from .walk import Walker


def simulate(
    module: ModuleOp,
    *,
    function: str = "network",
    machine: Machine | None = None,
    is_first: bool = True,
    by_class: bool = True,
) -> Simulation:
    """
    Simulate a function of a program on a machine, by default the module's.

    The program is explicit: loops over kernels, transfers and waits (expand-grid, pipeline-dma), before kernels become
    loops. Grids are expanded in a copy; the module is unchanged. No data are computed. Raises Diagnostic for a program
    without a machine, and for unsupported ops.

    The first call fills resident values (`hier.resident`); a later one, with `is_first` false, has them. Without
    `by_class`, equal instances of concurrent programs are executed one by one; the result is the same.
    """
    machine, module = machine or machine_of(module), expanded(module, is_first=is_first)
    schedule = Schedule(machine, by_class=by_class)
    walker = Walker(module, schedule)
    walker.walk(function)
    cycles = schedule.end()
    layers = tuple(_useful(layer) for layer in schedule.layers.values() if layer.start >= 0)
    memory = schedule.memory()
    fixed, copies = _fixed_bytes(module, function, machine), _copies_in_use(module)
    levels: list[LevelUse] = []
    for level in machine.levels:
        levels.append(_level_use(level, memory, fixed.get(level.name, 0), copies.get(level.name, 1)))
    edges = tuple(_edges(schedule.hops))
    return Simulation(
        machine.name,
        machine.clock.nominal,
        cycles,
        sum(map(attrgetter("energy"), layers)),
        schedule.events,
        layers,
        _operators(layers),
        tuple(_engine_costs(schedule, layers, cycles)),
        tuple(replace(cost, buses=schedule.buses(name)) for name, cost in schedule.link_costs.items()),
        tuple(levels),
        memory,
        walker.streams(),
        tuple(_meshes(machine, edges)),
        schedule.hops,
        edges,
    )


_KIND = BusyInterval._fields.index("kind")


def expanded(module: ModuleOp, *, is_first: bool = True) -> ModuleOp:
    """
    Return the program of a call with explicit data movement: the module itself, or a copy.

    A copy has no grids and no resident values.
    """
    module = one_call(module, is_first=is_first)
    if not any(isinstance(op, GridOp) for op in module.walk()):
        return module
    module = module.clone()
    ExpandGridPass().apply(new_context(), module)
    PipelineDmaPass().apply(new_context(), module)
    return module


def scheduled(module: ModuleOp, function: str, machine: Machine, *, by_class: bool = True) -> BareSchedule:
    """
    Compute the schedule of a function of an explicit program, in cycles. Raises Diagnostic as `simulate` does.

    The tokens of all instances of concurrent programs are known where these are not executed `by_class`.
    """
    clock = BareSchedule(machine, by_class=by_class)
    Walker(module, clock).walk(function)
    return clock


class CallCycles(NamedTuple):
    """Cycles of a call, and of the first one, whose code is fetched: None without an instruction cache."""

    warm: int
    cold: int | None


def call_cycles(module: ModuleOp, function: str, machine: Machine) -> CallCycles:
    """Return the cycles of calls of a function of an explicit program. Raises Diagnostic as `simulate` does."""
    clock = BareSchedule(machine)
    walker = Walker(module, clock)
    walker.walk(function)
    warm = clock.end()
    if not any(engine.program.cache for engine in machine.engines):
        return CallCycles(warm, None)
    walker.restart(is_cold=True)
    walker.walk(function)
    return CallCycles(warm, clock.end())


def _useful(layer: LayerCost) -> LayerCost:
    """
    Return the cost of a layer with its useful work: partial tiles compute points outside of its outputs.

    The engine with most cycles is first.
    """
    operators, engines = (_useful_parts(layer, parts) for parts in (layer.operators, layer.engines))
    ranked = sorted(engines.values(), key=lambda engine: (-engine.busy, engine.name))
    points, macs = _effective(layer, layer.points), _effective(layer, layer.macs)
    return replace(layer, points=points, macs=macs, operators=operators, engines={part.name: part for part in ranked})


def _useful_parts(layer: LayerCost, parts: Mapping[str, KernelTotals]) -> dict[str, KernelTotals]:
    useful: dict[str, KernelTotals] = {}
    for name, part in parts.items():
        points, macs = _effective(layer, part.points), _effective(layer, part.macs)
        useful[name] = replace(part, points=points, macs=macs, least=macs / part.peak if part.peak else part.least)
    return useful


def _effective(layer: LayerCost, count: int) -> int:
    """Return the fraction of useful points in a layer's kernels."""
    return count * layer.stored // layer.produced if layer.produced else count


def _operators(layers: Sequence[LayerCost]) -> tuple[KernelTotals, ...]:
    """Return the cost of each kind of kernel, the most expensive first."""
    totals: dict[str, KernelTotals] = {}
    for part in (part for layer in layers for part in layer.operators.values()):
        total = totals.setdefault(part.name, KernelTotals(part.name, 0))
        total.layers += 1
        total.calls += part.calls
        total.busy += part.busy
        total.points += part.points
        total.macs += part.macs
        total.least += part.least
    return tuple(sorted(totals.values(), key=lambda total: (-total.busy, total.name)))


def _engine_costs(schedule: Schedule, layers: Sequence[LayerCost], cycles: int) -> Iterator[EngineCost]:
    """Yield the cost of each queue and each instance of an engine in use, of the first instance if there is none."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for event in schedule.events.where(_KIND, ("compute", "wait in", "wait out")):
        spans[event.resource, event.kind].append((event.start, event.end))
    for engine in schedule.machine.engines:
        queues = schedule.queue_costs.get(engine.name, {})
        yield from (replace(cost, idle=cycles - cost.busy) for cost in queues.values())
        costs = [schedule.cost_of(engine.name, copy) for copy in range(len(schedule.engines[engine.name]))]
        if queues and not any(cost.calls for cost in costs):
            continue
        shares = (layer.engines[engine.name] for layer in layers if engine.name in layer.engines)
        rates = (share.points / share.busy for share in shares if share.busy)
        peak = max([cost.peak for cost in costs] + list(rates))
        for cost in costs:
            wait_in, wait_out = _waits(*(spans[cost.name, kind] for kind in ("compute", "wait in", "wait out")))
            idle = cycles - cost.busy - wait_in - wait_out
            yield replace(cost, wait_in=wait_in, wait_out=wait_out, idle=idle, peak=peak)


def _waits(computes: list[tuple[int, int]], into: list[tuple[int, int]], out: list[tuple[int, int]]) -> tuple[int, int]:
    """
    Return the cycles in which an engine instance waits for input, and those in which it waits for output alone.

    Of concurrent programs on one instance, one may wait while another one computes: the instance then computes.
    """
    if not into and not out:
        return 0, 0
    busy = _length(computes)
    fed = _length(computes + into)
    return fed - busy, _length(computes + into + out) - fed


def _length(spans: list[tuple[int, int]]) -> int:
    """Return the cycles that are in one interval or more."""
    return sum(high - low for low, high in joined(spans))


def _level_use(level: Level, memory: Sequence[BufferResidency], fixed: int, copies: int) -> LevelUse:
    """Compute the use of a level by a sweep over the live ranges of its buffers."""
    here = [buffer for buffer in memory if buffer.level == level.name and (buffer.address >= 0 or not fixed)]
    floats = (buffer for buffer in here if buffer.address < 0 and buffer.start < buffer.end)
    ends = sorted(((buffer.end, buffer.bytes) for buffer in floats), reverse=True)
    peak, peak_at, covered, floating, running = 0, 0, 0, 0, list[BufferResidency]()
    for at, group in groupby(sorted(here, key=lambda buffer: buffer.start), key=lambda buffer: buffer.start):
        begun = [buffer for buffer in group if at < buffer.end]
        floating += sum(buffer.bytes for buffer in begun if buffer.address < 0)
        while ends and ends[-1][0] <= at:
            floating -= ends.pop()[1]
        placed = [buffer for buffer in running if at < buffer.end]
        placed += [buffer for buffer in begun if buffer.address >= 0]
        if placed != running:
            running, covered = placed, _covered(placed)
        if covered + floating > peak:
            peak, peak_at = covered + floating, at
    alive = tuple(buffer for buffer in here if buffer.start <= peak_at < buffer.end) if peak else ()
    return LevelUse(level.name, level.size * copies, peak, peak_at, alive, fixed, copies)


def _covered(alive: Sequence[BufferResidency]) -> int:
    """Return the bytes of live buffers with addresses; those that alias (in-place updates) count once."""
    total, reach = 0, 0
    for buffer in sorted(alive, key=lambda buffer: buffer.address):
        total += max(0, buffer.address + buffer.bytes - max(buffer.address, reach))
        reach = max(reach, buffer.address + buffer.bytes)
    return total


def _meshes(machine: Machine, edges: Sequence[EdgeCost]) -> Iterator[MeshLevel]:
    """Yield the levels between whose instances data moved."""
    used = {edge.link for edge in edges}
    for level in machine.levels:
        links = [link.name for link in machine.links if link.name in used and link.far == level.name]
        engines = [engine.name for engine in machine.engines if engine.count == level.count]
        if links:
            yield MeshLevel(level.name, level.count, tuple(links), tuple(engines))


def _edges(hops: Trail[Hop]) -> list[EdgeCost]:
    """Return the traffic between each two neighbours."""
    totals: dict[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for part in hops.parts:
        batch = part if isinstance(part, Batch) else Batch(part, 1)
        sources, targets, start, end = (batch.column(field) for field in (1, 2, 4, 5))
        for source, target, one, other in zip(sources, targets, start, end, strict=True):
            total = totals[batch.fields[0], source, target]
            total[0] += batch.fields[6]
            total[1] += 1
            total[2] += other - one
    return [EdgeCost(*edge, *total) for edge, total in sorted(totals.items())]


def _copies_in_use(module: ModuleOp) -> dict[str, int]:
    """Return the number of instances in use of each level with more than one."""
    instances: dict[str, int] = {}
    for op in module.body.block.ops:
        copies = op.attributes.get(COPIES)
        if isinstance(op, memref.GlobalOp) and isinstance(copies, IntegerAttr):
            level = getattr(op.type, "memory_space", None)
            if isinstance(level, StringAttr):
                instances[level.data] = max(instances.get(level.data, 1), copies.value.data)
    return instances


def _fixed_bytes(module: ModuleOp, function: str, machine: Machine) -> dict[str, int]:
    """Return the bytes of weights, inputs and outputs in each level."""
    types: list[Attribute] = []
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp) and isinstance(op.initial_value, DenseIntOrFPElementsAttr):
            types.append(op.type)
        if isinstance(op, FuncOp) and op.sym_name.data == function:
            types += [argument.type for argument in op.body.block.args]
    total: dict[str, int] = {}
    for type in types:
        space = getattr(type, "memory_space", None)
        level = space.data if isinstance(space, StringAttr) else machine.far.name
        total[level] = total.get(level, 0) + bytes_of(type)
    return total
