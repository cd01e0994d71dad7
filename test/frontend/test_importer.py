"""What the importer makes of models."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tilewright.dialects.core.syntax.text import Locations, new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model, import_onnx
from tilewright.ir import array_of, node_names
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick

F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def port(name: str, shape: Sequence[int | str | None] | None, data_type: int = F32) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, data_type, shape)


def model(
    nodes: list[NodeProto],
    inputs: list[ValueInfoProto],
    outputs: list[ValueInfoProto],
    constants: dict[str, Any] | None = None,
    *,
    opset: int = 20,
    stated: Sequence[ValueInfoProto] = (),
) -> ModelProto:
    tensors = [
        value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), name)
        for name, value in (constants or {}).items()
    ]
    graph = helper.make_graph(nodes, "net", inputs, outputs, tensors, value_info=stated)
    domains = sorted({node.domain for node in nodes} - {""})
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports)


def node(op_type: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    """A node; "_" stands for an input left out."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op_type, names, outputs.split(), **attributes)


def ops(module: ModuleOp) -> list[OnnxOp]:
    return [op for op in module.walk() if isinstance(op, OnnxOp) and op.SCHEMA.name != "Constant"]


def constants(module: ModuleOp) -> list[Any]:
    return [op.attribute("value") for op in module.walk() if isinstance(op, OnnxOp) and op.SCHEMA.name == "Constant"]


def function(module: ModuleOp) -> FuncOp:
    return next(op for op in module.walk() if isinstance(op, FuncOp))


def relu(shape: Sequence[int | str | None] = (2, 3)) -> ModelProto:
    return model([node("Relu", "x", "y")], [port("x", shape)], [port("y", None)])


def test_module_in_full():
    nodes = [node("Conv", "x w b", "c", name="first", pads=[1, 1, 1, 1], group=1), node("Relu", "c", "out/last")]
    weights = {"w": np.zeros((2, 1, 3, 3), np.float32), "b": np.array([1, 2], np.float32)}
    module = import_model(model(nodes, [port("x", [1, 1, 4, 4])], [port("out/last", None)], weights, opset=13))
    verify(module)
    assert print_ir(module, locations=Locations.GIVEN).splitlines() == [
        "builtin.module attributes {onnx.graph_name = \"net\", onnx.opset = 13 : i64} {",
        '  func.func @network(%x: tensor<1x1x4x4xf32> {onnx.name = "x"})'
        ' -> (tensor<1x2x4x4xf32> {onnx.name = "out/last"}) {',
        "    %w = onnx.Constant() {value = dense<0.000000e+00> : tensor<2x1x3x3xf32>}"
        ' : () -> tensor<2x1x3x3xf32> loc("w")',
        "    %b = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}"
        ' : () -> tensor<2xf32> loc("b")',
        "    %c = onnx.Conv(%x, %w, %b) {pads = array<i64: 1, 1, 1, 1>}"
        " : (tensor<1x1x4x4xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc(\"first\")",
        '    %out_last = onnx.Relu(%c) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("Relu_1")',
        "    func.return %out_last : tensor<1x2x4x4xf32>",
        "  }",
        "}",
    ]  # fmt: skip


def test_text_round_trips():
    text = print_ir(import_model(relu()))
    assert print_ir(parse_module(new_context(), text)) == text


def test_the_model_is_not_changed():
    given = model([node("ReduceMean", "x", "y", axes=[1])], [port("x", [2, 3])], [port("y", None)], opset=13)
    before = given.SerializeToString()
    import_model(given)
    assert given.SerializeToString() == before


def test_unsorted_nodes_are_sorted_as_near_to_the_file_as_can_be():
    nodes = [node("Add", "a b", "y", name="last"), node("Relu", "x", "b", name="B"), node("Neg", "x", "a", name="A")]
    module = import_model(model(nodes, [port("x", [2])], [port("y", None)]))
    assert [node_names(op) for op in ops(module)] == [("B",), ("A",), ("last",)]


def test_sorted_nodes_keep_their_order():
    nodes = [node("Relu", "x", "a"), node("Neg", "x", "b"), node("Abs", "a", "c"), node("Sum", "a b c", "y")]
    module = import_model(model(nodes, [port("x", [2])], [port("y", None)]))
    assert [op.SCHEMA.name for op in ops(module)] == ["Relu", "Neg", "Abs", "Sum"]


