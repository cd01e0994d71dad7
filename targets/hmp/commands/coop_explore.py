"""`tilewright coop explore`: mappings, clocks and hosts that are Pareto-optimal in period and energy."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ....files import path_of
from ....grammar import UsageError
from ....opt_tool import name_and_shape
from ..options import Mapping, add_devices, add_outstanding, count, milliseconds, outstanding_of

if TYPE_CHECKING:
    from ....dialects.core.machine.model import Machine
    from ..fronts import FrontPoint, Progress, Space

Cores: TypeAlias = "dict[str, tuple[int, ...]]"
"""CPUs of this machine that stand for each processor."""

DESCRIPTION = """\
Find the best mappings of a network to the processors of a chip, with their clocks and hosts: period beside energy.

  tilewright coop explore net.onnx --target hmp/rk3399pro -o front.jsonl --html front.html
  tilewright coop explore net.onnx --target hmp/rk3399pro --processors big,little,gpu --method nsga2 --seed 1
  tilewright coop explore net.onnx --target hmp/rk3399pro --by-running --cores big=4-5,little=0-3 --clock-backend sysfs

All orders in which a processor has one stage are evaluated with all clocks and all hosts of accelerators, as long as
there are not too many: --method exact evaluates them whatever their number, --method nsga2 searches. Give an order of
the front to `tilewright coop plan --order`, with its clocks and hosts.

--by-running compiles the points of the modelled front and runs them on this machine: the front is that of the measured
periods, energies are still modelled.
"""

_MOST = 200_000_000
"""Points that are evaluated one and all: about a minute."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="an ONNX file")
    add("--target", default="hmp/rk3399pro", help="the machine (hmp/rk3399pro)")
    add("--processors", default="", metavar="NAME,NAME", help="the processors to use (all)")
    add("--method", choices=("auto", "exact", "nsga2"), default="auto", help="all points, or a search (auto)")
    add("--generations", type=count, default=80, metavar="N", help="with nsga2 (80)")
    add("--population", type=count, default=200, metavar="N", help="with nsga2 (200)")
    add("--seed", type=int, default=0, metavar="N", help="with nsga2; the same front for a seed (0)")
    add_outstanding(parser)
    add("--handover-ms", type=milliseconds, metavar="MS", help="the time of a hand-over between processors (modelled)")
    add("--measured", type=path_of, metavar="FILE", help="times of layers that `coop profile` wrote")
    add("-o", "--output", type=path_of, metavar="FILE.jsonl", help="write the front, a point a line")
    add("--html", type=path_of, metavar="FILE", help="write a page with the front's picture, too")
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)
    add_running(parser)


