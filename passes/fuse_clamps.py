"""The pass `fuse-clamps`: fold minima and maxima into the clip of the requantisation before them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.nesting import nested_ops
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import functions
from .core.base import Pass


def fuse_clamp(op: RequantizeOp | RescaleOp) -> bool:
    """Replace the clamp that is the sole use of a requantisation by a narrower clip; return whether there is one."""
    low, high = op.low.value.data, op.high.value.data
    kind = op.result.type
    limit = 1 << (kind.width.data - 1)
    value, is_clamped = op.result, False
    while high < limit and low >= -limit and (user := _user(value)) is not None:
        if isinstance(user, arith.MaxSIOp | arith.MinSIOp) and (bound := _bound(user, value)) is not None:
            choose = max if isinstance(user, arith.MaxSIOp) else min
            low, high, is_clamped = choose(low, bound), choose(high, bound), True
        elif isinstance(user, arith.TruncIOp) and is_clamped and user.result.type == kind:
            _replace(op, user, low, high)
            return True
        elif not isinstance(user, arith.ExtSIOp):
            return False
        value = user.results[0]
        if value.type == kind and is_clamped:
            _replace(op, user, low, high)
            return True
    return False


def _user(value: SSAValue) -> Operation | None:
    """Return the only op that uses a value."""
    users = {use.operation for use in value.uses}
    return users.pop() if len(users) == 1 and value.has_one_use() else None


def _bound(op: arith.MaxSIOp | arith.MinSIOp, value: SSAValue) -> int | None:
    return constant_integer(op.rhs if op.lhs is value else op.lhs)


def _replace(op: RequantizeOp | RescaleOp, last: Operation, low: int, high: int) -> None:
    """Replace a requantisation and the ops up to the last one of its clamp by one with a clip."""
    clipped = op.clone()
    clipped.properties |= {"low": IntegerAttr(low, i64), "high": IntegerAttr(high, i64)}
    clipped.location = op.location
    Rewriter.insert_op(clipped, InsertPoint.before(op))
    chain: list[Operation] = [op]
    while chain[-1] is not last:
        user = _user(chain[-1].results[0])
        assert user is not None
        chain.append(user)
    last.results[0].replace_all_uses_with(clipped.result)
    for fused in reversed(chain):
        Rewriter.erase_op(fused)


@dataclass(frozen=True)
class FuseClampsPass(Pass):
    """
    Fold minima and maxima with constants into the clip of the requantisation before them.

        %r = quant.rescale %x, %f zero 0 clip -128 to 127 : i32, f32 -> i8
        %w = arith.extsi %r : i8 to i32
        %m = arith.maxsi %w, %c0_i32 : i32
        %t = arith.trunci %m : i32 to i8

    becomes `quant.rescale %x, %f zero 0 clip 0 to 127`. Engines that scale and saturate on the way out of their sums
    compute that at once.
    """

    name = "fuse-clamps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for requantize in [inner for inner in nested_ops(function) if isinstance(inner, RequantizeOp | RescaleOp)]:
                fuse_clamp(requantize)
