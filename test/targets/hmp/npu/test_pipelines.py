"""NPU stages in programs that take frames: `coop compile` and `coop run`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tilewright.cli import main
from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.targets.hmp.building import build, executable, write_program
from tilewright.targets.hmp.options import Mapping
from tilewright.test.targets.hmp.npu.npu_programs import put_faulty_plugin, wait_until, workers
from tilewright.test.targets.hmp.npu.small_networks import convolutions, save

FRAMES = 12


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with frames of ResNet-8, its program on cores, and one whose stages are on the NPU in turns."""
    folder = tmp_path_factory.mktemp("npu")
    path = save(zoo.build("resnet8"), folder)
    np.save(folder / "frames.npy", np.random.default_rng(0).integers(0, 255, (FRAMES, 1, 3, 32, 32)).astype(np.uint8))
    for order in ("B", "NBNL"):
        assert main(["coop", "compile", str(path), "--order", order, "-o", str(folder / order)]) == 0
    return folder


def outputs(folder: Path, order: str, *options: str) -> Array:
    """Return the outputs of a program for the frames."""
    results = folder / "results.npz"
    words = ["coop", "run", str(folder / order), "--frames", str(folder / "frames.npy")]
    assert main([*words, "--outputs", str(results), *options]) == 0
    return np.load(results)["output"]


