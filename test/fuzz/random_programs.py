"""
Run random programs of the standard dialects through the passes of opt-tool, and as C.

    python test/fuzz/random_programs.py --count 3000
    python test/fuzz/random_programs.py --count 1 --seed 1234 --passes canonicalize,cse
    python test/fuzz/random_programs.py --count 500 --jit

Program number N is made from the seed N by `runtime/testing/programs`. The interpreter runs it, with the ends of its
types among the inputs, before and after each of some passes, which its seed chooses among all that opt-tool offers; the
results must be equal bit for bit, except for the bits of NaN. A program that a pipeline lowers to C is compiled with
others, with all warnings as errors, plainly and under ASan and UBSan, and must give the same. With `--jit` it runs in
the JIT of upstream MLIR too. A pass may refuse a program by a clear error; an internal error, a hang, IR that does not
verify and another result are faults. Each is printed with its seed, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.testing.programs.program import PROFILES, RandomProgram, program
from tilewright.runtime.upstream import optimized
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated
from tilewright.test.fuzz.seeded import positive
from tilewright.test.random.programs.harness import Failure, Results
from tilewright.test.random.programs.in_c import FLAGS, CText, in_c, run_in_c
from tilewright.test.random.programs.in_jit import FAULTS, UNSUPPORTED, run_in_jit
from tilewright.test.random.programs.passes import Outcome, Subject, chains, failure_kind, reduced_fault
from tilewright.test.random.programs.running import difference, inputs_of, interpreted

BATCH = 25
"""Programs in one process, and in one translation unit: the compiler starts in 30 ms, a program takes it 50 ms."""
SECONDS = 900
"""Limit of a batch; each pass has its own, far below."""
KINDS = ("same", "changed", "lowered", "refused", "unsupported", "fault")


@dataclass(frozen=True)
class Options:
    """Passes to run on each program: how many, and of which names; and where else it runs."""

    passes: int
    names: tuple[str, ...]
    profile: str | None
    in_c: bool
    jit: bool
    reduce: bool


@dataclass
class Tally:
    """Outcomes of a batch by pass, and texts of its faults."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter[str]))
    refusals: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])

    def add(self, name: str, kind: str) -> None:
        self.counts[name][kind] += 1

    def fault(self, name: str, seed: int, text: str) -> None:
        self.add(name, "fault")
        self.faults.append(f"seed {seed}: {text}")

    def merge(self, other: Tally) -> None:
        for name, counts in other.counts.items():
            self.counts[name].update(counts)
        self.refusals.update(other.refusals)
        self.faults += other.faults


def attempt(first: int, options: Options) -> Tally:
    """Return the outcomes of a batch of programs; one of a fault in the batch itself if there is any."""
    tally = Tally()
    try:
        programs = [program(seed, profile=options.profile, entry=f"p{seed}") for seed in range(first, first + BATCH)]
        subjects = [subject for drawn in programs if (subject := _subject(drawn, tally)) is not None]
        for subject in subjects:
            _run_passes(subject, options, tally)
        running = [subject.program for subject in subjects]
        expected = {subject.program.seed: subject.expected for subject in subjects}
        if options.in_c:
            _compare_c(subjects, expected, tally)
        if options.jit:
            _compare_jit(running, expected, tally)
    except Exception:
        tally.fault("campaign", first, traceback.format_exc())
    return tally


def _subject(drawn: RandomProgram, tally: Tally) -> Subject | None:
    """Return a program with its results, None where it does not run."""
    try:
        return Subject(drawn)
    except Exception as error:
        tally.fault("interpreter", drawn.seed, f"{drawn.profile}: {error}")
    return None


def _run_passes(subject: Subject, options: Options, tally: Tally) -> None:
    drawn = subject.program
    for chain in chains(drawn.seed, options.passes, options.names):
        _record(subject, chain, tally, reduce=options.reduce)
    # Reading a program takes as long as running some passes on it.
    if drawn.seed % 4 == 0 and (detail := subject.reread()):
        tally.fault("print", drawn.seed, detail)


def _record(subject: Subject, chain: Sequence[str], tally: Tally, *, reduce: bool) -> None:
    try:
        outcomes = subject.check(chain)
    except Exception:
        outcomes = [Outcome(chain[-1], "fault", traceback.format_exc())]
    for outcome in outcomes:
        name = outcome.step.partition("{")[0]
        if outcome.kind != "fault":
            tally.add(name, outcome.kind)
            continue
        where = f"{subject.program.profile}, {','.join(chain)}, at {outcome.step}"
        smaller = f"\n{reduced_fault(subject.program, chain)}" if reduce else ""
        tally.fault(name, subject.program.seed, f"{where}: {outcome.detail}{smaller}")


