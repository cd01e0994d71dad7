from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.driver.answers import compare
from tilewright.runtime.driver.interpret import InterpretEach
from tilewright.runtime.inputs import load_arrays, matched_inputs
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.core.replaced_programs import replace

pytestmark = pytest.mark.quick


PROGRAM = """
func.func @network(%x: tensor<2x3xi64> {onnx.name = "x"}) -> (tensor<2x3xi64> {onnx.name = "y"}) {
  %c = arith.constant dense<CONSTANT> : tensor<2x3xi64>
  %e = tensor.empty() : tensor<2x3xi64>
  %y = linalg.add ins(%x, %c : tensor<2x3xi64>, tensor<2x3xi64>) outs(%e : tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return %y : tensor<2x3xi64>
}"""


def run(*constants: int, inputs: Path | None = None) -> None:
    texts = [PROGRAM.replace("CONSTANT", str(constant)) for constant in (1, *constants)]
    replace(*texts, observer=InterpretEach(inputs, seed=3))


def test_passes_that_keep_the_answer():
    run(1, 1)


def test_the_guilty_pass_is_named():
    with pytest.raises(Diagnostic) as caught:
        run(1, 2, 3)
    assert caught.value.stage == "replace, pass 2 of 3"
    assert caught.value.message == "the answer changes: output 'y', first at y[0, 0], 6 of 6 values differ"
    numbers = [int(text.split()[0]) for text in (caught.value.expected, caught.value.found)]
    assert numbers[1] - numbers[0] == 1
    assert caught.value.notes[0].startswith(f"inputs: x = {numbers[0] - 1}, ")


def test_a_program_that_no_longer_runs():
    text = "func.func @network(%x: i32) -> i32 {\n  BODY\n  func.return %y : i32\n}\nfunc.func private @f(i32) -> i32"
    call = "%y = func.call @f(%x) : (i32) -> i32"
    with pytest.raises(Diagnostic, match="the program does not run after the pass: 'f' has no body to run"):
        replace(text.replace("BODY", "%y = arith.addi %x, %x : i32"), text.replace("BODY", call))


def test_inputs_come_from_a_file(tmp_path: Path):
    np.savez(tmp_path / "in.npz", x=np.full((2, 3), 40))
    with pytest.raises(Diagnostic) as caught:
        run(2, inputs=tmp_path / "in.npz")
    assert caught.value.expected == "41 (int64)"


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_inputs_that_cannot_be_read(tmp_path: Path, content: bytes | None):
    file = tmp_path / "in.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Diagnostic, match="the arrays cannot be read") as caught:
        run(1, inputs=file)
    assert caught.value.source == str(file)


NARROWED = """func.func @network(%x: tensor<{count}xi32> {{onnx.type = "{kind}"}}) -> tensor<{count}xi64> {{
  %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} ins(%x : tensor<{count}xi32>) outs(%e : tensor<{count}xi64>) {{
    ^bb0(%a: i32, %b: i64):
      {body}
      linalg.yield %r : i64
  }} -> tensor<{count}xi64>
  func.return %y : tensor<{count}xi64>
}}"""


def replaced(kind: str, before: str, after: str, count: int = 1) -> None:
    """Run a program of one op on each integer of 32 bits, then one of another op, on the interpreter's own inputs."""
    head = "%e = tensor.empty() : tensor<{count}xi64>\n  %y = "
    texts = [NARROWED.replace("%y = ", head, 1).format(count=count, kind=kind, body=body) for body in (before, after)]
    replace(*texts)


SIGNED, UNSIGNED = "%r = arith.extsi %a : i32 to i64", "%r = arith.extui %a : i32 to i64"
NARROW = "%n = arith.trunci %a : i32 to i{0}\n %r = arith.ext{1} %n : i{0} to i64"


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("ui32", UNSIGNED, SIGNED),
        ("i32", SIGNED, UNSIGNED),
        *(("i32", SIGNED, NARROW.format(width, "si")) for width in (8, 16)),
        *(("ui32", UNSIGNED, NARROW.format(width, "ui")) for width in (8, 16)),
    ],
)
def test_faults_of_signs_and_widths_are_found(kind: str, before: str, after: str):
    replaced(kind, before, before, 64)
    with pytest.raises(Diagnostic, match="the answer changes"):
        replaced(kind, before, after, 64)