def test_unused_nodes_are_kept():
    nodes = [node("Relu", "x", "y"), node("Neg", "x", "unused")]
    assert len(ops(import_model(model(nodes, [port("x", [2])], [port("y", None)])))) == 2


def test_an_initialiser_that_is_an_input_is_a_constant():
    given = model(
        [node("Add", "x c", "y")], [port("x", [2]), port("c", [2])], [port("y", None)], {"c": np.ones(2, "f4")}
    )
    assert len(function(import_model(given)).args) == 1


def test_input_shapes_fill_open_dimensions():
    module = import_model(relu(["batch", 3]), input_shapes={"x": [5, 3]})
    assert str(function(module).args[0].type) == "tensor<5x3xf32>"


def test_an_open_dimension_follows_from_a_concat():
    nodes = [node("Relu", "new", "n"), node("Concat", "cache n", "y", axis=-2)]
    given = model(nodes, [port("cache", [1, 16, None, 4]), port("new", [1, 16, 8, 4])], [port("y", [1, 16, 8, 4])])
    assert str(function(import_model(given)).args[0].type) == "tensor<1x16x0x4xf32>"


def test_input_types_are_kept():
    module = import_model(relu(), input_types={"x": "ui8"})
    assert 'onnx.type = "ui8"' in print_ir(module)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_tensors_keep_every_bit(dtype: str, raw: bool):
    array = np.arange(-3, 3).reshape(2, 3).astype(dtype)
    data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor = numpy_helper.from_array(array, "c")
    if not raw:
        tensor = helper.make_tensor("c", data_type, array.shape, array.ravel().tolist())
    assert tensor.HasField("raw_data") is raw
    module = import_model(model([node("Identity", "c", "y")], [], [port("y", None, data_type)], {"c": tensor}))
    (found,) = constants(module)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("data_type", [TensorProto.BFLOAT16, TensorProto.INT4, TensorProto.UINT4])
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_tensors_of_types_that_numpy_lacks(data_type: int, raw: bool):
    values = [1, 7, 3, 5, 2]
    tensor = helper.make_tensor("c", data_type, [5], values)
    if raw:
        tensor = numpy_helper.from_array(numpy_helper.to_array(tensor), "c")
    module = import_model(model([node("Identity", "c", "y")], [], [port("y", None, data_type)], {"c": tensor}))
    assert constants(module)[0].astype(np.int64).tolist() == values


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"value": numpy_helper.from_array(np.array([[1, 2]], np.int8))}, np.array([[1, 2]], np.int8)),
        ({"value_float": 1.5}, np.array(1.5, np.float32)),
        ({"value_floats": [1.5, 2.5]}, np.array([1.5, 2.5], np.float32)),
        ({"value_int": 7}, np.array(7, np.int64)),
        ({"value_ints": [7, 8]}, np.array([7, 8], np.int64)),
    ],
)
def test_constant_nodes(attributes: dict[str, Any], expected: Any):
    nodes = [node("Constant", "", "c", name="k", **attributes), node("Identity", "c", "y")]
    module = import_model(model(nodes, [], [onnx.ValueInfoProto(name="y")]))
    (found,) = constants(module)
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    assert node_names(next(op for op in module.walk() if op.name == "onnx.Constant")) == ("k",)


def test_float_tensor_attributes_of_quantised_operators_become_integers():
    scalar = {name: numpy_helper.from_array(np.array([value], np.float32)) for name, value in
              {"div": 65536, "n_levels_out": 256, "signed": 0}.items()}  # fmt: skip
    nodes = [node("RequantShift", "x m m", "y", domain="PACTOps", **scalar)]
    module = import_model(model(nodes, [port("x", [1, 4])], [port("y", None)], {"m": np.ones(4, "f4")}))
    (op,) = ops(module)
    assert [op.attribute(name) for name in ("div", "n_levels", "signed")] == [65536, 256, 0]


def test_an_output_gets_its_declared_type():
    given = model([node("Add", "x x", "y", name="sum")], [port("x", [2])], [port("y", [2], TensorProto.INT32)])
    module = import_model(given)
    assert [(op.name, node_names(op)) for op in ops(module)] == [("onnx.Add", ("sum",)), ("onnx.Cast", ("sum",))]
    assert str(ops(module)[1].results[0].type) == "tensor<2xi32>"


