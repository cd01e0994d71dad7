"""Cost of a network at a point of a design space, modelled by its simulated program or an evaluation of its target."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ....compiler import Model, machine_named, pipeline_of, remaining
from ....dialects.core.machine.file import FILE, load_machine, machine_path, merged_table, variants
from ....dialects.core.machine.model import Machine
from ....dialects.core.machine.operations import OpSupport
from ....dialects.core.machine.targets import machines
from ....dialects.core.syntax.text import new_context
from ....discovery import module_at
from ....errors import Diagnostic, did_you_mean
from ....files import errors_in, read_regular
from ....grammar import UsageError, quote
from ....passes import all_passes
from ....passes.core.garbage import rare_collections
from ....passes.core.manager import PassManager
from ....passes.core.options import option_infos
from ....passes.core.pipeline import Pipeline, PipelineStep, parse_pipeline
from ...exploration import FILE as DECLARATIONS
from ...exploration import DesignAxis, Evaluation
from ...simulator import simulate
from ...simulator.explicit import last_explicit, planning
from .axes import DesignAxes, Keys, PassOption, Point, shown

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROFILE = "profile"
"""The evaluation that every target has: the simulation of the program, as by `tilewright profile`."""
AREA = "area"
UNITS = {
    "cycles": "cycles",
    "ms": "ms",
    "sample_cycles": "cycles",
    "sample_ms": "ms",
    "energy": "pJ",
    "traffic": "bytes",
    "memory": "bytes",
    "macs": "MACs/cycle",
    AREA: "bytes",
}
"""Units of the metrics that every evaluation may have."""
_ATTACH = "attach-machine"


@dataclass(frozen=True)
class Design:
    """
    Target of an exploration, and how its points are evaluated: by the simulated profile, or one of its `EVALUATIONS`.

    Raises Diagnostic for an unknown target, and UsageError for an unknown evaluation.
    """

    target: str
    by: str = PROFILE

    def __post_init__(self) -> None:
        """Raise UsageError for an evaluation that the target does not declare."""
        if self.by not in (names := [PROFILE, *self.evaluations]):
            remedy = did_you_mean(self.by, names)
            raise UsageError(
                f"target '{self.target}' has no evaluation '{self.by}'",
                expected=", ".join(names),
                found=self.by,
                remedy=remedy,
            )

    @cached_property
    def path(self) -> Path:
        """The target's machine file."""
        machine_named(self.target)
        return machine_path(self.target).resolve()

    @property
    def include(self) -> str:
        """The name of the target, or the path of its file, as machine files include it."""
        return self.target if self.target in (*machines(), *variants()) else str(self.path)

    @cached_property
    def table(self) -> dict[str, Any]:
        """The table of the machine file, with what it includes."""
        return merged_table(self.path, self.target)

    @cached_property
    def _declared(self) -> Any:
        file = machine_named(self.target).folder / DECLARATIONS
        return module_at(file) if file.is_file() else None

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """The evaluations that the target declares."""
        return getattr(self._declared, "EVALUATIONS", {})

    @property
    def short(self) -> dict[str, DesignAxis]:
        """The short names of axes that the target declares for this evaluation."""
        declared: Mapping[str, DesignAxis] = getattr(self._declared, "AXES", {})
        return {name: axis for name, axis in declared.items() if axis.by in ("", self.by)}

    @cached_property
    def axes(self) -> DesignAxes:
        """The axes that there are."""
        steps = self.pipeline(self.target, {}).steps
        options: dict[str, list[str]] = {}
        for step in steps:
            if step.name != _ATTACH:
                options[step.name] = [option.name for option in option_infos(type(step.run))]
        return DesignAxes(self.table, options, self.short)

    @property
    def units(self) -> dict[str, str]:
        """Units of the metrics, by name."""
        return UNITS if self.by == PROFILE else {**UNITS, **self.evaluations[self.by].units}

    def pipeline(self, target: str, options: Mapping[PassOption, str]) -> Pipeline:
        """Return the passes of the evaluation on a target, with other options. Raises UsageError for wrong ones."""
        pipeline = pipeline_of(machine_named(target))
        if self.by == PROFILE:
            steps = planning(pipeline, target).steps
        else:
            how = self.evaluations[self.by]
            steps = pipeline.select(stop_after=how.stop_after).steps
            attached = any(step.name == _ATTACH for step in steps)
            attach = "" if attached else f"{_ATTACH}{{target={quote(target)}}},"
            steps = (*steps, *parse_pipeline(f"{attach}{how.passes}", all_passes()).steps)
        return Pipeline(tuple(_with_options(step, options) for step in steps))

    def check(self, points: Sequence[Point]) -> None:
        """Raise UsageError for a value that is of the wrong type for its key, before anything is evaluated."""
        seen: set[tuple[object, str]] = set()
        for point in points:
            for keys, value in point.setting.machine.items():
                if (keys, str(value)) not in seen:
                    seen.add((keys, str(value)))
                    self._check_value(keys, value)
            for option, text in point.setting.options.items():
                if (option, text) not in seen:
                    seen.add((option, text))
                    self.pipeline(self.target, {option: text})

    def _check_value(self, keys: Keys, value: object) -> None:
        with TemporaryDirectory() as folder:
            file = write_machine(self.path, {keys: value}, Path(folder))
            try:
                load_machine(file)
            except Diagnostic as error:
                faults = [text for text in error.notes or [error.message] if _names(text, keys)]
                if faults:
                    raise UsageError(
                        f"the machine refuses a value of the axis '{shown(keys)}'",
                        notes=faults,
                        remedy="docs/machines.md describes the keys",
                    ) from error


