"""A plan as tables for a terminal, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ...console import table_console
from .plan import FramePlan


def print_plan(plan: FramePlan) -> None:
    """Print a plan's layers, stages and queues, and what they give."""
    console = table_console()
    for table in (_layers(plan), _stages(plan), _queues(plan)):
        console.print(table)
    for line in _summary(plan):
        console.print(line, highlight=False)


def _layers(plan: FramePlan) -> Table:
    network = plan.network
    source = f"times: {network.source}" if network.source else "times: modelled"
    clock = ["MHz"] if plan.settings else []
    title = f"layers of {network.name}, ms; {source}"
    table = Table("layer", "nodes", "MACs", *_processors(plan), "on", *clock, title=title)
    for layer, processor in zip(network.layers, plan.prediction.order, strict=True):
        times = [f"{layer.times[name] / 1e6:.1f}" for name in _processors(plan)]
        nodes = layer.first if layer.first == layer.last else f"{layer.first} .. {layer.last}"
        clock = [f"{_clock(plan, layer.number) or ''}"] if plan.settings else []
        table.add_row(str(layer.number), nodes, f"{layer.macs:,}", *times, processor, *clock)
    return table


def _clock(plan: FramePlan, layer: int) -> int | None:
    """Return the clock in MHz that a layer asks for, None for the one from which the run starts."""
    mhz = plan.settings[layer][1] if plan.settings else None
    return None if mhz is None else round(mhz)


def _processors(plan: FramePlan) -> list[str]:
    return list(plan.network.layers[0].times)


def _stages(plan: FramePlan) -> Table:
    title = f"stages, {plan.mode}, modelled"
    table = Table("stage", "processor", "host", "layers", "ms a frame", "busy", title=title)
    span = max(span.end for span in plan.simulation.spans) or 1
    for number, (stage, time) in enumerate(zip(plan.prediction.stages, plan.prediction.times, strict=True)):
        layers = str(stage.first) if stage.first == stage.last else f"{stage.first} to {stage.last}"
        busy = plan.simulation.busy(stage.processor) / span
        host = plan.prediction.driving.hosts.get(stage.processor, "")
        table.add_row(str(number), stage.processor, host, layers, f"{time / 1e6:.2f}", f"{busy:.0%}")
    return table


def _queues(plan: FramePlan) -> Table:
    table = Table("queue", "slots", "bytes of a slot", "bytes", title="queues")
    for queue in plan.queues:
        table.add_row(queue.name, str(queue.depth), f"{queue.bytes:,}", f"{queue.depth * queue.bytes:,}")
    return table


def _summary(plan: FramePlan) -> list[str]:
    prediction, simulation = plan.prediction, plan.simulation
    order = "".join(name[0].upper() for name in prediction.order)
    energy = "not known"
    if prediction.energy is not None:
        energy = f"{prediction.energy:.0f} mJ a frame"
    if (share := prediction.handover_energy_share) is not None:
        energy += f"; hand-overs {prediction.handover_energy:.1f} mJ, {share:.2%}"
    handovers = f"hand-overs {prediction.handovers / 1e6:.2f} ms, {prediction.handover_share:.2%}"
    return [
        f"order    {order}",
        f"period   {simulation.period / 1e6:.2f} ms, {1e9 / simulation.period:.2f} frames a second (simulated)",
        f"latency  {simulation.latency / 1e6:.2f} ms; {handovers}",
        f"energy   {energy}",
        f"queues   {plan.queue_bytes:,} bytes",
        *([f"clocks   {plan.clocks_text}"] if plan.settings else []),
    ]


def content_of(plan: FramePlan) -> dict[str, Any]:
    """Return a plan for JSON: times in milliseconds, energies in millijoules."""
    prediction, simulation = plan.prediction, plan.simulation
    layers: list[dict[str, object]] = []
    for layer, processor in zip(plan.network.layers, prediction.order, strict=True):
        nodes = {"layer": layer.number, "first": layer.first, "last": layer.last, "macs": layer.macs}
        times = {name: time / 1e6 for name, time in layer.times.items()}
        layers.append({**nodes, "ms": times, "processor": processor, "mhz": _clock(plan, layer.number)})
    stages: list[dict[str, object]] = []
    for stage, time in zip(prediction.stages, prediction.times, strict=True):
        host = prediction.driving.hosts.get(stage.processor)
        extent = {"first": stage.first, "last": stage.last}
        stages.append({"processor": stage.processor, "host": host, **extent, "ms": time / 1e6})
    return {
        "network": plan.network.name,
        "mode": plan.mode,
        "times": plan.network.source or "modelled",
        "order": "".join(name[0].upper() for name in prediction.order),
        "layers": layers,
        "stages": stages,
        "queues": [{"name": queue.name, "slots": queue.depth, "bytes": queue.bytes} for queue in plan.queues],
        "handovers_ms": prediction.handovers / 1e6,
        "handovers_mj": prediction.handover_energy,
        "period_ms": simulation.period / 1e6,
        "latency_ms": simulation.latency / 1e6,
        "fps": 1e9 / simulation.period,
        "energy_mj": prediction.energy,
    }
