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
