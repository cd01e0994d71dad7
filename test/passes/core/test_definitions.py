"""Ops that are alike are checked against their definition once, others each."""

from __future__ import annotations

import gc
import weakref

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, TensorType, i8, i32
from xdsl.ir import Operation
from xdsl.irdl import OpDef

from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic


def sums(count: int, width: int = 32) -> tuple[ModuleOp, list[arith.AddiOp]]:
    """Return a module of so many sums of one number."""
    source = test.TestOp(result_types=[IntegerType(width)])
    added = [arith.AddiOp(source.results[0], source.results[0]) for _ in range(count)]
    return ModuleOp([source, *added]), added


@pytest.mark.quick
def test_a_wrong_op_among_others_of_its_kind_is_found() -> None:
    module, added = sums(4)
    verify(module)
    added[2].results[0]._type = i8  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Diagnostic, match=r"arith\.addi.*does not verify"):
        verify(module)
    added[2].results[0]._type = i32  # pyright: ignore[reportPrivateUsage]
    verify(module)


@pytest.mark.quick
def test_what_is_alike_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    verify_alone = OpDef.verify

    def counted(definition: OpDef, op: Operation) -> None:
        checked.append(op.name)
        verify_alone(definition, op)

    monkeypatch.setattr(OpDef, "verify", counted)
    for _ in range(2):
        verify(sums(4, width=23)[0])
    assert checked.count("arith.addi") == 1


@pytest.mark.nightly
def test_numbers_of_tensors_are_not_kept() -> None:
    numbers = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [1000]), range(1000))
    verify(ModuleOp([arith.ConstantOp(numbers)]))
    alive = weakref.ref(numbers)
    del numbers
    gc.collect()
    assert alive() is None
