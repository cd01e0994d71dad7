"""Rules that every profile keeps, whatever the network and the machine."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.runtime.simulator import Simulation
from tilewright.runtime.simulator.clock import BareSchedule
from tilewright.runtime.simulator.result import LayerCost
from tilewright.runtime.simulator.walk import Walker


def is_same_again(program: ModuleOp) -> bool:
    """Return whether a walk of a program takes the same cycles once more, and with cold code those of a new walk."""
    clocks = [BareSchedule(machine_of(program)) for _ in range(2)]
    first, second = (Walker(program, clock) for clock in clocks)
    first.walk("network")
    before = clocks[0].end(), first.streams()
    first.restart(is_cold=False)
    first.walk("network")
    again = clocks[0].end(), first.streams()
    for walker in (first, second):
        walker.restart(is_cold=True)
        walker.walk("network")
    return before == again and clocks[0].end() == clocks[1].end()


def faults(simulation: Simulation) -> Iterator[str]:
    """
    Yield the rules that a profile breaks, each with its layer and figures.

    - No engine does more multiply-accumulates a cycle in a layer than the machine says that it can.
    - The cycles of the layers add up to those of the program, and an engine's cycles to those of its kernels.
    - The engines that a layer names are those whose kernels run for it, the one with most cycles first.
    - Where a kernel multiplies and adds, its points are its multiply-accumulates; no layer is above the roofline.
    """
    spent = sum(layer.cycles for layer in simulation.layers)
    if spent != simulation.cycles:
        yield f"the layers take {spent:,} of {simulation.cycles:,} cycles"
    computed = _computed(simulation)
    for layer in simulation.layers:
        yield from (f"{_name(layer)}: {fault}" for fault in _faults_of(layer, simulation, computed))
    for name, busy in _busy(simulation).items():
        told = sum(each.busy for layer in simulation.layers for each in layer.engines.values() if each.name == name)
        if told != busy:
            yield f"{name} is busy for {busy:,} cycles, in the layers for {told:,}"
    yield from (f"{each.name} is idle for {each.idle:,} cycles" for each in simulation.engines if each.idle < 0)


def _faults_of(
    layer: LayerCost, simulation: Simulation, computed: dict[tuple[str, ...], dict[str, int]]
) -> Iterator[str]:
    for each in layer.engines.values():
        if each.macs > each.peak * each.busy * (1 + 1e-9):
            yield f"{each.macs:,} MACs in {each.busy:,} cycles of {each.name}, whose peak is {each.peak:g}"
    told, ran = {each.name: each.busy for each in layer.engines.values()}, computed.get(layer.nodes, {})
    if told != ran:
        yield f"the layer says {told}, its kernels ran on {ran}"
    if layer.engine != " + ".join(sorted(ran, key=lambda engine: (-ran[engine], engine))):
        yield f"the layer says {layer.engine}, its kernels ran on {ran}"
    if any(0 < each.macs < each.points and _multiplies_only(layer, each.name) for each in layer.engines.values()):
        yield f"{layer.points:,} points, {layer.macs:,} multiply-accumulates"
    roofs = sum(each.peak for each in simulation.engines if each.engine in told)
    if layer.engine_rate > roofs * (1 + 1e-9):
        yield f"{layer.engine_rate:g} points a cycle, the roof is at {roofs:g}"


def _multiplies_only(layer: LayerCost, engine: str) -> bool:
    """Return whether all calls of a layer are kernels that multiply and add, on one engine."""
    return [*layer.engines] == [engine] and layer.calls == 1


def _computed(simulation: Simulation) -> dict[tuple[str, ...], dict[str, int]]:
    """Return the cycles that the kernels of each layer ran on each engine, from the single events."""
    engines = {each.name: each.engine for each in simulation.engines}
    found: dict[tuple[str, ...], dict[str, int]] = {}
    for event in simulation.events:
        if event.kind == "compute":
            layer, engine = found.setdefault(event.nodes, {}), engines[event.resource]
            layer[engine] = layer.get(engine, 0) + event.end - event.start
    return found


def _busy(simulation: Simulation) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in simulation.engines:
        found[each.engine] = found.get(each.engine, 0) + each.busy
    return found


def _name(layer: LayerCost) -> str:
    return " + ".join(layer.nodes) or layer.operator
