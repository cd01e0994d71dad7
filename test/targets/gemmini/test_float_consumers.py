"""Products whose results are floats, or whose zero points are not zero, run on the array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright.dialects.nn import ConvOp, MatmulOp
from tilewright.frontend.importer import import_model
from tilewright.runtime.interpreter import run_module
from tilewright.test.phases import each_phase
from tilewright.test.random.networks.network import random_network

Made = tuple[ModelProto, dict[str, np.ndarray]]


def of_chain(name: str) -> Callable[[], Made]:
    """Return the builder of a network of one operator, quantised, of 16 channels of 16 x 16."""

    def build() -> Made:
        shape, kinds = (1, 16, 16, 16), (TensorProto.UINT8,)
        network = random_network(7, "qdq", exact=False, families=[name], layers=1, kinds=kinds, shape=shape)
        return network.model, network.samples[0]

    return build


def dynamic() -> Made:
    """Return a matrix product quantised as it runs, whose zero point is computed."""
    random = np.random.RandomState(3)
    weights = helper.make_tensor("w", TensorProto.INT8, [64, 32], random.randint(-127, 128, 64 * 32).tolist())
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [32, 64])]
    results = [helper.make_tensor_value_info("y", TensorProto.INT32, [32, 32])]
    graph = helper.make_graph(nodes, "dynamic", ports, results, [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return model, {"x": random.normal(size=(32, 64)).astype(np.float32)}


NETWORKS = {
    "a residual": of_chain("convolution and residual"),
    "a function": of_chain("convolution and function"),
    "two computed operands": of_chain("product and softmax"),
    "a computed zero point": dynamic,
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_products_run_on_the_array(name: str):
    model, inputs = NETWORKS[name]()
    expected = run_module(import_model(model), inputs)
    module = import_model(model)
    for phase, _ in each_phase(module, ("planned", "kernels"), "gemmini", verify_each=False):
        products = [op for op in module.walk() if isinstance(op, ConvOp | MatmulOp)]
        if phase == "planned":
            assert products
            assert {str(op.attributes["engine"]) for op in products} == {'"array"'}
        for result, wanted in expected.items():
            distance = np.abs(run_module(module, inputs)[result].astype(np.int64) - wanted)
            assert distance.max() <= (0 if name == "a computed zero point" else 1), phase
