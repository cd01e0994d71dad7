"""The same input gives the same bytes, whatever the hash seed: IR after each pass, C, report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.frontend import zoo
from tilewright.test.small_models import save

COMMANDS = """
import sys
from tilewright import cli, opt_tool

model, out = sys.argv[1:]
words = ["-p", "host-pipeline", "-t", "c", "-o", f"{out}/whole.c", "--dump-dir", f"{out}/dumps"]
assert opt_tool.main([model, *words]) == 0
assert cli.main(["compile", model, "-o", f"{out}/build"]) == 0
"""


def run_all(model: Path, out: Path, seed: int) -> dict[str, bytes]:
    """Run the commands in a new process and return what all files that they write hold, by path."""
    out.mkdir()
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    subprocess.run([sys.executable, "-c", COMMANDS, model, out], env=environment, check=True)
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("name", ["ds-cnn", "resnet8"])
def test_the_hash_seed_changes_nothing(name: str, tmp_path: Path):
    save(zoo.build(name), tmp_path / f"{name}.onnx")
    first, second = (run_all(tmp_path / f"{name}.onnx", tmp_path / f"seed{seed}", seed) for seed in (1, 2))
    assert {"whole.c", "build/network.c", "build/report.json", "dumps/00-input.mlir"} < set(first)
    assert list(first) == list(second)
    assert [file for file, content in first.items() if content != second[file]] == []
