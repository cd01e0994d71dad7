"""
Schedules of visual Transformers on a mesh of memory nodes, beside published figures.

    python benchmarks/pim/schedules.py [--models NAME...] [--seconds N]

The first table has figures of "Allspark: Workload Orchestration for Visual Transformers on Processing In-Memory
Systems" and of an implementation of its model that shares no code with this one: 'exact' are equal digits, 'fits' those
that a profile, or the channels of a stripe of CSWin, were chosen to match, 'no' what differs.
The second has modelled milliseconds, speed-ups over the baselines B, P and AH, and node utilisation (equation 16) and
energy of memories and links (Table IV, without multipliers) of ours and of the three; the third the means of the
speed-ups beside the published averages. Both are of the profile `default`, PVT on 8 x 8 nodes.

Exit code 1 where a figure that reproduces does not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.errors import Diagnostic
from tilewright.targets.pim.schedule.baselines import BASELINES, baseline
from tilewright.targets.pim.schedule.binding import bind, mean_hops, shifted_windows
from tilewright.targets.pim.schedule.families import MODELS, SIZES, SMALL_MESH, stages_of
from tilewright.targets.pim.schedule.model import PartitionCandidate, Scheme
from tilewright.targets.pim.schedule.packing import guillotine, two_block
from tilewright.targets.pim.schedule.records import BlockStage, MeshProfile, read_profile
from tilewright.targets.pim.schedule.solve import MeshPlan, StagePlan, schedule, stage_plan
from tilewright.test.exits import exit_with

MIB = 1 << 20
TABLE_V = (((1, 1), (1, 1), (4, 2)), ((2, 1), (4, 4)), ((8, 2), (8, 2), (16, 4)), ((4, 4),))
"""Layers of Swin-B, 640 pixels."""
OPTIMA = {
    "Swin-B": "4.79 10.87 25.93 57.98",
    "Twins-B": "3.50 7.62 15.30 38.08",
    "Focal-B": "4.96 11.39 27.18 60.83",
    "CSWin-B": "4.29 9.57 24.42 54.76",
    "ViT-B": "6.16 14.20 41.91 118.70",
    "ViT-L": "16.27 36.91 104.98 283.30",
}
"""Modelled milliseconds of the other implementation, by size."""
PUBLISHED = {"windows": "40.0 5.1 4.2", "ViT and PVT": "28.8 6.7 1.2"}
"""Published mean speed-ups over B, P and AH."""


class Row(NamedTuple):
    """A figure, ours and published; `status` is 'exact' or 'fits' where equal ones are expected."""

    name: str
    published: str
    ours: str
    status: str = "exact"

    @property
    def verdict(self) -> str:
        """Status, 'fits' where none is expected, or 'no' where the two differ."""
        return (self.status or "fits") if self.published == self.ours else "no"


def reproduced(models: Sequence[str], seconds: float) -> Iterator[Row]:
    """Yield the figures of the paper, and of the other implementation."""
    mesh, stages = read_profile("default"), stages_of("Swin-B", 640)
    counts = " ".join(str(stage.branches) for stage in stages_of("Swin-B", 960))
    yield Row("branches, Swin-B 960", "1225 324 81 25", counts)
    nodes = mesh.array[0] * mesh.array[1]
    used = " ".join(f"{stage.branches / nodes:.1%}" for stage in stages[2:])
    yield Row("Fig. 4, nodes with a branch, Swin-B 640, stages 3 and 4", "14.1% 3.5%", used)
    yield Row("two blocks of 2 x 1 on 3 x 4", "6", str(len(two_block(3, 4, 2, 1))))
    plans = [_published(stage, layers, mesh) for stage, layers in zip(stages, TABLE_V, strict=True)]
    plan = MeshPlan(tuple(plans))
    yield Row("Table VI, weights, MiB", "6.94", f"{plan.weights / MIB:.2f}")
    yield Row("Table VI, workspace, MiB", "1.02", f"{plan.workspace / MIB:.2f}", "fits")
    yield Row("Table VI, total, MiB", "7.96", f"{(plan.weights + plan.workspace) / MIB:.2f}", "fits")
    ours = schedule(stages, read_profile("tableV"), seconds)
    for published, found in zip(plans, ours.stages, strict=True):
        expected = "" if found.stage.name == "4" else "fits"
        yield Row(f"Table V, stage {found.stage.name}", str(published), str(found), expected)
    graphs = [shifted_windows(round(stage.branches**0.5)) for stage in stages]
    hops = [mean_hops(bind(each, graph), graph) for each, graph in zip(plans, graphs, strict=True)]
    pair = schedule(stages, mesh, seconds), baseline("B", stages, mesh)
    used = " ".join(f"{each.utilisation:.1%}" for each in pair)
    yield Row("node utilisation, Swin-B 640, ours and B", "95.9% 12.4%", used)
    yield Row("Table III, mean hops", "2.59 4.51 3.41 8.48", " ".join(f"{each:.2f}" for each in hops), "")
    more = _guillotine_gains()
    yield Row("shapes that guillotine cuts pack denser", "338 of 18496", f"{more} of 18496", "")
    for model in [model for model in OPTIMA if model in models]:
        times = [mesh.milliseconds(schedule(stages_of(model, size), mesh, seconds).cycles) for size in SIZES]
        status = {"Focal-B": "", "CSWin-B": "fits"}.get(model, "exact")
        yield Row(f"optima of {model}, ms", OPTIMA[model], " ".join(f"{each:.2f}" for each in times), status)


def _published(stage: BlockStage, layers: Sequence[tuple[int, int]], mesh: MeshProfile) -> StagePlan:
    return stage_plan(stage, [PartitionCandidate(stage, Scheme(*numbers), mesh) for numbers in layers])


def _guillotine_gains() -> int:
    """Return on how many arrays up to 16 x 16, and for how many shapes, cuts pack more than two blocks."""
    pairs = [(a, b) for b in range(1, 17) for a in range(1, b + 1)]
    return sum(len(guillotine(*array, *shape)) > len(two_block(*array, *shape)) for array in pairs for shape in pairs)


class Result(NamedTuple):
    """Schedule of one model and size, the baselines, and the seconds that finding it took."""

    model: str
    size: int
    mesh: MeshProfile
    plan: MeshPlan
    baselines: tuple[MeshPlan, ...]
    seconds: float

    @property
    def speedups(self) -> tuple[float, ...]:
        """Cycles of each baseline, of those of the schedule."""
        return tuple(each.cycles / self.plan.cycles for each in self.baselines)

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        plans, milliseconds = (self.plan, *self.baselines), self.mesh.milliseconds(self.plan.cycles)
        return (
            *(self.model, str(self.size), f"{milliseconds:.2f}", f"{self.plan.gap:.1%}"),
            *(f"{each:.1f}" for each in self.speedups),
            " ".join(f"{each.utilisation:.1%}" for each in plans),
            " ".join(f"{each.energy / 1e9:.1f}" for each in plans),
            f"{self.seconds:.2f}",
        )


def measure(model: str, size: int, seconds: float) -> Result:
    """Return the schedule of a model beside the baselines. Raises Diagnostic where it does not fit."""
    mesh = read_profile("default")
    mesh = replace(mesh, array=(8, 8)) if model in SMALL_MESH else mesh
    stages, start = stages_of(model, size), time.perf_counter()
    plan = schedule(stages, mesh, seconds)
    took = time.perf_counter() - start
    return Result(model, size, mesh, plan, tuple(baseline(name, stages, mesh) for name in BASELINES), took)


def show(console: Console, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def main() -> int:
    """Print the tables; return 1 where a figure that reproduces does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of a solve")
    options = parser.parse_args()
    console = Console(width=132)
    rows = list(reproduced(options.models, options.seconds))
    show(console, "reproduced", ("figure", "published", "ours", ""), [(*row[:3], row.verdict) for row in rows])
    results: list[Result] = []
    for model in options.models:
        for size in SIZES:
            try:
                results.append(measure(model, size, options.seconds))
            except Diagnostic as error:
                console.print(f"{model} {size}: {error}", markup=False)
    over, four = (f"over {name}" for name in BASELINES), " ".join(("ours", *BASELINES))
    columns = ("model", "size", "ms", "gap", *over, f"nodes in use: {four}", f"mJ: {four}", "solved in s")
    show(console, "modelled", columns, [result.cells for result in results])
    means: list[tuple[str, str, str]] = []
    for name, published in PUBLISHED.items():
        of = [each.speedups for each in results if each.model.startswith(("ViT", "PVT")) == (name != "windows")]
        means += [(name, published, " ".join(f"{each:.1f}" for each in np.mean(of, axis=0)))] if of else []
    show(console, "mean speed-ups over B, P, AH", ("models", "published", "ours"), means)
    return int(any(row.status and row.verdict == "no" for row in rows))


if __name__ == "__main__":
    exit_with(main)
