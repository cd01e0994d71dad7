"""A plan: a network on processors as IR, with its stages, queues and clocks, and what a simulation says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...compiler import Model
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.model import Machine
from ...dialects.core.syntax.text import new_context
from ...dialects.hier import StreamOp
from ...errors import Diagnostic, did_you_mean
from ...grammar import UsageError, once
from ...ir import functions
from ...passes.bufferize import BufferizePass
from ...passes.map_engines import ATTRIBUTE as ENGINE
from ...passes.memory.views import bytes_of
from ...passes.verify_memory import VerifyMemoryPass
from .building import layered_module
from .frames import RECEIVE, FrameSimulation, LayerWork, simulate_frames
from .layer_clocks import Setting, SwitchModel
from .mapping import processors
from .model import Driving, LayeredNetwork, MappingPrediction, ProcessorClocks, network_of, predict, received_by
from .passes.clock_layers import ClockLayersPass, layer_clocks_of
from .passes.map_layers import MapLayersPass
from .passes.outline_stages import LAYERS, OutlineStagesPass
from .passes.pipeline_frames import PipelineFramesPass
from .passes.submit_npu_frames import SubmitNpuFramesPass, set_outstanding, submission_of
from .profile_file import measured, published_of


@dataclass(frozen=True)
class FrameQueue:
    """A stream between two stages: its name, depth and the bytes of a slot."""

    name: str
    depth: int
    bytes: int


@dataclass(frozen=True)
class FramePlan:
    """A network on processors: the program of its frames, what the model predicts, and what the simulation found."""

    network: LayeredNetwork
    module: ModuleOp
    prediction: MappingPrediction
    simulation: FrameSimulation
    queues: tuple[FrameQueue, ...]
    mode: str
    clocks: ProcessorClocks = field(default_factory=ProcessorClocks)
    settings: tuple[Setting, ...] = ()
    """Processor and clock of each layer, where layers have clocks."""

    @property
    def clocks_text(self) -> str:
        """The clocks in the form that `coop run` takes: big=1800,3:big=1200. Empty where layers have none."""
        machine = machine_of(self.module)
        starts = {name: self.clocks.mhz.get(name, machine.engine(name).clock.nominal) for name, _ in self.settings}
        own = [f"{name}={mhz:g}" for name, mhz in starts.items() if machine.engine(name).clock.mhz]
        layers = [
            f"{number}:{name}={mhz:g}"
            for number, (name, mhz) in enumerate(self.settings)
            if mhz is not None and mhz != starts[name]
        ]
        return ",".join(own + layers) if self.settings else ""

    @property
    def queue_bytes(self) -> int:
        """The bytes of the slots of all queues."""
        return sum(queue.depth * queue.bytes for queue in self.queues)


def layered(path: Path, target: str, shapes: Sequence[tuple[str, Sequence[int]]]) -> tuple[ModuleOp, Machine]:
    """Return a model whose ops have layers, and its machine. Raises Diagnostic for whatever is wrong with it."""
    module = layered_module(Model(path, once("--input-shape", shapes)), target)
    return module, machine_of(module)


def timed(module: ModuleOp, machine: Machine, profile: Path | None, handover_ms: float | None) -> LayeredNetwork:
    """
    Return the model of a network with the times of a profile, else published ones, else those of cost functions.

    Raises Diagnostic for a profile of another network.
    """
    network = network_of(module, machine)
    network = measured(network, machine, profile) if profile else published_of(network, machine)
    return network if handover_ms is None else replace(network, switch=handover_ms * 1e6)


def plan(
    module: ModuleOp,
    network: LayeredNetwork,
    order: Sequence[str],
    *,
    mode: str = "pipeline",
    frames: int = 12,
    depth: int = 0,
    clocks: ProcessorClocks = ProcessorClocks(),
    driving: Driving = Driving(),
    settings: Sequence[Setting] = (),
) -> FramePlan:
    """
    Return the plan of a network whose ops have layers; the module becomes the program of its frames.

    A hand-over to a processor that has a host is work of that. `settings` are the clocks of layers in switch mode, by
    default those that ops have (`hmp.clock`).

    The program is proved before it is simulated (verify-memory). Raises Diagnostic where it is refused.
    """
    machine, context = machine_of(module), new_context()
    letters = {name: letter for letter, name in processors(machine).items()}
    prediction = predict(network, order, machine, mode, clocks, driving)
    MapLayersPass("".join(letters[name] for name in order)).apply(context, module)
    ClockLayersPass("+".join(f"{mhz or 0:g}" for _, mhz in settings)).apply(context, module)
    layers = _with_clocks(module, machine)
    if layers and mode != "switch":
        raise Diagnostic(
            "clocks of layers in a pipeline, where all layers compute at once",
            expected="switch mode, or ops without hmp.clock",
            found=mode,
            remedy="--mode switch, or clocks of processors",
        )
    model = SwitchModel(network, machine, clocks, driving)
    if layers:
        frame = model.evaluate(layers)
        energy = None if prediction.energy is None else frame.energy
        costs = {"latency": frame.latency, "period": frame.latency, "energy": energy, "handover_energy": None}
        prediction = replace(prediction, **costs)
    OutlineStagesPass().apply(context, module)
    BufferizePass().apply(context, module)
    for function in functions(module):
        name = function.attributes.get(ENGINE)
        if LAYERS in function.attributes and isinstance(name, StringAttr):
            set_outstanding(function, driving.outstanding.get(name.data, 1))
    SubmitNpuFramesPass().apply(context, module)
    PipelineFramesPass(frames, depth, mode).apply(context, module)
    VerifyMemoryPass().apply(context, module)
    streams = [op for op in module.walk() if isinstance(op, StreamOp) and op.type.tile is not None]
    queues = tuple(
        FrameQueue(op.stream.name_hint or "stream", op.depth.data, bytes_of(op.type.tile))
        for op in streams
        if op.type.tile
    )
    works = works_of(network, prediction, model.wanted_by_layer(layers))
    simulation = simulate_frames(module, machine, works, clocks.mhz)
    return FramePlan(network, module, prediction, simulation, queues, mode, clocks, layers)


def _with_clocks(module: ModuleOp, machine: Machine) -> tuple[Setting, ...]:
    """Return the settings of layers, whose ops have clocks; empty where no layer has one."""
    settings = layer_clocks_of(functions(module)[0], machine)
    if not any(mhz for _, mhz in settings):
        return ()
    return tuple((name, mhz or None) for name, mhz in settings)


def works_of(
    network: LayeredNetwork, prediction: MappingPrediction, clocks: Mapping[int, Mapping[str, float]] = {}
) -> dict[str, list[LayerWork]]:
    """
    Return the work of each stage on a frame: its hand-overs, then its layers; `clocks` are asked for by layer.

    The hand-overs to a processor that takes several frames are work of the program that submits them.
    """
    works: dict[str, list[LayerWork]] = {}
    for number, stage in enumerate(prediction.stages):
        received = received_by(network, prediction.stages, number)
        layers = [
            LayerWork(layer, network.layers[layer].times[stage.processor], clocks.get(layer, {}))
            for layer in range(stage.first, stage.last + 1)
        ]
        driving, name = prediction.driving, f"stage{number}_{stage.processor}"
        receive = [LayerWork(RECEIVE, received, processor=driving.receiver(stage.processor))] if received else []
        if driving.outstanding.get(stage.processor, 1) > 1:
            works |= {submission_of(name): receive, name: layers}
        else:
            works[name] = receive + layers
    return works


def names_of(text: str, machine: Machine) -> list[str]:
    """
    Return the processors that a text gives by names or letters, as `big,G`; none for an empty text.

    Raises Diagnostic for unknown ones, and for a text without names or with one twice.
    """
    letters = processors(machine)
    names = [letters.get(part.upper(), part) for part in text.split(",") if part]
    if len(set(names)) < len(names) or (text and not names):
        raise UsageError(
            "--processors names one twice" if names else "--processors names none",
            expected=", ".join(letters.values()),
            found=text,
            remedy="name each once, or leave the option out for all",
        )
    unknown = [name for name in names if name not in letters.values()]
    if unknown:
        raise Diagnostic(
            f"'{machine.name}' has no processor {unknown[0]}",
            expected=", ".join(letters.values()),
            found=text,
            remedy=did_you_mean(unknown[0], list(letters.values())),
        )
    return names
