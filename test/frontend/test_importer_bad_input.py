"""Every bad model gets one Diagnostic, which names the place and says what was expected and found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.frontend.importer import import_model
from tilewright.test.frontend.bad_models import F32, RELU, model, node, refusal

pytestmark = pytest.mark.quick


# Files


def test_file_missing(tmp_path: Path):
    text = refusal(tmp_path / "none.onnx")
    assert text.startswith(f"{tmp_path}/none.onnx: error: the model cannot be read")
    assert "No such file" in text


def test_a_folder_is_no_model(tmp_path: Path):
    assert "the model cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n0000", b"module {}\n", b"\xff" * 100])
def test_not_a_protobuf(tmp_path: Path, data: bytes):
    (tmp_path / "m.onnx").write_bytes(data)
    assert "this is not an ONNX model" in refusal(tmp_path / "m.onnx")


def test_every_truncation_is_refused(tmp_path: Path):
    whole = model([RELU], {"w": np.arange(6, dtype=np.float32)}).SerializeToString()
    path = tmp_path / "m.onnx"
    import_model(ModelProto.FromString(whole))
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert "error: " in refusal(path)


def test_no_graph(tmp_path: Path):
    (tmp_path / "m.onnx").write_bytes(b"")
    assert "this is not an ONNX model, or it has no graph" in refusal(tmp_path / "m.onnx")
    assert "this is not an ONNX model, or it has no graph" in refusal(ModelProto(ir_version=8))


def test_empty_graph():
    assert "the graph is empty" in refusal(model([], outputs=[]))


def test_no_outputs():
    assert "the graph has no outputs" in refusal(model([RELU], outputs=[]))


@pytest.mark.parametrize(("opset", "word"), [(5, "old"), (999, "new")])
def test_opset_out_of_range(opset: int, word: str):
    text = refusal(model([RELU], opset=opset))
    assert f"the model's opset is too {word}" in text
    assert f"found:      opset {opset}" in text


def test_no_opset():
    given = model([RELU])
    del given.opset_import[:]
    assert "does not say which opset" in refusal(given)


# Operators and nodes


def test_all_unknown_operators_are_reported_at_once():
    nodes = [node("Relo", "x", "a", name="first"), node("Frobnicate", "a", "y", name="second", domain="com.example")]
    text = refusal(model(nodes))
    assert "2 operators are not handled" in text
    assert "node \"first\": Relo is unknown; did you mean 'Relu'" in text
    assert 'node "second": Frobnicate of the domain com.example is unknown' in text


def test_all_operators_in_branches_are_reported_too():
    body = helper.make_graph([node("Frobnicate", "x", "z")], "b", [], [helper.make_tensor_value_info("z", F32, None)])
    text = refusal(model([node("If", "c", "y", then_branch=body, else_branch=body)], {"c": np.array(True)}))
    assert "Frobnicate is unknown" in text


def test_a_node_needs_what_nothing_produces():
    text = refusal(model([node("Add", "x weigth", "y")], {"weight": np.ones(3, "f4")}))
    assert 'node "n": error: a node needs a tensor that nothing produces' in text
    assert "did you mean 'weight'" in text


def test_a_node_lacks_an_input():
    text = refusal(model([node("MatMul", "x", "y")]))
    assert 'node "n": error:' in text
    assert "MatMul" in text


def test_a_node_has_too_many_inputs():
    text = refusal(model([node("Relu", "x x", "y")]))
    assert "has a wrong number of inputs or outputs" in text
    assert "found:      inputs: 2, outputs: 1" in text


def test_a_cycle_is_named():
    nodes = [node("Add", "x c", "a", name="A"), node("Neg", "a", "b", name="B"), node("Abs", "b", "c", name="C")]
    text = refusal(model([*nodes, node("Relu", "c", "y")]))
    assert "the graph has a cycle" in text
    assert 'found:      "A" -> "B" -> "C" -> "A"' in text


def test_two_nodes_produce_one_tensor():
    text = refusal(model([node("Relu", "x", "y", name="A"), node("Neg", "x", "y", name="B")]))
    assert 'tensor "y": error: two nodes produce one tensor' in text
    assert '"A" and "B"' in text


def test_a_node_produces_an_input():
    assert 'tensor "x": error: two nodes produce one tensor' in refusal(model([node("Relu", "x", "x"), RELU]))


def test_an_initialiser_is_there_twice():
    given = model([RELU], {"w": np.ones(3, "f4")})
    given.graph.initializer.append(given.graph.initializer[0])
    assert 'tensor "w": error: two tensors have one name' in refusal(given)


def test_an_input_is_there_twice():
    given = model([RELU])
    given.graph.input.append(given.graph.input[0])
    assert 'tensor "x": error: two tensors have one name' in refusal(given)


def test_an_output_is_never_produced():
    text = refusal(model([RELU], outputs=["z"]))
    assert 'output "z": error: an output of the graph is never produced' in text


# Attributes


def test_unknown_attribute():
    text = refusal(model([node("Gemm", "x x", "y", transb=1)]))
    assert "node \"n\": error: Gemm has no attribute 'transb'" in text
    assert "did you mean 'transB'" in text


def test_attribute_of_the_wrong_type():
    text = refusal(model([node("Gemm", "x x", "y", transB=1.0)]))
    assert "node \"n\": error: attribute 'transB' of Gemm is of the wrong type" in text
    assert "expected:   INT\n  found:      FLOAT" in text


def test_attribute_missing():
    assert "Concat lacks the attribute 'axis'" in refusal(model([node("Concat", "x x", "y")]))


def test_attribute_given_as_attribute_and_as_input():
    given = model([node("Squeeze", "x s", "y", axes=[0])], {"s": np.array([0])}, shape=[1, 3])
    assert "'axes' is given twice" in refusal(given)


@pytest.mark.parametrize(("value", "message"), [(0, "found:      0"), (3, "found:      3"), (-2, "found:      -2")])
def test_requantisation_by_what_is_no_power_of_two(value: int, message: str):
    text = refusal(model([node("RequantShift", "x m m", "y", div=value, n_levels=256)], {"m": np.ones(1, "f4")}))
    assert message in text
    assert "a positive power of two" in text


@pytest.mark.parametrize("value", [1.5, np.nan, np.inf])
def test_a_whole_number_is_needed(value: float):
    attribute = numpy_helper.from_array(np.array([value], np.float32))
    text = refusal(model([node("RequantShift", "x m m", "y", div=attribute, n_levels=256)], {"m": np.ones(1, "f4")}))
    assert "attribute 'div' of RequantShift is of the wrong type" in text
    assert "whole numbers" in text


@pytest.mark.parametrize("value", [np.nan, 0.5, np.inf])
def test_quantised_weights_are_whole_numbers(value: float):
    given = model([node("RequantShift", "x m m", "y", div=2, n_levels=256)], {"m": np.array([1, value, 2], "f4")})
    text = refusal(given)
    assert 'node "n": error: input 1 of RequantShift holds an invalid value' in text
    assert f"found:      {value}" in text


@pytest.mark.parametrize("value", [np.nan, 0.0, -1.0, np.inf])
def test_scales_are_above_zero(value: float):
    given = model([node("QuantizeLinear", "x s z", "y")], {"s": np.array(value, "f4"), "z": np.array(0, "i1")})
    assert "finite numbers above zero" in refusal(given)


# Shapes


def test_all_open_dimensions_are_named():
    text = refusal(model([RELU], shape=["batch", 3, None]))
    assert 'input "x": error: a dimension of an input is not known' in text
    assert "dimension 0 of \"x\" is 'batch'" in text
    assert 'dimension 2 of "x" is left open' in text
    assert "--input-shape x=1,3,1" in text


def test_misfit_of_shapes_names_the_node():
    text = refusal(model([node("MatMul", "x w", "y", name="product")], {"w": np.ones((4, 5), "f4")}))
    assert 'node "product": error: input 1 of MatMul does not fit' in text
    assert "Incompatible dimensions" in text
    assert "ShapeInferenceError" not in text


IMAGE = [1, 3, 8, 8]
ONES = {size: np.ones(size, np.float32) for size in (3, 4)}
POINTWISE = np.ones((4, 3, 1, 1), np.float32)
MISFITS: dict[str, tuple[ModelProto, str]] = {
    "conv-channels": (model([node("Conv", "x w", "y")], {"w": POINTWISE[:, :2]}, shape=IMAGE), "2 input channels"),
    "conv-bias": (
        model([node("Conv", "x w b", "y")], {"w": POINTWISE, "b": ONES[3]}, shape=IMAGE),
        "the bias of Conv does not fit",
    ),
    "gemm-bias": (
        model([node("Gemm", "x w c", "y")], {"w": np.ones((3, 5), "f4"), "c": ONES[4]}),
        "broadcasts to [2, 5]",
    ),
    "requantisation": (
        model([node("RequantShift", "x m m", "y", div=2, n_levels=4)], {"m": ONES[4]}),
        "one per channel of [2, 3]",
    ),
    "instance-normalisation": (
        model([node("InstanceNormalization", "x v v", "y")], {"v": ONES[4]}, shape=IMAGE),
        "input 1 of InstanceNormalization",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_sizes_that_do_not_match(name: str):
    given, words = MISFITS[name]
    text = refusal(given)
    assert words in text
    assert 'node "n": error:' in text


def test_an_attribute_that_another_opset_has():
    text = refusal(model([node("Gemm", "x x", "y", broadcast=1)]))
    assert "node \"n\": error: Gemm has no attribute 'broadcast'" in text
    assert "which Gemm of opset 1, 6 has" in text


def test_a_shape_that_depends_on_data():
    nodes = [node("NonZero", "x", "i"), node("Einsum", "i", "y", equation="ij->j")]
    assert "Einsum of a tensor whose size depends on data is not handled" in refusal(model(nodes))


def test_a_sequence_is_no_tensor():
    nodes = [node("SplitToSequence", "x", "s"), node("Relu", "s", "y")]
    assert 'node "n": error: an input of Relu is a sequence or an optional' in refusal(model(nodes))


def test_a_position_in_a_sequence_is_constant_and_inside():
    split = node("SplitToSequence", "x", "s")
    text = refusal(model([split, node("SequenceAt", "s p", "y")], {"p": np.array(2)}))
    assert "the position of SequenceAt lies outside the sequence" in text
    assert "expected:   -2 to 1" in text
    given = model([split, node("SequenceAt", "s p", "y")])
    given.graph.input.append(helper.make_tensor_value_info("p", TensorProto.INT64, []))
    assert "the position of SequenceAt is not a constant" in refusal(given)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ({"z": [1]}, "a shape is given for an input that the model lacks"),
        ({"x": [2, 3, 1]}, "expected:   ?x3"),
        ({"x": [2]}, "expected:   ?x3"),
        ({"x": [-1, 3]}, "does not fit the model"),
    ],
)
def test_input_shapes_that_do_not_fit(shapes: dict[str, list[int]], words: str):
    assert words in refusal(model([RELU], shape=["n", 3]), input_shapes=shapes)


def test_input_types_are_checked():
    assert "did you mean 'ui8'" in refusal(model([RELU]), input_types={"x": "uu8"})
    assert "a type is given for an input that the model lacks" in refusal(model([RELU]), input_types={"z": "i8"})


# Functions


def test_functions_that_call_each_other_without_end():
    given = model([node("F", "x", "y", domain="local")])
    opsets = [helper.make_opsetid("local", 1)]
    given.opset_import.append(opsets[0])
    given.functions.append(
        helper.make_function("local", "F", ["a"], ["b"], [node("F", "a", "b", domain="local")], opsets)
    )
    assert "error: " in refusal(given)