def _names(fault: str, keys: Keys) -> bool:
    """Return whether the fault of a machine file is one of a key."""
    return fault.replace('"', "").startswith(f"{'.'.join(keys)}:")


def _with_options(step: PipelineStep, options: Mapping[PassOption, str]) -> PipelineStep:
    """Return a pass with other values of its options. Raises UsageError for one of the wrong type."""
    changed: dict[str, Any] = {}
    for option, text in options.items():
        if option.step == step.name:
            value = text.replace("x", ",") if text.replace("x", "").isdecimal() else text
            parsed = parse_pipeline(f"{step.name}{{{option.name}={value}}}", all_passes()).steps[0].run
            field = option.name.replace("-", "_")
            changed[field] = getattr(parsed, field)
    return replace(step, run=replace(step.run, **changed)) if changed else step  # pyright: ignore[reportArgumentType]


def write_machine(
    base: Path, values: Mapping[Keys, object], folder: Path, name: str = "", comment: str = "", include: str = ""
) -> Path:
    """Write a machine file that includes another one, by the path `base`, and replaces some values; return its path."""
    lines = [f"# {comment}"] if comment else []
    lines += [f"include = {json.dumps(include or str(base))}"]
    lines += [f"{'.'.join(map(json.dumps, keys))} = {json.dumps(value)}" for keys, value in values.items()]
    file = folder / f"{name or (base.parent.name if base.name == FILE else base.stem)}.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@dataclass
