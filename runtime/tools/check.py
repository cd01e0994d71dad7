"""Compiles networks, runs them and compares with golden outputs."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto, numpy_helper
from xdsl.dialects.builtin import ModuleOp, bf16, f16

from ...compiler import Compilation, Model, compile_model
from ...errors import Diagnostic
from ...frontend.importer import model_proto
from ...frontend.static_inputs import static_inputs
from ...frontend.tensors import ELEMENTS
from ...ir import Array, numpy_type
from ...passes.core.failures import as_diagnostic
from ...passes.core.manager import Observer, PassPosition
from ..comparison import Tolerance, bound, differing, is_whole, says_nothing
from ..inputs import load_arrays, matched, network_inputs
from ..precision import Precision, output_precisions
from ..simulators.session import Measurement, Settings
from .first_difference import Search
from .session import CompileLevel, SimulatorRun, level_for, run_steps, runner

_ARRAYS = ("inputs.npz", "outputs.npz")

_DECLARED = {"int8": "i8", "uint8": "ui8", "int16": "i16", "uint16": "ui16"}


@dataclass(frozen=True)
class Case:
    """A model with `inputs.npz` and `outputs.npz` in its folder."""

    model: Path
    name: str

    @property
    def folder(self) -> Path:
        """The folder of the model and the arrays."""
        return self.model.parent


@dataclass(frozen=True)
class CaseRow:
    """
    Result of a case.

    `verdict` is equal, differs or error; `detail` says what differs, and `error` what went wrong. `report` is that of
    report.json, empty where the case did not compile. `warnings` say which golden outputs distinguish little.
    """

    case: Case
    verdict: str
    seconds: float
    report: Mapping[str, Any]
    detail: str = ""
    error: Diagnostic | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """The phase and the layer at which the network begins to differ."""
    measured: tuple[Measurement, ...] = ()
    """Measurements of simulators that others wrote."""

    @property
    def passed(self) -> bool:
        """Return whether all places gave the golden outputs."""
        return self.verdict == "equal"


def _has_arrays(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in _ARRAYS)


def find_cases(root: Path) -> list[Case]:
    """
    Return the cases at or below a folder, or that of one model.

    Raises Diagnostic if there is none, and where arrays are beside a network that are no case: one file of the two.
    """
    if not root.exists():
        raise Diagnostic("there is no such folder", source=str(root))
    if not root.is_dir():
        return [Case(root, root.stem)]
    # Unlike rglob, walk passes over folders that vanish or cannot be read.
    models = sorted(Path(folder, "network.onnx") for folder, _, files in os.walk(root) if "network.onnx" in files)
    whole = [model for model in models if _has_arrays(model.parent)]
    if not whole:
        raise Diagnostic(
            "there is nothing to check",
            source=str(root),
            expected="folders, at any depth, with network.onnx, inputs.npz and outputs.npz",
            found=f"{len(models)} folders with a network but without arrays" if models else "none",
        )
    return [Case(model, str(model.parent.relative_to(root)) if model.parent != root else root.name) for model in whole]


def check(
    cases: Sequence[Case],
    machine: str,
    places: Sequence[str],
    *,
    stop_after: str = "",
    template: Model = Model(Path()),
    tolerance: Tolerance = Tolerance(),
    settings: Settings | None = None,
) -> Iterator[CaseRow]:
    """
    Yield a row per case: all `places` must give the golden outputs, integers exactly.

    `template` has the options of compilation. With a context the networks keep their caches, in functions for every
    `bucket` of rows where it is not 0; the arrays of a case then hold steps, see `session.run_steps`. With `integers`,
    what lies between DequantizeLinear and QuantizeLinear is computed in integers. `settings` are those of places that
    are simulators that others wrote.
    """
    for case in cases:
        start = time.perf_counter()
        report: dict[str, Any] = {}
        try:
            golden = load_arrays(case.folder / "outputs.npz")
            with _warnings_of(case):
                run = _CaseRun(case, machine, places, stop_after, settings)
                outcome = run.check(template, tolerance, _chosen(golden, template.outputs), report)
            verdict, seconds = "differs" if outcome.detail else "equal", time.perf_counter() - start
            yield CaseRow(case, verdict, seconds, report, warnings=_warnings(golden), **outcome._asdict())
        except Exception as error:
            diagnostic = as_diagnostic(error, "check")
            diagnostic.source = diagnostic.source or str(case.folder)
            yield CaseRow(case, "error", time.perf_counter() - start, report, error=diagnostic)


@contextmanager
def _warnings_of(case: Case) -> Generator[None]:
    """Let each warning begin with the name of the case that it is of."""
    told: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as told:
            yield
    finally:
        for warning in told:
            warnings.warn(f"{case.name}: {warning.message}", warning.category, stacklevel=2)


class _Found(NamedTuple):
    """Result of running a case, as in `CaseRow`."""

    detail: str
    notes: tuple[str, ...]
    measured: tuple[Measurement, ...]


def _chosen(golden: Mapping[str, Array], outputs: Sequence[str]) -> Mapping[str, Array]:
    """Return the golden outputs that are computed, all of them where none is chosen or one has no name."""
    return {name: golden[name] for name in outputs} if outputs and golden.keys() >= set(outputs) else golden


@dataclass(frozen=True)
class _CaseRun:
    """A case on its way through all places."""

    case: Case
    machine: str
    places: Sequence[str]
    stop_after: str
    settings: Settings | None

    def check(
        self, template: Model, tolerance: Tolerance, golden: Mapping[str, Array], report: dict[str, Any]
    ) -> _Found:
        """Compile and run the case; returns the difference, empty if there is none, and notes on where it begins."""
        case, path = self.case, self.case.folder / "inputs.npz"
        inputs = _rounded(case.model, load_arrays(path) if template.context else case_inputs(case))
        model = model_for(case.model, inputs, template)
        inputs = {name: array for name, array in inputs.items() if name not in model.input_values}
        compare = Comparison(tolerance, model)
        needed = [level_for(place, self.stop_after) for place in self.places]
        levels: dict[CompileLevel, Compilation] = {}
        details: list[str] = []
        notes: tuple[str, ...] = ()
        measured: list[Measurement] = []
        for place, level in zip(self.places, needed, strict=True):
            if level not in levels:
                levels |= _compiled(model, self.machine, level, needed)
            compilation = levels[level]
            report.update(compilation.report)
            ports = network_inputs(compilation.module)
            counted = [port.name for port in ports if port.added]
            arrays = matched(inputs, [port.name for port in ports], path, optional=counted)
            run = runner(compilation, place, self.settings)
            outputs = run_steps(run, ports, arrays)
            measured += [run.measured] if isinstance(run, SimulatorRun) else []
            if difference := compare(outputs, golden):
                details.append(f"{place}: {difference}")
                if not notes and not template.context:
                    notes = Search(model, self.machine, place, level, arrays, compare).notes(golden)
        return _Found("; ".join(details), notes, tuple(measured))


class _Kept(Observer):
    """Copy of the module at the end of a phase, on its way through the whole pipeline."""

    def __init__(self, phase: str):
        self._phase = phase
        self.module: ModuleOp | None = None

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.ends_phase and place.step.phase == self._phase:
            self.module = module.clone()


def _compiled(
    model: Model, machine: str, level: CompileLevel, needed: Sequence[CompileLevel]
) -> dict[CompileLevel, Compilation]:
    """Compile a model to a level; where the end is needed and a phase before it, once for both."""
    phase = next((candidate for candidate in needed if candidate.stop_after and not candidate.explicit), None)
    if phase is None or CompileLevel() not in needed or level not in (phase, CompileLevel()):
        return {level: compile_model(model, machine, **level._asdict())}
    kept = _Kept(phase.stop_after)
    whole = compile_model(model, machine, observers=[kept])
    if kept.module is None:  # the level is a pass
        return {CompileLevel(): whole, phase: compile_model(model, machine, **phase._asdict())}
    return {CompileLevel(): whole, phase: replace(whole, module=kept.module)}


def case_inputs(case: Case) -> dict[str, Array]:
    """
    Return the arrays of a case under the names of its model's inputs, initialisers aside.

    Where no array has the name of an input they are in the order of the inputs; arrays behind these have to be
    constants of the model, which exporters write with its inputs. Raises Diagnostic where arrays do not match so.
    """
    path = case.folder / "inputs.npz"
    arrays, names = load_arrays(path), [value.name for value in _inputs(case.model)]
    if set(arrays) & set(names) or len(arrays) < len(names):
        return matched(arrays, names, path)
    surplus = dict(list(arrays.items())[len(names) :])
    weights: Sequence[TensorProto] = model_proto(case.model).graph.initializer if surplus else []
    constants = [numpy_helper.to_array(tensor) for tensor in weights if tensor.data_location != TensorProto.EXTERNAL]
    for name, array in surplus.items():
        if not any(np.array_equal(array, constant) for constant in constants):
            raise Diagnostic(
                f"the array '{name}' is neither an input nor a constant of the model",
                source=str(path),
                expected=", ".join(names),
                found=", ".join(arrays),
                remedy="leave it out",
            )
    return dict(zip(names, arrays.values(), strict=False))


def _inputs(path: Path) -> list[Any]:
    graph = model_proto(path).graph
    initialised = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in initialised]


def _rounded(path: Path, inputs: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays with floats rounded to 16 bits where the model's inputs are such: .npz files have no bf16."""
    kinds = {value.name: ELEMENTS.get(value.type.tensor_type.elem_type) for value in _inputs(path)}
    halves = {name: numpy_type(kind) for name, kind in kinds.items() if kind in (f16, bf16)}
    return {
        name: array.astype(halves[name]) if name in halves and array.dtype.kind == "f" else array
        for name, array in inputs.items()
    }


