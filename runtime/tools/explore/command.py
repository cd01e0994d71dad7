"""`tilewright explore`: the points of a design space, their modelled costs, and those that are Pareto-optimal."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ....console import table_console
from ....errors import Diagnostic, did_you_mean
from ....files import path_of
from .rows import PointJob, PointRow

if TYPE_CHECKING:
    from rich.console import Console

    from ....compiler import Model
    from .evaluate import Design
    from .results import PointResult, Results
    from .sweep import DesignSweep, Outcomes

_SHOWN = 5
"""Errors of failed points that are shown."""
_MAC_BYTES = 128.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that are its own, not those of every model."""
    add = parser.add_argument
    add("models", type=path_of, nargs="*", metavar="MODEL", help=".onnx or .mlir files")
    what = "an axis: a key of the machine file, PASS.OPTION, batch, or a short name (--list); repeatable"
    add("--vary", action="append", default=[], metavar="NAME=VALUE,VALUE", help=what)
    what = "how a point is modelled: profile (the program, simulated), or what --list shows (profile)"
    add("--by", default="profile", metavar="EVALUATION", help=what)
    what = (
        "the file of results; points that it has are not evaluated again: .jsonl, or .sqlite; .csv and .parquet are"
        " tables, written at the end, of the results in a .sqlite beside them"
    )
    add("-o", "--output", type=path_of, metavar="FILE", help=what)
    add("--retry", action="store_true", help="evaluate again the points that failed")
    add("--html", type=path_of, metavar="FILE.html", help="write a page with the Pareto plot, in one file")
    what = "write the machine file of each Pareto-optimal point, which --target takes"
    add("--machines", type=path_of, metavar="DIR", help=what)
    what = "the costs to minimise; the first two are the axes of the plot (area,ms, or area,cycles without a clock)"
    add("--minimise", type=_names, metavar="COST,COST", help=what)
    what = f"the bytes of memory whose area a multiply-accumulate a cycle takes, for the cost area ({_MAC_BYTES:g})"
    add("--mac-bytes", type=_not_negative, default=_MAC_BYTES, metavar="B", help=what)
    add("--jobs", type=_count, metavar="N", help="processes (the processors of this machine)")
    what = "evaluate the points on the workers of a dask.distributed scheduler, such as tcp://head:8786"
    add("--cluster", metavar="ADDRESS", help=what)
    what = "the seconds after which a point is given up"
    add("--time-limit", type=_not_negative, default=0.0, metavar="SECONDS", help=what)
    add("--list", action="store_true", help="list the axes and evaluations of the target, and do nothing")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"at least two different costs, such as area,ms, not '{text}'")
    return names


def _not_negative(text: str) -> float:
    try:
        if 0 <= (number := float(text)) < float("inf"):
            return number
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"a number of at least 0, not '{text}'")


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"a positive number of processes, not '{text}'")
    return int(text)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(options: argparse.Namespace, models: Sequence[Model]) -> int:
    """
    Evaluate the points of a design space that the file of results lacks, and show all of them.

    Raises UsageError for a wrong axis, value or cost, and Diagnostic where no point is left, or the file is of others.
    """
    from ....files import write_text
    from ....grammar import UsageError
    from .evaluate import Design
    from .page import page_of

    console = table_console()
    design = Design(options.target, options.by)
    if options.list:
        _print_axes(design, console)
        return 0
    if not models or not options.vary or options.output is None:
        example = "tilewright explore net.onnx --vary levels.L1.size=64KiB,128KiB -o points.jsonl"
        raise UsageError("explore needs a model, an axis and a file of results", remedy=example)
    jobs, results, reused = _evaluated(options, models, design)
    evaluated = [result for job in jobs if (result := results.of(job.network, job.point.values)) is not None]
    rows, objectives = _rows(jobs, results, options.minimise, options.mac_bytes)
    _print_rows(rows, objectives, design.units, console)
    failed = [result for result in evaluated if result.error]
    _print_failed(failed, console)
    print(f"points: {len(jobs)}, failed: {len(failed)}, from {results.file}: {reused}; all costs are modelled")
    if options.machines:
        _write_machines(rows, design, options.machines, console)
    if options.html:
        write_text(options.html, page_of(rows, failed, objectives, design))
        console.print(f"wrote {options.html}", highlight=False, soft_wrap=True)
    return 0


