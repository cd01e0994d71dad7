"""Fusion of products and sums into multiply-accumulate instructions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects.core.analysis.constants import constant_number
from ....dialects.core.nesting import nested_ops
from ....ir import functions
from ....passes.core.base import Pass
from ..dialects.cluster.instructions import mac


def fuse_products(block: Block) -> None:
    """
    Replace 32-bit sums with a product of one use by `cluster.mac`.

    Loop-carried sums are kept, because the interpreter vectorises them.
    """
    for op in nested_ops(block):
        if not isinstance(op, arith.AddiOp) or _is_partial(op.result):
            continue
        product = fusible_product(op)
        if product is None or not isinstance(product.owner, arith.MuliOp):
            continue
        rest = op.rhs if product is op.lhs else op.lhs
        fused = mac(product.owner.lhs, product.owner.rhs, rest)
        fused.location = op.location
        fused.results[0].name_hint = op.result.name_hint
        Rewriter.replace_op(op, fused)
        Rewriter.erase_op(product.owner)


def fusible_product(op: arith.AddiOp) -> SSAValue | None:
    """Return the product operand of a 32-bit sum that can be fused, None if there is none."""
    return next((operand for operand in op.operands if _is_fusible(operand)), None) if op.result.type == i32 else None


def _is_fusible(value: SSAValue) -> bool:
    """Return whether a value is a product with one use; a product by 1 is excluded."""
    owner = value.owner
    if not isinstance(owner, arith.MuliOp) or len(list(value.uses)) != 1:
        return False
    return all(constant_number(operand) != 1 for operand in owner.operands)


def _is_partial(value: SSAValue) -> bool:
    """Return whether a sum is loop-carried, directly or through further sums."""
    users = [use.operation for use in value.uses]
    return any(
        isinstance(user, scf.YieldOp) or (isinstance(user, arith.AddiOp) and _is_partial(user.result)) for user in users
    )


@dataclass(frozen=True)
class FuseProductsPass(Pass):
    """
    Fuse 32-bit products with their sums, for cores with a multiply-accumulate instruction (p.mac).

    Index arithmetic, which compilers optimise themselves, and loop-carried sums are unchanged. Run it on loops.
    """

    name = "fuse-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            fuse_products(function.body.block)
