"""Float products whose bias, output or batch the array cannot take as it is: equal in C, with the core's help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright.runtime.tools.onnx_backend import TilewrightBackend
from tilewright.test import onnx_runtime

FLOAT = TensorProto.FLOAT
CASES: dict[str, tuple[str, list[tuple[int, ...]], dict[str, Any]]] = {
    "bias of one number": ("Gemm", [(3, 5), (5, 6), ()], {}),
    "bias of one element": ("Gemm", [(3, 5), (5, 6), (1,)], {}),
    "bias of one row's element": ("Gemm", [(3, 5), (5, 6), (3, 1)], {}),
    "bias of one column": ("Gemm", [(3, 5), (5, 1), (1,)], {}),
    "convolution to one channel": ("Conv", [(1, 1, 5, 5), (1, 1, 3, 3)], {}),
    "padded convolution": ("Conv", [(1, 1, 5, 5), (1, 1, 3, 3)], {"pads": (1, 1, 1, 1)}),
    "transposed convolution": ("ConvTranspose", [(1, 1, 3, 3), (1, 2, 3, 3)], {}),
    "row by matrices": ("MatMul", [(4,), (2, 4, 1)], {}),
}


def _model(operator: str, shapes: list[tuple[int, ...]], attributes: Mapping[str, Any]) -> ModelProto:
    names = [f"x{number}" for number in range(len(shapes))]
    ports = [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in zip(names, shapes, strict=True)]
    result = helper.make_tensor_value_info("y", FLOAT, None)
    graph = helper.make_graph([helper.make_node(operator, names, ["y"], **attributes)], operator, ports, [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.sample(3)
@pytest.mark.parametrize("machine", ["gemmini/fp32", "gemmini/fp32-loops"])
@pytest.mark.parametrize("name", CASES)
def test_float_products_in_c(name: str, machine: str):
    operator, shapes, attributes = CASES[name]
    model = _model(operator, shapes, attributes)
    random = np.random.default_rng(5)
    inputs = {f"x{number}": random.standard_normal(shape, np.float32) for number, shape in enumerate(shapes)}
    (expected,) = onnx_runtime.session(model).run(None, dict(inputs))
    (found,) = TilewrightBackend.prepare(model, "c", machine=machine).run(inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
