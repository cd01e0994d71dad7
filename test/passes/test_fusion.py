"""Epilogues: what is fused, what is not, and that nothing changes by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from onnx import helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.kernel_op import KernelOp
from tilewright.frontend.importer import import_model
from tilewright.ir import node_names
from tilewright.passes import fuse_epilogues
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import check_levels, run_step, steps
from tilewright.test.random.networks.integers import ELEMENTWISE, REDUCING, Network, examples, networks

pytestmark = pytest.mark.quick


def chain(nodes: list[Any], outputs: list[str], constants: dict[str, Any]) -> Network:
    """Return a network of an image x, of 8 unsigned bits."""
    tensors = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()]
    made = [name for node in nodes for name in node.output]

    def model(names: list[str]) -> Any:
        graph = helper.make_graph(
            nodes,
            "chain",
            [helper.make_tensor_value_info("x", 1, [1, 2, 4, 4])],
            [helper.make_tensor_value_info(name, 1, [1, 2, 4, 4]) for name in names],
            tensors,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])

    return Network(model(outputs), model(made), {"x": "ui8"})


def fused(network: Network) -> ModuleOp:
    module = import_model(network.model, input_types=network.input_types)
    for step in steps("fused"):
        run_step(step, module)
    return module


def kernels(network: Network) -> list[str]:
    """Return the names of the kernels that are left, those with an epilogue marked by a plus."""
    ops = [op for op in fused(network).walk() if is_kernel(op)]
    return [op.name + "+" * (isinstance(op, KernelOp) and op.epilogue is not None) for op in ops]


SHIFT: dict[str, Any] = {"div": 256, "n_levels": 256}
CONSTANTS: dict[str, Any] = {
    "w": np.arange(36).reshape(2, 2, 3, 3) % 7 - 3,
    "v": np.ones((2, 2, 3, 3)),
    "m": [3, 5],
    "a": [-100, 200],
    "n": 90,
    "z": 0,
}
CONV = helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1])
QUANTISED = [CONV, helper.make_node("RequantShift", ["c", "m", "a"], ["q"], **SHIFT)]
RESIDUAL = [
    *QUANTISED,
    helper.make_node("Add", ["x", "q"], ["s"]),
    helper.make_node("RequantShift", ["s", "n", "z"], ["y"], **SHIFT),
]


@pytest.mark.long
def test_a_residual_block_is_one_kernel():
    network = chain(RESIDUAL, ["y"], CONSTANTS)
    assert kernels(network) == ["nn.conv+"]
    conv = next(op for op in fused(network).walk() if is_kernel(op))
    assert node_names(conv) == ("Conv_0", "RequantShift_1", "Add_2", "RequantShift_3")
    assert check_levels(network)


@pytest.mark.long
@pytest.mark.parametrize(
    ("outputs", "left"),
    [
        (["c", "y"], ["nn.conv", "linalg.generic"]),
        (["q", "y"], ["nn.conv+", "linalg.generic"]),
        (["s", "y"], ["nn.conv+", "linalg.generic"]),
    ],
)
def test_what_is_a_result_too_is_not_fused_away(outputs: list[str], left: list[str]):
    network = chain(RESIDUAL, outputs, CONSTANTS)
    assert kernels(network) == left
    assert check_levels(network)


@pytest.mark.long
def test_the_later_of_two_producers_is_fused():
    nodes = [
        *QUANTISED,
        helper.make_node("Conv", ["q", "w"], ["d"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["x", "v"], ["e"], pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["e", "d"], ["y"]),
    ]
    network = chain(nodes, ["y"], CONSTANTS)
    assert kernels(network) == ["nn.conv+", "nn.conv", "nn.conv+"]
    last = [op for op in fused(network).walk() if is_kernel(op)][-1]
    assert node_names(last) == ("Conv_3", "Add_4")
    assert check_levels(network)


@pytest.mark.long
def test_a_tensor_that_is_read_twice_by_its_user_is_not_fused():
    network = chain([*QUANTISED, helper.make_node("Add", ["q", "q"], ["y"])], ["y"], CONSTANTS)
    assert kernels(network) == ["nn.conv+", "linalg.generic"]
    assert check_levels(network)


def test_operands_keep_their_own_maps_through_a_merge():
    row, column = np.array([[10, 20, 30]], np.float32), np.array([[1], [2], [3]], np.float32)
    nodes = [
        helper.make_node("Sub", ["x", "row"], ["a"]),
        helper.make_node("Sub", ["column", "a"], ["b"]),
        helper.make_node("Div", ["b", "x"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(name, 1, [3, 3]) for name in ("x", "y")]
    constants = [numpy_helper.from_array(row, "row"), numpy_helper.from_array(column, "column")]
    graph = helper.make_graph(nodes, "maps", ports[:1], ports[1:], constants)
    module = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
    for step in steps("fused"):
        run_step(step, module)
    assert len([op for op in module.walk() if is_kernel(op)]) == 1
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    np.testing.assert_array_equal(run_module(module, {"x": x})["y"], (column - (x - row)) / x)


def test_a_chain_longer_than_a_kernel_may_be_is_several(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fuse_epilogues, "MOST_OPS", 20)
    count = 33
    nodes = [helper.make_node("Neg", [f"t{i}"], [f"t{i + 1}"]) for i in range(count)]
    ports = [helper.make_tensor_value_info(name, 1, [2]) for name in ("t0", f"t{count}")]
    graph = helper.make_graph(nodes, "chain", ports[:1], ports[1:])
    module = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
    for step in steps("fused")[:-2]:
        run_step(step, module)
    found = [op for op in module.walk() if is_kernel(op)]
    assert [len(op.regions[0].block.ops) - 1 for op in found] == [20, 13]
    assert len(node_names(found[0])) == 20


def test_a_kernel_takes_so_many_operands_at_most(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fuse_epilogues, "MOST_OPERANDS", 12)
    count = 21
    nodes = [helper.make_node("Add", [f"t{i}", f"x{i}"], [f"t{i + 1}"]) for i in range(count)]
    names = ["t0", *(f"x{i}" for i in range(count)), f"t{count}"]
    ports = [helper.make_tensor_value_info(name, 1, [2]) for name in names]
    graph = helper.make_graph(nodes, "operands", ports[:-1], ports[-1:])
    module = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
    for step in steps("fused"):
        run_step(step, module)
    assert [len(op.operands) - 1 for op in module.walk() if is_kernel(op)] == [12, 11]


@pytest.mark.long
@examples(12)
@given(networks((*ELEMENTWISE, *ELEMENTWISE, *REDUCING), largest=7))
def test_random_networks_compute_the_same(network: Network):
    assert check_levels(network, stop_after="fused")
