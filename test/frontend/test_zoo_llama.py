"""The zoo's language model: exact in ONNX Runtime, lively, and the same at once as step by step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import llama
from tilewright.frontend.zoo._llama import rotary
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

CONFIG = llama.Config(layers=2, dim=24, heads=3, hidden=20, vocabulary=32, context=24)
FORMS = {
    "step": lambda: llama.step(8, config=CONFIG),
    "prompt": lambda: llama.prefill(6, config=CONFIG),
    "part of a prompt": lambda: llama.prefill(5, past=3, config=CONFIG),
}


def inputs_of(model: onnx.ModelProto, seed: int = 0) -> dict[str, Any]:
    random = np.random.RandomState(seed)
    token, position, *caches = model.graph.input
    shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in model.graph.input}
    inputs: dict[str, Any] = {token.name: random.randint(CONFIG.vocabulary, size=shapes[token.name])}
    inputs[position.name] = np.array([shapes[caches[0].name][2]])
    return inputs | {c.name: random.randint(-128, 128, shapes[c.name]).astype(np.float32) for c in caches}


@pytest.mark.parametrize("form", FORMS)
def test_onnx_runtime_agrees_to_the_bit(form: str) -> None:
    model = FORMS[form]()
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    session = onnx_runtime.session(model)
    inputs = inputs_of(model)
    found = session.run(None, inputs)
    expected = run_module(import_model(model), inputs)
    for value, array in zip(model.graph.output, found, strict=True):
        np.testing.assert_array_equal(array, expected[value.name], err_msg=value.name)


def test_a_prompt_at_once_is_as_many_steps() -> None:
    tokens = np.random.RandomState(1).randint(CONFIG.vocabulary, size=(1, 7))
    caches = {n.name: np.zeros((1, 3, 0, 8), np.float32) for n in llama.prefill(7, config=CONFIG).graph.input[2:]}
    given = {"token": tokens, "position": np.array([0]), **caches}
    whole = run_module(import_model(llama.prefill(7, config=CONFIG)), given)
    found: list[Any] = []
    for past in range(7):
        model = llama.step(past, config=CONFIG) if past else llama.prefill(1, config=CONFIG)
        given = {"token": tokens[:, past : past + 1], "position": np.array([past]), **caches}
        results = run_module(import_model(model), given)
        found.append(results["logits"][0, 0])
        caches = {n.replace("present", "past"): array for n, array in results.items() if n != "logits"}
    np.testing.assert_array_equal(whole["logits"][0], found)
    for name, array in caches.items():
        np.testing.assert_array_equal(whole[name.replace("past", "present")], array)


def test_a_prompt_is_lowered_without_a_state(tmp_path: Path) -> None:
    model = llama.prefill(3, config=replace(CONFIG, layers=1))
    path = tmp_path / "prompt.onnx"
    path.write_bytes(model.SerializeToString())
    inputs = inputs_of(model)
    lowered = compile_model(Model(path), "host", stop_after="tensor").module
    found, expected = run_module(lowered, inputs), run_module(import_model(model), inputs)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_scores_depend_on_every_token_before() -> None:
    model = llama.prefill(6, config=CONFIG)
    inputs = inputs_of(model)
    module = import_model(model)
    before = run_module(module, inputs)["logits"][0]
    for position in range(6):
        token = inputs["token"].copy()
        token[0, position] = (token[0, position] + 1) % CONFIG.vocabulary
        changed = (run_module(module, inputs | {"token": token})["logits"][0] != before).any(axis=-1)
        assert changed.tolist() == [row >= position for row in range(6)]


def test_weights_are_those_of_the_seed() -> None:
    def weights(model: onnx.ModelProto) -> dict[str, bytes]:
        return {t.name: t.raw_data for t in model.graph.initializer if ".attention." in t.name or ".mlp." in t.name}

    step = llama.step(4, config=CONFIG)
    assert weights(step) == weights(llama.prefill(9, config=CONFIG)) != weights(llama.step(4, seed=1, config=CONFIG))
    assert step.SerializeToString() == llama.step(4, config=CONFIG).SerializeToString()


def test_rotations_turn() -> None:
    table = rotary(CONFIG)
    assert table.shape == (24, 8, 8)
    np.testing.assert_array_equal(table[0], 127 * np.eye(8))
    lengths = np.sqrt((table**2).sum(axis=-1))
    np.testing.assert_allclose(lengths, 127, atol=1)


def test_the_default_is_of_tinystories_size() -> None:
    spent = zoo.cost(zoo.build("llama"))
    weights = 5 * (4 * 64 * 64 + 3 * 64 * 172)
    assert spent.macs == weights + 64 * 512
    assert spent.parameters == weights + 2 * 64 * 512 + 512 * 8 * 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: llama.step(0, config=CONFIG), "a step has no cached tokens"),
        (lambda: llama.prefill(0, config=CONFIG), "a prompt has no tokens"),
        (lambda: llama.step(24, config=CONFIG), "25 tokens are more than the network has positions for"),
        (lambda: llama.Config(dim=10, heads=3), "10 features do not make 3 heads"),
        (lambda: llama.Config(layers=0), "a Llama of 0 layers"),
    ],
)
def test_impossible_sizes_are_refused(make: Any, message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        make()
