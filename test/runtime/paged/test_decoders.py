"""Decoders on a paged store: the tokens and scores of dense caches, at every level and in C."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import host_inputs, network_inputs
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig as StoreConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.paged.status import PagedError, Status
from tilewright.runtime.tools.generate import generate, module_language
from tilewright.runtime.tools.generate_paged import paged_language
from tilewright.runtime.tools.session import Interpreted, level_for, runner

SMALL = KlmConfig(layers=2, dim=32, heads=4, kv_heads=2, head=8, hidden=48, vocabulary=40)
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
CONTEXT = 40


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("decoder") / "decoder.onnx"
    path.write_bytes(build_open(3, config=SMALL).SerializeToString())
    return path


@pytest.fixture(scope="module")
def expected(decoder: Path) -> list[int]:
    """Return the tokens that the decoder with dense caches adds to the prompt."""
    compilation = compile_model(Model(decoder, context=CONTEXT), "host", **level_for("interpreter")._asdict())
    return generate(runner(compilation, "interpreter"), module_language(compilation.module), PROMPT, 12)


def paged(decoder: Path, prefill: int | None = None) -> Model:
    return Model(decoder, context=CONTEXT, prefill=prefill, page_length=4)


@pytest.fixture(scope="module")
def network(decoder: Path) -> HostNetwork:
    return HostNetwork(compile_model(paged(decoder, prefill=4), "host").program())


def run_of(network: HostNetwork, *, budget: int = 0, capacity: int = CONTEXT) -> BoundNetwork:
    changes = {"budget_pages": budget, "capacity": capacity}
    pool = NativePool(replace(StoreConfig.of_shape(network.pool_shape(), 1 << 22), sparse_prefill=True, **changes))
    return BoundNetwork(network, pool, pool.create())


def tokens_of(network: HostNetwork, run: BoundNetwork, *, several: bool = False) -> list[int]:
    prompt = host_inputs(network, "network_prefill") if several else ()
    return generate(run, paged_language(host_inputs(network), prompt, CONTEXT), PROMPT, 12)


def test_c_gives_the_tokens_of_dense_caches(network: HostNetwork, expected: list[int]) -> None:
    assert tokens_of(network, run_of(network)) == expected


def test_a_prompt_at_once_is_one_by_one(network: HostNetwork, expected: list[int]) -> None:
    assert tokens_of(network, run_of(network), several=True) == expected


def test_a_selection_does_not_depend_on_how_a_prompt_comes(network: HostNetwork) -> None:
    ways = [tokens_of(network, run_of(network, budget=2), several=several) for several in (False, True)]
    assert ways[0] == ways[1]


def test_the_interpreter_gives_the_bits_of_c(decoder: Path, network: HostNetwork, expected: list[int]) -> None:
    compilation = compile_model(paged(decoder), "host", **level_for("interpreter")._asdict())
    interpreted, compiled = Interpreted(compilation), run_of(network)
    language = paged_language(network_inputs(compilation.module), (), CONTEXT)
    assert generate(interpreted, language, PROMPT, 12) == expected
    interpreted.reset()
    for position, token in enumerate(PROMPT):
        step = {"input_ids": np.array([[token]]), "position": np.array([position])}
        found, wanted = (only(run(step)) for run in (interpreted, compiled))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5 * float(np.abs(wanted).max()))


def only(outputs: dict[str, Array]) -> Array:
    (array,) = outputs.values()
    return array


def test_a_position_out_of_order_is_refused(network: HostNetwork) -> None:
    run = run_of(network)
    step = {"input_ids": np.array([[1]]), "position": np.array([3])}
    with pytest.raises(Exception, match="the position is not the length of the sequence"):
        run(step)
    assert run.pool.length(run.sequence) == 0


def test_a_full_store_leaves_the_sequence(network: HostNetwork) -> None:
    run = run_of(network, capacity=8)
    for position in range(8):
        run({"input_ids": np.array([[1]]), "position": np.array([position])})
    with pytest.raises(PagedError) as refusal:
        run({"input_ids": np.array([[1]]), "position": np.array([8])})
    assert (refusal.value.status, run.pool.length(run.sequence)) == (Status.FULL, 8)


def test_generate_goes_on_from_a_folder(
    decoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: list[int]
) -> None:
    folder = tmp_path / "kv"
    folder.mkdir()
    command = ["generate", str(decoder), "--paged", "--page-length", "4", "--context", str(CONTEXT), "--tokens", "12"]
    words = [*command, "--kv-dir", str(folder), "--prompt", ",".join(map(str, PROMPT))]
    assert cli.main(words) == 0
    first = capsys.readouterr()
    assert cli.main(words) == 0
    second = capsys.readouterr()
    assert first.out == second.out == f"{','.join(map(str, expected))}\n"
    assert "11 tokens in (10 of them kept)" in second.err
    assert cli.main([*words, "--on", "interpreter"]) == 0
    assert capsys.readouterr().out == first.out


def test_another_model_does_not_go_on(decoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other, folder = tmp_path / "other.onnx", tmp_path / "kv"
    folder.mkdir()
    other.write_bytes(build_open(4, config=SMALL).SerializeToString())
    options = ["--paged", "--page-length", "4", "--context", "40", "--prompt", "1,2,3", "--tokens", "2"]
    assert cli.main(["generate", str(decoder), *options, "--kv-dir", str(folder)]) == 0
    assert cli.main(["generate", str(other), *options, "--kv-dir", str(folder)]) == 1
    assert "another model" in capsys.readouterr().err
