"""Vendors of NPUs: artefacts in ONNX, workers in Python, tools that are or are not installed."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from tilewright.cli import main
from tilewright.compiler import Model, pipeline_of
from tilewright.dialects.core.machine import targets
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.passes.core.manager import PassManager
from tilewright.runtime.toolchain import compile_shared
from tilewright.targets.hmp.npu import Vendor, vendor_of
from tilewright.targets.hmp.npu.artifacts import TOLERANCE, built_plugin
from tilewright.targets.hmp.npu.vendors import CHIPS, INSTALL, interpreter_of
from tilewright.test.onnx_runtime import session
from tilewright.test.targets.hmp.npu.npu_programs import HERE, build, run, write_network
from tilewright.test.targets.hmp.npu.small_networks import convolutions, save

RKNN = os.environ.get("TILEWRIGHT_RKNN_PYTHON", "")
"""Interpreter of the environment of rknn-toolkit2, for the tests marked `vendor`."""


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_NPU_PYTHON", sys.executable)


def layers_of(path: Path) -> ModuleOp:
    """Return the layers of a network."""
    module = Model(path).load()
    pipeline = pipeline_of(targets.machine_named("hmp")).select(stop_after="find-layers")
    PassManager(verify_each=False).run(module, pipeline, new_context())
    return module


def values(text: str) -> np.ndarray[Any, Any]:
    """Return the numbers that a program printed."""
    return np.asarray([[float(word) for word in line.split()] for line in text.splitlines()])


@pytest.mark.usefixtures("python")
def test_a_stage_runs_in_a_python_process(tmp_path: Path):
    path = convolutions(tmp_path)
    write_network(layers_of(path), "BBB", tmp_path / "cores")
    write_network(layers_of(path), "BNB", tmp_path / "npu", vendor=vendor_of("onnxruntime", path))
    expected = values(run(build(tmp_path / "cores"), 3).outputs)
    done = run(build(tmp_path / "npu"), 3)
    assert (done.status, done.errors) == (0, "no processes\n")
    np.testing.assert_allclose(values(done.outputs), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.usefixtures("python")
def test_a_worker_that_cannot_compute_is_reported(tmp_path: Path):
    path = convolutions(tmp_path)
    write_network(layers_of(path), "BNB", tmp_path / "npu", vendor=vendor_of("onnxruntime", path))
    program = build(tmp_path / "npu")
    done = run(program, TILEWRIGHT_NPU_PYTHON="/bin/false")
    assert " with TW_NPU_CRASHED (12): /bin/false: its process ended with status 1" in done.errors
    assert "/none: its process cannot be started" in run(program, TILEWRIGHT_NPU_PYTHON="/none").errors
    (tmp_path / "npu/tilewright_npu_onnxruntime.py").rename(tmp_path / "npu/tilewright_npu_rknn.py")
    text = (tmp_path / "npu/network.c").read_text()
    (tmp_path / "npu/network.c").write_text(text.replace('.plugin = "onnxruntime"', '.plugin = "rknn"'))
    assert f"TW_NPU_NO_DEVICE (4): {tmp_path}" in run(build(tmp_path / "npu")).errors


@pytest.mark.usefixtures("python")
def test_integers_of_a_float_model_are_refused(tmp_path: Path):
    path = save(zoo.build("resnet8"), tmp_path)
    with pytest.raises(Diagnostic, match="as int8, the model as float32"):
        write_network(layers_of(path), "BNNN", tmp_path / "npu", vendor=vendor_of("onnxruntime", path))


@pytest.mark.parametrize(
    ("name", "chip", "text"),
    [
        ("rknn", "rk3399pro", "no tools for the NPU of rk3399pro can be had"),
        ("rknn", "rk3589", "makes nothing for 'rk3589'"),
        ("rkn", "", "there is no vendor 'rkn'"),
        ("rknn", "rk3588", "needs the ONNX model"),
    ],
)
def test_unknown_vendors_and_chips_are_refused(name: str, chip: str, text: str):
    with pytest.raises(Diagnostic, match=text):
        vendor_of(name, None, chip)


@pytest.mark.parametrize("interpreter", ["", "/none/python", sys.executable])
def test_tools_that_are_not_installed_are_refused_with_the_lines_that_install_them(
    monkeypatch: pytest.MonkeyPatch, interpreter: str
):
    monkeypatch.setenv("TILEWRIGHT_NPU_PYTHON", interpreter)
    with pytest.raises(Diagnostic, match="tools of vendor 'rknn' are not installed") as caught:
        interpreter_of("rknn")
    assert caught.value.notes == INSTALL["rknn"].splitlines()


def test_the_command_lists_vendors_and_prints_installations(capsys: pytest.CaptureFixture[str]):
    assert main(["coop", "vendor"]) == 0
    assert "rknn-board" in capsys.readouterr().out
    assert main(["coop", "vendor", "rknn"]) == 0
    assert capsys.readouterr().out == INSTALL["rknn"]


def rockchip(folder: Path) -> Path:
    """Write a network whose second stage is for a board with a stand-in for librknnrt; return its program."""
    network = folder / "npu"
    files = partial(built_plugin, "rknn")
    vendor = Vendor("rknn", "rk3588", ".rknn", lambda module, stage: b"RKNN", files, TOLERANCE, isolated=True)
    write_network(layers_of(convolutions(folder)), "BNB", network, vendor=vendor)
    library = compile_shared([HERE / "librknnrt.c"], ["-std=c11"])
    shutil.copy(library, network / "librknnrt.so")
    return build(network)


@pytest.mark.parametrize("isolated", ["0", "1"])
def test_rockchips_library_is_called_with_floats_and_frames(tmp_path: Path, isolated: str):
    """The stand-in gives back its input, as the identity that the stage then is."""
    path = convolutions(tmp_path)
    program = rockchip(tmp_path)
    library = str(program.parent / "librknnrt.so")
    board = partial(run, program, 3, TILEWRIGHT_RKNN_LIBRARY=library, TILEWRIGHT_NPU_ISOLATED=isolated)
    done = board()
    assert (done.status, done.errors) == (0, "no processes\n")
    computed = session(shortened(path)).run(None, {"x": frame(0)})[0]
    np.testing.assert_allclose(values(done.outputs)[0], computed.ravel(), rtol=1e-4, atol=1e-2)
    for code, status in (("-2", "TW_NPU_TIMEOUT"), ("-6", "TW_NPU_BAD_ARTIFACT"), ("-13", "TW_NPU_FOREIGN_TARGET")):
        assert f" with {status} (" in board(FAKE_INIT=code).errors
    assert " with TW_NPU_FAILED (2): rknn_run of librknnrt returned -7" in board(FAKE_RUN="-7").errors
    assert " with TW_NPU_WRONG_FRAME" in board(FAKE_FRAME="9").errors
    assert " with TW_NPU_NO_DEVICE (4)" in board(TILEWRIGHT_RKNN_LIBRARY="/none.so").errors


def shortened(path: Path) -> ModelProto:
    """Return the network of `convolutions` with an identity as its second layer."""
    model = cast(Any, onnx).load(path)
    kept = [node for node in model.graph.node if node.name in ("first", "relu", "third")]
    kept[-1].input[0] = "r1"
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def frame(number: int) -> np.ndarray[Any, Any]:
    """Return the frame that program.c computes on, which is that of the network's input."""
    counted = np.arange(3 * 12 * 12)
    return ((counted * 7 + number * 13) % 251).astype(np.float32).reshape(1, 3, 12, 12)


