"""Conditions on floats and truth values on `native`: the same bits with vector instructions and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tilewright.compiler import Model, compile_model
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test.phases import each_phase
from tilewright.test.small_models import save

FLAGS = [(), ("-O3", "-mavx2", "-mfma"), ("-O3", "-march=native")]
VALUES = np.array([-np.inf, -1.5, -0.0, 0.0, 0.25, 1.0, 2.0, np.inf, np.nan], np.float32)
"""Few values, so that many are equal."""


def random_model(random: np.random.Generator, rows: int, columns: int) -> onnx.ModelProto:
    """Return a model of comparisons, selections and logic in random order, and of searches along the rows."""
    shape, nodes, floats, truths = [rows, columns], list[onnx.NodeProto](), ["x", "y"], ["a", "b"]
    for number in range(10):
        kind = str(random.choice(["Greater", "LessOrEqual", "Equal", "And", "Or", "Xor", "Not", "Where", "Div", "Max"]))
        makes_float, takes_float = kind in ("Where", "Div", "Max"), kind not in ("And", "Or", "Xor", "Not", "Where")
        inputs = [str(name) for name in random.choice(floats if takes_float else truths, 2)]
        if kind == "Where":
            inputs = [inputs[0], *(str(name) for name in random.choice(floats, 2))]
        nodes.append(helper.make_node(kind, inputs[:1] if kind == "Not" else inputs, [f"v{number}"]))
        (floats if makes_float else truths).append(f"v{number}")
    nodes.append(helper.make_node("And", [truths[-1], truths[-2]], ["mask"]))
    nodes.append(helper.make_node("Where", ["mask", floats[-1], floats[-2]], ["z"]))
    nodes += [
        helper.make_node("ArgMax", ["z"], ["largest"], axis=1, select_last_index=int(random.integers(2))),
        helper.make_node("ArgMin", ["z"], ["least"], axis=1, select_last_index=int(random.integers(2))),
    ]
    types = {"x": TensorProto.FLOAT, "y": TensorProto.FLOAT, "a": TensorProto.BOOL, "b": TensorProto.BOOL}
    outputs = {"mask": TensorProto.BOOL, "z": TensorProto.FLOAT}
    places = [helper.make_tensor_value_info(name, TensorProto.INT64, [rows, 1]) for name in ("largest", "least")]
    graph = helper.make_graph(
        nodes,
        "conditions",
        [helper.make_tensor_value_info(name, type_, shape) for name, type_ in types.items()],
        [*(helper.make_tensor_value_info(name, type_, shape) for name, type_ in outputs.items()), *places],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def suppression_model(boxes: int, *, centre: bool) -> onnx.ModelProto:
    """Return a model of a NonMaxSuppression of two classes."""
    constants = [
        helper.make_tensor("most", TensorProto.INT64, [1], [50]),
        helper.make_tensor("iou", TensorProto.FLOAT, [1], [0.3]),
        helper.make_tensor("least", TensorProto.FLOAT, [1], [0.2]),
    ]
    names = ["boxes", "scores", "most", "iou", "least"]
    graph = helper.make_graph(
        [helper.make_node("NonMaxSuppression", names, ["selected"], center_point_box=int(centre))],
        "suppression",
        [
            helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, boxes, 4]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 2, boxes]),
        ],
        [helper.make_tensor_value_info("selected", TensorProto.INT64, ["n", 3])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def assert_same(model: onnx.ModelProto, inputs: dict[str, Array], folder: Path, flags: tuple[str, ...]) -> None:
    """
    Compare the C with the interpreter, bit for bit but for the signs of NaN.

    It runs the lowered module: NumPy's ArgMax finds NaN, which is not above any number.
    """
    path = folder / "net.onnx"
    save(model, path)
    (_, module), *_ = each_phase(Model(path).load(), ["tensor"], "native", verify_each=False)
    with np.errstate(all="ignore"):
        expected = list(run_module(module, inputs).values())
    target = "native-avx2" if "-mavx2" in flags else "native"
    network = HostNetwork(compile_model(Model(path), target).program(), flags=(*STRICT, *flags), sanitize=not flags)
    # Behind the outputs are the sizes of those of which a part is used.
    for whole, right in zip(network.run(list(inputs.values())), expected, strict=False):
        assert len(right) > 0
        found = whole[tuple(slice(extent) for extent in right.shape)]
        assert np.array_equal(np.signbit(found[found == found]), np.signbit(right[right == right]))
        np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("flags", FLAGS, ids=["sanitized", "avx2", "native"])
@pytest.mark.parametrize("seed", range(2))
def test_random_conditions(seed: int, flags: tuple[str, ...], tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 5)), int(random.integers(33, 150))
    model = random_model(random, rows, columns)
    inputs: dict[str, Array] = {name: random.choice(VALUES, (rows, columns)) for name in ("x", "y")}
    inputs |= {name: random.integers(0, 2, (rows, columns)).astype(bool) for name in ("a", "b")}
    assert_same(model, inputs, tmp_path, flags)


@pytest.mark.parametrize("flags", FLAGS, ids=["sanitized", "avx2", "native"])
@pytest.mark.parametrize(("boxes", "centre"), [(77, False), (130, True)])
def test_suppression(boxes: int, centre: bool, flags: tuple[str, ...], tmp_path: Path) -> None:
    random = np.random.default_rng(boxes)
    inputs: dict[str, Array] = {
        "boxes": random.integers(0, 9, (1, boxes, 4)).astype(np.float32),
        "scores": random.choice(np.append(VALUES[2:6], np.float32(np.nan)), (1, 2, boxes)),
    }
    assert_same(suppression_model(boxes, centre=centre), inputs, tmp_path, flags)
