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
from .failures import as_diagnostic, catchable
from .manager import Observer, Place
from .pipeline import Pipeline

Run: TypeAlias = Callable[[ModuleOp, Mapping[str, Array]], dict[str, Array]]
RandomInputs: TypeAlias = Callable[[ModuleOp, int], Mapping[str, Array]]


@dataclass(frozen=True)
class Interpreter:
    """What runs a module: its inputs by name in, its outputs by name out."""

    run: Run
    random_inputs: RandomInputs


def default_interpreter() -> Interpreter:
    """Return Tilewright's own interpreter."""
    from ...runtime.interpreter import random_inputs, run_calls

    return Interpreter(run_calls, lambda module, seed: random_inputs(module, seed=seed))


@dataclass
class InterpretEach(Observer):
    """
    Runs the module before the first pass and after each; raises Diagnostic when an output changes.

    The inputs are those of the file `inputs` (.npz), or random ones of `seed`. Integers, also where floats hold them,
    must be equal; floats within a relative error of 1e-4. A network with state is called several times in a row.
    """

    interpreter: Interpreter
    inputs: Path | None = None
    seed: int = 0
    _feed: Mapping[str, Array] = field(default_factory=dict[str, Array], init=False)
    _expected: Mapping[str, Array] = field(default_factory=dict[str, Array], init=False)

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        if self.inputs is not None:
            self._feed = read_arrays(self.inputs)
        else:
            self._feed = self.interpreter.random_inputs(module, self.seed)
        self._expected = self._run(module, "before the first pass")

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        found = self._run(module, "after the pass")
        if difference := compare(self._expected, found):
            raise difference

    def _run(self, module: ModuleOp, when: str) -> dict[str, Array]:
        try:
            return self.interpreter.run(module, self._feed)
        except Exception as error:
            diagnostic = as_diagnostic(error, "the interpreter")
            diagnostic.message = f"the program does not run {when}: {diagnostic.message}"
            if diagnostic is error:
                raise
            raise diagnostic from error


def read_arrays(file: Path) -> dict[str, Array]:
    """Return the arrays of a .npz file by name. Raises Diagnostic where it is none."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except BaseException as error:
        if not catchable(error):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Diagnostic(f"the inputs cannot be read: {reason}", source=str(file), expected="a .npz file") from error


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
    if _whole(expected) and _whole(found):
        return np.asarray(expected == found)
    return np.isclose(found.astype(np.float64), expected.astype(np.float64), rtol=1e-4, atol=1e-5, equal_nan=True)


def _whole(array: Array) -> bool:
    """Return whether an array holds integers, be it encoded in floats."""
    if array.dtype.kind in "iub":
        return True
    wide = array.astype(np.float64)
    return bool(np.isfinite(wide).all() and (wide == np.rint(wide)).all())
