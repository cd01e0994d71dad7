"""Compilation of a network with a mapping to a program that takes frames: its folder, its C compiler's command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp

from ...compiler import Compilation, Model, compile_model, machine_named, pipeline_of, write_compilation
from ...dialects.core.machine import targets
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.model import Machine
from ...dialects.core.syntax.text import new_context
from ...errors import Diagnostic
from ...files import errors_in, read_text
from ...grammar import UsageError
from ...ir import functions
from ...passes import all_passes
from ...passes.core.garbage import rare_collections
from ...passes.core.manager import PassManager
from ...passes.core.pipeline import Pipeline, PipelineStep, parse_pipeline
from ...passes.emitc.names import identifier
from ...passes.emitc.text.files import files_in
from ...runtime.host import sources_in
from ...runtime.inputs import input_names, network_tensors, ssa_names
from ...runtime.report import ReportObserver
from ...runtime.toolchain import compiler
from .mapping import MappedStage, order_of, stages_of
from .npu import SOURCES as NPU_SOURCES
from .npu import make_artifacts, vendor_of
from .npu.artifacts import NONE, Artifacts
from .npu.subgraph import subgraphs
from .options import CORE, Mapping
from .passes.find_layers import layer_of
from .passes.map_layers import MapLayersPass
from .passes.outline_stages import OutlineStagesPass
from .passes.submit_npu_frames import outstanding_of

FACTS = "coop.json"
"""File of a folder with what `coop run` needs to know of the program in it."""
FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-pthread")
_LIBRARIES = {"tilewright_opencl.h": "-ldl", "tilewright_npu.h": "-ldl"}
"""Header of the runtime -> the library that its functions need."""


@dataclass(frozen=True)
class ProgramPort:
    """Input or output of a network: its name, that of its file, its NumPy type and the shape of a frame."""

    name: str
    file: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Bytes of a frame."""
        import numpy as np

        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


class Processor(NamedTuple):
    """Processor of a machine: its name, its cores, the operating points of its clock in MHz, and who may host it."""

    name: str
    cores: int
    mhz: tuple[float, ...]
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramFacts:
    """Facts of a program: its ports, the mapping of its layers, the processors of its machine."""

    model: str
    machine: str
    order: str
    layers: int
    stages: tuple[MappedStage, ...]
    inputs: tuple[ProgramPort, ...]
    outputs: tuple[ProgramPort, ...]
    processors: tuple[Processor, ...]

    def text(self) -> str:
        """Return the facts as JSON."""
        inputs = [vars(port) | {"bytes": port.bytes} for port in self.inputs]
        outputs = [vars(port) | {"bytes": port.bytes} for port in self.outputs]
        stages = [stage._asdict() for stage in self.stages]
        processors = [processor._asdict() for processor in self.processors]
        head = {"model": self.model, "machine": self.machine, "order": self.order, "layers": self.layers}
        parts = {"inputs": inputs, "outputs": outputs, "stages": stages, "processors": processors}
        return json.dumps(head | parts, indent=1) + "\n"


def facts_in(folder: Path) -> ProgramFacts:
    """Return the facts of the program in a folder. Raises Diagnostic for a folder without a program."""
    file, source = folder / FACTS, files_in(folder).source
    try:
        if file.is_file() and not (folder / source).is_file():
            raise Diagnostic(f"no {source} beside it")
        content: Any = json.loads(read_text(str(file)))
        return ProgramFacts(
            content["model"],
            content["machine"],
            content["order"],
            content["layers"],
            tuple(MappedStage(**stage) for stage in content["stages"]),
            tuple(map(_port, content["inputs"])),
            tuple(map(_port, content["outputs"])),
            tuple(map(_processor, content["processors"])),
        )
    except (OSError, ValueError, KeyError, TypeError, Diagnostic) as error:
        raise Diagnostic(
            "there is no program of cooperative processors",
            where=str(file),
            expected="a folder that `tilewright coop compile` wrote",
            found=_reason(error),
            remedy="tilewright coop compile MODEL --order ORDER -o DIR",
        ) from error


def _port(entry: Any) -> ProgramPort:
    return ProgramPort(entry["name"], entry["file"], entry["dtype"], tuple(entry["shape"]))


def _processor(entry: Any) -> Processor:
    return Processor(entry["name"], entry["cores"], tuple(entry["mhz"]), tuple(entry["hosts"]))


def _reason(error: Exception) -> str:
    """Return why facts cannot be read."""
    if isinstance(error, Diagnostic):
        return error.message
    return f"no key {error}" if isinstance(error, KeyError) else str(error)


class BuiltProgram(NamedTuple):
    """A network as a program: its C, its facts, and the artefacts of its NPU stages."""

    compilation: Compilation
    facts: ProgramFacts
    artifacts: Artifacts


