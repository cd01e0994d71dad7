"""Tolerance of `tilewright check`: bounds from narrow types on the way, steps of quantisation, bounds of the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright import cli
from tilewright.compiler import Model
from tilewright.runtime.comparison import Tolerance
from tilewright.runtime.precision import Precision, output_precisions
from tilewright.runtime.tools.check import Comparison
from tilewright.test.small_models import node

pytestmark = pytest.mark.quick

Array = np.ndarray[Any, Any]
F16, F32 = TensorProto.FLOAT16, TensorProto.FLOAT
SCALES: dict[type[np.integer[Any]], float] = {
    np.uint8: 1 / 64,
    np.int8: 1 / 64,
    np.uint16: 1 / 4096,
    np.int16: 1 / 4096,
}


def network(nodes: list[Any], output: int, **constants: Any) -> ModelProto:
    """Return a network from `x` of 2x8 f32 to `y`, of this element type."""
    x, y = helper.make_tensor_value_info("x", F32, [2, 8]), helper.make_tensor_value_info("y", output, [2, 8])
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "net", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def quantised(kind: type[np.integer[Any]], *, dequantised: bool = True) -> ModelProto:
    """Return a product, quantised to a type, and dequantised and moved again where that is asked for."""
    product = node("MatMul", ["x", "w"], ["m"]), node("QuantizeLinear", ["m", "s", "z"], ["q" if dequantised else "y"])
    back = node("DequantizeLinear", ["q", "s", "z"], ["d"]), node("Relu", ["d"], ["y"])
    weights = np.random.default_rng(3).normal(size=(8, 8)).astype(np.float32)
    constants = {"w": weights, "s": np.float32(SCALES[kind]).reshape(()), "z": kind(0).reshape(())}
    output = F32 if dequantised else helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    return network([*product, *(back if dequantised else ())], output, **constants)


def halves() -> ModelProto:
    """Return two products in f16 between casts from and to f32."""
    nodes = [node("Cast", ["x"], ["h"], to=F16), node("MatMul", ["h", "w"], ["m"]), node("MatMul", ["m", "w"], ["n"])]
    weights = np.eye(8, dtype=np.float16)
    return network([*nodes, node("Cast", ["n"], ["y"], to=F32)], F32, w=weights)


def saved(model: ModelProto, folder: Path) -> Path:
    (folder / "case.onnx").write_bytes(model.SerializeToString())
    return folder / "case.onnx"


@pytest.mark.parametrize("kind", SCALES)
def test_the_way_to_an_output_is_found(kind: type[np.integer[Any]], tmp_path: Path):
    found = output_precisions(Model(saved(quantised(kind), tmp_path)).load())
    bits = np.iinfo(kind).bits
    assert found == {"y": Precision(wide_steps=int(bits == 16), bits=bits, step=SCALES[kind])}


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_step_of_8_bits_is_a_difference_and_one_of_16_bits_is_rounding(
    kind: type[np.integer[Any]], steps: int, tmp_path: Path
):
    model, golden = Model(saved(quantised(kind), tmp_path)), np.linspace(0.01, 1.99, 16, dtype=np.float32)
    default = 1 if np.iinfo(kind).bits == 16 else 0
    for off in range(6):
        output = golden.copy()
        output[5] += off * SCALES[kind]
        difference = Comparison(Tolerance(steps=steps), model)({"y": output}, {"y": golden})
        assert (difference == "") is (off <= default + steps), (off, difference)
        assert ("--steps 1 accepts" in difference) is (steps == 0 and off == default + 1)


def test_integers_are_exact_or_within_steps(tmp_path: Path):
    model, golden = Model(saved(quantised(np.int8, dequantised=False), tmp_path)), np.arange(-8, 8, dtype=np.int8)
    for off in range(4):
        output = golden.copy()
        output[2] -= off
        assert (Comparison(Tolerance(), model)({"y": output}, {"y": golden}) == "") is (off == 0)
        assert (Comparison(Tolerance(steps=2), model)({"y": output}, {"y": golden}) == "") is (off <= 2)


def test_floats_of_16_bits_on_the_way_widen_the_bound(tmp_path: Path):
    model, golden = Model(saved(halves(), tmp_path)), np.linspace(-1, 1, 16, dtype=np.float32)
    assert output_precisions(model.load())["y"].roundings == 3
    for error, equal in ((2**-10, True), (0.0029, True), (0.0031, False), (0.1, False)):
        assert (Comparison(Tolerance(), model)({"y": golden + np.float32(error)}, {"y": golden}) == "") is equal
        assert Comparison()({"y": golden + np.float32(error)}, {"y": golden})


@pytest.mark.parametrize(
    ("tolerance", "error", "equal"),
    [
        (Tolerance(atol=0.01), 0.0099, True),
        (Tolerance(atol=0.01), 0.0101, False),
        (Tolerance(rtol=0.01), 0.0199, True),
        (Tolerance(rtol=0.01), 0.0201, False),
        (Tolerance(0.01, 0.01), 0.0299, True),
        (Tolerance(0.01, 0.01), 0.0301, False),
        (Tolerance(atol=0), 1e-6, False),
        (Tolerance(atol=0), 0, True),
    ],
)
def test_bounds_of_the_user_replace_those_of_the_types(tolerance: Tolerance, error: float, equal: bool):
    golden = np.array([2.0, np.inf, np.nan, -np.inf])
    assert (Comparison(tolerance)({"y": golden + error}, {"y": golden}) == "") is equal


def shaped(nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any], **constants: Array):
    ports = [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()]
    results = [helper.make_tensor_value_info(name, *kind) for name, kind in outputs.items()]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "net", ports, results, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def checked(model: ModelProto, folder: Path, inputs: dict[str, Any], outputs: dict[str, Any], *words: str) -> int:
    np.savez(folder / "inputs.npz", **inputs)
    np.savez(folder / "outputs.npz", **outputs)
    return cli.main(["check", str(saved(model, folder)), "--on", "interpreter", *words])


X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_inputs_that_decide_shapes_have_the_values_of_the_arrays(tmp_path: Path):
    kinds = {"x": (F32, [3, 4]), "shape": (TensorProto.INT64, [2])}
    model = shaped([node("Reshape", ["x", "shape"], ["y"])], kinds, {"y": (F32, [None, None])})
    assert checked(model, tmp_path, {"x": X, "shape": np.array([6, 2])}, {"y": X.reshape(6, 2)}) == 0
    assert checked(model, tmp_path, {"x": X, "shape": np.array([2, 6])}, {"y": X.reshape(6, 2)}) == 1


def test_a_fixed_shape_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What the file declares of other tensors is for the shape that it fixes."""
    nodes = [node("Relu", ["x"], ["r"]), node("Neg", ["r"], ["y"])]
    model = shaped(nodes, {"x": (F32, [5, 7])}, {"y": (F32, [5, 7])})
    model.graph.value_info.append(helper.make_tensor_value_info("r", F32, [5, 7]))
    assert checked(model, tmp_path, {"x": X}, {"y": -X}, "--input-shape", "x=3,4") == 0
    assert capsys.readouterr().err == ""
    assert checked(model, tmp_path, {"x": X}, {"y": -X}, "--input-shape", "x=12") == 1
    assert "give as many dimensions as the model has" in capsys.readouterr().err


def test_outputs_are_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Texts at the end of a network do not matter where no chosen output needs them."""
    labels = numpy_helper.from_array(np.array(["cat", "dog", "bird", "cow"], object), "labels")
    argmax, gather = node("ArgMax", ["r"], ["i"], axis=1, keepdims=0), node("Gather", ["labels", "i"], ["text"])
    nodes = [node("Relu", ["x"], ["r"]), argmax, gather]
    outputs = {"text": (TensorProto.STRING, [3]), "i": (TensorProto.INT64, [3])}
    model = shaped(nodes, {"x": (F32, [3, 4])}, outputs)
    model.graph.initializer.append(labels)
    golden = {"i": X.argmax(1), "r": X}
    assert checked(model, tmp_path, {"x": X}, golden) == 1
    assert checked(model, tmp_path, {"x": X}, golden, "--output-name", "i") == 0
    assert checked(model, tmp_path, {"x": X}, golden, "--output", "r", "--output", "i") == 0
    capsys.readouterr()
    assert checked(model, tmp_path, {"x": X}, golden, "--output-name", "txet") == 1
    assert "did you mean 'text'" in capsys.readouterr().err
