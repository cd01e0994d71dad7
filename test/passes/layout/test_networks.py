"""A U-Net: skip connections that are concatenated, images that are halved and doubled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.passes.canonicalize import CanonicalizePass
from tilewright.passes.convert_layout import ConvertLayoutPass
from tilewright.passes.layout.report import least_transposes, transposes_of
from tilewright.runtime.interpreter import Session


def unet(mode: str) -> ModelProto:
    """Return a U-Net of two levels on [1, 3, 16, 16]; `mode` is that of Resize, or "" for transposed convolutions."""
    random = np.random.default_rng(1)
    nodes: list[NodeProto] = []
    constants = [numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "twice")]

    def convolve(x: str, channels: int, features: int, kernel: int = 3) -> str:
        name = f"c{len(nodes)}"
        weights = random.integers(-4, 5, (features, channels, kernel, kernel)).astype(np.float32)
        constants.append(numpy_helper.from_array(weights, f"{name}w"))
        nodes.append(helper.make_node("Conv", [x, f"{name}w"], [name], pads=[kernel // 2] * 4))
        nodes.append(helper.make_node("Relu", [name], [f"{name}r"]))
        return f"{name}r"

    def double(x: str, channels: int, features: int) -> str:
        name = f"u{len(nodes)}"
        if mode:
            nodes.append(helper.make_node("Resize", [x, "", "twice"], [name], mode=mode))
            return convolve(name, channels, features, 1)
        weights = random.integers(-4, 5, (channels, features, 2, 2)).astype(np.float32)
        constants.append(numpy_helper.from_array(weights, f"{name}w"))
        nodes.append(helper.make_node("ConvTranspose", [x, f"{name}w"], [name], strides=[2, 2]))
        return name

    skip = convolve("x", 3, 4)
    nodes.append(helper.make_node("MaxPool", [skip], ["half"], kernel_shape=[2, 2], strides=[2, 2]))
    up = double(convolve("half", 4, 8), 8, 4)
    nodes.append(helper.make_node("Concat", [skip, up], ["both"], axis=1))
    y = convolve("both", 8, 2)
    ports = [helper.make_tensor_value_info("x", 1, [1, 3, 16, 16])], [helper.make_tensor_value_info(y, 1, None)]
    graph = helper.make_graph(nodes, "unet", *ports, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize(("mode", "left"), [("nearest", 2), ("linear", 2), ("", 3)])
def test_a_unet_is_transposed_at_its_ends(tmp_path: Path, mode: str, left: int) -> None:
    """A transposed convolution interleaves rows besides: one transpose of its own."""
    path = tmp_path / "unet.onnx"
    path.write_bytes(unet(mode).SerializeToString())
    before, after = (compile_model(Model(path), "host", stop_after="fused").module for _ in range(2))
    ConvertLayoutPass().apply(new_context(), after)
    CanonicalizePass().apply(new_context(), after)
    assert len(transposes_of(after)) == least_transposes(after) == left
    x = np.random.default_rng(2).integers(-128, 128, (1, 3, 16, 16)).astype(np.float32)
    expected, found = (list(Session(module).run({"x": x}).values()) for module in (before, after))
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    assert np.any(expected[0])
