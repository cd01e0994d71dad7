"""
Plant faults in the programs of the machines, and see whether they are refused, and whether a refusal can be replayed.

    python test/faults/machine_faults.py [FAULTS] [SEED] [--silent]

The programs are those of test/machines/programs, each on the machine that its RUN line names: transfers, launches,
streams, replicated programs, tables, near types, instructions, grids. Those with grids are taken as grids, as loops,
and as pipelined loops. A fault that is accepted must not show in any execution: all orders give one result, whatever
memory held before. Where that result is another one than without the fault, the fault has made another program that is
safe as well, or one whose tables a run refuses; in a grid whose kernels state what they are part of (`hier.kernel`)
that is a miss too. Exits with 1 if a fault is missed.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tilewright.dialects.core.interleaving import Order
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.targets import machine_named
from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.proof.rules import Refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.tools.replay import replay, structural
from tilewright.test.faults.machine_fault_kinds import COMPUTATION, KINDS
from tilewright.test.fuzz.seeded import seeded_parser

Outputs = Mapping[str, Array]

FOLDER = Path(__file__).parents[1] / "machines"
OUT_OF_RANGE: Outputs = {"an entry of a table": np.array("out of its range")}
"""Result of a run that stops at an entry of a table."""
LEVELS = ("", "expand-grid", "expand-grid,pipeline-dma")
ORDERS = (
    Order(),
    Order(undefined=0x5A),
    Order(undefined=0xFF),
    Order(undefined=0x100),
    Order(early=True),
    *map(Order, range(6)),
)
_MACHINE = re.compile(r"attach-machine\{target=%S/\.\./([\w.]+)\}")


@dataclass
class Program:
    """A program at a level, its inputs, and what it computes."""

    name: str
    module: ModuleOp
    inputs: Outputs
    wanted: Outputs
    states_kernels: bool
    """Whether its kernels state what they are part of."""


@dataclass
class Outcomes:
    """Outcomes of the faults of a kind, counted."""

    planted: int = 0
    ill_formed: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    """Refusals: replayed, structural, or not replayed."""
    unshown: Counter[str] = field(default_factory=Counter[str])
    """Rules of the refusals that are not replayed, and why."""
    harmless: int = 0
    other: int = 0
    """Those that make another program."""
    missed: list[str] = field(default_factory=list[str])
    silent: list[str] = field(default_factory=list[str])
    """The refusals that are not replayed."""


def programs(without: tuple[str, ...] = ()) -> Iterator[Program]:
    """
    Yield the programs at all levels, without those whose names begin so.

    The targets in folders that they name stay known. Raises Diagnostic for a program without a machine, or one that
    does not run.
    """
    for file in sorted((FOLDER / "programs").glob("*.mlir")):
        if file.name.startswith(without):
            continue
        text, place = file.read_text(encoding="utf-8"), machine_of(file)
        if place.is_dir():
            machine_named(str(place))
        module = parse_module(new_context(), text, file.name)
        attach_machine(module, find_machine(place))
        if "hier.sharded" in text:
            _run(module, "lower-sharded")
        has_grids = any(op.name == "hier.grid" for op in nested_ops(module))
        for level in LEVELS if has_grids else ("",):
            lowered = module.clone()
            _run(lowered, level)
            inputs = random_inputs(lowered, 5)
            wanted = run_module(lowered, inputs)
            kernels = any("hier.kernel" in op.attributes for op in nested_ops(lowered))
            yield Program(f"{file.stem} {level or 'as written'}", lowered, inputs, wanted, kernels)


def machine_of(file: Path) -> Path:
    """Return the file of the machine that a program's RUN line names. Raises Diagnostic for a program without one."""
    machine = _MACHINE.search(file.read_text(encoding="utf-8"))
    if machine is None:
        raise Diagnostic("the program names no machine", where=str(file), expected="attach-machine{...} in a RUN line")
    return FOLDER / machine[1]


def _run(module: ModuleOp, passes: str) -> None:
    if passes:
        PassManager().run(module, parse_pipeline(passes, all_passes()), new_context())


