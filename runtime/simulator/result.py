"""What a simulation finds: when everything happened, and what it cost per layer, operator, engine, link and level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Nodes = tuple[str, ...]
"""The names of the ONNX nodes that a part of a program implements, in order."""


class Event(NamedTuple):
    """
    What kept a resource busy, or an engine waiting, from one cycle to another.

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


@dataclass(frozen=True)
class LayerCost:
    """
    What a layer takes. All times are cycles of the machine's clock, modelled; of what copies of an engine do at once,
    those of the copy that takes longest.

    `cycles` is the time that the program spends on the layer: `busy`, in which its engine computes, and `wait_in` and
    `wait_out`, in which that waits for transfers; `conflicts` is the part of `busy` lost to transfers that use the same
    banks. `points` are the iterations of its kernels that count for the result, `macs` those that multiply and add.
    `bytes_in` and `bytes_out` are moved by links, `bytes_touched` are those of the operands of all kernels, each once a
    call; `intensity` is points per byte moved, or touched where none is. `energy` is in picojoules.
    """

    nodes: Nodes
    operator: str
    engine: str
    start: int
    end: int
    busy: int
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
    def cycles(self) -> int:
        """The time that the program spends on the layer."""
        return self.busy + self.wait_in + self.wait_out

    @property
    def stalled(self) -> float:
        """The part of the layer's time in which its engine waits."""
        return (self.wait_in + self.wait_out) / self.cycles if self.cycles else 0.0

    @property
    def rate(self) -> float:
        """Points per cycle."""
        return self.points / self.cycles if self.cycles else 0.0

    @property
    def engine_rate(self) -> float:
        """Points per cycle in which the engine computes: the layer's roof where transfers cost nothing."""
        return self.points / self.busy if self.busy else 0.0

    @property
    def intensity(self) -> float:
        """Points per byte."""
        moved = self.bytes_in + self.bytes_out or self.bytes_touched
        return self.points / moved if moved else 0.0

    @property
    def limited_by(self) -> str:
        """What the layer's time is bound by: `transfers` where links are busy for longer than the engine."""
        return "transfers" if self.link_cycles > self.busy else "engine"


@dataclass(frozen=True)
class OperatorCost:
    """What all kernels of one kind take together: cycles in which engines compute, and points."""

    operator: str
    layers: int
    calls: int
    busy: int
    points: int
    macs: int


@dataclass(frozen=True)
class EngineCost:
    """
    How an engine spends the time: it computes, waits for transfers, or is idle while others compute; in cycles.

    `peak` is its greatest rate in points per cycle: what the machine says, or else the best of its layers. Of an
    `engine` that there are several of, each copy in use has a name of its own.
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
    """What a link moves: bytes inward and outward, and how many cycles its bus and each of its channels are busy."""

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
    How a memory level is used: `peak` bytes at cycle `peak_at` in the buffers `alive` then; `size` is what it has, in
    all `copies` of it that are in use.

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
