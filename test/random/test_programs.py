"""Random programs: equal for equal seeds, without undefined behaviour, and accepted by upstream's tools."""

from __future__ import annotations

import re
import shutil

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.runtime.upstream import optimized
from tilewright.test.random.programs.program import PROFILES, program
from tilewright.test.random.programs.running import inputs_of, interpreted

pytestmark = pytest.mark.quick


def test_programs_are_equal_for_equal_seeds() -> None:
    assert program(5).text == program(5).text != program(6).text
    assert program(5, entry="other").text == program(5).text.replace("network", "other")


def test_programs_have_all_families() -> None:
    text = "\n".join(program(seed).text for seed in range(200))
    names = set(re.findall(r"\b((?:affine|arith|cf|func|linalg|math|memref|scf|tensor)\.\w+)", text))
    assert {"scf.while", "scf.parallel", "cf.switch", "memref.subview", "affine.load", "linalg.reduce"} <= names
    assert len(names) > 130


@pytest.mark.parametrize("profile", [*PROFILES])
def test_programs_run(profile: str) -> None:
    for seed in range(2):
        drawn = program(seed, profile=profile)
        module = parse_module(new_context(), drawn.text)
        verify(module)
        results = interpreted(module, drawn, inputs_of(drawn, 0))
        assert len(results) == len(drawn.results)


@pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no mlir-opt 19")
def test_upstream_accepts_programs() -> None:
    programs = [program(seed, entry=f"p{seed}").text for seed in range(100)]
    optimized("\n".join(programs))
