"""
Compare plans of real networks with Deeploy's of the same files, and measure how planning time grows with layers.

    python benchmarks/planning/networks.py CORPUS [--target T] [--layers N...] [--runs N]

CORPUS holds folders, at any depth, with network.onnx, inputs.npz and outputs.npz. Each network is compiled in a process
of its own, whose start counts. By default the machine has the memories of Deeploy's figures.

- Arena: what the report says. Deeploy's arena holds the network's inputs and outputs while they are needed, ours are
  the caller's: the table also gives our peak of live bytes with them.
- Near: the larger of what the compiled module declares and the highest address that the simulated program reaches, and
  all tables and local arrays of the C, which would have to lie there too. Deeploy's includes its tables.
- Seconds: to the planned module, and to C. Deeploy's are to C, with single and with double buffering; ours is
  double-buffered, so that the second figure counts.

Exit code 1 where ours has the larger arena, takes more near memory than the machine has, is slower than a fifth of
Deeploy's time, cannot be planned or compiled further, or plans 32 layers with more than twice the seconds a layer of 4.
A network with operators that have no lowering is shown and does not count as a failure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.benchmarks.planning.growth import growth
from tilewright.benchmarks.planning.measure import Compiled, Measured, compiled, measured
from tilewright.runtime.tools.check import Case, find_cases
from tilewright.test.exits import exit_with

TARGET = Path(__file__).with_name("cluster64k.toml")
FASTER = 5
"""How many times faster than Deeploy we mean to be."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Published:
    """Figures for a network, with single and with double buffering: seconds to C, near bytes, and the far arena."""

    seconds: tuple[float, float]
    near: tuple[int, int]
    arena: int


SOURCE = "Deeploy (Scherer et al.), measured with its Siracusa target, L1 64,000 B, L2 1,024,000 B"
PUBLISHED = {
    "AnomalyDetection": Published((5.2, 8.2), (63_696, 63_584), 768),
    "ImageClassification": Published((3.1, 7.4), (54_784, 62_768), 49_152),
    "KeywordSpotting": Published((2.6, 6.4), (23_104, 36_992), 12_800),
    "VisualWakeWords": Published((5.5, 13.6), (63_730, 63_984), 73_728),
    "miniMobileNetv2": Published((2.2, 2.7), (7_712, 11_444), 4_096),
    "microLlama1": Published((24.7, 23.2), (18_752, 37_504), 3_664),
    "microLlama128": Published((30.2, 37.4), (18_752, 37_504), 146_736),
    "microLlama64_parallel": Published((26.1, 23.4), (64_000 + 25_954, 64_000 + 39_986), 270_336),
}


@dataclass(frozen=True)
class Row:
    """A network: what was measured, or the error, which need not be planning's; seconds to the planned module and C."""

    name: str
    planned: float = 0.0
    seconds: float = 0.0
    compiled: Compiled | None = None
    measured: Measured | None = None
    error: str = ""
    lowered: bool = True

    @property
    def published(self) -> Published | None:
        """Deeploy's figures, if it published any."""
        return PUBLISHED.get(self.name)

    def faults(self) -> list[str]:
        """Return the regressions."""
        if self.compiled is None or self.measured is None:
            return [self.error] if self.lowered else []
        found: list[str] = []
        if self.measured.near > self.measured.near_size:
            found.append(f"{self.measured.near:,} near bytes, the machine has {self.measured.near_size:,}")
        if self.measured.far > self.measured.far_size:
            found.append(f"{self.measured.far:,} far bytes, the machine has {self.measured.far_size:,}")
        theirs = self.published
        if theirs is None:
            return found
        arena = max(self.compiled.arena, self.measured.alive)
        if arena > theirs.arena:
            found.append(f"an arena of {arena:,} bytes, Deeploy's has {theirs.arena:,}")
        if self.seconds > theirs.seconds[1] / FASTER:
            found.append(f"{self.seconds:.2f} s, a fifth of Deeploy's is {theirs.seconds[1] / FASTER:.2f} s")
        return found


def in_process(run: Callable[..., _T], *arguments: Any) -> _T:
    """Run a function in a process of its own, started anew."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(run, *arguments).result()


def row_of(case: Case, target: str, runs: int) -> Row:
    """Return the row of a network, with the times of the fastest of some runs."""
    name = case.folder.name
    try:
        timed = [timed_run(case, target) for _ in range(runs)]
        seconds, result = min(timed, key=lambda run: run[0])
        if result.error:
            return Row(name, error=result.error, lowered=result.lowered)
        return Row(name, seconds - result.after_planning, seconds, result, in_process(measured, case, target, result))
    except Exception as error:  # of the child process: it becomes a row
        return Row(name, error=f"{type(error).__name__}: {error}")


def timed_run(case: Case, target: str) -> tuple[float, Compiled]:
    """Compile a network in a process of its own; return the seconds of that process too."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        result = in_process(compiled, case, target, Path(folder))
        return time.perf_counter() - start, result


def table_of(rows: Sequence[Row], target: str) -> Table:
    """Return the table of networks."""
    table = Table(title=f"ours for {Path(target).stem}; theirs: {SOURCE}", title_justify="left")
    table.add_column("network")
    for title in ("layers", "arena", "with I/O", "theirs", "near", "theirs 1x / 2x", "of", "planned s", "C s",
                  "theirs 1x / 2x", "cycles"):  # fmt: skip
        table.add_column(title, justify="right")
    table.add_column("")
    for row in rows:
        table.add_row(row.name, *_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    if row.compiled is None or row.measured is None:
        return [*[""] * 11, "FAILS" if row.faults() else "not lowered"]
    theirs, ours = row.published, row.measured
    arena, near, seconds = (f"{theirs.arena:,}", _both(theirs.near), _both(theirs.seconds)) if theirs else ("", "", "")
    return [
        *(f"{row.compiled.layers}", f"{row.compiled.arena:,}", f"{ours.alive:,}", arena),
        *(f"{ours.near:,}", near, f"{ours.near_size:,}"),
        *(f"{row.planned:.2f}", f"{row.seconds:.2f}", seconds, f"{ours.cycles:,}"),
        "WORSE" if row.faults() else "better" if theirs else "fits",
    ]


def _both(values: Sequence[float]) -> str:
    return " / ".join(f"{value:,}" for value in values)


def main(arguments: Sequence[str]) -> int:
    """Print the tables; returns 1 where something is worse than it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?", help="folders of networks; without it, only how planning grows")
    parser.add_argument("--target", default=str(TARGET), metavar="T", help="a target or machine file")
    parser.add_argument("--layers", type=int, nargs="*", default=[1, 2, 4, 8, 16, 32], metavar="N")
    parser.add_argument("--runs", type=int, default=2, help="runs of each network, of which the fastest counts (2)")
    options = parser.parse_args(arguments)
    console, status = Console(width=None if sys.stdout.isatty() else 170), Console(stderr=True)
    cases = find_cases(options.corpus) if options.corpus else []
    shown = track(cases, "planning", console=status, transient=True, disable=not status.is_terminal)
    rows = [row_of(case, options.target, options.runs) for case in shown]
    if rows:
        console.print(table_of(rows, options.target))
    for row in rows:
        if not row.lowered:
            print(f"{row.name} is not lowered: {row.error}")
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.faults()]
    if options.layers:
        table, superlinear = growth(options.target, options.layers, status)
        console.print(table)
        faults += superlinear
    print("\n".join(faults) or "nothing is worse than it should be")
    return 1 if faults else 0


if __name__ == "__main__":
    exit_with(lambda: main(sys.argv[1:]))
