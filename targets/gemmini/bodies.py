"""Bodies of transfers out of the accumulators: what stores compute of sums."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, bf16, f32, i8
from xdsl.ir import Block, Operation, Region

from ...dialects.hier import YieldOp
from ...dialects.quant import EntryOp, LookupOp, RescaleOp
from ...ir import Array, array_of
from .gelu import Gelu, gelu_of_table


def is_float_relu(op: Operation) -> bool:
    """Return whether an op is the maximum of a float and 0, which is +0 for what is not above 0."""
    zero = op.operands[1].owner if isinstance(op, arith.MaximumfOp | arith.MaxnumfOp) else None
    number = zero.value if isinstance(zero, arith.ConstantOp) else None
    return isinstance(number, FloatAttr) and number.value.data == 0


def _is_float_store(body: Block) -> bool:
    """
    Return whether a body is a ReLU of floats, rounded or not: it commutes with rounding to bf16, as does that itself.
    """
    ops = [op for op in body.ops if not isinstance(op, arith.ConstantOp)]
    value = ops[-1].operands[0]
    for op in reversed(ops[:-1]):
        if op.results[0] is not value or not (is_float_relu(op) or _is_conversion(op)):
            return False
        value = op.operands[0]
    is_rounded = any(isinstance(op, arith.TruncFOp) for op in ops)
    return value is body.args[0] and (not is_rounded or ops[-1].operands[0].type == bf16)


def _is_conversion(op: Operation) -> bool:
    return isinstance(op, arith.ExtFOp | arith.TruncFOp) and {op.operands[0].type, op.results[0].type} == {bf16, f32}


def mvout_fault(body: Region, columns: int = 0) -> str:
    """
    Return why `mvout` cannot compute a body, empty if it can.

    It stores sums as they are, scales integers by a constant, saturates to signed bytes and applies a ReLU, or applies
    a ReLU to floats and rounds them to bf16. Where blocks of so many `columns` are stored, the constant may be one of
    each column.
    """
    ops = [op for op in body.block.ops if not isinstance(op, arith.ConstantOp | EntryOp)]
    if _is_float_store(body.block):
        return ""
    if [type(op) for op in ops] != [RescaleOp, YieldOp]:
        return "it is more than one 'quant.rescale'"
    rescale = ops[0]
    assert isinstance(rescale, RescaleOp)
    if rescale.result.type != i8:
        return f"its results are {rescale.result.type}, no signed bytes"
    if rescale.x is not body.block.args[0]:
        return "it scales another value than the sum"
    limits = rescale.low.value.data, rescale.high.value.data
    scales = _scales(rescale, columns)
    if isinstance(scales, str):
        return scales
    if scales.values.min() <= 0:
        return "its scale is not positive"
    if rescale.zero.value.data or limits not in ((-128, 127), (0, 127)):
        return f"it clips to {limits[0]} to {limits[1]}, with the zero point {rescale.zero.value.data}"
    return ""


class Scales(NamedTuple):
    """Scales of a store: `values` are one for all columns, or one for each `width` of them, in order."""

    values: Array
    width: int

    def passes(self, columns: int) -> int:
        """Return the stores of a block of so many columns, each with a scale of its own."""
        return min(-(-columns // self.width), len(self.values))


def _scales(rescale: RescaleOp, columns: int) -> Scales | str:
    """Return the scales of a block of so many columns; a text where they vary otherwise than along a row."""
    scale = rescale.scale.owner
    if isinstance(scale, arith.ConstantOp) and isinstance(scale.value, FloatAttr):
        return Scales(np.array([scale.value.value.data], np.float32), columns)
    body = rescale.parent
    if body is None or not isinstance(scale, EntryOp) or not columns or scale.index is not body.args[-1]:
        return "its scale varies"
    entries = array_of(cast(Any, scale.table))
    if (entries == entries[0]).all():
        return Scales(entries[:1], columns)
    widths = (width for width in range(columns, 0, -1) if columns % width == 0)
    width = next(width for width in widths if (np.repeat(entries[::width], width)[: len(entries)] == entries).all())
    return Scales(entries[::width], width)


def gelu_of(body: Region | None) -> Gelu | None:
    """Return the parameters with which a store computes a lookup of a byte, None for what is none of a GELU."""
    ops = [*body.block.ops] if body is not None else []
    if [type(op) for op in ops] != [arith.TruncIOp, LookupOp, YieldOp]:
        return None
    byte, lookup, last = ops
    assert isinstance(lookup, LookupOp)
    is_chain = lookup.x is byte.results[0] and last.operands[0] is lookup.result
    return gelu_of_table(array_of(cast(Any, lookup.table))) if is_chain else None


def scale_of(body: Block | None) -> tuple[float, bool]:
    """Return the scale of what a store computes, 1 where it stores sums, and whether it makes negative results 0."""
    scales, relu = scales_of(body, 0)
    return float(scales.values[0]), relu


def scales_of(body: Block | None, columns: int) -> tuple[Scales, bool]:
    """Return the scales of blocks of so many columns, and whether negative results become 0."""
    ops = list(body.ops) if body is not None else []
    rescales = [op for op in ops if isinstance(op, RescaleOp)]
    if not rescales:
        return Scales(np.ones(1, np.float32), columns), any(is_float_relu(op) for op in ops)
    (rescale,) = rescales
    scales = _scales(rescale, columns)
    assert not isinstance(scales, str)
    return scales, rescale.low.value.data == 0
