"""ONNX Runtime as a reference: what happens where its products of bytes are not exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.test import onnx_runtime

pytestmark = pytest.mark.quick


class _Refusing:
    """ONNX Runtime as on a processor without VNNI instructions, where it has no exact kernels."""

    def __init__(self, model: bytes, options: Any, providers: Any):
        try:
            options.get_session_config_entry("session.x64quantprecision")
        except RuntimeError:
            return
        raise RuntimeError("no kernel")


def test_inexact_products_are_an_error_and_skip_a_test(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(onnx_runtime, "saturates", lambda: True)
    monkeypatch.setattr(onnxruntime, "InferenceSession", _Refusing)
    values = [helper.make_tensor_value_info(name, TensorProto.UINT8, [2]) for name in "xy"]
    node, zero = helper.make_node("Add", ["x", "z"], ["y"]), numpy_helper.from_array(np.zeros(2, np.uint8), "z")
    model = helper.make_model(helper.make_graph([node], "net", values[:1], values[1:], [zero]))
    with pytest.raises(Diagnostic, match="cannot make products of bytes exact"):
        onnx_runtime.exact_session(model)
    with pytest.raises(pytest.skip.Exception, match="cannot make products of bytes exact"):
        onnx_runtime.session(model)


@pytest.mark.parametrize("zero", [None, 7])
def test_products_are_exact_without_fusions(zero: int | None, monkeypatch: pytest.MonkeyPatch):
    # As on a processor without VNNI instructions; on one with them the weights made unsigned give the same.
    monkeypatch.setattr(onnx_runtime, "saturates", lambda: True)
    x, y = helper.make_tensor_value_info("x", TensorProto.UINT8, [2, 4]), helper.make_tensor_value_info("y", 6, [2, 3])
    weights = np.array([[127, -128, 3], [127, -128, -3], [127, 127, 0], [126, -127, 1]], np.int8)
    constants = [numpy_helper.from_array(weights, "w")]
    constants += [] if zero is None else [numpy_helper.from_array(np.array(zero, np.int8), "z")]
    node = helper.make_node("MatMulInteger", ["x", "w", *([] if zero is None else ["", "z"])], ["y"])
    graph = helper.make_graph([node], "product", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    inputs = np.array([[255, 255, 255, 255], [255, 254, 0, 1]], np.uint8)
    (products,) = onnx_runtime.exact_session(model, fused=False).run(None, {"x": inputs})
    np.testing.assert_array_equal(products, inputs.astype(np.int32) @ (weights.astype(np.int32) - (zero or 0)))
