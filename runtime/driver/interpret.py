"""Running the program after every pass on the same inputs, to name the first pass that changes the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic
from ...ir import Array
from ...passes.core.failures import as_diagnostic
from ...passes.core.manager import Observer, Place
from ...passes.core.pipeline import Pipeline
from ..comparison import is_whole, magnitude

Inputs: TypeAlias = Mapping[str, Array]
Run: TypeAlias = Callable[[ModuleOp, Mapping[str, Array]], dict[str, Array]]
RandomInputs: TypeAlias = Callable[[ModuleOp, int], Mapping[str, Array]]
Matched: TypeAlias = Callable[[ModuleOp, Mapping[str, Array], Path], Mapping[str, Array]]


def _no_inputs(module: ModuleOp, seed: int) -> Mapping[str, Array]:
    return {}


def _as_named(module: ModuleOp, arrays: Mapping[str, Array], source: Path) -> Mapping[str, Array]:
    return arrays


@dataclass(frozen=True)
class Interpreter:
    """
    Execution of a module: its inputs by name in, its outputs by name out.

    `random_inputs` draws an array for every input, `boundary_inputs` one for those that hold wide integers, of numbers
    at the ends of their types. `matched` names the arrays of a file as the module's inputs.
    """

    run: Run
    random_inputs: RandomInputs
    boundary_inputs: RandomInputs = _no_inputs
    matched: Matched = _as_named


def default_interpreter() -> Interpreter:
    """Return Tilewright's own interpreter."""
    from ..inputs import matched_inputs
    from ..interpreter import boundary_inputs, random_inputs, run_calls

    return Interpreter(run_calls, random_inputs, boundary_inputs, matched_inputs)


@dataclass
class InterpretEach(Observer):
    """
    Runs the module before the first pass and after each; raises Diagnostic when an output changes.

    The inputs are those of the file `inputs` (.npz), or random ones of `seed`: one set of small numbers, and one with
    numbers at the ends of the types of wide integers, for inputs where the program takes such. Integers, also where
    floats hold them, must be equal; floats within a tolerance. A network with state is called several times in a row.
    """

    interpreter: Interpreter
    inputs: Path | None = None
    seed: int = 0
    _expected: list[tuple[Inputs, Inputs]] = field(default_factory=list[tuple[Inputs, Inputs]], init=False)
    """Inputs, and the outputs of the program before the first pass."""

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        if self.inputs is not None:
            from ..inputs import load_arrays

            feed = self.interpreter.matched(module, load_arrays(self.inputs), self.inputs)
        else:
            feed = self.interpreter.random_inputs(module, self.seed)
        self._expected = [(feed, self._run(module, feed, "before the first pass"))]
        if self.inputs is None:
            self._expected += self._at_boundaries(module, feed)

    def _at_boundaries(self, module: ModuleOp, feed: Inputs) -> list[tuple[Inputs, Inputs]]:
        """Return runs with inputs at the ends of their types: of all at once, or of each that the program takes so."""
        wide = self.interpreter.boundary_inputs(module, self.seed)
        if not wide:
            return []
        together = self._accepted(module, {**feed, **wide})
        if together or len(wide) == 1:
            return together
        return [run for name, array in wide.items() for run in self._accepted(module, {**feed, name: array})]

    def _accepted(self, module: ModuleOp, feed: Inputs) -> list[tuple[Inputs, Inputs]]:
        """Return a run, or none where the program refuses the inputs, such as an index beyond a table."""
        try:
            return [(feed, self.interpreter.run(module, feed))]
        except Diagnostic:
            return []

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        for feed, expected in self._expected:
            if difference := compare(expected, self._run(module, feed, "after the pass")):
                raise difference

    def _run(self, module: ModuleOp, feed: Inputs, when: str) -> dict[str, Array]:
        try:
            return self.interpreter.run(module, feed)
        except Exception as error:
            diagnostic = as_diagnostic(error, "the interpreter")
            diagnostic.message = f"the program does not run {when}: {diagnostic.message}"
            if diagnostic is error:
                raise
            raise diagnostic from error


def compare(expected: Mapping[str, Array], found: Mapping[str, Array]) -> Diagnostic | None:
    """Return the first difference between two sets of outputs, or None where they are equal."""
    if missing := [name for name in expected if name not in found]:
        return Diagnostic(f"the output '{missing[0]}' is gone", expected=_names(expected), found=_names(found))
    if added := [name for name in found if name not in expected]:
        return Diagnostic(f"there is a new output '{added[0]}'", expected=_names(expected), found=_names(found))
    differences = (_compare_one(name, value, np.asarray(found[name])) for name, value in expected.items())
    return next((difference for difference in differences if difference), None)


def _names(arrays: Mapping[str, Array]) -> str:
    return f"the outputs {', '.join(arrays)}" if arrays else "no output"


def _compare_one(name: str, expected: Array, found: Array) -> Diagnostic | None:
    expected = np.asarray(expected)
    if expected.shape != found.shape:
        message = f"the shape of the output '{name}' changes"
        return Diagnostic(message, expected=str(expected.shape), found=str(found.shape))
    wrong = ~_equal(expected, found)
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"[{', '.join(map(str, first))}]" if first else ""
    return Diagnostic(
        f"the answer changes: output '{name}', first at {name}{where}, "
        f"{int(np.count_nonzero(wrong))} of {wrong.size} values differ",
        expected=f"{expected[first]} ({expected.dtype})",
        found=f"{found[first]} ({found.dtype})",
    )


def _equal(expected: Array, found: Array) -> Array:
    """Return, per element, whether two values are the same answer."""
    if is_whole(expected) and is_whole(found):
        return np.asarray(expected == found)
    near = 1e-5 * min(1.0, magnitude(expected) or 1.0)
    return np.isclose(found.astype(np.float64), expected.astype(np.float64), rtol=1e-4, atol=near, equal_nan=True)
