"""Networks of bytes with what ONNX Runtime says comes of them, as folders that `tilewright check` takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from tilewright.ir import Array
from tilewright.test import onnx_runtime


def narrow_network(
    nodes: Sequence[onnx.NodeProto], constants: Sequence[onnx.TensorProto], image: Sequence[int], classes: int
) -> onnx.ModelProto:
    """Return the network of nodes from `x`, an image of bytes, to `y`, a byte for each class."""
    x = helper.make_tensor_value_info("x", TensorProto.UINT8, image)
    y = helper.make_tensor_value_info("y", TensorProto.UINT8, [1, classes])
    graph = helper.make_graph(list(nodes), "narrow", [x], [y], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def write_case(folder: Path, network: onnx.ModelProto, x: Array) -> Array:
    """Write a network from `x` to `y` with both arrays into a new folder; returns y."""
    session: Any = onnx_runtime.session(network)
    (y,) = session.run(None, {"x": x})
    folder.mkdir()
    (folder / "network.onnx").write_bytes(network.SerializeToString())
    np.savez(folder / "inputs.npz", allow_pickle=False, x=x)
    np.savez(folder / "outputs.npz", allow_pickle=False, y=y)
    return y
