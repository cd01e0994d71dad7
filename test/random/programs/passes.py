"""Passes on random programs: after each one the program verifies, and computes the same."""

from __future__ import annotations

import re
import signal
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.targets import machines
from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline, PipelineStep, Registry, parse_pipeline
from tilewright.runtime.testing.programs.program import RandomProgram

from .reduce import reduced
from .running import difference, inputs_of, interpreted

SECONDS = 20
"""Limit of one pass on one program. The slowest that ends takes 2 s, its time budget."""

STANDARD = ("affine", "arith", "bufferization", "builtin", "cf", "func", "linalg", "math", "memref", "scf", "tensor")
"""Dialects that the interpreter runs; a program that has others is only verified after a pass."""
OWN = ("emitc", "nn", "quant")
"""Dialects that programs may be lowered to and run in."""

_LOWERED = ("has no body to run", "in the body of a kernel")
"""Messages of the interpreter on calls of functions elsewhere, and on calls in kernels, which passes introduce."""

APPROXIMATE = frozenset({"approximate-math-with-bitcast", "expand-math-to-polynomials"})
"""Passes whose purpose is another result."""

OPEN_UPSTREAM = frozenset({"identity", "libm"})
"""
Traits of programs whose results mlir-opt 19 may change.

It drops `linalg.transpose` on memrefs where the permutation is the identity, and folds elementary functions by the C
library that it is linked to.
"""

OPTIONS: dict[str, tuple[str, ...]] = {
    "annotate-unrolling": ("", "factor=2"),
    "apply-individual-rewrite": (
        "matched-operation-index=3 operation-name=arith.addi "
        "pattern-name=SignlessIntegerBinaryOperationZeroOrUnitRight",
    ),
    "arith-add-fastmath": ("flags=none", "flags=nnan,nsz"),
    "attach-machine": ("target=host",),
    "convert-kernels-to-loops": ("", "vectors=true", "row-bytes=8", "table-bytes=16"),
    "convert-ptr-to-x86": ("arch=avx2",),
    "convert-vector-to-x86": ("arch=avx2",),
    "csl-stencil-handle-async-flow": ("task-ids=1,2",),
    "csl-stencil-to-csl-wrapper": ("target=wse2",),
    "distribute-stencil": ("slices=2,2 strategy=2d-grid",),
    "fold-constants": ("", "limit=4"),
    "linalg-fuse-multiply-add": ("", "require-scalar-factor=true", "require-erasable-mul=true"),
    "memref-stream-tile-outer-loops": ("target-rank=1",),
    "mlir-opt": ("executable=mlir-opt-19 arguments='--canonicalize'", "executable=mlir-opt-19 arguments='--cse'"),
    "name-network": ("prefix=other",),
    "schedule-branches": ("seconds=2.0",),
    "scf-parallel-loop-tiling": tuple(f"parallel-loop-tile-sizes={sizes}" for sizes in ("1", "2", "4,3", "0,2")),
    "stencil-unroll": ("unroll-factor=2",),
    "verify-memory": ("", "plain=false"),
    "x86-set-arch": ("arch=avx2",),
}
"""Pass -> sets of its options; others run with their defaults."""

_ELSEWHERE = tuple(
    """
    allocate-sharded canonicalize-dmp convert-pdl convert-ptr convert-riscv convert-snitch convert-stencil
    convert-to-npu convert-vector convert-x86 csl distribute-stencil dmp eqsat gpu hls jax lower-csl lower-hls
    lower-mpi lower-riscv lower-snitch lower-to memref-stream riscv snitch stencil x86 apply-eqsat apply-pdl
    inline-snrt frontend shard schedule-branches
    """.split()
)
"""Beginnings of the names of passes on dialects that the programs do not have."""


@dataclass(frozen=True)
class Outcome:
    """
    Result of a pass on a program.

    `kind` is `same`, `changed`, `lowered` (to dialects that are not interpreted), `refused` (a clear error),
    `unsupported` (an error that says that a pass of xDSL raised an exception) or `fault`.
    """

    step: str
    kind: str
    detail: str = ""


