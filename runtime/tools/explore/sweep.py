"""Sweep of a design space: its jobs are evaluated by processes, and each result is stored as its point ends."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ....compiler import Model, model_hash
from ....discovery import TARGETS, is_inside, loaded_files, target_folders
from ....files import check_readable
from .evaluate import Design, Evaluator
from .results import PointResult, Results, Subject
from .rows import PointJob
from .workers import JobOutcome, outcomes

if TYPE_CHECKING:
    from .axes import Point

Outcomes: TypeAlias = "Iterator[JobOutcome | None]"
"""Outcomes of jobs by their numbers, as they end, and None now and then between."""
_PARTS = ("dialects", "frontend", "passes", "targets", "runtime/simulator", "runtime/tools/explore")
"""The folders whose sources decide costs."""
_SOURCES = (".py", ".toml", ".txt")
_PACKAGES = ("tilewright", "xdsl", "ortools", "islpy")
"""The packages whose versions decide costs: the compiler, its IR, its solver and its polyhedra."""
_LINE_SECONDS = 30.0
"""Seconds between two lines of progress where there is no terminal."""


@dataclass(frozen=True)
class DesignSweep:
    """Jobs of a design space, and the networks that they are of."""

    design: Design
    networks: Mapping[str, Model]
    points: Sequence[Point]

    @cached_property
    def jobs(self) -> list[PointJob]:
        """All points of each network: the order of the sweep."""
        return [PointJob(name, point) for name in self.networks for point in self.points]

    @cached_property
    def axes(self) -> list[str]:
        """The names of the axes."""
        return [name for name, _ in self.points[0].values]

    @cached_property
    def subjects(self) -> dict[str, Subject]:
        """Subject of the results of each network. Raises Diagnostic where a network cannot be read."""
        design, compiler = self.design, compiler_state() + _plugin_state()
        machine = _digest([json.dumps(design.table, sort_keys=True).encode()])
        subjects: dict[str, Subject] = {}
        for name, model in self.networks.items():
            check_readable(str(model.path))
            digest = _digest([model_hash(model.path), _form(model).encode()])
            subjects[name] = Subject(name, digest, design.target, machine, design.by, compiler)
        return subjects

    @cached_property
    def varied(self) -> frozenset[str]:
        """The passes with options that are varied."""
        return frozenset(option.step for point in self.points for option in point.setting.options)

    def locally(self, jobs: Sequence[PointJob], processes: int, limit: float) -> Outcomes:
        """Evaluate jobs in processes of this machine, each for at most `limit` seconds (0: any number)."""
        with tempfile.TemporaryDirectory() as folder:
            evaluator = Evaluator(self.design, self.networks, self.varied, Path(folder))
            yield from outcomes(partial(_metrics, evaluator, jobs), len(jobs), processes, limit)


def _metrics(evaluator: Evaluator, jobs: Sequence[PointJob], number: int) -> dict[str, float]:
    return evaluator.metrics(*jobs[number])


def _form(model: Model) -> str:
    """Return what the user says of a network's inputs, state and numbers, as a text."""
    entries = {entry.name: getattr(model, entry.name) for entry in fields(model) if entry.name != "path"}
    entries["input_values"] = {name: value.tolist() for name, value in model.input_values.items()}
    return repr(entries)


def _digest(parts: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]


@cache
def compiler_state() -> str:
    """Return the versions of the packages that decide costs, and a digest of the compiler's sources."""
    root = TARGETS.parent
    sources = [path for part in _PARTS for path in _sources(root / part)]
    digest = _digest_of_files(root, [*sources, root / "compiler.py", root / "ir.py"])
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"{versions}, sources {digest}"


def _plugin_state() -> str:
    """Return a digest of the targets outside of the package and of the files of --load-pass, empty without any."""
    folders = [folder for folder in target_folders().values() if not is_inside(folder)]
    digests = [_digest_of_files(folder, _sources(folder)) for folder in folders]
    digests += [_digest_of_files(file.parent, [file]) for file in loaded_files()]
    return f", plug-ins {_digest([text.encode() for text in digests])}" if digests else ""


def _sources(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in _SOURCES and path.is_file()]


def _digest_of_files(root: Path, files: Sequence[Path]) -> str:
    """Return a digest of files and of their names in `root`."""
    parts: list[bytes] = []
    for file in sorted(files):
        parts += [f"{file.relative_to(root).as_posix()}\n".encode(), file.read_bytes()]
    return _digest(parts)


def evaluate(
    sweep: DesignSweep, jobs: Sequence[PointJob], results: Results, executor: Callable[[Sequence[PointJob]], Outcomes]
) -> None:
    """
    Evaluate jobs and store each result as its point ends.

    An interrupt ends it with what is stored so far, in words that say how to go on.
    """
    with _progress(len(jobs)) as advance, _told_how_to_go_on(sweep, results):
        for outcome in executor(jobs) if jobs else ():
            if outcome is None:
                advance(None)
                continue
            job, error = jobs[outcome.number], outcome.error
            metrics: dict[str, float] = {} if error else outcome.result
            subject = sweep.subjects[job.network]
            results.append(PointResult(subject, job.point.values, metrics, error, outcome.seconds))
            advance(outcome)


@contextmanager
def _told_how_to_go_on(sweep: DesignSweep, results: Results) -> Generator[None]:
    """Add to an interrupt how many points are stored, and how to evaluate the others."""
    try:
        yield
    except KeyboardInterrupt as error:
        stored = sum(results.of(job.network, job.point.values) is not None for job in sweep.jobs)
        told = f"{stored} of {len(sweep.jobs)} points are in {results.file}; the same command evaluates the others"
        error.args = (f"{str(error) or 'interrupted'}: {told}",)
        raise


@contextmanager
def _progress(total: int) -> Generator[Callable[[JobOutcome | None], object]]:
    """Show how many jobs have ended and the time that is left: a bar on a terminal, else a line now and then."""
    status = Console(stderr=True)
    if not status.is_terminal:
        yield _ProgressLines(total)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    # Without a thread that refreshes, as processes are forked meanwhile.
    with Progress(*columns, console=status, transient=True, auto_refresh=False) as bar:
        task, failed = bar.add_task("exploring", total=total), 0

        def advance(outcome: JobOutcome | None) -> None:
            nonlocal failed
            if outcome is not None:
                failed += bool(outcome.error)
                bar.update(task, advance=1, description=f"exploring, {failed} failed" if failed else "exploring")
            bar.refresh()

        yield advance


class _ProgressLines:
    """Progress as lines of standard error, one each half minute: none for a short sweep."""

    def __init__(self, total: int):
        self._total, self._ended, self._failed = total, 0, 0
        self._begun = self._shown = monotonic()

    def __call__(self, outcome: JobOutcome | None) -> None:
        """Count an outcome, and print a line where the last one is old enough."""
        self._ended += outcome is not None
        self._failed += outcome is not None and bool(outcome.error)
        now = monotonic()
        if now - self._shown < _LINE_SECONDS:
            return
        self._shown = now
        left = (self._total - self._ended) * (now - self._begun) / self._ended if self._ended else None
        rest = "" if left is None else f", about {_duration(left)} left"
        failed = f", {self._failed} failed" if self._failed else ""
        print(f"exploring: {self._ended} of {self._total}{failed}{rest}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
