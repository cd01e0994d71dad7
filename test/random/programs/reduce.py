"""Reduction of a program that fails: ops are erased, and their results replaced, as long as it fails the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import dense

Fails = Callable[[ModuleOp], bool]


def reduced(module: ModuleOp, fails: Fails) -> ModuleOp:
    """
    Return a smaller program for which `fails` holds too.

    Each op is tried to be erased, the outer ones first; the uses of its results become those of an operand of the same
    type, or of a constant. `fails` is given modules that verify.
    """
    while (smaller := _smaller(module, fails)) is not None:
        module = smaller
    return module


def _smaller(module: ModuleOp, fails: Fails) -> ModuleOp | None:
    """Return the program without all the ops that can go one after the other, None where none can."""
    position, shrunk = 0, None
    while (size := len(nested_ops(module))) > position:
        candidate = next((copy for copy in _without(module, position) if _is_failing(copy, fails)), None)
        if candidate is None or len(nested_ops(candidate)) >= size:
            position += 1
        else:
            module = shrunk = candidate
    return shrunk


def _is_failing(module: ModuleOp, fails: Fails) -> bool:
    try:
        verify(module)
    except Diagnostic:
        return False
    return fails(module)


def _without(module: ModuleOp, position: int) -> Iterator[ModuleOp]:
    """Yield copies of a module without one op, each with other values in place of its results."""
    for choice in range(2):
        copy = module.clone()
        op = nested_ops(copy)[position]
        if op is copy or op.has_trait(IsTerminator) or (isinstance(op, arith.ConstantOp) and op.results[0].uses):
            return
        if isinstance(op, FuncOp) and op.sym_visibility is None:
            return
        if _replace(op, choice):
            Rewriter.erase_op(op, safe_erase=False)
            yield copy


def _replace(op: Operation, choice: int) -> bool:
    """Replace the uses of an op's results; return whether there is something for each."""
    for result in op.results:
        if not result.uses:
            continue
        same = [operand for operand in op.operands if operand.type == result.type]
        value = same[0] if same and choice == 0 else _constant(op, result.type)
        if value is None:
            return False
        result.replace_all_uses_with(value)
    return True


def _constant(op: Operation, type: Attribute) -> SSAValue | None:
    """Return a constant of a type, inserted before an op; an allocation for a plain buffer."""
    if isinstance(type, MemRefType):
        if not isinstance(type.layout, NoneAttr):
            return None
        stand_in: Operation = memref.AllocOp([], [], cast("MemRefType[Any]", type))
    elif isinstance(type, TensorType):
        shaped = cast("TensorType[Any]", type)
        if -1 in shaped.get_shape():
            return None
        stand_in = arith.ConstantOp(dense(np.ones(shaped.get_shape()), shaped.get_element_type()))
    elif isinstance(type, IndexType | IntegerType):
        stand_in = arith.ConstantOp(IntegerAttr(1, cast(Any, type)))
    else:
        stand_in = arith.ConstantOp(FloatAttr(1.0, cast(Any, type)))
    Rewriter.insert_op(stand_in, InsertPoint.before(op))
    return stand_in.results[0]
