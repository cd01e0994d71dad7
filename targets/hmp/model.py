"""Model of a network on processors: times of layers, of hand-overs, and what a mapping gives. All of it is modelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...dialects.core.work import multiply_accumulates
from ...errors import Diagnostic
from ...ir import element_of, functions, node_names, shape_of
from ...passes.memory.views import buffer_type, bytes_of
from .mapping import MappedStage, stages_of
from .passes.find_layers import enclosing, layer_of

HANDOVER = 591_000, 0.223
"""
Nanoseconds of a hand-over between processors, and for each byte: fitted to the three switches of ARM-CO-UP's table 8
(0.8 ms for GoogLeNet's 602,112 bytes, 1.3 for ResNet-50's 3,211,264, 0.6 for SqueezeNet's 346,112), off by 0.07 ms at
most.
"""

OUTSIDE = -1
"""The layer of what comes from outside of the network."""


@dataclass(frozen=True)
class NetworkLayer:
    """A layer: its first and last ONNX node, its work, and by processor its nanoseconds at the fastest clock."""

    number: int
    first: str
    last: str
    macs: int
    times: Mapping[str, float]


@dataclass(frozen=True)
class LayerValue:
    """A value that leaves a layer, and the layers that use it; `producer` is OUTSIDE for an input of the network."""

    name: str
    bytes: int
    producer: int
    consumers: tuple[int, ...]


@dataclass(frozen=True)
class LayeredNetwork:
    """A network as layers and the values between them. `source` says where times are from, empty for cost functions."""

    name: str
    layers: tuple[NetworkLayer, ...]
    values: tuple[LayerValue, ...]
    source: str = ""
    switch: float | None = None
    """Nanoseconds of a hand-over that were measured with the times, None where those of HANDOVER hold."""

    def handover(self, size: int) -> float:
        """Return the nanoseconds in which a value goes from one processor to another."""
        fixed, per_byte = HANDOVER
        return self.switch if self.switch is not None else fixed + per_byte * size


def network_of(module: ModuleOp, machine: Machine) -> LayeredNetwork:
    """Return the model of a network whose ops have layers (find-layers). Raises Diagnostic without any."""
    function = functions(module)[0]
    groups: dict[int, list[Operation]] = {}
    for op in function.body.block.ops:
        if (number := layer_of(op)) is not None:
            groups.setdefault(number, []).append(op)
    if not groups:
        raise Diagnostic("the network has no layers", remedy="run find-layers, or give a network with a product")
    name = module.attributes.get("onnx.graph_name")
    title = name.data if isinstance(name, StringAttr) else function.sym_name.data
    layers = tuple(_layer(number, groups[number], machine) for number in sorted(groups))
    return LayeredNetwork(title, layers, tuple(_values(function, groups)))


def _layer(number: int, ops: Sequence[Operation], machine: Machine) -> NetworkLayer:
    nodes = [name for op in ops for name in node_names(op)] or [f"layer {number}"]
    kernels = [inner for op in ops for inner in op.walk() if is_kernel(inner)]
    times: dict[str, float] = {}
    for engine in machine.engines:
        times[engine.name] = sum(_nanoseconds(machine, engine, op) for op in kernels)
    return NetworkLayer(number, nodes[0], nodes[-1], sum(map(multiply_accumulates, kernels)), times)


def _nanoseconds(machine: Machine, engine: Engine, op: Operation) -> float:
    cycles = machine.cost(engine, op)
    return float("inf") if cycles is None else cycles / machine.clock.nominal * 1000


def _values(function: FuncOp, groups: Mapping[int, Sequence[Operation]]) -> Iterable[LayerValue]:
    """Yield the values that several layers share, and those that enter and leave the network (layer: their number)."""
    owner = {op: number for number, ops in groups.items() for op in ops}
    results = [value for number in sorted(groups) for op in groups[number] for value in op.results]
    for value in (*function.body.block.args, *results):
        producer = owner[value.owner] if isinstance(value.owner, Operation) else OUTSIDE
        users = [enclosing(use.operation, owner) for use in value.uses]
        consumers = {len(groups) if user is None else owner[user] for user in users} - {producer}
        if consumers:
            size = bytes_of(buffer_type(shape_of(value), element_of(value)))
            yield LayerValue(value.name_hint or "value", size, producer, tuple(sorted(consumers)))


@dataclass(frozen=True)
class Driving:
    """Drivers of processors: the host of each that has one, and the frames that it takes before the first is done."""

    hosts: Mapping[str, str] = field(default_factory=dict[str, str])
    outstanding: Mapping[str, int] = field(default_factory=dict[str, int])

    def receiver(self, processor: str) -> str:
        """Return the processor whose work the hand-overs to a processor are."""
        return self.hosts.get(processor, processor)

    def period(self, processor: str, computing: float, receiving: float) -> float:
        """
        Return the time of a stage between frames, in the unit of its parts.

        A processor that takes several frames computes while its host hands over.
        """
        if processor in self.hosts and self.outstanding.get(processor, 1) > 1:
            return max(computing, receiving)
        return computing + receiving


@dataclass(frozen=True)
class MappingPrediction:
    """Prediction for a mapping: nanoseconds of stages, of a frame and between frames, millijoules of a frame."""

    order: tuple[str, ...]
    stages: tuple[MappedStage, ...]
    times: tuple[float, ...]
    handovers: float
    latency: float
    period: float
    energy: float | None
    handover_energy: float | None
    """Millijoules that a frame takes more than one without hand-overs."""
    driving: Driving = Driving()

    @property
    def fps(self) -> float:
        """Frames per second."""
        return 1e9 / self.period

    @property
    def handover_share(self) -> float:
        """Share of the latency that hand-overs are (ARM-CO-UP, table 8: transfer overhead)."""
        return self.handovers / self.latency

    @property
    def handover_energy_share(self) -> float | None:
        """Share of the energy that hand-overs are, None where energies are not known."""
        if self.energy is None or self.handover_energy is None:
            return None
        return self.handover_energy / self.energy


@dataclass(frozen=True)
class ProcessorClocks:
    """Frequencies in MHz, by processor; the fastest where one is missing."""

    mhz: Mapping[str, float] = field(default_factory=dict[str, float])

    def ratio(self, engine: Engine) -> float:
        """Return the slowdown against the fastest clock: time is in inverse proportion to it, by assumption."""
        return engine.clock.nominal / self.mhz[engine.name] if engine.name in self.mhz else 1.0

    def share(self, engine: Engine) -> float:
        """Return the dynamic power at the clock as a share of that at the fastest one: volts squared times clock."""
        if engine.name not in self.mhz or not engine.clock.volts:
            return 1.0
        points = dict(zip(engine.clock.mhz, engine.clock.volts, strict=True))
        here, top = self.mhz[engine.name], engine.clock.nominal
        return points[here] ** 2 * here / (points[top] ** 2 * top)


def predict(
    network: LayeredNetwork,
    order: Sequence[str],
    machine: Machine,
    mode: str = "pipeline",
    clocks: ProcessorClocks = ProcessorClocks(),
    driving: Driving = Driving(),
) -> MappingPrediction:
    """
    Predict a mapping in a mode, `pipeline` (stages at once, each on a frame) or `switch` (one after another).

    In a pipeline a stage receives its values before it computes; the slowest stage sets the period. Several stages of
    one processor share it. A hand-over to a processor that has a host is work of the host, at the host's clock; a
    processor that takes several frames computes meanwhile. In switch mode the period is the latency.
    """
    stages = stages_of(order)
    scale = {engine.name: clocks.ratio(engine) for engine in machine.engines}
    times: list[float] = []
    for stage in stages:
        layers = network.layers[stage.first : stage.last + 1]
        times.append(sum(layer.times[stage.processor] for layer in layers) * scale[stage.processor])
    receivers = [driving.receiver(stage.processor) for stage in stages]
    received = [received_by(network, stages, number) * scale[name] for number, name in enumerate(receivers)]
    latency = sum(times) + sum(received)

    def period_and_energy(received: Sequence[float]) -> tuple[float, float | None]:
        busy = dict.fromkeys([*(stage.processor for stage in stages), *receivers], 0.0)
        for stage, receiver, time, taken in zip(stages, receivers, times, received, strict=True):
            busy[stage.processor] += time
            busy[receiver] += taken
        alone = [driving.period(stage.processor, *costs) for stage, *costs in zip(stages, times, received, strict=True)]
        period = max(*alone, *busy.values()) if mode == "pipeline" else sum(times) + sum(received)
        return period, _energy(machine, busy, period, clocks)

    period, energy = period_and_energy(received)
    _, least = period_and_energy([0.0] * len(stages))
    handover_energy = None if energy is None or least is None else energy - least
    return MappingPrediction(
        tuple(order), tuple(stages), tuple(times), sum(received), latency, period, energy, handover_energy, driving
    )


def received_by(network: LayeredNetwork, stages: Sequence[MappedStage], number: int) -> float:
    """Return the nanoseconds in which a stage receives its values of other stages."""
    own = stages[number]
    layers = set(range(own.first, own.last + 1))
    values = (value for value in network.values if OUTSIDE < value.producer < own.first)
    return sum(network.handover(value.bytes) for value in values if not layers.isdisjoint(value.consumers))


def received_at(network: LayeredNetwork, number: int) -> float:
    """
    Return the nanoseconds in which a stage that begins at a layer receives what the layers before give it.

    That is what its first layer reads: between the layers of find-layers one value alone is alive.
    """
    values = (value for value in network.values if OUTSIDE < value.producer < number)
    return sum(network.handover(value.bytes) for value in values if number in value.consumers)


def _energy(machine: Machine, busy: Mapping[str, float], period: float, clocks: ProcessorClocks) -> float | None:
    """Return the millijoules of a frame, None where the machine does not say what its processors take."""
    engines = {engine.name: engine for engine in machine.engines}
    if not all(engines[name].watts for name in busy):
        return None
    dynamic = sum(
        time * (engines[name].watts - machine.idle_watts) * clocks.share(engines[name]) for name, time in busy.items()
    )
    return (dynamic + machine.idle_watts * period) / 1e6
