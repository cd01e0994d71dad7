"""
Softmax of quantised tensors, in integers of 32 bits.

Powers `e^(-d * scale)` of the distance d to the greatest byte are looked up in fixed point: `p[d]` for the sum, and
`q[d] = p[d] / y_scale` for the quotient. The result is `floor((q[d] + sum / 2) / sum)`, of which a table's entry is
off by less than 2^-12 of a step: it differs from that of floats only next to the middle of two integers.
"""

from __future__ import annotations

from math import frexp

import numpy as np
from xdsl.dialects.builtin import TensorType, i8, i32, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, shape_of
from ..state.nodes import literal, node
from .quantized import BYTES, Integers, Quantization, converted, quantises, wide

_MOST_BITS, _LEAST_BITS = 24, 12
"""Bits after the point of a power: as many as a float has, and so many that rounding them takes no step of a result."""


@quantises("Softmax")
def _softmax(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    x, shape = integers.dequantised(op.operands[0]), shape_of(op.results[0])
    axis = int(op.attribute("axis")) % len(shape)
    bits = _bits(shape[axis], y.scale)
    if x is None or bits < _LEAST_BITS:
        return None
    kind, row = TensorType(i32, shape), TensorType(i32, [1 if d == axis else n for d, n in enumerate(shape)])
    axes = literal([axis], i64, before)
    source = wide(integers.bytes(op.operands[0]), before)
    largest = node("ReduceMax", [source, axes], row, before, keepdims=1)
    below = node("Sub", [source, largest], kind, before)
    # The largest is the byte 127, so that all distances are bytes.
    index = wide(converted(node("Add", [below, literal(127, i32, before)], kind, before), i8, before), before)
    powers = np.exp(-x.scale * (127 - np.arange(BYTES).astype(np.uint8).view(np.int8).astype(np.float64)))
    power, share = (
        node("Gather", [_fixed(powers * unit, bits, before), index], kind, before) for unit in (1.0, 1 / y.scale)
    )
    total = node("ReduceSum", [power, axes], row, before, keepdims=1)
    half = node("Div", [total, literal(2, i32, before)], row, before)
    steps = node("Div", [node("Add", [share, half], kind, before), total], kind, before)
    ends = [literal(np.array(end), i32, before) for end in (y.range.low, y.range.high)]
    moved = node("Add", [steps, literal(y.zero, i32, before)], kind, before) if y.zero else steps
    return converted(node("Clip", [moved, *ends], kind, before), y.byte, before)


def _bits(length: int, step: float) -> int:
    """Return the bits after the point with which neither a sum of powers nor a share of it overflows."""
    return min(_MOST_BITS, 30 - (length - 1).bit_length(), 30 - max(0, frexp(1 / step)[1]))


def _fixed(numbers: Array, bits: int, before: Operation) -> SSAValue:
    """Insert the table of numbers in fixed point, by the bits of a byte."""
    return literal(np.rint(np.ldexp(numbers, bits)).astype(np.int32), i32, before)
