"""From a model and a machine to a compiled network: what `tilewright compile`, `run` and `check` share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .dialects.core.machine import targets
from .discovery import module_at, target_folders
from .errors import Diagnostic, did_you_mean
from .files import errors_in, read_regular, read_text, write_folder
from .passes.emitc.text.files import is_bundled

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .ir import Array
    from .passes.core.manager import Observer
    from .passes.core.pipeline import Pipeline
    from .passes.emitc.text.files import Files
    from .passes.formats.c import CProgram


PROOFS = {
    "verify-levels": ("allocate-static", "expand-grid"),
    "verify-memory": ("allocate-static", "expand-grid", "pipeline-dma", "overlap-engines"),
}
"""Proof -> the passes that place buffers or move transfers; it has to come after the last of them in a pipeline."""

_RUNTIME = Path(__file__).parent / "runtime" / "c"

MODEL_HASH = "model_sha256"
"""Key of a report: the hash of the model by which the files of its paged store are told from those of others."""

PREFILL = "network_prefill"
"""The function that takes several rows at once."""


@dataclass(frozen=True)
class Model:
    """A network to compile: an ONNX or MLIR file, and what the user says of its inputs."""

    path: Path
    input_shapes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    input_types: Mapping[str, str] = field(default_factory=dict[str, str])
    context: int = 0
    """The rows of the state that its caches become; 0 where they stay inputs and outputs."""
    prefill: Path | int | None = None
    """
    The same network for several new rows at once, which shares state and weights: a second function, PREFILL. A number
    of rows is for a network whose length is open.
    """
    input_values: Mapping[str, Array] = field(default_factory=dict[str, "Array"])
    """The inputs that are constants, because their values decide shapes."""
    bucket: int = 0
    """Rows of the state for which there is a function each, so that a call costs what it needs; 0 for one function."""
    integers: bool = False
    """Whether what lies between DequantizeLinear and QuantizeLinear is computed in integers."""
    outputs: Sequence[str] = ()
    """The tensors of an ONNX file to compute, its outputs where there are none."""
    page_length: int = 0
    """The tokens of a page, where keys and values are in a paged store; 0 where they are dense state."""
    shifts: bool = False
    """Requantisation of integers by products and shifts, off by a step at most."""
    threads: int = 1
    """Threads that share the kernels of the C, for a target whose pipeline has fork-threads."""

    def load(self) -> ModuleOp:
        """Read the file. Raises Diagnostic where it is no model, or has no caches for a state."""
        from .dialects.core.verification.verifier import verify
        from .passes.state.entries import add_entry

        module = self._with_state(self.path)
        if isinstance(self.prefill, int):
            add_entry(module, self._for_rows(self.prefill), PREFILL)
        elif self.prefill is not None:
            add_entry(module, self._with_state(self.prefill), PREFILL)
        if self.context or self.prefill is not None or self.integers:
            verify(module)
        return module

    def _for_rows(self, added: int) -> ModuleOp:
        """Return the network for `rows` new rows per call. Raises Diagnostic where its length is static."""
        from .dialects.core.buckets import added_rows
        from .dialects.paged.ops import step_tokens
        from .ir import functions

        module = self._with_state(self.path, added)
        count = step_tokens if self.page_length else added_rows
        rows = count(functions(module)[0])
        if rows != added:
            raise Diagnostic(
                "the network does not take another number of new rows",
                source=str(self.path),
                expected=f"an open number of new rows, or a network exported for {added}",
                found=f"a network for {rows}",
                remedy="export it with dynamic axes, or give --prefill the file of the network for a prompt",
            )
        return module

    def _with_state(self, path: Path, added: int = 0) -> ModuleOp:
        from .ir import functions
        from .passes.introduce_paged_state import introduce_paged_state
        from .passes.introduce_state import introduce_state
        from .passes.recover_quantized import recover_quantized

        with errors_in(path):
            module = self._read(path, added)
            for function in functions(module) if self.context else ():
                if self.page_length:
                    introduce_paged_state(module, function, self.context, self.page_length)
                else:
                    introduce_state(module, function, self.context, self.bucket)
            for function in functions(module) if self.integers else ():
                recover_quantized(module, function)
        return module

    def _read(self, path: Path, added: int) -> ModuleOp:
        from .dialects.core.syntax.text import new_context, parse_module
        from .dialects.core.verification.verifier import verify
        from .frontend.importer import import_onnx
        from .passes.introduce_paged_state import mask_rows

        if path.suffix != ".mlir":
            return import_onnx(
                path,
                input_shapes=self.input_shapes,
                input_types=self.input_types,
                input_values=self.input_values,
                outputs=self.outputs,
                rows=mask_rows(self.context, added) if self.page_length and added else self.context,
                added=added,
            )
        if self.outputs:
            from .grammar import UsageError

            raise UsageError(
                "outputs are chosen of ONNX files alone", remedy="return the values that you want from the function"
            )
        module = parse_module(new_context(), read_text(str(path)), str(path))
        verify(module)
        return module


@dataclass(frozen=True)
class Compilation:
    """
    Result of compiling a model for a machine.

    `inputs` are the names of the network's inputs, in order; `ssa_names` gives them by their names in the model's IR.
    """

    model: Model
    machine: targets.Machine
    module: ModuleOp
    inputs: tuple[str, ...]
    report: dict[str, Any]
    ssa_names: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str = ""
    """What all names of its C begin with, and its files do; empty for those of `network`."""
    pipeline: Pipeline | None = None
    """The passes that were run on the model."""

    def program(self) -> CProgram:
        """Return the network as C. Raises Diagnostic where it was not compiled that far."""
        from .passes.core.garbage import rare_collections
        from .passes.formats.c import render

        with errors_in(self.model.path), rare_collections():
            return render(self.module)


def model_hash(path: Path) -> bytes:
    """Return SHA-256 of a model's file and of the files with its external data. Raises Diagnostic for none."""
    import hashlib

    import onnx
    from onnx.external_data_helper import ExternalDataInfo, uses_external_data

    with errors_in(path):
        content = read_regular(path)
        digest = hashlib.sha256(content)
        if path.suffix != ".onnx":
            return digest.digest()
        tensors = onnx.ModelProto.FromString(content).graph.initializer
        names = {ExternalDataInfo(tensor).location for tensor in tensors if uses_external_data(tensor)}
        for name in sorted(names):
            digest.update(read_regular(path.parent / name))
    return digest.digest()


