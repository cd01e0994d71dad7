"""The target `hmp-native`: stages whose kernels are those of `native`, beside each other and those of `hmp`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.ir import Array
from tilewright.targets.hmp.building import executable
from tilewright.test.targets.hmp.streamed import built, frames_of, network, put_frames, written

FRAMES = 6
TARGET = "hmp-native"
_SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the network and frames."""
    folder = tmp_path_factory.mktemp("vectors")
    network(folder / "net.onnx")
    put_frames(folder / "frames", frames_of(FRAMES))
    return folder


def _results(place: Path, order: str, target: str, flags: list[str], *options: str) -> dict[str, Array]:
    program = built(*written(place / "net.onnx", order, place / f"{target}_{order}", target=target), flags)
    done = program.run(place / "frames", *options, planted="delay=3:2000")
    assert (done.status, done.errors) == (0, "")
    assert all(len(array) == FRAMES for array in done.outputs.values())
    return done.outputs


@pytest.mark.parametrize("flags", [pytest.param(_SANITIZED, marks=pytest.mark.nightly), ["-march=native"]])
def test_every_order_has_the_same_bits_in_tiles(place: Path, flags: list[str]) -> None:
    """Sums of a tile are in one order wherever the network is cut; those of plain kernels are in another one."""
    whole = _results(place, "B", TARGET, flags, "--mode", "switch")
    for order in ("BLLBLL", "LLLLLB"):
        cut = _results(place, order, TARGET, flags)
        assert {name: array.tobytes() for name, array in cut.items()} == {
            name: array.tobytes() for name, array in whole.items()
        }
    assert (place / f"{TARGET}_B" / "tilewright_float_tile.h").is_file()
    for name, array in _results(place, "B", "hmp", []).items():
        np.testing.assert_allclose(whole[name], array, atol=1e-5 * float(np.abs(array).max()))


def test_processors_that_compute_plain_kernels_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["coop", "compile", str(place / "net.onnx"), "--target", TARGET, "--order", "BBGGLL"]
    assert cli.main([*words, "-o", str(place / "refused")]) == 1
    assert f"'{TARGET}' has no processor G" in capsys.readouterr().err
    assert not (place / "refused").exists()


def test_a_folder_has_the_runtime_of_the_target_that_it_includes(tmp_path: Path, place: Path) -> None:
    """A target with a pipeline of its own, and a machine file that includes another one, takes its C runtime."""
    folder, _ = written(place / "net.onnx", "BBBLLL", tmp_path / "net", target=TARGET)
    assert (folder / "runtime" / "tw_pipeline.c").is_file()
    assert executable(folder).is_file()
