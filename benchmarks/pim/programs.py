"""
Programs of the layers of a schedule on a mesh of memory nodes, beside the cost model of the schedule.

    python benchmarks/pim/programs.py [--model NAME] [--size PIXELS] [--nodes N] [--stages NAME...]
        [--plans ours published regular programs] [--costs FILE] [--no-simulate] [--fused] [--chained]

A layer of a schedule is a block of so many branches in sub-arrays of [head split, patch split] nodes. For each one a
Transformer block in float32 with random weights, without masks and position biases, goes through the pipeline of the
target: find-branches, schedule-branches, map-branches, shard-kernels, programs of the nodes. The table has cycles of a
block: products as the schedule models them, and the program's, step by step (`targets/pim/program_costs.py`): products,
other kernels, rings, transfers of the host; their sum, and the cycles that the simulator counts, all nodes on one
clock. Programs are those before fuse-programs: one step of all nodes after the other. With `--fused` the simulated ones
are those after it, whose steps overlap; the difference is then what that gains. A block is a network by itself, which
loads its weights and takes inputs and results from and to the host. With `--chained` it is one between others, as the
schedule assumes: a later call, with resident weights where they fit, of two blocks in sequence, less that of one.

Where the patch split does not divide the rows of a branch, the block has rows of padding, as the schedule counts them.
Where branches do not fill a box of sub-arrays, the layer is full. `published` is the schedule of the paper for Swin-B,
640 pixels. `regular` is the best of the schedules that programs follow, by the schedule's model; `programs` the best of
them by the cycles of programs, which are modelled for each partition of each stage. These two have all layers of a
stage in one block. With `--costs` the cycles by which `programs` is chosen are written to a file, for
schedule-branches{regular=true costs=FILE}. All figures are modelled or simulated by this project, none is measured.

Exit code 1 where products differ from the schedule's, or modelled and simulated cycles of steps by more than 2 %.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.benchmarks.pim.schedules import TABLE_V
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator.simulate import simulate
from tilewright.targets.pim.program_costs import KINDS, steps_of
from tilewright.targets.pim.schedule.families import MODELS, stages_of
from tilewright.targets.pim.schedule.model import PartitionCandidate, Scheme, candidates
from tilewright.targets.pim.schedule.packing import regular
from tilewright.targets.pim.schedule.plan_file import costs_text
from tilewright.targets.pim.schedule.records import BlockStage, MeshProfile, read_profile
from tilewright.targets.pim.schedule.solve import MeshPlan, PlanLayer, StagePlan, schedule, stage_plan
from tilewright.test.exits import exit_with
from tilewright.test.targets.pim.networks import Block

PLANS = ("ours", "published", "regular", "programs")
TOLERANCE = 0.02
PASSES = "fuse-epilogues,canonicalize,cse,bufferize,map-engines,map-branches"
PROGRAMS = "lower-sharded,allocate-sharded,canonicalize,cse"


class Part(NamedTuple):
    """A block of so many branches and layers of a stage, all with one partition."""

    candidate: PartitionCandidate
    branches: int
    layers: int

    def __str__(self) -> str:
        return f"{self.candidate.scheme}x{self.branches}"


class Result(NamedTuple):
    """Cycles of a block of some layers: of the schedule's products, of the program by kind, and simulated ones."""

    scheduled: int
    modelled: Counter[str]
    simulated: int | None

    @property
    def total(self) -> int:
        """Modelled cycles of the program."""
        return self.modelled.total()

    @property
    def difference(self) -> float:
        """Relative difference of modelled and simulated cycles; 0 where nothing was simulated."""
        return self.total / self.simulated - 1 if self.simulated else 0.0

    def agrees(self, tolerance: float) -> bool:
        """Return whether products are those of the schedule, and modelled cycles those of the simulator."""
        return self.scheduled == self.modelled["products"] and abs(self.difference) <= tolerance


def run(module: ModuleOp, passes: str) -> None:
    """Run passes on a module."""
    PassManager().run(module, parse_pipeline(f"builtin.module({passes})", all_passes()), new_context())