def machine_named(name: str) -> targets.Machine:
    """Return the machine of that name, or of that folder or file. Raises UsageError for an unknown one."""
    from .dialects.core.machine.file import variants
    from .grammar import UsageError

    names = [*target_folders(), *variants()]
    if name in names or name.endswith(".toml") or (name and Path(name).exists()):
        return targets.machine_named(name)
    remedy = did_you_mean(name, names) or "tilewright targets lists them; a folder or a machine file is one too"
    raise UsageError(f"there is no target '{name}'", expected=f"one of {', '.join(names)}", remedy=remedy)


def pipeline_of(machine: targets.Machine) -> Pipeline:
    """
    Return the pass pipeline of a machine, its phases named.

    Raises Diagnostic where it has none, or one without the proofs that PROOFS asks for.
    """
    from .passes import all_passes
    from .passes.core.pipeline import parse_pipeline

    if not machine.phases:
        raise Diagnostic(f"target '{machine.name}' has no pipeline", remedy=f"add {machine.folder / 'pipeline.txt'}")
    pipeline = parse_pipeline(f"builtin.module({machine.name}-pipeline)", all_passes(), {machine.name: machine})
    _refuse_unproved([step.name for step in pipeline.steps], machine)
    return pipeline


def _refuse_unproved(passes: Sequence[str], machine: targets.Machine) -> None:
    """Raise Diagnostic where a pipeline places buffers or moves transfers and does not prove the result."""
    for proof, causes in PROOFS.items():
        last = max((index for index, name in enumerate(passes) if name in causes), default=-1)
        if last >= 0 and proof not in passes[last:]:
            raise Diagnostic(
                f"the pipeline of target '{machine.name}' proves nothing of what '{passes[last]}' makes",
                where=str(machine.folder / "pipeline.txt"),
                expected=f"{proof} after {passes[last]}",
                found=f"{proof} before it" if proof in passes else f"no {proof}",
                remedy=f"add {proof} after {passes[last]}",
            )


