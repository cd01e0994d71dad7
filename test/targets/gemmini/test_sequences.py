"""Programs of instructions drawn at random: Python, C and the coprocessor give the same bytes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilewright import api
from tilewright.targets.gemmini.dialects.gemmini import GEMMINI
from tilewright.test.targets.gemmini.networks import has_spike
from tilewright.test.targets.gemmini.sequences import Program

PROGRAMS = [(seed, loops, seed % 3 == 2) for loops in (False, True) for seed in range(6)]


@pytest.mark.parametrize(("seed", "loops", "floats"), PROGRAMS)
def test_sequences_are_equal(seed: int, loops: bool, floats: bool, tmp_path: Path) -> None:
    program, file = Program(seed, loops=loops, floats=floats), tmp_path / "network.mlir"
    file.write_text(program.text())
    inputs, target = program.inputs(), "gemmini/loops" if loops else "gemmini"
    expected = api.load(file, target, on="interpreter").run(inputs)
    for place in ("sanitizers", *(["spike"] if has_spike() and not seed else [])):
        found = api.load(file, target, on=place).run(inputs)
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values, err_msg=f"{name} on {place}")


def test_sequences_have_each_instruction() -> None:
    texts = [Program(seed, loops=loops, floats=floats).text() for seed, loops, floats in PROGRAMS]
    found = {name for text in texts for name in re.findall(r"gemmini\.\w+", text)}
    assert found == {op.name for op in GEMMINI.operations}
