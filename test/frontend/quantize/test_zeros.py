"""Tensors that are zero in all samples: a dead branch, a state that starts at zero, samples of zeros alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, helper

from tilewright import cli
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.error import measure
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.frontend.quantize.scales import Scale
from tilewright.ir import Array
from tilewright.test import onnx_runtime
from tilewright.test.frontend.quantize.networks import floats, model_of

node = helper.make_node


def dead() -> tuple[ModelProto, Mapping[str, Array]]:
    """Return two branches of convolutions, the first of which a Relu ends that is always 0."""
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"]),
        node("Relu", ["c"], ["r"]),
        node("Conv", ["x", "v"], ["d"]),
        node("Add", ["r", "d"], ["s"]),
        node("Conv", ["s", "u"], ["y"]),
    ]
    weights = {"w": floats(4, 3, 1, 1), "v": floats(4, 3, 1, 1, seed=1), "u": floats(2, 4, 1, 1)}
    constants = weights | {"b": np.full(4, -100, np.float32)}
    return model_of(nodes, {"x": (1, 3, 6, 6)}, ["y"], constants), {"x": floats(8, 3, 6, 6)}


def cell() -> tuple[ModelProto, Mapping[str, Array]]:
    """Return a gated cell whose state is 0 in all samples."""
    nodes = [
        node("Concat", ["x", "h"], ["c"], axis=1),
        node("MatMul", ["c", "w"], ["m"]),
        node("Sigmoid", ["m"], ["z"]),
        node("MatMul", ["h", "u"], ["r"]),
        node("Mul", ["z", "r"], ["zr"]),
        node("Add", ["zr", "m"], ["hn"]),
        node("MatMul", ["hn", "v"], ["y"]),
    ]
    weights = {"w": floats(10, 4), "u": floats(4, 4), "v": floats(4, 3)}
    inputs = {"x": floats(8, 6), "h": np.zeros((8, 4), np.float32)}
    return model_of(nodes, {"x": (1, 6), "h": (1, 4)}, ["y", "hn"], weights), inputs


@pytest.mark.parametrize("ranges", ["wide-percentile", "mse", "entropy"])
@pytest.mark.parametrize("build", [dead, cell])
def test_the_scale_is_1_and_the_rest_as_good_as_ever(
    build: Callable[[], tuple[ModelProto, Mapping[str, Array]]], ranges: str, recwarn: pytest.WarningsRecorder
) -> None:
    model, arrays = build()
    network = read_network(model)
    samples = samples_of(network, arrays)
    result = quantize(network, samples, QuantizeOptions(ranges=ranges))
    assert result.scales["r"] == Scale(1.0, 0)
    assert min(each.sqnr for each in measure(result, samples)) > 30
    assert 'tensor "r"' in str(recwarn[0].message)
    exact, found = onnx_runtime.session(model), onnx_runtime.session(result.model)
    for sample in samples:
        for wanted, number in zip(exact.run(None, dict(sample)), found.run(None, dict(sample)), strict=True):
            assert ((wanted - number) ** 2).sum() < 2e-3 * (wanted**2).sum()


@pytest.mark.parametrize(
    "options",
    [
        QuantizeOptions(wide=("*",)),
        QuantizeOptions(nonlinear="integer"),
        QuantizeOptions(per_channel=False, symmetric=True, form="qlinear"),
        QuantizeOptions(keep=1, common_sums=True),
        QuantizeOptions(equalize=True, search=True),
    ],
    ids=["wide", "integer", "symmetric", "common sums", "search"],
)
def test_samples_of_zeros_alone(options: QuantizeOptions) -> None:
    for model, arrays in (dead(), cell()):
        network = read_network(model)
        samples = samples_of(network, {name: 0 * array[:1] for name, array in arrays.items()})
        with pytest.warns(UserWarning, match="0 for all calibration data"):
            result = quantize(network, samples, options)
        runtime, exact = onnx_runtime.session(result.model), onnx_runtime.session(model)
        for found, wanted in zip(*(each.run(None, dict(samples[0])) for each in (runtime, exact)), strict=True):
            np.testing.assert_allclose(found, wanted, atol=0.05)


def test_the_command_says_so_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, arrays = dead()
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    np.savez(tmp_path / "data.npz", allow_pickle=False, **arrays)
    words = ["quantize", str(tmp_path / "net.onnx"), "--calibration", str(tmp_path / "data.npz")]
    assert cli.main([*words, "-o", str(tmp_path / "q.onnx")]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('tensor "r": warning: 0 for all calibration data')
