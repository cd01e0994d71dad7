"""What is settled at import: shape arithmetic, branches, loops, sequences, and what stays of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.static_inputs import static_inputs
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def port(name: str, shape: Sequence[int] | None, kind: int = F32) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def node(op_type: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op_type, names, outputs.split(), **attributes)


def model(
    nodes: Sequence[NodeProto],
    weights: dict[str, Any] | None = None,
    *,
    inputs: Sequence[Any] = (port("x", [2, 3]),),
    outputs: str = "y",
    opset: int = 20,
) -> ModelProto:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()]
    ports = [port(name, None) for name in outputs.split()]
    graph = helper.make_graph(list(nodes), "net", list(inputs), ports, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def names(proto: ModelProto, **options: Any) -> list[str]:
    """The operators that are left, constants aside."""
    module = import_model(proto, **options)
    verify(module)
    return [op.SCHEMA.name for op in module.walk() if isinstance(op, OnnxOp) and op.SCHEMA.name != "Constant"]


def agrees(proto: ModelProto, **inputs: Any) -> None:
    """The imported network computes what ONNX Runtime computes from the file."""
    session = onnx_runtime.session(proto)
    found = run_module(import_model(proto), inputs)
    for value, want in zip(found.values(), session.run(None, inputs), strict=True):
        np.testing.assert_array_equal(value, want)


# Shapes


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4))
def test_shape_arithmetic_is_folded(rows: int, columns: int, times: int):
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s one", "c", axis=0),
        node("Mul", "c times", "n"),
        node("Unsqueeze", "n zero", "u"),
        node("Concat", "u rows", "t", axis=0),
        node("ConstantOfShape", "t", "z"),
        node("Transpose", "z", "v", perm=[1, 0]),
        node("Tile", "x reps", "w"),
        node("Add", "w v", "y"),
    ]
    weights = {"one": 1, "times": times, "zero": [0], "rows": [rows], "reps": [1, times]}
    proto = model(
        nodes,
        {name: np.array(value, np.int64) for name, value in weights.items()},
        inputs=[port("x", [rows, columns])],
    )
    assert names(proto) == ["Tile", "Add"]
    agrees(proto, x=np.ones((rows, columns), np.float32))


def test_arithmetic_on_weights_is_left_alone():
    assert names(model([node("Neg", "w", "v"), node("Add", "x v", "y")], {"w": np.ones(3, np.float32)})) == [
        "Neg",
        "Add",
    ]


def test_a_softmax_of_opset_11_after_a_computed_shape():
    nodes = [node("Shape", "x", "s"), node("Reshape", "x s", "r"), node("Softmax", "r", "y", axis=1)]
    assert names(model(nodes, opset=11)) == ["Reshape", "Softmax"]


def test_inputs_that_decide_shapes():
    proto = model([node("Reshape", "x s", "y")], inputs=[port("x", [2, 3]), port("s", [2], I64)])
    assert static_inputs(proto) == ["s"]
    with pytest.raises(Diagnostic, match="is not known"):
        import_model(proto)
    module = import_model(proto, input_values={"s": np.array([3, -1])})
    np.testing.assert_array_equal(run_module(module, {"x": X})["y"], X.reshape(3, 2))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"t": np.array([3, 2])}, "a value is given for an input that the model lacks"),
        ({"s": np.array([1, 2, 3])}, "the value given for an input is not of its type"),
        ({"s": np.array([1.5, 2])}, "the value given for an input is not of its type"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: dict[str, Any], words: str):
    proto = model([node("Reshape", "x s", "y")], inputs=[port("x", [2, 3]), port("s", [2], I64)])
    with pytest.raises(Diagnostic, match=words):
        import_model(proto, input_values=values)


# Branches and loops


def branch(op_type: str, name: str) -> GraphProto:
    return helper.make_graph([node(op_type, "x w", "b"), node("Neg", "b", name)], name, [], [port(name, None)])


def choice(**options: Any) -> ModelProto:
    branches = {"then_branch": branch("Add", "t"), "else_branch": branch("Mul", "e")}
    weights = {"w": np.full(3, 2, np.float32), **options.pop("weights", {})}
    return model([node("If", "c", "y", **branches)], weights, **options)


@pytest.mark.parametrize(("condition", "kept"), [(True, "Add"), (False, "Mul")])
def test_a_constant_condition_leaves_its_branch(condition: bool, kept: str):
    proto = choice(weights={"c": np.array(condition)})
    assert names(proto) == [kept, "Neg", "Identity"]
    agrees(proto, x=X)


def test_a_condition_that_depends_on_data_leaves_both():
    proto = choice(inputs=[port("x", [2, 3]), port("c", [], BOOL)])
    assert names(proto) == ["If", "Mul", "Neg", "Add", "Neg"]
    text = print_ir(import_model(proto))
    assert "onnx.Yield" in text
    assert print_ir(parse_module(new_context(), text)) == text


def loop(turns: str = "n", condition: str = "_", *, ends: str = "k", **options: Any) -> ModelProto:
    """y adds x `turns` times, z collects what is added up."""
    body = helper.make_graph(
        [
            node("Add", "v x", "o"),
            node("Identity", "o", "z"),
            node("Less", "i two", "small"),
            node("Identity", ends, "l"),
        ],
        "body",
        [port("i", [], I64), port("k", [], BOOL), port("v", [2, 3])],
        [port("l", [], BOOL), port("o", [2, 3]), port("z", [2, 3])],
        [numpy_helper.from_array(np.array(2), "two")],
    )
    nodes = [node("Loop", f"{turns} {condition} start", "y c", body=body)]
    weights = {"start": np.ones((2, 3), np.float32), "n": np.array(4), "true": np.array(True)}
    weights |= options.pop("weights", {})
    return model(nodes, weights, outputs="y c", **options)


def test_a_loop_of_constant_length_is_written_out():
    proto = loop()
    assert names(proto).count("Add") == 4
    agrees(proto, x=X)


def test_a_loop_ends_where_its_condition_is_constantly_false():
    proto = loop(ends="small", condition="true")
    assert names(proto).count("Add") == 3
    agrees(proto, x=X)


def test_a_loop_without_turns():
    proto = loop(weights={"n": np.array(0)})
    found = run_module(import_model(proto), {"x": X})
    assert (found["y"].tolist(), found["c"].shape) == (np.ones((2, 3)).tolist(), (0, 2, 3))


def test_a_loop_without_an_end_is_refused():
    with pytest.raises(Diagnostic, match="a Loop without end"):
        import_model(loop(turns="_"))


def test_a_loop_whose_length_depends_on_data_has_no_shape():
    proto = loop(turns="m", inputs=[port("x", [2, 3]), port("m", [], I64)])
    with pytest.raises(Diagnostic, match="largest number of iterations is not known"):
        import_model(proto)


def test_a_long_loop_stays_a_loop():
    proto = loop(weights={"n": np.array(5000)})
    module = import_model(proto)
    verify(module)
    assert "onnx.Loop" in [op.name for op in module.walk()]


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_scan_is_written_out(backwards: int):
    body = helper.make_graph(
        [node("Add", "s e", "o"), node("Identity", "o", "q")],
        "body",
        [port("s", [2]), port("e", [2])],
        [port("o", [2]), port("q", [2])],
    )
    directions = {"scan_input_directions": [backwards], "scan_output_directions": [backwards]}
    scan = node(
        "Scan", "z x", "y c", body=body, num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[1], **directions
    )
    agrees(model([scan], {"z": np.zeros(2, np.float32)}, outputs="y c"), x=X)


# Sequences


def test_sequences_leave_only_tensors():
    nodes = [
        node("SplitToSequence", "x", "s", axis=1, keepdims=0),
        node("SequenceAt", "s last", "a"),
        node("SequenceInsert", "s a one", "t"),
        node("SequenceErase", "t", "u"),
        node("SequenceLength", "u", "n"),
        node("Cast", "n", "f", to=F32),
        node("ConcatFromSequence", "u", "c", axis=0, new_axis=1),
        node("Mul", "c f", "y"),
    ]
    proto = model(nodes, {"last": np.array(-1), "one": np.array(1)})
    assert not {name for name in names(proto) if "Sequence" in name}
    agrees(proto, x=X)


def test_inputs_and_outputs_that_are_sequences():
    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(F32, None))
    element = helper.make_graph([node("Neg", "e", "m")], "body", [port("e", None)], [port("m", None)])
    proto = model([node("SequenceMap", "x", "y", body=element)], inputs=[helper.make_value_info("x", kind)])
    module = import_model(proto, input_shapes={"x[0]": (2,), "x[1]": (3,)})
    given = {"x[0]": X[0, :2], "x[1]": X[0]}
    found = run_module(module, given)
    np.testing.assert_array_equal(found["y[0]"], -X[0, :2])
    np.testing.assert_array_equal(found["y[1]"], -X[0])


@pytest.mark.parametrize("members", ["x", "x x"])
def test_sequences_that_a_condition_of_the_run_decides_are_refused(members: str):
    bodies = {
        name: helper.make_graph([node("SequenceConstruct", given, name)], name, [], [port(name, None)])
        for name, given in (("then_branch", "x"), ("else_branch", members))
    }
    nodes = [node("ReduceMax", "x", "m", keepdims=0), node("Cast", "m", "b", to=TensorProto.BOOL)]
    proto = model([*nodes, node("If", "b", "s", **bodies), node("SequenceAt", "s first", "y")], {"first": np.array(0)})
    with pytest.raises(Diagnostic, match="If cannot be unrolled, and its result is a sequence"):
        import_model(proto)


def test_sparse_initialisers_become_dense():
    proto = model([node("Add", "x s", "y")])
    values = numpy_helper.from_array(np.array([5, 7], np.float32), "s")
    indices = numpy_helper.from_array(np.array([[0, 1], [1, 2]]))
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2, 3]))
    found = run_module(import_model(proto), {"x": np.zeros((2, 3), np.float32)})
    assert found["y"].tolist() == [[0, 5, 0], [0, 0, 7]]


@pytest.mark.parametrize(
    ("operator", "domain", "inputs"),
    [
        ("Relu", "", "x"),
        ("Binarizer", "ai.onnx.ml", "x"),
        ("FastGelu", "com.microsoft", "x"),
        ("GeluGrad", "any", "x x"),
    ],
)
def test_attributes_that_an_operator_does_not_have_are_ignored(operator: str, domain: str, inputs: str):
    proto = model([node(operator, inputs, "y", domain=domain, zz=3)])
    proto.opset_import.extend([helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid(domain or "other", 1)])
    plain = ModelProto()
    plain.CopyFrom(proto)
    del plain.graph.node[0].attribute[:]
    with pytest.warns(UserWarning, match=f"{operator} has no attribute 'zz', which is ignored"):
        found = print_ir(import_model(proto))
    assert found == print_ir(import_model(plain))


def test_remarks_of_exporters_are_ignored():
    with pytest.warns(UserWarning, match="Relu has no attribute 'description', which is ignored"):
        assert names(model([node("Relu", "x", "y", description="backward")])) == ["Relu"]
