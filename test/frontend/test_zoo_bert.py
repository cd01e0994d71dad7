"""The zoo's BERT layer: what ONNX Runtime computes, under a mask, from a seed."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest

from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import bert_layer
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module

pytestmark = pytest.mark.quick

CONFIG = bert_layer.Config(tokens=10, dim=24, heads=3, hidden=40)


def inputs_of(config: bert_layer.Config, seen: int, seed: int = 0) -> dict[str, Array]:
    hidden = np.random.default_rng(seed).standard_normal((1, config.tokens, config.dim)).astype(np.float32)
    return {"hidden": hidden, "mask": (np.arange(config.tokens)[None] < seen).astype(np.int64)}


@pytest.mark.parametrize("config", [CONFIG, bert_layer.Config()], ids=["small", "as in BERT-tiny"])
def test_onnx_runtime_agrees(config: bert_layer.Config) -> None:
    model = bert_layer.build(seed=1, config=config)
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    inputs = inputs_of(config, config.tokens // 2)
    expected = cast(Any, onnxruntime.InferenceSession(model.SerializeToString())).run(None, inputs)[0]
    found = run_module(import_model(model), inputs)["output"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert 0.9 < expected.std() < 1.1


def test_hidden_tokens_do_not_count() -> None:
    module = import_model(bert_layer.build(config=CONFIG))
    inputs, seen = inputs_of(CONFIG, 6), slice(0, 6)
    expected = run_module(module, inputs)["output"]
    inputs["hidden"][0, 6:] += 1
    np.testing.assert_array_equal(run_module(module, inputs)["output"][0, seen], expected[0, seen])
    inputs["hidden"][0, 5] += 1
    assert np.all(run_module(module, inputs)["output"][0, 0] != expected[0, 0])


def test_same_bytes_for_a_seed() -> None:
    first, again, other = zoo.build("bert-layer", 1), zoo.build("bert-layer", 1), zoo.build("bert-layer", 2)
    assert first.SerializeToString() == again.SerializeToString() != other.SerializeToString()
    assert first.graph.name == "bert-layer"
    assert first.doc_string == zoo.summary("bert-layer")
    assert (zoo.cost(first).macs, zoo.cost(first).layers) == (6_291_456, 6)
