"""Every script of benchmarks and checks prints its usage, and names a package that is absent."""

from __future__ import annotations

import runpy
import sys
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

import tilewright

ROOT = Path(tilewright.__file__).parent
MODULES = [
    file
    for folder in ("benchmarks", "test/oracles", "test/fuzz", "test/faults")
    for file in sorted((ROOT / folder).rglob("*.py"))
]
SCRIPTS = [module for module in MODULES if '__name__ == "__main__"' in module.read_text()]
PEERS = {"torch_decoders", "torch_exports", "vision_exports"}
"""Scripts that need PyTorch for their first line."""
COUNTED = ["interleavings", "machine_faults", "mesh_mutations", "mutations"]


def _exit_code(script: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> str | int | None:
    monkeypatch.setattr(sys, "argv", [str(script), *words])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(script), run_name="__main__")
    return left.value.code


@pytest.mark.sample(28)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.relative_to(ROOT).as_posix())
def test_help(script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = _exit_code(script, ["--help"], monkeypatch)
    if script.stem in PEERS and find_spec("torch") is None:
        assert "needs the package torch, which is not installed" in str(code)
        return
    assert code == 0
    assert "usage: " in capsys.readouterr().out


def test_no_module_hides_another() -> None:
    """The folder of a script is the first in which Python looks for modules: there, `random.py` would be `random`."""
    others = {*sys.stdlib_module_names, *packages_distributions()}
    assert [module.name for module in MODULES if module.stem in others] == []


@pytest.mark.parametrize("word", ["0", "-3", "many"])
@pytest.mark.parametrize("name", COUNTED)
def test_a_number_of_cases(
    name: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = (each for each in SCRIPTS if each.stem == name)
    assert _exit_code(script, [word], monkeypatch) == 2
    assert "error: " in capsys.readouterr().err