POOL = node("MaxPool", "x", "y", kernel_shape=[2], strides=[2], ceil_mode=1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "taken", "stated", "found"),
    [
        (node("ReduceSum", "x", "y", keepdims=0), [2], [1], []),
        (POOL, [1, 1, 5], [1, 1, 2], [1, 1, 3]),
        (POOL, [1, 1, 5], [1, 2], [1, 1, 3]),
        (node("Relu", "x", "y"), [2, 3], [7, "n", 3], [2, 3]),
    ],
)
def test_the_shape_of_an_output_is_the_one_that_is_computed(made: Any, taken: Any, stated: Any, found: Any):
    given = model([made], [port("x", taken)], [port("y", stated)])
    session: Any = onnx_runtime.session(given)
    count: int = prod(taken)
    x = np.arange(count, dtype=np.float32).reshape([*taken])
    (expected,) = session.run(None, {"x": x})
    with pytest.warns(UserWarning, match=re.escape(f"the shape {found} is computed, not ")):
        np.testing.assert_array_equal(run_module(import_model(given), {"x": x})["y"], expected)


def test_declared_types_serve_where_inference_ends():
    nodes = [node("Reshape", "x s", "r"), node("Relu", "r", "y")]
    given = model(nodes, [port("x", [2, 3]), port("s", [2], I64)], [port("y", [3, 2])], stated=[port("r", [3, 2])])
    assert str(ops(import_model(given))[-1].results[0].type) == "tensor<3x2xf32>"


def test_functions_are_inlined_but_for_known_operators():
    given = model([node("Twice", "x", "d", domain="local")], [port("x", [1, 2])], [port("y", None)])
    one = numpy_helper.from_array(np.ones(1, np.float32), "one")
    given.graph.initializer.append(one)
    quantise = node("RequantShift", "d one one", "y", domain="local", div=2, n_levels=256)
    given.graph.node.append(quantise)
    opsets = [helper.make_opsetid("", 20)]
    given.functions.append(helper.make_function("local", "Twice", ["a"], ["b"], [node("Add", "a a", "b")], opsets))
    body = [node("Mul", "a m", "p"), node("Add", "p c", "b")]
    given.functions.append(helper.make_function("local", "RequantShift", ["a", "m", "c"], ["b"], body, opsets))
    assert [op.name for op in ops(import_model(given))] == ["onnx.Add", "onnx.RequantShift"]


# Older opsets: the result must be what ONNX Runtime computes for the original

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 10.5
OLD: dict[str, tuple[int, NodeProto, dict[str, Any]]] = {
    "reduce-mean-axes": (13, node("ReduceMean", "x", "y", axes=[1], keepdims=0), {}),
    "reduce-sum-axes": (11, node("ReduceSum", "x", "y", axes=[-1]), {}),
    "reduce-max-axes": (17, node("ReduceMax", "x", "y", axes=[0, 2]), {}),
    "unsqueeze": (11, node("Unsqueeze", "x", "y", axes=[0, 4]), {}),
    "pad": (10, node("Pad", "x", "y", pads=[0, 1, 0, 0, 0, 2], value=3.5), {}),
    "clip": (10, node("Clip", "x", "y", min=-2.0, max=5.0), {}),
    "clip-min": (10, node("Clip", "x", "y", min=-2.0), {}),
    "slice": (9, node("Slice", "x", "y", starts=[1, 0], ends=[3, 2], axes=[1, 2]), {}),
    "slice-no-axes": (9, node("Slice", "x", "y", starts=[1, 0], ends=[2, 2]), {}),
    "dropout": (10, node("Dropout", "x", "y", ratio=0.4), {}),
    "softmax-one": (11, node("Softmax", "x", "y"), {}),
    "softmax-all": (11, node("Softmax", "x", "y", axis=0), {}),
    "log-softmax-last": (11, node("LogSoftmax", "x", "y", axis=-1), {}),
    "softmax-new": (13, node("Softmax", "x", "y", axis=1), {}),
    "upsample": (9, node("Upsample", "x s", "y", mode="nearest"), {"s": np.array([1, 1, 2], np.float32)}),
    "resize": (10, node("Resize", "x s", "y", mode="nearest"), {"s": np.array([1, 1, 1.5], np.float32)}),
    "top-k": (9, node("TopK", "x", "y i", k=2, axis=1), {}),
    "hardmax": (11, node("Hardmax", "x", "y"), {}),
}


