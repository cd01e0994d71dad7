"""Scalar bodies of kernels: dead code elimination, and expansion of `quant` ops to `arith`."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, f32, i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ...dialects.core.analysis.constants import constant_integer, constant_number
from ...dialects.core.arithmetic import Arithmetic
from ...dialects.core.nesting import nested_ops
from ...dialects.quant import RequantizeOp, RescaleOp
from ...ir import numbers_of
from ..lowering.index_ranges import RANGE

NO_SIGNED_WRAP = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])


def live_ops(block: Block) -> tuple[list[Operation], set[SSAValue]]:
    """Return the live ops of a body, in order and without the terminator, and all values that they use."""
    terminator = block.last_op
    assert terminator is not None
    used = set(terminator.operands)
    ops: list[Operation] = []
    op = terminator.prev_op
    while op is not None:
        if not used.isdisjoint(op.results):
            ops.append(op)
            used.update(operand for nested in nested_ops(op) for operand in nested.operands)
        op = op.prev_op
    return ops[::-1], used


def expand_requantize(op: RequantizeOp, x: SSAValue, mul: SSAValue, add: SSAValue, emit: Arithmetic) -> SSAValue:
    """
    Emit `clip((x * mul + add + round) >> shift)` in `arith` and return the result.

    The values replace the op's operands. Identities are folded: a conversion to the same type, a product with 1, a
    shift by 0, an addition of 0, a clip beyond the value range. The rounding is folded into a constant `add`.
    """
    compute, shift = op.compute, op.shift.value.data
    rounding = (1 << shift) >> 1
    total = _wide(x, compute, emit)
    if constant_integer(op.mul) != 1:
        total = emit.op(arith.MuliOp(total, _wide(mul, compute, emit), overflow=NO_SIGNED_WRAP))
    constant = constant_integer(op.add)
    if constant is not None and fits(constant + rounding, compute):
        total = _plus(total, constant + rounding, emit)
    else:
        total = emit.op(arith.AddiOp(total, _wide(add, compute, emit), overflow=NO_SIGNED_WRAP))
        total = _plus(total, rounding, emit)
    if shift:
        total = emit.op(arith.ShRSIOp(total, emit.constant(shift, compute)))
    return _clip(op, total, emit)


def is_natural(op: RequantizeOp) -> bool:
    """Return whether a requantisation is known to have no negative value before its clip."""
    return isinstance(op.x.owner, arith.ExtUIOp) and all(_least(factor) >= 0 for factor in (op.mul, op.add))


def _least(value: SSAValue) -> int:
    """Return the least value of a constant, or of a function's argument; the least of 64 bits where it is unknown."""
    constant = constant_integer(value)
    function = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if constant is not None or not isinstance(function, func.FuncOp) or function.arg_attrs is None:
        return -(1 << 63) if constant is None else constant
    limits = function.arg_attrs.data[cast(BlockArgument, value).index].data.get(RANGE)
    return -(1 << 63) if limits is None else numbers_of(limits)[0]


_ROUNDS = 1.5 * 2**23
"""Adding 1.5 * 2^23 to an f32 below 2^22 leaves the nearest integer, half to even, in the lowest bits."""
_ROUNDS_BITS = 0x4B400000


def expand_rescale(op: RescaleOp, x: SSAValue, scale: SSAValue, emit: Arithmetic) -> SSAValue:
    """
    Emit `clip(round(x * scale) + zero)` in `arith` and return the result.

    The bit pattern of a float is monotonic in its value, and negative for negative values. So the sum of a number and
    1.5 * 2^23 is clipped as an integer, without float comparisons that prevent vectorisation. A scale of 1 is folded.
    """
    low, high, zero = op.low.value.data, op.high.value.data, op.zero.value.data
    real = x if x.type == f32 else emit.op(arith.SIToFPOp(x, f32))
    if constant_number(op.scale) != 1:
        real = emit.op(arith.MulfOp(real, scale))
    bits = emit.op(arith.BitcastOp(emit.op(arith.AddfOp(real, emit.constant(_ROUNDS, f32))), i32))
    bits = emit.op(arith.MaxSIOp(bits, emit.constant(_ROUNDS_BITS + low - zero, i32)))
    bits = emit.op(arith.MinSIOp(bits, emit.constant(_ROUNDS_BITS + high - zero, i32)))
    total = _plus(bits, zero - _ROUNDS_BITS, emit)
    result = op.result.type
    assert isinstance(result, IntegerType)
    return emit.op(arith.TruncIOp(total, result)) if result.width.data < 32 else _wide(total, result, emit)


def fits(value: int, type: IntegerType) -> bool:
    """Return whether a signed integer type can represent a value."""
    return -(1 << (type.width.data - 1)) <= value < 1 << (type.width.data - 1)


def _wide(value: SSAValue, type: IntegerType, emit: Arithmetic) -> SSAValue:
    return value if value.type == type else emit.op(arith.ExtSIOp(value, type))


def _plus(value: SSAValue, number: int, emit: Arithmetic) -> SSAValue:
    if not number:
        return value
    return emit.op(arith.AddiOp(value, emit.constant(number, value.type), overflow=NO_SIGNED_WRAP))


def _clip(op: RequantizeOp, value: SSAValue, emit: Arithmetic) -> SSAValue:
    """Clip a value in the compute type and convert it to the result type."""
    compute, result = op.compute, op.result.type
    low, high = op.low.value.data, op.high.value.data
    assert isinstance(result, IntegerType)
    if fits(low - 1, compute) and not (low <= 0 and is_natural(op)):
        value = emit.op(arith.MaxSIOp(value, emit.constant(low, compute)))
    if fits(high + 1, compute):
        value = emit.op(arith.MinSIOp(value, emit.constant(high, compute)))
    if result.width.data < compute.width.data:
        return emit.op(arith.TruncIOp(value, result))
    return _wide(value, result, emit)
