"""What is computed in integers is what the floats between DequantizeLinear and QuantizeLinear give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto

from tilewright.cli import main
from tilewright.compiler import Model, machine_named
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, element_of
from tilewright.passes.recover_quantized import RecoverQuantizedPass
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.check import check, find_cases
from tilewright.test import onnx_runtime
from tilewright.test.phases import each_phase
from tilewright.test.random.networks.builder import Tensor
from tilewright.test.random.networks.families import FAMILIES, FLOAT_CONSUMERS
from tilewright.test.random.networks.forms import BYTES, FOUR_BITS, QuantisedBuilder
from tilewright.test.random.networks.network import random_network, samples

INTEGER = tuple(name for name in FAMILIES if name != "softmax")
"""Families whose integer form is exact where scales are powers of two."""
seeds = st.integers(0, 2**31)


def both(model: ModelProto, inputs: Mapping[str, Array]) -> tuple[list[Array], list[Array], list[str]]:
    """Return the outputs before and after the pass, and the operators on floats that are left, constants aside."""
    module = import_model(model)
    before = list(run_module(module, inputs).values())
    RecoverQuantizedPass().apply(new_context(), module)
    verify(module)
    ops = [op for op in module.walk() if isinstance(op, OnnxOp) and op.name != "onnx.Constant"]
    floats = [op.name for op in ops if str(element_of(op.results[0])) == "f32"]
    return before, list(run_module(module, inputs).values()), floats


def assert_off_by_one_step_at_most(found: Array, wanted: Array) -> None:
    """Assert that bytes differ by one step at most, and in one of a hundred."""
    distance = np.abs(wanted.astype(int) - found.astype(int))
    assert distance.max() <= 1
    assert np.count_nonzero(distance) <= max(1, distance.size // 100)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, four=st.booleans())
def test_networks_with_powers_of_two_give_the_same(seed: int, four: bool):
    network = random_network(seed, "qdq", families=INTEGER, kinds=FOUR_BITS if four else BYTES)
    for sample in network.samples:
        expected, found, floats = both(network.model, sample)
        assert not floats
        for wanted, got in zip(expected, found, strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", tuple(FAMILIES))
@settings(max_examples=6, deadline=None)
@given(seed=seeds)
def test_an_operator_is_off_by_one_step_at_most(name: str, seed: int):
    network = random_network(seed, "qdq", exact=False, families=[name], layers=1)
    (wanted,), (found,), floats = both(network.model, network.samples[0])
    assert not floats
    assert_off_by_one_step_at_most(found, wanted)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", FLOAT_CONSUMERS)
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_products_with_floats_behind_them_have_integer_sums(name: str, seed: int):
    network = random_network(seed, "qdq", exact=False, families=[name], layers=1)
    (wanted,), (found,), floats = both(network.model, network.samples[0])
    assert not {"onnx.Conv", "onnx.Gemm", "onnx.MatMul"} & set(floats)
    assert_off_by_one_step_at_most(found, wanted)


def by_onnxruntime(model: ModelProto, inputs: Mapping[str, Array], *, fused: bool = True) -> list[Any]:
    session: Any = onnx_runtime.session(model, fused=fused)
    return session.run(None, dict(inputs))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["convolution", "dense", "product"])
@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_products_are_those_of_onnxruntime(name: str, seed: int):
    onnx_runtime.require_exact()
    network = random_network(seed, "qdq", exact=False, families=[name], layers=1)
    for sample in network.samples:
        np.testing.assert_array_equal(both(network.model, sample)[1][0], by_onnxruntime(network.model, sample)[0])


# By the front door


CHAINS = (
    ("convolution", "pad", "transpose", "convolution", "sum"),
    ("gate", "elementwise product", "average pooling", "concat"),
    ("difference", "constant sum", "leaky", "rescale", "slice", "max pooling", "resize"),
    ("convolution", "product", "dense"),
    ("hard swish", "global average"),
    ("product of two",),
)


def whole() -> tuple[ModelProto, dict[str, Array]]:
    """Return a network of chains of all operators, and inputs."""
    net = QuantisedBuilder(Random(24), "qdq", exact=False, kinds=(TensorProto.UINT8,))
    outputs: list[Tensor] = []
    for chain in CHAINS:
        x = net.maps((1, 4, 6, 6))
        for name in chain:
            x = FAMILIES[name](net, x)
        outputs.append(x)
    return net.model(outputs), samples(net, net.generator())[0]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network of every operator, and what ONNX Runtime gives for random inputs."""
    model, inputs = whole()
    folder = tmp_path_factory.mktemp("corpus") / "whole"
    folder.mkdir()
    (folder / "network.onnx").write_bytes(model.SerializeToString())
    np.savez(folder / "inputs.npz", allow_pickle=False, **inputs)
    np.savez(folder / "outputs.npz", *by_onnxruntime(model, inputs, fused=False), allow_pickle=False)
    return folder


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["host", "native", "siracusa"])
def test_every_level(corpus: Path, target: str):
    golden = list(np.load(corpus / "outputs.npz").values())
    inputs = dict(np.load(corpus / "inputs.npz"))
    assert all(len(np.unique(each)) > 2 for each in golden)
    module = Model(corpus / "network.onnx", integers=True).load()
    phases = [each.name for each in machine_named(target).phases]
    for phase, reached in each_phase(module, phases, target, verify_each=False):
        for found, wanted in zip(run_module(reached, inputs).values(), golden, strict=True):
            np.testing.assert_array_equal(found.view(wanted.dtype), wanted, phase)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "words",
    [
        ["--on", "interpreter", "--on", "host", "--on", "sanitizers"],
        ["--target", "siracusa", "--on", "simulator", "--on", "host"],
        ["--target", "native", "--on", "host"],
    ],
)
def test_check_with_integers(corpus: Path, words: Sequence[str], capsys: pytest.CaptureFixture[str]):
    assert main(["check", str(corpus), "--integers", *words]) == 0
    assert "1 passed" in capsys.readouterr().out


