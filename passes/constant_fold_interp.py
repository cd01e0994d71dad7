"""Folding of scalar integer ops by the interpreter's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ..dialects.core.effects import is_speculatable
from ..dialects.core.nesting import nested_ops
from ..dialects.core.semantics import SCALAR_RULES, folded
from ..runtime.interpreter import load_rules
from .core.base import Pass


def fold_integers(module: ModuleOp) -> None:
    """Replace ops whose operands are constants and whose result is an integer, where they are defined."""
    load_rules(module)
    for op in nested_ops(module):
        if _is_foldable(op):
            numbers = [cast(Any, operand.owner).value.value.data for operand in op.operands]
            constant = arith.ConstantOp(cast(Any, folded(op, numbers)))
            constant.location = op.location
            Rewriter.replace_op(op, constant)


def _is_foldable(op: Operation) -> bool:
    if len(op.results) != 1 or not isinstance(op.results[0].type, IntegerType):
        return False
    if not op.operands or type(op) not in SCALAR_RULES or not is_speculatable(op):
        return False
    constants = [operand.owner for operand in op.operands]
    return all(
        isinstance(constant, arith.ConstantOp) and isinstance(constant.value, _NUMBERS) for constant in constants
    )


_NUMBERS = (IntegerAttr, FloatAttr)


@dataclass(frozen=True)
class ConstantFoldInterpPass(Pass):
    """
    Fold ops of constants to integers, by the rules of the interpreter.

    Divisions that are undefined stay, and those by -1. xDSL's pass of that name.
    """

    name = "constant-fold-interp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fold_integers(op)
