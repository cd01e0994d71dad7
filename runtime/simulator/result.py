"""Result of a simulation: times of all events, and costs per layer, operator, engine, link and level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import NamedTuple

Nodes = tuple[str, ...]
"""Names of the ONNX nodes that a part of a program implements, in order."""


class BusyInterval(NamedTuple):
    """
    Busy interval of a resource, or stall of an engine, in cycles.

    `kind` is `compute`, `in`, `out` or `copy`, and for a stall `wait in` or `wait out`. A resource is the name of an
    engine, `ENGINE.COPY` if it has several instances, or `LINK.CHANNEL`. `instance` is that of the engine whose program
    it is of, -1 for that of no program of an engine with instances.
    """

    resource: str
    kind: str
    name: str
    nodes: Nodes
    start: int
    end: int
    bytes: int = 0
    instance: int = -1


class Hop(NamedTuple):
    """
    Busy interval of the bus from one instance of a level to a neighbour, by number, in cycles.

    A transfer within an instance has the same number twice.
    """

    link: str
    source: int
    target: int
    nodes: Nodes
    start: int
    end: int
    bytes: int


class BufferResidency(NamedTuple):
    """Residency of a buffer in a level: its offset, -1 if unallocated, and the cycles of its first and last use."""

    level: str
    name: str
    nodes: Nodes
    address: int
    bytes: int
    start: int
    end: int


@dataclass
class KernelTotals:
    """
    Totals of the kernels of one kind, or of those that an engine runs: calls, and compute cycles over all instances.

    `layers` is the number of layers with such kernels. `points` and `macs` are as in LayerCost. `least` are the cycles
    of the multiply-accumulates at the engine's peak, infinite where that is unknown.
    """

    name: str
    layers: int = 1
    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0
    least: float = 0.0

    @property
    def peak(self) -> float:
        """Maximum of multiply-accumulates per cycle on these kernels, 0 if unknown."""
        return self.macs / self.least if self.least else 0.0

    def rate(self, macs: int, peak: float) -> None:
        """Count the least cycles of multiply-accumulates, by the peak of their kernel, 0 if unknown."""
        if macs:
            self.least += macs / peak if peak else inf


@dataclass
class LayerCost:
    """
    Cost of a layer in modelled cycles of the machine's clock; of concurrent engine instances, those of the slowest.

    `cycles` is the layer's share of the makespan; the layers' shares add up to it. It is the sum of `busy` (an engine
    computes for the layer), `setup` (the program launches its kernels), and `wait_in` and `wait_out` (the program waits
    for its transfers). A cycle of concurrent compute belongs to that kernel's layer, whatever the program does. In
    `hidden` cycles the layer's kernels overlap with those of another engine; they are in no layer's `busy`. `conflicts`
    are the cycles lost to transfers that use the same banks.

    `points` is the layer's work: the multiply-accumulates `macs` of a kernel that multiplies and adds, the iterations
    of others. In a `Simulation` it is the useful work, and the `engines` are in order of cycles, the most first.
    `bytes_in` and `bytes_out` are moved by links. `bytes_touched` are those of the operands of all kernel calls.
    `stored` are the bytes of outputs that were written, of tiles of `produced` bytes, padding included. `intensity` is
    points per byte moved, or touched if none is moved. `energy` is in picojoules.
    """

    nodes: Nodes
    first_engine: str = ""
    """Engine of its first kernel, which waits for its transfers."""
    start: int = -1
    end: int = 0
    busy: int = 0
    setup: int = 0
    hidden: int = 0
    wait_in: int = 0
    wait_out: int = 0
    conflicts: int = 0
    calls: int = 0
    transfers: int = 0
    points: int = 0
    macs: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    bytes_touched: int = 0
    stored: int = 0
    produced: int = 0
    link_cycles: int = 0
    energy: float = 0.0
    operators: dict[str, KernelTotals] = field(default_factory=dict[str, KernelTotals])
    engines: dict[str, KernelTotals] = field(default_factory=dict[str, KernelTotals])

    def of_operator(self, name: str) -> KernelTotals:
        """Return the totals of its kernels of one kind."""
        return self.operators.setdefault(name, KernelTotals(name))

    def of_engine(self, name: str) -> KernelTotals:
        """Return the totals of its kernels on one engine."""
        return self.engines.setdefault(name, KernelTotals(name))

    @property
    def operator(self) -> str:
        """Kind of its most expensive kernel, `transfers` without a kernel."""
        return max(self.operators, key=lambda name: self.operators[name].busy, default="transfers")

    @property
    def engine(self) -> str:
        """Engines that compute for the layer, the one with most cycles first, joined by ` + `."""
        return " + ".join(self.engines)

    @property
    def cycles(self) -> int:
        """Layer's share of the makespan."""
        return self.busy + self.setup + self.wait_in + self.wait_out

    @property
    def computing(self) -> int:
        """Cycles in which engines compute for the layer, hidden ones included."""
        return self.busy + self.hidden

    @property
    def stalled(self) -> float:
        """Fraction of the layer's time in which the program waits for its transfers."""
        return (self.wait_in + self.wait_out) / self.cycles if self.cycles else 0.0

    @property
    def rate(self) -> float:
        """Points per cycle, hidden cycles included."""
        return self.points / (self.cycles + self.hidden) if self.cycles + self.hidden else 0.0

    @property
    def engine_rate(self) -> float:
        """Points per compute cycle: the layer's roof if transfers were free."""
        return self.points / self.computing if self.computing else 0.0

    @property
    def mac_rate(self) -> float:
        """Multiply-accumulates per compute cycle."""
        return self.macs / self.computing if self.computing else 0.0

    @property
    def of_peak(self) -> float:
        """Fraction of the engines' peak that the layer's multiply-accumulates reach, NaN if unknown."""
        rated = [engine for engine in self.engines.values() if engine.macs]
        least = sum(engine.least for engine in rated)
        return least / sum(engine.busy for engine in rated) if rated and least < inf else nan

    @property
    def intensity(self) -> float:
        """Points per byte."""
        moved = self.bytes_in + self.bytes_out or self.bytes_touched
        return self.points / moved if moved else 0.0

    @property
    def limited_by(self) -> str:
        """Bottleneck of the layer: `transfers` if links are busy longer than the engine."""
        return "transfers" if self.link_cycles > self.computing else "engine"


