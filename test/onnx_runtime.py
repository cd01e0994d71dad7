"""ONNX Runtime as a reference that does not depend on the processor."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic


def session(model: ModelProto | bytes | Path | str, *, fused: bool = True, threads: int = 0) -> Any:
    """
    Return a session on the CPU; without `fused`, each operator is computed by itself.

    Products of unsigned by signed bytes are made exact: on a processor without VNNI instructions, ONNX Runtime adds
    pairs of them in 16 bits, saturated, unless the signed bytes are made unsigned: fused by itself, else by
    `with_unsigned_weights`. A test is skipped where it fails to. Raises what ONNX Runtime does for a model that it
    refuses.
    """
    try:
        return exact_session(model, fused=fused, threads=threads)
    except Diagnostic as error:
        pytest.skip(error.message)


def exact_session(model: ModelProto | bytes | Path | str, *, fused: bool = True, threads: int = 0) -> Any:
    """Return a session as `session` does. Raises Diagnostic where products of bytes cannot be made exact."""
    runtime: Any = cast(Any, onnxruntime)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    if not fused:
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        model = with_unsigned_weights(_read(model)) if saturates() else model
    given = model.SerializeToString() if isinstance(model, ModelProto) else model
    made = partial(runtime.InferenceSession, given, options, providers=["CPUExecutionProvider"])
    plain = made()
    if not saturates():
        return plain
    if not _has_unsigned(model):
        # It would make signed activations unsigned, for whose products it has no exact kernels.
        options.add_session_config_entry("session.qdqisint8allowed", "1")
        return made()
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return made()
    except Exception as error:
        # It also converts the weights of activations that are signed, for which it has no kernels.
        raise Diagnostic(
            "ONNX Runtime cannot make products of bytes exact on this processor",
            expected="a processor with VNNI instructions",
            found="products of unsigned by signed bytes that are added in 16 bits, saturated",
            remedy="run it on another processor",
        ) from error


_PRODUCTS = {"MatMulInteger": (1, 3), "ConvInteger": (1, 3), "QLinearMatMul": (3, 5), "QLinearConv": (3, 5)}
"""Operators of products of bytes -> the numbers of their weights and of the zero point of these."""


def with_unsigned_weights(model: ModelProto) -> ModelProto:
    """
    Return a network whose constant signed weights are unsigned where they multiply unsigned bytes: 128 more, as is
    their zero point.
    """
    unsigned = ModelProto.FromString(model.SerializeToString())
    graph = unsigned.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    inferred = onnx.shape_inference.infer_shapes(model).graph
    types = {port.name: port.type.tensor_type.elem_type for port in (*inferred.input, *inferred.value_info)}
    for number, node in enumerate(graph.node):
        weights, zero = _PRODUCTS.get(node.op_type, (0, 0))
        if not weights or types.get(node.input[0]) != TensorProto.UINT8:
            continue
        values = constants.get(node.input[weights])
        if values is None or values.dtype != np.int8:
            continue
        given = node.input[zero] if len(node.input) > zero else ""
        zeros = constants[given] if given else np.int8(0)
        raised = (np.asarray(array + np.int16(128)).astype(np.uint8) for array in (values, zeros))
        names = [f"unsigned_weights_{number}", f"unsigned_zero_{number}"]
        graph.initializer.extend(map(numpy_helper.from_array, raised, names))
        node.input.extend([""] * (zero + 1 - len(node.input)))
        node.input[weights], node.input[zero] = names
    return unsigned


def require_exact() -> None:
    """Skip a test whose products of bytes are not made exact, as of operators with several kinds of operands."""
    if saturates():
        pytest.skip("ONNX Runtime's products of bytes are not exact on this processor")


def _has_unsigned(model: ModelProto | bytes | Path | str) -> bool:
    """Return whether a network has numbers of unsigned bytes, as zero points or inputs."""
    model = _read(model)
    kinds = [each.data_type for each in model.graph.initializer]
    kinds += [each.type.tensor_type.elem_type for each in model.graph.input]
    return TensorProto.UINT8 in kinds


def _read(model: ModelProto | bytes | Path | str) -> ModelProto:
    if isinstance(model, ModelProto):
        return model
    return ModelProto.FromString(model) if isinstance(model, bytes) else onnx.load(str(model))  # pyright: ignore[reportUnknownMemberType]


@cache
def saturates() -> bool:
    """Return whether products of unsigned by signed bytes are inexact here without `fused`."""
    ports = [
        helper.make_tensor_value_info(name, kind, [2, 2])
        for name, kind in (("a", TensorProto.UINT8), ("b", TensorProto.INT8))
    ]
    result = helper.make_tensor_value_info("y", TensorProto.INT32, [2, 2])
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["a", "b"], ["y"])], "product", ports, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = cast(Any, onnxruntime).SessionOptions()
    options.graph_optimization_level = cast(Any, onnxruntime).GraphOptimizationLevel.ORT_DISABLE_ALL
    made: Any = cast(Any, onnxruntime).InferenceSession(model.SerializeToString(), options)
    inputs = {"a": np.full((2, 2), 255, np.uint8), "b": np.full((2, 2), 127, np.int8)}
    return bool(np.any(made.run(None, inputs)[0] != 2 * 255 * 127))