class Hang(Exception):
    """A pass exceeded its time limit."""


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Raise Hang where the block takes longer; in the main thread alone."""

    def stop(*_: Any) -> None:
        raise Hang(f"longer than {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@cache
def registry() -> Registry:
    """Return all passes that opt-tool offers."""
    return all_passes()


@cache
def pipeline(text: str) -> Pipeline:
    """Return the passes of a text, without those that run the same twice."""
    return parse_pipeline(text, registry(), machines())


@cache
def steps() -> dict[str, float]:
    """Return every pass with each set of its options, and its weight: small for dialects that no program has."""
    weights: dict[str, float] = {}
    for name in registry():
        sets = OPTIONS.get(name, ("",))
        for options in sets:
            weight = 0.5 if name.startswith(_ELSEWHERE) else 1.0
            weights[f"{name}{{{options}}}" if options else name] = weight / len(sets)
    return weights


def chains(seed: int, count: int, names: Sequence[str] = ()) -> list[list[str]]:
    """Return pipelines of one to three passes, some `count` passes in all; those of `names` alone where given."""
    draw = Random(f"passes {seed}")
    weights = {step: weight for step, weight in steps().items() if not names or step.partition("{")[0] in names}
    drawn = draw.choices([*weights], [*weights.values()], k=count)
    parts: list[list[str]] = []
    while drawn:
        size = draw.choice((1, 1, 2, 3))
        parts.append(drawn[:size])
        drawn = drawn[size:]
    return parts


class Subject:
    """A program with its inputs and the results that the interpreter computes for it."""

    def __init__(self, program: RandomProgram, runs: int = 2, module: ModuleOp | None = None):
        self.program = program
        self.context = new_context()
        parsed = parse_module(self.context, program.text, f"{program.seed}.mlir") if module is None else module
        self.module = parsed
        verify(self.module)
        self.last = self.module
        self.inputs = [inputs_of(program, seed) for seed in range(runs)]
        self.expected = [self.run(self.module, inputs) for inputs in self.inputs]

    def run(self, module: ModuleOp, inputs: dict[str, Array]) -> dict[str, Array]:
        """Run a module of the program."""
        return interpreted(module, self.program, inputs)

    def differs(self, module: ModuleOp) -> str:
        """Return how the results of a module differ; "" where they do not."""
        for seed, (inputs, expected) in enumerate(zip(self.inputs, self.expected, strict=True)):
            if text := difference(expected, self.run(module, inputs)):
                return f"inputs {seed}: {text}"
        return ""

    def check(self, texts: Iterable[str]) -> list[Outcome]:
        """Run passes one after the other; the first that fails or leaves the standard dialects is the last."""
        module, outcomes = self.module.clone(), list[Outcome]()
        for text in texts:
            outcomes.append(self.step(module, text))
            if outcomes[-1].kind not in ("same", "changed"):
                break
        else:
            self.last = module
        return outcomes

    def reread(self) -> str:
        """Return how the module after the last passes is not read from its text as it is; "" where it is."""
        return _reread(self, self.last)

    def step(self, module: ModuleOp, text: str) -> Outcome:
        """Run one pass on a module, in place, and compare."""
        before = module.clone()
        try:
            with time_limit(SECONDS):
                applied = _applied(self, module, pipeline(text).steps)
        except Hang as error:
            return Outcome(text, "fault", f"hang: {error}")
        if applied is not None:
            return Outcome(text, *applied)
        if module.is_structurally_equivalent(before):
            return Outcome(text, "same")
        return Outcome(text, *_compared(self, module, text))


def reduced_fault(program: RandomProgram, chain: Sequence[str]) -> str:
    """Return the text of a smaller program on which passes have the same fault; "" where they have none."""

    def fault(module: ModuleOp | None) -> str:
        try:
            outcome = Subject(program, module=module).check(chain)[-1]
        except Diagnostic:
            return ""
        # Names of values and numbers differ from program to program.
        words = re.sub(r"[%@]\w+|\d+", "", outcome.detail.replace(f"{program.seed}.mlir", "")).split()
        return f"{outcome.step} {' '.join(words[:6])}" if outcome.kind == "fault" else ""

    if not (first := fault(None)):
        return ""
    context = new_context()
    module = parse_module(context, program.text, f"{program.seed}.mlir")
    return print_ir(reduced(module, lambda smaller: fault(smaller) == first), context=context)


def failure_kind(error: Diagnostic) -> str:
    """Return the kind of outcome that an error of a pass is."""
    if "internal error" in error.message or "does not verify" in str(error):
        return "fault"
    return "unsupported" if "of xDSL does not support" in error.message else "refused"


def _applied(subject: Subject, module: ModuleOp, run: Sequence[PipelineStep]) -> tuple[str, str] | None:
    """Run passes; return the kind and the text of a failure, None where there is none."""
    try:
        PassManager([]).run(module, Pipeline(tuple(run)), subject.context)
    except Diagnostic as error:
        return failure_kind(error), str(error)
    return None


def _compared(subject: Subject, module: ModuleOp, text: str) -> tuple[str, str]:
    others = {op.name.partition(".")[0] for op in nested_ops(module)} - {*STANDARD, *OWN}
    if others:
        return "lowered", ", ".join(sorted(others))
    try:
        with time_limit(SECONDS):
            detail = subject.differs(module)
    except Diagnostic as error:
        is_lowered = any(words in error.message for words in _LOWERED)
        return ("lowered" if is_lowered else "fault"), f"does not run: {error}"
    except Hang as error:
        return "fault", f"does not end: {error}"
    name = text.partition("{")[0]
    is_open = name in APPROXIMATE or (name == "mlir-opt" and subject.program.traits & OPEN_UPSTREAM)
    return ("fault", detail) if detail and not is_open else ("changed", "")


def _reread(subject: Subject, module: ModuleOp) -> str:
    """Return how a module fails to be read from its text; "" where it is read as it was."""
    text = print_ir(module, context=subject.context)
    try:
        again = parse_module(new_context(), text)
    except Diagnostic as error:
        return f"the text is not read: {error}"
    return "" if again.is_structurally_equivalent(module) else "the text is read as another program"