@pytest.mark.parametrize("mode", ["pipeline", "switch"])
@pytest.mark.parametrize("isolated", ["0", "1"])
def test_stages_on_the_npu_give_the_bits_of_cores(
    programs: Path, monkeypatch: pytest.MonkeyPatch, mode: str, isolated: str
):
    monkeypatch.setenv("TILEWRIGHT_NPU_ISOLATED", isolated)
    np.testing.assert_array_equal(outputs(programs, "NBNL", "--mode", mode), outputs(programs, "B"))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a program whose plug-in is faulty, and its frames."""
    folder = tmp_path_factory.mktemp("npu")
    write_program(build(Model(convolutions(folder)), "hmp", Mapping("BNB")), folder / "program")
    put_faulty_plugin(folder / "program")
    np.random.default_rng(2).standard_normal((FRAMES, 3 * 12 * 12)).astype(np.float32).tofile(folder / "x.bin")
    return folder


@pytest.fixture(scope="module")
def expected(faulty: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the results of cores for the frames of the faulty program."""
    folder = tmp_path_factory.mktemp("npu")
    write_program(build(Model(faulty / "net.onnx"), "hmp", Mapping("B")), folder / "program")
    command = [str(executable(folder / "program")), "--frames", str(faulty / "x.bin")]
    command += ["--outputs", str(folder / "y.bin")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return (folder / "y.bin").read_bytes()


@pytest.mark.parametrize("mode", ["pipeline", "switch"])
@pytest.mark.parametrize(
    ("fault", "isolated", "place", "reason"),
    [
        ("segfault", "1", "of stage1_npu failed at frame 2", "TW_NPU_CRASHED"),
        ("hang", "1", "of stage1_npu failed at frame 2", "TW_NPU_TIMEOUT"),
        (
            "hang",
            "0",
            "frame 2: stage1_npu on npu: plug-in 'reference' of stage1_npu failed",
            "not return within 300 ms",
        ),
        ("hang-at-submit", "0", "of stage1_npu failed at frame 2", "TW_NPU_TIMEOUT"),
        ("hang-at-open", "0", "of stage1_npu failed at frame 0", "TW_NPU_TIMEOUT"),
        ("error", "0", "of stage1_npu failed at frame 2", "the device is on fire"),
        ("other-frame", "0", "of stage1_npu failed at frame 2", "TW_NPU_WRONG_FRAME"),
        ("version", "0", "of stage1_npu failed at frame 0", "TW_NPU_FOREIGN_VERSION"),
    ],
)
def test_a_fault_joins_all_threads_and_names_frame_and_stage(
    faulty: Path, expected: bytes, tmp_path: Path, fault: str, isolated: str, place: str, reason: str, mode: str
):
    program, results = executable(faulty / "program"), tmp_path / "y.bin"
    chosen = {
        "TW_FAULT": fault,
        "TILEWRIGHT_NPU_ISOLATED": isolated,
        "TILEWRIGHT_NPU_TIMEOUT_MS": "300",
        "TILEWRIGHT_NPU_OPEN_MS": "300",
        "TILEWRIGHT_NPU_PATH": str(faulty / "program"),
    }
    command = [str(program), "--frames", str(faulty / "x.bin"), "--outputs", str(results), "--mode", mode]
    done = subprocess.run(command, env=os.environ | chosen, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert place in done.stderr
    assert reason in done.stderr
    assert not workers(faulty)
    written, size = results.read_bytes(), len(expected) // FRAMES
    assert len(written) in (0, size, 2 * size)
    assert expected.startswith(written)


@pytest.mark.parametrize("isolated", ["0", "1"])
@pytest.mark.parametrize("outstanding", [1, 2, 3])
def test_frames_are_submitted_while_others_are_computed(
    faulty: Path, expected: bytes, tmp_path: Path, outstanding: int, isolated: str
):
    """As many as the mapping says, in order and without a race, at random times; other frames are an error."""
    model, folder, flags = Model(faulty / "net.onnx"), tmp_path / "program", ["-fsanitize=thread", "-g1"]
    write_program(build(model, "hmp", Mapping("BNB", outstanding=outstanding)), folder)
    put_faulty_plugin(folder, [] if isolated == "1" else flags)
    command = [str(executable(folder, flags)), "--frames", str(faulty / "x.bin"), "--outputs", str(tmp_path / "y.bin")]
    chosen = {"TW_FAULT": "random", "TILEWRIGHT_NPU_ISOLATED": isolated, "TILEWRIGHT_NPU_PATH": str(folder)}
    for mode, most in (("pipeline", outstanding), ("switch", 1)):
        done = subprocess.run([*command, "--mode", mode], env=os.environ | chosen, capture_output=True, timeout=60)
        printed = done.stderr.decode()
        assert (done.returncode, printed) == (0, f"at most {most} in flight\n")
        assert (tmp_path / "y.bin").read_bytes() == expected
    for fault, message in (
        ("other-frame", "TW_NPU_WRONG_FRAME (10): it returned frame 1"),
        ("hang", "TW_NPU_TIMEOUT (3): "),
    ):
        chosen |= {"TW_FAULT": fault, "TILEWRIGHT_NPU_TIMEOUT_MS": "500"}
        done = subprocess.run(command, env=os.environ | chosen, capture_output=True, text=True, timeout=60)
        assert (done.returncode, "Sanitizer" in done.stderr) == (1, False), done.stderr
        assert f"of stage1_npu failed at frame 2 with {message}" in done.stderr


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_profiles_have_what_the_plugin_tells(faulty: Path, tmp_path: Path, isolated: str):
    """Frames of the run alone, without the one that warms up; milliseconds on the device; the bytes of the session."""
    folder, file = faulty / "program", tmp_path / "profile.json"
    chosen = {"TW_FAULT": "warm-up", "TILEWRIGHT_NPU_ISOLATED": isolated, "TILEWRIGHT_NPU_PATH": str(folder)}
    command = [str(executable(folder)), "--frames", str(faulty / "x.bin"), "--json", str(file)]
    done = subprocess.run([*command, "--profile", "1"], env=chosen, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    devices = {
        stage["subgraph"]: stage["device"] for stage in json.loads(file.read_text())["stages"] if "device" in stage
    }
    assert devices.keys() == {"stage1_npu"}
    device = devices["stage1_npu"]
    artifact = (folder / "stage1_npu.twnpu").stat().st_size
    assert device["frames"] == FRAMES
    assert 0 < device["ms"] < 1000
    assert artifact / 2 < device["bytes"] <= artifact
    row = next(line.split() for line in done.stdout.splitlines() if line.endswith(f" {device['bytes']}"))
    assert row == ["stage1_npu", "npu", f"{device['ms']:.3f}", str(device["bytes"])]
    done = subprocess.run(command, env=chosen, capture_output=True, text=True, timeout=60)
    assert '"device"' not in file.read_text()


def test_a_plugin_that_takes_fewer_frames_is_refused(faulty: Path, tmp_path: Path):
    with pytest.raises(Diagnostic, match="the plug-in 'reference' takes fewer frames before the first is done"):
        build(Model(faulty / "net.onnx"), "hmp", Mapping("BNB", outstanding=4))
    folder = Path(shutil.copytree(faulty / "program", tmp_path / "program"))
    text = (folder / "network.c").read_text()
    (folder / "network.c").write_text(text.replace(".outstanding = 3u", ".outstanding = 4u"))
    command = [str(executable(folder)), "--frames", str(faulty / "x.bin")]
    done = subprocess.run(command, env={"TILEWRIGHT_NPU_PATH": str(folder)}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "it takes 3 frames at once, the network submits 4" in done.stderr) == (1, True), (
        done.stderr
    )


@pytest.mark.parametrize("fault", ["hang", "hang-at-open"])
def test_an_interrupt_ends_a_plugin_that_hangs(faulty: Path, fault: str):
    """The program does not wait for the time-outs, which are of minutes."""
    chosen = {"TW_FAULT": fault, "TILEWRIGHT_NPU_ISOLATED": "1", "TILEWRIGHT_NPU_TIMEOUT_MS": "120000"}
    chosen |= {"TILEWRIGHT_NPU_PATH": str(faulty / "program")}
    command = [str(executable(faulty / "program")), "--frames", str(faulty / "x.bin")]
    with subprocess.Popen(command, env=os.environ | chosen, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: bool(workers(faulty)))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert not workers(faulty)


def test_a_program_computes_with_the_artefacts_beside_it_alone(faulty: Path):
    """The program finds them where it lies, whatever the folder that it is run in."""
    program = executable(faulty / "program")
    command = [str(program), "--frames", str(faulty / "x.bin")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=faulty / "program")
    assert (done.returncode, "TW_NPU_MISSING" in done.stderr) == (1, True)
    own = faulty / "program" / "network"
    own.write_bytes(program.read_bytes())
    own.chmod(0o755)
    done = subprocess.run([str(own), *command[1:]], capture_output=True, text=True, timeout=60, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nightly
@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="needs Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user",
)
def test_programs_of_another_machine_have_artefacts_of_that(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    expected = outputs(programs, "B")
    monkeypatch.setenv("CC", "aarch64-linux-gnu-gcc")
    words = ["coop", "compile", str(programs / "net.onnx"), "--order", "BNNL", "-o", str(tmp_path / "arm")]
    assert main(words) == 0
    program = executable(tmp_path / "arm")
    np.load(programs / "frames.npy").tofile(tmp_path / "input.bin")
    (tmp_path / "results").mkdir()
    command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", str(program), "--frames", str(tmp_path / "input.bin")]
    command += ["--outputs", str(tmp_path / "y.bin")]
    chosen = {"TILEWRIGHT_NPU_PATH": str(tmp_path / "arm")}
    done = subprocess.run(command, env=os.environ | chosen, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    results = b"".join(file.read_bytes() for file in sorted((tmp_path / "results").iterdir()))
    assert results == expected.tobytes()
