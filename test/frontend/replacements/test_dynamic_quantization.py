"""DynamicQuantizeLinear beside ONNX Runtime, of zeros too, and without words of NumPy."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright import cli
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.passes.lowering.one_node import lowered

OUTPUTS = {"y": TensorProto.UINT8, "scale": TensorProto.FLOAT, "zero": TensorProto.UINT8}


def network(constant: Array) -> onnx.ModelProto:
    """Return DynamicQuantizeLinear of the sum of a constant and `x`, and of the constant alone."""
    nodes = [helper.make_node("Add", ["x", "c"], ["s"])]
    nodes += [helper.make_node("DynamicQuantizeLinear", [name], [name + each for each in OUTPUTS]) for name in "sc"]
    shapes = {name + each: list(constant.shape) if each == "y" else [] for name in "sc" for each in OUTPUTS}
    graph = helper.make_graph(
        nodes,
        "dynamic",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, constant.shape)],
        [helper.make_tensor_value_info(name, OUTPUTS[name[1:]], shape) for name, shape in shapes.items()],
        [numpy_helper.from_array(constant, "c")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize("numbers", [[0, 0, 0], [-1, -1, -1], [2, 2, 2], [0, 1e38, -1e38], [1, -0.5, 0.25]], ids=str)
def test_numbers_are_those_of_onnx_runtime(numbers: list[float]):
    constant = np.array(numbers, np.float32)
    model, x = network(constant), {"x": np.zeros_like(constant)}
    wanted = onnx_runtime.session(model).run(None, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for module in (import_model(model), lowered(model, "tensor")):
            for found, exact in zip(run_module(module, x).values(), wanted, strict=True):
                np.testing.assert_array_equal(found, exact)


def test_no_words_of_numpy_reach_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A quotient of zeros, which the importer does not fold, is one of constants once it is lowered."""
    node = [
        helper.make_node("DequantizeLinear", ["c", "scale"], ["d"]),
        helper.make_node("Div", ["d", "d"], ["q"]),
        helper.make_node("Add", ["x", "q"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    constants = {"c": np.zeros(2, np.int8), "scale": np.array(1, np.float32)}
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(node, "quotient", ports[:1], ports[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "network.onnx").write_bytes(model.SerializeToString())
    np.savez(tmp_path / "case" / "inputs.npz", x=np.ones(2, np.float32))
    np.savez(tmp_path / "case" / "outputs.npz", y=np.array([np.nan, np.nan], np.float32))
    assert cli.main(["check", str(tmp_path), "--on", "interpreter"]) == 0
    assert "invalid value" not in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lowered(model, "tensor")