def model_for(path: Path, inputs: dict[str, Array], template: Model = Model(Path())) -> Model:
    """
    Return the model with the types that the arrays declare for inputs whose tensors ONNX declares to be floats.

    The arrays' NumPy type counts, never their values: int8 declares i8; a wide integer type only says that it is an
    integer. Shapes count where the model leaves them open, and values where inputs decide shapes and the model cannot
    be compiled without them. What the `template` says of an input comes first.
    """
    import onnx

    shapes: dict[str, Sequence[int]] = {}
    types: dict[str, str] = {}
    for value in _inputs(path):
        if value.name not in inputs:
            continue
        tensor = value.type.tensor_type
        array = inputs[value.name]
        if array.dtype.kind in "iu" and tensor.elem_type == onnx.TensorProto.FLOAT:
            types[value.name] = _DECLARED.get(array.dtype.name, "int")
        if any(not dim.HasField("dim_value") for dim in tensor.shape.dim):
            # Arrays of steps have an axis before those of the input.
            shapes[value.name] = array.shape[array.ndim - len(tensor.shape.dim) :]
    shapes, types = shapes | dict(template.input_shapes), types | dict(template.input_types)
    model = replace(template, path=path, input_shapes=shapes, input_types=types)
    return _with_shape_inputs(model, inputs)


