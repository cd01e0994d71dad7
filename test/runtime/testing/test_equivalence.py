"""`assert_equivalent`: right passes pass, wrong ones are named with the op that first computes another value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.core.base import Pass
from tilewright.testing import assert_equivalent

pytestmark = pytest.mark.quick

TEXT = """func.func @f(%a: i8, %m: memref<4xi8>) -> i8 {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2 : i8
  %double = arith.muli %a, %two : i8
  scf.for %i = %c0 to %c4 step %c1 {
    %old = memref.load %m[%i] : memref<4xi8>
    %new = arith.addi %old, %double : i8
    memref.store %new, %m[%i] : memref<4xi8>
  }
  func.return %double : i8
}
"""


@dataclass(frozen=True)
class PlantedPass(Pass):
    """Rewrite with a planted fault."""

    name = "planted"
    plant: Callable[[ModuleOp], None] = lambda _: None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.plant(op)


def saturate(module: ModuleOp) -> None:
    """Divide instead of multiply: differs from it for every input but -1, 0 and 1."""
    (op,) = (op for op in nested_ops(module) if isinstance(op, arith.MuliOp))
    Rewriter.replace_op(op, arith.DivSIOp(op.lhs, op.rhs))


def overflow(module: ModuleOp) -> None:
    """Double by a maximum: differs from the product only where it overflows."""
    (op,) = (op for op in nested_ops(module) if isinstance(op, arith.MuliOp))
    wrong = arith.MaxSIOp(op.lhs, op.rhs)
    Rewriter.replace_op(op, wrong)


def shift(module: ModuleOp) -> None:
    """Shift by two instead of one: the constant has the name of the product too."""
    (op,) = (op for op in nested_ops(module) if isinstance(op, arith.MuliOp))
    two = arith.ConstantOp.from_int_and_width(2, 8)
    Rewriter.replace_op(op, (two, arith.ShLIOp(op.lhs, two)))


def drop_store(module: ModuleOp) -> None:
    for op in [op for op in nested_ops(module) if isinstance(op, memref.StoreOp)]:
        Rewriter.erase_op(op)


def store_other(module: ModuleOp) -> None:
    (op,) = (op for op in nested_ops(module) if isinstance(op, memref.StoreOp))
    load = next(op for op in nested_ops(module) if isinstance(op, memref.LoadOp))
    op.operands[0] = load.res


def test_right_passes(tmp_path: Path) -> None:
    after = assert_equivalent(TEXT, "canonicalize,scf-for-loop-unroll,builtin.module(func.func(cse))")
    assert not [op for op in nested_ops(after) if op.name == "scf.for"] or after
    module = parse_module(new_context(), TEXT)
    assert_equivalent(module, [PlantedPass(), PlantedPass()], runs=5)
    assert module.is_structurally_equivalent(parse_module(new_context(), TEXT))
    (tmp_path / "f.mlir").write_text(TEXT)
    assert_equivalent(tmp_path / "f.mlir", PlantedPass(), functions=["f"], seed=3)


@pytest.mark.parametrize(
    ("plant", "message", "op"),
    [
        (saturate, "output", "arith.divsi"),
        (overflow, "output", "arith.maxsi"),
        (shift, "output", "arith.shli"),
        (store_other, "memory 'arg1'", "memref.store"),
    ],
)
def test_wrong_passes_are_named_with_the_op(plant: Callable[[ModuleOp], None], message: str, op: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_equivalent(TEXT, [PlantedPass(), PlantedPass(plant)])
    text = str(caught.value)
    assert "[planted, pass 2 of 2]" in text
    assert message in text
    (note,) = (line for line in text.splitlines() if "the first op with another value" in line)
    assert op in note
    assert "inputs: " in text
    assert "before the pass:" in text


def test_values_that_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match=r"writes it last: +none\n.*before the pass: +memref\.store %new"):
        assert_equivalent(TEXT, PlantedPass(drop_store))


def test_errors_of_the_test_are_no_difference() -> None:
    with pytest.raises(Diagnostic, match="no pass 'csee'"):
        assert_equivalent(TEXT, "csee")
    with pytest.raises(Diagnostic, match="nothing to compare"):
        assert_equivalent("func.func @f() {\n  func.return\n}", "cse")
    with pytest.raises(Diagnostic, match="no function 'g'"):
        assert_equivalent(TEXT, "cse", functions=["g"])
