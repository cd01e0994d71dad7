"""Modules of decoders in bfloat16 on Sophgo's runtime with its simulator, inside a decode loop."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo.klm import KLM, KlmConfig
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.targets.hmp.npu import SOURCES
from tilewright.targets.sg2002.building import BuiltDecoder, build, write
from tilewright.targets.sg2002.tpu.cvimodel import ERROR, nearness
from tilewright.targets.sg2002.tpu.tools import INSTALL
from tilewright.targets.sg2002.tpu.vendors import tpu_vendor

from .decoders import CONTEXT, PROMPT, SMALL, bound, outputs_of, program, write_decoder

IS_THERE = bool(os.environ.get("TILEWRIGHT_TPU_PYTHON") and os.environ.get("TILEWRIGHT_CVI_LIBRARY"))
pytestmark = [
    pytest.mark.vendor,
    pytest.mark.skipif(not IS_THERE, reason=INSTALL),
]


def built_for(folder: Path, config: KlmConfig, prefill: int) -> tuple[Model, BuiltDecoder]:
    context = max(CONTEXT, 2 * prefill)
    model = Model(write_decoder(folder / "decoder.onnx", config), context=context, prefill=prefill, page_length=4)
    built = build(model, "sg2002", "qkv+ffn", tpu_vendor("cvi", "sg2002"))
    write(built, folder / "build")
    return model, built


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Model]:
    folder = tmp_path_factory.mktemp("small")
    return folder / "build", built_for(folder, SMALL, 4)[0]


def test_the_tokens_are_ours(small: tuple[Path, Model]) -> None:
    """A prompt by the programs for four tokens, then steps; scores are within the bound of a module."""
    folder, model = small
    tokens, scores = outputs_of(HostNetwork(folder))
    expected_tokens, expected = outputs_of(HostNetwork(compile_model(model, "sg2002").program()))
    assert tokens == expected_tokens
    assert max(nearness(one, other)[1] for one, other in zip(expected, scores, strict=True)) <= ERROR


def test_the_same_calls_give_the_same_bits(small: tuple[Path, Model]) -> None:
    runs = [outputs_of(HostNetwork(small[0]))[1] for _ in range(2)]
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))


def cut(content: bytes) -> bytes:
    return content[:-64]


def foreign(content: bytes) -> bytes:
    return content.replace(b"cv181x", b"cv180x")


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("change", [cut, foreign, flipped])
def test_another_artefact_is_refused(
    small: tuple[Path, Model], tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    folder = Path(shutil.copytree(small[0], tmp_path / "build"))
    file = folder / "ffn1.cvi"
    file.write_bytes(change(file.read_bytes()))
    decode = program(folder, ["cc"], [*(str(folder / name) for name in SOURCES), "-ldl"])
    done = subprocess.run([decode, *map(str, PROMPT)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "network_ffn1 failed at frame 0 with TW_NPU_WRONG_HASH (9)" in done.stderr


def test_a_layer_of_the_keyboard_model_has_its_weights_once(tmp_path: Path) -> None:
    """Programs for one token and for 64, of 3.8 million parameters: two bytes for each, and less than a tenth more."""
    config = KlmConfig(**(vars(KLM) | {"layers": 1}))
    model, built = built_for(tmp_path, config, 64)
    sizes = {name: len(content) for name, content in built.artifacts.files.items() if name.endswith(".cvi")}
    projections = config.dim * (config.dim + 2 * config.kv_heads * config.head)
    network = config.dim * (config.dim + 3 * config.hidden)
    for name, count in (("qkv0.cvi", projections), ("ffn0.cvi", network)):
        assert 2 * count < sizes[name] < 2.2 * count
    own, ours = HostNetwork(tmp_path / "build"), HostNetwork(compile_model(model, "sg2002").program())
    for computed, expected in zip(prompt_and_step(own), prompt_and_step(ours), strict=True):
        assert nearness(expected, computed)[1] <= ERROR
        np.testing.assert_array_equal(computed.argmax(-1), expected.argmax(-1))


def prompt_and_step(network: HostNetwork) -> list[Array]:
    """Return the scores of 64 tokens at once and of the one behind them."""
    run = bound(network)
    prompt = run({"input_ids": np.arange(64)[None], "position": np.array([0])}, function="network_prefill")
    step = run({"input_ids": np.array([[7]]), "position": np.array([64])})
    return [*prompt.values(), *step.values()]
