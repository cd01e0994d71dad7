"""Stages of a network: texts, differences, allocations and values, and the notebook that shows them."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tilewright.frontend.zoo import build
from tilewright.runtime.tools.levels import (
    LoweringStage,
    allocations,
    array_summary,
    listing,
    memory_map,
    stages_of,
    values_of,
)

NOTEBOOK = Path(__file__).parents[3] / "docs" / "levels_notebook.py"
SMALL = """func.func @network(%x: tensor<1x64xi8>, %w: tensor<64x32xi8>) -> tensor<1x32xi32> {
  %init = tensor.empty() : tensor<1x32xi32>
  %y = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x32xi8>) outs(%init : tensor<1x32xi32>) {accumulator = i32}
  func.return %y : tensor<1x32xi32>
}"""
MACHINE = """pipeline = "host"
levels = { RAM = { size = "64KiB" }, L1 = { size = "1KiB" } }
links = { dma = { far = "RAM", near = "L1", width = 8 } }
engines.core = { level = "L1", runs."*" = { cost = "per_point", cycles = [1, 2] } }
"""


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> list[LoweringStage]:
    folder = tmp_path_factory.mktemp("levels")
    (folder / "small.mlir").write_text(SMALL, encoding="utf-8")
    (folder / "near.toml").write_text(MACHINE, encoding="utf-8")
    return stages_of(folder / "small.mlir", str(folder / "near.toml"))


def test_stages_are_the_passes_that_change_the_program(stages: list[LoweringStage]) -> None:
    names = [stage.name for stage in stages]
    assert names[0] == "input"
    assert {"bufferize", "plan-memory", "expand-grid", "convert-to-emitc"} <= set(names)
    assert all(one.text != two.text for one, two in pairwise(stages))
    planned = names.index("plan-memory")
    assert "+    hier.grid" in stages[planned].diff(stages[planned - 1])


def test_each_stage_computes_the_same(stages: list[LoweringStage]) -> None:
    (expected,) = (row.arrays[-1] for row in values_of(stages[0]) if row.text.startswith("%y"))
    for stage in stages:
        if stage.phase in ("buffers", "planned"):
            computed = [array.reshape(-1) for row in values_of(stage) for array in row.arrays]
            assert any(np.array_equal(array, expected.reshape(-1)) for array in computed), stage.name


def test_allocations_fit_the_memory_and_do_not_overlap(stages: list[LoweringStage]) -> None:
    planned = next(stage for stage in stages if stage.name == "plan-memory")
    rows = [row for row in allocations(planned.module) if row.level == "L1"]
    assert len(rows) >= 2
    assert max(row.offset + row.bytes for row in rows) <= 1024
    ordered = sorted(rows, key=lambda row: row.offset)
    assert all(low.offset + low.bytes <= high.offset for low, high in pairwise(ordered))
    assert memory_map(rows).count("<rect") == len(rows)


def test_texts_are_escaped_and_coloured() -> None:
    assert listing("a -> b") == listing("a &gt; b").replace("a &amp;gt; b", "a -&gt; b")
    coloured = listing("--- before p\n+++ after p\n-old\n+new\n same")
    assert len(re.findall("<span", coloured)) == 4


def test_summaries_of_arrays() -> None:
    assert "no elements" in array_summary(np.zeros((0, 3), np.int8))
    assert "svg" not in array_summary(np.array(5, np.int8))
    assert "3 elements from 1 to inf" in array_summary(np.array([1, 2, np.inf], np.float32))


@pytest.mark.nightly
def test_the_notebook_runs_as_a_script(tmp_path: Path) -> None:
    pytest.importorskip("marimo", reason="the notebook needs marimo: pip install 'tilewright[notebook]'")
    network = tmp_path / "net.onnx"
    network.write_bytes(build("mlp").SerializeToString())
    for words in (["--file", str(network), "--stage", "fuse-epilogues"], ["--network", "mlp", "--target", "host"]):
        done = subprocess.run([sys.executable, NOTEBOOK, "--", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
