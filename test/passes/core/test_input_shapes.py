"""`--input-shape` of arguments whose types leave extents open, with `--interpret-each` and `--bisect-numerics`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import opt_tool
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.runtime.driver.input_shapes import input_shapes
from tilewright.runtime.driver.interpret import InterpretEach
from tilewright.test.passes.core.replaced_programs import replace

pytestmark = pytest.mark.quick

SUM = """func.func @f(%x: tensor<?x3xf32>, %n: index, %m: memref<?xi32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %m[%i] : memref<?xi32>
  }
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%d) : tensor<?x3xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  func.return %r : tensor<?x3xf32>
}
"""
SHAPES = {"x": (2, 3), "arg2": (5,)}


def test_programs_of_open_extents(capsys: pytest.CaptureFixture[str]) -> None:
    """An index may be the number of elements, and the ends of types are among the inputs."""
    replace(SUM, SUM, observer=InterpretEach(shapes=SHAPES, runs=24))
    assert "'memref.load' is out of bounds" in capsys.readouterr().err
    for old, new in (
        ("addi %v, %one", "muli %v, %one"),
        ("%n step %c1", "%c1 step %c1"),
        ("linalg.yield %s", "linalg.yield %p"),
    ):
        with pytest.raises(Diagnostic, match="the answer changes") as caught:
            replace(SUM, SUM.replace(old, new), observer=InterpretEach(shapes=SHAPES, runs=24))
        assert any("the first op with another value" in note for note in caught.value.notes)


def test_the_program_stays_as_it_is() -> None:
    module = parse_module(new_context(), SUM)
    before = print_ir(module)
    with input_shapes(module, ["f"], SHAPES, None).applied(module):
        assert print_ir(module) != before
    assert print_ir(module) == before


def test_arrays_of_a_file_have_shapes(tmp_path: Path) -> None:
    arrays = {"x": np.zeros((4, 3), np.float32), "n": np.int64(2), "m": np.arange(2, dtype=np.int32)}
    np.savez(tmp_path / "in.npz", allow_pickle=False, **arrays)
    replace(SUM, SUM, observer=InterpretEach(tmp_path / "in.npz"))
    with pytest.raises(Diagnostic, match=r"memory 'arg2', first at arg2\[0\], 2 of 2 values differ"):
        replace(SUM, SUM.replace("constant 1 : i32", "constant 2 : i32"), observer=InterpretEach(tmp_path / "in.npz"))


ERRORS: dict[str, tuple[dict[str, tuple[int, ...]], str, str]] = {
    "no shape": ({"x": (2, 3)}, "argument 'm' of @f has open extents", "--input-shape=m=4"),
    "none at all": ({}, "argument 'x' of @f has open extents", "--input-shape=x=4,3"),
    "another extent": ({"x": (2, 4)}, "--input-shape does not fit argument 'x' of @f", ""),
    "another rank": ({"x": (2,)}, "--input-shape does not fit argument 'x' of @f", ""),
    "a scalar": ({**SHAPES, "n": (2,)}, "--input-shape does not fit argument 'n' of @f", ""),
    "another name": ({**SHAPES, "xx": (2, 3)}, "--input-shape names no argument: 'xx'", "did you mean 'x'?"),
}


@pytest.mark.parametrize(("shapes", "message", "remedy"), ERRORS.values(), ids=ERRORS)
def test_shapes_that_do_not_fit(shapes: dict[str, tuple[int, ...]], message: str, remedy: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        replace(SUM, SUM, observer=InterpretEach(shapes=shapes))
    assert caught.value.message.startswith(message)
    assert remedy in caught.value.remedy


SUBTRACT = """
from dataclasses import dataclass
from xdsl.dialects import arith
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

@dataclass(frozen=True)
class SubtractPass(ModulePass):
    name = "subtract"
    def apply(self, ctx, op):
        for add in [inner for inner in op.walk() if isinstance(inner, arith.AddiOp)]:
            Rewriter.replace_op(add, arith.SubiOp(add.lhs, add.rhs))
"""


def test_the_command_and_its_reproducer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, reproducer, plugin = tmp_path / "f.mlir", tmp_path / "r.mlir", tmp_path / "subtract.py"
    file.write_text(SUM)
    plugin.write_text(SUBTRACT)
    shapes = ["--input-shape=x=2,3", "--input-shape=m=4"]
    words = [str(file), f"--load-pass={plugin}", "-p", "cse,subtract", *shapes, f"--reproducer={reproducer}"]
    assert opt_tool.main(words) == 2
    assert "--input-shape is for .onnx inputs, and with --interpret-each" in capsys.readouterr().err
    for option in ("--bisect-numerics", "--interpret-each"):
        assert opt_tool.main([*words, option, "--interpret-runs=12"]) == 1
        said = capsys.readouterr().err
        assert "subtract, pass 2 of 2" in said
        assert "memory 'arg2', first at arg2[0]" in said
    assert " ".join(shapes) in reproducer.read_text()
    assert opt_tool.main([str(reproducer), "--run-reproducer"]) == 1
    assert "[subtract, pass 1 of 1] the answer changes: memory 'arg2'" in capsys.readouterr().err
