"""
Scaling of `tilewright explore`: 200 points by one process, by two, and by a dask cluster of two workers.

    python benchmarks/explore.py [--runs 3] [--points 200] [--network mlp] [--no-cluster]

Runs alternate; each is a command of its own that writes a new file of results. Printed are wall time, CPU time with
that of all its processes, and the load of the machine before the run; then the ratios of one process to two. The ratio
by CPU time leaves out that other programs take processors away:

    CPU(1) / (serial + (CPU(2) - serial) / 2)

`serial` is the CPU time of the command with all points in its file. Wall times count where the machine is quiet: a load
below 0.3 before the first run, of two processors or more. The exit code is 1 where the median of the ratio that counts
is below 1.7, or where two files of results differ in a byte.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tilewright.frontend.zoo import build

GOAL = 1.7
QUIET = 0.3
"""Load of a machine on which nothing else runs."""
CORES = 8
"""Values of the second axis."""


@dataclass(frozen=True)
class Run:
    """A command: wall and CPU seconds, and the load of the machine before it."""

    wall: float
    cpu: float
    load: float


def explored(network: Path, points: int, output: Path, *options: str) -> Run:
    """Run the command in a process of its own."""
    sizes = ",".join(f"{64 + 16 * step}KiB" for step in range(points // CORES))
    cores = ",".join(map(str, range(1, CORES + 1)))
    vary = ["--vary", f"levels.L1.size={sizes}", "--vary", f"engines.cluster.cores={cores}"]
    command = [sys.executable, "-m", "tilewright.cli", "explore", str(network), "--target", "siracusa", *vary]
    load, begun = os.getloadavg()[0], time.perf_counter()
    process = subprocess.Popen([*command, "-o", str(output), *options], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the command ended with status {status}")
    return Run(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, load)


@contextmanager
def cluster() -> Generator[str]:
    """Start a scheduler and two workers, each a process; gives its address."""
    from distributed import LocalCluster  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    start: Any = LocalCluster
    with start(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as workers:
        yield workers.scheduler_address


def shown(name: str, run: Run) -> None:
    """Print a row."""
    print(f"{name:<16} {run.wall:>8.1f} {run.cpu:>8.1f} {run.load:>8.2f}", flush=True)


def compared(network: Path, runs: int, points: int) -> int:
    """Run one and two processes alternately, print their ratios, and return the exit code."""
    is_quiet = os.getloadavg()[0] < QUIET
    print(f"{'':<16} {'wall s':>8} {'CPU s':>8} {'load':>8}")
    serial = 0.0
    walls: list[float] = []
    cpus: list[float] = []
    for number in range(runs):
        one, two = (network.parent / f"{name}-{number}.jsonl" for name in ("one", "two"))
        shown("1 process", first := explored(network, points, one, "--jobs", "1"))
        shown("2 processes", second := explored(network, points, two, "--jobs", "2"))
        serial = serial or explored(network, points, one, "--jobs", "1").cpu
        walls.append(first.wall / second.wall)
        cpus.append(first.cpu / (serial + (second.cpu - serial) / 2))
    ratios = f"{median(walls):.2f} by wall time, {median(cpus):.2f} by CPU time"
    print(f"{points} points, two processes beside one: {ratios}")
    if not is_quiet:
        print(f"other programs ran: wall times count where the load is below {QUIET}")
    return int(median(walls if is_quiet else cpus) < GOAL)


def same_files(network: Path, points: int, has_cluster: bool) -> bool:
    """Explore on a cluster, too, and return whether all files of results are equal."""
    if has_cluster:
        with cluster() as address:
            run = explored(network, points, network.parent / "cluster.jsonl", "--cluster", address)
        shown("2 dask workers", run)
    contents = {file.read_bytes() for file in network.parent.glob("*.jsonl")}
    print("all files of results are equal" if len(contents) == 1 else f"{len(contents)} different files of results")
    return len(contents) == 1


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--points", type=int, default=200, metavar="N", help=f"a multiple of {CORES}")
    parser.add_argument(
        "--network", default="mlp", metavar="NAME", help="of the zoo: the larger, the less start-up counts"
    )
    parser.add_argument("--no-cluster", action="store_true")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder) / "net.onnx"
        network.write_bytes(build(options.network, 0).SerializeToString())
        code = compared(network, options.runs, options.points)
        is_same = same_files(network, options.points, not options.no_cluster)
    return code or int(not is_same)


if __name__ == "__main__":
    sys.exit(main())
