"""The CVI plug-in on a stand-in for Sophgo's runtime: calls, refusals, programs, shared weights."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.runtime.toolchain import compile_shared
from tilewright.targets.hmp.npu.artifacts import TOLERANCE, Vendor, built_plugin
from tilewright.targets.hmp.npu.subgraph import Subgraph
from tilewright.targets.sg2002.tpu.cvimodel import CviProgram, packed
from tilewright.targets.sg2002.tpu.vendors import C
from tilewright.test.targets.hmp.npu.npu_programs import build, parsed, run, write_network

NETWORK = """
!x = tensor<96xf32>
func.func @network(%x: !x) -> !x {
  %e = tensor.empty() : !x
  %a = linalg.mul ins(%x, %x : !x, !x) outs(%e : !x) attrs = {hmp.layer = 0 : i64} -> !x
  %b = linalg.add ins(%a, %a : !x, !x) outs(%e : !x) attrs = {hmp.layer = 1 : i64} -> !x
  %c = linalg.mul ins(%b, %b : !x, !x) outs(%e : !x) attrs = {hmp.layer = 2 : i64} -> !x
  func.return %c : !x
}
"""
MODEL = b"CviModel" + (16).to_bytes(4, "little") + b"\x01\x04" + bytes(16) + b"cv181x".ljust(16, b"\0") + bytes(18)
"""Header of a .cvimodel, and a body of 16 bytes and more."""
MODEL_AT = 1024
"""Offset of the model in the artefact."""


def artifact(module: ModuleOp, stage: Subgraph) -> bytes:
    """Return an artefact of two programs of one input and one output."""
    del module
    inputs = tuple(replace(port, name=f"in{index}") for index, port in enumerate(stage.inputs))
    outputs = tuple(replace(port, name=f"out{index}_Mul_f32") for index, port in enumerate(stage.outputs))
    return packed([CviProgram("", inputs, outputs)] * 2, MODEL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network whose first and last layer are on the TPU, as a program, beside the stand-in."""
    network = tmp_path_factory.mktemp("cvi") / "network"
    files = partial(built_plugin, "cvi", folder=C)
    write_network(parsed(NETWORK), "NBN", network, vendor=Vendor("cvi", "cv181x", ".cvi", artifact, files, TOLERANCE))
    library = compile_shared([Path(__file__).parent / "libcviruntime.c"], ["-std=c11"])
    shutil.copy(library, network / "libcviruntime.so")
    build(network)
    return network


@pytest.fixture(autouse=True)
def library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CVI_LIBRARY", str(folder / "libcviruntime.so"))


def squares(runs: int) -> list[list[float]]:
    frames = [[float((k * 7 + number * 13) % 251) for k in range(96)] for number in range(runs)]
    return [[4 * x**4 for x in frame] for frame in frames]


def numbers(text: str) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in text.splitlines()]


def test_sessions_share_a_model_and_print_nothing(folder: Path) -> None:
    """The first result only warms up, and what the library prints is no output of the program."""
    done = run(folder / "program", 3)
    assert done.status == 0
    for one, other in zip(numbers(done.outputs), squares(3), strict=True):
        assert one == pytest.approx(other, rel=1e-6)
    lines = done.errors.splitlines()
    assert [lines.count(line) for line in ("registered", "cloned", "cleaned")] == [1, 2, 3]


def test_a_process_of_its_own_computes_the_same(folder: Path) -> None:
    done = run(folder / "program", 2, TILEWRIGHT_NPU_ISOLATED="1")
    assert (done.status, done.outputs) == (0, run(folder / "program", 2).outputs)
    assert done.errors.endswith("no processes\n")


def changed(
    folder: Path, target: Path, change: Callable[[bytearray], object], source: tuple[str, str] = ("", "")
) -> Path:
    """Build the network with another artefact, of whose hash it knows, and another text in its C."""
    shutil.copytree(folder, target)
    file, network = target / "stage0_npu.cvi", target / "network.c"
    content = bytearray(file.read_bytes())
    before = hashlib.sha256(content).hexdigest()
    change(content)
    file.write_bytes(content)
    text = network.read_text().replace(before, hashlib.sha256(content).hexdigest(), 1)
    network.write_text(text.replace(*source, 1) if source[0] else text)
    return build(target)


