"""`--mlir-pass-statistics`: the counters of passes, summed by name or in the order of the pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ...passes.core.pipeline import Pipeline, PipelineStep, anchor_at
from ...passes.core.statistics import Statistic, statistics_of
from .report import heading


def statistics_report(pipeline: Pipeline, display: str) -> str:
    """Return the counters of the passes of a pipeline that has run; `display` is 'list' or 'pipeline'."""
    rows = _as_list(pipeline.steps) if display == "list" else _as_pipeline(pipeline.steps, 0)
    return "\n".join([*heading("... Pass statistics report ..."), *rows]) + "\n"


def _as_list(steps: Iterable[PipelineStep]) -> Iterator[str]:
    """Yield the counters of each pass that has some, summed over its places, by name."""
    by_name = sorted(steps, key=lambda step: step.name)
    for name, same in groupby(by_name, lambda step: step.name):
        counters = [statistics_of(step.run) for step in same]
        sums = [
            Statistic(c[0].description, c[0].name, sum(one.value for one in c)) for c in zip(*counters, strict=True)
        ]
        yield from _entry(name, sums, 2) if sums else ()


def _as_pipeline(steps: Iterable[PipelineStep], depth: int) -> Iterator[str]:
    """Yield each pass with its counters, below the ops that it runs on."""
    for anchor, group in groupby(steps, lambda step: anchor_at(step, depth)):
        if anchor:
            yield f"{'  ' * depth}'{anchor}' Pipeline"
            yield from _as_pipeline(group, depth + 1)
            continue
        for step in group:
            yield from _entry(step.name, statistics_of(step.run), 2 * depth)


def _entry(name: str, counters: Sequence[Statistic], indent: int) -> Iterator[str]:
    yield f"{' ' * indent}{name}"
    values = max((len(str(counter.value)) for counter in counters), default=0)
    names = max((len(counter.name) for counter in counters), default=0)
    for counter in counters:
        yield f"{' ' * indent}  (S) {counter.value:>{values}} {counter.name:<{names}} - {counter.description}"
