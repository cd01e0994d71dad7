"""Floats of 8 and 4 bits against ml_dtypes, bit for bit: every number of 16 bits, and ties of all widths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tilewright.dialects.core.small_floats import FORMATS
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.passes.lowering.one_node import FLAGS, lowered

SIGNED = [kind for kind in FORMATS.values() if kind.is_signed]


def _numbers(dtype: Any) -> Array:
    """Return every f16, and numbers around each tie of every format."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(dtype)
    ties: list[Array] = []
    for kind in SIGNED:
        codes = np.arange(1 << (kind.bits - 1))
        # In f32, as ml_dtypes rounds f64 to it first.
        known = kind.decoded(codes, np.dtype(np.float32))
        known = np.sort(known[np.isfinite(known)])
        between = (known[1:] + known[:-1]) / 2
        ties += [between, -between, *(np.nextafter(between, np.float32(end)) for end in (0, np.inf))]
    return np.concatenate([halves, *ties]).astype(dtype)


def _model(x: Array) -> Any:
    """Return the network that makes every format of x, saturating or not, and numbers of the bits of one."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    nodes = [
        helper.make_node("Cast", ["x"], [f"{row.data_type}_{saturate}"], to=row.data_type, saturate=saturate)
        for row in SIGNED
        for saturate in (0, 1)
    ]
    kinds = [row.data_type for row in SIGNED for _ in (0, 1)]
    outputs = [
        helper.make_tensor_value_info(node.output[0], to, x.shape) for node, to in zip(nodes, kinds, strict=True)
    ]
    back = [helper.make_node("Cast", [node.output[0]], [f"{node.output[0]}_back"], to=kind) for node in nodes]
    outputs += [helper.make_tensor_value_info(node.output[0], kind, x.shape) for node in back]
    ports = [helper.make_tensor_value_info("x", kind, x.shape)]
    graph = helper.make_graph([*nodes, *back], "net", ports, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])


@np.errstate(invalid="ignore")
def _check(found: Any, x: Array) -> None:
    wide = x.astype(np.float64)
    for row in SIGNED:
        largest = row.decoded(np.array(row.largest), wide.dtype)
        for saturate in (0, 1):
            bits = (np.clip(wide, -largest, largest) if saturate else wide).astype(row.dtype).view(np.uint8)
            # A NaN of E2M1, which has none, is not defined.
            defined = ~np.isnan(x) if row.bits == 4 else np.ones(x.shape, bool)
            name = f"{row.data_type}_{saturate}"
            np.testing.assert_array_equal(found[name].view(np.uint8)[defined], bits[defined], name)
            np.testing.assert_array_equal(found[f"{name}_back"][defined], row.decoded(bits, x.dtype)[defined], name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_format_is_that_of_ml_dtypes(dtype: Any):
    x = _numbers(dtype)
    _check(run_module(lowered(_model(x), "tensor"), {"x": x}), x)


def test_the_graph_level_computes_the_same():
    x = _numbers(np.float32)[::7]
    _check(run_module(import_model(_model(x)), {"x": x}), x)


def test_every_format_in_c():
    x = _numbers(np.float32)
    network = HostNetwork(render(lowered(_model(x), "")), sanitize=True, flags=FLAGS)
    _check(host_run(network)({"x": x}), x)


def test_arithmetic_on_small_floats_is_refused():
    port = helper.make_tensor_value_info("x", TensorProto.FLOAT8E5M2, [2])
    for op, kind, message in (
        ("Relu", TensorProto.FLOAT8E5M2, "Relu of FLOAT8E5M2 is not handled"),
        ("Identity", TensorProto.FLOAT, "an output of the graph is of another type than it declares"),
    ):
        result = helper.make_tensor_value_info("y", kind, [2])
        graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], "net", [port], [result])
        with pytest.raises(Diagnostic, match=message):
            import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)]))


def test_blocks_of_microscaling_formats():
    """E2M1 in blocks with scales of E8M0 becomes what the scaled numbers are."""
    codes = np.arange(16, dtype=np.uint8).reshape(2, 8)
    scales = np.array([[127, 130], [126, 120]], np.uint8)
    ports = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT4E2M1, [2, 8]),
        helper.make_tensor_value_info("s", TensorProto.FLOAT8E8M0, [2, 2]),
    ]
    node = helper.make_node("DequantizeLinear", ["x", "s"], ["y"], axis=1, block_size=4, output_dtype=TensorProto.FLOAT)
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])
    model = helper.make_model(
        helper.make_graph([node], "net", ports, [result]), opset_imports=[helper.make_opsetid("", 28)]
    )
    (y,) = run_module(lowered(model, "tensor"), {"x": codes, "s": scales}).values()
    numbers = FORMATS[TensorProto.FLOAT4E2M1].decoded(codes, np.dtype(np.float32))
    np.testing.assert_array_equal(y, numbers * np.repeat(2.0 ** (scales.astype(np.float32) - 127), 4, axis=1))
