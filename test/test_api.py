"""`load`, `compile` and `check` in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.test.random.networks.attention import Attention, exported, inputs_of, one_after_another
from tilewright.test.small_models import Saved, save, save_case, small

pytestmark = pytest.mark.quick


@pytest.fixture
def case(tmp_path: Path) -> Saved:
    return save_case(tmp_path / "case")


@pytest.mark.long
@pytest.mark.parametrize("of", [str, Path])
@pytest.mark.parametrize("on", ["host", "interpreter"])
def test_a_model_runs(of: Any, on: str, case: Saved):
    network = tilewright.load(of(case.folder / "network.onnx"), target=of("host"), on=on)
    assert [tuple(each) for each in network.inputs] == [("x", np.dtype(np.uint8), (1, 2, 6, 6))]
    assert [tuple(each) for each in network.outputs] == [("y", np.dtype(np.int8), (1, 3, 4, 4))]
    np.testing.assert_array_equal(network.run({"x": case.inputs["x"].tolist()})["y"], case.outputs["y"])
    steps = network.run({"x": np.stack([case.inputs["x"]] * 3)})["y"]
    np.testing.assert_array_equal(steps, np.stack([case.outputs["y"]] * 3))


def test_a_folder_runs(case: Saved, tmp_path: Path):
    files = tilewright.compile(str(case.folder / "network.onnx"), str(tmp_path / "out"))
    assert {"network.c", "report.json"} <= {file.name for file in files}
    assert all(file.exists() for file in files)
    network = tilewright.load(tmp_path / "out")
    np.testing.assert_array_equal(network.run(case.inputs)["y"], case.outputs["y"])
    assert network.report["target"] == "host"
    assert [each.shape for each in network.outputs] == [(1, 3, 4, 4)]


def test_a_network_is_not_quantised_over_itself(case: Saved, tmp_path: Path):
    file = case.folder / "network.onnx"
    before = file.read_bytes()
    (tmp_path / "same.onnx").symlink_to(file)
    with pytest.raises(tilewright.Diagnostic, match="a file has the place of an input"):
        tilewright.quantize(file, {"x": np.zeros((1, 1))}, tmp_path / "same.onnx")
    assert file.read_bytes() == before


def test_a_network_as_html(case: Saved, tmp_path: Path):
    (tmp_path / "<b>").mkdir()
    save(small(), tmp_path / "<b>" / "net.onnx")
    network = tilewright.load(tmp_path / "<b>" / "net.onnx")
    html = network._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "/&lt;b&gt;/net.onnx for host</h4>" in html
    assert "<td>conv, requant</td><td>864</td>" in html
    assert repr(network).endswith("net.onnx for host: x: uint8 1x2x6x6 -> y: int8 1x3x4x4>")


@pytest.mark.long
def test_a_corpus_is_checked(case: Saved, tmp_path: Path):
    (row,) = tilewright.check(tmp_path, on=["interpreter", "host"])
    assert (row.passed, row.case.name) == (True, "case")
    np.savez(case.folder / "outputs.npz", y=case.outputs["y"] + 1)
    (row,) = tilewright.check(str(tmp_path), on="interpreter")
    assert not row.passed
    assert "output 'y' is wrong, first at [0, 0, 0, 0]" in row.detail


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "hots"}, "did you mean 'host'"),
        ({"on": "hots"}, "nothing runs on 'hots'"),
        ({"input_shape": {"x": (1,)}}, "there is no option 'input_shape'\n(.|\n)*did you mean 'input_shapes'"),
        ({"bucket": 3}, "bucket is for networks with state"),
        ({"input_types": {"z": "ui8"}}, "z"),
    ],
)
def test_what_cannot_be_loaded(options: dict[str, Any], message: str, case: Saved):
    with pytest.raises(tilewright.Diagnostic, match=message):
        tilewright.load(case.folder / "network.onnx", **options)


def test_options_of_a_model_are_none_of_a_folder(case: Saved, tmp_path: Path):
    tilewright.compile(case.folder / "network.onnx", tmp_path / "out")
    with pytest.raises(tilewright.Diagnostic, match="a compiled folder runs as it is"):
        tilewright.load(tmp_path / "out", on="interpreter")
    with pytest.raises(tilewright.Diagnostic, match="a compiled folder runs as it is"):
        tilewright.load(tmp_path / "out", context=4)
    with pytest.raises(tilewright.Diagnostic, match=r"found: +on host, target"):
        tilewright.load(tmp_path / "out", "gemmini")


@pytest.mark.long
@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({7: np.zeros((1, 8))}, "an input is named by a str"),
        ({}, "not all inputs are given"),
        ({"z": [1]}, "the network has no input 'z'"),
        ({"x": ["a"]}, "an array holds no numbers"),
        ({"x": [[1, 2], [3]]}, "an input is no array"),
        ({"x": np.zeros((1, 2, 6, 7))}, "x"),
        ({"x": np.full((1, 2, 6, 6), 300)}, "300"),
    ],
)
def test_arrays_that_do_not_fit(inputs: dict[str, Any], message: str, case: Saved):
    network = tilewright.load(case.folder / "network.onnx", on="interpreter")
    with pytest.raises(tilewright.Diagnostic, match=message):
        network.run(inputs)


@pytest.mark.long
@pytest.mark.parametrize("on", ["interpreter", "host"])
def test_state_outlives_a_call(on: str, tmp_path: Path):
    spec = Attention()
    save(exported(spec, 3), tmp_path / "net.onnx")
    steps = inputs_of(spec, 4)
    expected = one_after_another(spec, steps)
    network = tilewright.load(tmp_path / "net.onnx", on=on, context=8)
    for _ in range(2):
        for step, wanted in zip(steps, expected, strict=True):
            (found,) = network.run(step).values()
            np.testing.assert_allclose(found, wanted, atol=1e-5)
        network.reset()


def test_importing_the_package_imports_nothing_large():
    code = (
        "import sys, tilewright; assert 'load' in dir(tilewright); tilewright.__version__;"
        "assert not {'xdsl', 'numpy', 'onnx', 'tilewright.api'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        tilewright.lode  # pyright: ignore


@pytest.mark.long
@pytest.mark.parametrize("shape", [np.array([1, 2, 6, 6]), (np.int64(1), 2, 6, 6), [1, 2, 6, 6]])
def test_shapes_are_of_any_integers(shape: Any, case: Saved):
    network = tilewright.load(case.folder / "network.onnx", on="interpreter", input_shapes={"x": shape})
    np.testing.assert_array_equal(network.run(case.inputs)["y"], case.outputs["y"])


def test_shapes_of_no_integers(case: Saved):
    with pytest.raises(tilewright.Diagnostic, match="a shape is not of integers"):
        tilewright.load(case.folder / "network.onnx", input_shapes={"x": (1.0, 2, 6, 6)})  # pyright: ignore[reportArgumentType]


@pytest.mark.long
@pytest.mark.parametrize("inputs", [None, "x", 3, np.ones(3)])
def test_inputs_that_are_no_mapping(inputs: Any, case: Saved):
    network = tilewright.load(case.folder / "network.onnx", on="interpreter")
    with pytest.raises(tilewright.Diagnostic, match="the inputs are no mapping"):
        network.run(inputs)


def test_a_check_at_no_place(case: Saved):
    with pytest.raises(tilewright.Diagnostic, match="a check needs a place to run"):
        tilewright.check(case.folder, on=[])


ZERO = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %a, %0 : i32
  func.return %1 : i32
}
"""


def test_passes_run_on_text():
    result = tilewright.opt(ZERO, "canonicalize,cse")
    assert "func.return %a" in result
    assert tilewright.opt(result, "builtin.module(func.func(cse))") == result
    with pytest.raises(tilewright.Diagnostic, match=r"<input>:3:\d+: error: .*%x(.|\n)*\^"):
        tilewright.opt(ZERO.replace("%a, %0", "%a, %x"), "cse")
    with pytest.raises(tilewright.Diagnostic, match="no pass 'csee'"):
        tilewright.opt(ZERO, "csee")
    absent = {"onnx", "tilewright.api"}
    code = f"import sys, tilewright; tilewright.opt({ZERO!r}, 'cse'); assert not {absent} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