def compile_model(
    model: Model,
    machine_name: str,
    *,
    stop_after: str = "",
    explicit: bool = False,
    interpreted: bool = False,
    name: str = "",
    observers: Sequence[Observer] = (),
) -> Compilation:
    """
    Run a machine's pipeline on a model, up to and with the phase or pass `stop_after`, to the end where that is empty.

    An `explicit` program is the last one whose kernels and transfers are ops, which can be simulated; an `interpreted`
    one is the last one that the interpreter runs. All names of the C begin with `name`, if that is given; the pipeline
    must then be run to its end.

    Raises Diagnostic, with the model's path as its source, for whatever is wrong with the model.
    """
    from .passes.core.garbage import rare_collections

    with rare_collections():
        return _compile(model, machine_name, stop_after, explicit, interpreted, name, observers)


def _compile(
    model: Model,
    machine_name: str,
    stop_after: str,
    explicit: bool,
    interpreted: bool,
    name: str,
    observers: Sequence[Observer],
) -> Compilation:
    from .dialects.core.syntax.text import new_context
    from .passes.core.manager import PassManager
    from .runtime.inputs import input_names, ssa_names
    from .runtime.report import ReportObserver
    from .runtime.simulator.explicit import last_explicit

    machine = machine_named(machine_name)
    pipeline = _with_threads(pipeline_of(machine), machine, model.threads)
    pipeline = _named(pipeline.select(stop_after=stop_after), name)
    report = ReportObserver(has_cycles=not explicit)
    with errors_in(model.path):
        module = model.load()
        pipeline = _with_shifts(pipeline) if model.shifts else pipeline
        whole, pipeline = pipeline, remaining(pipeline, module)
        if explicit and pipeline is whole:
            pipeline = _without_proofs(pipeline)
        inputs, names = input_names(module), ssa_names(module)
        manager = PassManager([*observers, report], verify_each=False, verify_phases=True)
        if explicit:
            module = last_explicit(module, pipeline, machine_name, manager)
        elif interpreted:
            from .runtime.last_level import run_to_last_level

            run_to_last_level(module, pipeline, manager)
        else:
            manager.run(module, pipeline, new_context())
    content: dict[str, Any] = {"model": model.path.name, "target": machine.name} | report.content
    if model.page_length:
        content[MODEL_HASH] = model_hash(model.path).hex()
    if name:
        content["name"] = name
        for layer in content["layers"]:
            layer["kernel"] = layer["kernel"] if "." in layer["kernel"] else f"{name}_{layer['kernel']}"
    return Compilation(model, machine, module, inputs, content, names, name, pipeline)


def _without_proofs(pipeline: Pipeline) -> Pipeline:
    """
    Return a pipeline without the passes that refuse programs and change none.

    A simulation of what the compiler itself has planned needs no proof, which takes longer than it on a large mesh.
    """
    return replace(pipeline, steps=tuple(step for step in pipeline.steps if not step.name.startswith("verify-")))


def remaining(pipeline: Pipeline, module: ModuleOp) -> Pipeline:
    """
    Return the part of a machine's pipeline that a program has not passed yet.

    That is all of it, unless the program is on buffers. Then the passes that lead there are left out. One that says
    itself what lies in which level (dialect `hier`) is proved instead of planned.
    """
    from xdsl.dialects.builtin import MemRefType

    from .dialects.core.nesting import nested_ops
    from .passes import all_passes
    from .passes.core.pipeline import parse_pipeline

    names = [step.name for step in pipeline.steps]
    ops = nested_ops(module)
    values = (value for op in ops for region in op.regions for block in region.blocks for value in block.args)
    if "bufferize" not in names or not any(isinstance(value.type, MemRefType) for value in values):
        return pipeline
    machine = [step for step in pipeline.steps if step.name == "attach-machine"][:1]
    if "expand-grid" in names and any(op.name.startswith("hier.") for op in ops):
        proof = parse_pipeline("verify-memory", all_passes()).steps
        return replace(pipeline, steps=(*machine, *proof, *pipeline.steps[names.index("expand-grid") :]))
    rest = pipeline.steps[names.index("bufferize") + 1 :]
    return replace(pipeline, steps=(*machine, *(step for step in rest if step not in machine)))


