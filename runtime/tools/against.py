"""Comparison of two executions of a network on the same inputs: `tilewright check MODEL --against OTHER`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from ...compiler import Model, machine_named
from ...dialects.core.machine.targets import machines
from ...errors import Diagnostic, did_you_mean
from ...grammar import UsageError
from ...ir import Array
from ..comparison import Tolerance
from ..inputs import input_names, load_arrays, matched
from ..interpreter import random_inputs
from .check import Case, Comparison, case_inputs, model_for
from .first_difference import TargetExecution, first_node, interpreted
from .onnx_runtime import OnnxRuntimeExecution
from .session import level_for

ONNX_RUNTIME, INTERPRETER = "onnxruntime", "interpreter"
_OTHERS = (ONNX_RUNTIME, INTERPRETER)
"""References that are no targets."""


class NetworkExecution(Protocol):
    """Execution of a network at the graph level, or of a prefix of it."""

    def run(self, module: ModuleOp) -> Mapping[str, Array]:
        """Return its outputs by name."""
        ...


@dataclass(frozen=True)
class InterpretedExecution:
    """Execution of the ONNX operators by the interpreter, before any pass."""

    inputs: Mapping[str, Array]

    def run(self, module: ModuleOp) -> Mapping[str, Array]:
        """Return the outputs of a network."""
        return interpreted(module, self.inputs)


@dataclass(frozen=True)
class ExecutionVerdict:
    """Result of a comparison: `difference` is empty where outputs are equal, `notes` say where they begin to differ."""

    model: Path
    difference: str
    notes: Sequence[str]


@dataclass(frozen=True)
class Against:
    """Comparison of networks compiled for a target and run at a place with the same network in another execution."""

    target: str
    place: str
    other: str
    template: Model
    tolerance: Tolerance = Tolerance()
    inputs: Path | None = None
    seed: int = 0

    def check(self, path: Path) -> ExecutionVerdict:
        """
        Compare a network. Raises Diagnostic where either cannot run it.

        Inputs are those of the file, else those beside the network, else random numbers by the seed.
        """
        model, arrays = self._with_inputs(path)
        module = model.load()
        compare = Comparison(self.tolerance, model)
        actual, expected = self._execution(self.target, model, arrays), self._execution(self.other, model, arrays)
        difference = compare(actual.run(module), expected.run(module))
        if not difference:
            return ExecutionVerdict(path, "", ())
        notes = first_node(module, actual.run, expected.run, compare)
        return ExecutionVerdict(path, difference, [*notes, *self._guilty(model, module, arrays, compare)])

    def _guilty(self, model: Model, module: ModuleOp, arrays: Mapping[str, Array], compare: Comparison) -> list[str]:
        """Return notes on which of the two differs from the ONNX operators, and after which pass."""
        reference = interpreted(module, arrays)
        notes: list[str] = []
        for name in (self.target, self.other):
            execution = self._execution(name, model, arrays)
            difference = compare(execution.run(module), reference)
            if not difference:
                continue
            notes.append(f"{name} differs from the ONNX operators as the interpreter runs them: {difference}")
            if isinstance(execution, TargetExecution):
                guilty = execution.first_pass(model, partial(_against, compare, reference))
                where = f"{guilty} is the first after which the interpreter differs" if guilty else ""
                notes.append(where or f"no pass changes the answer in the interpreter: it is {self.place} that differs")
        return notes

    def _execution(self, name: str, model: Model, arrays: Mapping[str, Array]) -> NetworkExecution:
        match name:
            case "onnxruntime":
                return OnnxRuntimeExecution(model.path, arrays)
            case "interpreter":
                return InterpretedExecution(arrays)
            case _:
                return TargetExecution(model, name, self.place, level_for(self.place), arrays)

    def _with_inputs(self, path: Path) -> tuple[Model, Mapping[str, Array]]:
        """Return a model with the inputs that it is run on; the types of arrays from files count."""
        beside = path.parent / "inputs.npz"
        if self.inputs is None and not beside.is_file():
            model = replace(self.template, path=path)
            return model, random_inputs(model.load(), self.seed)
        loaded = load_arrays(self.inputs) if self.inputs else case_inputs(Case(path, path.stem))
        model = model_for(path, loaded, self.template) if path.suffix == ".onnx" else replace(self.template, path=path)
        arrays = {name: array for name, array in loaded.items() if name not in model.input_values}
        return model, matched(arrays, input_names(model.load()), self.inputs or beside)


def _against(compare: Comparison, reference: Mapping[str, Array], outputs: Mapping[str, Array]) -> str:
    return compare(outputs, reference)


def check_other(name: str, target: str, models: Sequence[Path]) -> None:
    """Raise UsageError where there is no such reference, or it is the target itself."""
    if name == target:
        raise UsageError(f"--against {name} is the target itself", expected="another target, or another reference")
    if name not in _OTHERS:
        references = [*_OTHERS, *machines()]
        try:
            machine_named(name)
        except Diagnostic as error:
            remedy = did_you_mean(name, references) or "tilewright targets lists the targets"
            expected = f"{', '.join(_OTHERS)}, or a target"
            raise UsageError(f"there is nothing to compare with: '{name}'", expected=expected, remedy=remedy) from error
    others = [path for path in models if path.suffix != ".onnx"]
    if name == ONNX_RUNTIME and others:
        raise UsageError("--against onnxruntime is for ONNX files", found=str(others[0]))


def models_in(roots: Sequence[Path]) -> list[Path]:
    """Return the networks that are named, and those of the folders. Raises Diagnostic where there is none."""
    models: list[Path] = []
    for root in roots:
        if not root.exists():
            raise Diagnostic("there is no such file or folder", source=str(root))
        below = sorted(root.rglob("*.onnx")) if root.is_dir() else [root]
        if not below:
            raise Diagnostic(
                "there is nothing to compare", source=str(root), expected="a network, or a folder with some"
            )
        models += below
    return models
