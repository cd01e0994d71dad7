"""
Concurrent programs of random constructs: verify-memory and the interpreter beside the enumeration of all interleavings.

    python test/oracles/interleavings.py [COUNT] [SEED] [SEEDS]

A case has two or three programs, or several times as many one after the other, with streams, transfers, launches,
replicated programs, views and buffers at addresses (`interleavings_cases.py`). The enumeration shares no code with the
compiler (`interleavings_oracle.py`). It finds each deadlock, each use of what is undefined, each pair of interleavings
with different results, and each buffer that another one at its address overwrites; besides, races and broken rules of
streams and tokens that no result shows. All of these verify-memory has to refuse: one miss fails the script. A refusal
where the enumeration finds nothing is a false alarm, counted by rule.

Every result of the interpreter has to be one of the enumerated ones. Of the first 200 programs with several results or
a deadlock, the script counts those that show it under SEEDS seeds.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from rich.console import Console
from rich.progress import track
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.test.fuzz.seeded import seeded_parser
from tilewright.test.oracles.interleavings_cases import FEATURES, random_case
from tilewright.test.oracles.interleavings_ir import EXTENT, INPUTS, Case, text_of
from tilewright.test.oracles.interleavings_oracle import WRONG, Outcome, enumerated

ALLOWED = frozenset({"copies undefined"})
"""Faults that are none for verify-memory: a copy of an undefined element, which nothing uses."""
STATES = 3_000
"""States of a case that are enumerated."""
DEADLOCK = (-1,)
"""Result of a program that blocks."""


@dataclass(frozen=True)
class Judgement:
    """Verdicts on a case: the rule by which verify-memory refuses it, empty where it accepts, and the enumeration."""

    case: Case
    module: ModuleOp
    rule: str
    outcome: Outcome

    @property
    def is_wrong(self) -> bool:
        """Test that interleavings differ, block, or use undefined or overwritten elements."""
        return bool(self.outcome.faults & WRONG)

    @property
    def faults(self) -> set[str]:
        """The faults for which verify-memory has to refuse the case."""
        return self.outcome.faults - ALLOWED

    @property
    def verdict(self) -> str:
        """One of `right`, `wrong`, `benign`, `missed` and `false alarm`."""
        if not self.rule:
            return "missed" if self.faults else "right"
        if self.is_wrong:
            return "wrong"
        return "benign" if self.faults else "false alarm"


def judged(case: Case, limit: int = STATES) -> Judgement | None:
    """Return the verdicts on a case by up to `limit` states, None for one that is ill-formed."""
    try:
        module = parse_module(new_context(), text_of(case))
        verify(module)
    except Diagnostic:
        return None
    return Judgement(case, module, refusal(module), enumerated(case, limit))


def refusal(module: ModuleOp) -> str:
    """Return the rule by which verify-memory refuses a program, empty where it accepts it."""
    try:
        verify_memory(module)
    except Diagnostic as error:
        rule = re.search(r"\(rule '(.*)'\)", error.message)
        return rule[1] if rule else "other"
    return ""


def cases(count: int, seed: int) -> Iterator[Case]:
    """Yield random cases; each depends on the seed and its number alone."""
    return (random_case(Random(f"{seed} {number}")) for number in range(count))


def results(judgement: Judgement, seeds: Iterable[int]) -> set[tuple[int, ...]]:
    """Return the results of the interpreter under seeds, DEADLOCK among them where it blocks."""
    inputs = {f"arg{k}": 10 * k + 1 + np.arange(EXTENT, dtype=np.int32) for k in range(INPUTS)}
    found: set[tuple[int, ...]] = set()
    for seed in seeds:
        try:
            (result,) = run_module(judgement.module, inputs, interleave=seed).values()
        except Diagnostic as error:
            if "deadlock" not in error.message and "blocks forever" not in error.message:
                raise
            found.add(DEADLOCK)
        else:
            found.add(tuple(int(n) for n in result.astype(np.uint32)))
    return found


def is_comparable(judgement: Judgement) -> bool:
    """Return whether the interpreter's results are among the enumerated ones: all are, and none is undefined."""
    return judgement.outcome.is_complete and judgement.outcome.faults <= {"race", "result", "deadlock", "overwritten"}


def strays(judgement: Judgement, seeds: Sequence[int]) -> bool:
    """Return whether a result of the interpreter is not among the enumerated ones."""
    if not is_comparable(judgement):
        return False
    found = results(judgement, seeds) - judgement.outcome.results
    return bool(found - {DEADLOCK} if "deadlock" in judgement.outcome.faults else found)


