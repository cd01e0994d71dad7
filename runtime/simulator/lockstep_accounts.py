"""Statistics of concurrent programs that have been executed by classes of equal nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...ir import Array
from ...passes.timing.kernels import Allocation
from .columns import Batch
from .lane_actions import HandOn, KernelAction, NodeClass, SlotName, Take, TransferAction, WaitAction
from .lanes import Lanes
from .lockstep import Lockstep
from .result import LayerCost, Nodes
from .schedule import Schedule

_Names: TypeAlias = "dict[tuple[Allocation, int, Nodes], tuple[int, str]]"
"""Tile -> the order of the last transfer that it is named by, and the name."""


def commit(schedule: Schedule, steps: Lockstep) -> None:
    """
    Take over the execution of concurrent programs by classes into a schedule.

    It resumes at the end of the slowest instance, with the state of engines, links and streams.
    """
    schedule.now = steps.end
    steps.spans.settle(schedule.mesh, schedule.now)
    schedule.links = steps.links
    for name, free in steps.free.items():
        for engine, cycle in zip(schedule.instances(name, len(free)), free.tolist(), strict=True):
            engine.free = cycle
    steps.settle_streams()
    if schedule.KEEPS_ACCOUNTS:
        _account(schedule, steps)


def _account(schedule: Schedule, steps: Lockstep) -> None:
    """Charge the actions of all lanes to layers, engines, links and buffers, and record their events."""
    names: _Names = {}
    for nodes in steps.classes:
        for action in nodes.actions:
            match action:
                case KernelAction():
                    _kernel(schedule, nodes, action)
                case TransferAction():
                    _transfer(schedule, action, nodes, names)
                case WaitAction():
                    began, end = action.began, action.token.end
                    waits = end > began
                    if waits.any():
                        schedule.span(action.layer, int(began[waits].min()), int(end[waits].max()))
                    kind = "wait out" if action.token.outward else "wait in"
                    _stall(schedule, nodes, action.layer, kind, began, end)
                case Take():
                    _stall(schedule, nodes, action.layer, "wait in", action.began, action.until)
                case HandOn():
                    pass
    for key, (_, name) in names.items():
        schedule.name(key, name)
    if steps.slowest is not None:
        _charge(*steps.slowest)


def _names(schedule: Schedule, nodes: NodeClass, engine: str) -> Sequence[str]:
    """Return the resource names of the instances of an engine."""
    return [schedule.resource(engine, copy) for copy in nodes.copies.tolist()]


def _instances(nodes: NodeClass) -> Any:
    return nodes.copies if nodes.has_engine else -1


def _kernel(schedule: Schedule, nodes: NodeClass, action: KernelAction) -> None:
    layer, cost, count = action.layer, action.cost, len(nodes.copies)
    start, end = action.token.start, action.token.end
    energy, cycles = schedule.kernel_energy(cost), cost.cycles
    for engine in (schedule.cost_of(cost.engine, copy) for copy in nodes.copies.tolist()):
        engine.busy += cycles
        engine.calls += 1
        engine.energy += energy
        engine.peak = max(engine.peak, cost.peak)
    share = layer.of_engine(cost.engine)
    share.busy += cycles * count
    kind = layer.of_operator(cost.operator)
    for part in (kind, share):
        part.rate(cost.macs * count, cost.peak)
    for part in (layer, kind, share):
        part.calls += count
        part.points += cost.points * count
        part.macs += cost.macs * count
    layer.bytes_touched += sum(cost.sizes) * count
    layer.energy += energy * count
    schedule.span(layer, int(start.min()), int(end.max()))
    names = _names(schedule, nodes, cost.engine)
    schedule.events.extend(
        Batch((names, "compute", cost.operator, layer.nodes, start, end, 0, _instances(nodes)), count)
    )
    for place, size in zip(action.places, cost.sizes, strict=True):
        _keep(schedule, place, size, layer, start, end)


def _transfer(schedule: Schedule, action: TransferAction, nodes: NodeClass, names: _Names) -> None:
    layer, cost, count, outward = action.layer, action.cost, len(nodes.copies), action.token.outward
    traffic, start, end = schedule.link_costs[action.link.name], action.token.start, action.token.end
    hops = int(action.counts.sum()) if action.ends is not None else count
    traffic.busy += cost.data * hops
    for channel in np.unique(action.channels).tolist():
        traffic.channels[channel] += int((end - start)[action.channels == channel].sum())
    schedule.account(layer, action.link, cost, (action.far.level, action.near.level), hops, outward, count)
    if outward:
        layer.stored += cost.bytes * count
        layer.produced += action.sizes[1] * count
    schedule.span(layer, int(start.min()), int(end.max()))
    schedule.note_last(layer, int(end.max()), outward=outward)
    buses = [f"{action.link.name}.{int(channel)}" for channel in action.channels]
    far_names = _texts(action.far)
    fields = buses, "out" if outward else "in", far_names, layer.nodes, start, end, cost.bytes, _instances(nodes)
    schedule.events.extend(Batch(fields, count))
    for lanes, sources, targets, begun, ended in action.hops if action.ends is not None else ():
        schedule.hops.extend(
            Batch((action.link.name, sources, targets, layer.nodes, begun, ended, cost.bytes), len(lanes))
        )
    _keep(schedule, action.far, action.sizes[0], layer, start, end)
    keys = _keep(schedule, action.near, action.sizes[1], layer, start, end)
    if action.near.bytes:
        return
    shown = [far_names] * count if isinstance(far_names, str) else far_names
    for key, order, name in zip(keys if len(keys) > 1 else keys * count, action.order.tolist(), shown, strict=True):
        if order >= names.get(key, (-1, ""))[0]:
            names[key] = order, name


def _texts(place: Allocation) -> str | list[str]:
    """Return the name of a buffer, or the names of the slots of all lanes."""
    name: object = place.name
    return name.texts if isinstance(name, SlotName) else place.name


def _keep(
    schedule: Schedule, place: Allocation, size: int, layer: LayerCost, start: Array, end: Array
) -> list[tuple[Allocation, int, Nodes]]:
    """Extend the residency of the buffers of all lanes; return their keys, one where it is the same for all."""
    name, address = _texts(place), place.address
    if isinstance(name, str) and not isinstance(address, Lanes):
        return [schedule.keep(place, size, layer.nodes, int(start.min()), int(end.max()))]
    names = [name] * len(start) if isinstance(name, str) else name
    addresses = address.values.tolist() if isinstance(address, Lanes) else [address] * len(start)
    places = (Allocation(text, place.level, at, place.bytes) for text, at in zip(names, addresses, strict=True))
    spans = zip(places, start.tolist(), end.tolist(), strict=True)
    return [schedule.keep(key, size, layer.nodes, one, other) for key, one, other in spans]


def _stall(schedule: Schedule, nodes: NodeClass, layer: LayerCost, kind: str, began: Array, end: Array) -> None:
    """Record the intervals in which engines wait."""
    waits = np.flatnonzero(end > began)
    if not layer.first_engine or not nodes.has_engine or not waits.size:
        return
    names = _names(schedule, nodes, layer.first_engine)
    fields = (
        [names[lane] for lane in waits.tolist()],
        kind,
        kind,
        layer.nodes,
        began[waits],
        end[waits],
        0,
        nodes.copies[waits],
    )
    schedule.events.extend(Batch(fields, len(waits)))


def _charge(nodes: NodeClass, lane: int) -> None:
    """Charge the cycles of an instance to the layers that they are spent for."""
    for action in nodes.actions:
        match action:
            case KernelAction():
                action.layer.busy += int(action.token.end[lane] - action.began[lane])
                action.layer.operators[action.cost.operator].busy += action.cost.cycles
            case WaitAction():
                waited = max(0, int(action.token.end[lane] - action.began[lane]))
                if action.token.outward:
                    action.layer.wait_out += waited
                else:
                    action.layer.wait_in += waited
            case Take():
                action.layer.wait_in += int(action.until[lane] - action.began[lane])
            case TransferAction() | HandOn():
                pass
