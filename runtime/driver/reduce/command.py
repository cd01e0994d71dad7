"""`opt-tool --reduce`: from a failing invocation to the smallest test case that fails in the same way."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ....dialects.core.syntax.text import parse_module
from ....dialects.core.verification.verifier import verify
from ....errors import Diagnostic
from ....files import write_stdout, write_text
from ....interruption import reported
from ....passes.core.manager import Observer
from ....passes.core.pipeline import Pipeline
from .case import ReductionCase
from .predicate import CommandHolds, LastInput, SameFailure
from .rules import RULES
from .runs import isolated_outcome
from .search import DeltaDebugger, verifies
from .signature import HANG, FailureSignature

SECONDS = 60.0
"""Default of --reduce-timeout: a run of a network through a machine's pipeline takes seconds."""
SECONDS_INTERPRETED = 600.0
"""Default with --interpret-each: the loops of MobileNetV1 x0.25 run op by op for more than a minute."""
_OF_HANG = 20
"""Share of the limit after which a candidate counts as one that hangs; the result is checked with the whole limit."""
_LEAST_OF_HANG = 1.0
"""Seconds after which it does so at least: modules are imported as a run first needs them."""


@dataclass(frozen=True)
class Invocation:
    """An invocation to reduce: `run` raises its failure, with further observers; `flags` are those of its RUN line."""

    run: Callable[[ModuleOp, Pipeline, Sequence[Observer]], object]
    context: Context
    flags: tuple[str, ...]
    command: str = ""
    """Command of --reduce-predicate, empty for the same failure."""
    seconds: float = SECONDS


@dataclass
class Reducer:
    """Reduction of an invocation; `best` is the smallest test case so far, also after an interrupt."""

    invocations: Sequence[Invocation]
    """The invocation, and cheaper ones that replace it where they fail in the same way."""
    best: ReductionCase
    folder: Path
    show: Callable[[DeltaDebugger], object] = field(default=lambda _: None)
    failure: FailureSignature | None = None
    tries: int = 0
    is_verified: bool = True
    invocation: Invocation = field(init=False)

    def __post_init__(self) -> None:
        self.invocation = self.invocations[0]

    def run(self) -> None:
        """Reduce. Raises Diagnostic where the invocation does not fail, or the command does not hold."""
        self.is_verified = verifies(self.best.module)
        if self.invocation.command:
            holds = CommandHolds(self.invocation.command, self.folder / "case.mlir", self.text, self.invocation.seconds)
            holds.check(self.best.clone())
            self._search(holds)
            return
        same = self._same_failure()
        start = self.best
        self._search(same)
        whole = SameFailure(self._run, same.failure, self.invocation.seconds)
        if self._holds_as_text(whole, self.best):
            return
        if not self._holds_as_text(whole, start):
            raise Diagnostic(
                "the failure does not occur when the IR is read from its text",
                notes=[same.failure.shown],
                remedy="--verify-each=roundtrip shows the first op whose text differs",
            )
        self.best = start
        self._search(partial(self._holds_as_text, whole))

    def text(self, case: ReductionCase) -> str:
        """Return the file of a test case, with the failure as a comment."""
        comment = self.failure.shown if self.failure else ""
        return case.text(self.invocation.context, self.invocation.flags, comment)

    def _run(self, module: ModuleOp, pipeline: Pipeline, observers: Sequence[Observer] = ()) -> None:
        if not self.is_verified:
            verify(module)
        self.invocation.run(module, pipeline, observers)

    def _same_failure(self) -> SameFailure:
        """Run the invocation once, go on from the input of the pass that fails, and return the predicate."""
        before = LastInput(self.folder / "before.mlir", self.text)
        case = self.best.clone()
        self.failure = isolated_outcome(
            partial(self._run, case.module, case.pipeline, (before,)), self.invocation.seconds
        )
        if self.failure is None:
            raise Diagnostic(
                "the invocation does not fail: there is nothing to reduce",
                expected="an error, a crash, or with --interpret-each a wrong answer",
                found=f"{self.best.pipeline} succeeds",
                remedy="give the passes that fail, or --reduce-predicate='COMMAND {}'",
            )
        print(f"--reduce keeps: {self.failure.shown}", file=sys.stderr)
        most = self.invocation.seconds
        if self.failure.kind == HANG:
            most = min(most, max(_LEAST_OF_HANG, most / _OF_HANG))
        same = SameFailure(self._run, self.failure, most)
        self._start_at_failure(before, same)
        self._make_cheaper(same)
        return same

    def _make_cheaper(self, same: SameFailure) -> None:
        """Go on with the last invocation that fails in the same way."""
        for invocation in reversed(self.invocations[1:]):
            first, self.invocation = self.invocation, invocation
            self.tries += 1
            if same(self.best.clone()):
                return
            self.invocation = first

    def _start_at_failure(self, before: LastInput, same: SameFailure) -> None:
        """
        Go on from the pass that fails alone, on the IR that went into it, where that fails in the same way.

        Where it does not, the passes after it go.
        """
        if not before.file.is_file():
            return
        text, number = before.file.read_text(encoding="utf-8"), before.number
        alone = ReductionCase(parse_module(self.invocation.context, text), self.best.steps[number - 1 : number])
        for case in (alone, ReductionCase(self.best.module, self.best.steps[:number])):
            self.tries += 1
            if same(case.clone()):
                self.best = case
                return

    def _holds_as_text(self, same: SameFailure, case: ReductionCase) -> bool:
        """Return whether the text of a test case fails in the same way."""
        try:
            module = parse_module(self.invocation.context, self.text(case))
        except Diagnostic:
            return False
        self.tries += 1
        return same(ReductionCase(module, case.steps))

    def _search(self, is_interesting: Callable[[ReductionCase], bool]) -> None:
        search = DeltaDebugger(self.best, is_interesting, self.is_verified, self._progress)
        before = self.tries
        try:
            search.run(RULES)
        finally:
            self.tries = before + search.tries

    def _progress(self, search: DeltaDebugger) -> None:
        self.best = search.best
        self.show(search)


