"""Assertion that passes preserve what a program computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ...dialects.core.machine.targets import machines
from ...dialects.core.syntax.text import new_context, parse_module
from ...dialects.core.verification.verifier import verify
from ...errors import Diagnostic
from ...files import read_text
from ...passes import all_passes
from ...passes.core.manager import PassManager
from ...passes.core.pipeline import Pipeline, PipelineStep, parse_pipeline
from ..driver.interpret import InterpretEach
from ..driver.references import Bench, Reference


@dataclass
class _Asserted(InterpretEach):
    """Interpretation after each pass that keeps the difference that it has found."""

    difference: Diagnostic | None = field(default=None, init=False)

    def check(self, bench: Bench, module: ModuleOp, reference: Reference) -> None:
        try:
            super().check(bench, module, reference)
        except Diagnostic as error:
            self.difference = error
            raise


def assert_equivalent(
    before: ModuleOp | str | Path,
    pipeline: str | ModulePass | Sequence[ModulePass],
    *,
    functions: Sequence[str] = (),
    runs: int | None = None,
    seed: int = 0,
) -> ModuleOp:
    """
    Assert that a program computes the same after each pass of a pipeline; return the program after the last.

    `before` is a module, MLIR text or the path of a file; it stays as it is. `pipeline` is passes, or text as of
    `opt-tool -p`. The `functions` run, by default `network` or the only public one, on `runs` inputs by `seed`, as
    `opt-tool --interpret-each` does: the ends of every type and the constants of the program are among them.

    Raises AssertionError that names the pass, the output, the inputs, and the first op with another value. Raises
    Diagnostic where the program or the pipeline is malformed, a pass fails, or nothing can be compared.
    """
    context = new_context()
    module = _module(before)
    verify(module)
    observer = _Asserted(seed=seed, runs=runs, functions=functions)
    try:
        PassManager([observer]).run(module, _pipeline(pipeline), context)
    except Diagnostic as error:
        if error is not observer.difference:
            raise
        raise AssertionError(str(error)) from error
    return module


def _module(before: ModuleOp | str | Path) -> ModuleOp:
    """Return a module of its own for what may be text or a path."""
    match before:
        case ModuleOp():
            return before.clone()
        case Path():
            return parse_module(new_context(), read_text(str(before)), str(before))
        case _:
            return parse_module(new_context(), before)


def _pipeline(pipeline: str | ModulePass | Sequence[ModulePass]) -> Pipeline:
    if isinstance(pipeline, str):
        return parse_pipeline(pipeline, all_passes(), machines())
    passes = [pipeline] if isinstance(pipeline, ModulePass) else pipeline
    return Pipeline(tuple(PipelineStep(one.name, one) for one in passes))
