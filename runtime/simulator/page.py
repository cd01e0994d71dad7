"""Simulation as a self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from math import isnan
from pathlib import Path
from typing import Any

from .result import LayerCost, LevelUse, MeshLevel, Simulation
from .trace import tracks_of

_TEMPLATE = Path(__file__).with_name("page.html")
_MESH = Path(__file__).with_name("mesh.html")
_FLAT = 2
"""Coordinates of a mesh that can be drawn."""
_KINDS = ("compute", "copy", "in", "out", "wait in", "wait out")


def page_of(simulation: Simulation, title: str, measured: Mapping[tuple[str, ...], int] = {}) -> str:
    """Return the page; `title` names the network, `measured` are cycles of layers, by their nodes, on a simulator."""
    template = _TEMPLATE.read_text(encoding="utf-8")
    data = json.dumps(data_of(simulation, title, measured), separators=(",", ":"), allow_nan=False)
    # Names come from the model and must be escaped.
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    mesh = _MESH.read_text(encoding="utf-8") if _drawn(simulation) else ""
    page = template.replace("{{mesh}}", mesh)
    return page.replace("{{title}}", escape(title)).replace("{{data}}", safe)


def data_of(simulation: Simulation, title: str, measured: Mapping[tuple[str, ...], int] = {}) -> dict[str, Any]:
    """
    Return the data of the page.

    Events are lists `[track, kind, name, layer, start, cycles, bytes]`, and the instance where there is a mesh; buffers
    `[name, layer, address, bytes, start, end]`. Names, layers and instances are indices, -1 for none.
    """
    names: dict[str, int] = {}
    layers = {layer.nodes: number for number, layer in enumerate(simulation.layers)}
    tracks = {name: number for number, name in enumerate(tracks_of(simulation))}
    events = [
        [
            tracks[event.resource],
            _KINDS.index(event.kind),
            names.setdefault(event.name, len(names)),
            layers.get(event.nodes, -1),
            event.start,
            event.end - event.start,
            event.bytes,
            *([event.instance] if _drawn(simulation) else []),
        ]
        for event in simulation.events
    ]
    levels = [_level(level, simulation, names, layers) for level in simulation.levels]
    return {
        "title": title,
        "machine": simulation.machine,
        "mhz": simulation.mhz,
        "cycles": simulation.cycles,
        "later": simulation.later_cycles,
        "energy": simulation.energy,
        "macs": simulation.macs,
        "tracks": list(tracks),
        "kinds": _KINDS,
        "layers": [_layer(layer) | _measured(layer, measured) for layer in simulation.layers],
        "events": events,
        "levels": levels,
        "engines": _engines(simulation),
        "links": [{"name": link.name, "width": link.width, "busy": link.busy} for link in simulation.links],
        "meshes": [_mesh(mesh, simulation, tracks, layers) for mesh in _drawn(simulation)],
        "names": list(names),
    }


def _drawn(simulation: Simulation) -> list[MeshLevel]:
    return [mesh for mesh in simulation.meshes if len(mesh.extents) <= _FLAT]


def _mesh(
    mesh: MeshLevel, simulation: Simulation, tracks: Mapping[str, int], layers: Mapping[tuple[str, ...], int]
) -> dict[str, Any]:
    """Return the nodes of a level, `edges` as pairs of them, and hops `[edge, start, cycles, bytes, layer]`."""
    extents = (1, *mesh.extents)[-_FLAT:]
    pairs = {(edge.link, edge.source, edge.target) for edge in simulation.edges if edge.link in mesh.links}
    edges = {pair: number for number, pair in enumerate(sorted(pairs))}
    hops = [
        [edges[hop[:3]], hop.start, hop.end - hop.start, hop.bytes, layers.get(hop.nodes, -1)]
        for hop in simulation.hops
        if hop.link in mesh.links
    ]
    resources = {number: name.rpartition(".")[0] for name, number in tracks.items()}
    mesh_tracks = [number for number, resource in resources.items() if resource in mesh.engines]
    links = [number for number, resource in resources.items() if resource in mesh.links]
    return {
        "level": mesh.level,
        "rows": extents[0],
        "columns": extents[1],
        "names": mesh.links,
        "edges": [pair[1:] for pair in edges],
        "hops": hops,
        "tracks": mesh_tracks,
        "links": links,
    }


def _engines(simulation: Simulation) -> list[dict[str, Any]]:
    """Return the peak throughput of each engine, over all of its instances in use."""
    engines: dict[str, dict[str, Any]] = {}
    for use in simulation.engines:
        engine = engines.setdefault(use.engine, {"name": use.engine, "peak": 0.0, "busy": 0})
        engine["peak"] += use.peak
        engine["busy"] += use.busy
    return list(engines.values())


def _layer(layer: LayerCost) -> dict[str, Any]:
    return {
        "name": " + ".join(layer.nodes) or layer.operator,
        "op": layer.operator,
        "engine": layer.engine,
        "engines": [[use.name, use.busy] for use in layer.engines.values()],
        "computing": layer.computing,
        "macRate": layer.mac_rate,
        "ofPeak": None if isnan(layer.of_peak) else layer.of_peak,
        "start": layer.start,
        "end": layer.end,
        "cycles": layer.cycles,
        "busy": layer.busy,
        "waitIn": layer.wait_in,
        "waitOut": layer.wait_out,
        "conflicts": layer.conflicts,
        "calls": layer.calls,
        "transfers": layer.transfers,
        "macs": layer.macs,
        "points": layer.points,
        "bytesIn": layer.bytes_in,
        "bytesOut": layer.bytes_out,
        "energy": layer.energy,
        "intensity": layer.intensity,
        "rate": layer.rate,
        "engineRate": layer.engine_rate,
        "limit": layer.limited_by,
    }


def _measured(layer: LayerCost, measured: Mapping[tuple[str, ...], int]) -> dict[str, int]:
    return {"measured": measured[layer.nodes]} if layer.nodes in measured else {}


def _level(
    level: LevelUse, simulation: Simulation, names: dict[str, int], layers: Mapping[tuple[str, ...], int]
) -> dict[str, Any]:
    buffers = [
        [
            names.setdefault(buffer.name, len(names)),
            layers.get(buffer.nodes, -1),
            buffer.address,
            buffer.bytes,
            buffer.start,
            buffer.end,
        ]
        for buffer in simulation.memory
        if buffer.level == level.name and buffer.address >= 0
    ]
    return {
        "name": level.name,
        "size": level.size,
        "peak": level.peak,
        "peakAt": level.peak_at,
        "fixed": level.fixed,
        "buffers": buffers,
    }