def test_a_program_of_a_model_is_chosen(folder: Path, tmp_path: Path) -> None:
    program = changed(folder, tmp_path / "network", lambda content: None, (".program = 0u", ".program = 1u"))
    done = run(program, 1)
    assert numbers(done.outputs)[0] == pytest.approx([4 * value for value in squares(1)[0]], rel=1e-6)
    assert done.errors.splitlines().count("registered") == 1


def put(content: bytearray, at: int, values: bytes) -> None:
    content[at : at + len(values)] = values


CHANGES: dict[str, tuple[Callable[[bytearray], object], str]] = {
    "magic": (lambda content: put(content, 0, b"TWNPUREF"), "TW_NPU_BAD_ARTIFACT (7): {}: it is no artefact"),
    "version": (lambda content: put(content, 8, b"\x02"), "TW_NPU_FOREIGN_VERSION (13)"),
    "target": (lambda content: put(content, 16, b"cv180x"), "TW_NPU_FOREIGN_TARGET (8): {}: it is for another target"),
    "programs": (lambda content: put(content, 56, b"\x09"), "its sizes disagree"),
    "truncated": (lambda content: content.__delitem__(slice(-1, None)), "its sizes disagree"),
    "header alone": (lambda content: content.__delitem__(slice(40, None)), "it ends in its header"),
    "model": (lambda content: put(content, MODEL_AT, b"BadModel"), "it holds no model of Sophgo's tools"),
    "model's version": (lambda content: put(content, MODEL_AT + 12, b"\x02"), "a model of another version"),
    "model's size": (lambda content: put(content, MODEL_AT + 8, b"\xff\xff"), "its model is shorter than it says"),
    "model's chip": (lambda content: put(content, MODEL_AT + 30, b"bm1684"), "it holds a model for another chip"),
    "tensor": (lambda content: put(content, 72, b"in7"), "its model has no tensor in7"),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CHANGES)
def test_a_damaged_artefact_is_refused_before_the_library_sees_it(folder: Path, tmp_path: Path, name: str) -> None:
    """Its hash is that of the network here: the plug-in's own checks refuse it, but for the name of a tensor."""
    change, said = CHANGES[name]
    done = run(changed(folder, tmp_path / "network", change), 1)
    before, text, _ = done.errors.partition(said.format(tmp_path / "network" / "stage0_npu.cvi"))
    assert text
    assert ("registered" in before) == (name == "tensor")
    assert done.outputs == ""


def test_every_flipped_bit_of_a_sample_is_refused_by_the_hash(folder: Path, tmp_path: Path) -> None:
    network = tmp_path / "network"
    shutil.copytree(folder, network)
    content = (network / "stage2_npu.cvi").read_bytes()
    for bit in range(0, 8 * len(content), 8 * len(content) // 12):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        (network / "stage2_npu.cvi").write_bytes(flipped)
        done = run(network / "program", 1)
        assert "stage2_npu failed at frame 0 with TW_NPU_WRONG_HASH (9)" in done.errors
        assert done.outputs == ""


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("FAKE_REGISTER", "7", "TW_NPU_BAD_ARTIFACT (7)"),
        ("FAKE_REGISTER", "-3", "TW_NPU_FAILED (2)"),
        ("FAKE_FORWARD", "2", "TW_NPU_FAILED (2): CVI_NN_Forward of libcviruntime returned 2"),
        ("FAKE_TARGET", "cv180x", "its model is for another chip than it says"),
        ("FAKE_FORMAT", "3", "TW_NPU_WRONG_TENSORS (15)"),
        ("FAKE_FLOATS", "95", "its model has other tensors than it says"),
        ("TILEWRIGHT_CVI_LIBRARY", "/none.so", "TW_NPU_NO_DEVICE (4)"),
        ("TILEWRIGHT_CVI_LIBRARY", "libm.so.6", "the library has no function CVI_NN_RegisterModelFromBuffer"),
    ],
)
def test_failures_of_the_library_are_reported(folder: Path, variable: str, value: str, said: str) -> None:
    assert said in run(folder / "program", 2, **{variable: value}).errors


@pytest.mark.nightly
def test_calls_are_clean_under_sanitisers(folder: Path, tmp_path: Path) -> None:
    flags = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    files = partial(built_plugin, "cvi", flags, C)
    network = tmp_path / "network"
    write_network(parsed(NETWORK), "NBN", network, vendor=Vendor("cvi", "cv181x", ".cvi", artifact, files, TOLERANCE))
    done = run(build(network, flags), 3)
    assert (done.status, done.outputs) == (0, run(folder / "program", 3).outputs)
    assert done.errors.endswith("no processes\n")
