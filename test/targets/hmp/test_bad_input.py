"""The commands `coop ...` with input that does not fit: each says what, where, what is expected, and writes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import cli
from tilewright.test.targets.hmp.streamed import LAYERS, frames_of, network

TIMES = [float(number + 1) for number in range(LAYERS)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a network of six layers, frames, and a profile of the target hmp."""
    folder = tmp_path_factory.mktemp("bad")
    network(folder / "net.onnx")
    np.savez(folder / "frames.npz", allow_pickle=False, **frames_of(2))
    return folder


@pytest.fixture(scope="module")
def profile(place: Path) -> Mapping[str, Any]:
    """The content of a profile of the network for hmp, with times that nothing measured."""
    written = place / "plan.json"
    assert cli.main(["coop", "plan", str(place / "net.onnx"), "--order", "B", "--json", str(written)]) == 0
    macs = [layer["macs"] for layer in json.loads(written.read_text())["layers"]]
    return {"machine": "hmp", "macs": macs, "times_ms": {"big": TIMES}}


def _refused(words: Sequence[str], capfd: pytest.CaptureFixture[str], *texts: str, code: int) -> None:
    """Run a command that has to fail with a message of the one shape."""
    capfd.readouterr()
    assert cli.main(["coop", *words]) == code
    told = capfd.readouterr().err
    assert all(text in told for text in ("error: ", "\n  remedy: ", *texts)), told
    assert "internal error" not in told


PLANS = [
    (["--order", "BL"], 1, ["the order BL is for 2 layers, the network has 6", "`tilewright coop plan MODEL` shows"]),
    (["--order", "BLBLBLB"], 1, ["the order BLBLBLB is for 7 layers, the network has 6"]),
    (["--order", "BBXBBB"], 1, ["'hmp' has no processor X", "B (big), G (gpu), L (little), N (npu)"]),
    (["--order", "BL", "--partition-points", "9"], 1, ["the partition points 9 do not cut 6 layers into 2 parts"]),
    (["--partition-points", "3"], 2, ["partition points without an order"]),
    (["--order", "B", "--processors", "big"], 2, ["an order names the processors to use, and --processors others"]),
    (["--processors", "big,tpu"], 1, ["'hmp' has no processor tpu", "did you mean 'npu' or 'gpu'?"]),
    (["--processors", ","], 2, ["--processors names none"]),
    (["--processors", "big,B"], 2, ["--processors names one twice"]),
    (["--target", "hmp/rk3399pro", "--clocks", "big=1801"], 2, ["big has no clock 1801", "1608 (L6), 1800 (L7)"]),
    (["--target", "hmp/rk3399pro", "--clocks", "big=L8"], 2, ["big has no clock L8"]),
    (["--clocks", "tpu=1800"], 2, ["--clocks: there is no processor 'tpu'"]),
    (["--clocks", "big=1800,B=1800"], 2, ["--clocks has two entries for B"]),
    (["--mode", "switch", "--clocks", "3:big=1800"], 2, ["a plan takes one clock for each processor", "coop run"]),
    (["--handover-ms", "-1"], 2, ["--handover-ms: a time is a number of milliseconds from 0, not '-1'"]),
    (["--handover-ms", "nan"], 2, ["--handover-ms: a time is a number of milliseconds from 0, not 'nan'"]),
    (["--layer-clocks"], 2, ["clocks of layers in a pipeline, where all layers compute at once"]),
    (["--latency-ms", "9"], 2, ["--latency-ms bounds a search of clocks"]),
    (["--latency-ms", "nan"], 2, ["--latency-ms: a time is a number of milliseconds from 0, not 'nan'"]),
    (["--frames", "0"], 2, ["--frames: a count is a positive integer, not '0'"]),
    (["--target", "host"], 2, ["target 'host' maps no layers to processors", "hmp, hmp-native"]),
]


@pytest.mark.parametrize(("words", "code", "texts"), PLANS, ids=[" ".join(words) for words, *_ in PLANS])
def test_plans(place: Path, capfd: pytest.CaptureFixture[str], words: list[str], code: int, texts: list[str]) -> None:
    written = place / "refused.json"
    _refused(["plan", str(place / "net.onnx"), "--json", str(written), *words], capfd, *texts, code=code)
    assert not written.exists()


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["compile", "--order", "BL", "-o", "OUT"], 1, "the order BL is for 2 layers, the network has 6"),
        (["compile", "--target", "host", "--order", "B", "-o", "OUT"], 2, "target 'host' maps no layers"),
        (["compile", "--order", "N", "--npu-chip", "rk3588", "-o", "OUT"], 1, "'reference' makes nothing for 'rk3588'"),
        (["explore", "--processors", "tpu", "-o", "OUT"], 1, "'rk3399pro' has no processor tpu"),
        (["explore", "--population", "0", "-o", "OUT"], 2, "--population: a count is a positive integer, not '0'"),
        (["explore", "--generations", "-1", "-o", "OUT"], 2, "--generations: a count is a positive integer, not '-1'"),
        (["explore", "--target", "host", "-o", "OUT"], 2, "target 'host' maps no layers"),
        (["explore", "--target", "hmp", "-o", "OUT"], 1, "'hmp' does not say what its processors take"),
        (["profile", "--processors", "tpu", "-o", "OUT"], 1, "'hmp' has no processor tpu"),
        (["profile", "--target", "host", "-o", "OUT"], 2, "target 'host' maps no layers"),
        (["profile", "--cores", "big=4096", "-o", "OUT"], 2, "this machine has no CPU 4096"),
    ],
)
def test_commands_that_write(
    place: Path, capfd: pytest.CaptureFixture[str], words: list[str], code: int, text: str
) -> None:
    given = [str(place / "out") if word == "OUT" else word for word in words[1:]]
    _refused([words[0], str(place / "net.onnx"), *given], capfd, text, code=code)
    assert not (place / "out").exists()


