"""Mutated models end in a clear error or a right import; test/fuzz/onnx_files.py tries more of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tilewright.test.frontend.mutations import bases, mutated, outcome_of


@pytest.mark.parametrize("index", range(len(bases())))
def test_the_models_themselves_are_compiled(index: int, tmp_path: Path):
    assert outcome_of(bases()[index].SerializeToString(), tmp_path) == "compiled"


@pytest.mark.sample(2)
@pytest.mark.parametrize("part", range(6))
def test_mutated_models(part: int, tmp_path: Path):
    models = bases()
    outcomes: set[str] = set()
    for seed in range(part * 50, part * 50 + 50):
        try:
            outcomes.add(outcome_of(mutated(models[seed % len(models)], Random(seed)), tmp_path))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    assert {"refused", "compiled"} <= outcomes