def add_running(parser: argparse.ArgumentParser) -> None:
    """Add the options of points that are run."""
    add = parser.add_argument_group("points that are run").add_argument
    add("--by-running", action="store_true", help="run the points of the front on this machine")
    add("--frames", type=path_of, metavar="PATH", help="raw frames to run (40 random ones)")
    what = "the CPUs of this machine that stand for each processor: big=2-3,little=0+1 (any)"
    add("--cores", default="", metavar="TABLE", help=what)
    what = "how clocks are set: none, sysfs, sysfs:ROOT, command:COMMAND (none: clocks are as they are)"
    add("--clock-backend", default="none", metavar="NAME", help=what)
    add_devices(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....files import check_places, errors_in, write_text
    from ..front_page import page_of
    from ..fronts import exact_front, searched_front, space_of
    from ..plan import layered, names_of, timed

    check_places({"--output": options.output, "--html": options.html}, [options.model, options.frames])
    _check_running(options)
    module, machine = layered(options.model, options.target, options.input_shape)
    with errors_in(options.model):
        network = timed(module, machine, options.measured, options.handover_ms)
        space = space_of(network, machine, names_of(options.processors, machine), outstanding_of(options, machine))
        is_exact = options.method == "exact" or (options.method == "auto" and space.points <= _MOST)
        with _progress(space.orders if is_exact else options.generations) as progress:
            if is_exact:
                front = exact_front(space, progress)
            else:
                front = searched_front(space, options.generations, options.population, options.seed, progress)
        if options.by_running:
            front = _measured(options, machine, front)
    method = "exact" if is_exact else "NSGA-II"
    if options.by_running and options.clock_backend == "none":
        method += ", run without setting clocks"
    _print(space, front, method)
    if options.output:
        write_text(options.output, "".join(f"{json.dumps(content_of(choice))}\n" for choice in front))
    if options.html:
        write_text(options.html, page_of(space, front))
    return 0


def _check_running(options: argparse.Namespace) -> None:
    """Raise UsageError for options of runs without --by-running."""
    by_flag = {"--cores": options.cores, "--clock-backend": options.clock_backend != "none", "--frames": options.frames}
    if not options.by_running and (wrong := [flag for flag, value in by_flag.items() if value]):
        raise UsageError(f"{wrong[0]} is for points that are run", expected="--by-running", found=wrong[0])


def _measured(options: argparse.Namespace, machine: Machine, front: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Run the points of a front on this machine; return those that are Pareto-optimal by their measured periods."""
    from ....compiler import Model
    from ..building import processors_of
    from ..fronts import measured_front
    from ..measuring import MeasuredProgram
    from ..settings import cores_of

    cores = cores_of(options.cores, processors_of(machine), sorted(os.sched_getaffinity(0))) if options.cores else {}
    model = Model(options.model, dict(options.input_shape))
    programs: dict[str, MeasuredProgram] = {}
    periods: dict[tuple[str, ...], float] = {}

    with tempfile.TemporaryDirectory(prefix="tilewright-") as scratch, _progress(len(front)) as progress:

        def measure(choice: FrontPoint) -> float:
            order, arguments = letters_of(choice), run_arguments(choice, cores, options.clock_backend)
            key = (order, *arguments)
            if key not in periods:
                if order not in programs:
                    mapping = Mapping(order, "", 0, options.gpu, options.npu, options.npu_chip, options.npu_outstanding)
                    folder = Path(scratch) / order
                    programs[order] = MeasuredProgram.of(
                        model, options.target, mapping, options.frames, folder, count=40
                    )
                periods[key] = float(programs[order].profile("--mode", "pipeline", *arguments)["period_ms"])
                progress(len(periods))
            return periods[key]

        return measured_front(front, measure)


def letters_of(choice: FrontPoint) -> str:
    """Return the order of a point, a letter for each layer."""
    return "".join(name[0].upper() for name in choice.order)


def run_arguments(choice: FrontPoint, cores: Cores, backend: str) -> list[str]:
    """
    Return the arguments of a program that runs a point.

    Threads of a hosted processor are on the cores of its host where these are given, else on its own. Clocks are set
    where there is a back end for it.
    """
    from ..settings import cores_text

    used = set(choice.order)
    hosts = {name: host for name, host in choice.hosts.items() if name in used and host in cores and name not in cores}
    clocks = {name: mhz for name, mhz in choice.clocks.items() if name in used}
    arguments = ["--cores", cores_text(cores)] if cores else []
    arguments += ["--hosts", ",".join(f"{name}={host}" for name, host in hosts.items())] if hosts else []
    if backend != "none" and clocks:
        arguments += ["--clock-backend", backend, "--clocks", ",".join(f"{n}={mhz:g}" for n, mhz in clocks.items())]
    return arguments


@contextmanager
def _progress(total: int) -> Generator[Progress]:
    """Show a bar on a terminal."""
    from ..fronts import no_progress

    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("mappings", total=total)
        yield lambda number: bar.update(task, completed=number)


def content_of(choice: FrontPoint) -> dict[str, Any]:
    """Return a point of a front for JSON."""
    measured = {} if choice.measured is None else {"measured_period_ms": round(choice.measured, 6)}
    return {
        "order": letters_of(choice),
        "clocks": choice.clocks,
        "hosts": choice.hosts,
        "period_ms": round(choice.period, 6),
        "energy_mj": round(choice.energy, 6),
        **measured,
    }


def _print(space: Space, front: Sequence[FrontPoint], method: str) -> None:
    from rich.table import Table

    from ....console import table_console

    console = table_console()
    title = f"{space.network.name}: Pareto front of {space.points:,} points, {method}, modelled"
    measured = ["ms measured"] if front[0].measured is not None else []
    table = Table("order", "ms a frame", "frames/s", "mJ a frame", "clocks", "hosts", *measured, title=title)
    for choice in front:
        content = content_of(choice)
        used = dict.fromkeys(choice.order)
        clocks = ", ".join(f"{name}={mhz:g}" for name, mhz in choice.clocks.items() if name in used)
        hosts = ", ".join(f"{name}: {host}" for name, host in choice.hosts.items() if name in used)
        costs = f"{choice.period:.2f}", f"{1000 / choice.period:.2f}", f"{choice.energy:.1f}"
        run = [] if choice.measured is None else [f"{choice.measured:.3f}"]
        table.add_row(content["order"], *costs, clocks, hosts, *run)
    console.print(table)
