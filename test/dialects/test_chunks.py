"""
The corpus of chunks: read, simplified, accepted again by upstream, and computing what upstream's JIT computes.

`python -m tilewright.test.dialects.chunks.corpus` prints the counts.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.driver.roundtrip import check_round_trip
from tilewright.runtime.testing.programs.program import PROFILES
from tilewright.runtime.upstream import optimized
from tilewright.test.dialects.chunks.corpus import (
    SIZE,
    UNLOWERED,
    corpus,
    covered,
    in_jit,
    simplified,
    simplify,
    standard_ops,
    subject,
)
from tilewright.test.random.programs.harness import Failure
from tilewright.test.random.programs.in_c import CText, in_c, run_in_c
from tilewright.test.random.programs.passes import Subject
from tilewright.test.random.programs.running import difference

BATCH = 15
needs_upstream = pytest.mark.skipif(
    any(shutil.which(f"{name}-19") is None for name in ("mlir-opt", "mlir-cpu-runner")), reason="no MLIR 19"
)
in_batches = pytest.mark.parametrize("first", range(0, SIZE, BATCH))


@pytest.mark.sample(1)
@in_batches
def test_chunks_are_read_as_they_are_printed(first: int) -> None:
    for item in corpus()[first : first + BATCH]:
        context = new_context()
        check_round_trip(parse_module(context, item.text, f"{item.seed}.mlir"), context)


@pytest.mark.sample(1)
@in_batches
def test_chunks_compute_the_same_when_simplified(first: int) -> None:
    for item in corpus()[first : first + BATCH]:
        if (one := subject(item)) is not None:
            assert one.differs(simplify(item)) == "", (item.seed, item.profile)


@needs_upstream
@pytest.mark.sample(1)
@in_batches
def test_simplified_chunks_are_accepted_by_upstream(first: int) -> None:
    for form in zip(*map(simplified, corpus()[first : first + BATCH]), strict=True):
        optimized("\n// -----\n".join(form))


@needs_upstream
@pytest.mark.nightly
@in_batches
def test_chunks_compute_what_upstreams_jit_computes(first: int) -> None:
    items = [item for item in corpus()[first : first + BATCH] if not item.traits & UNLOWERED.keys()]
    subjects = [one for item in items if (one := subject(item)) is not None]
    wrong = zip(subjects, in_jit(subjects), strict=True)
    assert [(one.program.seed, one.program.profile, text) for one, text in wrong if text] == []


LOOPS = "allocate-static,convert-kernels-to-loops,normalize-memrefs,convert-to-emitc"
IN_C = {
    "memref": f"convert-index-to-arith,lower-affine,scalarize-vectors,{LOOPS}",
    "tensor": f"scf-forall-to-for,lower-affine,bufferize,{LOOPS}",
}
"""Level of a chunk -> the pipeline to C."""
WIDE = ("index_arithmetic", "index_casts")
"""Templates whose results are indices of more than the 32 bits that an index in memory has in C."""
REFUSED = re.compile(r"'[\w.]+' (cannot be converted to C|has no bufferisation|.*is not scalarized)")
"""Errors of ops that have no way to C; each names the op."""


@pytest.mark.nightly
@in_batches
def test_chunks_compute_the_same_in_c(first: int, tmp_path: Path) -> None:
    texts: list[CText] = []
    subjects: list[Subject] = []
    for item in corpus()[first : first + BATCH]:
        if item.profile in (*PROFILES, *WIDE) or (one := subject(item)) is None:
            continue
        is_tensor = any("tensor<" in str(port.type) for port in item.arguments)
        try:
            texts.append(in_c(item, passes=IN_C["tensor" if is_tensor else "memref"]))
        except Diagnostic as error:
            if not REFUSED.search(error.message):
                raise
            continue
        subjects.append(one)
    for one, runs in zip(subjects, run_in_c(texts, tmp_path, "sanitised"), strict=True):
        assert not isinstance(runs, Failure), (one.program.seed, one.program.profile, runs.text)
        wrong = [difference(*pair) for pair in zip(one.expected, runs, strict=True)]
        assert not any(wrong), (one.program.seed, one.program.profile, wrong)


@needs_upstream
@pytest.mark.nightly
def test_the_corpus_has_every_standard_op() -> None:
    assert len(corpus()) == SIZE
    assert standard_ops() - covered(corpus()) == set()
    assert len(standard_ops()) >= 340
