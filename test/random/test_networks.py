"""Random networks: equal for equal seeds, of every family and form, and right at the graph level and in C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.fuzz.random_networks import PHASES, Options, faults_of
from tilewright.test.passes.lowering.one_node import FLAGS, lowered
from tilewright.test.random.networks.families import FAMILIES
from tilewright.test.random.networks.network import FORMS, RandomNetwork, merged, random_network

SEEDS = range(100)


def compare(outputs: Mapping[str, Array], wanted: Sequence[Array]) -> None:
    for (name, array), expected in zip(outputs.items(), wanted, strict=True):
        tolerance = 1e-4 if expected.dtype.kind == "f" else 0
        np.testing.assert_allclose(array, expected, tolerance, tolerance, err_msg=name)


def convolutions() -> Iterator[tuple[RandomNetwork, NodeProto, dict[str, Any]]]:
    for network in map(random_network, SEEDS):
        for node in network.model.graph.node:
            if node.op_type in ("Conv", "QLinearConv"):
                yield network, node, {item.name: helper.get_attribute_value(item) for item in node.attribute}


def test_networks_are_equal_for_equal_seeds():
    one, same, other = (random_network(seed) for seed in (5, 5, 6))
    assert one.model.SerializeToString() == same.model.SerializeToString() != other.model.SerializeToString()
    for a, b in zip(one.samples, same.samples, strict=True):
        assert all(np.array_equal(a[name], b[name]) for name in a)


def test_networks_have_all_families_and_parameters():
    networks = [random_network(seed) for seed in SEEDS]
    assert {layer for network in networks for layer in network.layers} == FAMILIES.keys()
    zeros = {
        int(numpy_helper.to_array(tensor))
        for network in networks
        for tensor in network.model.graph.initializer
        if tensor.data_type in (TensorProto.UINT8, TensorProto.INT8) and not tensor.dims
    }
    assert len(zeros) > 60
    assert {-128, 0, 127, 128, 255} <= zeros
    forms = [(node, given) for _, node, given in convolutions()]
    groups = {given["group"] for _, given in forms}
    assert {1, 2} <= groups
    assert len(groups) > 8
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


@pytest.mark.nightly
@pytest.mark.parametrize("form", ["", "requant"])
@pytest.mark.parametrize("target", PHASES)
def test_targets_are_what_onnx_runtime_computes(target: str, form: str):
    onnx_runtime.require_exact()
    assert not faults_of(range(40, 52), target, Options(form))


def test_wrong_bytes_are_told_with_their_network(monkeypatch: pytest.MonkeyPatch):
    onnx_runtime.require_exact()
    right = RandomNetwork.expected

    def wrong(network: RandomNetwork) -> list[list[Array]]:
        return [[array + (network.seed == 41) for array in sample] for sample in right(network)]

    monkeypatch.setattr(RandomNetwork, "expected", wrong)
    faults = faults_of([40, 41], "host", Options(form="qdq"))
    assert {fault.seed for fault in faults} == {41}
    assert {fault.place for fault in faults} == {"tensor", "kernels", "C"}


def test_a_network_that_fails_is_told_by_itself(monkeypatch: pytest.MonkeyPatch):
    def refused(network: RandomNetwork) -> list[list[Array]]:
        if network.seed == 41:
            raise Diagnostic("no numbers")
        return [[]]

    monkeypatch.setattr(RandomNetwork, "expected", refused)

    def failing(*given: Any, **options: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("tilewright.test.fuzz.random_networks.compile_model", failing)
    faults = faults_of([40, 41], "host", Options())
    assert [(fault.seed, fault.what.split(" (")[0]) for fault in faults] == [
        (40, "ZeroDivisionError: division by zero"),
        (41, "error: no numbers"),
    ]
