"""Modules of a decoder on the TPU's reference plug-in: the scores of the core, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo.klm import KlmConfig
from tilewright.runtime.host import HostNetwork
from tilewright.targets.sg2002.building import build, write
from tilewright.targets.sg2002.tpu.vendors import tpu_vendor

from .decoders import CONTEXT, SMALL, outputs_of, write_decoder

ONE = KlmConfig(**(vars(SMALL) | {"layers": 1}))


@pytest.mark.parametrize(
    ("config", "prefill", "kinds"),
    [(ONE, None, "qkv+ffn"), pytest.param(SMALL, 4, "embed+qkv+ffn+head", marks=pytest.mark.nightly)],
)
def test_artefacts_give_the_bits_of_the_core(
    tmp_path: Path, config: KlmConfig, prefill: int | None, kinds: str
) -> None:
    path = write_decoder(tmp_path / "decoder.onnx", config)
    model = Model(path, context=CONTEXT, prefill=prefill, page_length=4)
    built = build(model, "sg2002", kinds, tpu_vendor("reference", "sg2002"))
    write(built, tmp_path / "build")
    core = compile_model(model, "sg2002").program()
    tokens, scores = outputs_of(HostNetwork(tmp_path / "build"))
    expected_tokens, expected = outputs_of(HostNetwork(core))
    assert tokens == expected_tokens
    for one, other in zip(scores, expected, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))
    # Weights of modules are in their artefacts alone.
    assert built.compilation.program().weights_bytes < core.weights_bytes
    names = {"network_qkv0.twnpu", *(["network_prefill_ffn1.twnpu"] if prefill else [])}
    assert names <= set(built.artifacts.files)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "host"], "target 'host' has no TPU"),
        (["--modules", "qkv+fnn"], "did you mean 'ffn'"),
        (["--modules", ""], "the network has no modules for a TPU"),
        (["--plugin", "cvl"], "there is no plug-in 'cvl' of a TPU"),
        (["--context", "no"], "a number of tokens is a positive integer"),
    ],
)
def test_bad_options_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    path = write_decoder(tmp_path / "decoder.onnx", ONE)
    command = ["tpu", "compile", str(path), "--context", str(CONTEXT), "-o", str(tmp_path / "build"), *words]
    assert cli.main(command) in (1, 2)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


def test_tools_that_are_not_installed_are_refused_with_the_lines_that_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILEWRIGHT_TPU_PYTHON", "/none/python")
    with pytest.raises(Diagnostic, match="tpu-mlir is not installed") as caught:
        tpu_vendor("cvi", "sg2002")
    assert cli.main(["tpu", "vendor"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# not installed\npython3.10 -m venv tpu-env\n")
    assert out.splitlines()[1:] == caught.value.notes
