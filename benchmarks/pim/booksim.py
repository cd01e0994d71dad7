"""
The simulator's mesh beside BookSim 2, a flit-level simulator of networks that others wrote.

    BOOKSIM=booksim2/src/booksim python benchmarks/pim/booksim.py [--schedules N] [--seeds N]

`$BOOKSIM` is the program of booksim/booksim2. The first table has the rounds of the rings of schedules: all nodes
of a ring send a part to the next one, the last over all others back to the first (routing dimension by dimension). A
schedule's cycles are those of each distinct round, times how often it occurs. The second has traffic with contention:
each node sends one message to a random node, and permutations. Routers of BookSim have 4 virtual channels of 8 flits.

Exit code 1 where the rounds of a schedule, or all random traffic of a mesh, differ by more than 5 %.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from rich.console import Console
from rich.table import Table

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.routes import route_between
from tilewright.errors import Diagnostic
from tilewright.passes.timing.mesh import NeighbourBuses as Buses
from tilewright.targets.pim.schedule.families import stages_of
from tilewright.targets.pim.schedule.model import PartitionCandidate
from tilewright.targets.pim.schedule.records import read_profile
from tilewright.targets.pim.schedule.solve import MeshPlan, schedule
from tilewright.test.exits import exit_with

Round: TypeAlias = tuple[int, int]
"""Nodes of a ring, and the flits that each sends."""

SCHEDULES = (
    ("Swin-T", 224),
    ("Swin-B", 640),
    ("Swin-L", 384),
    ("Twins-S", 224),
    ("Twins-B", 384),
    ("CSWin-T", 224),
    ("CSWin-B", 384),
    ("Focal-B", 224),
    ("ViT-B", 224),
    ("ViT-L", 384),
)
PATTERNS = ("transpose", "bitrev", "shuffle", "bitcomp", "tornado")
LIMIT = 0.05
_CONFIGURATION = """
topology = mesh; k = {k}; n = {n}; routing_function = dor;
num_vcs = 4; vc_buf_size = 8; wait_for_tail_credit = 0;
vc_allocator = islip; sw_allocator = islip; alloc_iters = 2;
credit_delay = 1; routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1;
input_speedup = 1; output_speedup = 1; internal_speedup = 1.0;
traffic = {traffic}; packet_size = {flits}; use_read_write = 0;
sim_type = batch; batch_size = 1; batch_count = 1; injection_rate = 1.0; seed = {seed};
watch_file = watched; watch_out = seen;
"""
_ARRIVED = re.compile(r"Retiring flit \d+ \(packet \d+, src = (\d+), dest = (\d+)")
_LAST = re.compile(r"Packet latency average.*?maximum = (\d+)", re.DOTALL)


def booksim(count: Sequence[int], traffic: str, flits: int, seed: int = 0) -> tuple[dict[int, int], int]:
    """
    Run a message of each node on a mesh of equal extents; return the receivers by sender, and the cycles of all.

    Raises Diagnostic where $BOOKSIM is no such program.
    """
    program = Path(os.environ.get("BOOKSIM", "")).absolute()
    if not program.is_file():
        raise Diagnostic("no flit-level simulator", expected="its program in $BOOKSIM", found=str(program))
    with TemporaryDirectory() as name:
        folder = Path(name)
        text = _CONFIGURATION.format(k=count[0], n=len(count), traffic=traffic, flits=flits, seed=seed)
        (folder / "mesh").write_text(text.strip() + "\n")
        (folder / "watched").write_text("".join(f"{node * flits}\n" for node in range(prod(count))))
        done = subprocess.run([str(program), "mesh"], cwd=folder, capture_output=True, text=True, check=False)
        found = _LAST.search(done.stdout)
        if found is None:
            raise Diagnostic("the flit-level simulator gives no latency", found=(done.stdout + done.stderr)[-200:])
        pairs = _ARRIVED.findall((folder / "seen").read_text())
    return {int(sender): int(receiver) for sender, receiver in pairs}, int(found[1])


def ours(count: Sequence[int], messages: Mapping[int, int], flits: int) -> int:
    """Return the cycles of the same messages on the simulator's mesh of the machine pim."""
    machine = find_machine("pim")
    (link,) = (link for link in machine.links if link.neighbours)
    levels = (replace(level, count=tuple(count)) if level.name == link.far else level for level in machine.levels)
    machine, buses = replace(machine, levels=tuple(levels)), Buses()
    routes = (
        route_between(machine.level(link.far).count, link, *ends)
        for ends in sorted(messages.items())
        if ends[0] != ends[1]
    )
    return max(buses.send(link, route, 0, link.startup, flits)[1] for route in routes)


