"""A small network of floats, as an ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper


def convolutions(folder: Path) -> Path:
    """Write a network of three convolutions, the second with a residual connection and a bias; return its path."""
    draw = np.random.default_rng(1)
    shapes = {"w1": (8, 3, 3, 3), "w2": (8, 8, 3, 3), "b2": (8,), "w3": (4, 8, 3, 3)}
    weights = [
        helper.make_tensor(name, TensorProto.FLOAT, shape, draw.standard_normal(shape).ravel() / 4)
        for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], name="relu"),
        helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], name="second", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c2", "r1"], ["a2"], name="residual"),
        helper.make_node("Conv", ["a2", "w3"], ["y"], name="third", pads=[1, 1, 1, 1]),
    ]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, 12, 12])
        for name, channels in (("x", 3), ("y", 4))
    ]
    graph = helper.make_graph(nodes, "convolutions", ports[:1], ports[1:], weights)
    return save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder)


def save(model: ModelProto, folder: Path) -> Path:
    """Write a model and return its path."""
    cast(Any, onnx).save(model, folder / "net.onnx")
    return folder / "net.onnx"
