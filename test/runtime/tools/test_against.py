"""`tilewright check --against`: two executions of a network, the first node that differs, the wrong side, its pass."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright import cli
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import functions
from tilewright.passes.convert_layout import ConvertLayoutPass
from tilewright.passes.fuse_epilogues import FuseEpiloguesPass
from tilewright.runtime.prefixes import first_different
from tilewright.test.faults.changed_weights import plant_in
from tilewright.test.small_models import chain, save

pytestmark = pytest.mark.quick


@pytest.fixture
def floats(tmp_path: Path) -> Path:
    """A network in floats: a convolution without a name, and another one on a branch beside it."""
    numbers = np.random.RandomState(0)
    weights = [
        numpy_helper.from_array(numbers.randn(2, 2, 3, 3).astype(np.float32), name) for name in ("w0", "w1", "w2")
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c0"], ["r0"], name="relu"),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["r0", "w2"], ["c2"], name="beside", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c1", "c2"], ["y"], name="sum"),
    ]
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 5, 5]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", tensors[:1], tensors[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    save(model, tmp_path / "floats.onnx")
    return tmp_path / "floats.onnx"


@pytest.mark.parametrize("other", ["onnxruntime", "interpreter"])
def test_executions_that_are_equal(other: str, floats: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(floats.parent), "--on", "interpreter", "--against", other]) == 0
    assert capsys.readouterr().out == f"{floats}: equal: host on interpreter, against {other}\n"


@pytest.mark.parametrize(
    ("weights", "node"), [("w1", '"Conv_2" (onnx.Conv): its output '), ("w2", '"beside" (onnx.Conv): its output ')]
)
def test_the_node_and_the_pass_are_named(
    weights: str, node: str, floats: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_in(FuseEpiloguesPass, weights, monkeypatch)
    assert cli.main(["check", str(floats), "--on", "interpreter", "--against", "onnxruntime", "--seed", "3"]) == 1
    said = capsys.readouterr()
    assert said.out == f"{floats}: differs: host on interpreter, against onnxruntime\n"
    first, layer, side, guilty = said.err.splitlines()
    assert first.startswith(f"{floats}: output 'y' is wrong, first at [0, 0, 0, 0]: expected ")
    assert " ulp" in first
    assert layer.startswith(f"  note: the first layer that differs is node {node}")
    assert side.startswith("  note: host differs from the ONNX operators as the interpreter runs them: output 'y'")
    assert guilty == "  note: pass 'fuse-epilogues' of phase 'fused' is the first after which the interpreter differs"


@pytest.mark.nightly
def test_the_wrong_one_of_two_targets_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault is planted in a pass of one pipeline alone."""
    save(chain(), tmp_path / "network.onnx")
    plant_in(ConvertLayoutPass, "conv1", monkeypatch)  # the weights, transposed by the pass
    assert cli.main(["check", str(tmp_path), "--on", "interpreter", "--against", "siracusa"]) == 1
    notes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("  note: ")]
    assert 'node "conv1" (onnx.Conv)' in notes[0]
    assert notes[1].startswith("  note: siracusa differs from the ONNX operators")
    assert "pass 'convert-layout'" in notes[2]
    assert len(notes) == 3


def test_the_first_of_two_branches_is_found() -> None:
    """The search goes back to an operand that differs, where bisection meets another branch first."""
    text = """
func.func @network(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = arith.addf %x, %x : tensor<2xf32>
  %b = arith.mulf %x, %x : tensor<2xf32>
  %c = arith.mulf %b, %b : tensor<2xf32>
  %unused = arith.subf %x, %x : tensor<2xf32>
  %y = arith.addf %a, %c : tensor<2xf32>
  func.return %y : tensor<2xf32>
}"""
    (function,) = functions(parse_module(new_context(), text))
    for wrong, first in (({0, 4}, 0), ({1, 2, 4}, 1), ({2, 4}, 2), ({4}, 4)):
        difference = first_different(function, lambda position, wrong=wrong: "wrong" if position in wrong else "")
        assert difference is not None
        assert (difference.first, difference.last) == (first, first)
    assert first_different(function, lambda position: "wrong" if position == 3 else "") is None


USAGE = {
    "no other": (["--against", "hst"], "there is nothing to compare with: 'hst'", "did you mean 'host'?"),
    "itself": (["--against", "host"], "--against host is the target itself", "another target"),
    "two places": (["--against", "interpreter", "--on", "host", "--on", "rv32"], "--against compares one place", ""),
    "inputs alone": (["--inputs", "in.npz"], "--inputs and --seed are of use with --against only", ""),
    "a seed": (["--against", "interpreter", "--seed", "-1"], "a seed is an integer from 0", ""),
}


@pytest.mark.parametrize(("words", "message", "remedy"), USAGE.values(), ids=USAGE)
def test_wrong_commands(
    words: list[str], message: str, remedy: str, floats: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", str(floats), *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert remedy in said


def test_what_cannot_be_compared(tmp_path: Path, floats: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def error(*words: object) -> str:
        assert cli.main(["check", *map(str, words)]) in (1, 2)
        return capsys.readouterr().err

    assert "there is no such file or folder" in error(tmp_path / "absent.onnx", "--against", "interpreter")
    (tmp_path / "empty").mkdir()
    assert "there is nothing to compare" in error(tmp_path / "empty", "--against", "interpreter")
    (tmp_path / "f.mlir").write_text("func.func @network() {\n  func.return\n}")
    assert "--against onnxruntime is for ONNX files" in error(tmp_path / "f.mlir", "--against", "onnxruntime")
    save(chain(), tmp_path / "custom.onnx")
    said = error(tmp_path / "custom.onnx", "--on", "interpreter", "--against", "onnxruntime")
    assert f"{tmp_path / 'custom.onnx'}: error: ONNX Runtime refuses the model" in said
    assert "--against interpreter" in said
    np.savez(tmp_path / "in.npz", z=np.zeros(3, np.float32))
    said = error(floats, "--on", "interpreter", "--against", "interpreter", "--inputs", tmp_path / "in.npz")
    assert "expected:   x" in said
    assert "Traceback" not in said


def test_without_onnx_runtime(
    floats: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert cli.main(["check", str(floats), "--on", "interpreter", "--against", "onnxruntime"]) == 1
    assert "remedy:     pip install onnxruntime" in capsys.readouterr().err
