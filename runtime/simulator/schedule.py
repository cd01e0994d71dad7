"""Time: when kernels and transfers run, given the engines, channels, buses and banks that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from ...passes.memory.transfers import Cost
from ...targets.core.machine import Link, Machine
from .result import Event, Nodes, Residency


class Place(NamedTuple):
    """
    Where a buffer lies: its name, its level, and its address there in bytes, -1 where that is not planned.

    One that stays in a near level from layer to layer has its `bytes`; others there are tiles.
    """

    name: str
    level: str
    address: int
    bytes: int = 0


class Token(NamedTuple):
    """A transfer under way: when it is done, and whether it writes the far side."""

    end: int
    outward: bool


@dataclass
class Tally:
    """What the kernels of one kind have cost so far."""

    calls: int = 0
    busy: int = 0
    points: int = 0
    macs: int = 0


@dataclass
class Layer:
    """What the ops of some ONNX nodes have cost so far; as in LayerCost."""

    nodes: Nodes
    engine: str = ""
    start: int = -1
    end: int = 0
    busy: int = 0
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
    stored: int = 0
    """Bytes of outputs that were written."""
    produced: int = 0
    """Bytes of the tiles that these outputs came from, what hangs over included."""


@dataclass(frozen=True)
class KernelCost:
    """
    A call of a kernel: its cycles on its engine, its points and multiply-accumulates, its energy in picojoules, and
    the bytes of its operands in each level.
    """

    operator: str
    engine: str
    cycles: int
    points: int
    macs: int
    energy: float
    sizes: tuple[int, ...]
    levels: tuple[tuple[str, int], ...]


@dataclass
class _Bus:
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
class _EngineUse:
    busy: int = 0
    wait_in: int = 0
    wait_out: int = 0
    calls: int = 0
    energy: float = 0.0


class Schedule:
    """
    The state of a machine while a program runs on it.

    The program is one thread: a kernel keeps it until the kernel is done, a transfer runs beside it until its token is
    waited for.
    """

    def __init__(self, machine: Machine):
        self.machine = machine
        self.now = 0
        self.events: list[Event] = []
        self.layers: dict[Nodes, Layer] = {}
        self.engines = {engine.name: _EngineUse() for engine in machine.engines}
        self.links = {
            link.name: _Bus(link, [0] * link.channels, channel_busy=[0] * link.channels) for link in machine.links
        }
        self._uses: dict[tuple[Place, int, Nodes], list[int]] = {}
        self._names: dict[tuple[Place, int, Nodes], str] = {}
        self._traffic: dict[str, list[tuple[int, int, float]]] = {level.name: [] for level in machine.levels}
        self._bandwidth = {level.name: level.bandwidth for level in machine.levels}
        self._energy = {level.name: level.energy for level in machine.levels}

    def layer(self, nodes: Nodes) -> Layer:
        """Return the layer of some ONNX nodes."""
        return self.layers.setdefault(nodes, Layer(nodes))

    def run(self, layer: Layer, kernel: KernelCost, places: Sequence[Place]) -> None:
        """Run a kernel; the program goes on when it is done."""
        start, end = self.now, self._contended(kernel)
        conflicts = end - start - kernel.cycles
        energy = kernel.energy + sum(self._energy[level] * size for level, size in kernel.levels)
        use = self.engines[kernel.engine]
        use.busy += end - start
        use.calls += 1
        use.energy += energy
        layer.busy += end - start
        layer.conflicts += conflicts
        tally = layer.operators.setdefault(kernel.operator, Tally())
        for part in (layer, tally):
            part.calls += 1
            part.points += kernel.points
            part.macs += kernel.macs
        tally.busy += end - start
        layer.bytes_touched += sum(kernel.sizes)
        layer.energy += energy
        self._span(layer, start, end)
        self.events.append(Event(kernel.engine, "compute", kernel.operator, layer.nodes, start, end))
        for place, size in zip(places, kernel.sizes, strict=True):
            self._keep(place, size, layer.nodes, start, end)
        self.now = end

    def start(
        self, layer: Layer, link: Link, cost: Cost, far: Place, near: Place, sizes: tuple[int, int], outward: bool
    ) -> Token:
        """Begin a transfer on the channel that is free first; `sizes` are those of the far and the near buffer."""
        bus = self.links[link.name]
        channel = min(range(len(bus.channels)), key=bus.channels.__getitem__)
        start = max(self.now, bus.channels[channel])
        begin = max(start + cost.startup, bus.bus)
        end = begin + cost.data
        bus.channels[channel] = bus.bus = end
        bus.busy += cost.data
        bus.channel_busy[channel] += end - start
        self._account(layer, bus, cost, (far.level, near.level), outward)
        if outward:
            layer.stored += cost.bytes
            layer.produced += sizes[1]
        if cost.data:
            for level in {far.level: 0, near.level: 0}:
                self._traffic[level].append((begin, end, cost.bytes / cost.data))
        self._span(layer, start, end)
        kind = "out" if outward else "in"
        self.events.append(Event(f"{link.name}.{channel}", kind, far.name, layer.nodes, start, end, cost.bytes))
        self._keep(far, sizes[0], layer.nodes, start, end)
        tile = self._keep(near, sizes[1], layer.nodes, start, end)
        if not near.bytes:
            self._names[tile] = far.name
        return Token(end, outward)

    def wait(self, layer: Layer, token: Token | None) -> None:
        """Go on when a transfer is done; the layer's engine waits for it."""
        if token is None or token.end <= self.now:
            return
        lost = token.end - self.now
        kind = "wait out" if token.outward else "wait in"
        use = self.engines.get(layer.engine)
        for part in (layer, use) if use else (layer,):
            part.wait_in += 0 if token.outward else lost
            part.wait_out += lost if token.outward else 0
        self._span(layer, self.now, token.end)
        if layer.engine:
            self._add_wait(Event(layer.engine, kind, kind, layer.nodes, self.now, token.end))
        self.now = token.end

    def end(self) -> int:
        """Return when the last of all that began is done."""
        return max([self.now, *(bus.bus for bus in self.links.values())])

    def memory(self) -> tuple[Residency, ...]:
        """
        Return the buffers of all levels, each from its first use to its last.

        One that lasts has its own name; a tile that of what it is filled from or written to.
        """
        return tuple(
            Residency(place.level, self._names.get((place, size, nodes), place.name), nodes, place.address, size, *span)
            for (place, size, nodes), span in self._uses.items()
        )

    def _account(self, layer: Layer, bus: _Bus, cost: Cost, levels: Iterable[str], outward: bool) -> None:
        energy = cost.bytes * (bus.link.energy + sum(self._energy[level] for level in levels))
        for part in (layer, bus):
            part.transfers += 1
            part.energy += energy
            part.bytes_in += 0 if outward else cost.bytes
            part.bytes_out += cost.bytes if outward else 0
        layer.link_cycles += cost.startup + cost.data if bus.link.channels == 1 else cost.data

    def _keep(self, place: Place, size: int, nodes: Nodes, start: int, end: int) -> tuple[Place, int, Nodes]:
        """Note that a buffer is in use, for all layers together unless it is a tile; returns what tells it apart."""
        lasts = place.level == self.machine.far.name or place.bytes > 0
        key = place, place.bytes or size, () if lasts else nodes
        span = self._uses.setdefault(key, [start, end])
        span[0], span[1] = min(span[0], start), max(span[1], end)
        return key

    def _add_wait(self, event: Event) -> None:
        last = self.events[-1] if self.events else None
        same = last is not None and last[:4] == event[:4] and last.end == event.start
        if same and last is not None:
            self.events[-1] = last._replace(end=event.end)
        else:
            self.events.append(event)

    def _span(self, layer: Layer, start: int, end: int) -> None:
        layer.start = start if layer.start < 0 else min(layer.start, start)
        layer.end = max(layer.end, end)

    def _contended(self, kernel: KernelCost) -> int:
        """
        Return when a kernel that begins now ends.

        Where a level's banks are a limit, transfers go first, and the kernel gets what they leave: while that is less
        than it needs, it is slower in proportion.
        """
        end = self.now + kernel.cycles
        for level, size in kernel.levels:
            capacity, traffic = self._bandwidth[level], self._traffic[level]
            traffic[:] = [each for each in traffic if each[1] > self.now]
            if capacity and traffic and kernel.cycles:
                end = max(end, _slowed(self.now, kernel.cycles, size / kernel.cycles, capacity, traffic))
        return end


def _slowed(start: int, cycles: int, need: float, capacity: int, traffic: Sequence[tuple[int, int, float]]) -> int:
    """Return when work of that many cycles is done that needs so many bytes a cycle beside the traffic."""
    left, at = float(cycles), start
    times = sorted({time for begin, end, _ in traffic for time in (begin, end) if time > start})
    for time in times:
        used = sum(rate for begin, end, rate in traffic if begin <= at < end)
        speed = min(1.0, max(0.0, capacity - used) / need) if need else 1.0
        if speed * (time - at) >= left:
            return at + ceil(left / speed)
        left -= speed * (time - at)
        at = time
    return at + ceil(left)