def full(layer: PlanLayer) -> int:
    """Return the branches of a layer, or as many as it has sub-arrays where the branches fill no box of them."""
    candidate = layer.candidate
    box = regular(*candidate.mesh.array, *candidate.scheme, layer.branches)
    return layer.branches if len(box) == layer.branches else candidate.parallel


def parts_of(stage: StagePlan) -> list[Part]:
    """Return the layers of a stage, or all of them in one part where programs follow the schedule."""
    first = stage.layers[0].candidate
    if first.mesh.regular:
        return [Part(first, stage.stage.branches, len(stage.layers))]
    return [Part(layer.candidate, full(layer), 1) for layer in stage.layers]


def costs_of(stages: Sequence[BlockStage], mesh: MeshProfile, nodes: int) -> dict[tuple[str, Scheme], int]:
    """Return the modelled cycles of the programs of all partitions of stages that fit a node."""
    fitting = [(stage, each) for stage in stages for each in candidates(stage, mesh)]
    parts = [Part(each, stage.branches, each.layers(stage.branches)) for stage, each in fitting]
    return {
        (part.candidate.stage.name, part.candidate.scheme): measure(part, nodes, PROGRAMS, simulates=False).total
        for part in parts
        if part.candidate.stage.blocks * part.candidate.weights + part.candidate.workspace <= mesh.node_bytes
    }


def measure(part: Part, nodes: int, programs: str, *, simulates: bool, chained: bool = False) -> Result:
    """Return the cycles of a block of some layers: by itself, or between others in a later call."""
    products = sum(cycles for phase, cycles in part.candidate.compute.items() if phase != "merge")
    modelled, simulated = _cycles(part, 1 + chained, nodes, programs, simulates=simulates, later=chained)
    if chained:
        modelled_one, simulated_one = _cycles(part, 1, nodes, programs, simulates=simulates, later=True)
        modelled, simulated = modelled - modelled_one, simulated - simulated_one
    return Result(part.layers * products, modelled, simulated if simulates else None)


def _cycles(
    part: Part, blocks: int, nodes: int, programs: str, *, simulates: bool, later: bool
) -> tuple[Counter[str], int]:
    """Return modelled cycles by kind, and simulated ones or 0, of a call of so many blocks."""
    candidate, branches, layers = part
    stage, scheme = candidate.stage, candidate.scheme
    tokens = candidate.rows * scheme.patch_split
    sizes = {"heads": stage.heads, "width": stage.head_channels, "expansion": stage.expansion}
    block = Block(0, tokens=tokens, count=branches, **sizes)
    with tempfile.TemporaryDirectory() as name:
        folder, machine = Path(name), "pim"
        if nodes != 16:
            machine = str(folder / "mesh.toml")
            count = f"count = [{nodes}, {nodes}]\n"
            Path(machine).write_text(f'include = "pim"\n[levels.NODE]\n{count}[engines.array]\n{count}')
        (folder / "block.onnx").write_bytes(block.model(blocks).SerializeToString())
        record = f'name = "1"\nchannels = {stage.channels}\nheads = {stage.heads}\nbranches = {branches}\n'
        (folder / "plan.toml").write_text(f"[[stage]]\n{record}layers = {[list(scheme)] * layers}\n")
        module = compile_model(Model(folder / "block.onnx"), machine, stop_after="tensor").module
        plan = f'schedule-branches{{regular=true plan="{folder}/plan.toml"}}'
        shards = f"shard-kernels{{resident={str(later).lower()}}}"
        run(module, f'attach-machine{{target="{machine}"}},find-branches,{plan},{PASSES},{shards}')
    modelled = Counter[str]()
    for step in steps_of(module):
        modelled[step.kind] += step.cycles
    run(module, programs)
    return modelled, simulate(module, is_first=not later).cycles if simulates else 0


