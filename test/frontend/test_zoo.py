"""The zoo's networks: valid, exact in ONNX Runtime, lively, of the published size, and the same bytes each time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest

from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.zoo import __main__ as command
from tilewright.frontend.zoo._builder import Builder
from tilewright.frontend.zoo.mlp import digits

pytestmark = pytest.mark.quick

NAMES = ["autoencoder", "ds-cnn", "mlp", "mobilenet-v1-025", "resnet8"]
each_network = pytest.mark.parametrize("name", NAMES)

# Keras's count for the MLPerf Tiny reference, the part of it in batch normalisation, and the multiply-accumulates.
PUBLISHED = {
    "autoencoder": (269_992, 4 * 1032, 264_192),
    "ds-cnn": (24_908, 4 * 576, 2_656_768),
    "mobilenet-v1-025": (221_794, 4 * 2736, 7_489_664),
    "resnet8": (78_666, 4 * 240, 12_501_632),
}


@cache
def network(name: str, seed: int = 0) -> onnx.ModelProto:
    return zoo.build(name, seed)


@cache
def session(name: str, seed: int) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(network(name, seed).SerializeToString())


def constants(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def attribute(node: onnx.NodeProto, name: str) -> int:
    tensors = {entry.name: entry.t for entry in node.attribute}
    return int(onnx.numpy_helper.to_array(tensors[name]).item())


def shape_of(value: onnx.ValueInfoProto) -> list[int]:
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def requants(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    return [node for node in model.graph.node if node.op_type == "RequantShift"]


def batch(name: str, samples: int = 16) -> dict[str, np.ndarray]:
    """Inputs that did not calibrate the network, `samples` of them along the first axis."""
    if name == "mlp":
        return {"input": digits(samples, seed=1000)[0]}
    each = [zoo.sample_inputs(network(name), seed=1000 + sample) for sample in range(samples)]
    return {"input": np.concatenate([inputs["input"] for inputs in each])}


def test_names() -> None:
    floats = [name for name in zoo.names() if zoo.is_of_floats(name)]
    others = ["llama", "llama-prefill", *floats]
    assert [name for name in zoo.names() if not name.endswith("-qlinear")] == sorted([*NAMES, *others])


@pytest.mark.sample(3)
@pytest.mark.long
@each_network
def test_checker_accepts(name: str) -> None:
    onnx.checker.check_model(network(name), full_check=True)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.long
@each_network
def test_describes_itself(name: str) -> None:
    model = network(name)
    assert model.graph.name == name
    assert model.doc_string == zoo.summary(name) != ""
    assert [(entry.key, entry.value) for entry in model.metadata_props] == [("tilewright.input_type.input", "ui8")]


@pytest.mark.long
@each_network
def test_declares_the_shape_of_every_tensor(name: str) -> None:
    graph = network(name).graph
    declared = {value.name for value in (*graph.value_info, *graph.output)}
    assert declared == {output for node in graph.node for output in node.output}
    bare = onnx.ModelProto.FromString(network(name).SerializeToString())
    bare.graph.ClearField("value_info")
    inferred = onnx.shape_inference.infer_shapes(bare, strict_mode=True).graph.value_info
    assert {value.name: shape_of(value) for value in inferred} == {v.name: shape_of(v) for v in graph.value_info}


@pytest.mark.sample(4)
@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
@each_network
def test_onnx_runtime_agrees_to_the_bit(name: str, seed: int) -> None:
    inputs = zoo.sample_inputs(network(name, seed), seed)
    found = cast(Any, session(name, seed)).run(None, inputs)
    np.testing.assert_array_equal(found[0], zoo.evaluate(network(name, seed), inputs)["output"])


@pytest.mark.long
@each_network
def test_every_requantised_tensor_is_lively(name: str) -> None:
    values = zoo.evaluate(network(name), batch(name))
    for node in requants(network(name)):
        result = values[node.output[0]]
        low = -128 if attribute(node, "signed") else 0
        assert len(np.unique(result)) >= min(64, result.size // 2), node.name
        assert np.isin(result, (low, low + 255)).mean() < 0.5, node.name


@pytest.mark.long
@each_network
def test_output_depends_on_the_input(name: str) -> None:
    outputs = zoo.evaluate(network(name), batch(name))["output"]
    assert len(np.unique(outputs, axis=0)) == len(outputs)


@pytest.mark.long
@each_network
def test_tensors_hold_integers_of_their_width(name: str) -> None:
    model, held = network(name), constants(network(name))
    assert all(np.array_equal(array, np.rint(array)) for array in held.values())
    weights = [held[node.input[1]] for node in model.graph.node if node.op_type in ("Conv", "Gemm")]
    assert all(np.abs(weight).max() <= 127 for weight in weights)
    assert all(np.abs(weight).max() >= 64 for weight in weights)


@pytest.mark.long
@each_network
def test_float32_and_int32_are_exact_for_any_input(name: str) -> None:
    """The bounds are taken from the finished model alone: 255 times the weights, then the requantisation of that."""
    held, bounds = constants(network(name)), dict[str, np.ndarray]()
    for node in network(name).graph.node:
        operands = [np.abs(held[operand]).astype(np.int64) for operand in node.input if operand in held]
        if node.op_type in ("Conv", "Gemm"):
            weight, *bias = operands
            bounds[node.output[0]] = weight.reshape(len(weight), -1).sum(axis=1) * 255 + sum(bias)
            assert bounds[node.output[0]].max() < 2**24, node.name
        if node.op_type == "RequantShift":
            mul, add = (operand.reshape(-1) for operand in operands)
            bound = bounds.get(node.input[0], np.array([256]))
            assert (bound * mul + add).max() + attribute(node, "div") // 2 < 2**31, node.name


DIGESTS = """
import hashlib, sys
from tilewright.frontend import zoo
print(*(hashlib.sha256(zoo.build(name, 3).SerializeToString()).hexdigest() for name in sys.argv[1:]))
"""


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_same_bytes_in_every_process(hash_seed: str) -> None:
    expected = [hashlib.sha256(network(name, 3).SerializeToString()).hexdigest() for name in NAMES]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", DIGESTS, *NAMES]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    assert done.stdout.split() == expected


@pytest.mark.long
@each_network
def test_seeds_differ(name: str) -> None:
    assert network(name, 0).SerializeToString() != network(name, 1).SerializeToString()


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLISHED)
def test_size_is_as_published(name: str) -> None:
    parameters, batch_normalisation, macs = PUBLISHED[name]
    spent = zoo.cost(network(name))
    assert spent.parameters == parameters - batch_normalisation
    assert spent.macs == macs


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_mlp_reads_digits(seed: int) -> None:
    images, labels = digits(2000, seed=12345)
    found = zoo.evaluate(network("mlp", seed), {"input": images})["output"].argmax(axis=1)
    assert (found == labels).mean() >= 0.96


@pytest.mark.parametrize(("declared", "low", "high"), [("ui8", 0, 255), ("i8", -128, 127)])
def test_sample_inputs_span_the_declared_type(declared: str, low: int, high: int) -> None:
    model = onnx.ModelProto.FromString(network("autoencoder").SerializeToString())
    model.metadata_props[0].value = declared
    samples = np.concatenate([zoo.sample_inputs(model, seed)["input"] for seed in range(20)])
    assert (samples.dtype, samples.shape) == (np.float32, (20, 640))
    assert (samples.min(), samples.max()) == (low, high)
    assert np.array_equal(samples, np.rint(samples))


def test_sample_inputs_of_an_integer_graph_need_no_metadata() -> None:
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.INT8, [1, 999])
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [value], []))
    samples = zoo.sample_inputs(model, 0)["x"]
    assert (samples.dtype, samples.min(), samples.max()) == (np.int8, -128, 127)


@pytest.mark.parametrize(
    ("metadata", "shape", "message"),
    [({}, [1, 4], "nothing says"), ({"x": "f9"}, [1, 4], "nothing says"), ({"x": "i8"}, ["n", 4], "not static")],
)
def test_sample_inputs_refuses_what_it_cannot_know(
    metadata: dict[str, str], shape: list[int | str], message: str
) -> None:
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [value], []))
    onnx.helper.set_model_props(model, {f"tilewright.input_type.{name}": text for name, text in metadata.items()})
    with pytest.raises(Diagnostic, match=message):
        zoo.sample_inputs(model, 0)


def test_unknown_name_is_a_diagnostic() -> None:
    with pytest.raises(Diagnostic, match="did you mean 'ds-cnn'"):
        zoo.build("ds_cn")


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_seed_out_of_range_is_a_diagnostic(seed: int) -> None:
    with pytest.raises(Diagnostic, match="seed is out of range"):
        zoo.build("mlp", seed)


def test_builder_refuses_an_accumulator_beyond_float32() -> None:
    builder = Builder("deep", "Too deep.", 0)
    with pytest.raises(Diagnostic, match="can leave the integers that float32 holds"):
        builder.dense(builder.input([4000]), 1)


def test_builder_refuses_a_scale_beyond_int32() -> None:
    builder = Builder("loud", "Too loud.", 0)
    x = builder.dense(builder.input([64]), 1)
    with pytest.raises(Diagnostic, match="no shift keeps"):
        builder.requant_with(x, np.array([1e5]), np.zeros(1))


def test_evaluate_refuses_another_operator() -> None:
    node = onnx.helper.make_node("Sigmoid", ["x"], ["y"], name="Sigmoid_0")
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], []))
    with pytest.raises(Diagnostic, match="does not evaluate Sigmoid"):
        zoo.evaluate(model, {"x": np.zeros(1)})


@pytest.mark.long
def test_command_lists_networks(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "names", lambda: NAMES)
    assert command.main([]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)
    assert "MACs" not in listed
    assert command.main(["--costs"]) == 0
    assert "12,501,632" in capsys.readouterr().out


def test_command_writes_a_file(tmp_path: Path) -> None:
    file = tmp_path / "out.onnx"
    assert command.main(["ds-cnn", str(file), "--seed", "1"]) == 0
    assert file.read_bytes() == network("ds-cnn", 1).SerializeToString()


@pytest.mark.parametrize(("name", "file"), [("ds-cn", "out.onnx"), ("ds-cnn", "missing/out.onnx")])
def test_command_reports_problems(name: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([name, str(tmp_path / file)]) == 1
    place = f"{tmp_path / file}: " if name == "ds-cnn" else ""
    assert capsys.readouterr().err.startswith(f"{place}error: ")
