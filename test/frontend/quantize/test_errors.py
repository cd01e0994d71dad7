"""`tilewright quantize`: its files, and errors for bad input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper
from onnx.external_data_helper import convert_model_to_external_data, write_external_data_tensors

from tilewright import cli
from tilewright.errors import Diagnostic
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.ir import Array
from tilewright.test.frontend.quantize.networks import floats, model_of, quantized, residual


def command(folder: Path, arrays: Mapping[str, Array], *more: str, model: ModelProto | None = None) -> tuple[int, Path]:
    (folder / "net.onnx").write_bytes((model or residual()).SerializeToString())
    np.savez(folder / "data.npz", allow_pickle=False, **arrays)
    output = folder / "out.onnx"
    words = ["quantize", str(folder / "net.onnx"), "--calibration", str(folder / "data.npz")]
    return cli.main([*words, "-o", str(output), *more]), output


GOOD = {"x": floats(4, 3, 8, 8)}


def test_the_command_writes_a_network_and_the_errors_of_its_layers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, output = command(
        tmp_path,
        GOOD,
        "--json",
        str(tmp_path / "error.json"),
        "--html",
        str(tmp_path / "error.html"),
        "--float",
        "gemm",
    )
    assert code == 0
    assert ModelProto.FromString(output.read_bytes()).opset_import[0].version >= 20
    shown = capsys.readouterr().out
    assert "conv0" in shown
    assert "gemm" not in shown
    page = (tmp_path / "error.html").read_text(encoding="utf-8")
    assert page.count("<rect") == 2 * page.count("<tr>") - 2
    assert '"cosine"' in (tmp_path / "error.json").read_text(encoding="utf-8")


def test_calibration_files_are_joined(tmp_path: Path):
    assert command(tmp_path, GOOD, "--calibration", str(tmp_path / "data.npz"))[0] == 0


BAD: list[tuple[Mapping[str, Array], Sequence[str], str]] = [
    ({"x": floats(4, 3, 8, 9)}, (), "of another shape"),
    ({"z": floats(4, 3, 8, 8)}, (), "has no input 'z'"),
    ({"x": np.ones((4, 3, 8, 8), np.int32)}, (), "of another type"),
    ({"x": np.where(floats(4, 3, 8, 8) > 2, np.nan, 1).astype(np.float32)}, (), "not finite"),
    ({"x": np.full((4, 3, 8, 8), np.inf, np.float32)}, (), "not finite"),
    ({"x": floats(0, 3, 8, 8)}, (), "without samples"),
    ({"x": np.asarray(1.0)}, (), 'input "x": error: an array has no axis of samples'),
    ({"x": np.full((4, 3, 8, 8), 1e300)}, (), 'input "x": error: calibration data that are not finite'),
    (GOOD, ("--float", "convo"), "no such node"),
    (GOOD, ("--keep-float", "99"), "no layer would have bytes"),
    (GOOD, ("--keep-wide", "99"), "--keep-wide"),
    (GOOD, ("--wide", "convo"), "no such node or operator"),
    (GOOD, ("-o", "/nowhere/at/all.onnx"), "cannot be written"),
]


@pytest.mark.parametrize(("arrays", "more", "message"), BAD, ids=[each[2] for each in BAD])
def test_bad_input_is_an_error_without_output(
    arrays: Mapping[str, Array],
    more: Sequence[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    code, output = command(tmp_path, arrays, *more)
    text = capsys.readouterr().err
    assert (code, output.exists()) == (1, False)
    assert "error:" in text
    assert message in text


def test_weights_beside_the_model_are_no_place_for_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.savez(tmp_path / "data.npz", allow_pickle=False, **GOOD)
    net, weights = tmp_path / "net.onnx", tmp_path / "weights.bin"
    model = residual()
    convert_model_to_external_data(model, location="weights.bin", size_threshold=0)
    net.write_bytes(write_external_data_tensors(model, str(tmp_path)).SerializeToString())
    before = weights.read_bytes()
    words = ["quantize", str(net), "--calibration", str(tmp_path / "data.npz"), "-o", str(weights)]
    assert cli.main(words) == 1
    assert "a file has the place of an input" in capsys.readouterr().err
    assert weights.read_bytes() == before


def test_a_constant_that_is_not_finite_is_named():
    model = residual()
    weights = next(each for each in model.graph.initializer if each.name == "w2")
    weights.CopyFrom(numpy_helper.from_array(np.full((5, 16), np.nan, np.float32), "w2"))
    with pytest.raises(Diagnostic, match='constant "w2"'):
        quantized(model)


def test_a_quantised_model_is_refused(tmp_path: Path):
    result, _ = quantized(residual())
    with pytest.raises(Diagnostic, match="quantised already"):
        read_network(result.model)


REASONS: list[tuple[str, Sequence[str], Mapping[str, Array], Mapping[str, Any], str]] = [
    ("Softmax", ["x"], {}, {}, "--nonlinear float leaves it so"),
    ("Add", ["x", "x"], {}, {}, "function of single numbers"),
    ("Conv", ["x", "x"], {}, {}, "weights are computed"),
    ("ConvTranspose", ["x", "w"], {"w": floats(4, 1, 3)}, {"group": 4}, "no arithmetic of integers"),
    ("LSTM", ["x", "w", "r"], {"w": floats(1, 4, 8), "r": floats(1, 4, 1)}, {"hidden_size": 1}, "no arithmetic of"),
    ("AveragePool", ["x"], {}, {"kernel_shape": [3], "pads": [1, 1]}, "windows at the border have fewer elements"),
]


@pytest.mark.parametrize(("op", "inputs", "constants", "attributes", "reason"), REASONS, ids=[r[0] for r in REASONS])
def test_a_model_without_a_layer_is_refused_with_the_reason(
    op: str, inputs: Sequence[str], constants: Mapping[str, Array], attributes: Mapping[str, Any], reason: str
):
    model = model_of([helper.make_node(op, inputs, ["y"], "n", **attributes)], {"x": (4, 4, 8)}, ["y"], constants)
    with pytest.raises(Diagnostic, match="no layer to quantise") as caught:
        quantized(model)
    assert "no function of single numbers" in caught.value.expected
    assert [f'node "n": {op}' in note and reason in note for note in caught.value.notes] == [True]


def test_a_model_whose_layers_are_all_named_is_refused():
    with pytest.raises(Diagnostic, match="no layer to quantise") as caught:
        quantized(residual(), QuantizeOptions(floats=("*",)))
    assert caught.value.remedy == "name fewer nodes with --float"
    assert len(caught.value.notes) == 5


def test_a_layer_of_constants_is_none():
    both = {"a": floats(2, 2), "b": floats(2, 2)}
    with pytest.raises(Diagnostic, match="no layer to quantise"):
        quantized(model_of([helper.make_node("Add", ["a", "b"], ["y"])], {}, ["y"], both))


def test_an_empty_input_is_refused():
    total = model_of([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (0, 4)}, ["y"], {"w": floats(4, 2)})
    with pytest.raises(Diagnostic, match="an input has no elements"):
        quantized(total)
