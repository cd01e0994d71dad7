"""The output format mlir as upstream's tools read it: the commands of docs/mlir.md, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.upstream import LOWERING

PAGE = (Path(__file__).parents[3] / "docs" / "mlir.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no upstream MLIR 19: install Debian's mlir-19-tools")
def test_commands(tmp_path: Path) -> None:
    assert [language for language, _ in BLOCKS] == ["sh", "sh", "python"]
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for language, text in BLOCKS:
        command = [sys.executable, "-c", text] if language == "python" else ["bash", "-euo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    module = parse_module(new_context(), (tmp_path / "fused.mlir").read_text())
    expected = run_module(module, {"input": np.zeros((1, 1, 49, 10))})["output"]
    assert (tmp_path / "output.bin").read_bytes() == expected.tobytes() + b"0\n"
    assert (tmp_path / "simpler.mlir").stat().st_size > 20_000


def test_the_page_shows_the_lowering() -> None:
    assert ",".join(LOWERING) in PAGE.replace(",\n  ", ",")
