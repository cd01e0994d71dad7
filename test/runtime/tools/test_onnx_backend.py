"""ONNX's own tests on Tilewright as a backend; benchmarks/onnx/support.py runs all of them."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from onnx import TensorProto, helper

from tilewright.errors import Diagnostic
from tilewright.runtime.tools.onnx_backend import TilewrightBackend

F32 = TensorProto.FLOAT
MODULES = ("add", "relu", "matmul", "reshape", "if_", "loop")


def _tests() -> Any:
    from onnx.backend.test import BackendTest

    def imported(package: ModuleType) -> None:
        """Import the modules of these tests alone: others compute what they expect, which takes long."""
        for name in MODULES:
            import_module(f"{package.__name__}.{name}")

    with warnings.catch_warnings(), mock.patch("onnx.backend.test.loader.import_recursive", imported):
        warnings.simplefilter("ignore")
        backend_test = BackendTest(TilewrightBackend, __name__)
    for pattern in (
        "test_add",
        "test_relu",
        "test_matmul_2d",
        "test_reshape_one_dim",
        "test_if_seq",
        "test_loop13_seq",
    ):
        backend_test.include(f"^{pattern}_cpu$")
    return backend_test.test_suite


def test_the_backend_passes_tests_of_onnx():
    import unittest

    result = unittest.TestResult()
    _tests().run(result)
    assert not result.errors, result.errors
    assert not result.failures, result.failures
    assert result.testsRun - len(result.skipped) == 6


def _reshape() -> Any:
    ports = [helper.make_tensor_value_info("x", F32, ["n"]), helper.make_tensor_value_info("s", TensorProto.INT64, [2])]
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "s"], ["y"])], "net", ports, [helper.make_tensor_value_info("y", F32, None)]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


@pytest.mark.parametrize("device", ["interpreter", "c"])
def test_a_network_is_compiled_anew_for_other_shapes(device: str):
    prepared = TilewrightBackend.prepare(_reshape(), device)
    for size, shape in ((6, [2, 3]), (6, [3, 2]), (4, [2, 2])):
        x = np.arange(size, dtype=np.float32)
        (y,) = prepared.run([x, np.array(shape)])
        np.testing.assert_array_equal(y, x.reshape(shape))


def test_what_the_backend_refuses():
    assert not TilewrightBackend.supports_device("CUDA")
    with pytest.raises(Diagnostic, match="there is no device 'TPU'"):
        TilewrightBackend.prepare(_reshape(), "TPU")
    prepared = TilewrightBackend.prepare(_reshape(), "CPU")
    with pytest.raises(Diagnostic, match="these are not the inputs of the model"):
        prepared.run([np.zeros(4, np.float32)])
    with pytest.raises(Diagnostic, match="an input holds no numbers"):
        prepared.run([np.array(["a"]), np.array([1, 1])])
