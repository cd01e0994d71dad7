"""
Static allocation problems: ours beside a plain CP-SAT formulation and greedy by size.

    python benchmarks/planning/allocation.py FOLDER [--limit SECONDS]

FOLDER holds problems in the format of google/minimalloc: NAME.CAPACITY.csv with rows of id,lower,upper,size, of which
the lifetimes are half-open. One core; ours and greedy give the same result in every run. The plain formulation (one
offset per buffer, NoOverlap2D, the height minimised, the parameters as they come, one worker) gets `--limit` seconds.
Exit code 1 where one of our placements is missing, larger than its capacity, wrong, or took 60 s.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ortools.sat.python import cp_model
from rich.console import Console
from rich.table import Table

from tilewright.passes.memory.arena import Lifetime, decide
from tilewright.passes.memory.packing import boxes_of, filler, height

MOST_SECONDS = 60
BUDGET = 100_000


def read(path: Path) -> list[Lifetime]:
    """Return the buffers of a problem."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return [Lifetime(row["id"], int(row["size"]), int(row["lower"]), int(row["upper"]) - 1) for row in rows]


def valid(buffers: Sequence[Lifetime], offsets: Sequence[int], capacity: int) -> bool:
    """Return whether all buffers lie within the capacity and those needed at the same time do not overlap."""
    placed = list(zip(buffers, offsets, strict=True))
    return all(0 <= at <= capacity - buffer.size for buffer, at in placed) and not any(
        one.meets(other) and low < at + other.size and at < low + one.size
        for index, (one, low) in enumerate(placed)
        for other, at in placed[:index]
    )


def greedy(buffers: Sequence[Lifetime]) -> int:
    """Return the bytes of first fit, the largest buffer first."""
    spans = [(buffer.first, buffer.last + 1) for buffer in buffers]
    boxes = boxes_of([buffer.size for buffer in buffers], spans, [None] * len(buffers))
    ranked = sorted(range(len(boxes)), key=lambda i: (-boxes.sizes[i], i))
    return height(boxes, filler(boxes)(ranked, False))


def plain(buffers: Sequence[Lifetime], capacity: int, limit: float) -> tuple[int | None, float]:
    """Return the bytes that the plain formulation reached, if any, and the seconds; it stops at the capacity."""
    start = time.perf_counter()
    most = sum(buffer.size for buffer in buffers)
    model = cp_model.CpModel()
    offsets = [model.new_int_var(0, most - buffer.size, "") for buffer in buffers]
    top = model.new_int_var(0, most, "")
    model.add_no_overlap_2d(
        [model.new_fixed_size_interval_var(b.first, b.last + 1 - b.first, "") for b in buffers],
        [model.new_fixed_size_interval_var(o, b.size, "") for o, b in zip(offsets, buffers, strict=True)],
    )
    for offset, buffer in zip(offsets, buffers, strict=True):
        model.add(offset + buffer.size <= top)
    model.minimize(top)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model, _StopAt(capacity))
    found = round(solver.objective_value) if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None
    return found, time.perf_counter() - start


class _StopAt(cp_model.CpSolverSolutionCallback):
    """Ends a search once the height is within the capacity."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self._capacity = capacity

    def on_solution_callback(self) -> None:
        if self.objective_value <= self._capacity:
            self.stop_search()


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns 1 where one of ours fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder of NAME.CAPACITY.csv")
    parser.add_argument("--limit", type=float, default=30, help="seconds for the plain formulation (30)")
    options = parser.parse_args(arguments)
    paths = sorted(options.folder.glob("*.*.csv"))
    if not paths:
        parser.error(f"no NAME.CAPACITY.csv in {options.folder}")
    columns = ("problem", "buffers", "capacity", "ours", "seconds", "fits", "plain CP-SAT", "seconds", "greedy by size")
    table = Table(*columns)
    failures = 0
    for path in paths:
        buffers, capacity = read(path), int(path.name.split(".")[-2])
        start = time.perf_counter()
        offsets = decide(buffers, capacity, 1, BUDGET).offsets
        seconds = time.perf_counter() - start
        size = max((at + buffer.size for buffer, at in zip(buffers, offsets or (), strict=False)), default=0)
        fits = offsets is not None and valid(buffers, offsets, capacity) and seconds < MOST_SECONDS
        failures += not fits
        other, others_seconds = plain(buffers, capacity, options.limit)
        table.add_row(
            *(path.name.split(".")[0], str(len(buffers)), f"{capacity:,}"),
            *(f"{size:,}" if offsets is not None else "none", f"{seconds:.1f}", "yes" if fits else "NO"),
            *(f"{other:,}" if other is not None else "none", f"{others_seconds:.1f}", f"{greedy(buffers):,}"),
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