@pytest.mark.vendor
@pytest.mark.skipif(not RKNN, reason=f"{INSTALL['rknn']}export TILEWRIGHT_RKNN_PYTHON=$TILEWRIGHT_NPU_PYTHON")
def test_rockchips_simulator_computes_a_part_of_mobilenet_in_a_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TILEWRIGHT_NPU_PYTHON", RKNN)
    path = save(zoo.build("mobilenet-v2"), tmp_path)
    frames = np.random.default_rng(0).standard_normal((3, 1, 3, 224, 224)).astype(np.float32)
    np.save(tmp_path / "frames.npy", frames)
    results: list[np.ndarray[Any, Any]] = []
    for order in (("--order", "B"), ("--order", "BNL", "--partition-points", "6,10", "--npu", "rknn")):
        words = ["coop", "run", str(path), *order, "--frames", str(tmp_path / "frames.npy")]
        assert main([*words, "--outputs", str(tmp_path / "results.npz")]) == 0
        results.append(np.load(tmp_path / "results.npz")["output"])
    # Measured: 0.003 of probabilities up to 0.5.
    np.testing.assert_allclose(results[1], results[0], atol=0.02)


@pytest.mark.vendor
@pytest.mark.skipif(not RKNN, reason=f"{INSTALL['rknn']}export TILEWRIGHT_RKNN_PYTHON=$TILEWRIGHT_NPU_PYTHON")
def test_rockchips_compiler_builds_an_artefact_for_a_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEWRIGHT_NPU_PYTHON", RKNN)
    path = convolutions(tmp_path)
    write_network(layers_of(path), "BNB", tmp_path / "npu", vendor=vendor_of("rknn-board", path, CHIPS[-1]))
    assert (tmp_path / "npu/stage1_npu.rknn").read_bytes()[:4] == b"RKNN"
