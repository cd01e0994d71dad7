"""
Properties of the modelled time, for any network and machine.

    python test/oracles/time_properties.py [MODEL...] [--l1 KIB...]

Without models, the networks of the zoo. For each network and each size of the near memory, planned anew:

- the bytes that the simulator moves are those that the maps of the grids say, counted point by point;
- no engine, channel or bus is busy for longer than the run, and the run is no shorter than its critical path;
- two buffers a tile are never slower than one, on the same tiles;
- the time is never worse with a larger near memory, twice the bandwidth, or a second DMA channel.

The table shows the simulated time beside what the planner expected. The exit code is 1 if anything does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.test.machines.make import machine
from tilewright.test.runtime.simulator.programs import (
    critical_path,
    grids_of,
    modelled_cycles,
    moved_bytes,
    planned,
    with_stages,
)

BANDWIDTH = 8
VARIANTS = {"second channel": (2, BANDWIDTH), "twice the bandwidth": (1, 2 * BANDWIDTH)}
"""Name -> channels and bandwidth."""


@dataclass(frozen=True)
class Row:
    """A network on a machine: the simulation, what the planner expected, and what does not hold."""

    network: str
    l1: int
    simulation: Simulation
    expected: int
    single: int
    variants: tuple[int, ...]
    failures: tuple[str, ...]

    @property
    def off(self) -> float:
        """The simulated time relative to what the planner expected, less 1."""
        return (self.simulation.cycles - self.expected) / self.expected if self.expected else 0.0


def rows_of(network: str, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield a row per size of the near memory, the smallest first."""
    before: Simulation | None = None
    for l1 in sizes:
        try:
            row = row_of(network, l1, before)
        except Diagnostic as error:
            print(f"{network} with {l1} KiB: {error.message}", file=sys.stderr)
            continue
        before = row.simulation
        yield row


def row_of(network: str, l1: int, smaller: Simulation | None) -> Row:
    """Return the row of a network with `l1` KiB; `smaller` is the run with the size before. Raises Diagnostic."""
    module = planned(network, machine(l1 << 10, bandwidth=BANDWIDTH))
    simulation = simulate(module)
    single = simulate(with_stages(module, 1)).cycles
    machines = [machine(l1 << 10, channels=count, bandwidth=width) for count, width in VARIANTS.values()]
    variants = [simulate(planned(network, each)) for each in machines]
    failures = [*sound(simulation)]
    moved = tuple(sum(sides) for sides in zip(*(moved_bytes(grid) for grid in grids_of(module)), strict=True))
    found = sum(link.bytes_in for link in simulation.links), sum(link.bytes_out for link in simulation.links)
    failures += [f"{found} bytes moved, the maps say {moved}"] if found != moved else []
    failures += [f"one buffer a tile takes {single:,} cycles"] if single < simulation.cycles else []
    for name, variant in zip(VARIANTS, variants, strict=True):
        failures += worse(name, simulation, variant)
    failures += worse("larger near memory", smaller, simulation) if smaller else []
    cycles = tuple(variant.cycles for variant in variants)
    return Row(network, l1, simulation, sum(modelled_cycles(module).values()), single, cycles, tuple(failures))


def sound(simulation: Simulation) -> Iterator[str]:
    """Yield the impossible results of a simulation."""
    total = simulation.cycles
    resources = [(engine.name, engine.busy) for engine in simulation.engines]
    for link in simulation.links:
        resources.append((f"the bus of {link.name}", link.busy))
        resources += [(f"a channel of {link.name}", busy) for busy in link.channels]
    yield from (f"{name} is busy for {busy:,} of {total:,} cycles" for name, busy in resources if busy > total)
    if total < critical_path(simulation):
        yield f"{total:,} cycles, the critical path has {critical_path(simulation):,}"
    spent = sum(layer.cycles for layer in simulation.layers)
    if spent > total:
        yield f"the layers take {spent:,} of {total:,} cycles"


def worse(name: str, before: Simulation, after: Simulation) -> Iterator[str]:
    """Yield the layers that are slower on a machine that is better."""
    if after.cycles <= before.cycles:
        return
    old = {layer.nodes: layer.cycles for layer in before.layers}
    slower = [(layer, old[layer.nodes]) for layer in after.layers if layer.cycles > old.get(layer.nodes, 0)]
    text = ", ".join(f"{layer.nodes[0]} {cycles:,} to {layer.cycles:,}" for layer, cycles in slower)
    yield f"{name}: {before.cycles:,} to {after.cycles:,} cycles ({text})"


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns 1 if a property does not hold."""
    known = [name for name in zoo.names() if not zoo.is_of_floats(name)]
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("models", nargs="*", default=known, help="names of the zoo, or .onnx files")
    parser.add_argument("--l1", type=int, nargs="+", default=[8, 32, 128], metavar="KIB")
    options = parser.parse_args(arguments)
    table = Table(title=f"modelled cycles; DMA of {BANDWIDTH} bytes per cycle", title_justify="left")
    for title in ("network", "L1 KiB", "cycles", "planned", "off", "one buffer", *VARIANTS, "stalled", "DMA bytes", ""):
        table.add_column(title, justify="left" if title in ("network", "") else "right")
    failures: list[str] = []
    status = Console(stderr=True)
    for network in track(options.models, "simulating", console=status, transient=True, disable=not status.is_terminal):
        for row in rows_of(network, sorted(options.l1)):
            table.add_row(*_cells(row))
            failures += [f"{row.network} with {row.l1} KiB: {failure}" for failure in row.failures]
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    print("\n".join(failures) or "all properties hold")
    return 1 if failures else 0


def _cells(row: Row) -> tuple[str, ...]:
    simulation = row.simulation
    waits = sum(engine.wait_in + engine.wait_out for engine in simulation.engines)
    moved = sum(link.bytes_in + link.bytes_out for link in simulation.links)
    return (
        row.network.rpartition("/")[2],
        str(row.l1),
        f"{simulation.cycles:,}",
        f"{row.expected:,}",
        f"{row.off:+.2%}",
        f"{row.single:,}",
        *(f"{cycles:,}" for cycles in row.variants),
        f"{waits / max(simulation.cycles, 1):.1%}",
        f"{moved:,}",
        "FAILS" if row.failures else "holds",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
