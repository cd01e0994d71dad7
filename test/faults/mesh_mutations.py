"""
Plant faults in the programs of the nodes of a mesh, and see whether verify-memory finds them.

    python test/faults/mesh_mutations.py [MUTANTS] [SEED]

Random small networks and attention layers are split over the nodes of random meshes by the pipeline of the target pim,
and get one fault each: on sharded values, as programs with streams, with addresses, or as one program. A mutant that
verify-memory accepts must give the right answer in all orders of execution that the interpreter tries, whatever memory
held before. A refused mutant that gives the right answer in all of them is a false alarm, listed by rule. Exits with 1
if a mutant is missed.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tilewright.dialects.core.interleaving import Order
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.proof.rules import Refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.test.faults.mesh_fault_kinds import KINDS, kinds_of
from tilewright.test.fuzz.mesh_networks import LEVELS, Program, lowered, programs
from tilewright.test.fuzz.seeded import seeded_parser

ORDERS = (Order(), Order(early=True), Order(undefined=0x5A), Order(undefined=0x100, early=True), *map(Order, range(4)))
NETWORK = 12
"""Mutants of each network."""


@dataclass
class Outcomes:
    """Outcomes of the mutants of one kind of fault, counted."""

    planted: int = 0
    ill_formed: int = 0
    wrong: int = 0
    """Those that give another answer, or do not end, in some order."""
    refused: int = 0
    alarms: list[str] = field(default_factory=list[str])
    """The seeds of those that are refused and give the same answer, each with its rule."""
    benign: int = 0
    """Those that are accepted and give the same answer."""
    missed: list[str] = field(default_factory=list[str])
    """The seeds of those that are accepted and give another answer."""

    def add(self, other: Outcomes) -> None:
        """Add those of other mutants."""
        self.planted += other.planted
        self.ill_formed += other.ill_formed
        self.wrong += other.wrong
        self.refused += other.refused
        self.alarms += other.alarms
        self.benign += other.benign
        self.missed += other.missed


def judge(program: Program, kind: str, seed: str, outcomes: Outcomes) -> bool:
    """Plant a fault of a kind, and note what becomes of it; False where the program has no place for one."""
    mutant = program.module.clone()
    if not KINDS[kind](mutant, random.Random(seed)):
        return False
    outcomes.planted += 1
    try:
        verify(mutant)
        mutant = lowered(mutant, program.level, LEVELS[-1]) if program.level == LEVELS[0] else mutant
    except (Diagnostic, VerifyException):
        outcomes.ill_formed += 1
        return True
    refusal = _refusal(mutant)
    wrong = any(not _is_right(mutant, program, order) for order in ORDERS)
    text = f"{seed} {kind} ({program.name}, {program.level})"
    outcomes.wrong += wrong
    outcomes.refused += refusal is not None
    if refusal is None:
        outcomes.benign += not wrong
        outcomes.missed += [text] if wrong else []
    elif not wrong:
        outcomes.alarms.append(f"{refusal} {text}")
    return True


def _refusal(module: ModuleOp) -> str | None:
    """Return the rule that a module breaks, None for one that is accepted."""
    try:
        verify_memory(module, plain=False)
    except Refusal as refusal:
        return f"'{refusal.rule}'"
    except Diagnostic as error:
        return error.message
    return None


def _is_right(mutant: ModuleOp, program: Program, order: Order) -> bool:
    try:
        found = run_module(mutant, program.inputs, interleave=order)
    except (Diagnostic, ValueError, IndexError):
        return False
    return _same(found, program.wanted)


def _same(found: Mapping[str, Array], wanted: Mapping[str, Array]) -> bool:
    return found.keys() == wanted.keys() and all(
        np.array_equal(found[name], value, equal_nan=True) for name, value in wanted.items()
    )


def plant(among: Sequence[Program], seed: str, by_kind: Mapping[str, Outcomes]) -> None:
    """Plant one fault in one of some programs, and note what becomes of it."""
    attempt, is_planted = 0, False
    while not is_planted:
        text = f"{seed}.{attempt}"
        draw = random.Random(text)
        program = draw.choice(among)
        kind = draw.choice(kinds_of(program.level))
        is_planted = judge(program, kind, text, by_kind[kind])
        attempt += 1


def run(count: int, seed: int = 0, *, shows: bool = False) -> dict[str, Outcomes]:
    """
    Plant `count` faults, in programs of several networks; return the outcomes of each kind.

    Raises Diagnostic if a program is refused before.
    """
    by_kind = {kind: Outcomes() for kind in KINDS}
    among: list[Program] = []
    console = Console(stderr=True)
    for number in track(range(count), "mutants", console=console, transient=True, disable=not shows):
        if number % NETWORK == 0:
            among = programs(random.Random(f"{seed}.{number}"))
            for program in among[1:]:
                verify_memory(program.module, plain=False)
        plant(among, f"{seed}.{number}", by_kind)
    return by_kind


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if a mutant is missed."""
    options = seeded_parser(__doc__, "MUTANTS", 1000).parse_args(arguments)
    count, seed = options.count, options.seed
    start = time.perf_counter()
    by_kind = run(count, seed, shows=True)
    table = Table(title=f"{count} faults planted, seed {seed}")
    columns = ("fault", "planted", "ill-formed", "wrong", "refused", "false alarms", "benign", "missed")
    for column in columns:
        table.add_column(column, justify="left" if column == "fault" else "right", no_wrap=True)
    total = Outcomes()
    for kind, each in by_kind.items():
        table.add_row(kind, *_cells(each))
        total.add(each)
    table.add_row("all", *_cells(total), style="bold")
    console = Console(width=150)
    console.print(table)
    console.print(f"{time.perf_counter() - start:.1f} s")
    for rule, number in Counter(each.split(" ")[0] for each in total.alarms).most_common():
        console.print(f"{number} false alarms by {rule}", highlight=False)
    for what, seeds in (("false alarm", total.alarms), ("missed", total.missed)):
        for each in seeds:
            console.print(f"{what}: {each}", highlight=False)
    return 1 if total.missed else 0


def _cells(each: Outcomes) -> list[str]:
    alarms, missed = len(each.alarms), len(each.missed)
    numbers = (each.planted, each.ill_formed, each.wrong, each.refused, alarms, each.benign, missed)
    return [str(number) for number in numbers]


if __name__ == "__main__":
    sys.exit(main())
