"""Simulation as tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from rich.console import Console
from rich.table import Table

from .result import EngineCost, LayerCost, LinkCost, Simulation

_SHOWN = 8
"""Maximum number of engine instances shown singly; of more, the average is shown."""
_NUMBERS = (
    *("cycles", "share", "computing", "MACs", "MACs/cycle", "of peak", "stalled", "bytes in", "bytes out"),
    *("points/byte", "limited by"),
)


def print_tables(simulation: Simulation, console: Console) -> None:
    """Print the cost of each layer, then the engines, links and levels, and the totals."""
    console.print(layer_table(simulation))
    console.print(operator_table(simulation))
    console.print(resource_table(simulation))
    console.print(summary(simulation), highlight=False)


def layer_table(simulation: Simulation) -> Table:
    """Return the table of layers."""
    table = Table(title="modelled, per layer", title_justify="left")
    table.add_column("nodes", overflow="fold", min_width=24)
    table.add_column("engine", overflow="fold")
    for title in _NUMBERS:
        table.add_column(title, justify="right", no_wrap=True)
    for layer in simulation.layers:
        table.add_row(*_row(layer, simulation.cycles))
    table.add_section()
    whole = sum(layer.cycles for layer in simulation.layers)
    table.add_row("all layers", "", f"{whole:,}", f"{whole / max(simulation.cycles, 1):.1%}")
    return table


def _row(layer: LayerCost, cycles: int) -> tuple[str, ...]:
    return (
        " + ".join(layer.nodes) or layer.operator,
        engine_label(layer),
        f"{layer.cycles:,}",
        f"{layer.cycles / max(cycles, 1):.1%}",
        f"{layer.computing:,}",
        f"{layer.macs:,}",
        f"{layer.mac_rate:.2f}",
        "" if isnan(layer.of_peak) else f"{layer.of_peak:.1%}",
        f"{layer.stalled:.1%}",
        f"{layer.bytes_in:,}",
        f"{layer.bytes_out:,}",
        f"{layer.intensity:.1f}",
        layer.limited_by,
    )


def engine_label(layer: LayerCost) -> str:
    """Return the engines of a layer, with their shares of its cycles if there are several."""
    total = sum(engine.busy for engine in layer.engines.values())
    if len(layer.engines) < 2 or not total:
        return layer.engine
    return " + ".join(f"{engine.name} {engine.busy / total:.0%}" for engine in layer.engines.values())


def operator_table(simulation: Simulation) -> Table:
    """Return the table of operators."""
    table = Table("operator", title="modelled, per operator", title_justify="left")
    for title in ("layers", "calls", "cycles", "share", "MACs", "points"):
        table.add_column(title, justify="right", no_wrap=True)
    for operator in simulation.operators:
        share = f"{operator.busy / max(simulation.cycles, 1):.1%}"
        counts = operator.layers, operator.calls, operator.busy
        table.add_row(operator.name, *(f"{n:,}" for n in counts), share, f"{operator.macs:,}", f"{operator.points:,}")
    return table


def resource_table(simulation: Simulation) -> Table:
    """Return the table of engines, links and levels."""
    table = Table("what", "how it was used", title="modelled, per resource", title_justify="left")
    total = max(simulation.cycles, 1)
    for name in dict.fromkeys(engine.engine for engine in simulation.engines):
        copies = [engine for engine in simulation.engines if engine.engine == name]
        if len(copies) > _SHOWN:
            table.add_row(f"engine {name}, {len(copies)} copies", _engine_text(copies, total))
            continue
        for engine in copies:
            table.add_row(f"engine {engine.name}", _engine_text([engine], total))
    for link in simulation.links:
        moved = f"{link.bytes_in:,} bytes in, {link.bytes_out:,} out in {link.transfers:,} transfers"
        table.add_row(f"link {link.name}", f"{moved}; {_buses_text(link, total)}")
    for stream in simulation.streams:
        count = f"{stream.tiles:,} tiles" + (f" over {stream.queues} queues" if stream.queues > 1 else "")
        rate = f"; one every {stream.period:,.0f} cycles" if stream.period else ""
        table.add_row(f"stream {stream.name}", count + rate)
    for level in simulation.levels:
        fixed = f"; {level.fixed:,} bytes of weights, inputs and outputs" if level.fixed else ""
        share = f"{level.peak / level.size:.1%} of {level.size:,}"
        share += f" in {level.copies} copies" if level.copies > 1 else ""
        table.add_row(f"level {level.name}", f"{level.peak:,} bytes at the peak, {share}{fixed}")
    return table


def _buses_text(link: LinkCost, total: int) -> str:
    if link.buses > 1:
        return f"{link.buses} buses between neighbours, busy {link.busy / link.buses / total:.1%} on average"
    channels = ", ".join(f"{cycles / total:.1%}" for cycles in link.channels)
    return f"bus busy {link.busy / total:.1%}, channels {channels}"


def _engine_text(copies: Sequence[EngineCost], total: int) -> str:
    """Return the time breakdown of an engine's instances, on average."""
    names = {"busy": "busy", "wait_in": "waits for input", "wait_out": "waits for output", "idle": "idle"}
    shares = {name: sum(getattr(copy, name) for copy in copies) / (total * len(copies)) for name in names}
    text = ", ".join(f"{title} {shares[name]:.1%}" for name, title in names.items())
    return f"{text}; {sum(copy.calls for copy in copies):,} calls"


def summary(simulation: Simulation) -> str:
    """Return the totals in one line."""
    time = f" ({simulation.seconds * 1e3:.3f} ms at {simulation.mhz:g} MHz)" if simulation.mhz else ""
    rate = simulation.macs / max(simulation.cycles, 1)
    energy = f", {simulation.energy / 1e6:.2f} uJ" if simulation.energy else ""
    work = f"{simulation.macs:,} multiply-accumulates, {rate:.2f} a cycle"
    later = "" if simulation.later_cycles is None else f" in the first call, {simulation.later_cycles:,} in later ones"
    later += "" if simulation.cold_cycles is None else f", {simulation.cold_cycles:,} in the first call"
    return f"modelled on {simulation.machine}: {simulation.cycles:,} cycles{later}{time}{energy}; {work}"
