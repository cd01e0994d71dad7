"""Weight-only quantisation: which weights are stored, their rounding, ONNX Runtime's results, refusals."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.api import quantize_weights
from tilewright.cli import main
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.frontend.quantize.narrow_networks import Sizes, model_of, network
from tilewright.test.small_models import node

pytestmark = pytest.mark.quick

READ = ["b", "g", "k", "table", "w"]
"""Initialisers of `network` in float32; `b` has one axis."""


def stored_types(model: ModelProto) -> dict[str, int]:
    return {tensor.name: tensor.data_type for tensor in model.graph.initializer}


def dequantised(model: ModelProto, name: str) -> Array:
    """Return the numbers of a stored weight, by ONNX's definition of the node that widens it."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    widening = next(each for each in model.graph.node if each.output[0] == name)
    number = tensors[widening.input[0]].astype(np.float32)
    if widening.op_type == "Cast":
        return number
    (axis,) = (attribute.i for attribute in widening.attribute if attribute.name == "axis")
    shape = [-1 if other == axis else 1 for other in range(number.ndim)]
    return number * tensors[widening.input[1]].reshape(shape)


@pytest.mark.parametrize("type", TYPES)
def test_all_readers_store_their_weights(type: str) -> None:
    model = network(Sizes(rows=9, features=8, hidden=12, count=4), 0)
    result, rows = store_weights(model, None, type)
    onnx.checker.check_model(result, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    assert sorted(row.name for row in rows) == [name for name in READ if name != "b"]
    element = TensorProto.BFLOAT16 if type == "bf16" else TensorProto.INT8
    assert {stored_types(result)[f"{row.name}_{type}"] for row in rows} == {element}
    assert stored_types(result)["b"] == TensorProto.FLOAT
    for row in rows:
        assert row.before == 4 * int(np.prod(row.shape))
        assert row.after < row.before
    assert stored_types(model)["w"] == TensorProto.FLOAT  # the given model stays as it is


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 20), st.integers(1, 40), st.integers(1, 24), st.floats(-30, 30))
def test_rounding(seed: int, rows: int, columns: int, exponent: float) -> None:
    weight = (np.random.default_rng(seed).standard_normal((rows, columns)) * 2.0**exponent).astype(np.float32)
    weight[:, 0] = 0  # a feature of zeros
    model = model_of([node("Gather", ["w", "ids"], ["x"]), node("MatMul", ["x", "v"], ["y"])], {}, [1], [1, columns])
    model.graph.initializer.append(numpy_helper.from_array(weight, "v"))
    model.graph.initializer.append(numpy_helper.from_array(np.ones((3, rows), np.float32), "w"))
    by_type = {type: store_weights(model, None, type) for type in TYPES}
    half = dequantised(by_type["bf16"][0], "v")
    np.testing.assert_array_equal(half, weight.astype(ml_dtypes.bfloat16).astype(np.float32))
    steps = dequantised(by_type["int8"][0], "v")
    largest = np.abs(weight).max(axis=0)
    assert (np.abs(steps - weight) <= largest / 127 * 0.5 * (1 + 1e-5)).all()
    for type, (_, stored) in by_type.items():
        (row,) = (each for each in stored if each.name == "v")
        power = float(np.square(weight, dtype=np.float64).sum())
        noise = float(np.square(dequantised(by_type[type][0], "v").astype(np.float64) - weight).sum())
        assert row.error == pytest.approx((noise / power) ** 0.5 if power else 0)


@pytest.mark.parametrize("type", TYPES)
def test_results_are_those_of_onnx_runtime(type: str, tmp_path: Path) -> None:
    """Without `fused`, since ONNX Runtime rounds the other operand of a product with an int8 weight to bytes."""
    stored, _ = store_weights(network(Sizes(rows=30, features=24, hidden=40, count=5), 3), None, type)
    path, ids = tmp_path / "net.onnx", np.array([3, 29, 0, 7, 7])
    onnx.save(stored, path)  # pyright: ignore[reportUnknownMemberType]
    expected = onnx_runtime.session(path, fused=False).run(None, {"ids": ids})[0]
    for module in (Model(path).load(), compile_model(Model(path), "host").module):
        found = run_module(module, {"ids": ids})["y"]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * float(np.abs(expected).max()))


