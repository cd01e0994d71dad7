"""Accounts of a simulation: buffers, kernels, layers, links and engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...dialects.core.machine.model import Link
from .result import Nodes


class Place(NamedTuple):
    """
    Allocation of a buffer: its name, its level, and its address there in bytes, -1 where that is not planned.

    One that stays in a near level from layer to layer has its `bytes`; others there are tiles.
    """

    name: str
    level: str
    address: int
    bytes: int = 0


@dataclass
class Token:
    """Start and end of a kernel or transfer, known once it is issued; `outward` if it writes the far side."""

    outward: bool = False
    start: int = 0
    end: int = 0


@dataclass
class Tally:
    """Cost of the kernels of one kind so far."""

    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0


@dataclass
class Share:
    """
    Part of an engine in a layer so far; as in LayerEngine.

    `least` are the cycles that its multiply-accumulates take at the engine's peak, `rated` are those that count there.
    """

    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0
    rated: int = 0
    least: float = 0.0


@dataclass
class Layer:
    """Cost of the ops of some ONNX nodes so far; as in LayerCost."""

    nodes: Nodes
    engine: str = ""
    """The engine of its first kernel, which waits for its transfers."""
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
    link_cycles: int = 0
    energy: float = 0.0
    operators: dict[str, Tally] = field(default_factory=dict[str, "Tally"])
    engines: dict[str, Share] = field(default_factory=dict[str, "Share"])
    stored: int = 0
    """Bytes of outputs that were written."""
    produced: int = 0
    """Bytes of the tiles that these outputs came from, what hangs over included."""


@dataclass(frozen=True)
class KernelCost:
    """
    A call of a kernel: its cycles on its engine, its points and multiply-accumulates, its energy in picojoules, and
    the bytes of its operands in each level.

    `peak` are the multiply-accumulates that its engine does a cycle at most on such operands, 0 where that is not said.
    """

    operator: str
    engine: str
    cycles: int
    points: int
    macs: int
    energy: float
    sizes: tuple[int, ...]
    levels: tuple[tuple[str, int], ...]
    peak: float = 0.0


class Running(NamedTuple):
    """Kernel that an engine runs beside the program, from one cycle to another."""

    start: int
    end: int
    layer: Layer
    tally: Tally


@dataclass
class Bus:
    """
    A link: `free` says when each channel and the bus are next idle.

    A transfer occupies a channel from start to end. Its start-up needs the channel alone; its data pass over the bus,
    in the order in which transfers began, at the link's width.
    """

    link: Link
    channels: list[int]
    bus: int = 0
    busy: int = 0
    channel_busy: list[int] = field(default_factory=list[int])
    bytes_in: int = 0
    bytes_out: int = 0
    transfers: int = 0
    energy: float = 0.0


@dataclass
class EngineUse:
    """Use of one engine instance: its busy time, and when it is next idle."""

    free: int = 0
    busy: int = 0
    wait_in: int = 0
    wait_out: int = 0
    calls: int = 0
    energy: float = 0.0
    peak: float = 0.0
    """The greatest peak of its engine on the kernels that it ran."""
    queue: list[int] = field(default_factory=list[int])
    """When the kernels that were launched are done."""
