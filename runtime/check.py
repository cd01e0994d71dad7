"""Compiles networks, runs them and compares with golden outputs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..compiler import Model, compile_model
from ..errors import Diagnostic
from ..ir import Array
from ..passes.core.failures import as_diagnostic
from .session import by_name, load_arrays, runner

ABSOLUTE_TOLERANCE = 1e-4
"""How far a float may be from the golden one."""

_DECLARED = {"int8": "i8", "uint8": "ui8", "int16": "i16", "uint16": "ui16"}


@dataclass(frozen=True)
class Case:
    """A folder with `network.onnx`, `inputs.npz` and `outputs.npz`."""

    folder: Path
    name: str


@dataclass(frozen=True)
class Row:
    """
    What became of a case.

    `verdict` is equal, differs or error; `detail` says what differs, and `error` what went wrong. `report` is that of
    report.json, empty where the case did not compile.
    """

    case: Case
    verdict: str
    seconds: float
    report: Mapping[str, Any]
    detail: str = ""
    error: Diagnostic | None = None

    @property
    def passed(self) -> bool:
        """Whether all places gave the golden outputs."""
        return self.verdict == "equal"


def find_cases(root: Path) -> list[Case]:
    """Return the cases at or below a folder. Raises Diagnostic where there is none."""
    folders = sorted(file.parent for file in root.rglob("network.onnx"))
    whole = [f for f in folders if (f / "inputs.npz").is_file() and (f / "outputs.npz").is_file()]
    if not whole:
        raise Diagnostic(
            "there is nothing to check",
            source=str(root),
            expected="folders, at any depth, with network.onnx, inputs.npz and outputs.npz",
            found=f"{len(folders)} folders with a network but without arrays" if folders else "none",
        )
    return [Case(folder, str(folder.relative_to(root)) if folder != root else root.name) for folder in whole]


def check(cases: Sequence[Case], machine: str, places: Sequence[str], *, stop_after: str = "") -> Iterator[Row]:
    """Yield a row per case: all `places` must give the golden outputs, integers exactly."""
    for case in cases:
        start = time.perf_counter()
        report: dict[str, Any] = {}
        try:
            detail = _check(case, machine, places, stop_after, report)
            yield Row(case, "differs" if detail else "equal", time.perf_counter() - start, report, detail)
        except Exception as error:
            diagnostic = as_diagnostic(error, "check")
            diagnostic.source = diagnostic.source or str(case.folder)
            yield Row(case, "error", time.perf_counter() - start, report, error=diagnostic)


def _check(case: Case, machine: str, places: Sequence[str], stop_after: str, report: dict[str, Any]) -> str:
    """Compile and run a case; returns what differs, empty where nothing does."""
    given, golden = load_arrays(case.folder / "inputs.npz"), load_arrays(case.folder / "outputs.npz")
    path = case.folder / "network.onnx"
    inputs = by_name(given, input_names(path), case.folder / "inputs.npz")
    for place in places:
        phase = stop_after if place == "interpreter" else ""
        compilation = compile_model(model_for(path, inputs), machine, stop_after=phase)
        report.update(compilation.report)
        outputs = list(runner(compilation, place)(inputs).values())
        if difference := compare(outputs, list(golden.values())):
            return f"{place}: {difference}"
    return ""


def input_names(path: Path) -> list[str]:
    """Return the names of a model's inputs, initialisers aside."""
    return [value.name for value in _inputs(path)]


def _inputs(path: Path) -> list[Any]:
    import onnx

    try:
        graph = cast(Any, onnx).load(path, load_external_data=False).graph
    except Exception as error:
        raise Diagnostic("this is not an ONNX model", source=str(path), found=str(error).splitlines()[0]) from error
    initialised = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in initialised]


def model_for(path: Path, inputs: dict[str, Array]) -> Model:
    """
    Return the model with the types that the arrays declare for inputs whose tensors ONNX declares to be floats.

    The arrays' NumPy type counts, never their values: int8 declares i8; a wide integer type only says that it is an
    integer. Shapes count where the model leaves them open.
    """
    import onnx

    shapes: dict[str, Sequence[int]] = {}
    types: dict[str, str] = {}
    for value in _inputs(path):
        tensor = value.type.tensor_type
        array = inputs[value.name]
        if array.dtype.kind in "iu" and tensor.elem_type == onnx.TensorProto.FLOAT:
            types[value.name] = _DECLARED.get(array.dtype.name, "int")
        if any(not dim.HasField("dim_value") for dim in tensor.shape.dim):
            shapes[value.name] = array.shape
    return Model(path, shapes, types)


def compare(outputs: Sequence[Array], golden: Sequence[Array]) -> str:
    """Return how outputs differ from the golden ones, empty where they do not: integers exactly, floats within 1e-4."""
    if len(outputs) > len(golden):
        return f"{len(outputs)} outputs, {len(golden)} golden ones"
    for index, (got, want) in enumerate(zip(outputs, golden, strict=False)):
        if got.shape != want.shape:
            return f"output {index} has shape {list(got.shape)}, not {list(want.shape)}"
        wrong = _differing(got, want)
        if count := int(wrong.sum()):
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return f"output {index}: {count} of {got.size} differ, at {list(at)} {got[at]} not {want[at]}"
    return ""


def _differing(got: Array, want: Array) -> Array:
    if got.dtype.kind in "iub":
        return np.asarray(got.astype(np.float64) != want.astype(np.float64))
    close = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=0, atol=ABSOLUTE_TOLERANCE, equal_nan=True)
    return ~close
