"""The zoo's transformers and recurrent networks: of the published size; small ones beside ONNX Runtime, and as C."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import (
    bert_base,
    bert_tiny,
    cswin_tiny,
    focal_tiny,
    lstm,
    pvt_tiny,
    swin_tiny,
    twins_small,
    vit_tiny,
)
from tilewright.frontend.zoo.pvt_tiny import Stage
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test import onnx_runtime
from tilewright.test.small_models import save

# As PyTorch counts them in transformers 5.23: BertModel, and {ViT,Swin,Pvt}ForImageClassification of these sizes.
PARAMETERS = {"bert-tiny": 4_385_920, "vit-tiny": 5_717_416, "pvt-tiny": 13_229_288, "swin-tiny": 28_288_354}

SMALL = {
    "bert-tiny": lambda: bert_tiny.build(1, tokens=9, dim=24, hidden=40, vocabulary=50),
    "bert-base": lambda: bert_base.build(1, tokens=6, dim=36, hidden=20, layers=1, vocabulary=30),
    "vit-tiny": lambda: vit_tiny.build(1, image=24, patch=8, dim=24, layers=2, classes=7),
    "swin-tiny": lambda: swin_tiny.build(1, image=24, patch=2, window=3, dim=8, layers=(2, 1), heads=(2, 4), classes=7),
    "pvt-tiny": lambda: pvt_tiny.build(
        1, image=16, stages=(Stage(4, 8, 1, 1, 2, 2), Stage(2, 16, 4, 1, 2, 1)), classes=7
    ),
    "twins-small": lambda: twins_small.build(
        1, image=24, window=3, dims=(8, 12), layers=(2, 1), heads=(2, 3), reductions=(2, 1), classes=7
    ),
    "cswin-tiny": lambda: cswin_tiny.build(1, image=16, dim=8, layers=(1, 1), heads=(2, 4), stripes=(2, 2), classes=7),
    "focal-tiny": lambda: focal_tiny.build(
        1, image=24, patch=2, window=3, halo=1, dim=8, layers=(1, 1), heads=(2, 4), focus=(3, 1), classes=7
    ),
    "lstm": lambda: lstm.build(1, frames=7, features=5, hidden=6, words=4),
}
each_network = pytest.mark.parametrize("name", SMALL)


@cache
def small(name: str) -> onnx.ModelProto:
    return SMALL[name]()


def shapes_of(model: onnx.ModelProto) -> dict[str, Any]:
    return {value.name: value.type for value in model.graph.value_info}


def assert_near(found: dict[str, Array], expected: dict[str, Array]) -> None:
    assert list(found) == list(expected)
    for name, wanted in expected.items():
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=1e-5 * float(np.abs(wanted).max()), err_msg=name)


@pytest.mark.parametrize("name", PARAMETERS)
def test_has_the_published_size(name: str) -> None:
    assert zoo.cost(zoo.build(name)).parameters == PARAMETERS[name]


def test_a_recurrent_layer_counts_both_directions() -> None:
    spent = zoo.cost(zoo.build("lstm"))
    layers = [2 * 4 * 128 * (width + 128) for width in (40, 256)]
    assert spent.parameters == sum(layers) + 2 * 2 * 8 * 128 + 256 * 12 + 12
    assert spent.macs == 98 * sum(layers) + 256 * 12
    assert spent.layers == 5


@each_network
def test_declares_every_tensor_and_describes_itself(name: str) -> None:
    model = small(name)
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    bare = onnx.ModelProto.FromString(model.SerializeToString())
    bare.graph.ClearField("value_info")
    assert shapes_of(onnx.shape_inference.infer_shapes(bare, strict_mode=True)) == shapes_of(model)
    assert model.graph.name == name
    assert model.doc_string == zoo.summary(name)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", [name for name in SMALL if name != "bert-base"])
def test_interpreter_and_c_are_near_onnx_runtime(name: str, tmp_path: Path) -> None:
    model = small(name)
    inputs = zoo.sample_inputs(model, 3)
    names = [value.name for value in model.graph.output]
    session: Any = onnx_runtime.session(model)
    expected = dict(zip(names, session.run(None, inputs), strict=True))
    assert all(len(np.unique(array)) > 1 for array in expected.values())
    assert_near(run_module(import_model(model), inputs), expected)
    save(model, tmp_path / "net.onnx")
    network = HostNetwork(compile_model(Model(tmp_path / "net.onnx"), "host").program(), flags=STRICT)
    for _ in range(2):
        results = network.run([np.ascontiguousarray(inputs[port.name]) for port in network.inputs])
        assert_near(dict(zip(names, results, strict=True)), expected)


def test_a_shifted_window_shows_true_neighbours_only() -> None:
    """What the roll brought together is hidden from each other: a change in a corner stays near it."""
    model = swin_tiny.build(1, image=12, patch=2, window=3, dim=8, layers=(2,), heads=(2,), classes=7)
    value = next(node for node in reversed(model.graph.node) if node.op_type == "LayerNormalization").input[0]
    model.graph.output.append(next(info for info in model.graph.value_info if info.name == value))
    session: Any = onnx_runtime.session(model)
    inputs = zoo.sample_inputs(model, 3)
    before = cast(Array, session.run([value], inputs)[0])
    inputs["input"][..., :2, :2] += 1
    changed = np.any(session.run([value], inputs)[0] != before, axis=-1)[0]
    rows, columns = np.nonzero(changed)
    assert changed.sum() > 9
    assert max(rows.max(), columns.max()) < 4
