"""
Floats as integers: total order, and fixed point by shifts of the significand.

IEEE 754 binary32: a sign, eight bits of exponent with a bias of 127, and 23 bits of a significand of 24.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...ir import Array

FRACTION = 23
LEADING = 1 << FRACTION
EXPONENTS = 0xFF
INFINITY = EXPONENTS << FRACTION
BITS = 17
"""Bits of fixed-point magnitudes: their products with factors of 14 bits fit 32."""
LEAST_SHIFT, LARGEST_SHIFT = FRACTION + 1 - BITS, 31


def of_keys(keys: Array) -> Array:
    """Return the floats at places int64 of the order of all floats: from -infinity at -INFINITY to infinity."""
    bits = np.where(keys >= 0, keys, -keys | 1 << 31).astype(np.uint32)
    return bits.view(np.float32)


def fixed(values: Array, exponent: int) -> Array:
    """
    Return floats as int64 multiples of `2^(exponent - 16)`, rounded toward zero.

    Magnitudes from `2^exponent` on become some number from `2^16` up to `2^17 - 1`.
    """
    bits = values.astype(np.float32).view(np.int32).astype(np.int64)
    biased = bits >> FRACTION & EXPONENTS
    shifts = np.clip(127 + exponent + LEAST_SHIFT - biased, LEAST_SHIFT, LARGEST_SHIFT)
    magnitudes = (bits & LEADING - 1 | LEADING) >> shifts
    return np.where(bits < 0, -magnitudes, magnitudes)


def append_fixed(body: Body, value: SSAValue, exponent: int) -> SSAValue:
    """Append the conversion of an f32 as `fixed` does it, to i32. NaN becomes one of the greatest."""
    bits = body.op(arith.BitcastOp(value, i32))
    biased = _and(body, body.op(arith.ShRUIOp(bits, body.constant(FRACTION, i32))), EXPONENTS)
    distance = body.sub(body.constant(127 + exponent + LEAST_SHIFT, i32), biased)
    shift = body.clip(distance, LEAST_SHIFT, LARGEST_SHIFT)
    significand = body.op(arith.OrIOp(_and(body, bits, LEADING - 1), body.constant(LEADING, i32)))
    magnitude = body.op(arith.ShRUIOp(significand, shift))
    sign = body.shift_right(bits, 31)
    return body.sub(body.op(arith.XOrIOp(magnitude, sign)), sign)


def _and(body: Body, value: SSAValue, mask: int) -> SSAValue:
    return body.op(arith.AndIOp(value, body.constant(mask, i32)))