def _with_shape_inputs(model: Model, inputs: Mapping[str, Array]) -> Model:
    """Return the model with those inputs as constants that decide shapes, where it cannot be read without them."""
    deciding = [name for name in static_inputs(model_proto(model.path)) if name in inputs]
    if not deciding or model.context:
        return model
    try:
        model.load()
    except Diagnostic:
        values = {name: inputs[name] for name in deciding} | dict(model.input_values)
        shapes = {name: shape for name, shape in model.input_shapes.items() if name not in values}
        return replace(model, input_values=values, input_shapes=shapes)
    return model


class Comparison:
    """
    Comparison of outputs with the golden ones, within the bounds of `runtime/comparison.py`.

    Only where outputs differ by more than floats of their own type do, narrow types on the way to them are looked for
    in the model.
    """

    def __init__(self, tolerance: Tolerance = Tolerance(), model: Model | None = None):
        self._tolerance = tolerance
        self._model = model

    def __call__(self, outputs: Mapping[str, Array], golden: Mapping[str, Array]) -> str:
        """
        Return the difference, empty without one.

        Golden outputs are found by name, or by their order where none is named as an output.
        """
        if len(outputs) != len(golden):
            return f"{len(outputs)} outputs ({', '.join(outputs)}), but {len(golden)} golden ones ({', '.join(golden)})"
        if set(outputs) & set(golden) and set(outputs) != set(golden):
            return f"the outputs are {', '.join(outputs)}, the golden ones {', '.join(golden)}"
        named = golden if set(outputs) == set(golden) else dict(zip(outputs, golden.values(), strict=True))
        for name, output in outputs.items():
            if difference := self._difference(name, output, named[name]):
                return f"output '{name}' {difference}"
        return ""

    def _difference(self, name: str, output: Array, golden: Array) -> str:
        if output.shape != golden.shape:
            return f"has shape {list(output.shape)}, not {list(golden.shape)}"
        if not differing(output, golden, self._tolerance).any():
            return ""
        precision = self._precisions.get(name) or self._coarsest
        wrong = differing(output, golden, self._tolerance, precision)
        return _described(output, golden, wrong, self._tolerance, precision) if wrong.any() else ""

    @cached_property
    def _precisions(self) -> Mapping[str, Precision]:
        if self._model is None:
            return {}
        try:
            return output_precisions(self._model.load())
        except Diagnostic:  # a program that is no graph of ONNX operators: its types count as they stand
            return {}

    @cached_property
    def _coarsest(self) -> Precision:
        """The coarsest precision of all outputs, for tensors inside of the network."""
        return reduce(Precision.joined, self._precisions.values(), Precision())


