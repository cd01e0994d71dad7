"""`--interpret-each` on random programs: it blames no pass that preserves results."""

from __future__ import annotations

from functools import cache

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline, parse_pipeline
from tilewright.runtime.driver.interpret import InterpretEach
from tilewright.runtime.testing.programs.program import PROFILES, program

PIPELINES = ("canonicalize,cse", "sccp,dce", "licm", "lower-affine,convert-scf-to-cf,canonicalize", "inline,symbol-dce")
KINDS = ("scalars", "blocks", "memory", "halves", "calls")


@cache
def pipeline(text: str) -> Pipeline:
    return parse_pipeline(f"builtin.module({text})", all_passes())


def check(seed: int, profile: str, passes: str, runs: int | None = None) -> None:
    module = parse_module(new_context(), program(seed, profile=profile).text)
    PassManager([InterpretEach(seed=seed, runs=runs)]).run(module, pipeline(passes), new_context())


@pytest.mark.quick
@pytest.mark.parametrize(("profile", "passes"), [*zip(KINDS, PIPELINES, strict=True)])
def test_some_programs(profile: str, passes: str) -> None:
    check(1, profile, passes, runs=6)


@pytest.mark.nightly
@pytest.mark.parametrize("profile", PROFILES)
def test_many_programs(profile: str) -> None:
    for seed in range(10):
        for passes in PIPELINES:
            check(seed, profile, passes)