def main() -> int:
    """Print a table for each schedule; return 1 where figures do not agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS, default="Swin-B", metavar="NAME")
    parser.add_argument("--size", type=int, default=640)
    parser.add_argument("--nodes", type=int, default=16, help="rows, and columns, of the mesh")
    parser.add_argument("--stages", nargs="+", help="names of the stages to run; all by default")
    parser.add_argument("--plans", nargs="+", choices=PLANS, default=["ours"])
    parser.add_argument("--costs", type=Path, metavar="FILE", help="write the cycles of programs by partition")
    parser.add_argument("--no-simulate", action="store_true", help="model the programs alone")
    parser.add_argument("--fused", action="store_true", help="simulate programs after fuse-programs")
    parser.add_argument("--chained", action="store_true", help="cycles of a block between others")
    options = parser.parse_args()
    mesh = replace(read_profile("default"), array=(options.nodes, options.nodes))
    only = replace(mesh, regular=True)
    stages, console = stages_of(options.model, options.size), Console(width=150)
    costs = costs_of(stages, only, options.nodes) if options.costs or "programs" in options.plans else {}
    if options.costs:
        options.costs.write_text(costs_text(stages, costs))
    known: dict[tuple[str, Scheme, int], Result] = {}
    for name in options.plans:
        if name != "published":
            plan = schedule(stages, mesh if name == "ours" else only, costs=costs if name == "programs" else None)
        else:
            layers = zip(stages, TABLE_V, strict=True)
            chosen = [
                stage_plan(stage, [PartitionCandidate(stage, Scheme(*numbers), mesh) for numbers in of])
                for stage, of in layers
            ]
            plan = MeshPlan(tuple(chosen))
        by = "by programs" if name == "programs" else "by the schedule's model"
        title = f"{name}: {options.model} {options.size}, {mesh.milliseconds(plan.cycles):.2f} ms {by}"
        _show(console, title, plan, known, options)
    tolerance = float("inf") if options.fused else TOLERANCE
    return int(not all(result.agrees(tolerance) for result in known.values()))


def _show(
    console: Console,
    title: str,
    plan: MeshPlan,
    known: dict[tuple[str, Scheme, int], Result],
    options: argparse.Namespace,
) -> None:
    """Measure the layers of a plan, those of equal stage, partition and branches once; print them and their sum."""
    programs = f"{PROGRAMS},fuse-programs" if options.fused else PROGRAMS
    columns = ("stage", "layer", "blocks", "products, schedule", *KINDS, "modelled", "simulated", "differs by")
    table = Table(*columns, title=f"{title}; cycles of a block")
    sums = Counter[str]()
    for stage in plan.stages:
        for part in parts_of(stage) if stage.stage.name in (options.stages or [stage.stage.name]) else ():
            key = stage.stage.name, part.candidate.scheme, part.branches
            if key not in known:
                simulates, chained = not options.no_simulate, options.chained
                known[key] = measure(part, options.nodes, programs, simulates=simulates, chained=chained)
            result, blocks = known[key], stage.stage.blocks
            sums += Counter({"modelled": result.total * blocks, "simulated": (result.simulated or 0) * blocks})
            table.add_row(*_cells(stage.stage.name, part, blocks, result))
    table.add_row("all", *[""] * (len(columns) - 4), f"{sums['modelled']:,}", *_simulated(sums))
    console.print(table)


def _cells(stage: str, part: Part, blocks: int, result: Result) -> Sequence[str]:
    numbers = (result.scheduled, *(result.modelled[kind] for kind in KINDS), result.total)
    simulated = (f"{result.simulated:,}", f"{result.difference:+.2%}") if result.simulated else ("", "")
    return (stage, str(part), str(blocks), *(f"{number:,}" for number in numbers), *simulated)


def _simulated(sums: Counter[str]) -> tuple[str, str]:
    """Return the cells of the simulated cycles and of the difference; empty where nothing was simulated."""
    if not sums["simulated"]:
        return "", ""
    return f"{sums['simulated']:,}", f"{sums['modelled'] / sums['simulated'] - 1:+.2%}"


if __name__ == "__main__":
    exit_with(main)
