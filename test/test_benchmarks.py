"""Every script of benchmarks/ prints its usage, and says what package it lacks."""

from __future__ import annotations

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tilewright

FOLDER = Path(tilewright.__file__).parent / "benchmarks"
SCRIPTS = sorted(each for each in FOLDER.glob("*.py") if '__name__ == "__main__"' in each.read_text())
SIBLINGS = {each.stem for each in FOLDER.glob("*.py")}
"""Modules that scripts import from beside them; some have names of modules elsewhere."""
PEERS = {"torch_decoders", "torch_exports", "vision_exports"}
"""Scripts that need PyTorch for their first line."""
COUNTED = ["interleavings", "machine_faults", "mesh_mutations", "mutations"]


def _exit_code(script: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> str | int | None:
    monkeypatch.setattr(sys, "argv", [str(script), *words])
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(script), run_name="__main__")
    for name in SIBLINGS & sys.modules.keys():
        del sys.modules[name]
    return left.value.code


@pytest.mark.sample(28)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_help(script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = _exit_code(script, ["--help"], monkeypatch)
    if script.stem in PEERS and find_spec("torch") is None:
        assert "needs the package torch, which is not installed" in str(code)
        return
    assert code == 0
    assert "usage: " in capsys.readouterr().out


@pytest.mark.parametrize("word", ["0", "-3", "many"])
@pytest.mark.parametrize("name", COUNTED)
def test_a_number_of_cases(
    name: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _exit_code(FOLDER / f"{name}.py", [word], monkeypatch) == 2
    assert "error: " in capsys.readouterr().err