def _described(output: Array, golden: Array, wrong: Array, tolerance: Tolerance, precision: Precision) -> str:
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    count = f"{np.count_nonzero(wrong):,} of {output.size:,} differ"
    is_float = output.dtype.kind in "fV" and not (is_whole(output) and is_whole(golden))
    limit = f" by more than {np.max(bound(output, golden, tolerance, precision)):.2g}" if is_float else ""
    if is_float:
        limit += f", the first by {_error(output[first], golden[first])}"
    steps = next((n for n in (1, 2) if not _beyond_steps(output, golden, tolerance, precision, n)), 0)
    hint = f"; --steps {steps} accepts them" if steps > tolerance.steps else ""
    return f"is wrong, first at {list(first)}: expected {golden[first]}, found {output[first]}; {count}{limit}{hint}"


def _error(value: Any, expected: Any) -> str:
    """Return the absolute error of a float, and that in units in the last place of its type."""
    kind = min(np.asarray(value).dtype, np.asarray(expected).dtype, key=lambda dtype: dtype.itemsize)
    error = abs(float(value) - float(expected))
    if not np.isfinite(error) or kind.kind not in "fV":
        return f"{error:.2g}"
    last_place = float(np.spacing(np.abs(np.asarray(expected, kind))))
    return f"{error:.2g}, {error / last_place:,.0f} ulp"


def _beyond_steps(output: Array, golden: Array, tolerance: Tolerance, precision: Precision, steps: int) -> bool:
    """Return whether outputs differ by more than some steps of the quantisation that they are made of."""
    if not precision.bits:
        return True
    return bool(differing(output, golden, replace(tolerance, steps=steps), precision).any())


def _warnings(golden: Mapping[str, Array]) -> tuple[str, ...]:
    """Return warnings about golden outputs by which a wrong network may seem right."""
    reasons = {name: says_nothing(array) for name, array in golden.items()}
    return tuple(f"the golden output '{name}' is {reason}" for name, reason in reasons.items() if reason)
