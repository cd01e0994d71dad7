"""Search for the first op, and the pass, by which two pipelines give a program other answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ...dialects.core.ports import symbol_in
from ...errors import Diagnostic
from ...ir import Array, where
from ...passes.core.manager import PassManager
from ...passes.core.pipeline import Pipeline
from ..interpreter.observations import Observation
from ..prefixes import first_different, first_range, function_of, prefix_of
from .answers import compare
from .input_shapes import Shapes, input_shapes
from .programs import chosen_functions
from .references import Bench, Reference, bench_of

OPTION = "--bisect-numerics"


@dataclass(frozen=True)
class NamedPipeline:
    """A pipeline, and the option that gives it."""

    option: str
    pipeline: Pipeline


@dataclass(frozen=True)
class NumericBisection:
    """
    Comparison of what a program gives after one pipeline and after another, on the same inputs.

    The inputs are those of a file (.npz), or as for --interpret-each. Without passes the other is the program itself.
    """

    actual: NamedPipeline
    expected: NamedPipeline
    context: Context
    inputs: Path | None = None
    seed: int = 0
    runs: int | None = None
    functions: Sequence[str] = ()
    shapes: Shapes = field(default_factory=dict[str, Sequence[int]])

    def check(self, module: ModuleOp) -> None:
        """
        Raise Diagnostic where the answers differ, a pipeline fails, or nothing can be compared.

        The module stays as it is.
        """
        if not self.actual.pipeline.steps and not self.expected.pipeline.steps:
            remedy = "give passes with -p, and others with --against-pipeline"
            raise Diagnostic("there are no passes to compare", expected="a pipeline at least", remedy=remedy)
        functions = chosen_functions(module, self.functions)
        with input_shapes(module, functions, self.shapes, self.inputs).applied(module):
            self._check(module, functions)

    def _check(self, module: ModuleOp, functions: tuple[str, ...]) -> None:
        bench = bench_of(module, functions, self.inputs, self.seed, self.runs)
        actual, expected = self._after(self.actual, module), self._after(self.expected, module)
        for reference in bench.references:
            before, after = bench.rerun(expected, reference), bench.rerun(actual, reference)
            difference = _difference(bench, reference, before, after)
            if difference is not None:
                self._describe(difference, bench, reference, module, functions[0])
                raise difference

    def _after(self, named: NamedPipeline, module: ModuleOp, count: int | None = None) -> ModuleOp:
        """Return a copy of a program after a pipeline, or its first passes. Raises Diagnostic that names the option."""
        copy = module.clone()
        try:
            PassManager().run(copy, Pipeline(named.pipeline.steps[:count]), self.context)
        except Diagnostic as error:
            error.notes.append(f"the pass is one of {named.option}")
            raise
        return copy

    def _describe(
        self, difference: Diagnostic, bench: Bench, reference: Reference, module: ModuleOp, function: str
    ) -> None:
        """Say at which op of the program the answers begin to differ, and after which pass of which pipeline."""
        pair = (
            "the pipelines give different answers"
            if self.expected.pipeline.steps
            else "the pipeline changes the answer"
        )
        difference.message = f"{pair}: {difference.message.partition(': ')[2]}"
        self._name_op(difference, bench, reference, module, function)
        for named in (self.actual, self.expected):
            if named.pipeline.steps:
                difference.notes.append(self._pass_note(named, bench, reference, module))

    def _pass_note(self, named: NamedPipeline, bench: Bench, reference: Reference, module: ModuleOp) -> str:
        """Return a note on the first pass of a pipeline that changes the answer of the program."""
        steps = named.pipeline.steps

        def differs(index: int) -> str | None:
            try:
                after = self._after(named, module, index + 1)
                wrong = _difference(bench, reference, reference.seen, bench.rerun(after, reference))
            except Diagnostic:
                return None
            return wrong.message if wrong else ""

        candidates = first_range(len(steps), differs)
        if candidates is None:
            return f"of {named.option}, no pass changes the answer of the program"
        index = candidates[1]
        place = f"{steps[index].name}, pass {index + 1} of {len(steps)}"
        return f"of {named.option}, {place}, is the first to change the answer of the program"

    def _name_op(self, difference: Diagnostic, bench: Bench, reference: Reference, module: ModuleOp, name: str) -> None:
        function = function_of(module, symbol_in(module, name))
        if function is None:
            difference.notes.append("which op differs is not known: the function has several blocks")
            return
        ops = list(function.body.block.ops)
        differences: dict[int, Diagnostic] = {}

        def differs(position: int) -> str | None:
            part = prefix_of(module, function.sym_name.data, position)
            try:
                before = bench.rerun(self._after(self.expected, part), reference)
                after = bench.rerun(self._after(self.actual, part), reference)
                wrong = _difference(bench, reference, before, after, memory=False)
            except Diagnostic:
                return None
            if wrong is not None:
                differences[position] = wrong
            return wrong.message if wrong else ""

        prefix = first_different(function, differs)
        if prefix is None:
            difference.notes.append("no op has another value by itself; --interpret-each says what writes memory")
            return
        op, wrong = ops[prefix.last], differences[prefix.last]
        difference.where = difference.where or where(op)
        begin = f"{where(ops[prefix.first])} to " if prefix.first != prefix.last else ""
        place = f"{begin}{where(op)} ({op.name})"
        values = wrong.message.partition(", ")[2]
        other = self.expected.option if self.expected.pipeline.steps else "the program itself"
        difference.notes.append(f"the first op that differs: {place}, {values}")
        difference.notes.append(f"its value: {wrong.expected} of {other}, {wrong.found} of {self.actual.option}")


def _difference(
    bench: Bench, reference: Reference, before: Observation, after: Observation, *, memory: bool = True
) -> Diagnostic | None:
    """Return the first difference between what two programs give: results, then memory."""
    defined = {name: array for name, array in reference.defined.items() if _has_shape(before, name, array)}
    difference = compare(before.outputs, after.outputs, bench.exactness, defined)
    if difference or not memory:
        return difference
    common = [name for name in before.memory if name in after.memory]
    old = {name: before.memory[name] for name in common}
    new = {name: after.memory[name] for name in common}
    return compare(old, new, bench.exactness, defined, what="memory")


def _has_shape(seen: Observation, name: str, array: Array) -> bool:
    """Return whether an output or memory has the shape of an array; a prefix has outputs of its own."""
    value = seen.outputs.get(name, seen.memory.get(name))
    return value is not None and np.shape(value) == array.shape