def _compare(
    place: str,
    programs: Sequence[RandomProgram],
    results: Sequence[list[Results] | Failure],
    expected: dict[int, list[Results]],
    tally: Tally,
) -> None:
    for drawn, outcome in zip(programs, results, strict=True):
        if isinstance(outcome, Failure):
            upstream = [name for part, name in FAULTS.items() if part in outcome.text]
            if upstream and not place.startswith("C"):
                tally.add(place, "unsupported")
                tally.refusals[f"{place}: {upstream[0]} (seed {drawn.seed})"] += 1
                continue
            tally.fault(place, drawn.seed, f"{drawn.profile}, {place}: {outcome.text}")
            continue
        pairs = zip(expected[drawn.seed], outcome, strict=True)
        texts = [text for want, have in pairs if (text := difference(want, have))]
        if texts:
            tally.fault(place, drawn.seed, f"{drawn.profile}, {place}: {texts[0]}")
        else:
            tally.add(place, "same")


def _compare_c(subjects: Sequence[Subject], expected: dict[int, list[Results]], tally: Tally) -> None:
    texts = list[CText]()
    for subject in subjects:
        drawn = subject.program
        try:
            texts.append(in_c(drawn, subject.module))
        except Diagnostic as error:
            if (kind := failure_kind(error)) == "fault":
                tally.fault("to C", drawn.seed, f"{drawn.profile}: {error}")
            else:
                tally.add("to C", kind)
                tally.refusals[f"{error.stage.partition(',')[0]}: {error.message[:70]}"] += 1
        else:
            tally.add("to C", "changed")
    with tempfile.TemporaryDirectory() as folder:
        for build in FLAGS if texts else ():
            results = run_in_c(texts, Path(folder), build)
            _compare(f"C, {build}", [text.program for text in texts], results, expected, tally)


def _compare_jit(programs: Sequence[RandomProgram], expected: dict[int, list[Results]], tally: Tally) -> None:
    chosen = list[RandomProgram]()
    for drawn in programs:
        reasons = [reason for trait, reason in UNSUPPORTED.items() if trait in drawn.traits]
        if not reasons:
            chosen.append(drawn)
            continue
        tally.add("JIT", "refused")
        tally.refusals[f"JIT: {reasons[0]}"] += 1
    with tempfile.TemporaryDirectory() as folder:
        _compare("JIT", chosen, run_in_jit(chosen, Path(folder)), expected, tally)
    for drawn in chosen:
        _compare("mlir-opt's text", [drawn], [_reprinted(drawn)], expected, tally)


def _reprinted(drawn: RandomProgram) -> list[Results] | Failure:
    """Return the results of a program as mlir-opt prints it."""
    try:
        accepted = parse_module(new_context(), optimized(drawn.text))
        return [interpreted(accepted, drawn, inputs_of(drawn, seed)) for seed in range(2)]
    except Diagnostic as error:
        return Failure(str(error))


def table(tally: Tally) -> Table:
    """Return the outcomes by pass."""
    shown = Table("pass", *KINDS)
    for name, counts in sorted(tally.counts.items()):
        shown.add_row(name, *(str(counts[kind] or "") for kind in KINDS))
    totals = [sum(counts[kind] for counts in tally.counts.values()) for kind in KINDS]
    shown.add_section()
    shown.add_row("all", *map(str, totals))
    return shown


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--count", type=positive, default=200, metavar="N", help="how many programs, rounded up to batches of 25 (200)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--profile", choices=[*PROFILES], help="kind of program (any)")
    add("--passes", default="", metavar="LIST", help="names of passes, separated by commas (all)")
    add("--each", type=int, default=10, metavar="N", help="how many passes on each program (10)")
    add("--jit", action="store_true", help="run in the JIT of upstream MLIR too")
    add("--no-c", action="store_true", help="do not run in C")
    add("--reduce", action="store_true", help="print the smallest program that has the fault of a pass, too")
    add("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N", help="processes at a time")
    add("--faults", type=Path, metavar="FILE", help="write the faults there, too")
    return parser.parse_args()


def _ended(first: int, end: Crash | Hang) -> Tally:
    """Return the outcome of a batch whose process ended or hung."""
    tally = Tally()
    tally.fault("campaign", first, f"batch of {BATCH}: {type(end).__name__.lower()}: {end}")
    return tally


def main() -> int:
    arguments = parsed()
    names = tuple(name for name in arguments.passes.split(",") if name)
    options = Options(arguments.each, names, arguments.profile, not arguments.no_c, arguments.jit, arguments.reduce)
    console, began, tally = Console(stderr=True), time.monotonic(), Tally()
    firsts = range(arguments.seed, arguments.seed + arguments.count, BATCH)
    runs = run_isolated(firsts, partial(attempt, options=options), arguments.jobs, SECONDS)
    done = 0
    # What came before an interruption is shown, too; a job in the background is ended by SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        for first, outcome in track(runs, "running", len(firsts), console=console, disable=not console.is_terminal):
            batch = _ended(first, outcome) if isinstance(outcome, Crash | Hang) else outcome
            tally.merge(batch)
            done += BATCH
            for text in batch.faults:
                print(text, flush=True)
            if arguments.faults:
                arguments.faults.write_text("\n\n".join(tally.faults))
    Console(width=100).print(table(tally))
    for rank, (text, count) in enumerate(tally.refusals.most_common()):
        if rank < 12 or text.startswith("JIT"):
            print(f"{count:5} {text}")
    print(f"{done} programs, {len(tally.faults)} faults, {time.monotonic() - began:.0f} s")
    return int(bool(tally.faults))


if __name__ == "__main__":
    sys.exit(main())
