"""The same input gives the same bytes, whatever the hash seed: IR after each pass, C, report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.frontend import zoo
from tilewright.test.small_models import save

COMMANDS = (
    "opt-tool {model} -p host-pipeline -t c -o {out}/whole.c --dump-dir {out}/dumps",
    "tilewright compile {model} -o {out}/build",
)


def run_all(model: Path, out: Path, seed: int) -> dict[str, bytes]:
    """Run the commands in a folder and return what all files hold, by path."""
    out.mkdir()
    for command in COMMANDS:
        program, *words = command.format(model=model, out=out).split()
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        subprocess.run([Path(sys.executable).parent / program, *words], env=environment, check=True)
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("name", ["ds-cnn", "resnet8"])
def test_the_hash_seed_changes_nothing(name: str, tmp_path: Path):
    save(zoo.build(name), tmp_path / f"{name}.onnx")
    first, second = (run_all(tmp_path / f"{name}.onnx", tmp_path / f"seed{seed}", seed) for seed in (1, 2))
    assert {"whole.c", "build/network.c", "build/report.json", "dumps/00-input.mlir"} < set(first)
    assert list(first) == list(second)
    assert [file for file, content in first.items() if content != second[file]] == []
