"""Programs of the machine of two near memories, through the front door: run, profiled and compiled as a network is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.api import load
from tilewright.cli import main
from tilewright.errors import Diagnostic

FOLDER = Path(__file__).parent
LINKED, APART = str(FOLDER / "two_near_linked.toml"), str(FOLDER / "two_near.toml")
PROGRAMS = ("two_near_handover", "two_near_streams")


def _path(name: str) -> Path:
    return FOLDER / "programs" / f"{name}.mlir"


def _inputs(folder: Path) -> tuple[Path, np.ndarray[tuple[int, ...], np.dtype[np.int8]]]:
    """Write inputs of the programs; return the file, and the output that NumPy computes."""
    draw = np.random.default_rng(2)
    x, w = (draw.integers(-128, 128, shape, dtype=np.int8) for shape in ((1, 8, 16, 16), (16, 8, 1, 1)))
    np.savez(folder / "in.npz", x=x, w=w)
    sums = np.einsum("oc,chw->ohw", w[:, :, 0, 0].astype(np.int32), x[0].astype(np.int32))
    return folder / "in.npz", np.clip(sums >> 6, -128, 127).astype(np.int8)[None]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("place", [["interpreter", "--stop-after", "kernels"], ["simulator"], ["host"], ["sanitizers"]])
def test_a_program_runs_as_a_network_does(name: str, place: list[str], tmp_path: Path) -> None:
    given, wanted = _inputs(tmp_path)
    out = str(tmp_path / "out.npz")
    words = ["run", str(_path(name)), "--target", LINKED, "--inputs", str(given), "--outputs", out, "--on", *place]
    assert main(words) == 0
    (found,) = np.load(out).values()
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_and_the_bridge_are_busy(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["profile", str(_path(name)), "--target", LINKED, "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "link bridge   │ 16,384 bytes in" in shown
    assert "engine npu" in shown
    assert page.stat().st_size > 0


@pytest.mark.quick
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_link_no_transfer(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(_path(name)), "--target", APART, "-o", str(tmp_path / "build")]) == 1
    assert "a transfer from 'SRAM' to 'TCM' takes 2 links" in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


@pytest.mark.quick
def test_a_program_is_proved_before_it_is_lowered(tmp_path: Path) -> None:
    text = _path("two_near_streams").read_text(encoding="utf-8")
    file = tmp_path / "racing.mlir"
    file.write_text(text.replace("          hier.dma_wait %across\n", ""), encoding="utf-8")
    with pytest.raises(Diagnostic, match="rule 'race'"):
        load(file, target=LINKED)