def judge(program: Program, kind: str, draw: random.Random, outcomes: Outcomes, seed: str) -> bool:
    """Plant a fault of a kind, and note what becomes of it; False where the program has no place for one."""
    mutant = program.module.clone()
    if not KINDS[kind](mutant, draw):
        return False
    outcomes.planted += 1
    try:
        verify(mutant)
    except (Diagnostic, VerifyException):
        outcomes.ill_formed += 1
        return True
    try:
        verify_memory(mutant)
    except Refusal as refusal:
        against = None if "range" in kind else program.module
        found, why = replay(mutant, refusal, None, against, seeds=10), structural(refusal)
        outcomes.refused["replayed" if found else "structural" if why else "not replayed"] += 1
        if not found:
            outcomes.unshown[f"'{refusal.rule}': {why or 'no order shows it on these inputs'}"] += 1
        if not found and not why:
            outcomes.silent.append(f"{seed} {refusal.rule}")
        return True
    except Diagnostic:
        outcomes.ill_formed += 1
        return True
    if "range" in kind:
        program = replace(program, inputs=random_inputs(mutant, 5))
        program = replace(program, wanted=_result(mutant, program.inputs, Order()) or {})
    results = [_result(mutant, program.inputs, order) for order in ORDERS]
    if any(result is None or not _same(result, results[0]) for result in results):
        outcomes.missed.append(seed)
    elif _same(results[0], program.wanted):
        outcomes.harmless += 1
    elif program.states_kernels and kind not in COMPUTATION:
        outcomes.missed.append(seed)
    else:
        outcomes.other += 1
    return True


def _result(module: ModuleOp, inputs: Outputs, order: Order) -> Outputs | None:
    try:
        return run_module(module, inputs, interleave=order)
    except Diagnostic as error:
        # The proof takes the entries of computed tables to be in their ranges, which a run checks.
        return OUT_OF_RANGE if "is out of its range" in error.message else None
    except (ValueError, IndexError):
        return None


def _same(one: Outputs | None, other: Outputs | None) -> bool:
    if one is None or other is None:
        return False
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], value, equal_nan=value.dtype.kind == "f") for name, value in other.items()
    )


def planted(count: int, first: int, among: Sequence[Program], *, shows: bool = False) -> dict[str, Outcomes]:
    """Plant `count` faults, and return their outcomes by kind."""
    found = {kind: Outcomes() for kind in KINDS}
    console = Console(stderr=True)
    for number in track(range(count), "faults", console=console, transient=True, disable=not shows):
        attempt = 0
        while True:
            seed = f"{first}/{number}/{attempt}"
            draw = random.Random(seed)
            program, kind = draw.choice(among), draw.choice(list(KINDS))
            if judge(program, kind, draw, found[kind], f"{seed} {kind}: {program.name}"):
                break
            attempt += 1
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant faults, print the table, and return the exit code."""
    parser = seeded_parser(__doc__, "FAULTS", 3000)
    parser.add_argument("--silent", action="store_true", help="list the refusals that no replay shows")
    options = parser.parse_args(arguments)
    among = list(programs())
    found = planted(options.count, options.seed, among, shows=True)
    columns = ("fault", "planted", "ill-formed", "refused", "replayed", "structural", "not replayed")
    table = Table(*columns, "harmless", "another program", "missed")
    total = Outcomes()
    for kind, each in [*found.items(), ("all", total)]:
        refused = each.refused
        hows = (sum(refused.values()), *(refused[how] for how in columns[4:]))
        counts = (each.planted, each.ill_formed, *hows, each.harmless, each.other, len(each.missed))
        table.add_row(kind, *(f"{number:,}" for number in counts))
        if each is not total:
            total.planted += each.planted
            total.ill_formed += each.ill_formed
            total.refused += refused
            total.unshown += each.unshown
            total.harmless += each.harmless
            total.other += each.other
            total.missed += each.missed
            total.silent += each.silent
    console = Console(width=170)
    console.print(f"{len(among)} programs, at their levels")
    console.print(table)
    for why, number in total.unshown.most_common():
        console.print(f"{number:,} refusals that no execution shows: {why}", highlight=False)
    for seed in total.missed:
        console.print(f"missed: {seed}", highlight=False)
    if options.silent:
        for seed in total.silent:
            console.print(f"not replayed: {seed}", highlight=False)
    return 1 if total.missed else 0


if __name__ == "__main__":
    sys.exit(main())
