"""Programs of machines through the front door: run, profiled and compiled as a network is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.api import load
from tilewright.cli import main
from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.runtime.tools.profile import profile

Numbers = NDArray[Any]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    """A program of a machine: the types and shapes of its inputs, and what NumPy computes from them."""

    machine: str
    inputs: dict[str, tuple[int, ...]]
    wanted: Callable[..., list[Numbers]]


def _conv(x: Numbers, w: Numbers) -> Numbers:
    """Return the sums of a convolution of stride 1 that keeps the height and width of its input."""
    taps = w.shape[2]
    padded = np.pad(x[0].astype(np.int32), ((0, 0), (taps // 2, taps // 2), (taps // 2, taps // 2)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (taps, taps), (1, 2))
    return np.einsum("oikl,ihwkl->ohw", w.astype(np.int32), windows)[None]


def _scaled(x: Numbers, w: Numbers) -> list[Numbers]:
    return [np.clip(_conv(x, w) >> 6, -128, 127)]


def _overlapped(x: Numbers, w: Numbers, z: Numbers, v: Numbers) -> list[Numbers]:
    return [_conv(x, w), _conv(z, v), np.maximum(z, 0)]


_TWO_NEAR = {"x": (1, 8, 16, 16), "w": (16, 8, 1, 1)}
PROGRAMS = {
    "two_near_handover": Program("two_near_linked", _TWO_NEAR, _scaled),
    "two_near_streams": Program("two_near_linked", _TWO_NEAR, _scaled),
    "npu_cluster_overlap": Program(
        "npu_cluster", {"x": (1, 4, 8, 8), "w": (6, 4, 3, 3), "z": (1, 8, 8, 8), "v": (4, 8, 1, 1)}, _overlapped
    ),
}


def _path(name: str) -> Path:
    return FOLDER / "programs" / f"{name}.mlir"


def _machine(name: str) -> str:
    return str(FOLDER / f"{name}.toml")


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("place", [["interpreter", "--stop-after", "kernels"], ["simulator"], ["host"], ["sanitizers"]])
def test_a_program_runs_as_a_network_does(name: str, place: list[str], tmp_path: Path) -> None:
    program, draw, out = PROGRAMS[name], np.random.default_rng(2), tmp_path / "out.npz"
    arrays: dict[str, Any] = {
        key: draw.integers(-128, 128, shape, dtype=np.int8) for key, shape in program.inputs.items()
    }
    np.savez(tmp_path / "in.npz", **arrays)
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs", str(out)]
    assert main(["run", str(_path(name)), "--target", _machine(program.machine), *files, "--on", *place]) == 0
    for found, wanted in zip(np.load(out).values(), program.wanted(**arrays), strict=True):
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", ["two_near_handover", "two_near_streams"])
def test_both_engines_and_the_bridge_are_busy(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["profile", str(_path(name)), "--target", _machine("two_near_linked"), "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "link bridge   │ 16,384 bytes in" in shown
    assert "engine npu" in shown
    assert page.stat().st_size > 0


def test_kernels_in_functions_run_on_the_engines_of_their_programs() -> None:
    """Kernels are functions of their own where the program is simulated; the GPU is the bottleneck."""
    simulation = profile(Model(_path("phone_pipeline")), _machine("phone"))
    busy = {engine.name: engine.busy / simulation.cycles for engine in simulation.engines}
    assert busy["gpu"] > 0.99 > 0.1 > busy["big"] > 0
    assert [(stream.name, stream.tiles, stream.period) for stream in simulation.streams] == [
        (name, 6, 4644) for name in ("s0", "s1", "skip")
    ]
    assert {layer.nodes: layer.engine for layer in simulation.layers} == {
        (name,): name for name in ("big", "gpu", "little")
    }


def test_a_link_between_neighbours_has_a_bus_for_each_pair() -> None:
    simulation = profile(Model(_path("mesh_split_k")), _machine("mesh_4x4"))
    (link,) = (each for each in simulation.links if each.buses > 1)
    assert link.buses == 12
    assert 0 < link.busy <= link.buses * simulation.cycles


@pytest.mark.parametrize("name", ["two_near_handover", "two_near_streams"])
def test_no_link_no_transfer(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(_path(name)), "--target", _machine("two_near"), "-o", str(tmp_path / "build")]) == 1
    assert "a transfer from 'SRAM' to 'TCM' takes 2 links" in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


@pytest.mark.quick
def test_a_program_is_proved_before_it_is_lowered(tmp_path: Path) -> None:
    text = _path("two_near_streams").read_text(encoding="utf-8")
    file = tmp_path / "racing.mlir"
    file.write_text(text.replace("          hier.dma_wait %across\n", ""), encoding="utf-8")
    with pytest.raises(Diagnostic, match="rule 'race'"):
        load(file, target=_machine("two_near_linked"))


def test_concurrent_programs_need_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "streams.mlir", tmp_path / "build"
    text = _path("phone_pipeline").read_text(encoding="utf-8")
    file.write_text(re.sub(r' on "\w+"', "", text), encoding="utf-8")
    assert main(["compile", str(file), "--target", "siracusa", "--bare", "-o", str(out)]) == 1
    assert "tilewright_threads.h in the C runtime of target 'siracusa'" in capsys.readouterr().err
    assert not out.exists()