@dataclass
class EngineCost:
    """
    Breakdown of an engine's time in cycles: computing, waiting for transfers, idle.

    `peak` is its maximum rate in points per cycle: the machine's rate for its kernels, or the best of its layers if
    higher.
    Each instance in use of an `engine` has a name of its own.
    """

    name: str
    engine: str
    busy: int = 0
    wait_in: int = 0
    wait_out: int = 0
    idle: int = 0
    calls: int = 0
    peak: float = 0.0
    energy: float = 0.0


@dataclass
class LinkCost:
    """
    Traffic of a link: bytes inward and outward, and the busy cycles of its bus and of each of its channels.

    A link between neighbours has a bus for each pair of instances: `buses` are those in use, `busy` is their sum.
    """

    name: str
    width: float
    channels: list[int]
    bytes_in: int = 0
    bytes_out: int = 0
    transfers: int = 0
    busy: int = 0
    energy: float = 0.0
    buses: int = 1


@dataclass(frozen=True)
class MeshLevel:
    """
    Level whose instances, `extents` along each coordinate, are joined by `links` between neighbours.

    `engines` are those with an instance for each of the level's.
    """

    level: str
    extents: tuple[int, ...]
    links: tuple[str, ...]
    engines: tuple[str, ...]


@dataclass(frozen=True)
class EdgeCost:
    """Traffic from one instance of a level to a neighbour, by number: bytes, transfers, busy cycles of the bus."""

    link: str
    source: int
    target: int
    bytes: int
    transfers: int
    busy: int


@dataclass(frozen=True)
class StreamUse:
    """
    Use of a stream by concurrent programs: tiles handed on over all of its `queues`.

    `period` is the cycles from one tile to the next, in the second half of the tiles of the slowest queue; 0 for a few.
    """

    name: str
    queues: int
    tiles: int
    period: float


@dataclass(frozen=True)
class LevelUse:
    """
    Use of a memory level: `peak` bytes at cycle `peak_at` in the buffers `alive` then; `size` is the capacity of all
    `copies` in use.

    `fixed` bytes are weights, inputs and outputs; they are not in `peak`.
    """

    name: str
    size: int
    peak: int
    peak_at: int
    alive: tuple[BufferResidency, ...]
    fixed: int
    copies: int = 1


@dataclass(frozen=True)
class Simulation:
    """Run of a program on a machine, in modelled cycles of the machine's clock of `mhz` MHz, 0 if unknown."""

    machine: str
    mhz: float
    cycles: int
    energy: float
    events: Sequence[BusyInterval]
    layers: tuple[LayerCost, ...]
    operators: tuple[KernelTotals, ...]
    engines: tuple[EngineCost, ...]
    links: tuple[LinkCost, ...]
    levels: tuple[LevelUse, ...]
    memory: tuple[BufferResidency, ...]
    streams: tuple[StreamUse, ...] = ()
    meshes: tuple[MeshLevel, ...] = ()
    hops: Sequence[Hop] = ()
    edges: tuple[EdgeCost, ...] = ()
    later_cycles: int | None = None
    """Cycles of a later call, where the first call fills resident values; None where all calls are alike."""
    cold_cycles: int | None = None
    """Cycles of the first call, whose code is fetched; None without an instruction cache."""

    @property
    def seconds(self) -> float:
        """Time in seconds at the machine's clock, NaN if unknown."""
        return self.cycles / (self.mhz * 1e6) if self.mhz else float("nan")

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all layers."""
        return sum(layer.macs for layer in self.layers)