def test_what_stays(tmp_path: Path) -> None:
    """Weights that something else reads too, that a branch reads, or that are an output stay in float32."""
    weights = {name: np.ones((4, 4), np.float32) for name in ("a", "b", "c", "d")}
    nodes = [
        node("Gather", ["a", "ids"], ["x"]),
        node("MatMul", ["x", "b"], ["p"]),
        node("Add", ["p", "b"], ["q"]),
        node("MatMul", ["q", "c"], ["r"]),
        node("MatMul", ["d", "r"], ["y"]),
    ]
    model = model_of(nodes, weights, [4], [4, 4])
    model.graph.output.append(helper.make_tensor_value_info("c", TensorProto.FLOAT, [4, 4]))
    _, rows = store_weights(model, None, "bf16")
    assert [row.name for row in rows] == ["a"]


def test_scales_of_a_table_that_is_multiplied_by() -> None:
    """One scale serves a lookup and a product: it is along the product's features."""
    nodes = [node("Gather", ["w", "ids"], ["x"]), node("MatMul", ["x", "w"], ["y"])]
    model = model_of(nodes, {"w": np.diag(np.arange(1, 5)).astype(np.float32)}, [2], [2, 4])
    result, _ = store_weights(model, None, "int8")
    (widening,) = (each for each in result.graph.node if each.op_type == "DequantizeLinear")
    assert widening.attribute[0].i == 1
    np.testing.assert_allclose(dequantised(result, "w"), np.diag(np.arange(1, 5)), rtol=1e-6)


def changed(**changes: Array) -> ModelProto:
    weights = {"w": np.ones((4, 4), np.float32)} | changes
    return model_of([node("Gather", ["w", "ids"], ["y"])], weights, [2], [2, 4])


def test_refusals() -> None:
    with pytest.raises(Diagnostic, match="no weights to store"):
        store_weights(changed(w=np.ones((4, 4), np.float64)), None, "bf16")
    with pytest.raises(Diagnostic, match="not finite"):
        store_weights(changed(w=np.full((4, 4), np.nan, np.float32)), None, "int8")
    with pytest.raises(Diagnostic, match="an infinity of bfloat16"):
        store_weights(changed(w=np.full((4, 4), 3.4e38, np.float32)), None, "bf16")
    with pytest.raises(Diagnostic, match="quantised already"):
        store_weights(zoo.build("llama"), None, "bf16")
    old = changed()
    old.opset_import[0].version = 12
    with pytest.raises(Diagnostic, match="no conversion of stored weights"):
        store_weights(old, None, "int8")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, output = tmp_path / "net.onnx", tmp_path / "narrow.onnx"
    model = network(Sizes(rows=9, features=8, hidden=12, count=4), 0)
    onnx.save(model, path, save_as_external_data=True, location="net.data", size_threshold=64)  # pyright: ignore[reportUnknownMemberType]
    assert main(["quantize", str(path), "--weights-only", "bf16", "-o", str(output)]) == 0
    printed = capsys.readouterr().out
    assert "weights  4 tensors of 1,824 bytes in 912\n" in printed
    assert f"wrote {output}" in printed
    (tmp_path / "net.data").unlink()
    assert all(tensor.data_location == TensorProto.DEFAULT for tensor in onnx.load(output).graph.initializer)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--weights-only", "bf16", "--search"], "--weights-only computes in floats"),
        ([], "samples of the inputs are needed"),
        (["--weights-only", "fp4"], "fp4"),
    ],
)
def test_bad_commands(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(changed(), path)  # pyright: ignore[reportUnknownMemberType]
    assert main(["quantize", str(path), *words, "-o", str(tmp_path / "out.onnx")]) != 0
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.onnx").exists()


def test_python(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(changed(), path)  # pyright: ignore[reportUnknownMemberType]
    (row,) = quantize_weights(path, tmp_path / "out.onnx", "int8")
    assert (row.name, row.shape, row.before, row.after) == ("w", (4, 4), 64, 32)
    with pytest.raises(Diagnostic, match="not stored as 'fp4'"):
        quantize_weights(path, tmp_path / "out.onnx", "fp4")