def reduce_command(
    invocations: Sequence[Invocation], module: ModuleOp, pipeline: Pipeline, arguments: Namespace
) -> int:
    """
    Reduce an invocation, the first of some, write the result, and return the exit code.

    The others check less and replace the first where they fail in the same way. The result goes to the files of -o and
    --reproducer, without either to standard output. After an interrupt the smallest test case so far is written. Raises
    Diagnostic where there is nothing to reduce.
    """
    start, ended = perf_counter(), None
    first = ReductionCase(module, pipeline.steps)
    with tempfile.TemporaryDirectory(prefix="reduce-") as folder, _shown(start) as show:
        reducer = Reducer(invocations, first, Path(folder), show)
        try:
            reducer.run()
        except KeyboardInterrupt as error:
            if not reducer.tries:
                raise
            ended = error
    files = [name for name in (arguments.reproducer, arguments.output) if name and name != "-"]
    text = reducer.text(reducer.best)
    for name in files:
        write_text(Path(name), text)
    if not files:
        write_stdout(text, remedy="choose a file with -o")
    print(_summary(first, reducer, perf_counter() - start), file=sys.stderr)
    if ended is None:
        return 0
    said, code = reported(ended)
    print(said, file=sys.stderr)
    return code


def _summary(first: ReductionCase, reducer: Reducer, seconds: float) -> str:
    before, after = (f"{case.op_count} ops, {len(case.steps)} passes" for case in (first, reducer.best))
    return f"reduced {before} to {after} in {reducer.tries} tries, {seconds:.1f} s"


@contextmanager
def _shown(start: float) -> Generator[Callable[[DeltaDebugger], object]]:
    """Show on a terminal how far a reduction is; gives the function that is called after each try."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    # Runs redirect the standard streams, and fork: the console keeps the stream, and has no thread.
    columns = SpinnerColumn(), TextColumn("{task.description}")
    console = Console(file=sys.stderr)
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task("reduce")

        def show(search: DeltaDebugger) -> None:
            case, seconds = search.best, perf_counter() - start
            counts = f"{case.op_count} ops, {len(case.steps)} passes, {search.tries} tries, {seconds:.0f} s"
            bar.update(task, description=f"{counts}: {search.rule}", refresh=True)

        yield show
