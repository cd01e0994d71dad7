"""
Networks on a library of memory hierarchies: planned, proved, made explicit and run, equal to the golden outputs.

    python test/oracles/hierarchy.py CORPUS... [--machines GLOB...] [--networks GLOB...] [--instances 200] [--seed 0]

Each CORPUS is a folder with network.onnx, inputs.npz and outputs.npz at any depth. The machines have one to three
levels, a near memory of 8 to 256 KiB and one or two DMA channels: 2-levels-64K-1ch, and so on; or four instances of
the engine that share the near memory or have their own: 2-levels-16K-1ch-4cores-L1. Beside the networks, random ones of
up to three operators run on random machines with 16 bytes to 2 KiB and one to four copies.

Each is planned; verify-memory has to accept it with grids and with transfers; both are interpreted. Integers have to be
equal, floats within 1e-4. Where no plan fits, the error has to name a size that works and of which one byte less does
not. The exit code is 1 if anything fails. Networks that are not compiled, or not equal, before they are planned are
counted separately.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tilewright.runtime.tools.check import Case, find_cases
from tilewright.test.exits import exit_with
from tilewright.test.oracles.hierarchy_check import (
    Instance,
    Outcome,
    Spec,
    corpus_outcome,
    instance_outcome,
    machine_for,
)
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, networks

SIZES = (8, 16, 32, 64, 256)
MACHINES = [
    Spec(1, 0, 1),
    *(Spec(levels, kib << 10, channels) for levels in (2, 3) for kib in SIZES for channels in (1, 2)),
    *(Spec(levels, 16 << 10, 1, copies=4, own=own) for levels in (2, 3) for own in ((), ("L1",))),
]
VERDICTS = ("equal", "impossible", "failed", "not compiled")
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
OPERATORS = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)


def instances(count: int, seed: int) -> list[Instance]:
    """Return random networks with a machine for each, the same for the same count and seed."""
    found: list[Network] = []
    if not count:
        return []

    @seeded(seed)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=SLOW)
    @given(networks(OPERATORS, largest=3))
    def collect(network: Network) -> None:
        found.append(network)

    collect()
    return [
        Instance(f"random_{index}", each.model.SerializeToString(), each.input_types, machine_for(seed, index))
        for index, each in enumerate(found)
    ]


def outcomes(cases: Sequence[Case], machines: Sequence[Spec], drawn: Sequence[Instance], workers: int) -> list[Outcome]:
    """Return the outcomes of all, in order."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    found: dict[int, Outcome] = {}
    with (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        futures: dict[Future[Outcome], int] = {}
        for case in cases:
            futures |= {pool.submit(corpus_outcome, case, each): len(futures) + i for i, each in enumerate(machines)}
        for instance in drawn:
            futures[pool.submit(instance_outcome, instance)] = len(futures)
        task = progress.add_task("networks on machines", total=len(futures))
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            progress.advance(task)
    return [found[index] for index in sorted(found)]


def table_of(found: Sequence[Outcome]) -> Table:
    """Return the number of each verdict, by machine."""
    table = Table("machine", title="networks on machines", title_justify="left")
    for verdict in VERDICTS:
        table.add_column(verdict, justify="right")
    for name in dict.fromkeys(each.row for each in found):
        counts = Counter(each.verdict for each in found if each.row == name)
        table.add_row(name, *(str(counts[verdict]) for verdict in VERDICTS))
    counts = Counter(each.verdict for each in found)
    table.add_section()
    table.add_row("all", *(str(counts[verdict]) for verdict in VERDICTS))
    return table


def print_details(found: Sequence[Outcome], verdict: str, shown: int = 3) -> None:
    """Print why there is a verdict: each reason with its count and the first few places."""
    reasons: dict[str, list[Outcome]] = {}
    for each in found:
        if each.verdict == verdict:
            reasons.setdefault(each.detail, []).append(each)
    for reason, places in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{verdict} ({len(places)}): {reason}")
        for each in places[:shown]:
            print(f"    {each.place}")


def main(arguments: Sequence[str]) -> int:
    """Print the table and the failures; returns 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="*", help="folders of networks")
    parser.add_argument("--machines", nargs="+", default=["*"], metavar="GLOB", help="of these, as 2-levels-*-1ch")
    parser.add_argument("--networks", nargs="+", default=["*"], metavar="GLOB", help="of these, by folder")
    parser.add_argument("--instances", type=int, default=200, metavar="N", help="random networks (200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    machines = [each for each in MACHINES if any(fnmatch(each.name, glob) for glob in options.machines)]
    if not machines:
        parser.error(f"no such machine; there are {', '.join(each.name for each in MACHINES)}")
    cases = [case for root in options.corpus for case in find_cases(root)]
    cases = [case for case in cases if any(fnmatch(case.name, glob) for glob in options.networks)]
    found = outcomes(cases, machines, instances(options.instances, options.seed), options.processes)
    Console(width=None if sys.stdout.isatty() else 100).print(table_of(found))
    print_details(found, "not compiled", shown=1)
    print_details(found, "failed")
    failures = sum(each.verdict == "failed" for each in found)
    print(f"{failures} of {len(found)} fail" if failures else f"all {len(found)} hold")
    return 1 if failures else 0


if __name__ == "__main__":
    exit_with(lambda: main(sys.argv[1:]))
