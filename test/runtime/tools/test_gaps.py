"""What `tilewright import --report` finds, and what the command prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright.cli import main
from tilewright.compiler import Model
from tilewright.runtime.tools.gaps import import_gaps, target_gaps

F32 = TensorProto.FLOAT


def write(folder: Path, nodes: list[Any], inputs: dict[str, list[Any]], output: int = F32) -> Path:
    ports = [helper.make_tensor_value_info(name, F32, shape) for name, shape in inputs.items()]
    graph = helper.make_graph(nodes, "net", ports, [helper.make_tensor_value_info("y", output, None)])
    path = folder / "net.onnx"
    path.write_bytes(finished(graph).SerializeToString())
    return path


def finished(graph: Any) -> ModelProto:
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def test_all_gaps_of_an_import_at_once(tmp_path: Path):
    nodes = [
        helper.make_node("Foo", ["x"], ["a"], name="first"),
        helper.make_node("Bar", ["z"], ["b"], name="second", domain="com.example"),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    path = write(tmp_path, nodes, {"x": ["n", 3], "z": [1, None]}, TensorProto.STRING)
    gaps, module = import_gaps(Model(path))
    assert module is None
    text = "\n".join(f"{gap.places[0]}: {gap.what}: {gap.remedy}" for gap in gaps)
    assert 'node "first": Foo is unknown' in text
    assert 'node "second": Bar of the domain com.example is unknown' in text
    assert 'input "x": open dimensions: n,3: give the shape: --input-shape x=1,3' in text
    assert 'input "z": open dimensions: 1,?' in text
    assert 'tensor "y": the element type STRING is not handled' in text


def test_gaps_of_a_target(tmp_path: Path):
    nodes = [
        helper.make_node("Det", ["x"], ["a"], name="first"),
        helper.make_node("Add", ["a", "x"], ["b"], name="fine"),
        helper.make_node("Det", ["b"], ["y"], name="last"),
    ]
    gaps, module = import_gaps(Model(write(tmp_path, nodes, {"x": [3, 3]})))
    assert not gaps
    assert module is not None
    (gap,) = target_gaps(module, "host")
    assert gap.places == ('node "first"', 'node "last"')


def test_the_report_of_a_network_without_gaps(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = write(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], {"x": [2, 3]})
    assert main(["import", str(path), "--report", "--target", "host"]) == 0
    assert capsys.readouterr().out == "host: all 1 nodes can be compiled\n"


def test_the_command_writes_ir(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = write(tmp_path, [helper.make_node("Reshape", ["x", "s"], ["y"])], {"x": [2, 3], "s": [2]})
    assert main(["import", str(path)]) == 1
    path = write(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], {"x": ["n"]})
    assert main(["import", str(path), "--input-shape", "x=7", "-o", str(tmp_path / "net.mlir")]) == 0
    assert "onnx.Relu(%x) : (tensor<7xf32>)" in (tmp_path / "net.mlir").read_text()
    assert capsys.readouterr().out == ""


def test_values_of_inputs_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ports = [
        helper.make_tensor_value_info("x", F32, [2, 3]),
        helper.make_tensor_value_info("s", TensorProto.INT64, [2]),
    ]
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "s"], ["y"])], "net", ports, [helper.make_tensor_value_info("y", F32, None)]
    )
    (tmp_path / "net.onnx").write_bytes(finished(graph).SerializeToString())
    assert main(["import", str(tmp_path / "net.onnx"), "--input-value", "s=3,2"]) == 0
    assert "tensor<3x2xf32>" in capsys.readouterr().out
    assert main(["import", str(tmp_path / "net.onnx"), "--input-value", "s=3,two"]) == 1
    assert "the value given for an input is not a list of numbers" in capsys.readouterr().err


def test_a_file_that_is_no_model_is_an_error_and_no_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "net.onnx"
    path.write_bytes(b"no model at all")
    assert main(["import", str(path), "--report"]) == 1
    assert main(["import", str(tmp_path / "none.onnx"), "--report"]) == 1
    told = capsys.readouterr()
    assert not told.out
    assert "not an ONNX model" in told.err
    assert "cannot be read" in told.err