class Evaluator:
    """
    Evaluates networks at points of a design space.

    The passes that depend on no axis run once for each network and number of samples.
    """

    design: Design
    networks: Mapping[str, Model]
    varied: frozenset[str]
    """The passes with options that are varied."""
    folder: Path
    """A folder for machine files."""
    _prefix: tuple[object, ModuleOp] | None = field(default=None, init=False)

    def metrics(self, network: str, point: Point) -> dict[str, float]:
        """Return the costs of a network at a point. Raises Diagnostic where it cannot be compiled there."""
        own = self.folder / str(os.getpid())  # other processes write files of the same name
        own.mkdir(exist_ok=True)
        file = write_machine(self.design.path, point.setting.machine, own)
        try:
            return self._metrics(network, point, file)
        except Diagnostic as error:
            error.where = error.where.replace(str(file), self.design.target)
            raise

    def _metrics(self, network: str, point: Point, file: Path) -> dict[str, float]:
        machine = load_machine(file)
        metrics = _machine_metrics(machine)
        model = self.networks[network]
        with errors_in(model.path), rare_collections():
            pipeline = self.design.pipeline(str(file), point.setting.options)
            module, rest = self._begun(network, point.setting.samples, pipeline)
            if self.design.by == PROFILE:
                metrics |= _profile(last_explicit(module, rest, str(file), _manager()))
            else:
                _manager().run(module, rest, new_context())
                metrics |= self.design.evaluations[self.design.by].metrics(module)
        if machine.clock.nominal and "cycles" in metrics:
            metrics["ms"] = metrics["cycles"] / machine.clock.nominal / 1000
        if point.setting.samples:
            metrics |= {
                f"sample_{name}": metrics[name] / point.setting.samples for name in ("cycles", "ms") if name in metrics
            }
        return {name: float(value) for name, value in metrics.items() if not isnan(value)}

    def _begun(self, network: str, samples: int, pipeline: Pipeline) -> tuple[ModuleOp, Pipeline]:
        """Return a network after the passes that no axis changes, and those that are left."""
        shared = next(
            (index for index, step in enumerate(pipeline.steps) if step.name in (_ATTACH, "bufferize", *self.varied)),
            len(pipeline.steps),
        )
        if self._prefix is None or self._prefix[0] != (network, samples):
            self._prefix = None
            model = self.networks[network]
            module = (with_samples(model, samples) if samples else model).load()
            if remaining(pipeline, module) == pipeline:
                _manager().run(module, Pipeline(pipeline.steps[:shared]), new_context())
            self._prefix = (network, samples), module
        module = self._prefix[1].clone()
        rest = remaining(pipeline, module)
        return module, Pipeline(pipeline.steps[shared:]) if rest == pipeline else rest


def _manager() -> PassManager:
    return PassManager(verify_each=False, verify_phases=True)


def _profile(module: ModuleOp) -> dict[str, float]:
    """Return the costs of an explicit program."""
    simulation = simulate(module)
    moved = sum(link.bytes_in + link.bytes_out for link in simulation.links)
    costs = {"cycles": simulation.cycles, "traffic": moved}
    return costs | ({"energy": simulation.energy} if simulation.energy else {})


def _machine_metrics(machine: Machine) -> dict[str, float]:
    """Return bytes of near memory, and multiply-accumulates a cycle beside the far memory; of all instances."""
    memory = sum(level.size * prod(level.count) for level in machine.levels if level is not machine.far)
    macs = 0.0
    near = [engine for engine in machine.engines if machine.far.name not in engine.levels_of()]
    for engine in near or machine.engines:
        macs += max(map(_rate, engine.runs)) * engine.cores * engine.total
    return {"memory": memory, "macs": macs}


def _rate(support: OpSupport) -> float:
    """Return the most multiply-accumulates a cycle of any element type."""
    parameters: dict[str, Any] = dict(support.parameters)
    return max((rate for _, rate in support.peak), default=parameters.get("macs_per_cycle", 0.0))


def with_area(metrics: Mapping[str, float], mac_bytes: float) -> dict[str, float]:
    """Return metrics with an area: bytes of near memory, and `mac_bytes` for each multiply-accumulate a cycle."""
    return {**metrics, AREA: metrics["memory"] + mac_bytes * metrics["macs"]}


def with_samples(model: Model, samples: int) -> Model:
    """
    Return a model with so many samples in a call: the first dimension of its inputs, where that is open.

    Raises Diagnostic where it is open in none.
    """
    shapes = {**model.input_shapes, **{name: (samples, *rest) for name, rest in _open_inputs(model)}}
    if not any(_open_inputs(model)):
        raise Diagnostic(
            "no input has samples: their first dimensions are not open",
            source=str(model.path),
            expected="an ONNX network with a symbolic first dimension",
            remedy="export it with dynamic axes, or leave the axis 'batch' out",
        )
    return replace(model, input_shapes=shapes)


def _open_inputs(model: Model) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the inputs whose first dimension is open, and their other dimensions."""
    from onnx import ModelProto

    if model.path.suffix == ".mlir":
        return
    graph = ModelProto.FromString(read_regular(model.path)).graph
    constant = {tensor.name for tensor in graph.initializer}
    for value in graph.input:
        dims = value.type.tensor_type.shape.dim
        if value.name not in constant and dims and not dims[0].HasField("dim_value"):
            shape = model.input_shapes.get(value.name)
            yield value.name, tuple(shape[1:]) if shape else tuple(dim.dim_value for dim in dims[1:])
