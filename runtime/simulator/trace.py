"""Simulation as a trace for Perfetto and Chrome (https://ui.perfetto.dev, chrome://tracing)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .result import Simulation


def tracks_of(simulation: Simulation) -> list[str]:
    """Return the resources of a machine in display order: engines, then channels."""
    engines = [engine.name for engine in simulation.engines]
    channels = [f"{link.name}.{number}" for link in simulation.links for number in range(len(link.channels))]
    return engines + channels


def trace_of(simulation: Simulation) -> dict[str, Any]:
    """
    Return the trace, in the JSON Object Format of Chrome's trace events.

    There is a track per engine and per channel, one for the layers, and a counter of the bytes in use of each level.
    Times are microseconds at the machine's clock; if that is unknown, one cycle is shown as one microsecond.
    """
    scale = 1 / simulation.mhz if simulation.mhz else 1.0
    title = f"{simulation.machine}, modelled" + ("" if simulation.mhz else ", 1 us = 1 cycle")
    names = ["layers", *tracks_of(simulation)]
    events: list[dict[str, Any]] = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": title}}]
    for number, name in enumerate(names):
        place = {"ph": "M", "pid": 1, "tid": number}
        events.append({**place, "name": "thread_name", "args": {"name": name}})
        events.append({**place, "name": "thread_sort_index", "args": {"sort_index": number}})
    events += _slices(simulation, names, scale)
    events += _counters(simulation, scale)
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"machine": simulation.machine}}


def _slices(simulation: Simulation, names: list[str], scale: float) -> Iterator[dict[str, Any]]:
    for layer in simulation.layers:
        numbers = {"cycles": layer.cycles, "macs": layer.macs, "bytes in": layer.bytes_in, "bytes out": layer.bytes_out}
        yield _slice(0, " + ".join(layer.nodes) or layer.operator, "layer", layer.start, layer.end, scale, numbers)
    tracks = {name: number for number, name in enumerate(names)}
    for event in simulation.events:
        nodes = " + ".join(event.nodes)
        title = f"{event.kind} {event.name}" if event.kind in ("in", "out") else event.name
        details = {"nodes": nodes, "cycles": event.end - event.start}
        details |= {"bytes": event.bytes} if event.bytes else {}
        name = f"{title}: {nodes}" if nodes else title
        yield _slice(tracks[event.resource], name, event.kind, event.start, event.end, scale, details)


def _slice(
    track: int, name: str, kind: str, start: int, end: int, scale: float, details: dict[str, Any]
) -> dict[str, Any]:
    times = {"ts": round(start * scale, 6), "dur": round((end - start) * scale, 6)}
    return {"ph": "X", "pid": 1, "tid": track, "name": name, "cat": kind, **times, "args": details}


def _counters(simulation: Simulation, scale: float) -> Iterator[dict[str, Any]]:
    """Yield the bytes in use of each level at every change."""
    for level in simulation.levels:
        here = [buffer for buffer in simulation.memory if buffer.level == level.name and buffer.address >= 0]
        changes: dict[int, int] = {}
        for buffer in here:
            changes[buffer.start] = changes.get(buffer.start, 0) + buffer.bytes
            changes[buffer.end] = changes.get(buffer.end, 0) - buffer.bytes
        used = 0
        for time in sorted(changes):
            used += changes[time]
            counter = {"ph": "C", "pid": 1, "name": f"{level.name} in use", "ts": round(time * scale, 6)}
            yield {**counter, "args": {"bytes": used}}