def build(model: Model, target: str, mapping: Mapping) -> BuiltProgram:
    """
    Compile a network with a mapping to a program that takes frames.

    Raises Diagnostic for an order that does not fit, a network without layers, and what the passes refuse.
    """
    order, points, depth = mapping.order, mapping.points, mapping.depth
    machine, pipeline = mapping_pipeline(target)
    report = ReportObserver(has_cycles=False)
    manager = PassManager([report], verify_each=False, verify_phases=True)
    layered = pipeline.select(stop_after="find-layers")
    outlined = pipeline.select(start_at=MapLayersPass.name, stop_after=OutlineStagesPass.name)
    outlined = replace(outlined, steps=tuple(_mapped(step, order, points) for step in outlined.steps))
    end = len(pipeline.select(stop_after="bufferize").steps)
    buffers = Pipeline(pipeline.steps[len(layered.steps) + len(outlined.steps) : end])
    rest = pipeline.steps[end:]
    with errors_in(model.path), rare_collections():
        module = model.load()
        inputs, names = input_names(module), ssa_names(module)
        manager.run(module, layered, new_context())
        layers = {number for op in module.walk() if (number := layer_of(op)) is not None}
        described = machine_of(module)
        chosen = order_of(order, points, len(layers), described)
        stages = stages_of(chosen)
        manager.run(module, outlined, new_context())
        artifacts = NONE if mapping.npu == CORE else _artifacts(module, model, mapping)
        manager.run(module, buffers, new_context())
        taken, returned = network_tensors(module)
        submitted = max((outstanding_of(function) for function in functions(module)), default=1)
        streamed = _streamed(rest, depth, len(stages), submitted, is_device=mapping.gpu != CORE)
        manager.run(module, streamed, new_context())
    facts = ProgramFacts(
        model.path.name,
        target,
        "".join(name[0].upper() for name in chosen),
        len(layers),
        tuple(stages),
        _ports(taken),
        _ports(returned),
        processors_of(described),
    )
    content: dict[str, Any] = {"model": model.path.name, "target": machine.name} | report.content
    whole = Pipeline((*layered.steps, *outlined.steps, *buffers.steps, *streamed.steps))
    return BuiltProgram(Compilation(model, machine, module, inputs, content, names, pipeline=whole), facts, artifacts)


def mapping_pipeline(target: str) -> tuple[targets.Machine, Pipeline]:
    """Return a target and its pipeline. Raises UsageError where that maps no layers to processors."""
    machine = machine_named(target)
    pipeline = pipeline_of(machine)
    if MapLayersPass.name not in [step.name for step in pipeline.steps]:
        mapping_targets = [name for name, other in targets.machines().items() if _maps_layers(other)]
        raise UsageError(
            f"target '{target}' maps no layers to processors",
            expected=f"{', '.join(mapping_targets)}, a variant of these, or a machine file that includes one",
            found=target,
            remedy="`tilewright compile` compiles for one processor",
        )
    return machine, pipeline


def _maps_layers(machine: targets.Machine) -> bool:
    return any(MapLayersPass.name in phase.text for phase in machine.phases)


def layered_module(model: Model, target: str) -> ModuleOp:
    """Return a network for a target, its ops with their layers. Raises Diagnostic for whatever is wrong with it."""
    mapping_pipeline(target)
    return compile_model(model, target, stop_after="find-layers").module


def _artifacts(module: ModuleOp, model: Model, mapping: Mapping) -> Artifacts:
    """Make the artefacts of the NPU's stages by the vendor of a mapping, on tensors."""
    if not subgraphs(module):
        return NONE
    vendor = vendor_of(mapping.npu, model.path, mapping.chip)
    return make_artifacts(module, vendor, outstanding=mapping.outstanding)


def _mapped(step: PipelineStep, order: str, points: str) -> PipelineStep:
    """Return a step, that of map-layers with an order."""
    return replace(step, run=MapLayersPass(order, points)) if step.name == MapLayersPass.name else step


def _streamed(steps: Sequence[PipelineStep], depth: int, stages: int, submitted: int, *, is_device: bool) -> Pipeline:
    """
    Return the passes after bufferize, for a pipeline of stages whose frames come from a source.

    The form that is proved has so many frames that each ring wraps: it has at most a slot more than there are stages,
    of which those that submit frames count twice, or one for each of the frames that are `submitted` at once.
    """
    programs = 2 * stages if submitted > 1 else stages
    frames = 2 * max(programs + 2, depth, submitted)
    text = f"submit-npu-frames,pipeline-frames{{frames={frames} depth={depth}}},verify-memory"
    first = parse_pipeline(text, all_passes())
    last = parse_pipeline("stream-frames", all_passes())
    left_out = ["pipeline-frames", "stream-frames", *([] if is_device else ["convert-to-opencl"])]
    kept = [step for step in steps if step.name not in left_out]
    place = next(index for index, step in enumerate(kept) if step.name == "outline-kernels")
    return Pipeline((*first.steps, *kept[:place], *last.steps, *kept[place:]))