def test_checked_is_what_computes_in_integers(corpus: Path):
    templates = [Model(Path(), integers=integers) for integers in (False, True)]
    reports = [next(check(find_cases(corpus), "host", ["host"], template=each)).report for each in templates]
    nodes = [[node for layer in report["layers"] for node in layer["nodes"]] for report in reports]
    assert any(node.startswith("DequantizeLinear") for node in nodes[0])
    assert not any(node.startswith("DequantizeLinear") for node in nodes[1])


SLOW = random_network(0, "qdq", families=["convolution"], layers=2, kinds=(TensorProto.UINT8,), shape=(1, 4, 6, 6))
"""Network of two convolutions."""


def slow_floats(folder: Path, words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what compiling a network of a convolution and a sum says on stderr."""
    path = folder / "network.onnx"
    path.write_bytes(SLOW.model.SerializeToString())
    assert main([*words, str(path)]) == 0
    return capsys.readouterr().err


def test_a_hint_where_floats_are_slow(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    hint = "2 operators on quantised tensors compute in floats; --integers computes them in integers"
    out, profile = ["-o", str(tmp_path / "out")], ["profile", "--target", "siracusa"]
    assert hint in slow_floats(tmp_path, ["compile", "--target", "siracusa", *out], capsys)
    assert "--integers" not in slow_floats(tmp_path, ["compile", *out], capsys)
    assert "--integers" not in slow_floats(tmp_path, ["compile", "--target", "siracusa", "--integers", *out], capsys)
    assert (tmp_path / "out" / "pipeline.txt").read_text().startswith("builtin.module(recover-quantized,")
    assert hint in slow_floats(tmp_path, profile, capsys)
    assert "--integers" not in slow_floats(tmp_path, [*profile, "--integers"], capsys)
    assert "onnx.QLinearConv" in print_ir(Model(tmp_path / "network.onnx", integers=True).load())
    assert "; --shifts does it by shifts" in slow_floats(tmp_path, [*profile, "--integers"], capsys)
    assert "by shifts" not in slow_floats(tmp_path, [*profile, "--integers", "--shifts"], capsys)


def test_what_runs_and_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    slow_floats(tmp_path, ["import", "-o", str(tmp_path / "net.mlir"), "--integers"], capsys)
    assert "onnx.QLinearConv" in (tmp_path / "net.mlir").read_text()
    np.savez(tmp_path / "in.npz", allow_pickle=False, **SLOW.samples[0])
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs"]
    assert main(["run", str(tmp_path / "network.onnx"), *files, str(tmp_path / "a.npz")]) == 0
    assert main(["run", str(tmp_path / "network.onnx"), *files, str(tmp_path / "b.npz"), "--integers"]) == 0
    (a,), (b,) = (list(np.load(tmp_path / name).values()) for name in ("a.npz", "b.npz"))
    np.testing.assert_array_equal(a, b)


def test_a_hint_for_sums_of_quantised_tensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    network = random_network(2, "qlinear", families=["sum"], layers=1)
    assert [node.op_type for node in network.model.graph.node] == ["QLinearAdd"]
    path = tmp_path / "network.onnx"
    path.write_bytes(network.model.SerializeToString())
    words = ["compile", "--target", "siracusa", "-o", str(tmp_path / "out"), str(path)]
    assert main(words) == 0
    assert "1 operators on quantised tensors compute in floats" in capsys.readouterr().err
    assert main([*words, "--integers"]) == 0
    assert "--integers" not in capsys.readouterr().err