def _with_shifts(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline that requantises by shifts: on tensors, before the machine is known."""
    from .passes import all_passes
    from .passes.core.pipeline import parse_pipeline

    names = [step.name for step in pipeline.steps]
    place = next((names.index(name) for name in ("attach-machine", "bufferize") if name in names), len(names))
    phase = pipeline.steps[place - 1].phase if place else ""
    added = [replace(step, phase=phase) for step in parse_pipeline("approximate-rescale,cse", all_passes()).steps]
    return replace(pipeline, steps=(*pipeline.steps[:place], *added, *pipeline.steps[place:]))


def _with_threads(pipeline: Pipeline, machine: targets.Machine, threads: int) -> Pipeline:
    """Return a machine's pipeline for so many threads. Raises UsageError where it has none, and for too many."""
    from .grammar import UsageError
    from .passes.fork_threads import MOST_THREADS, ForkThreadsPass

    if not 1 <= threads <= MOST_THREADS:
        raise UsageError(
            "a network has another number of threads",
            expected=f"1 to {MOST_THREADS}",
            found=f"{threads}",
            remedy="give as many as the machine has cores",
        )
    steps = [
        replace(step, run=ForkThreadsPass(threads)) if step.name == ForkThreadsPass.name else step
        for step in pipeline.steps
    ]
    if threads > 1 and all(step.name != ForkThreadsPass.name for step in steps):
        others = [name for name, folder in target_folders().items() if _has_step(folder, ForkThreadsPass.name)]
        raise UsageError(
            f"target '{machine.name}' has no threads",
            expected=f"a target with the pass {ForkThreadsPass.name} in its pipeline.txt",
            found=f"--threads {threads}",
            remedy=f"leave it out, or choose --target {' or --target '.join(others)}" if others else "leave it out",
        )
    return replace(pipeline, steps=tuple(steps))


def _has_step(target: Path, name: str) -> bool:
    """Return whether the pipeline of a target's folder has a pass."""
    file = target / "pipeline.txt"
    return file.is_file() and f" {name}" in read_text(str(file))


def _named(pipeline: Pipeline, name: str) -> Pipeline:
    """Return a pipeline at whose end the names of the C are those of a network of that name."""
    from .passes.core.pipeline import PipelineStep
    from .passes.name_network import NameNetworkPass, check_name

    if not name:
        return pipeline
    check_name(name)
    return replace(pipeline, steps=(*pipeline.steps, PipelineStep(NameNetworkPass.name, NameNetworkPass(name))))


def write_compilation(
    compilation: Compilation, folder: Path, *, also: Callable[[Path], object] | None = None
) -> list[Path]:
    """
    Write network.c, network.h, weights, report.json and pipeline.txt to a folder, all of them or none.

    The C of a compilation with a name has files of that name.

    A target with a C runtime of its own has it written beside them, as the folder `runtime`; `also` writes more to a
    folder that holds all of these. Returns the paths. Other files of the folder stay, those of an earlier network go;
    what holds when the process is killed meanwhile says `files.write_folder`. Raises Diagnostic where the folder
    cannot be written, and what `also` raises; what it held is then as it was.
    """
    from .passes.emitc.text.files import REPORT, files_in
    from .passes.formats.c import write_program

    program = compilation.program()
    texts = {
        REPORT: json.dumps(compilation.report, indent=1) + "\n",
        "pipeline.txt": f"{_pipeline_of(compilation)}\n",
    }
    runtime = compilation.machine.runtime
    earlier = files_in(folder)

    def fill(staging: Path) -> None:
        try:
            write_program(program, staging)
        except Diagnostic as error:
            raise _unwritten(folder, error.message) from error
        for name, text in texts.items():
            (staging / name).write_text(text, encoding="utf-8")
        if not all(is_bundled(file.name) for file in runtime.glob("*")):
            shutil.copytree(runtime, staging / "runtime", ignore=lambda _, names: [*filter(is_bundled, names)])
        if also is not None:
            also(staging)

    try:
        return write_folder(folder, fill, lambda entry: _is_stale(entry, runtime, earlier))
    except OSError as error:
        raise _unwritten(folder, error.strerror or str(error)) from error


def _unwritten(folder: Path, reason: str) -> Diagnostic:
    return Diagnostic(
        "the compiled network cannot be written",
        where=str(folder),
        found=reason,
        remedy="give a folder that can be written to with -o, on a disk with room",
    )


def _is_stale(entry: Path, runtime: Path, earlier: Files) -> bool:
    """Return whether an entry of a folder is of the `earlier` network there, or of the C runtime of a target."""
    folders = [_RUNTIME, runtime, *(folder / "c" for folder in target_folders().values())]
    if entry.name != "runtime" or not entry.is_dir():
        is_header = is_bundled(entry.name) and any((folder / entry.name).is_file() for folder in folders)
        return entry.is_file() and (is_header or entry.name in earlier or fnmatch(entry.name, "network-*.elf"))
    runtime_files = {file.relative_to(folder) for folder in folders for file in folder.rglob("*") if file.is_file()}
    files = [file.relative_to(entry) for file in entry.rglob("*") if not file.is_dir()]
    return bool(files) and runtime_files.issuperset(files)


def _pipeline_of(compilation: Compilation) -> Pipeline:
    """Return the passes that lead from a model to its C, in opt-tool."""
    from .passes import all_passes
    from .passes.core.pipeline import parse_pipeline

    assert compilation.pipeline is not None
    if not compilation.model.integers:
        return compilation.pipeline
    first = parse_pipeline("recover-quantized", all_passes())
    return replace(compilation.pipeline, steps=(*first.steps, *compilation.pipeline.steps))


def write_bare(compilation: Compilation, folder: Path, inputs: Mapping[str, Array] | None = None) -> list[Path]:
    """
    Build the network in a folder that holds what `write_compilation` writes as programs without an operating system.

    There is one for each board of the target, `network-<board>.elf`; it runs on `inputs`, or zeros, and prints outputs
    and cycles. Inputs with one axis more than the network's are steps, calls done one after the other. Returns their
    paths. Raises UsageError for a target without boards, and Diagnostic where a program cannot be built, such as a
    network larger than the board's memory.
    """
    from .runtime.calls import given_to, steps_of
    from .runtime.host import emitted_text, entries_of
    from .runtime.inputs import network_inputs

    bare = bare_of(compilation)
    _refuse_threads(compilation, folder)
    steps = steps_of(network_inputs(compilation.module), inputs)[0] if inputs is not None else []
    entry = entries_of(emitted_text(folder / "network.h"), folder)[0]
    calls = [bare.BareCall(given_to(entry, step)) for step in steps]
    return [
        bare.build_bare(folder, folder / f"network-{name}.elf", board, calls=calls)
        for name, board in bare.BOARDS.items()
    ]


def _refuse_threads(compilation: Compilation, folder: Path) -> None:
    """Raise Diagnostic for concurrent programs on a target whose C runtime has no threads of its own."""
    from .passes.emitc.programs import HEADER

    if (folder / HEADER).is_file() and not (compilation.machine.runtime / HEADER).is_file():
        raise Diagnostic(
            "concurrent programs need threads, which nothing provides without an operating system",
            source=str(compilation.model.path),
            expected=f"{HEADER} in the C runtime of target '{compilation.machine.name}'",
            remedy="compile without --bare, or add the header with the chip's own programs to the target's folder c",
        )


_BARE = "bare.py"
"""Module of a target that makes programs without an operating system."""


def bare_of(compilation: Compilation) -> Any:
    """Return the module of a target that makes programs without an operating system. Raises UsageError without one."""
    from .grammar import UsageError

    file = compilation.machine.folder / _BARE
    if not file.is_file():
        others = [name for name, folder in target_folders().items() if (folder / _BARE).is_file()]
        raise UsageError(
            f"target '{compilation.machine.name}' has no programs that run without an operating system",
            expected=f"a target with {_BARE}",
            remedy=f"choose --target {' or --target '.join(others)}" if others else "",
        )
    return module_at(file)