@cache
def _round(extent: int, flits: int) -> tuple[int, int]:
    """Return the cycles of a round of a ring, ours and BookSim's."""
    messages, cycles = booksim([extent], "neighbor", flits)
    assert messages == {node: (node + 1) % extent for node in range(extent)}, messages
    return ours([extent], messages, flits), cycles


def _traffic(extent: int, traffic: str, flits: int, seed: int) -> tuple[int, int]:
    """Return the cycles of messages on a square mesh, ours and BookSim's."""
    messages, cycles = booksim([extent, extent], traffic, flits, seed)
    return ours([extent, extent], messages, flits), cycles


def rounds_of(plan: MeshPlan) -> Counter[Round]:
    """Count the rounds of rings of a schedule."""
    found: Counter[Round] = Counter()
    for stage in plan.stages:
        for layer in stage.layers:
            for (extent, size), number in _rings(layer.candidate).items():
                found[extent, -(-size // 8)] += number * stage.stage.blocks
    return found


def _rings(each: PartitionCandidate) -> Counter[Round]:
    """Return the rounds of a block of a layer, by the nodes of the ring and the bytes that each sends."""
    heads, patches = each.scheme
    part, keys = each.rows * each.width, each.key_rows * each.width
    found: Counter[Round] = Counter()
    if heads > 1:
        for size in (part, part, part, part * each.stage.expansion, 2 * each.rows, 2 * each.rows):
            found[heads, size] += heads - 1
    if patches > 1:
        found[patches, keys] += 2 * (patches - 1)
    return found


def main() -> int:
    """Print both tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES), metavar="N", help="schedules to compare (10)")
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="random traffics of each mesh (10)")
    options = parser.parse_args()
    console, worst = Console(), 0.0
    table = _table("rings of", "rounds", "distinct", "simulator", "BookSim", "difference")
    for model, size in SCHEDULES[: options.schedules]:
        rounds = rounds_of(schedule(stages_of(model, size), read_profile("default")))
        cycles = [sum(_round(*each)[side] * number for each, number in rounds.items()) for side in (0, 1)]
        worst = max(worst, abs(cycles[0] / cycles[1] - 1))
        table.add_row(f"{model} {size}", f"{rounds.total():,}", str(len(rounds)), *_compared(*cycles))
    console.print(table)
    table = _table("traffic", "mesh", "flits", "simulator", "BookSim", "difference")
    for extent in (4, 8):
        for flits in (64, 256):
            drawn = [_traffic(extent, "uniform", flits, seed) for seed in range(options.seeds)]
            every = sum(each[0] for each in drawn), sum(each[1] for each in drawn)
            worst = max(worst, abs(every[0] / max(1, every[1]) - 1)) if drawn else worst
            rows = [(f"random, seed {seed}", each) for seed, each in enumerate(drawn)]
            rows.append(("random, all seeds", every))
            rows += [(pattern, _traffic(extent, pattern, flits, 0)) for pattern in PATTERNS]
            for name, each in rows:
                table.add_row(name, f"{extent}x{extent}", str(flits), *_compared(*each))
    console.print(table)
    return 1 if worst > LIMIT else 0


def _table(*columns: str) -> Table:
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def _compared(own: int, other: int) -> list[str]:
    return [f"{own:,}", f"{other:,}", f"{own / max(1, other) - 1:+.1%}"]


if __name__ == "__main__":
    exit_with(main)
