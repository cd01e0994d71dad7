"""
The last level that the interpreter runs: C, or the level before it of programs that call what only C can run.

Those are threads and a paged store: a module before `convert-to-emitc` holds them as `hier.concurrent` and `paged`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from ..dialects.core.nesting import nested_ops
from ..dialects.core.syntax.text import new_context
from ..dialects.hier import ConcurrentOp
from ..dialects.paged.ops import PagedPoolOp
from ..errors import Diagnostic
from ..passes.convert_to_emitc import ConvertToEmitcPass
from ..passes.core.manager import Observer, PassManager, PassPosition
from ..passes.core.pipeline import Pipeline


class _LastLevel(Diagnostic):
    """Raised before the pass that makes calls of what only C can run."""


class _Guard(Observer):
    """Observer that stops the pipeline before concurrent programs and steps of a paged store become calls."""

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        is_last = isinstance(place.step.run, ConvertToEmitcPass)
        if is_last and any(isinstance(op, ConcurrentOp | PagedPoolOp) for op in nested_ops(module)):
            raise _LastLevel("the next pass makes calls that only C can run")


def run_to_last_level(module: ModuleOp, pipeline: Pipeline, manager: PassManager) -> None:
    """Run a pipeline on a module while the interpreter can run the result."""
    observers: Sequence[Observer] = [_Guard(), *manager.observers]
    with suppress(_LastLevel):
        replace(manager, observers=observers).run(module, pipeline, new_context())
