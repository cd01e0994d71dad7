"""
Plans of products and of an attention head on meshes: nodes used, modelled cycles, and what comes from neighbours.

    python benchmarks/planning/mesh_plans.py [--machines NAME...] [--networks NAME...] [--counts]

Each machine is a file of test/machines, planned from ONNX. The first table has, of each network, the nodes of each
kernel, the simulated cycles, the share of the bytes to nodes that come from a neighbour, and the cycles of the best
plan in which all come from far. With --counts, the second has the least cycles of the kernel of a product on each
number of nodes, of all tilings that the planner prices, simulated. The exit code is 1 if a simulated time is not the
modelled one, if `verify-memory` refuses a plan, or if another number of nodes, or far operands alone, are faster.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import prod
from unittest import mock

import onnx
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.hier import GridOp
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.memory.candidates import Candidate
from tilewright.passes.memory.layers import Layers, layers_of
from tilewright.passes.memory.plan import Choice
from tilewright.passes.memory.route import Route
from tilewright.passes.plan_memory import replace_by_grid
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.test.exits import exit_with
from tilewright.test.machines.make import library
from tilewright.test.passes.memory.products import attention_head, chain, integer_matmul, matmul
from tilewright.test.passes.plans import on_buffers, planned

MACHINES = "mesh_4x4", "mesh_near", "mesh"
NETWORKS = {
    **{f"f32-{size}": matmul(size) for size in (64, 128, 256)},
    **{f"i8-{size}": integer_matmul(size) for size in (64, 128, 256)},
    "chain-128": chain(128),
    "head-64x32": attention_head(64, 32),
    "head-128x64": attention_head(128, 64),
}


def plan_of(model: onnx.ModelProto, machine: Machine) -> ModuleOp:
    """Return the proved plan of a network, without limits but those of the machine."""
    plan = planned(on_buffers(import_model(model)), machine, machine.level("NODE").size)
    attach_machine(plan, machine)
    verify_memory(plan)
    return plan


def modelled(plan: ModuleOp) -> int:
    """Return the cycles that the planner states."""
    cycles = functions(plan)[0].attributes["hier.modelled_cycles"]
    assert isinstance(cycles, IntegerAttr)
    return cycles.value.data


def from_neighbours(run: Simulation, machine: Machine) -> float:
    """Return the share of the bytes brought to nodes that come from a neighbour."""
    among = {link.name for link in machine.links if link.neighbours}
    moved = [(link.name in among, link.bytes_in) for link in run.links]
    return sum(size for is_near, size in moved if is_near) / max(1, sum(size for _, size in moved))


def counts(model: onnx.ModelProto, machine: Machine) -> Iterator[tuple[int, int]]:
    """Yield numbers of nodes, each with the least simulated cycles of the first kernel on so many."""
    source = on_buffers(import_model(model))
    best: dict[int, Candidate] = {}
    for candidate in first_layers(source, machine).options(0, 1, set()).costed:
        fastest = best.setdefault(candidate.spread.copies, candidate)
        if candidate.cycles < fastest.cycles and candidate.bytes[0] <= machine.level("NODE").size:
            best[candidate.spread.copies] = candidate
    for number in sorted(best):
        module = source.clone()
        attach_machine(module, machine)
        found = first_layers(module, machine)
        replace_by_grid(found, Choice(0, 1, best[number]), {level.name: 0 for level in found.levels})
        verify_memory(module)
        yield number, simulate(module).cycles


def first_layers(module: ModuleOp, machine: Machine) -> Layers:
    """Return the kernels of a network as the planner sees them."""
    return layers_of(functions(module)[0].body.block, machine, 0, double_buffered=True, keep_resident=False)


def main(arguments: Sequence[str]) -> int:
    """Print the tables; returns 1 if a plan is not the fastest one, or not as modelled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", nargs="+", default=MACHINES)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--counts", action="store_true", help="the cycles on each number of nodes")
    options = parser.parse_args(arguments)
    console, faults = Console(width=110), list[str]()
    table = Table("machine", "network", "nodes", "of", "cycles", "from neighbours", "all from far")
    forced = Table("machine", "network", "nodes: cycles of the first kernel")
    for machine, name in ((library(each), name) for each in options.machines for name in options.networks):
        plan = plan_of(NETWORKS[name], machine)
        used, run = [op.copies for op in plan.walk() if isinstance(op, GridOp)], simulate(plan)
        with mock.patch.object(Route, "chains", False):
            far = simulate(plan_of(NETWORKS[name], machine)).cycles
        share, total = f"{from_neighbours(run, machine):.0%}", prod(machine.engines[0].count)
        table.add_row(machine.name, name, ", ".join(map(str, used)), str(total), f"{run.cycles:,}", share, f"{far:,}")
        if run.cycles != modelled(plan):
            faults.append(f"{name} on {machine.name}: {run.cycles:,} cycles, modelled {modelled(plan):,}")
        if far < run.cycles:
            faults.append(f"{name} on {machine.name}: faster without neighbours")
        if options.counts and len(used) == 1:
            each = dict(counts(NETWORKS[name], machine))
            forced.add_row(machine.name, name, ", ".join(f"{number}: {cycles:,}" for number, cycles in each.items()))
            if min(each.values()) < run.cycles:
                faults.append(f"{name} on {machine.name}: faster on another number of nodes")
    console.print(table)
    if options.counts:
        console.print(forced)
    print("\n".join(faults) or "all hold")
    return 1 if faults else 0


if __name__ == "__main__":
    exit_with(lambda: main(sys.argv[1:]))
