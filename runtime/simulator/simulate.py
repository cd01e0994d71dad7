"""Timing simulation of a program on its machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby
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
from .accounts import LayerAccount
from .clock import BareSchedule
from .columns import Batch, Trail
from .result import (
    BufferResidency,
    BusyInterval,
    EdgeCost,
    EngineCost,
    Hop,
    LayerCost,
    LayerEngine,
    LevelUse,
    LinkCost,
    MeshLevel,
    OperatorCost,
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
    parts = [layer for layer in schedule.layers.values() if layer.start >= 0]
    layers = tuple(map(_layer_cost, parts))
    memory = schedule.memory()
    fixed, copies = _fixed_bytes(module, function, machine), _copies_in_use(module)
    edges = tuple(_edges(schedule.hops))
    return Simulation(
        machine.name,
        machine.clock.nominal,
        cycles,
        sum(layer.energy for layer in layers),
        schedule.events,
        layers,
        _operators(parts),
        tuple(_engine_costs(schedule, layers, cycles)),
        tuple(_link_cost(name, schedule) for name in schedule.links),
        tuple(
            _level_use(level, memory, fixed.get(level.name, 0), copies.get(level.name, 1)) for level in machine.levels
        ),
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


def _layer_cost(layer: LayerAccount) -> LayerCost:
    """Return the cost of a layer, named after its most expensive kernel."""
    own = ("operator", "points", "macs", "engines")
    names = [field.name for field in fields(LayerCost) if field.name not in own]
    operator = max(layer.operators, key=lambda name: layer.operators[name].busy, default="transfers")
    counts = _effective(layer, layer.points), _effective(layer, layer.macs)
    engines = sorted((_engine_of_layer(layer, name) for name in layer.engines), key=lambda e: (-e.busy, e.engine))
    rest = {name: getattr(layer, name) for name in names}
    return LayerCost(operator=operator, engines=tuple(engines), points=counts[0], macs=counts[1], **rest)


def _engine_of_layer(layer: LayerAccount, engine: str) -> LayerEngine:
    share = layer.engines[engine]
    counts = _effective(layer, share.points), _effective(layer, share.macs)
    peak = share.macs / share.least if share.macs and share.rated == share.macs else 0.0
    return LayerEngine(engine, share.busy, share.calls, *counts, peak)


def _effective(layer: LayerAccount, count: int) -> int:
    """
    Return the fraction of useful points in a layer's kernels: partial tiles compute points outside of its outputs.
    """
    return count * layer.stored // layer.produced if layer.produced else count


def _operators(layers: Sequence[LayerAccount]) -> tuple[OperatorCost, ...]:
    """Return the cost of each kind of kernel, the most expensive first."""
    costs: dict[str, OperatorCost] = {}
    for layer in layers:
        for name, tally in layer.operators.items():
            old = costs.get(name, OperatorCost(name, 0, 0, 0, 0, 0))
            points, macs = _effective(layer, tally.points), _effective(layer, tally.macs)
            counts = old.layers + 1, old.calls + tally.calls, old.busy + tally.busy, old.points + points
            costs[name] = OperatorCost(name, *counts, old.macs + macs)
    return tuple(sorted(costs.values(), key=lambda cost: (-cost.busy, cost.operator)))


def _engine_costs(schedule: Schedule, layers: Sequence[LayerCost], cycles: int) -> Iterator[EngineCost]:
    """Yield the cost of each queue and each instance of an engine in use, of the first instance if there is none."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for event in schedule.events.where(_KIND, ("compute", "wait in", "wait out")):
        spans[event.resource, event.kind].append((event.start, event.end))
    for engine in schedule.machine.engines:
        queues, uses = schedule.queues.get(engine.name, {}), schedule.engines[engine.name]
        for name, use in queues.items():
            yield EngineCost(name, use.busy, 0, 0, cycles - use.busy, use.calls, 0.0, 0.0, name)
        if queues and not any(use.calls for use in uses):
            continue
        shares = (share for layer in layers for share in layer.engines if share.engine == engine.name and share.busy)
        rates = (share.points / share.busy for share in shares)
        peak = max([use.peak for use in uses] + list(rates))
        for copy, use in enumerate(uses):
            name = f"{engine.name}.{copy}" if engine.total > 1 else engine.name
            waits = _waits(*(spans[name, kind] for kind in ("compute", "wait in", "wait out")))
            yield EngineCost(
                name, use.busy, *waits, cycles - use.busy - sum(waits), use.calls, peak, use.energy, engine.name
            )


def _waits(computes: list[tuple[int, int]], into: list[tuple[int, int]], out: list[tuple[int, int]]) -> tuple[int, int]:
    """
    Return the cycles in which an engine instance waits for input, and those in which it waits for output alone.

    Of concurrent programs on one instance, one may wait while another one computes: the instance then computes.
    """
    if not into and not out:
        return 0, 0
    busy, fed, used = (
        sum(high - low for low, high in joined(spans)) for spans in (computes, computes + into, computes + into + out)
    )
    return fed - busy, used - fed


def _link_cost(name: str, schedule: Schedule) -> LinkCost:
    bus = schedule.links[name]
    clock = schedule.machine.clock.nominal
    ratio = bus.link.clock.nominal / clock if bus.link.clock.mhz and clock else 1.0
    moved = bus.bytes_in, bus.bytes_out, bus.transfers, bus.busy
    buses = schedule.buses(name)
    return LinkCost(name, *moved, tuple(bus.channel_busy), bus.link.width * ratio, bus.energy, buses)


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