def _evaluated(
    options: argparse.Namespace, models: Sequence[Model], design: Design
) -> tuple[list[PointJob], Results, int]:
    """Evaluate the jobs that the file of results lacks; return all jobs, the results, and how many it had."""
    from ....files import check_places
    from .axes import parse_vary
    from .results import Results
    from .stores import store_at
    from .sweep import DesignSweep, evaluate
    from .tables import check_table, write_table

    executor = _executor(options)
    file, table = _places(options.output)
    check_places({"--output": table or file, "--html": options.html}, options.models)
    if table:
        check_places({"--output": file}, options.models)
        check_table(table)
    points = design.axes.points([parse_vary(text) for text in options.vary])
    design.check(points)
    sweep = DesignSweep(design, _by_name(models), points)
    results = Results(store_at(file), list(sweep.subjects.values()), sweep.axes)
    earlier = [results.of(job.network, job.point.values) for job in sweep.jobs]
    is_open = [old is None or (bool(old.error) and options.retry) for old in earlier]
    open_jobs = [job for job, lacks in zip(sweep.jobs, is_open, strict=True) if lacks]
    evaluate(sweep, open_jobs, results, partial(executor, sweep))
    stored = results.finish([(job.network, job.point.values) for job in sweep.jobs])
    if table:
        write_table(table, stored)
    return sweep.jobs, results, len(sweep.jobs) - len(open_jobs)


def _executor(options: argparse.Namespace) -> Callable[[DesignSweep, Sequence[PointJob]], Outcomes]:
    """
    Return the executor of jobs: processes, or a cluster.

    Raises UsageError for a wrong address, and Diagnostic where dask is missing.
    """
    from ....grammar import UsageError
    from .sweep import DesignSweep

    if options.cluster is None:
        return partial(DesignSweep.locally, processes=options.jobs or _processors(), limit=options.time_limit)
    from .cluster import checked_address, cluster_outcomes

    if options.jobs is not None:
        remedy = "leave it out: a cluster has as many processes as its workers have threads"
        raise UsageError("--jobs is for processes of this machine", found="--jobs and --cluster", remedy=remedy)
    return partial(cluster_outcomes, checked_address(options.cluster), limit=options.time_limit)


def _places(output: Path) -> tuple[Path, Path | None]:
    """Return the file of results, and that of the table where -o names one: its results are in a database beside it."""
    from .stores import DATABASES
    from .tables import TABLES

    return (output.with_suffix(DATABASES[0]), output) if output.suffix in TABLES else (output, None)


def _by_name(models: Sequence[Model]) -> dict[str, Model]:
    """Return networks by the name of their file, with its folder where all are called network.onnx or two alike."""
    names = [model.path.name for model in models]
    titles = [
        "/".join(model.path.absolute().parts[-2:]) if name == "network.onnx" or names.count(name) > 1 else name
        for model, name in zip(models, names, strict=True)
    ]
    if len(set(titles)) < len(titles):
        from ....grammar import UsageError

        raise UsageError("two networks have one name", expected="different files", found=", ".join(titles))
    return dict(zip(titles, models, strict=True))


def _rows(
    jobs: Sequence[PointJob], results: Results, minimise: Sequence[str] | None, mac_bytes: float
) -> tuple[list[PointRow], tuple[str, ...]]:
    """
    Return the points that were evaluated, those of the least first cost last but one first, and the costs to minimise.

    Raises Diagnostic where all failed, and UsageError for a cost that they have not.
    """
    from ....grammar import UsageError
    from .evaluate import AREA, with_area
    from .pareto import pareto

    outcomes = [(job, results.of(job.network, job.point.values)) for job in jobs]
    good = [
        (job, with_area(outcome.metrics, mac_bytes))
        for job, outcome in outcomes
        if outcome is not None and outcome.metrics
    ]
    if not good:
        errors = list(dict.fromkeys(_first_line(outcome) for _, outcome in outcomes if outcome is not None))
        raise Diagnostic(
            "no point is left: all of them failed",
            expected="a point at which the network can be compiled",
            found=f"{len(outcomes)} that failed",
            remedy="the file of results has the whole errors; vary other values",
            notes=errors[:_SHOWN],
        )
    common = set(good[0][1]).intersection(*(costs for _, costs in good))
    objectives = tuple(minimise or (AREA, "ms" if "ms" in common else "cycles"))
    unknown = [name for name in objectives if name not in common]
    if unknown:
        names = sorted(common)
        remedy = did_you_mean(unknown[0], names)
        raise UsageError(f"the points have no cost '{unknown[0]}'", "", f"of {', '.join(names)}", unknown[0], remedy)
    rows: list[PointRow] = []
    for network in dict.fromkeys(job.network for job, _ in good):
        own = [(job, costs) for job, costs in good if job.network == network]
        optimal = pareto([tuple(map(costs.__getitem__, objectives)) for _, costs in own])
        rows += [PointRow(*pair, best) for pair, best in zip(own, optimal, strict=True)]
    return rows, objectives