@pytest.mark.parametrize("name", OLD)
def test_older_opsets_mean_what_they_meant(name: str):
    opset, old, weights = OLD[name]
    given = model([old], [port("x", X.shape)], [port("y", None)], weights, opset=opset)
    given.ir_version = 8
    given.graph.output[0].CopyFrom(onnx.ValueInfoProto(name="y"))
    given.graph.output[0].type.tensor_type.elem_type = F32
    session: Any = onnx_runtime.session(given)
    expected = np.asarray(session.run(["y"], {"x": X})[0])
    found = run_module(import_model(given), {"x": X})["y"]
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_split_without_sizes():
    given = model(
        [node("Split", "x", "a b", axis=1)], [port("x", [2, 4])], [port("a", None), port("b", None)], opset=11
    )
    (op,) = ops(import_model(given))
    assert [str(result.type) for result in op.results] == ["tensor<2x2xf32>"] * 2


def test_squeeze_and_split_sizes():
    nodes = [node("Squeeze", "x", "s", axes=[0]), node("Split", "s", "a b", axis=0, split=[1, 3])]
    given = model(nodes, [port("x", [1, 4])], [port("a", None), port("b", None)], opset=11)
    assert [str(r.type) for r in ops(import_model(given))[1].results] == ["tensor<1xf32>", "tensor<3xf32>"]


def test_group_normalisation_per_group_becomes_per_channel():
    given = model(
        [node("GroupNormalization", "x s b", "y", num_groups=2)],
        [port("x", [1, 4, 3])],
        [port("y", None)],
        {"s": np.array([2, 3], "f4"), "b": np.array([5, 7], "f4")},
        opset=18,
    )
    assert [c.tolist() for c in constants(import_model(given))][-2:] == [[2, 2, 3, 3], [5, 5, 7, 7]]


def test_gemm_over_more_than_two_axes():
    rng = np.random.default_rng(0)
    x, w, b = rng.random((2, 3, 4), "f4"), rng.random((5, 4), "f4"), rng.random(5, "f4")
    v, c = rng.random((6, 5), "f4"), rng.random(6, "f4")
    nodes = [node("Gemm", "x w b", "h", transB=1), node("Gemm", "h v c", "y", transB=1)]
    given = model(nodes, [port("x", x.shape)], [port("y", None)], {"w": w, "b": b, "v": v, "c": c})
    found = run_module(import_model(given), {"x": x})["y"]
    np.testing.assert_allclose(found, (x @ w.T + b) @ v.T + c, rtol=1e-6)


# Files


def test_external_data_in_the_model_s_folder(tmp_path: Path):
    weights = np.arange(2000, dtype=np.float32)
    given = model([node("Add", "x w", "y")], [port("x", [2000])], [port("y", None)], {"w": weights})
    onnx.save(given, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin")  # pyright: ignore[reportUnknownMemberType]
    assert (tmp_path / "w.bin").exists()
    np.testing.assert_array_equal(constants(import_onnx(tmp_path / "m.onnx"))[0], weights)


@pytest.mark.long
def test_a_large_model_is_imported_and_printed_in_seconds(tmp_path: Path):
    weights = np.random.default_rng(0).integers(-128, 128, (1024, 25 * 1024), np.int8)
    given = model([node("MatMulInteger", "x w", "y")], [port("x", [1, 1024], 3)], [port("y", None, 6)], {"w": weights})
    (tmp_path / "m.onnx").write_bytes(given.SerializeToString())
    start = time.process_time()
    module = import_onnx(tmp_path / "m.onnx")
    text = print_ir(module)
    assert time.process_time() - start < 5
    assert len(text) > 2 * weights.size
    dense = next(op for op in module.walk() if op.name == "onnx.Constant").properties["value"]
    assert np.array_equal(array_of(dense), weights)  # pyright: ignore[reportArgumentType]


def test_errors_name_the_file(tmp_path: Path):
    (tmp_path / "open.onnx").write_bytes(relu(["n"]).SerializeToString())
    with pytest.raises(Diagnostic) as caught:
        import_onnx(tmp_path / "open.onnx")
    assert str(caught.value).startswith(f'{tmp_path}/open.onnx: input "x": error: ')
