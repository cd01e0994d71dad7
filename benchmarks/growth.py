"""
Growth of processor time and memory of a compilation with the nodes of a graph, for graphs of every shape.

    python benchmarks/growth.py [--shapes chain,wide] [--sizes 1000,2000,5000] [--targets host] [--jobs 2] [--passes]

Each graph is compiled to C text in a process of its own, which has compiled a small one of the same shape before:
seconds are CPU time from the ONNX file, without start-up. Memory is the peak of the process (RSS). The exponent is the
slope of log seconds by log nodes, by least squares.

The exit code is 1 where an exponent is above 1.15, and where a compilation fails.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.test.growth_graphs import SHAPES

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)
SMALL = 24
"""The nodes of the graph that is compiled first."""
MOST = 1.15
"""The largest exponent."""


@dataclass(frozen=True)
class Job:
    """A graph to compile."""

    shape: str
    target: str
    nodes: int


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time, also by pass, and the peak of memory in MiB; `error` if there is no C."""

    seconds: float = 0.0
    memory: float = 0.0
    passes: dict[str, float] = field(default_factory=dict[str, float])
    error: str = ""


class PassTimes(Observer):
    """Processor time by pass, verification included; the time before the first pass is the import."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.process_time()

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.number == 1:
            self.add("import")

    def after_rewrite(self, place: PassPosition, module: ModuleOp) -> None:
        self.add(f"{place.step.phase}: {place.step.name}")

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self.add("verify")

    def add(self, name: str) -> None:
        """Add the seconds since the last call to a row."""
        now = time.process_time()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._start
        self._start = now


def compiled(path: Path, target: str) -> dict[str, float]:
    """Compile a network to C text, and return the seconds by pass."""
    times = PassTimes()
    compile_model(Model(path), target, observers=[times]).program()
    times.add("print")
    return times.seconds


def measured(job: Job) -> Cost:
    """Compile a graph in this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.onnx"
        path.write_bytes(SHAPES[job.shape](SMALL).SerializeToString())
        compiled(path, job.target)
        path = Path(folder) / f"{job.shape}.onnx"
        path.write_bytes(SHAPES[job.shape](job.nodes).SerializeToString())
        start = time.process_time()
        passes = compiled(path, job.target)
        return Cost(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, passes)


def in_new_process(job: Job, limit: float) -> Cost:
    """Compile a graph in a process of its own; a Cost with an error where that fails or takes `limit` seconds."""
    command = [sys.executable, __file__, "--measure", json.dumps(asdict(job))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return Cost(error=f"longer than {limit:g} s")
    if done.returncode:
        return Cost(error=(done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1][:60])
    return Cost(**json.loads(done.stdout))


def exponent(seconds: dict[int, float]) -> float:
    """Return the slope of log seconds by log nodes, by least squares."""
    if len(seconds) < 2:
        return float("nan")
    return float(np.polyfit(np.log(list(seconds)), np.log(list(seconds.values())), 1)[0])


def row_of(name: str, costs: dict[int, Cost], sizes: Sequence[int]) -> tuple[list[str], bool]:
    """Return the cells of a row, and whether its exponent holds."""
    seconds = {size: cost.seconds for size, cost in costs.items() if not cost.error}
    slope = exponent(seconds)
    cells = [costs[size].error or f"{costs[size].seconds:.1f}" for size in sizes]
    largest = costs[sizes[-1]]
    each = f"{1e3 * largest.seconds / sizes[-1]:.2f}"
    holds = len(seconds) == len(costs) and not slope > MOST
    return [name, *cells, each, f"{largest.memory:.0f}", f"{slope:.2f}{'' if holds else ' !'}"], holds


def passes_of(costs: dict[int, Cost]) -> list[str]:
    """Return the passes by their seconds at the largest size, with an exponent each."""
    done = {size: cost for size, cost in costs.items() if not cost.error}
    if not done:
        return []
    largest = max(done)
    ranked = sorted(done[largest].passes.items(), key=lambda item: -item[1])
    slopes = {
        name: exponent({size: max(cost.passes.get(name, 0.0), 1e-4) for size, cost in done.items()})
        for name, _ in ranked
    }
    shown = [(name, value) for name, value in ranked if value > 0.02 * done[largest].seconds]
    return [f"{value:8.2f} s  {slopes[name]:5.2f}  {name}" for name, value in shown]


def profile(job: Job, count: int = 40) -> None:
    """Print the functions in which the compilation of a graph spends most time themselves."""
    measured(Job(job.shape, job.target, SMALL))
    profiler = cProfile.Profile()
    profiler.runcall(measured, job)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(count)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default=",".join(SHAPES), help="names, with commas")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="nodes, with commas")
    parser.add_argument("--targets", default="host", help="names, with commas")
    parser.add_argument("--jobs", type=int, default=1, help="compilations at a time")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that one compilation may take")
    parser.add_argument("--passes", action="store_true", help="the seconds and the exponent of each pass besides")
    parser.add_argument("--profile", action="store_true", help="where the time of the largest goes, instead")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        try:
            print(json.dumps(asdict(measured(Job(**json.loads(options.measure))))))
        except Diagnostic as error:
            raise SystemExit(error.message) from error
        return 0
    shapes, targets = options.shapes.split(","), options.targets.split(",")
    sizes = sorted({int(text) for text in options.sizes.split(",")})
    if unknown := [shape for shape in shapes if shape not in SHAPES]:
        parser.error(f"there is no shape {unknown[0]}; there are {', '.join(SHAPES)}")
    if options.profile:
        profile(Job(shapes[0], targets[0], sizes[-1]))
        return 0
    rows = [(shape, target) for shape in shapes for target in targets]
    console = Console(width=None if sys.stdout.isatty() else 150)
    table = Table(title="seconds of processor time to C, by nodes", title_justify="left")
    for title in ("graph", *map(str, sizes), "ms a node", "MiB", "exponent"):
        table.add_column(title, justify="left" if title == "graph" else "right")
    good: list[bool] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [Job(*row, size) for row in rows for size in sizes]
        costs = pool.map(partial(in_new_process, limit=float(options.limit)), jobs)
        status = Console(stderr=True)
        for shape, target in track(rows, "compiling", console=status, transient=True, disable=not status.is_terminal):
            name, by_size = f"{shape}, {target}", {size: next(costs) for size in sizes}
            cells, holds = row_of(name, by_size, sizes)
            table.add_row(*cells)
            good.append(holds)
            if options.passes:
                console.print(", ".join(cells), *passes_of(by_size), sep="\n", highlight=False)
    console.print(table)
    console.print(f"{sum(good)} of {len(good)} exponents are {MOST} at most")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