def test_numbers_that_a_program_refuses_are_no_inputs_of_it():
    """The index of a table is drawn small enough where it can be; the other input still has wide numbers."""
    text = """func.func @network(%i: i32, %x: i32, %t: memref<128xi8>) -> {type} {{
      %a = arith.andi %i, %i : i32
      %z = arith.constant 0 : i32
      %m = arith.maxsi %a, %z : i32
      %n = arith.index_cast %m : i32 to index
      %v = memref.load %t[%n] : memref<128xi8>
      {body}
      func.return %r : {type}
    }}"""
    kept, broken = "%r = arith.addi %x, %z : i32", "%s = arith.trunci %x : i32 to i8\n %r = arith.extsi %s : i8 to i32"
    with pytest.raises(Diagnostic, match="the answer changes"):
        replace(text.format(type="i32", body=kept), text.format(type="i32", body=broken))


def test_arrays_are_named_as_values_or_ordered(tmp_path: Path):
    body = "%r = arith.subi %left, %right : i32\n func.return %r : i32"
    text = f"func.func @network(%left: i32, %right: i32) -> i32 {{\n {body}\n}}"
    file = tmp_path / "in.npz"
    for arrays in ({"right": 1, "left": 5}, {"arg1": 1, "arg0": 5}, {"arr_0": 5, "arr_1": 1}):
        np.savez(file, allow_pickle=False, **{name: np.array(value) for name, value in arrays.items()})
        module = parse_module(new_context(), text)
        assert run_module(module, matched_inputs(module, load_arrays(file), file))["result0"] == 4
    for arrays in ({"lft": 5, "right": 1}, {"left": 5, "right": 1, "more": 0}, {"left": 5}, {"left": 5, "arg0": 5}):
        np.savez(file, allow_pickle=False, **{name: np.array(value) for name, value in arrays.items()})
        with pytest.raises(Diagnostic) as caught:
            replace(text, text, observer=InterpretEach(file))
        assert caught.value.source == str(file)


@pytest.mark.parametrize(
    ("expected", "found", "equal"),
    [
        (np.array([1, 2]), np.array([1, 2], np.int8), True),
        (np.array([1.0, 2.0], np.float32), np.array([1, 2], np.int8), True),
        (np.array([20000.0]), np.array([20001.0]), False),
        (np.array([0.5, 20000.0]), np.array([0.5, 20001.0]), True),
        (np.array([0.5]), np.array([0.5001]), False),
        (np.array([0.5]), np.array([0.50001]), True),
        (np.array([np.inf, np.nan, -np.inf]), np.array([np.inf, np.nan, -np.inf]), True),
        (np.array([np.inf]), np.array([-np.inf]), False),
        (np.array([np.nan]), np.array([0.0]), False),
        (np.array([True]), np.array([1.0]), True),
        (np.array(3), np.array(4), False),
        (np.array([0.0, 1.0]), np.array([-0.0, 1.0]), False),
        (np.array([-0.0, 0.5]), np.array([0.0, 0.5]), False),
        (np.array([-0.0, 0.5]), np.array([-0.0, 0.5]), True),
        (np.array([-0.0, 0.5]), np.array([1e-6, 0.5]), True),
        (np.array([np.nan, 0.5]), np.array([np.inf, 0.5]), False),
        (np.array([np.finfo(np.float32).max, 0.5]), np.array([np.inf, 0.5]), False),
        (np.zeros((1, 2)), np.zeros(2), False),
        (np.zeros((0, 2)), np.zeros((0, 2)), True),
        (np.array([-1], np.int8), np.array([255], np.uint8), False),
    ],
)
def test_comparison(expected: Array, found: Array, equal: bool):
    assert (compare({"y": expected}, {"y": found}) is None) is equal


def test_the_first_difference_is_shown():
    difference = compare({"y": np.array([[1, 2], [3, 4]])}, {"y": np.array([[1, 2], [5, 6]])})
    assert difference is not None
    assert "first at y[1, 0], 2 of 4 values differ" in difference.message


def test_outputs_that_appear_and_vanish():
    one, two = {"y": np.zeros(1)}, {"y": np.zeros(1), "z": np.zeros(1)}
    gone, new = compare(two, one), compare(one, two)
    assert gone is not None
    assert new is not None
    assert (gone.message, new.message) == ("the output 'z' is gone", "there is a new output 'z'")
