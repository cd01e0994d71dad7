"""
Exact rounding next to halves of the product of a sum and a float, in 32 bits.

`round(f32(x * scale))` is one of two neighbours of a half `h = k - 1/2`. With `scale * 2^K` a whole number and
`K >= 33`, the difference of `x * scale` and `h` is a number of 32 bits: all higher ones are equal. The product becomes
the half where it is no further from it than half of the last bit of a float of 24, and then the even neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...dialects.quant import RescaleOp
from ...ir import Array
from .slices import Slice

SIGNIFICANT = 24
"""The bits of a float, and those of sums that become floats exactly."""
LEAST_EXPONENT, LARGEST_EXPONENT = 33, 46
"""Halves are multiples of 2^32 from the first on; up to the last, half of the last bit of one below 2^9 fits a word."""
SMEARED = (1, 2, 4, 8)
"""Shifts by which the bits of a number below 2^16 are spread to all places under its highest."""


@dataclass(frozen=True)
class Halves:
    """
    The decision between `k - 1` and `k`, with `d = x * factor + summand` wrapped to 32 bits in units of `2^-exponent`.

    It is `k` from the half on where the zero point makes k even, and beyond it where odd. Factor and summand are int64
    [channels].
    """

    factor: Array
    summand: Array
    exponent: int
    zero: int

    def values(self, x: Array, upper: Array) -> Array:
        """Return the decisions for int64 [channels, n]; `upper` is k with its zero point."""
        wrapped = (x * self.factor[:, None] + self.summand[:, None]) & 0xFFFFFFFF
        difference = wrapped - ((wrapped >> 31) << 32)
        k = upper - self.zero
        odd = np.abs(2 * k - 1)
        for shift in SMEARED:
            odd = odd | odd >> shift
        reach = (odd - (odd >> 1)) << self.exponent - SIGNIFICANT - 1
        least = np.where(k & 1, reach, -reach - 1)
        return upper - 1 + (difference > least)

    def append(self, body: Body, x: SSAValue, upper: SSAValue, factor: SSAValue, summand: SSAValue) -> SSAValue:
        """Append the decision; factor and summand are those of a channel."""
        difference = body.op(arith.AddiOp(body.op(arith.MuliOp(x, factor)), summand))
        k = body.sub(upper, self.zero) if self.zero else upper
        odd = body.absolute(body.sub(body.add(k, k), 1))
        for shift in SMEARED:
            odd = body.op(arith.OrIOp(odd, body.shift_right(odd, shift)))
        reach = body.shift_left(body.sub(odd, body.shift_right(odd, 1)), self.exponent - SIGNIFICANT - 1)
        beyond = body.sub(body.constant(-1, i32), reach)
        is_odd = body.compare(body.op(arith.AndIOp(k, body.constant(1, i32))), "eq", 1)
        is_upper = body.compare(difference, "sgt", body.select(is_odd, reach, beyond))
        return body.select(is_upper, upper, body.sub(upper, 1))


def halves_of(code: Slice, ends: Array) -> Halves | None:
    """
    Return the decision for a slice of one sum; None where it is no product of a float and an integer of 24 bits.

    `ends`, int64 [channels, 2], are the least and the greatest sum.
    """
    op, lines = code.requantization, code.lines()
    if not isinstance(op, RescaleOp) or len(lines) < len(code.ops):
        return None
    scale, (factor, summand) = code.channels[op.scale], lines[-1]
    if scale is None or int(np.abs(ends * factor[:, None] + summand[:, None]).max()) >= 1 << SIGNIFICANT:
        return None
    scale = scale.astype(np.float64)
    used = scale[scale > 0]
    if not used.size:
        return None
    _, exponents = np.frexp(used)
    exponent = max(LEAST_EXPONENT, SIGNIFICANT - int(exponents.min()))
    if exponent > LARGEST_EXPONENT:
        return None
    whole = np.array([int(number) for number in np.ldexp(scale, exponent)], object)
    return Halves(_wrapped(whole * factor), _wrapped(whole * summand), exponent, op.zero.value.data)


def _wrapped(numbers: Array) -> Array:
    """Return Python integers as int64 that are equal modulo 2^32, and fit 32 bits."""
    return np.array([((int(number) + (1 << 31)) & 0xFFFFFFFF) - (1 << 31) for number in numbers], np.int64)
