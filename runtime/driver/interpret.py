"""Interpretation of the program after every pass on the same inputs: the first pass that changes a result is named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic
from ...ir import Array
from ...passes.core.failures import as_diagnostic
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline
from ..interpreter.observations import Observation
from .answers import compare
from .input_shapes import InputShapes, Shapes, input_shapes
from .localisation.matching import Snapshot, snapshot_of
from .localisation.origin import Localisation
from .programs import chosen_functions
from .references import Bench, Reference, bench_of

_SHOWN = 8
"""Numbers of an input that an error shows; of longer ones only the first."""


@dataclass
class InterpretEach(Observer):
    """
    Observer that runs the program before the first pass and after each; raises Diagnostic when a result changes.

    Results are what functions return, and the memory that they write. The inputs are those of the file `inputs`
    (.npz), or numbers by `seed`, `runs` of them. Inputs on which the program fails, is undefined or does not end before
    the first pass are skipped. The `functions` run in this order in one session; those with state several times.
    """

    inputs: Path | None = None
    seed: int = 0
    runs: int | None = None
    functions: Sequence[str] = ()
    shapes: Shapes = field(default_factory=dict[str, Sequence[int]])
    """Extents of arguments whose types leave them open, by the names of inputs or values."""
    localise: bool = True
    """Fault localisation: an error names the first op with another value, which takes several further runs."""
    _bench: Bench | None = field(default=None, init=False)
    _snapshot: Snapshot | None = field(default=None, init=False)
    """Program before the pass that runs."""
    _shapes: InputShapes = field(default=InputShapes({}), init=False)

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        if not pipeline.steps:
            remedy = "give passes with -p, or leave --interpret-each out"
            raise Diagnostic("there is no pass to check", expected="a pass at least", found="none", remedy=remedy)
        functions = chosen_functions(module, self.functions)
        try:
            self._shapes = input_shapes(module, functions, self.shapes, self.inputs)
            with self._shapes.applied(module):
                self._bench = bench_of(module, functions, self.inputs, self.seed, self.runs)
        except Diagnostic:
            raise
        except Exception as error:
            raise _stated(error, "before the first pass") from error
        if skipped := self._bench.skipped:
            count = len(skipped) + len(self._bench.references)
            print(f"--interpret-each: {len(skipped)} of {count} inputs skipped: {skipped[0].message}", file=sys.stderr)

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if self.localise:
            with self._shapes.applied(module):
                self._snapshot = snapshot_of(module)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        with self._shapes.applied(module):
            self._check_all(module)

    def _check_all(self, module: ModuleOp) -> None:
        assert self._bench is not None
        references = [reference for reference in self._bench.references if not self._bench.exceeds(module, reference)]
        if not references:
            raise Diagnostic("no input fits the types that the pass gives to arguments", remedy="try another --seed")
        for reference in references:
            self.check(self._bench, module, reference)

    def check(self, bench: Bench, module: ModuleOp, reference: Reference) -> None:
        """Run the program on the inputs of a run before the first pass. Raises Diagnostic where a result differs."""
        try:
            seen = bench.rerun(module, reference)
        except Exception as error:
            diagnostic = _stated(error, "after the pass")
            self._describe(diagnostic, bench, module, reference)
            raise diagnostic from error
        if difference := _difference(bench, reference, seen):
            self._describe(difference, bench, module, reference)
            raise difference

    def _describe(self, error: Diagnostic, bench: Bench, module: ModuleOp, reference: Reference) -> None:
        """Add the inputs of a run to its error, and the first op with another value."""
        error.notes += _shown_inputs(reference)
        if self._snapshot is None:
            return
        judge = partial(_difference, bench, reference)
        origin = Localisation(bench, self._snapshot, module, reference, judge).origin(error)
        error.where = error.where or origin.where
        error.notes += origin.notes


def _stated(error: Exception, when: str) -> Diagnostic:
    """Return an error of a run as a Diagnostic that says when it came."""
    diagnostic = as_diagnostic(error, "the interpreter")
    diagnostic.message = f"the program does not run {when}: {diagnostic.message}"
    return diagnostic


def _difference(bench: Bench, reference: Reference, seen: Observation) -> Diagnostic | None:
    """Return the first difference between a run before the first pass and one after a pass."""
    before = reference.seen
    if difference := compare(before.outputs, seen.outputs, bench.exactness, reference.defined):
        return difference
    gone = [name for name in before.memory if name not in seen.memory]
    if lost := [name for name in gone if name in before.changed_memory and name not in bench.private]:
        return Diagnostic(
            f"the memory '{lost[0]}' is gone, which the program writes",
            expected=", ".join(before.memory),
            found=", ".join(seen.memory) or "no memory",
        )
    common = {name: array for name, array in before.memory.items() if name not in gone}
    after = {name: _reshaped(seen.memory[name], array) for name, array in common.items()}
    if difference := compare(common, after, bench.exactness, reference.defined, what="memory"):
        return difference
    if not before.outputs and before.changed_memory and before.changed_memory <= set(gone):
        return Diagnostic(
            "nothing is left to compare: the memory that the program writes is gone", found=", ".join(gone)
        )
    return None


def _reshaped(array: Array, like: Array) -> Array:
    """Return memory in the shape that it had before; C has flat arrays."""
    return array.reshape(like.shape) if array.size == like.size else array


def _shown_inputs(reference: Reference) -> list[str]:
    """Return a note with the inputs of a run."""
    shown: list[str] = []
    for function, inputs in reference.inputs.items():
        prefix = f"{function}." if len(reference.inputs) > 1 else ""
        for name, array in inputs.items():
            flat = np.asarray(array).reshape(-1)
            numbers = ", ".join(str(number) for number in flat[:_SHOWN])
            rest = ", ..." if flat.size > _SHOWN else ""
            shown.append(f"{prefix}{name} = {numbers}{rest}")
    return [f"inputs: {'; '.join(shown)}"] if shown else []
