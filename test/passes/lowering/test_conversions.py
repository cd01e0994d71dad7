"""Casts to integers of 2 and 4 bits, which lie in bytes, and numbers read as others of as many bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.passes.lowering.one_node import FLAGS, lowered

NARROW = {"INT2": (2, True), "UINT2": (2, False), "INT4": (4, True), "UINT4": (4, False)}


def _model(nodes: list[Any], x: Array, outputs: dict[str, int]) -> Any:
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info(name, to, x.shape) for name, to in outputs.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)])


def _results(model: Any, x: Array, place: str) -> dict[str, Array]:
    if place == "tensor":
        return run_module(lowered(model, place), {"x": x})
    return host_run(HostNetwork(render(lowered(model, "")), sanitize=True, flags=FLAGS))({"x": x})


@pytest.mark.parametrize("place", ["tensor", "c"])
def test_narrow_integers_wrap_around(place: str):
    """From there and back, through each type: the lowest bits, extended by the sign or by zeros."""
    x = np.arange(-300, 300, dtype=np.int32)
    nodes = [helper.make_node("Cast", ["x"], [name], to=getattr(TensorProto, name)) for name in NARROW]
    nodes += [helper.make_node("Cast", [name], [f"{name}_back"], to=TensorProto.FLOAT) for name in NARROW]
    outputs = {name: int(getattr(TensorProto, name)) for name in NARROW}
    outputs |= {f"{name}_back": int(TensorProto.FLOAT) for name in NARROW}
    found = _results(_model(nodes, x, outputs), x, place)
    for name, (bits, signed) in NARROW.items():
        low = -(1 << (bits - 1)) if signed else 0
        wanted = (x - low) % (1 << bits) + low
        np.testing.assert_array_equal(found[name].astype(np.int32), wanted, name)
        np.testing.assert_array_equal(found[f"{name}_back"], wanted.astype(np.float32), name)


@pytest.mark.parametrize("place", ["tensor", "c"])
def test_bits_are_read_as_other_numbers(place: str):
    x = np.array([1.0, -2.5, np.inf, -0.0, 1e-40], np.float32)
    kinds = {"i": TensorProto.INT32, "u": TensorProto.UINT32, "f": TensorProto.FLOAT}
    chain = zip(["x", "i", "u"], kinds, strict=True)
    nodes = [helper.make_node("BitCast", [source], [name], to=kinds[name]) for source, name in chain]
    found = _results(_model(nodes, x, {name: int(kind) for name, kind in kinds.items()}), x, place)
    np.testing.assert_array_equal(found["i"].view(np.int32), x.view(np.int32))
    np.testing.assert_array_equal(found["u"].view(np.uint32), x.view(np.uint32))
    np.testing.assert_array_equal(found["f"].view(np.int32), x.view(np.int32))
