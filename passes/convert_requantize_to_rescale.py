"""The pass `convert-requantize-to-rescale`: replace fixed-point factors by floats where all results are the same."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.arithmetic import integer_of
from ..dialects.core.analysis.intervals import Range, range_of_element
from ..dialects.core.analysis.value_ranges import ValueRanges
from ..dialects.core.kernel import kernel_of
from ..dialects.core.nesting import nested_ops
from ..dialects.core.semantics import SCALAR_RULES
from ..dialects.nn import FoldOp
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import Array, element_of, functions, numpy_type
from .core.base import Pass

_MOST = 1 << 20
"""Integers that a factor is tried with at most."""
_STEPS = 4
"""Floats on each side of a factor that are tried."""


def convert_requantize(op: RequantizeOp) -> bool:
    """Replace a requantisation by a float factor if the results of all integers in range are equal; return whether."""
    mul, add, shift = integer_of(op.mul), integer_of(op.add), op.shift.value.data
    sum_range = ValueRanges(source=_sum_range).of(op.x)
    if mul is None or mul <= 0 or add is None or add % (1 << shift):
        return False
    if sum_range is None or sum_range.high - sum_range.low > _MOST:
        return False
    x = np.arange(sum_range.low, sum_range.high + 1).astype(numpy_type(op.x.type))
    expected = SCALAR_RULES[RequantizeOp](op, x, np.asarray(mul), np.asarray(add))
    for factor in _factors(mul / (1 << shift)):
        scale = arith.ConstantOp(FloatAttr(float(factor), f32))
        numbers = {"zero": add >> shift, "low": op.low.value.data, "high": op.high.value.data}
        rescale = RescaleOp(op.x, scale.result, **numbers, type=op.result.type)
        if np.array_equal(SCALAR_RULES[RescaleOp](rescale, x, np.asarray(factor)), expected):
            for new in (scale, rescale):
                new.location = op.location
                Rewriter.insert_op(new, InsertPoint.before(op))
            Rewriter.replace_op(op, [], [rescale.result])
            return True
        rescale.erase()
    return False


def _factors(factor: float) -> list[Array]:
    """Return the floats of 32 bits next to a factor, the nearest first."""
    factors = [np.float32(factor)]
    for _ in range(_STEPS):
        factors = [np.nextafter(factors[0], np.float32(0)), *factors, np.nextafter(factors[-1], np.float32(np.inf))]
    nearest = sorted(factors, key=lambda neighbour: abs(float(neighbour) - factor))
    return [np.asarray(neighbour) for neighbour in nearest]


def _sum_range(value: SSAValue) -> Range | None:
    """Return the interval of the sum that an epilogue starts from, None for other values."""
    if not isinstance(value, BlockArgument) or value.index:
        return None
    op = value.owner.parent_op()
    if not isinstance(op, FoldOp) or op.kind.data != "sum" or op.is_unsigned(0):
        return None
    kernel, element = kernel_of(op), range_of_element(element_of(op.inputs[0]))
    count = prod(kernel.bounds[dim] for dim in kernel.reduced)
    return Range(count * element.low, count * element.high)


@dataclass(frozen=True)
class ConvertRequantizeToRescalePass(Pass):
    """
    Replace fixed-point requantisations by rescales by a float of 32 bits, where all results are the same.

        %y = quant.requantize %sum, %c1800066, %c0 shift 21 clip 0 to 127 in i32 : i32, i32, i32 -> i8

    becomes `quant.rescale %sum, %f zero 0 clip 0 to 127`, if a float next to the factor gives the same bytes for every
    integer that the sum may be: the whole interval, up to 2^20 integers, is computed. Engines that scale their sums by
    floats then compute it. Others are unchanged.
    """

    name = "convert-requantize-to-rescale"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for requantize in [inner for inner in nested_ops(function) if isinstance(inner, RequantizeOp)]:
                convert_requantize(requantize)
