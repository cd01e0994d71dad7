"""Time of reading, of each pass, of verification and of printing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from time import perf_counter
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp

from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import PipelineStep, anchor_at
from .report import heading


@dataclass
class _TimedPass:
    """Pass of a pipeline, by its number from 1, and its time in seconds."""

    number: int
    step: PipelineStep
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.number:>3}  {self.step}"


class _Row(NamedTuple):
    """Row of a report: its time in seconds, its name, and the rows within it."""

    seconds: float
    name: str
    inner: tuple[_Row, ...] = ()


@dataclass
class Timing(Observer):
    """Collects wall times in seconds; as an observer it goes last."""

    phases: defaultdict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))
    """'parse', 'verify' or 'print' -> its time."""
    passes: dict[int, _TimedPass] = field(default_factory=dict[int, _TimedPass])
    """Number of a pass, from 1 -> that pass."""
    _start: float = 0.0

    @contextmanager
    def measure(self, name: str) -> Generator[None]:
        """Add the time of the body to that of a phase."""
        start = perf_counter()
        try:
            yield
        finally:
            self.phases[name] += perf_counter() - start

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._start = perf_counter()

    def after_rewrite(self, place: PassPosition, module: ModuleOp) -> None:
        now = perf_counter()
        self.passes.setdefault(place.number, _TimedPass(place.number, place.step)).seconds += now - self._start
        self._start = now

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self.phases["verify"] += perf_counter() - self._start

    def report(self, display: str) -> str:
        """Return the times: as a 'list' by pass, the longest first, or in the order of a run, as a 'tree' or 'json'."""
        rows = [*self._rows("parse"), *_tree(self.passes.values(), 0), *self._rows("verify", "print")]
        if display == "json":
            return _json(rows)
        if display == "list":
            return _table(sorted([*self._by_pass(), *self._rows("parse", "verify", "print")], reverse=True))
        return _table(rows)

    def _rows(self, *names: str) -> list[_Row]:
        return [_Row(self.phases[name], name) for name in names if name in self.phases]

    def _by_pass(self) -> list[_Row]:
        times = defaultdict[str, float](float)
        for timed in self.passes.values():
            times[timed.step.name] += timed.seconds
        return [_Row(seconds, name) for name, seconds in times.items()]


def _tree(passes: Iterable[_TimedPass], depth: int) -> list[_Row]:
    """Return the rows of passes, below those of the ops that they run on."""
    rows: list[_Row] = []
    for anchor, group in groupby(passes, lambda timed: anchor_at(timed.step, depth)):
        if not anchor:
            rows += [_Row(timed.seconds, str(timed)) for timed in group]
            continue
        inner = tuple(_tree(group, depth + 1))
        rows.append(_Row(_sum(inner), f"'{anchor}' Pipeline", inner))
    return rows


def _sum(rows: Iterable[_Row]) -> float:
    return sum(row.seconds for row in rows)


def _table(rows: list[_Row]) -> str:
    """Return rows as a table, with their sum last."""
    total = _sum(rows)
    lines = heading("... Execution time report ...")
    lines += [f"  Total Execution Time: {total:.4f} seconds", "", "  ----Wall Time----  ----Name----"]
    for depth, row in _flat([*rows, _Row(total, "Total")], 0):
        lines.append(f"  {row.seconds:8.4f} ({row.seconds / (total or 1.0):6.1%})  {'  ' * depth}{row.name}")
    return "\n".join(lines) + "\n"


def _flat(rows: Iterable[_Row], depth: int) -> Generator[tuple[int, _Row]]:
    for row in rows:
        yield depth, row
        yield from _flat(row.inner, depth + 1)


def _json(rows: list[_Row]) -> str:
    """Return rows as a JSON list, with their sum last; the rows within one are its `passes`."""
    total = _sum(rows)
    return json.dumps([_object(row, total) for row in [*rows, _Row(total, "Total")]], indent=1)


def _object(row: _Row, total: float) -> dict[str, Any]:
    wall = {"duration": round(row.seconds, 6), "percentage": round(100 * row.seconds / (total or 1.0), 1)}
    named = {"wall": wall, "name": row.name.strip()}
    return named | ({"passes": [_object(inner, total) for inner in row.inner]} if row.inner else {})
