"""Random programs: accepted by upstream's tools, and computing the same after passes, in C and in upstream's JIT."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from xdsl.dialects.builtin import UnitAttr

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.runtime.testing.programs.program import PROFILES, RandomProgram, program
from tilewright.runtime.upstream import optimized
from tilewright.test.random.programs.harness import Failure, Results
from tilewright.test.random.programs.in_c import CText, in_c, run_in_c
from tilewright.test.random.programs.in_jit import UNSUPPORTED, run_in_jit
from tilewright.test.random.programs.passes import Subject, chains, failure_kind, steps
from tilewright.test.random.programs.running import difference

PASSES = tuple(
    """
    bufferize canonicalize convert-kernels-to-loops convert-linalg-to-loops convert-scf-to-cf cse dce
    empty-tensor-to-alloc-tensor fold-constants fuse-epilogues generalize-kernels inline licm
    linalg-generalize-named-ops loop-hoist-memref lower-affine normalize-memrefs scf-for-loop-range-folding
    scf-for-loop-unroll scf-parallel-loop-tiling sccp symbol-dce verify-memory
    """.split()
)
"""Passes on the dialects of the programs; test/fuzz/random_programs.py runs all."""
BATCH = 12
needs_upstream = pytest.mark.skipif(
    any(shutil.which(f"{name}-19") is None for name in ("mlir-opt", "mlir-cpu-runner")), reason="no MLIR 19"
)


def test_programs_are_equal_for_equal_seeds() -> None:
    assert program(5).text == program(5).text != program(6).text
    assert program(5, entry="other").text == program(5).text.replace("network", "other")


def test_programs_have_all_families() -> None:
    text = "\n".join(program(seed).text for seed in range(200))
    names = set(re.findall(r"\b((?:affine|arith|cf|func|linalg|math|memref|scf|tensor)\.\w+)", text))
    assert {"scf.while", "scf.parallel", "cf.switch", "memref.subview", "affine.load", "linalg.reduce"} <= names
    assert len(names) > 130


@needs_upstream
def test_upstream_accepts_programs() -> None:
    optimized("\n".join(program(seed, entry=f"p{seed}").text for seed in range(80)))


def test_passes_are_offered() -> None:
    assert {*PASSES} <= {step.partition("{")[0] for step in steps()}


SHOWN_BODIES = ("linalg.generic", "linalg.reduce")
"""Kernels whose text shows their body; upstream's other kernels imply theirs."""


@pytest.mark.parametrize("seed", range(2 * len(PROFILES)))
def test_programs_keep_attributes_in_their_text(seed: int) -> None:
    module = parse_module(new_context(), program(seed, profile=[*PROFILES][seed % len(PROFILES)]).text)
    for op in nested_ops(module.body):
        parent = op.parent_op()
        if parent is None or not parent.name.startswith("linalg.") or parent.name in SHOWN_BODIES:
            op.attributes["example.note"] = UnitAttr()
    assert parse_module(new_context(), print_ir(module)).is_structurally_equivalent(module)


@pytest.mark.sample(14)
@pytest.mark.parametrize("seed", range(15 * len(PROFILES)))
def test_programs_compute_the_same_after_passes(seed: int) -> None:
    subject = Subject(program(seed, profile=[*PROFILES][seed % len(PROFILES)]))
    for chain in chains(seed, 5, PASSES):
        faults = [outcome for outcome in subject.check(chain) if outcome.kind == "fault"]
        assert not faults, (chain, faults)
    assert subject.reread() == ""


def compared(subjects: list[Subject], results: list[list[Results] | Failure]) -> None:
    for subject, runs in zip(subjects, results, strict=True):
        assert not isinstance(runs, Failure), (subject.program.seed, runs.text)
        for expected, actual in zip(subject.expected, runs, strict=True):
            assert difference(expected, actual) == "", subject.program.seed


@pytest.mark.sample(1)
@pytest.mark.parametrize("batch", range(20))
def test_programs_compute_the_same_in_c(batch: int, tmp_path: Path) -> None:
    pairs: list[tuple[Subject, CText]] = []
    failures: list[str] = []
    for seed in range(2 * batch * BATCH, 2 * (batch + 1) * BATCH):
        drawn = program(seed, entry=f"p{seed}")
        try:
            pairs.append((Subject(drawn), in_c(drawn)))
        except Diagnostic as error:
            failures.append(failure_kind(error))
    assert "fault" not in failures
    assert len(pairs) > BATCH
    subjects, texts = zip(*pairs[:BATCH], strict=True)
    compared([*subjects], run_in_c(texts, tmp_path, "sanitised"))


@needs_upstream
@pytest.mark.sample(1)
@pytest.mark.parametrize("batch", range(20))
def test_programs_compute_the_same_in_upstreams_jit(batch: int, tmp_path: Path) -> None:
    drawn = [program(seed, entry=f"p{seed}") for seed in range(batch * BATCH, (batch + 1) * BATCH)]
    programs: list[RandomProgram] = [item for item in drawn if not item.traits & UNSUPPORTED.keys()]
    compared([Subject(item) for item in programs], run_in_jit(programs, tmp_path))
