"""The zoo's BERT layer: what ONNX Runtime computes, under a mask, from a seed."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import bert_layer
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick

SMALL = {"tokens": 10, "dim": 24, "heads": 3, "hidden": 40}
TINY = {"tokens": 32, "dim": 128, "heads": 2, "hidden": 512}


def inputs_of(sizes: dict[str, int], seen: int, seed: int = 0) -> dict[str, Array]:
    hidden = np.random.default_rng(seed).standard_normal((1, sizes["tokens"], sizes["dim"])).astype(np.float32)
    return {"hidden": hidden, "mask": (np.arange(sizes["tokens"])[None] < seen).astype(np.int64)}


@pytest.mark.long
@pytest.mark.parametrize("sizes", [SMALL, TINY], ids=["small", "as in BERT-tiny"])
def test_onnx_runtime_agrees(sizes: dict[str, int]) -> None:
    model = bert_layer.build(seed=1, **sizes)
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    inputs = inputs_of(sizes, sizes["tokens"] // 2)
    expected = onnx_runtime.session(model).run(None, inputs)[0]
    found = run_module(import_model(model), inputs)["output"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert 0.9 < expected.std() < 1.1


def test_hidden_tokens_do_not_count() -> None:
    module = import_model(bert_layer.build(**SMALL))
    inputs, seen = inputs_of(SMALL, 6), slice(0, 6)
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
