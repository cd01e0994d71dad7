"""`--bisect-numerics`: the first op, and the pass of which pipeline, by which two pipelines give different answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import opt_tool
from tilewright.passes import all_passes
from tilewright.passes.fuse_epilogues import FuseEpiloguesPass
from tilewright.runtime.driver.driver import Registries
from tilewright.test.faults.changed_weights import plant_in
from tilewright.test.passes.core.replaced_programs import ReplacePass
from tilewright.test.small_models import chain, save

pytestmark = pytest.mark.quick

FOLD = """
from dataclasses import dataclass
from xdsl.dialects import arith
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

@dataclass(frozen=True)
class FoldZerosPass(ModulePass):
    name = "fold-zeros"
    def apply(self, ctx, op):
        for add in [inner for inner in op.walk() if isinstance(inner, arith.AddfOp)]:
            if isinstance(add.rhs.owner, arith.ConstantOp):
                Rewriter.replace_op(add, [], [add.lhs])

@dataclass(frozen=True)
class FailPass(ModulePass):
    name = "fail"
    def apply(self, ctx, op):
        raise ValueError("not today")
"""
PROGRAM = """func.func @f(%a: f32, %b: f32, %m: memref<2xf32>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %twice = arith.mulf %b, %b : f32
  %sum = arith.addf %a, %zero : f32
  %product = arith.mulf %sum, %twice : f32
  memref.store %sum, %m[%c0] : memref<2xf32>
  func.return %twice, %product : f32, f32
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "fold.py").write_text(FOLD)
    (tmp_path / "f.mlir").write_text(PROGRAM)
    return tmp_path / "f.mlir"


def bisect(program: Path, *words: str) -> int:
    load = f"--load-pass={program.with_name('fold.py')}"
    return opt_tool.main([str(program), load, "--bisect-numerics", "-o", str(program.with_name("out.mlir")), *words])


def test_pipelines_that_agree(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bisect(program, "-p", "canonicalize,cse", "--against-pipeline=cse,dce") == 0
    assert bisect(program, "-p", "fold-zeros", "--against-pipeline=cse,fold-zeros") == 0
    assert capsys.readouterr().err == ""
    assert "arith.addf" not in program.with_name("out.mlir").read_text()


@pytest.mark.parametrize(
    ("words", "message", "notes"),
    [
        (
            ("-p", "cse,fold-zeros", "--against-pipeline=canonicalize"),
            "the pipelines give different answers: output 'result1', first at result1",
            (
                "its value: 0.0 (float32) of --against-pipeline, -0.0 (float32) of the pipeline",
                "of the pipeline, fold-zeros, pass 2 of 2, is the first to change the answer of the program",
                "of --against-pipeline, no pass changes the answer of the program",
            ),
        ),
        (
            ("-p", "cse", "--against-pipeline=fold-zeros,cse"),
            "the pipelines give different answers: output 'result1', first at result1",
            (
                "its value: -0.0 (float32) of --against-pipeline, 0.0 (float32) of the pipeline",
                "of the pipeline, no pass changes the answer of the program",
                "of --against-pipeline, fold-zeros, pass 1 of 2, is the first to change the answer of the program",
            ),
        ),
        (
            ("-p", "fold-zeros"),
            "the pipeline changes the answer: output 'result1', first at result1",
            (
                "its value: 0.0 (float32) of the program itself, -0.0 (float32) of the pipeline",
                "of the pipeline, fold-zeros, pass 1 of 1, is the first to change the answer of the program",
            ),
        ),
    ],
)
def test_the_op_and_the_pass_are_named(
    words: tuple[str, ...], message: str, notes: tuple[str, ...], program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bisect(program, *words) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{program}:5:3: error: {message}")
    assert "  %sum = arith.addf %a, %zero : f32" in said
    assert f"  note: the first op that differs: {program}:5:3 (arith.addf), first at value" in said
    assert [note for note in notes if f"  note: {note}\n" not in said] == []
    assert not program.with_name("out.mlir").exists()


@pytest.mark.nightly
def test_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    save(chain(), tmp_path / "net.onnx")
    plant_in(FuseEpiloguesPass, "w1", monkeypatch)
    words = ["-p", "host-pipeline", "--stop-after=fused", "--bisect-numerics", "-o", str(tmp_path / "out.mlir")]
    assert opt_tool.main([str(tmp_path / "net.onnx"), *words]) == 1
    said = capsys.readouterr().err
    assert "net.onnx: node \"conv1\": error: the pipeline changes the answer: output 'y'" in said
    assert 'the first op that differs: node "conv1" (onnx.Conv), first at value[0, ' in said
    assert "of the pipeline, fuse-epilogues, pass " in said


def test_memory_and_inputs_of_a_file(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PROGRAM.replace("%twice, %product : f32, f32", "").replace(" -> (f32, f32)", "")
    program.write_text(text)
    assert bisect(program, "-p", "fold-zeros") == 1
    assert "the pipeline changes the answer: memory 'arg2', first at arg2[0]" in capsys.readouterr().err
    zeros = {"a": np.float32(1), "b": np.float32(2), "m": np.zeros(2, np.float32)}
    np.savez(program.with_name("in.npz"), allow_pickle=False, **zeros)
    assert bisect(program, "-p", "fold-zeros", f"--inputs={program.with_name('in.npz')}") == 0


def test_functions_of_several_blocks(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["func.func @f(%a: i32) -> i32 {", "  cf.br ^next", "^next:", "  %r = arith.addi %a, %a : i32"]
    before = "\n".join([*lines, "  func.return %r : i32", "}"])
    program.write_text(before)
    known = Registries(passes=all_passes() | {"replace": lambda: ReplacePass})
    wrong = before.replace("addi", "muli").replace("\n", " ")
    words = [str(program), "-p", f'replace{{text="{wrong}"}}', "--bisect-numerics"]
    assert opt_tool.main(words, known) == 1
    said = capsys.readouterr().err
    assert "which op differs is not known: the function has several blocks" in said
    assert "of the pipeline, replace, pass 1 of 1" in said


ERRORS = {
    "nothing to compare": ((), 1, "there are no passes to compare"),
    "no such function": (("-p", "cse", "--interpret-function=g"), 1, "the module has no function 'g' with a body"),
    "no such pass": (("-p", "cse", "--against-pipeline=csee"), 2, "no pass 'csee'"),
    "a pipeline that fails": (("-p", "cse", "--against-pipeline=cse,fail"), 1, "the pass is one of --against-pipeline"),
    "reduction": (("-p", "cse", "--reduce"), 2, "--reduce does not reduce what --bisect-numerics finds"),
    "arrays that do not match": (("-p", "cse", "--inputs={}"), 1, "not all inputs are given"),
}


@pytest.mark.parametrize(("words", "code", "message"), ERRORS.values(), ids=ERRORS)
def test_errors(
    words: tuple[str, ...], code: int, message: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(program.with_name("in.npz"), a=np.float32(1))
    assert bisect(program, *(word.format(program.with_name("in.npz")) for word in words)) == code
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not program.with_name("out.mlir").exists()


def test_the_other_pipeline_alone(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert opt_tool.main([str(program), "-p", "cse", "--against-pipeline=cse"]) == 2
    assert "--against-pipeline is of use with --bisect-numerics only" in capsys.readouterr().err