def shows(judgement: Judgement, seeds: int) -> int | None:
    """Return the seeds that the interpreter takes to show a second result or a deadlock; None where it shows none."""
    found: set[tuple[int, ...]] = set()
    for seed in range(seeds):
        found |= results(judgement, [seed])
        if len(found) > 1 or DEADLOCK in found:
            return seed + 1
    return None


@dataclass
class _Report:
    """Counts of a run."""

    console: Console
    verdicts: Counter[str] = field(default_factory=Counter[str])
    alarms: Counter[str] = field(default_factory=Counter[str])
    benign: Counter[str] = field(default_factory=Counter[str])
    by_feature: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    faulty: list[Judgement] = field(default_factory=list[Judgement])
    shown: list[int | None] = field(default_factory=list["int | None"])

    def add(self, judgement: Judgement, seeds: int) -> None:
        """Count a case."""
        verdict = judgement.verdict
        self.verdicts[verdict] += 1
        for feature in judgement.case.features:
            self.by_feature[feature, verdict] += 1
        if verdict == "false alarm":
            self.alarms[", ".join([f"rule '{judgement.rule}'", *judgement.outcome.faults])] += 1
        if not judgement.outcome.is_complete:
            self.verdicts["cut off"] += 1
        if verdict == "right" and not judgement.outcome.is_complete:
            self.verdicts["right, cut off"] += 1
        if verdict == "benign":
            self.benign[", ".join(sorted(judgement.faults))] += 1
        if verdict == "missed":
            self.faulty.append(judgement)
        if strays(judgement, range(2)):
            self.verdicts["strays"] += 1
            self.faulty.append(judgement)
        differs = "deadlock" in judgement.outcome.faults or len(judgement.outcome.results) > 1
        if seeds and differs and is_comparable(judgement) and len(self.shown) < 200:
            self.shown.append(shows(judgement, seeds))

    def print(self, seeds: int) -> None:
        """Print the counts."""
        out = self.console.print
        for verdict, what in _VERDICTS.items():
            out(f"{self.verdicts[verdict]:6,} {what}")
        for rule, number in self.alarms.most_common():
            out(f"{number:6,} false alarms of {rule}")
        for faults, number in self.benign.most_common():
            out(f"{number:6,} refused for {faults}, of which no result shows anything")
        if self.shown:
            found = [each for each in self.shown if each is not None]
            out(f"{len(found):6,} of {len(self.shown)} wrong programs show it to the interpreter under {seeds} seeds")
            out(f"{sum(each <= 10 for each in found):6,} of them under 10")
        out(f"{'construct':20} {'cases':>6} {'wrong':>6} {'missed':>6} {'false alarms':>12}")
        for feature in FEATURES:
            counts = {verdict: self.by_feature[feature, verdict] for verdict in _VERDICTS}
            wrong, missed, alarms = counts["wrong"] + counts["missed"], counts["missed"], counts["false alarm"]
            out(f"{feature:20} {sum(counts.values()):6,} {wrong:6,} {missed:6,} {alarms:12,}")


_VERDICTS = {
    "right": "right in all interleavings, and accepted",
    "wrong": "wrong in some interleaving, and refused",
    "benign": "with a race or a broken rule that no result shows, and refused",
    "ill-formed": "ill-formed",
    "false alarm": "false alarms: right, and refused",
    "missed": "missed: wrong, and accepted",
    "strays": "with a result of the interpreter that no interleaving has",
    "cut off": "with more states than are enumerated",
    "right, cut off": "of them accepted",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and print what was found; returns 1 if a verdict is wrong."""
    parser = seeded_parser(__doc__, "COUNT", 2000)
    parser.add_argument("seeds", type=int, nargs="?", default=0, metavar="SEEDS", help="orders of execution (0)")
    options = parser.parse_args(arguments)
    count, seed, seeds = options.count, options.seed, options.seeds
    report = _Report(Console())
    for case in track(cases(count, seed), "cases", total=count, console=report.console):
        judgement = judged(case)
        if judgement is None:
            report.verdicts["ill-formed"] += 1
            continue
        report.add(judgement, seeds)
    report.print(seeds)
    for judgement in report.faulty[:3]:
        report.console.print(f"{sorted(judgement.outcome.faults)}\n{text_of(judgement.case)}", markup=False)
    return 1 if report.faulty else 0


if __name__ == "__main__":
    sys.exit(main())
