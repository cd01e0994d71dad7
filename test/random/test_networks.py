"""Random networks: equal for equal seeds, of every family and form, and right at the graph level and in C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper

from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.passes.lowering.one_node import FLAGS, lowered
from tilewright.test.random.networks.families import FAMILIES
from tilewright.test.random.networks.network import FORMS, RandomNetwork, merged, random_network

SEEDS = range(100)


def compare(found: Mapping[str, Array], wanted: Sequence[Array]) -> None:
    for (name, array), expected in zip(found.items(), wanted, strict=True):
        tolerance = 1e-4 if expected.dtype.kind == "f" else 0
        np.testing.assert_allclose(array, expected, tolerance, tolerance, err_msg=name)


def convolutions() -> Iterator[tuple[RandomNetwork, NodeProto, dict[str, Any]]]:
    for network in map(random_network, SEEDS):
        for node in network.model.graph.node:
            if node.op_type in ("Conv", "QLinearConv"):
                yield network, node, {each.name: helper.get_attribute_value(each) for each in node.attribute}


def test_networks_are_equal_for_equal_seeds():
    one, same, other = (random_network(seed) for seed in (5, 5, 6))
    assert one.model.SerializeToString() == same.model.SerializeToString() != other.model.SerializeToString()
    for a, b in zip(one.samples, same.samples, strict=True):
        assert all(np.array_equal(a[name], b[name]) for name in a)


def test_networks_have_all_families_and_parameters():
    networks = [random_network(seed) for seed in SEEDS]
    assert {layer for network in networks for layer in network.layers} == FAMILIES.keys()
    zeros = {
        tensor.int32_data[0]
        for network in networks
        for tensor in network.model.graph.initializer
        if tensor.data_type in (TensorProto.UINT8, TensorProto.INT8) and not tensor.dims
    }
    assert len(zeros) > 60
    assert {-128, 0, 127, 128, 255} <= zeros
    forms = [(node, given) for _, node, given in convolutions()]
    groups = {given["group"] for _, given in forms}
    assert {1, 2, 3, 7} <= groups
    assert any(given["pads"][0] != given["pads"][2] for _, given in forms)
    assert {step for _, given in forms for step in given["dilations"]} == {1, 2, 3}
    assert {node.op_type for node, _ in forms} == {"Conv", "QLinearConv"}


def test_samples_reach_the_ends_of_types():
    network = random_network(3, "qlinear")
    limits = [(np.iinfo(a.dtype).min, np.iinfo(a.dtype).max) for a in network.samples[0].values()]
    assert [(a.min(), a.max()) for a in network.samples[0].values()] == limits


@pytest.mark.parametrize("form", FORMS)
def test_the_graph_level_is_what_onnx_runtime_computes(form: str):
    onnx_runtime.require_exact()
    for seed in range(6):
        network = random_network(seed, form, exact=form not in ("qlinear", "float"))
        module = import_model(network.model)
        for sample, wanted in zip(network.samples, network.expected(), strict=True):
            compare(run_module(module, sample), wanted)


def test_c_is_what_onnx_runtime_computes():
    onnx_runtime.require_exact()
    networks = [random_network(seed, exact=False, form="qlinear", layers=2) for seed in range(20, 26)]
    model, samples = merged(networks)
    run = host_run(HostNetwork(render(lowered(model, "")), flags=FLAGS))
    parts = [network.expected() for network in networks]
    for number, sample in enumerate(samples):
        compare(run(sample), [array for part in parts for array in part[number]])
