"""The same input gives the same bytes, whatever the hash seed: IR after each pass, C, report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tilewright.frontend import zoo
from tilewright.test.small_models import save

NETWORKS = ("resnet8",)
COMMANDS = """
import sys
from tilewright import cli, opt_tool

for model in sys.argv[1:]:
    words = ["-p", "host-pipeline", "-t", "c", "-o", f"{model}.whole.c", "--dump-dir", f"{model}.dumps"]
    assert opt_tool.main([f"{model}.onnx", *words]) == 0
    assert cli.main(["compile", f"{model}.onnx", "-o", f"{model}.build"]) == 0
"""


def run_all(folder: Path, seed: int) -> dict[str, bytes]:
    """Run the commands in a new process and return what all files that they write hold, by path."""
    folder.mkdir()
    for name in NETWORKS:
        save(zoo.build(name), folder / f"{name}.onnx")
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    subprocess.run([sys.executable, "-c", COMMANDS, *NETWORKS], cwd=folder, env=environment, check=True)
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_the_hash_seed_changes_nothing(tmp_path: Path):
    first, second = (run_all(tmp_path / f"seed{seed}", seed) for seed in (1, 2))
    for name in NETWORKS:
        written = ("whole.c", "build/network.c", "build/report.json", "dumps/00-input.mlir")
        assert {f"{name}.{file}" for file in written} < set(first)
    assert list(first) == list(second)
    assert [file for file, content in first.items() if content != second[file]] == []