PROFILES: Sequence[tuple[Mapping[str, Any], str]] = [
    ({"macs": [1] * LAYERS}, "the profile is of another network"),
    ({"macs": 3}, "the profile is of another network"),
    ({"machine": "rk3588"}, "the profile is of another machine"),
    ({"times_ms": {"tpu": TIMES}}, "the profile does not fit the machine"),
    ({"times_ms": {"big": TIMES[1:]}}, "the profile does not fit the machine"),
    ({"times_ms": {"big": ["1"] * LAYERS}}, "the profile does not fit the machine"),
    ({"times_ms": {"big": [-1.0] * LAYERS}}, "the profile does not fit the machine"),
    ({"times_ms": {"big": [float("nan")] * LAYERS}}, "the profile does not fit the machine"),
    ({"times_ms": {"big": 3}}, "the profile does not fit the machine"),
    ({"times_ms": [3]}, "the profile does not fit the machine"),
    ({"switch_ms": "1"}, "the time of a hand-over is no time"),
]


@pytest.mark.parametrize(("changes", "message"), PROFILES)
def test_profiles(
    place: Path,
    profile: Mapping[str, Any],
    capfd: pytest.CaptureFixture[str],
    changes: Mapping[str, Any],
    message: str,
) -> None:
    file = place / "profile.json"
    words = ["plan", str(place / "net.onnx"), "--order", "B", "--measured", str(file)]
    file.write_text(json.dumps(profile))
    assert cli.main(["coop", *words]) == 0
    file.write_text(json.dumps(dict(profile) | dict(changes)))
    _refused(words, capfd, message, str(file), code=1)


@pytest.mark.parametrize("text", ["", "[1]", "3", "{", "\0"])
def test_files_that_are_no_profiles(place: Path, capfd: pytest.CaptureFixture[str], text: str) -> None:
    file = place / "none.json"
    file.write_text(text)
    words = ["plan", str(place / "net.onnx"), "--order", "B", "--measured", str(file)]
    _refused(words, capfd, "not a profile", code=1)


@pytest.fixture(scope="module")
def built(place: Path) -> Path:
    """A folder with a program whose middle stage is an artefact of the reference plug-in."""
    words = ["coop", "compile", str(place / "net.onnx"), "--order", "BBNNLL", "-o", str(place / "built")]
    assert cli.main(words) == 0
    return place / "built"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--threads", "little=5"], "5 threads on the 4 cores of little"),
        (["--threads", "tpu=1"], "--threads: there is no processor 'tpu'"),
        (["--cores", "big=4096"], "this machine has no CPU 4096"),
        (["--clocks", "big=17"], "big has no clock 17"),
        (["--clocks", "9:big=1800", "--mode", "switch"], "the network has no layer 9"),
    ],
)
def test_settings_of_runs(
    place: Path, built: Path, capfd: pytest.CaptureFixture[str], words: list[str], text: str
) -> None:
    outputs = place / "outputs.npz"
    given = ["--frames", str(place / "frames.npz"), "--outputs", str(outputs)]
    capfd.readouterr()
    assert cli.main(["coop", "run", str(built), *given, *words]) == 2
    assert text in capfd.readouterr().err
    assert not outputs.exists()


ARTEFACT = "stage1_npu.twnpu"
DAMAGES = [
    (ARTEFACT, None, f"there is no artefact {ARTEFACT}"),
    (ARTEFACT, b"of another network", "TW_NPU_WRONG_HASH (9)"),
    ("libtilewright_npu_reference.so", None, "there is no plug-in libtilewright_npu_reference.so"),
    ("coop.json", None, "there is no program of cooperative processors"),
    ("coop.json", b"{}", "no key 'model'"),
    ("network.c", None, "no network.c beside it"),
]


@pytest.mark.parametrize(("name", "content", "text"), DAMAGES)
def test_folders_that_are_not_whole(
    place: Path, built: Path, capfd: pytest.CaptureFixture[str], name: str, content: bytes | None, text: str
) -> None:
    """A missing or foreign artefact is refused before the first frame; results are not written."""
    outputs, file, whole = place / "outputs.npz", built / name, (built / name).read_bytes()
    try:
        file.unlink()
        if content is not None:
            file.write_bytes(content)
        words = ["run", str(built), "--frames", str(place / "frames.npz"), "--outputs", str(outputs)]
        _refused(words, capfd, text, code=1)
    finally:
        file.write_bytes(whole)
    assert not outputs.exists()


def test_a_program_that_is_not_there(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["run", str(place / "absent"), "--frames", str(place / "frames.npz")]
    _refused(words, capfd, "there is no program and no model of this name", code=1)