def _ports(tensors: Sequence[tuple[str, Any, tuple[int, ...]]]) -> tuple[ProgramPort, ...]:
    files: list[str] = []
    for name, _, _ in tensors:
        stem = identifier(name)
        files.append(stem if stem not in files else f"{stem}_{len(files)}")
    return tuple(
        ProgramPort(name, file, str(kind), tuple(shape))
        for (name, kind, shape), file in zip(tensors, files, strict=True)
    )


def processors_of(machine: Machine) -> tuple[Processor, ...]:
    """Return the processors of a machine."""
    return tuple(Processor(engine.name, engine.cores, engine.clock.mhz, engine.hosts) for engine in machine.engines)


def write_program(built: BuiltProgram, folder: Path, *, shared: bool = False) -> list[Path]:
    """
    Write a program to a folder: network.c, the runtime, main.c and its facts; with `shared` a library too.

    Returns the paths. Raises Diagnostic where the folder cannot be written, and where the C compiler fails.
    """

    def also(staging: Path) -> None:
        (staging / "main.c").write_text(main_text(built.facts), encoding="utf-8")
        (staging / FACTS).write_text(built.facts.text(), encoding="utf-8")
        built.artifacts.write(staging)
        if shared:
            library(staging)

    return write_compilation(built.compilation, folder, also=also)


_MAIN = """\
/* Made by Tilewright; do not edit. The command line is that of runtime/tw_command.c; --help shows it. */
#include "network.h"
#include "runtime/tw_command.h"

{inputs}
{outputs}
static const tw_network network = {{network_run, inputs, outputs, {input_count}, {output_count}}};

int main(int argc, char **argv)
{{
    return tw_command(argc, argv, &network);
}}
"""


def main_text(facts: ProgramFacts) -> str:
    """Return the C of a program's `main`: a table of its ports."""
    return _MAIN.format(
        inputs=_table("inputs", facts.inputs),
        outputs=_table("outputs", facts.outputs),
        input_count=len(facts.inputs),
        output_count=len(facts.outputs),
    )


def _table(name: str, ports: Sequence[ProgramPort]) -> str:
    rows = [f'    {{"{p.file}", "{p.dtype}", "{"x".join(map(str, p.shape))}", {p.bytes}}},\n' for p in ports]
    return f"static const tw_port {name}[] = {{\n{''.join(rows)}}};"


def sources_of(folder: Path, *, shared: bool = False) -> list[Path]:
    """Return the C sources of the program in a folder, of its library without `main`."""
    runtime = sorted((folder / "runtime").glob("tw_*.c"))
    main = [] if shared else [folder / "main.c"]
    npu = [folder / name for name in NPU_SOURCES if (folder / name).is_file()]
    return [
        *sources_in(folder, files_in(folder)),
        *main,
        *npu,
        *(file for file in runtime if not shared or file.name != "tw_command.c"),
    ]


def flags_of(folder: Path) -> list[str]:
    """Return the C compiler's flags for the program in a folder, and the libraries that it needs."""
    libraries = dict.fromkeys(flag for header, flag in _LIBRARIES.items() if (folder / header).is_file())
    return [*FLAGS, f"-I{folder}", f"-I{folder / 'runtime'}", *libraries]


def command_of(folder: Path) -> str:
    """Return the command that builds the program in a folder."""
    sources = [str(file) for file in sources_of(folder)]
    flags = flags_of(folder)
    words = [*compiler(), *(flag for flag in flags if not flag.startswith("-l")), *sources]
    return shlex.join(
        [*words, *(flag for flag in flags if flag.startswith("-l")), "-lm", "-o", str(folder / "network")]
    )


def library(folder: Path) -> Path:
    """Build the library of the program in a folder, and return its path. Raises Diagnostic."""
    import shutil

    from ...runtime.toolchain import compile_shared

    built = compile_shared(
        sources_of(folder, shared=True), [flag.replace(str(folder), str(folder.resolve())) for flag in flags_of(folder)]
    )
    return Path(shutil.copy(built, folder / files_in(folder).library))


def executable(folder: Path, flags: Sequence[str] = ()) -> Path:
    """Build the program in a folder, and return its path. Raises Diagnostic."""
    from ...runtime.toolchain import compile_executable

    recorded = [flag.replace(str(folder), str(folder.resolve())) for flag in flags_of(folder)]
    return compile_executable(sources_of(folder), [*recorded, *flags])
