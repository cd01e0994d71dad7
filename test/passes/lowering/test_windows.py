"""Windows of poolings and convolutions with every form of padding beside ONNX Runtime, at every level and in C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.frontend.random_onnx.differences import explained
from tilewright.test.passes.lowering.one_node import FLAGS, network, reference
from tilewright.test.phases import each_phase

POOLS = ("AveragePool", "LpPool", "MaxPool", "QLinearAveragePool")
CONVOLUTIONS = ("Conv", "ConvInteger", "QLinearConv")
MODES = ("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")


def window(random: np.random.Generator, op: str) -> dict[str, Any]:
    """Return the attributes of a window: strides reach beyond it, and dilations go with every padding."""
    rank = 2 if op.startswith("QLinear") else int(random.integers(1, 3))
    mode = str(random.choice(MODES))
    attributes: dict[str, Any] = {
        "kernel_shape": random.integers(1, 5, rank).tolist(),
        "strides": random.integers(1, 7, rank).tolist(),
        "auto_pad": mode,
    }
    if mode == "NOTSET" and random.integers(2):
        attributes["pads"] = random.integers(0, min(attributes["kernel_shape"]), 2 * rank).tolist()
    if op != "QLinearAveragePool" and random.integers(3) == 0:
        attributes["dilations"] = random.integers(1, 4, rank).tolist()
    if op.endswith("AveragePool"):
        attributes["count_include_pad"] = int(random.integers(2))
    if op in POOLS:
        attributes["ceil_mode"] = int(random.integers(2))
    return attributes | ({"p": int(random.integers(1, 4))} if op == "LpPool" else {})


def parameters(random: np.random.Generator, op: str, kernel: list[int]) -> list[Array]:
    """Return the constant inputs of an op on 4 channels."""
    scale, zero = np.array(0.125, np.float32), np.array(random.integers(0, 256), np.uint8)
    weight = random.integers(-128, 128, (3, 4, *kernel))
    if op == "Conv":
        return [(weight / 128).astype(np.float32)]
    if op == "ConvInteger":
        return [weight.astype(np.int8), zero]
    if op == "QLinearConv":
        return [scale, zero, weight.astype(np.int8), scale, np.array(3, np.int8), np.array(32, np.float32), zero]
    return [scale, zero, scale, zero] if op == "QLinearAveragePool" else []


class Nodes:
    """Nodes that ONNX Runtime computes, each on its own input, and what it gives."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.feeds: dict[str, Array] = {}
        self.expected: dict[str, Array] = {}

    def model(self, nodes: list[NodeProto]) -> ModelProto:
        names = {name for node in nodes for name in node.input}
        kind = helper.np_dtype_to_tensor_dtype
        graph = helper.make_graph(
            nodes,
            "windows",
            [helper.make_tensor_value_info(n, kind(a.dtype), a.shape) for n, a in self.feeds.items() if n in names],
            [helper.make_empty_tensor_value_info(node.output[0]) for node in nodes],
            [each for each in self.constants if each.name in names],
        )
        imports = [helper.make_opsetid("", 22), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def add(self, random: np.random.Generator, op: str, number: int) -> None:
        """Add a random node, unless ONNX Runtime refuses it or is known to differ."""
        attributes = window(random, op)
        shape = (1, 4, *random.integers(4, 12, len(attributes["kernel_shape"])))
        x = random.integers(-128, 128, shape)
        is_float = op in ("AveragePool", "Conv", "LpPool", "MaxPool")
        self.feeds[f"x{number}"] = (x / 16).astype(np.float32) if is_float else (x + 128).astype(np.uint8)
        arrays = [
            numpy_helper.from_array(a, f"c{number}.{i}")
            for i, a in enumerate(parameters(random, op, attributes["kernel_shape"]))
        ]
        self.constants += arrays
        domain = "com.microsoft" if op == "QLinearAveragePool" else ""
        names = [f"x{number}", *(each.name for each in arrays)]
        node = helper.make_node(op, names, [f"y{number}:{op}"], domain=domain, **attributes)
        model = self.model([node])
        try:
            found = onnx_runtime.session(model, fused=False, threads=1).run(None, {names[0]: self.feeds[names[0]]})[0]
        except Exception:
            found = None
        if found is None or 0 in found.shape or explained(model, ""):
            del self.feeds[names[0]]
            return
        self.nodes.append(node)
        self.expected[node.output[0]] = found


def compare(found: dict[str, Array], nodes: Nodes) -> None:
    for node in nodes.nodes:
        name = node.output[0]
        tolerance = 1e-5 if nodes.expected[name].dtype.kind == "f" else 0
        np.testing.assert_allclose(found[name], nodes.expected[name], tolerance, tolerance, err_msg=str(node))


@pytest.mark.parametrize("ops", [POOLS, CONVOLUTIONS], ids=["poolings", "convolutions"])
def test_windows_are_those_of_onnx_runtime(ops: tuple[str, ...]):
    onnx_runtime.require_exact()
    random, nodes = np.random.default_rng(3), Nodes()
    for number in range(40):
        nodes.add(random, ops[number % len(ops)], number)
    assert len(nodes.nodes) >= 20
    model = nodes.model(nodes.nodes)
    compare(run_module(import_model(model), nodes.feeds), nodes)
    for phase, module in each_phase(import_model(model), ("tensor", "")):
        if phase:
            compare(run_module(module, nodes.feeds), nodes)
        else:
            compare(host_run(HostNetwork(render(module), flags=FLAGS))(nodes.feeds), nodes)


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_padding_below_zero_crops(op: str):
    """Two of 11 elements are left over by windows at 0, 4 and 8: one of them lies before the first, or none."""
    x = np.arange(11, dtype=np.float32).reshape(1, 1, 11)
    for mode, first in (("SAME_UPPER", 1.0), ("SAME_LOWER", 0.0)):
        model = network(op, {"x": x}, kernel_shape=[1], strides=[4], auto_pad=mode, opset=22)
        (found,) = run_module(import_model(model), {"x": x}).values()
        np.testing.assert_array_equal(found, [[[first, first + 4, first + 8]]])


def test_indices_of_a_cropped_pooling():
    x = np.arange(11, dtype=np.float32).reshape(1, 1, 11)
    model = network("MaxPool", {"x": x}, kernel_shape=[1], strides=[4], auto_pad="SAME_UPPER", outputs=2, opset=22)
    for _, module in each_phase(import_model(model), ("tensor", "loops")):
        assert run_module(module, {"x": x})["y1"].reshape(-1).tolist() == [1, 5, 9]


@pytest.mark.parametrize("op", ["Conv", "ConvInteger", "QLinearConv"])
def test_a_convolution_longer_than_its_input_is_refused(op: str):
    """ONNX's inference divides toward zero and gives it a result of one element."""
    random = np.random.default_rng(0)
    constants = {f"c{i}": array for i, array in enumerate(parameters(random, op, [4]))}
    x = np.zeros((1, 4, 5), np.float32 if op == "Conv" else np.uint8)
    with pytest.raises(Diagnostic, match=f"the window of {op} does not fit"):
        import_model(network(op, {"x": x}, constants, dilations=[2], strides=[4]))
    if op == "Conv":
        empty = network(op, {"x": x[:, :, :3]}, constants, dilations=[2], strides=[4])
        wanted = reference(empty, {"x": x[:, :, :3]})[0].shape
        assert run_module(import_model(empty), {"x": x[:, :, :3]})["y0"].shape == wanted == (1, 3, 0)
