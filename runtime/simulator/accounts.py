"""Statistics of a simulation: buffers, kernels, layers, links and engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...dialects.core.machine.link import Link
from ...passes.timing.resources import InOrder, LinkTime
from .result import Nodes


@dataclass
class CompletionToken:
    """
    Completion token of a kernel or transfer: start and end, known once issued; `outward` if it writes the far side.
    """

    outward: bool = False
    start: int = 0
    end: int = 0


@dataclass
class Tally:
    """Accumulated cost of the kernels of one kind."""

    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0


@dataclass
class EngineAccount:
    """
    Accumulated use of an engine by a layer, as in LayerEngine.

    `least` are the cycles of its multiply-accumulates at the engine's peak; `rated` are the multiply-accumulates
    counted.
    """

    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0
    rated: int = 0
    least: float = 0.0


@dataclass
class LayerAccount:
    """Accumulated cost of the ops of some ONNX nodes, as in LayerCost."""

    nodes: Nodes
    engine: str = ""
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
    link_cycles: int = 0
    energy: float = 0.0
    operators: dict[str, Tally] = field(default_factory=dict[str, "Tally"])
    engines: dict[str, EngineAccount] = field(default_factory=dict[str, "EngineAccount"])
    stored: int = 0
    """Bytes of outputs that were written."""
    produced: int = 0
    """Bytes of the tiles of these outputs, padding included."""


class Running(NamedTuple):
    """Kernel that an engine runs concurrently with the program, from one cycle to another."""

    start: int
    end: int
    layer: LayerAccount
    tally: Tally


@dataclass
class LinkUse:
    """Use of a link: its state in time, and the busy cycles of its bus and of each channel."""

    link: Link
    time: LinkTime
    busy: int = 0
    channel_busy: list[int] = field(default_factory=list[int])
    bytes_in: int = 0
    bytes_out: int = 0
    transfers: int = 0
    energy: float = 0.0


@dataclass
class EngineUse:
    """Use of an engine instance: its state in time, and its busy cycles."""

    time: InOrder = field(default_factory=InOrder)
    busy: int = 0
    calls: int = 0
    energy: float = 0.0
    peak: float = 0.0
    """Highest peak rate of its engine over the kernels that it ran."""
    level: str = ""
    """The level that has all operands of the last launched kernel, if one has."""
