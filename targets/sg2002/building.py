"""Compilation of a decoder whose modules run on the TPU: the network in C, and artefacts beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from ...compiler import (
    MODEL_HASH,
    Compilation,
    Model,
    machine_named,
    model_hash,
    pipeline_of,
    write_compilation,
)
from ...dialects.core.syntax.text import new_context
from ...errors import Diagnostic
from ...files import errors_in
from ...grammar import UsageError
from ...ir import functions
from ...passes.core.garbage import rare_collections
from ...passes.core.manager import PassManager
from ...passes.core.pipeline import Pipeline, PipelineStep
from ...passes.map_engines import MapEnginesPass
from ...runtime.inputs import input_names, ssa_names
from ...runtime.report import ReportObserver
from ..hmp.npu.artifacts import ARTIFACT, Artifacts, artifact_attr, with_runtime
from .passes.map_modules import MapModulesPass
from .passes.outline_modules import MODULE, OutlineModulesPass
from .tpu.vendors import Contents, TpuVendor


class BuiltDecoder(NamedTuple):
    """A decoder in C and the artefacts of its modules; `modules` are their names, in order."""

    compilation: Compilation
    artifacts: Artifacts
    modules: tuple[str, ...]


def build(model: Model, target: str, kinds: str, vendor: TpuVendor) -> BuiltDecoder:
    """
    Compile a decoder on a paged store, its modules of some kinds as artefacts of a TPU's vendor.

    Raises UsageError for a target without modules, and Diagnostic for a network that has none, and for what the passes
    and the vendor refuse.
    """
    machine = machine_named(target)
    pipeline = _pipeline(target, kinds)
    outlining = pipeline.select(stop_after=OutlineModulesPass.name)
    lowering = _after(pipeline.select(stop_after=MapModulesPass.name), len(outlining.steps))
    rest = _after(pipeline, len(outlining.steps) + len(lowering.steps))
    report = ReportObserver(has_cycles=False)
    manager = PassManager([report], verify_each=False, verify_phases=True)
    with errors_in(model.path), rare_collections():
        module = model.load()
        inputs, names = input_names(module), ssa_names(module)
        manager.run(module, outlining, new_context())
        modules = _modules(module)
        contents: Contents = {} if vendor.is_lowered else _contents(module, modules, vendor)
        marks = _marks(contents, vendor)
        manager.run(module, lowering, new_context())
        if vendor.is_lowered:
            contents = _contents(module, _modules(module), vendor)
            marks = _marks(contents, vendor)
        for function in functions(module):
            function.attributes |= marks.get(function.sym_name.data, {})
        artifacts = with_runtime({name: content for name, (content, _) in contents.items()}, dict(vendor.plugins()))
        manager.run(module, rest, new_context())
    report_content: dict[str, Any] = {"model": model.path.name, "target": machine.name} | report.content
    report_content[MODEL_HASH] = model_hash(model.path).hex()
    whole = Pipeline((*outlining.steps, *lowering.steps, *rest.steps))
    return BuiltDecoder(
        Compilation(model, machine, module, inputs, report_content, names, pipeline=whole), artifacts, (*modules,)
    )


def mapped(model: Model, target: str, kinds: str) -> ModuleOp:
    """Return a decoder on buffers, its kernels with the engines of a target. Raises as `build` does."""
    with errors_in(model.path), rare_collections():
        module = model.load()
        steps = _pipeline(target, kinds).select(stop_after=MapEnginesPass.name)
        PassManager(verify_each=False).run(module, steps, new_context())
    return module


def _pipeline(target: str, kinds: str) -> Pipeline:
    """Return the pipeline of a target, with kinds of modules. Raises UsageError for one without modules."""
    pipeline = pipeline_of(machine_named(target))
    if OutlineModulesPass.name not in [step.name for step in pipeline.steps]:
        raise UsageError(
            f"target '{target}' has no TPU", expected="sg2002, or a machine file that includes it", found=target
        )
    return _with_kinds(pipeline, kinds)


def write(built: BuiltDecoder, folder: Path) -> list[Path]:
    """Write the network and its artefacts to a folder, all or nothing; return the paths. Raises Diagnostic."""
    return write_compilation(built.compilation, folder, also=built.artifacts.write)


def _with_kinds(pipeline: Pipeline, kinds: str) -> Pipeline:
    def chosen(step: PipelineStep) -> PipelineStep:
        is_outlining = step.name == OutlineModulesPass.name
        return replace(step, run=OutlineModulesPass(kinds)) if is_outlining else step

    return replace(pipeline, steps=tuple(map(chosen, pipeline.steps)))


def _after(pipeline: Pipeline, count: int) -> Pipeline:
    return replace(pipeline, steps=pipeline.steps[count:])


def _modules(module: ModuleOp) -> dict[str, list[FuncOp]]:
    """Return the functions of each module, that for a token first. Raises Diagnostic for a network without modules."""
    modules: dict[str, list[FuncOp]] = {}
    for function in functions(module):
        name = function.attributes.get(MODULE)
        if isinstance(name, StringAttr):
            modules.setdefault(name.data, []).append(function)
    if not modules:
        raise Diagnostic(
            "the network has no modules for a TPU",
            expected="a decoder on a paged store, and kinds of modules",
            remedy="compile a decoder with --context, and name kinds with --modules qkv+ffn",
        )
    return modules


def _contents(module: ModuleOp, modules: dict[str, list[FuncOp]], vendor: TpuVendor) -> Contents:
    contents: Contents = {}
    for name, own in modules.items():
        contents |= vendor.make(module, name, own)
    return contents


def _marks(contents: Contents, vendor: TpuVendor) -> dict[str, dict[str, Any]]:
    """Return the attributes of functions with an artefact, by name."""
    return {
        function.sym_name.data: {
            ARTIFACT: artifact_attr(
                vendor.plugin, vendor.target, file, content, program=program, determinism=vendor.determinism
            )
        }
        for file, (content, own) in contents.items()
        for program, function in _numbered(own)
    }


def _numbered(own: Sequence[FuncOp]) -> Sequence[tuple[int, FuncOp]]:
    return list(enumerate(own))
