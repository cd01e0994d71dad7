"""Mutated programs end in a clear error or a right result; test/fuzz/mlir_files.py tries more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.test.opt_tool.mutated_programs import mutant, outcome_of, programs


@pytest.mark.nightly
def test_the_programs_themselves_are_compiled(tmp_path: Path):
    assert len(programs()) >= 30
    assert {program.passes for program in programs() if outcome_of(program, tmp_path) != "compiled"} == set()


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(2))
def test_mutated_programs(part: int, tmp_path: Path):
    outcomes: set[str] = set()
    for seed in range(part, 160, 2):
        try:
            outcomes.add(outcome_of(mutant(seed), tmp_path))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    assert outcomes == {"refused", "compiled"}
