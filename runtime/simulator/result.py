"""Result of a simulation: times of all events, and costs per layer, operator, engine, link and level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Nodes = tuple[str, ...]
"""The names of the ONNX nodes that a part of a program implements, in order."""


class Event(NamedTuple):
    """
    Cause of a resource's busy interval, or of an engine's wait, in cycles.

    `kind` is `compute`, `in`, `out` or `copy`, and on an engine that waits for transfers `wait in` or `wait out`. A
    resource is the name of an engine, `ENGINE.COPY` where there are several, or `LINK.CHANNEL`.
    """

    resource: str
    kind: str
    name: str
    nodes: Nodes
    start: int
    end: int
    bytes: int = 0


class Residency(NamedTuple):
    """A buffer in a level: its place, -1 where that is not planned, and the cycles from its first use to its last."""

    level: str
    name: str
    nodes: Nodes
    address: int
    bytes: int
    start: int
    end: int


class LayerEngine(NamedTuple):
    """
    Part of an engine in a layer: its calls, and the cycles in which it computes, all copies of it together.

    `points` and `macs` are as in LayerCost. `peak` are the multiply-accumulates that it does a cycle at most on these
    kernels, 0 where the machine does not say.
    """

    engine: str
    busy: int
    calls: int
    points: int
    macs: int
    peak: float


@dataclass(frozen=True)
class LayerCost:
    """
    Cost of a layer. All times are modelled cycles of the machine's clock; of concurrent engine instances, those of the
    slowest.

    `cycles` is the layer's part of the program's time; those of all layers add up to the whole. It consists of `busy`,
    in which an engine computes for the layer, `setup`, in which the program launches its kernels, and `wait_in` and
    `wait_out`, in which the program waits for its transfers. A cycle in which an engine computes beside the program
    is that kernel's layer's, whatever the program does meanwhile. In `hidden` cycles the layer's kernels compute while
    those of an engine beside the program do; they are in no layer's `busy`. `conflicts` is the part of its kernels'
    time that is lost to transfers which use the same banks.

    `engines` are those that compute for the layer, the one with most cycles first. `points` is its work that counts for
    the result: the multiply-accumulates `macs` of a kernel that multiplies and adds, the iterations of others.
    `bytes_in` and `bytes_out` are moved by links, `bytes_touched` are those of the operands of all kernels, each once a
    call; `intensity` is points per byte moved, or touched where none is. `energy` is in picojoules.
    """

    nodes: Nodes
    operator: str
    engines: tuple[LayerEngine, ...]
    start: int
    end: int
    busy: int
    setup: int
    hidden: int
    wait_in: int
    wait_out: int
    conflicts: int
    calls: int
    transfers: int
    points: int
    macs: int
    bytes_in: int
    bytes_out: int
    bytes_touched: int
    link_cycles: int
    energy: float

    @property
    def engine(self) -> str:
        """The engines that compute for the layer, the one with most cycles first, joined by ` + `."""
        return " + ".join(each.engine for each in self.engines)

    @property
    def cycles(self) -> int:
        """The layer's part of the program's time."""
        return self.busy + self.setup + self.wait_in + self.wait_out

    @property
    def computing(self) -> int:
        """The cycles in which engines compute for the layer, those that are hidden included."""
        return self.busy + self.hidden

    @property
    def stalled(self) -> float:
        """The part of the layer's time in which the program waits for its transfers."""
        return (self.wait_in + self.wait_out) / self.cycles if self.cycles else 0.0

    @property
    def rate(self) -> float:
        """Points per cycle, hidden ones included."""
        return self.points / (self.cycles + self.hidden) if self.cycles + self.hidden else 0.0

    @property
    def engine_rate(self) -> float:
        """Points per cycle in which engines compute: the layer's roof where transfers cost nothing."""
        return self.points / self.computing if self.computing else 0.0

    @property
    def mac_rate(self) -> float:
        """Multiply-accumulates per cycle in which engines compute."""
        return self.macs / self.computing if self.computing else 0.0

    @property
    def of_peak(self) -> float:
        """The part of its engines' peak that the layer's multiply-accumulates reach, NaN where that is not known."""
        rated = [each for each in self.engines if each.macs]
        if not rated or not all(each.peak for each in rated):
            return float("nan")
        return sum(each.macs / each.peak for each in rated) / sum(each.busy for each in rated)

    @property
    def intensity(self) -> float:
        """Points per byte."""
        moved = self.bytes_in + self.bytes_out or self.bytes_touched
        return self.points / moved if moved else 0.0

    @property
    def limited_by(self) -> str:
        """Bottleneck of the layer's time: `transfers` where links are busy for longer than the engine."""
        return "transfers" if self.link_cycles > self.computing else "engine"


@dataclass(frozen=True)
class OperatorCost:
    """Cost of all kernels of one kind: cycles in which engines compute, and points."""

    operator: str
    layers: int
    calls: int
    busy: int
    points: int
    macs: int


@dataclass(frozen=True)
class EngineCost:
    """
    Breakdown of an engine's time in cycles: computing, waiting for transfers, idle while others compute.

    `peak` is its greatest rate in points per cycle: what the machine says of the kernels that it runs, or the best of
    its layers where that is more, as of kernels that do not multiply. Of an `engine` that there are several of, each
    copy in use has a name of its own.
    """

    name: str
    busy: int
    wait_in: int
    wait_out: int
    idle: int
    calls: int
    peak: float
    energy: float
    engine: str


@dataclass(frozen=True)
class LinkCost:
    """Traffic of a link: bytes inward and outward, and the busy cycles of its bus and of each of its channels."""

    name: str
    bytes_in: int
    bytes_out: int
    transfers: int
    busy: int
    channels: tuple[int, ...]
    width: float
    energy: float


@dataclass(frozen=True)
class LevelUse:
    """
    Use of a memory level: `peak` bytes at cycle `peak_at` in the buffers `alive` then; `size` is the capacity of all
    its `copies` in use.

    `fixed` bytes hold what is always there (weights, inputs, outputs) and are not in `peak`.
    """

    name: str
    size: int
    peak: int
    peak_at: int
    alive: tuple[Residency, ...]
    fixed: int
    copies: int = 1


@dataclass(frozen=True)
class Simulation:
    """A program's run on a machine. Times are modelled cycles of the machine's clock, of `mhz` MHz, 0 if unknown."""

    machine: str
    mhz: float
    cycles: int
    energy: float
    events: tuple[Event, ...]
    layers: tuple[LayerCost, ...]
    operators: tuple[OperatorCost, ...]
    engines: tuple[EngineCost, ...]
    links: tuple[LinkCost, ...]
    levels: tuple[LevelUse, ...]
    memory: tuple[Residency, ...]

    @property
    def seconds(self) -> float:
        """The time at the machine's clock, NaN where that is not known."""
        return self.cycles / (self.mhz * 1e6) if self.mhz else float("nan")

    @property
    def macs(self) -> int:
        """The multiply-accumulates of all layers."""
        return sum(layer.macs for layer in self.layers)
