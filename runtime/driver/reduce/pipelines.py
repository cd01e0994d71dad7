"""Edits of the pipeline: passes left out, options at their defaults, anchors replaced by the module."""

from __future__ import annotations

import dataclasses
from functools import partial

from ....passes.core.pipeline import PipelineStep
from .case import ReductionCase
from .search import Edit


def passes(case: ReductionCase) -> list[Edit]:
    """Return the edits that each leave out a pass."""

    def leave_out(step: PipelineStep) -> None:
        case.steps = tuple([other for other in case.steps if other is not step])

    return [partial(leave_out, step) for step in case.steps]


def anchors(case: ReductionCase) -> list[Edit]:
    """Return the edits that each run a nested pass on the module: `func.func(cse)` becomes `cse`."""
    nested = [(step, dataclasses.replace(step, anchor=())) for step in case.steps if step.anchor]
    return [partial(_replace, case, step, flat) for step, flat in nested]


def options(case: ReductionCase) -> list[Edit]:
    """Return the edits that each set an option of a pass to its default."""
    edits: list[Edit] = []
    for step in case.steps:
        for option in dataclasses.fields(step.run):
            default = _default(option)
            if default is not dataclasses.MISSING and getattr(step.run, option.name) != default:
                edits.append(partial(_set, case, step, {option.name: default}))
    return edits


def _default(option: dataclasses.Field[object]) -> object:
    if option.default_factory is not dataclasses.MISSING:
        return option.default_factory()
    return option.default


def _set(case: ReductionCase, step: PipelineStep, values: dict[str, object]) -> None:
    index = next((index for index, other in enumerate(case.steps) if other.name == step.name), None)
    if index is not None:
        changed = case.steps[index]
        _replace(case, changed, dataclasses.replace(changed, run=dataclasses.replace(changed.run, **values)))


def _replace(case: ReductionCase, old: PipelineStep, new: PipelineStep) -> None:
    case.steps = tuple([new if step is old else step for step in case.steps])
