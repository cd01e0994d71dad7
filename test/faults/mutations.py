"""
Plant faults in programs that are right, and see whether verify-memory finds them.

    python test/faults/mutations.py [MUTANTS] [SEED]

Random kernels are cut into random tiles, along reductions too, fused, nested and left in near buffers; grids, expanded
programs and arenas get one fault each. A mutant that verify-memory accepts must give the right answer, whether
transfers move their data when they begin or when they are waited for; one that it refuses comes with a counterexample.
Exits with 1 if a mutant is missed, or a program that is right is refused.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tilewright.dialects.core.semantics import RULES
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import DmaStartOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.testing.programs.explicit import CONTEXT
from tilewright.test.faults.mutation_faults import FAULTS, Fault
from tilewright.test.fuzz.seeded import seeded_parser

Outputs = Mapping[str, Array]


@contextmanager
def early_transfers() -> Generator[None]:
    """Let the interpreter move data when a transfer begins, not when it is waited for."""
    begin = RULES[DmaStartOp]

    def start(runner: Any, op: Any, operands: Sequence[Any]) -> Sequence[Any]:
        (transfer,) = begin(runner, op, operands)
        transfer.finish()
        return [None]

    RULES[DmaStartOp] = start
    try:
        yield
    finally:
        RULES[DmaStartOp] = begin


def answers(module: ModuleOp, inputs: Outputs) -> Iterator[Array | None]:
    """Yield the output with transfers in program order, as late and as early as can be; None where it does not run."""
    yield _answer(module, inputs)
    expanded = module.clone()
    try:
        ExpandGridPass().apply(CONTEXT, expanded)
    except Diagnostic:
        yield None
        return
    yield _answer(expanded, inputs)
    with early_transfers():
        early = _answer(expanded, inputs)
    yield early


def _answer(module: ModuleOp, inputs: Outputs) -> Array | None:
    try:
        return run_module(module, inputs)["o"]
    except (Diagnostic, ValueError, IndexError):
        return None


@dataclass
class Outcomes:
    """Outcomes of the mutants of one kind of fault, counted."""

    planted: int = 0
    wrong: int = 0
    """Those that give another answer."""
    refused: int = 0
    benign: int = 0
    """Those that are accepted and give the same answer."""
    missed: list[str] = field(default_factory=list[str])
    """The seeds of those that are accepted and give another answer."""
    unexplained: list[str] = field(default_factory=list[str])
    """The seeds of those that are refused without a counterexample."""

    def add(self, other: Outcomes) -> None:
        """Add those of other mutants."""
        self.planted += other.planted
        self.wrong += other.wrong
        self.refused += other.refused
        self.benign += other.benign
        self.missed += other.missed
        self.unexplained += other.unexplained


def judge(fault: Fault, seed: str, outcomes: Outcomes) -> None:
    """
    Plant one fault and note what becomes of it.

    Raises Diagnostic if the program is refused before.
    """
    draw = random.Random(seed)
    while True:
        module = fault.program(draw)
        mutant = module.clone()
        if fault.plant(mutant, draw) and _is_valid(mutant):
            break
    verify_memory(module)
    inputs = random_inputs(module, draw.randrange(1 << 30))
    expected = next(answers(module, inputs))
    wrong = any(answer is None or not np.array_equal(answer, cast(Any, expected)) for answer in answers(mutant, inputs))
    outcomes.planted += 1
    outcomes.wrong += wrong
    try:
        verify_memory(mutant)
    except Diagnostic as refusal:
        outcomes.refused += 1
        outcomes.unexplained += [seed] if not any("counterexample" in note for note in refusal.notes) else []
        return
    outcomes.benign += not wrong
    outcomes.missed += [seed] if wrong else []


def _is_valid(module: ModuleOp) -> bool:
    try:
        verify(module)
    except (Diagnostic, VerifyException):
        return False
    return True


def run(count: int, seed: int = 0) -> dict[str, Outcomes]:
    """Plant `count` faults, of all kinds in turn; return the outcomes of each kind."""
    by_fault = {fault.name: Outcomes() for fault in FAULTS}
    for index in range(count):
        fault = FAULTS[index % len(FAULTS)]
        judge(fault, f"{seed}.{index}", by_fault[fault.name])
    return by_fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if a mutant is missed or a program refused without a counterexample."""
    options = seeded_parser(__doc__, "MUTANTS", 1000).parse_args(arguments)
    count, seed = options.count, options.seed
    start = time.perf_counter()
    by_fault = run(count, seed)
    table = Table(title=f"{count} faults planted, seed {seed}")
    for column in ("fault", "planted", "wrong", "refused", "benign", "missed"):
        table.add_column(column, justify="left" if column == "fault" else "right", no_wrap=True)
    total = Outcomes()
    for name, outcomes in by_fault.items():
        table.add_row(name, *_cells(outcomes))
        total.add(outcomes)
    table.add_row("all", *_cells(total), style="bold")
    console = Console()
    console.print(table)
    console.print(f"{time.perf_counter() - start:.1f} s")
    for what, seeds in (("missed", total.missed), ("refused without a counterexample", total.unexplained)):
        if seeds:
            console.print(f"{what}: {', '.join(seeds)}")
    return 1 if total.missed or total.unexplained else 0


def _cells(outcomes: Outcomes) -> list[str]:
    return [str(n) for n in (outcomes.planted, outcomes.wrong, outcomes.refused, outcomes.benign, len(outcomes.missed))]


if __name__ == "__main__":
    sys.exit(main())
