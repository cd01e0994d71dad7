"""The zoo's keyboard language models: what a decoder in NumPy computes, at any length, and as generated text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import __main__ as command
from tilewright.frontend.zoo import klm
from tilewright.frontend.zoo._klm import KlmConfig, dequantised, drawn, quantised
from tilewright.frontend.zoo._klm_onnx import network
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test import onnx_runtime
from tilewright.test.small_models import save

TINY = KlmConfig(layers=2, dim=12, heads=4, kv_heads=2, head=6, hidden=20, vocabulary=19)
PROMPT = [3, 1, 2]


@st.composite
def configs(draw: st.DrawFn) -> KlmConfig:
    kv_heads = draw(st.integers(1, 3))
    return KlmConfig(
        layers=draw(st.integers(1, 3)),
        dim=draw(st.integers(2, 20)),
        heads=kv_heads * draw(st.integers(1, 4)),
        kv_heads=kv_heads,
        head=2 * draw(st.integers(1, 5)),
        hidden=draw(st.integers(1, 30)),
        vocabulary=draw(st.integers(2, 40)),
        theta=draw(st.sampled_from([100.0, 10_000.0, 500_000.0])),
    )


def reference(config: KlmConfig, weights: dict[str, Array], tokens: Array, caches: list[Array]) -> list[Array]:
    """Return in float64 the logits [S, vocabulary] of `tokens` [S] after caches [kv_heads, P, head], and the caches."""
    past, new = int(caches[0].shape[1]), len(tokens)
    held: dict[str, Array] = {name: array.astype(np.float64) for name, array in weights.items()}
    angles = np.outer(np.arange(past, past + new), config.theta ** (-np.arange(config.head // 2) * 2 / config.head))
    turns = np.exp(1j * angles)
    seen = np.arange(past + new)[None] <= np.arange(past, past + new)[:, None]

    def norm(x: Array, name: str) -> Array:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + config.epsilon) * held[name]

    def heads(x: Array, name: str) -> Array:
        return (x @ held[name].T).reshape(new, -1, config.head).transpose(1, 0, 2)

    def rotated(x: Array) -> Array:
        turned = (x[..., : config.head // 2] + 1j * x[..., config.head // 2 :]) * turns
        return np.concatenate([turned.real, turned.imag], -1)

    x = held["embedding"][tokens]
    grown: list[Array] = []
    for layer in range(config.layers):
        at = f"layers.{layer}.attention"
        normal = norm(x, f"{at}.norm")
        keys = np.concatenate([caches[2 * layer], rotated(heads(normal, f"{at}.k"))], 1)
        values = np.concatenate([caches[2 * layer + 1], heads(normal, f"{at}.v")], 1)
        grown += [keys, values]
        attended: list[Array] = []
        for head, query in enumerate(rotated(heads(normal, f"{at}.q"))):
            group = head // (config.heads // config.kv_heads)
            scores = np.where(seen, query @ keys[group].T / np.sqrt(config.head), -np.inf)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            attended.append(shares / shares.sum(-1, keepdims=True) @ values[group])
        x = x + np.concatenate(attended, -1) @ held[f"{at}.o"].T
        normal = norm(x, f"layers.{layer}.mlp.norm")
        gate = normal @ held[f"layers.{layer}.mlp.gate"].T
        up = normal @ held[f"layers.{layer}.mlp.up"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ held[f"layers.{layer}.mlp.down"].T
    return [norm(x, "norm") @ held["embedding"].T, *grown]


def empty(config: KlmConfig) -> list[Array]:
    return [np.zeros((config.kv_heads, 0, config.head))] * (2 * config.layers)


def inputs_of(model: onnx.ModelProto, tokens: Array, caches: list[Array]) -> dict[str, Any]:
    past = int(caches[0].shape[1])
    values: list[Array] = [tokens[None], np.arange(past, past + len(tokens))[None]]
    values += [cache[None].astype(np.float32) for cache in caches]
    return dict(zip([value.name for value in model.graph.input], values, strict=True))


def assert_near(found: list[Array], expected: list[Array]) -> None:
    assert len(found) == len(expected)
    for array, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(array[0], wanted, rtol=0, atol=2e-5 * max(1.0, float(np.abs(wanted).max())))


def continuation(config: KlmConfig, weights: dict[str, Array], prompt: list[int], count: int) -> list[int]:
    """Return the tokens of greedy generation, each from the whole text before it."""
    tokens = list(prompt)
    while len(tokens) < len(prompt) + count:
        logits = reference(config, weights, np.array(tokens), empty(config))[0]
        tokens.append(int(np.argmax(logits[-1])))
    return tokens[len(prompt) :]


def test_the_size_is_that_of_its_sizes() -> None:
    """By hand: attention 2 * 512^2 + 2 * 512 * 128, three matrices of 512 * 2048, and norms; the embedding is tied."""
    layer = 2 * 512**2 + 2 * 512 * 128 + 3 * 512 * 2048
    spent = zoo.cost(zoo.build("klm"))
    assert spent.parameters == 6 * (layer + 2 * 512) + 512 + 512**2 == 23_075_328
    assert (spent.macs, spent.layers) == (6 * layer + 512**2, 6 * 7 + 1)


def test_factors_that_are_not_learned_do_not_count() -> None:
    """The detector multiplies offsets by the sizes of its default boxes."""
    assert zoo.cost(zoo.build("detector")).parameters == 62_600


@pytest.mark.parametrize(("tokens", "past"), [(1, 8), (3, 0), (4, 5)])
def test_declares_every_tensor_and_describes_itself(tokens: int, past: int) -> None:
    model = klm.build(tokens=tokens, past=past, config=TINY)
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    assert model.graph.name == "klm"
    assert model.doc_string == zoo.summary("klm")
    declared = {value.name: value for value in (*model.graph.value_info, *model.graph.output)}
    assert declared.keys() == {name for node in model.graph.node for name in node.output}
    caches = [np.ones((TINY.kv_heads, past, TINY.head))] * (2 * TINY.layers)
    inputs = inputs_of(model, np.arange(tokens), caches)
    model.graph.output.extend(model.graph.value_info)
    arrays = onnx_runtime.session(model, fused=False).run([*declared], inputs)
    for value, array in zip(declared.values(), arrays, strict=True):
        kind = value.type.tensor_type
        assert (kind.elem_type, *(dim.dim_value for dim in kind.shape.dim)) == (
            onnx.helper.np_dtype_to_tensor_dtype(array.dtype),
            *array.shape,
        ), value.name


def test_open_lengths_are_named_as_exporters_name_them() -> None:
    model = klm.build_open(config=replace(TINY, layers=1))
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    shapes = {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in (*model.graph.input, *model.graph.output)
    }
    caches = {f"past_key_values.0.{part}": [1, 2, "past", 6] for part in ("key", "value")}
    presents = {f"present.0.{part}": [1, 2, "past + new", 6] for part in ("key", "value")}
    inputs = {"input_ids": [1, "new"], "position_ids": [1, "new"]}
    assert shapes == {**inputs, **caches, "logits": [1, "new", 19], **presents}


@settings(max_examples=12, deadline=None)
@given(configs(), st.integers(1, 5), st.integers(0, 6), st.integers(0, 99))
def test_computes_what_numpy_does(config: KlmConfig, new: int, past: int, seed: int) -> None:
    weights = drawn(config, seed)
    random = np.random.RandomState(seed)
    tokens = random.randint(config.vocabulary, size=new)
    caches = [random.standard_normal((config.kv_heads, past, config.head)) for _ in range(2 * config.layers)]
    expected = reference(config, weights, tokens, caches)
    model = network("klm", klm.__doc__, config, weights, new, past)
    inputs = inputs_of(model, tokens, caches)
    assert_near(list(run_module(import_model(model), inputs).values()), expected)
    assert_near(onnx_runtime.session(klm.build_open(seed, config=config)).run(None, inputs), expected)


def test_c_computes_what_numpy_does(tmp_path: Path) -> None:
    model = klm.build(1, tokens=2, past=3, config=TINY)
    random = np.random.RandomState(1)
    caches = [random.standard_normal((TINY.kv_heads, 3, TINY.head)) for _ in range(2 * TINY.layers)]
    inputs = inputs_of(model, np.array([7, 18]), caches)
    save(model, tmp_path / "net.onnx")
    program = HostNetwork(compile_model(Model(tmp_path / "net.onnx"), "host").program(), flags=STRICT)
    for _ in range(2):
        found = program.run([np.ascontiguousarray(inputs[port.name]) for port in program.inputs])
        assert_near(list(found), reference(TINY, drawn(TINY, 1), np.array([7, 18]), caches))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("is_open", "more"),
    [
        (True, ["--on", "interpreter"]),
        (True, ["--prefill", "2", "--bucket", "4"]),
        (False, []),
        (False, ["--bucket", "4"]),
    ],
)
def test_generates_what_numpy_does(
    is_open: bool, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = klm.build_open(3, config=TINY) if is_open else klm.build(3, config=TINY)
    save(model, tmp_path / "klm.onnx")
    expected = continuation(TINY, drawn(TINY, 3), PROMPT, 8)
    assert len(set(expected)) > 2
    words = ["generate", str(tmp_path / "klm.onnx"), "--prompt", "3,1,2", "--tokens", "8", *more]
    assert cli.main(words) == 0
    assert capsys.readouterr().out.split() == [",".join(map(str, expected))]


def test_the_command_leaves_lengths_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, symbol in (([], ""), (["--open"], "past")):
        assert command.main(["klm-small", str(tmp_path / "net.onnx"), *words]) == 0
        cache = onnx.ModelProto.FromString((tmp_path / "net.onnx").read_bytes()).graph.input[2]
        assert cache.type.tensor_type.shape.dim[2].dim_param == symbol
    assert command.main(["mlp", str(tmp_path / "no.onnx"), "--open"]) == 1
    assert "the shapes of the network 'mlp' are fixed" in capsys.readouterr().err
    assert not (tmp_path / "no.onnx").exists()


def test_same_bytes_for_a_seed() -> None:
    first, again, other = (klm.build(seed, config=TINY).SerializeToString() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"heads": 3}, "share the caches"), ({"head": 5}, "no halves")],
)
def test_sizes_that_do_not_fit_are_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        replace(TINY, **changes)


@pytest.mark.parametrize(("tokens", "past"), [(0, 3), (1, -1)])
def test_a_call_without_tokens_is_refused(tokens: int, past: int) -> None:
    with pytest.raises(Diagnostic, match="no tokens"):
        klm.build(tokens=tokens, past=past, config=TINY)


@settings(max_examples=12, deadline=None)
@given(configs(), st.integers(0, 99))
def test_int8_weights_are_within_half_a_step_of_the_row(config: KlmConfig, seed: int) -> None:
    weights = drawn(config, seed)
    weights["embedding"][0] = 0
    stored = quantised(weights)
    restored = dequantised(stored, config)
    assert list(restored) == list(weights)
    for name, values in weights.items():
        step = np.abs(values).max(axis=-1, keepdims=True) / 127 if values.ndim == 2 else np.zeros(1)
        assert np.all(np.abs(values - restored[name]) <= step * 0.501), name
        assert stored[name].dtype == (np.int8 if values.ndim == 2 else np.float32)


def test_weights_that_do_not_fit_are_refused() -> None:
    stored = quantised(drawn(TINY, 0))
    with pytest.raises(Diagnostic, match="embedding does not fit"):
        dequantised(stored, replace(TINY, vocabulary=20))
    del stored["norm"]
    with pytest.raises(Diagnostic, match="the weight norm does not fit"):
        dequantised(stored, TINY)
