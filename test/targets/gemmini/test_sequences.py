"""Programs of instructions drawn at random: Python, C and the coprocessor give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright import api
from tilewright.errors import Diagnostic
from tilewright.targets.gemmini.dialects.gemmini import GEMMINI
from tilewright.test.targets.gemmini.networks import has_spike
from tilewright.test.targets.gemmini.sequences import Program

PROGRAMS = [
    *((seed, loops, "f32" if seed % 3 == 2 else "i8") for loops in (False, True) for seed in range(6)),
    *((seed, False, "bf16") for seed in range(1, 4)),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("seed", "loops", "element"), PROGRAMS)
def test_sequences_are_equal(seed: int, loops: bool, element: str, tmp_path: Path) -> None:
    program, file = Program(seed, loops=loops, element=element), tmp_path / "network.mlir"
    file.write_text(program.text())
    inputs, target = program.inputs(), "gemmini/loops" if loops else "gemmini"
    expected = api.load(file, target, on="interpreter").run(inputs)
    for place in ("sanitizers", *(["spike"] if has_spike() and not seed else [])):
        found = api.load(file, target, on=place).run(inputs)
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values, err_msg=f"{name} on {place}")


def test_sequences_have_each_instruction() -> None:
    texts = [Program(seed, loops=loops, element=element).text() for seed, loops, element in PROGRAMS]
    found = {name for text in texts for name in re.findall(r"gemmini\.\w+", text)}
    assert found == {op.name for op in GEMMINI.operations}


def _weights_kept_for_sums(program: Program) -> None:
    program.op("config_os", step=1)
    program.op("preload", ("near", (0, 0)), k=4, n=4)
    program.op("compute_preloaded", ("near", (0, 0)), ("sums", (0, 0)), rows=4, k=4, n=4, step=1)


def _sums_kept_for_weights(program: Program) -> None:
    program.op("config_ex", step=1)
    sizes = {"rows": 4, "k": 4, "n": 4, "first": True, "step": 1}
    program.op("multiply", ("near", (0, 0)), ("near", (0, 0)), ("sums", (0, 0)), **sizes)


def _lines_of_another_shape(program: Program) -> None:
    sizes = program.index(2), program.index(4)
    shape = {"stride": "array<i64: 2, 1>", "line": 12, "pitch": 7}
    program.op("config_lines", "pooled", program.scale(), *sizes, **shape)
    program.op("mvout_lines", ("plane", (0, 0, 0, 0, 0)), ("pooled", (0, 0, 0, 0)), *sizes, program.index(16))


def _sums_loaded_as_bytes(program: Program) -> None:
    program.op("config_ld", "x", stride="array<i64: 0, 1>", block=16, size=1, id=1)
    program.op("mvin_bytes", ("x", (0, 0)), ("sums4", (0, 0, 0)), program.index(4), blocks=1, id=1)


@pytest.mark.parametrize(
    ("append", "message"),
    [
        (_weights_kept_for_sums, "the array is configured for another dataflow"),
        (_sums_kept_for_weights, "the array is configured for another dataflow"),
        (_lines_of_another_shape, "a store of lines has another shape than is configured"),
        (_sums_loaded_as_bytes, "a load of bytes to accumulators is configured for sums of 32 bits"),
    ],
)
def test_instructions_that_are_configured_for_others(
    append: Callable[[Program], None], message: str, tmp_path: Path
) -> None:
    program, file = Program(0, loops=False), tmp_path / "network.mlir"
    program.lines.clear()
    append(program)
    file.write_text(program.text())
    with pytest.raises(Diagnostic, match=message):
        api.load(file, "gemmini", on="interpreter").run(program.inputs())
