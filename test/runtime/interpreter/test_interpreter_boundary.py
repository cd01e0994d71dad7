"""What goes into a module and comes out of it, and what is refused."""

from typing import Any

import numpy as np
import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.runtime.interpreter.support import module, run

pytestmark = pytest.mark.quick

UNSIGNED = """func.func @network(%x: tensor<3xi8> {onnx.name = "in", onnx.type = "ui8"})
    -> (tensor<3xi8> {onnx.name = "out", onnx.type = "ui8"}) {
  %c = arith.constant dense<1> : tensor<3xi8>
  %y = arith.addi %x, %c : tensor<3xi8>
  func.return %y : tensor<3xi8> }"""

FLOATS = "func.func @network(%x: tensor<2xf32>) -> tensor<2xf32> { func.return %x : tensor<2xf32> }"


def test_a_declared_type_is_what_the_caller_sees():
    result = run_module(module(UNSIGNED), {"in": np.array([0, 200, 255])})
    assert list(result) == ["out"]
    assert result["out"].dtype == np.uint8
    assert result["out"].tolist() == [1, 201, 0]


@pytest.mark.parametrize(
    ("text", "inputs", "parts"),
    [
        (UNSIGNED, {"in": [0, 1, 256]}, ["input 'in'", "ui8", "256 at [2]"]),
        (UNSIGNED, {"in": [0, -1, 25]}, ["input 'in'", "-1 at [1]"]),
        (UNSIGNED, {"in": [0.5, 1, 2]}, ["input 'in'", "0.5 at [0]"]),
        (UNSIGNED, {"in": [0, 1]}, ["input 'in' has the wrong shape", "[3]", "[2]"]),
        (UNSIGNED, {}, ["input 'in' of 'network' is missing"]),
        (UNSIGNED, {"in": [0, 1, 2], "inn": [1]}, ["no input 'inn'", "did you mean 'in'?"]),
        (UNSIGNED, {"in": ["a", "b", "c"]}, ["not numeric"]),
        (FLOATS, {"arg0": [0.1, 0.5]}, ["input 'arg0'", "0.1 at [0]"]),
        (FLOATS, {"arg0": [1 + 2**53, 0]}, ["input 'arg0'"]),
        (
            "func.func @network(%x: tensor<1xi4>) { func.return }",
            {"arg0": [9]},
            ["input 'arg0'", "i4", "9 at [0]"],
        ),
        ("func.func @network(%x: tensor<?xi4>) { func.return }", {}, ["no static shape"]),
        ("func.func @other() { func.return }", {}, ["no 'network'"]),
    ],
)
def test_unfit_inputs_are_refused(text: str, inputs: dict[str, Any], parts: list[str]):
    with pytest.raises(Diagnostic) as error:
        run(text, **inputs)
    assert all(part in str(error.value) for part in parts), str(error.value)


def test_values_that_another_type_holds_exactly_are_taken():
    assert run(FLOATS, arg0=np.array([0.5, np.nan]))[0].tolist()[0] == 0.5
    assert run(FLOATS, arg0=np.array([3, -4], np.int64))[0].tolist() == [3.0, -4.0]


def test_outputs_of_buffers_are_allocated_and_inputs_kept():
    text = """func.func @network(%x: memref<2xi8>, %o: memref<2xi8> {onnx.name = "y", tilewright.output}) {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<2xi8>
      memref.store %v, %o[%c0] : memref<2xi8>
      memref.store %v, %x[%c0] : memref<2xi8>
      func.return }"""
    x = np.array([5, 6], np.int8)
    result = run_module(module(text), {"arg0": x})
    assert result["y"].tolist() == [5, 0]
    assert x.tolist() == [5, 6]


def test_random_inputs_are_the_same_at_every_level():
    tensors = random_inputs(module(UNSIGNED), 5)
    memrefs = random_inputs(
        module("""func.func @network(%x: memref<3xi8> {onnx.name = "in", onnx.type = "ui8"},
                 %o: memref<3xi8> {tilewright.output}) { func.return }"""),
        5,
    )
    assert list(tensors) == list(memrefs) == ["in"]
    assert tensors["in"].dtype == np.uint8
    assert np.array_equal(tensors["in"], memrefs["in"])
    assert not np.array_equal(tensors["in"], random_inputs(module(UNSIGNED), 6)["in"])


@pytest.mark.parametrize(
    ("element", "low", "high"),
    [("i8", -128, 127), ("i4", -8, 7), ("i32", -128, 127), ("f32", -8, 7), ("i1", 0, 1), ("ui8", 0, 255)],
)
def test_the_ranges_of_random_inputs(element: str, low: int, high: int):
    text = f"func.func @network(%x: tensor<5000x{element}>) {{ func.return }}"
    values = random_inputs(module(text), 0)["arg0"].astype(np.int64)
    assert (values.min(), values.max()) == (low, high)


def test_an_op_without_rule_is_named():
    text = 'func.func @network() {\n  "gpu.barrier"() : () -> ()\n  func.return }'
    with pytest.raises(Diagnostic, match=r"no interpreter rule for 'gpu\.barrier'") as error:
        run(text)
    assert error.value.where.startswith("test.mlir:2")


def test_an_op_in_a_kernel_without_rule_is_named():
    text = """func.func @network(%x: tensor<2xi8>) -> tensor<2xi8> {
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%x : tensor<2xi8>) {
        ^bb0(%v: i8):
          "gpu.barrier"() : () -> ()
          linalg.yield %v : i8
      } -> tensor<2xi8>
      func.return %y : tensor<2xi8> }"""
    with pytest.raises(Diagnostic, match=r"'gpu\.barrier' in the body of a kernel"):
        run(text, arg0=[1, 2])


def test_endless_recursion_is_reported():
    with pytest.raises(Diagnostic, match="nest deeper than 64"):
        run("func.func @network() {\n  func.call @network() : () -> ()\n  func.return }")


def test_a_function_without_body_is_reported():
    text = """func.func private @far()
    func.func @network() {
      func.call @far() : () -> ()
      func.return }"""
    with pytest.raises(Diagnostic, match="no body"):
        run(text)


def test_two_inputs_of_one_name_are_refused():
    text = (
        """func.func @network(%a: tensor<1xi8> {onnx.name = "x"}, %b: tensor<1xi8> {onnx.name = "x"}) { func.return }"""
    )
    with pytest.raises(Diagnostic, match="two arguments or results are named 'x'"):
        run(text, x=[1])
