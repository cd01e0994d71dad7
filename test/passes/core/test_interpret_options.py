"""Functions, inputs and memory that `--interpret-each` compares, and the errors where nothing is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import opt_tool
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.driver import references
from tilewright.runtime.driver.interpret import InterpretEach
from tilewright.test.passes.core.replaced_programs import replace

pytestmark = pytest.mark.quick

TWO = """
func.func @first(%a: i32) -> i32 {
  func.return %a : i32
}
func.func @second(%a: i32) -> i32 {
  %r = arith.addi %a, %a : i32
  func.return %r : i32
}
func.func private @helper(%a: i32) -> i32 {
  func.return %a : i32
}"""
WRONG = TWO.replace("arith.addi", "arith.muli")
STATE = """
memref.global "private" @state : memref<1xi32> = uninitialized
func.func @set(%a: i32) {
  %c0 = arith.constant 0 : index
  %m = memref.get_global @state : memref<1xi32>
  memref.store %a, %m[%c0] : memref<1xi32>
  func.return
}
func.func @get() -> i32 {
  %c0 = arith.constant 0 : index
  %m = memref.get_global @state : memref<1xi32>
  %r = memref.load %m[%c0] : memref<1xi32>
  func.return %r : i32
}"""


def test_the_only_public_function_runs():
    one = TWO.replace("@first", "private @first")
    replace(one, one)
    with pytest.raises(Diagnostic, match="the answer changes"):
        replace(one, one.replace("arith.addi", "arith.muli"))


def test_functions_are_named():
    for functions in (["second"], ["first", "second"], ["helper", "second"]):
        replace(TWO, TWO, observer=InterpretEach(functions=functions, runs=4))
        with pytest.raises(Diagnostic, match=r"the answer changes: output '(second\.)?result0'"):
            replace(TWO, WRONG, observer=InterpretEach(functions=functions, runs=4))
    replace(TWO, WRONG, observer=InterpretEach(functions=["first"], runs=4))


@pytest.mark.parametrize(
    ("functions", "text", "message", "remedy"),
    [
        ([], TWO, "the function to run is not known", "name it with --interpret-function=NAME, repeatable"),
        (["secnd"], TWO, "the module has no function 'secnd' with a body", "did you mean 'second'?"),
        ([], "func.func private @f(i32) -> i32", "the module has no public function to run", "give a module with a"),
        (["f"], "func.func private @f(i32) -> i32", "the module has no function 'f' with a body", "name another one"),
    ],
)
def test_functions_that_cannot_be_chosen(functions: list[str], text: str, message: str, remedy: str):
    with pytest.raises(Diagnostic) as caught:
        replace(text, text, observer=InterpretEach(functions=functions, runs=4))
    assert caught.value.message == message
    assert caught.value.remedy.startswith(remedy)


def test_functions_share_memory():
    """A store that only another function reads is found by the two in a row."""
    both = InterpretEach(functions=["set", "get"], runs=4)
    replace(STATE, STATE, observer=both)
    dropped = STATE.replace("  memref.store %a, %m[%c0] : memref<1xi32>\n", "")
    with pytest.raises(Diagnostic, match="the answer changes"):
        replace(STATE, dropped, observer=InterpretEach(functions=["set", "get"], runs=4))
    with pytest.raises(Diagnostic, match="the answer changes: memory '@state'"):
        replace(STATE, dropped, observer=InterpretEach(functions=["set"], runs=4))


NOTHING = {
    "no effect": "func.func @network(%a: i32) {\n  %r = arith.addi %a, %a : i32\n  func.return\n}",
    "memory that is only read": (
        "func.func @network(%a: memref<i32>) {\n  %r = memref.load %a[] : memref<i32>\n  func.return\n}"
    ),
    "memory of its own": (
        "func.func @network(%a: i32) {\n  %m = memref.alloc() : memref<i32>\n"
        "  memref.store %a, %m[] : memref<i32>\n  func.return\n}"
    ),
    "an empty result": "func.func @network(%a: tensor<0xi32>) -> tensor<0xi32> {\n  func.return %a : tensor<0xi32>\n}",
    "an output that is not written": "func.func @network(%a: memref<2xi32> {tilewright.output}) {\n  func.return\n}",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_nothing_to_compare(text: str):
    with pytest.raises(Diagnostic, match="nothing to compare: @network returns nothing") as caught:
        replace(text, text)
    assert caught.value.where.startswith("<input>:1:1")
    assert "--interpret-function" in caught.value.remedy


def test_no_pass_to_check():
    with pytest.raises(Diagnostic, match="there is no pass to check"):
        replace(TWO)


DIVIDE = "func.func @network(%a: i32, %b: i32) -> i32 {\n  %r = arith.divsi %a, %b : i32\n  func.return %r : i32\n}"
LOOP = """
func.func @network(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  func.return %r : index
}"""
INDEX = """
func.func @network(%n: index, %t: memref<8xi32>) -> i32 {
  %r = memref.load %t[%n] : memref<8xi32>
  func.return %r : i32
}"""
SIZE = """
func.func @network(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xi32>
  %r = memref.dim %m, %c0 : memref<?xi32>
  func.return %r : index
}"""


@pytest.mark.parametrize("text", [DIVIDE, LOOP, INDEX, SIZE], ids=["traps", "loops", "indices", "sizes"])
def test_inputs_on_which_a_program_is_undefined_are_skipped(text: str, capsys: pytest.CaptureFixture[str]):
    replace(text, text)
    said = capsys.readouterr().err
    skipped, total = (int(word) for word in said.split() if word.isdecimal())
    assert 0 < skipped < total
    assert said.startswith(f"--interpret-each: {skipped} of {total} inputs skipped: ")


def test_a_program_that_is_always_undefined():
    zero = DIVIDE.replace("%r =", "%z = arith.constant 0 : i32\n  %r =").replace("%a, %b : i32", "%a, %z : i32")
    with pytest.raises(Diagnostic, match=r"does not run before the first pass: 'arith\.divsi' is undefined") as caught:
        replace(zero, zero)
    assert caught.value.notes == ["all 64 inputs are skipped; the error is that of the first"]
    assert "--inputs=FILE.npz" in caught.value.remedy


def test_a_program_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(references, "_MOST_STEPS", 20_000)
    monkeypatch.setattr(references, "_STEPS", 10_000)
    text = "func.func @network(%a: i32) -> i32 {\n  cf.br ^again\n^again:\n  cf.br ^again\n}"
    with pytest.raises(Diagnostic, match=r"before the first pass: the program does not end within [\d,]+ steps"):
        replace(text, text)


def test_the_number_of_runs():
    """The neighbour of a constant of the program is among 64 inputs, not among 2."""
    body = "%c = arith.constant 77777 : i32\n  %r = arith.cmpi sgt, %a, %c : i32"
    before = f"func.func @network(%a: i32) -> i1 {{\n  {body}\n  func.return %r : i1\n}}"
    after = before.replace("sgt", "sge")
    with pytest.raises(Diagnostic, match="the answer changes") as caught:
        replace(before, after)
    assert caught.value.notes[0] == "inputs: arg0 = 77777"
    replace(before, after, observer=InterpretEach(runs=2))


def test_several_functions_have_no_inputs_of_a_file(tmp_path: Path):
    np.savez(tmp_path / "in.npz", a=np.int32(3))
    replace(TWO, TWO, observer=InterpretEach(tmp_path / "in.npz", functions=["second"]))
    with pytest.raises(Diagnostic, match="--inputs are those of one function"):
        replace(TWO, TWO, observer=InterpretEach(tmp_path / "in.npz", functions=["first", "second"]))


def test_options_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, reproducer = tmp_path / "f.mlir", tmp_path / "r.mlir"
    file.write_text(TWO)
    words = [str(file), "-p", "cse", "--interpret-each", "--interpret-function=second", "--interpret-runs=3"]
    assert opt_tool.main([*words, "-o", str(tmp_path / "out.mlir")]) == 0
    assert opt_tool.main([*words, "--interpret-function=absent", f"--reproducer={reproducer}"]) == 1
    assert "the module has no function 'absent' with a body" in capsys.readouterr().err
    for option in ("--interpret-function=second", "--interpret-runs=3"):
        assert opt_tool.main([str(file), "-p", "cse", option]) == 2
        expected = f"{option.partition('=')[0]} is of use with --interpret-each and --bisect-numerics only"
        assert expected in capsys.readouterr().err
    assert opt_tool.main([*words, "--interpret-runs=0"]) == 2
    assert "expected a number above 0, found '0'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["main", "step", "exp", '"a.b"', "_private", "UPPER"])
def test_functions_are_found_in_c(name: str):
    """C allows other names than the IR: `main` is `main__run` there, `a.b` `a_b_run`. An index has 32 bits."""
    text = f"func.func @{name}(%m: memref<4xi32>, %n: memref<4xi32>, %i: index) {{\n  BODY\n  func.return\n}}"
    text = text.replace("BODY", "memref.copy %m, %n : memref<4xi32> to memref<4xi32>")
    pipeline = parse_pipeline("builtin.module(convert-to-emitc,name-network{prefix=own})", all_passes())
    observer = InterpretEach(runs=9)
    PassManager([observer]).run(parse_module(new_context(), text), pipeline, new_context())


def test_outputs_in_memory_and_results_have_names_of_their_own():
    text = """
func.func @network(%x: i32, %y: memref<1xi32> {tilewright.output}) -> i32 {
  %c0 = arith.constant 0 : index
  %s = arith.addi %x, %x : i32
  memref.store %s, %y[%c0] : memref<1xi32>
  %t = arith.ori %x, %s : i32
  func.return %t : i32
}"""
    replace(text, text)
    for op, output in (("addi", "result0"), ("ori", "result1")):
        with pytest.raises(Diagnostic, match=f"the answer changes: output '{output}'"):
            replace(text, text.replace(f"arith.{op}", "arith.muli"))
