"""Networks on Siracusa, by the front door: every variant of the machine, on the interpreter, a PC and one RV32 core."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilewright.cli import main
from tilewright.frontend import zoo
from tilewright.frontend.zoo import llama
from tilewright.runtime.rv32 import run_elf
from tilewright.test.small_models import save_case

VARIANTS = ("siracusa", "siracusa/npu", "siracusa/cluster", "siracusa/one-core")
SMALL = 'include = "siracusa"\ndescription = "little near memory"\n\n[levels.L1]\nsize = "16KiB"\n'


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network, and DS-CNN of the zoo with what the zoo says comes of it."""
    folder = tmp_path_factory.mktemp("corpus")
    save_case(folder / "small")
    model = zoo.build("ds-cnn")
    inputs = zoo.sample_inputs(model, 1)
    name = model.graph.output[0].name
    (folder / "ds-cnn").mkdir()
    (folder / "ds-cnn" / "network.onnx").write_bytes(model.SerializeToString())
    np.savez(folder / "ds-cnn" / "inputs.npz", allow_pickle=False, **inputs)
    np.savez(folder / "ds-cnn" / "outputs.npz", allow_pickle=False, **{name: zoo.evaluate(model, inputs)[name]})
    return folder


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", VARIANTS)
def test_variants(corpus: Path, target: str, capsys: pytest.CaptureFixture[str]):
    assert main(["check", str(corpus), "--target", target, "--on", "interpreter", "--on", "host"]) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out


@pytest.mark.nightly
def test_little_near_memory(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    machine = tmp_path / "small.toml"
    machine.write_text(SMALL)
    assert main(["check", str(corpus), "--target", str(machine), "--on", "interpreter", "--on", "host"]) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out


def test_one_core_of_rv32(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, inputs, outputs = (corpus / "small" / name for name in ("network.onnx", "inputs.npz", "outputs.npz"))
    found = tmp_path / "out.npz"
    words = [
        "run",
        str(model),
        "--inputs",
        str(inputs),
        "--outputs",
        str(found),
        "--target",
        "siracusa",
        "--on",
        "rv32",
    ]
    assert main(words) == 0
    assert re.search(r"^[\d,]+ instructions$", capsys.readouterr().out, re.MULTILINE)
    np.testing.assert_array_equal(np.load(found)["y"], np.load(outputs)["y"])


def test_bare_programs(corpus: Path, tmp_path: Path):
    model, inputs = (corpus / "small" / name for name in ("network.onnx", "inputs.npz"))
    words = ["compile", str(model), "--target", "siracusa", "-o", str(tmp_path), "--bare", "--inputs", str(inputs)]
    assert main(words) == 0
    for board in ("portable", "siracusa"):
        assert (tmp_path / f"network-{board}.elf").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.nightly
def test_a_language_model_on_one_core(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The program of three steps prints what the compiled network gives on a PC; a text goes on as it does there."""
    path, out = tmp_path / "llama.onnx", tmp_path / "out"
    config = llama.Config(layers=1, dim=16, heads=2, hidden=16, vocabulary=24, context=16)
    path.write_bytes(llama.step(4, config=config).SerializeToString())
    np.savez(tmp_path / "steps.npz", allow_pickle=False, token=np.array([3, 1, 2])[:, None, None])
    inputs, target = ["--inputs", str(tmp_path / "steps.npz")], ["--target", "siracusa", "--context", "4"]
    assert main(["compile", str(path), *target, *inputs, "-o", str(out), "--bare"]) == 0
    assert main(["run", str(out), *inputs, "--outputs", str(tmp_path / "out.npz")]) == 0
    done = run_elf(out / "network-portable.elf")
    assert (done.exit_code, done.console.count("cycles ")) == (0, 3)
    printed = bytes.fromhex("".join(re.findall(r"^output 0: (\w*)$", done.console, re.MULTILINE)))
    scores = np.load(tmp_path / "out.npz")["logits"]
    np.testing.assert_array_equal(np.frombuffer(printed, scores.dtype), scores.reshape(-1))
    capsys.readouterr()
    found: list[str] = []
    for words in ([str(out)], [str(path), *target, "--on", "rv32"]):
        assert main(["generate", *words, "--prompt", "3,1", "--tokens", "3"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1] != ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "host", "--bare"], "target 'host' has no programs that run without an operating system"),
        (["--target", "host", "--bare"], "remedy:     choose --target siracusa"),
        (["--target", "siracusa", "--inputs", "in.npz"], "--inputs is for --bare"),
    ],
)
def test_wrong_use(words: list[str], message: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "out"
    assert main(["compile", str(corpus / "small" / "network.onnx"), "-o", str(out), *words]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
