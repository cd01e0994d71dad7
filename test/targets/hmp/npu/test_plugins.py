"""Stages on an NPU: what plug-ins compute, and what they do wrong."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tilewright.runtime.toolchain import compile_executable, compile_shared
from tilewright.targets.hmp.npu import reference_vendor, write_artifacts
from tilewright.test.targets.hmp.npu.npu_programs import (
    HERE,
    TEXT,
    C,
    Done,
    build,
    parsed,
    put_faulty_plugin,
    run,
    run_passes,
    wait_until,
    workers,
    write_network,
)

ADDRESSES = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREADS = ("-g1", "-fsanitize=thread")

FAULTS = [
    ("hang", True, "TW_NPU_TIMEOUT", "did not answer within"),
    ("hang-at-open", True, "TW_NPU_TIMEOUT", "did not answer within 300 ms"),
    ("slow", True, "TW_NPU_TIMEOUT", ""),
    ("slow", False, "TW_NPU_TIMEOUT", ""),
    ("segfault", True, "TW_NPU_CRASHED", "signal 11"),
    ("abort", True, "TW_NPU_CRASHED", "signal 6"),
    ("exit", True, "TW_NPU_CRASHED", "status 3"),
    ("other-frame", True, "TW_NPU_WRONG_FRAME", "it returned frame 1"),
    ("other-frame", False, "TW_NPU_WRONG_FRAME", "it returned frame 1"),
    ("error", True, "TW_NPU_FAILED", "the device is on fire"),
    ("error", False, "TW_NPU_FAILED", "the device is on fire"),
    ("version", True, "TW_NPU_FOREIGN_VERSION", "version 2"),
    ("version", False, "TW_NPU_FOREIGN_VERSION", "version 2"),
    ("tolerance", True, "TW_NPU_UNSUPPORTED", "weaker"),
    ("tolerance", False, "TW_NPU_UNSUPPORTED", "weaker"),
]
"""Fault, whether in a process of its own, name of the status, part of the reason."""
AT_OPEN = ("hang-at-open", "version", "tolerance")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npu") / "network"
    write_network(parsed(TEXT), "BNB", folder)
    return folder


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("npu") / "cores"
    write_network(parsed(TEXT), "BBB", folder)
    return run(build(folder)).outputs


@pytest.fixture(scope="module", params=[ADDRESSES, THREADS], ids=["address", "thread"])
def faulty(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npu") / "faulty"
    write_network(parsed(TEXT), "BNB", folder)
    program = build(folder, request.param)
    put_faulty_plugin(folder)
    return program


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_a_stage_on_the_npu_gives_the_bits_of_a_stage_on_cores(network: Path, expected: str, isolated: str):
    done = run(build(network), TILEWRIGHT_NPU_ISOLATED=isolated)
    assert done == Done(0, expected, "no processes\n")


@pytest.mark.sample(15)
@pytest.mark.parametrize(("fault", "isolated", "status", "reason"), FAULTS)
def test_faults_of_plugins_are_reported(faulty: Path, fault: str, isolated: bool, status: str, reason: str):
    done = run(
        faulty,
        TW_FAULT=fault,
        TILEWRIGHT_NPU_ISOLATED=str(int(isolated)),
        TILEWRIGHT_NPU_TIMEOUT_MS="300",
        TILEWRIGHT_NPU_OPEN_MS="300",
    )
    frame = 0 if fault in AT_OPEN else 2
    text = f"plug-in 'reference' of stage1_npu failed at frame {frame} with {status} ("
    assert (done.status, text in done.errors, reason in done.errors) == (1, True, True), done.errors
    assert f"failed: stage1_npu at {frame}\n" in done.errors
    assert "  remedy:     " in done.errors
    assert "no processes\n" in done.errors
    assert done.outputs.count("\n") == frame
    assert "Sanitizer" not in done.errors
    assert not workers(faulty.parent)


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_a_first_result_that_only_warms_up_is_not_used(faulty: Path, expected: str, isolated: str):
    done = run(faulty, TW_FAULT="warm-up", TILEWRIGHT_NPU_ISOLATED=isolated)
    assert (done.outputs, done.errors) == (expected, "no processes\n")


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_other_artefacts_are_refused(network: Path, tmp_path: Path, isolated: str):
    folder = tmp_path / "network"
    write_network(parsed(TEXT), "BNB", folder)
    program, file = build(folder), folder / "stage1_npu.twnpu"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "TW_NPU_WRONG_HASH (9)" in run(program, TILEWRIGHT_NPU_ISOLATED=isolated).errors
    file.unlink()
    missing = run(program, TILEWRIGHT_NPU_ISOLATED=isolated)
    assert (missing.status, missing.outputs) == (1, "")
    assert "TW_NPU_MISSING (14): there is no artefact stage1_npu.twnpu" in missing.errors
    file.write_bytes(content)
    (folder / "libtilewright_npu_reference.so").unlink()
    assert "there is no plug-in" in run(program, TILEWRIGHT_NPU_ISOLATED=isolated).errors


CHANGES = {
    "magic": (0, b"X", "TW_NPU_BAD_ARTIFACT"),
    "version": (8, b"\7", "TW_NPU_FOREIGN_VERSION"),
    "offset": (12, b"\xff\xff\xff\xff", "TW_NPU_BAD_ARTIFACT"),
    "target": (48, b"rk3588\0\0\0", "TW_NPU_FOREIGN_TARGET"),
    "machine": (80, b"z80\0\0\0\0\0", "TW_NPU_FOREIGN_TARGET"),
    "inputs": (112, b"\x11", "TW_NPU_BAD_ARTIFACT"),
    "shape": (128 + 80, b"\x20", "TW_NPU_WRONG_TENSORS"),
    "end": (-100, b"", "TW_NPU_BAD_ARTIFACT"),
    "header": (100, b"", "TW_NPU_BAD_ARTIFACT"),
}
"""Place in an artefact, new bytes there, or none where it ends there, and the status at open."""


@pytest.mark.sample(5)
@pytest.mark.parametrize("change", CHANGES)
def test_damaged_artefacts_with_the_right_hash_are_refused(network: Path, tmp_path: Path, change: str):
    """A network that was compiled with a foreign artefact refuses it too, whatever its hash says."""
    place, content, status = CHANGES[change]
    folder = Path(shutil.copytree(network, tmp_path / "network"))
    file = folder / "stage1_npu.twnpu"
    before = file.read_bytes()
    after = before[:place] + content + before[place + len(content) :] if content else before[:place]
    file.write_bytes(after)
    text = (folder / "network.c").read_text()
    old, new = (hashlib.sha256(data).hexdigest() for data in (before, after))
    (folder / "network.c").write_text(text.replace(old, new))
    done = run(build(folder))
    assert (done.status, done.outputs) == (1, "")
    assert f" with {status} (" in done.errors


def test_artefacts_have_equal_bytes_whenever_they_are_made(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    module = parsed(TEXT)
    run_passes(module, "map-layers{order=BNB},outline-stages")
    folder = tmp_path / "again"
    folder.mkdir()
    write_artifacts(module, folder, reference_vendor())
    assert (folder / "stage1_npu.twnpu").read_bytes() == (network / "stage1_npu.twnpu").read_bytes()


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_stages_of_a_pipeline_of_threads_have_no_races(tmp_path: Path, isolated: str):
    folder, cores = tmp_path / "threads", tmp_path / "cores"
    write_network(parsed(TEXT), "BLB", cores, frames=5)
    write_network(parsed(TEXT), "NBN", folder, frames=5)
    plain = run(build(cores), 3)
    done = run(build(folder, THREADS), 3, TILEWRIGHT_NPU_ISOLATED=isolated)
    assert done == Done(0, plain.outputs, "no processes\n")


def test_no_worker_outlives_its_network(network: Path, tmp_path: Path):
    """A network that is killed leaves no process, even one whose plug-in hangs."""
    folder = Path(shutil.copytree(network, tmp_path / "network"))
    put_faulty_plugin(folder)
    program = build(folder)
    environment = os.environ | {"TW_FAULT": "hang", "TILEWRIGHT_NPU_ISOLATED": "1"}
    with subprocess.Popen([program, "4"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: bool(workers(folder)))
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        wait_until(lambda: not workers(folder))


@pytest.mark.parametrize("flags", [ADDRESSES, THREADS], ids=["address", "thread"])
def test_the_reference_plugin_is_as_its_interface_says(network: Path, tmp_path: Path, flags: tuple[str, ...]):
    """Memories of all kinds, frames in order, as many outstanding as it describes, statistics, refusals."""
    plugin = compile_shared([C / "tilewright_npu_reference.c"], ["-std=c11", *flags, "-pthread", "-ldl"])
    shutil.copy(HERE / "interface.c", tmp_path)
    for file in ("tilewright_npu.h", "tilewright_npu_process.h"):
        shutil.copy(C / file, tmp_path)
    sources = [tmp_path / "interface.c", C / "tilewright_npu_file.c"]
    program = compile_executable(sources, ["-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-pthread", "-ldl"])
    command = [program, plugin, network / "stage1_npu.twnpu", "reference"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