def _first_line(result: PointResult) -> str:
    return result.error.partition("\n")[0]


def number(value: float) -> str:
    """Return a cost as text: integers with separators, others with four digits."""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1e5 else f"{value:,.4g}"


def _print_rows(
    rows: Sequence[PointRow], objectives: Sequence[str], units: Mapping[str, str], console: Console
) -> None:
    """Print a table of the points, those of the least second objective first; `*` marks optimal ones."""
    from rich.table import Table

    costs = list(dict.fromkeys((*objectives, *(name for row in rows for name in row.metrics))))
    axes = [name for name, _ in rows[0].job.point.values]
    table = Table("", "network", *axes, title="design space, modelled", title_justify="left")
    for name in costs:
        unit = units.get(name, "")
        table.add_column(name if unit in ("", name) else f"{name}\n{unit}", justify="right")
    order = list(dict.fromkeys(row.job.network for row in rows))
    for row in sorted(rows, key=lambda row: (order.index(row.job.network), row.metrics[objectives[1]])):
        values = [value for _, value in row.job.point.values]
        texts = [number(row.metrics[name]) if name in row.metrics else "" for name in costs]
        style = "bold" if row.optimal else None
        table.add_row("*" if row.optimal else "", row.job.network, *values, *texts, style=style)
    console.print(table)
    print(f"* Pareto-optimal: no other point of the network has less {' and '.join(objectives)}")


def _print_failed(failed: Sequence[PointResult], console: Console) -> None:
    for result in failed[:_SHOWN]:
        point = " ".join(f"{name}={value}" for name, value in result.point)
        text = f"failed: {result.subject.network} {point}: {_first_line(result)}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    if len(failed) > _SHOWN:
        console.print(f"and {len(failed) - _SHOWN} others", highlight=False)


def _print_axes(design: Design, console: Console) -> None:
    """Print the evaluations, short names, keys and options of a target."""
    from rich.table import Table

    from .axes import BATCH, leaves, shown
    from .evaluate import PROFILE

    evaluations = Table("evaluation", "costs", title=f"{design.target}: --by", title_justify="left")
    evaluations.add_row(PROFILE, "the program of the network, simulated")
    for name, evaluation in design.evaluations.items():
        evaluations.add_row(name, evaluation.help)
    console.print(evaluations)
    axes = Table("axis", "sets", "value", title=f"--vary, with --by {design.by}", title_justify="left")
    for name, axis in design.short.items():
        axes.add_row(name, axis.help, "x".join(["N"] * axis.integers) or "text")
    if BATCH not in design.short:
        axes.add_row(BATCH, "samples of a call: the first dimension of the inputs, where it is open", "N")
    for keys, value in leaves(design.table):
        if len(keys) > 1:
            axes.add_row(shown(keys), "", json.dumps(value))
    for step, names in design.axes.options.items():
        for option in names:
            axes.add_row(f"{step}.{option}", "", "")
    console.print(axes)


def _write_machines(rows: Sequence[PointRow], design: Design, folder: Path, console: Console) -> None:
    """Write the machine file of each optimal point. Raises Diagnostic where they cannot be written."""
    from .evaluate import write_machine

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place, row in enumerate((row for row in rows if row.optimal), 1):
            name = f"{Path(row.job.network).stem}-{place}"
            costs = ", ".join(f"{name} {number(cost)}" for name, cost in row.metrics.items())
            comment = f"{row.job.network} at {row.job.point}: {costs}"
            file = write_machine(design.path, row.job.point.setting.machine, folder, name, comment, design.include)
            console.print(f"wrote {file}", highlight=False, soft_wrap=True)
    except OSError as error:
        raise Diagnostic(f"the machine files cannot be written: {error.strerror}", str(folder)) from error
