"""`opt-tool --reduce`: what is kept, what is written, and what is refused; planted_bugs.py has the long cases."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.opt_tool import main
from tilewright.passes import all_passes
from tilewright.runtime.driver.driver import Registries
from tilewright.runtime.driver.reduce import functions, operands, ops, types
from tilewright.runtime.driver.reduce.case import ReductionCase
from tilewright.runtime.driver.reduce.search import Edit
from tilewright.runtime.driver.reduce.signature import normalised, signature_of
from tilewright.test.opt_tool.planted_bugs import BUGS, Bug, figures, reduced, registry

pytestmark = pytest.mark.quick

TEXT = """\
func.func @other() {
  func.return
}
func.func @network(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %a = arith.addi %x, %c1 : i32
  %b = arith.muli %a, %a : i32
  %c = arith.subi %b, %a : i32
  %d = arith.xori %c, %b : i32
  func.return %d : i32
}
"""
SMALLEST = """\
builtin.module {
  func.func @network(%x: i32) {
    %c = arith.subi %x, %x : i32
    func.return
  }
}
"""


def _crash(op: arith.SubiOp) -> None:
    raise KeyError(op.name)


def _refuse(op: arith.SubiOp) -> None:
    count = len(list(op.parent.ops)) if op.parent else 0
    raise Diagnostic(f"the value '{op.result.name_hint}' is one of {count}")


def _hang(_: arith.SubiOp) -> None:
    while True:
        time.sleep(0.01)


def _abort(_: arith.SubiOp) -> None:
    os.kill(os.getpid(), signal.SIGABRT)


def _swap(op: arith.SubiOp) -> None:
    op.operands = [op.rhs, op.lhs]


def _cross_dominance(op: arith.SubiOp) -> None:
    op.operands = [op.result, op.rhs]


def registered(act: Callable[[arith.SubiOp], None]) -> Registries:
    """Return the passes and one, `bad`, that acts on each subtraction."""

    @dataclass(frozen=True)
    class BadPass(ModulePass):
        name = "bad"
        size: int = 4

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            for inner in list(op.walk()):
                if isinstance(inner, arith.SubiOp):
                    act(inner)

    return Registries(passes=all_passes() | {"bad": lambda: BadPass})


@dataclass
class Tool:
    """Runs opt-tool in this process; `out` and `err` are what it printed last."""

    capture: pytest.CaptureFixture[str]
    file: Path
    registries: Registries | None = None
    out: str = ""
    err: str = ""

    def __call__(self, *words: str | Path, text: str = TEXT) -> int:
        self.file.write_text(text, encoding="utf-8")
        code = main([str(self.file), *map(str, words)], self.registries)
        self.out, self.err = self.capture.readouterr()
        return code


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Tool:
    return Tool(capsys, tmp_path / "in.mlir", registered(_crash))


@pytest.mark.parametrize(
    ("act", "words", "shown"),
    [
        (_crash, [], "error: [bad] internal error in pass 'bad': KeyError: 'arith.subi'"),
        (_refuse, [], "error: [bad] the value 'c' is one of 6"),
        (_cross_dominance, [], "error: [bad] operand 0 of 'arith.subi' does not dominate its use"),
        (_abort, [], "error: the run was ended by SIGABRT"),
    ],
)
def test_the_same_failure_is_kept(tool: Tool, act: Callable[[arith.SubiOp], None], words: list[str], shown: str):
    tool.registries = registered(act)
    assert tool("-p", "canonicalize,func.func(cse,bad{size=8}),cse", "--reduce", *words) == 0
    first, comment, rest = tool.out.split("\n", 2)
    assert first == "// RUN: opt-tool %s --pass-pipeline='builtin.module(bad)'"
    assert comment == f"// {shown}"
    assert rest == SMALLEST
    assert tool.err.startswith(f"--reduce keeps: {shown}\nreduced 9 ops, 4 passes to 3 ops, 1 passes in ")
    again = tool.out
    assert tool("--run-reproducer", "--reduce", text=again) == 0
    assert tool.out.split("\n", 2)[2] == SMALLEST
    if act is not _abort:
        assert tool("--run-reproducer", text=again) == 1


def test_another_failure_is_not_kept(tool: Tool):
    def either(op: arith.SubiOp) -> None:
        others = list(op.parent.ops) if op.parent else []
        raise KeyError if any(isinstance(other, arith.MuliOp) for other in others) else ValueError

    tool.registries = registered(either)
    assert tool("-p", "cse,bad", "--reduce") == 0
    assert "internal error in pass 'bad': KeyError" in tool.out
    assert "arith.muli %x, %x" in tool.out
    assert figures(tool.err)["ops after"] == 4


def test_a_hang_is_kept(tool: Tool):
    tool.registries = registered(_hang)
    text = "func.func @f(%a: i32) {\n  %b = arith.subi %a, %a : i32\n  func.return\n}"
    assert tool("-p", "bad,cse", "--reduce", "--reduce-timeout=1", text=text) == 0
    assert "// the run does not end within 1 s (--reduce-timeout)" in tool.out
    assert "builtin.module(bad)" in tool.out


def test_a_wrong_answer_is_kept(tool: Tool):
    tool.registries = registered(_swap)
    assert tool("-p", "cse,bad", "--interpret-each", "--reduce") == 0
    assert "--interpret-each --seed=0" in tool.out
    assert "error: [bad] the answer changes" in tool.out
    assert figures(tool.err)["ops after"] == 3
    again = tool.out
    assert tool("--run-reproducer", text=again) == 1
    assert "[bad, pass 1 of 1] the answer changes" in tool.err


def test_a_predicate_is_kept(tool: Tool):
    command = "opt_tool=1; grep -q 'arith.xori' {} && ! grep -q nothing {}"
    assert tool("-p", "cse", "--reduce", f"--reduce-predicate={command}") == 0
    assert tool.out.startswith(
        "// RUN: opt-tool %s\nbuiltin.module {\n  func.func @network(%x: i32) {\n    %d = arith.xori"
    )
    assert tool("-p", "dce,cse", "--reduce", "--reduce-predicate=grep -q cse {}") == 0
    assert tool.out == "// RUN: opt-tool %s --pass-pipeline='builtin.module(cse)'\nbuiltin.module {\n}\n"


def test_input_that_does_not_verify(tool: Tool):
    text = "func.func @f(%a: i32) -> i32 {\n%b = arith.constant 1 : i32\n%c = arith.constant 1 : i32\nfunc.return\n}"
    assert tool("-p", "cse", "--reduce", text=text) == 0
    assert "builtin.module(" not in tool.out
    assert figures(tool.err)["ops after"] == 2


def test_files_that_are_written(tool: Tool, tmp_path: Path):
    one, other = tmp_path / "one.mlir", tmp_path / "other.mlir"
    assert tool("-p", "bad", "--reduce", "-o", one, "--reproducer", other) == 0
    assert tool.out == ""
    assert one.read_text() == other.read_text()
    assert one.read_text().endswith(SMALLEST)


def test_an_interrupt_leaves_the_smallest_so_far(tool: Tool, tmp_path: Path):
    calls: list[int] = []

    def interrupted(op: arith.SubiOp) -> None:
        calls.append(1)
        if len(calls) > 5:
            raise KeyboardInterrupt
        _crash(op)

    tool.registries = registered(interrupted)
    assert tool("-p", "cse,bad", "--reduce", "-o", tmp_path / "small.mlir") == 130
    assert "interrupted" in tool.err
    tool.registries = registered(_crash)
    assert tool("--run-reproducer", text=(tmp_path / "small.mlir").read_text()) == 1
    assert figures_of_text(tmp_path / "small.mlir") < 9


def figures_of_text(file: Path) -> int:
    """Return the number of ops of a file."""
    return ReductionCase(parse_module(new_context(), file.read_text()), ()).op_count


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["-p", "cse", "--reduce"], TEXT, "the invocation does not fail: there is nothing to reduce"),
        (["-p", "cse", "--reduce", "--reduce-predicate=false {}"], TEXT, "the predicate does not hold on the input"),
        (["-p", "cse", "--reduce", "--reduce-predicate=no-such-command {}"], TEXT, "exit status 127"),
        (["-p", "cse", "--reduce", "--reduce-predicate=true"], TEXT, "does not name the file"),
        (
            ["-p", "cse", "--reduce", "--reduce-predicate=sleep 9; true {}", "--reduce-timeout=1"],
            TEXT,
            "does not end on the",
        ),
        (["-p", "cse", "--reduce-timeout=3"], TEXT, "--reduce-timeout is of use with --reduce only"),
        (["-p", "bad", "--reduce", "--split-input-file"], TEXT, "--reduce and --split-input-file are given together"),
        (["-p", "bad", "--reduce"], " \n", "the input is empty"),
        (["-p", "bad", "--reduce"], "func.func @f(", "in.mlir:1:14: error: "),
        (["--run-reproducer", "--reduce"], TEXT, "the file holds no command to run again"),
        (["--run-reproducer", "--reduce"], f"// RUN: opt-tool %s -p was-a-pass\n{TEXT}", "no pass 'was-a-pass'"),
        (["--run-reproducer", "--reduce"], f"// RUN: opt-tool %s -p bad{{old=3}}\n{TEXT}", "old"),
        (["--run-reproducer", "--reduce"], f"// RUN: opt-tool %s -p bad --was-an-option\n{TEXT}", "--was-an-option"),
        (["-p", "bad", "--reduce", "-o", "no-such-folder/small.mlir"], TEXT, "the file cannot be written"),
    ],
)
def test_refused(tool: Tool, words: list[str], text: str, expected: str):
    assert tool(*words, text=text) in (1, 2)
    assert expected in tool.err
    assert "error: " in tool.err
    assert "Traceback" not in tool.err
    assert tool.out == ""


def test_signatures():
    message = "'onnx.Conv' has 3 axes, the input 'x' 2: tensor<1x2xi8> and [1, 2, 3]"
    assert normalised(message) == "'onnx.Conv' has 0 axes, the input '_' 0: tensor<> and [0]"
    assert normalised("%c12 is f16") == normalised("%x is f32")
    assert signature_of(Diagnostic("2 axes", stage="cse, pass 2 of 3")) == signature_of(
        Diagnostic("13 axes", stage="cse, pass 1 of 1")
    )
    assert signature_of(Diagnostic("2 axes", stage="cse")) != signature_of(Diagnostic("2 axes", stage="dce"))


def edited(edits: Callable[[ReductionCase], list[Edit]], text: str) -> str:
    """Return a module with all edits of a rule applied, from the last."""
    case = ReductionCase(parse_module(new_context(), text), ())
    for edit in reversed(edits(case)):
        edit()
    return print_ir(case.module)


LOOP = """\
func.func @f(%x: memref<4x8xi32>, %n: index, %v: i32) -> i32 {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%s = %v, %t = %v) -> (i32, i32) {
    %a = arith.addi %s, %t : i32
    scf.yield %a, %t : i32, i32
  }
  func.return %r#0 : i32
}
"""
BRANCHES = """\
func.func @f(%c: i1, %v: i32) -> i32 {
  cf.cond_br %c, ^a(%v : i32), ^b
^a(%w: i32):
  func.return %w : i32
^b:
  func.return %v : i32
}
"""


def test_regions_blocks_and_carried_values():
    assert "scf.for" not in edited(ops.inlined_regions, LOOP)
    assert "arith.addi %v, %v" in edited(ops.inlined_regions, LOOP)
    assert "cf." not in edited(ops.merged_blocks, BRANCHES)
    assert "^" not in edited(ops.merged_blocks, BRANCHES)
    assert "iter_args(%s = %v) -> (i32)" in edited(ops.carried_values, LOOP)


def test_calls_and_functions():
    call = "func.func private @g(%a: i32) -> i32 {\n func.return %a : i32\n}\n"
    call += "func.func @f(%a: i32) -> i32 {\n %b = func.call @g(%a) : (i32) -> i32\n func.return %b : i32\n}"
    assert edited(functions.inlined_calls, call).count("func.func") == 1
    assert "-> i32" not in edited(functions.results, TEXT)
    assert "func.return %c1" in edited(functions.returned_values, TEXT)


def test_types_and_numbers():
    text = """
    func.func @f(%a: tensor<4x6xi64>, %b: memref<6xf16, strided<[2]>, 1>) -> tensor<4x6xi64> {
      %c = arith.constant dense<7> : tensor<4x6xi64>
      %d = arith.addi %a, %c {note} : tensor<4x6xi64>
      func.return %d : tensor<4x6xi64>
    }"""
    assert "tensor<1x1xi64>" in edited(types.sizes, text) or "tensor<2x3xi64>" in edited(types.sizes, text)
    assert "i64" not in edited(types.element_types, text)
    assert "strided" not in edited(types.layouts, text)
    assert "note" not in edited(operands.attributes, text)
    assert "dense<0>" in edited(operands.numbers, text)


@pytest.mark.nightly
@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_planted_bugs(bug: Bug, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    counts, small = reduced(bug, tmp_path)
    assert 50 <= counts["ops"] <= 500
    assert counts["ops after"] < 10
    assert counts["passes after"] == 1
    assert counts["seconds"] < 120
    assert main([str(small), "--run-reproducer"], registry(bug)) == 1
    if bug.is_wrong_answer:
        assert f"[{bug.guilty}, pass 1 of 1] the answer changes" in capsys.readouterr().err
