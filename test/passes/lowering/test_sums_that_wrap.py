"""MatMulInteger and ConvInteger whose sums leave 32 bits wrap around, and say so where they can: C has no overflow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.small_models import save

OPERATORS = ("MatMulInteger", "MatMulInteger of constants", "ConvInteger")


def network(
    operator: str, count: int, x_zero: int, w_zero: int, *, is_constant: bool
) -> tuple[ModelProto, list[Array]]:
    """Return a model with one sum of `count` products of the greatest bytes, and its inputs."""
    shapes = ((1, count, 1, 1), (1, count, 1, 1)) if operator == "ConvInteger" else ((2, count), (count, 2))
    x, w = (
        np.full(shape, 255 if zero == 0 else 0, np.uint8) for shape, zero in zip(shapes, (x_zero, w_zero), strict=True)
    )
    constants = {"x_zero": np.array(x_zero, np.uint8), "w_zero": np.array(w_zero, np.uint8)}
    inputs = {"x": x} if is_constant else {"x": x, "w": w}
    constants |= {"w": w} if is_constant else {}
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "w", "x_zero", "w_zero"], ["y"])],
        "sums",
        [helper.make_tensor_value_info(name, TensorProto.UINT8, array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return model, list(inputs.values())


@pytest.mark.parametrize("zeros", [(0, 0), (255, 0), (0, 255), (255, 255)])
@pytest.mark.parametrize("count", [8000, 8300, 16500, 33100])
@pytest.mark.parametrize("operator", OPERATORS)
def test_sums_wrap_around(operator: str, count: int, zeros: tuple[int, int]) -> None:
    name, is_constant = operator.split()[0], operator != "MatMulInteger"
    model, inputs = network(name, count, *zeros, is_constant=is_constant)
    module = import_model(model)
    named: dict[str, Array] = dict(zip(("x", "w"), inputs, strict=False))
    (expected,) = onnx_runtime.session(model, fused=False).run(None, named)
    (sums,) = run_module(module, named).values()
    assert np.array_equal(sums, expected)


@pytest.mark.parametrize("operator", OPERATORS)
def test_c_has_no_overflow(operator: str, tmp_path: Path) -> None:
    model, inputs = network(operator.split()[0], 34000, 0, 0, is_constant=operator != "MatMulInteger")
    save(model, tmp_path / "sums.onnx")
    program = compile_model(Model(tmp_path / "sums.onnx"), "host").program()
    (expected,) = onnx_runtime.session(model, fused=False).run(None, dict(zip(("x", "w"), inputs, strict=False)))
    assert np.array_equal(HostNetwork(program, sanitize=True).run(inputs)[0], expected)
