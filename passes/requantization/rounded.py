"""
Products with a float that are rounded twice, in integers: to a float of 24 bits, then to an integer, halves to even.

Both roundings together are one of the exact product, but for products next to a half: what is no further from it than
half of the last bit of a float becomes the half itself, and so the even one of its neighbours. Of what is after the
point 32 bits are looked at, so that a product that is exactly so far above a half counts as one that is further.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ir import Array

SIGNIFICANT = 24
"""The bits of a float."""
WORD_BITS = 32
HALF_BIT = WORD_BITS - SIGNIFICANT - 1
"""By how many bits twice the highest bit of a float is, in a word of what is after the point, half of its last bit."""
SMEARED = (1, 2, 4, 8)
"""Shifts by which the bits of a number below 2^16 are spread to all places under its highest."""


@dataclass(frozen=True)
class RoundedProduct:
    """
    `round(f32(x * factor / 2^(32 + right)))`, halves to even, for `x` clipped `within` two numbers.

    `factor` is int64 [channels], below 2^31. `signed` says whether results may be negative.
    """

    within: tuple[int, int]
    factor: Array
    right: int
    signed: bool

    def values(self, x: Array) -> Array:
        """Return the results for int64 [channels, n]."""
        exact = np.clip(x, *self.within) * self.factor[:, None] + (1 << (WORD_BITS - 1 + self.right))
        down, part = exact >> (WORD_BITS + self.right), exact >> self.right & ((1 << WORD_BITS) - 1)
        up = down + (part >> (WORD_BITS - 1))
        twice = np.abs(2 * up - 1)
        for shift in SMEARED:
            twice = twice | twice >> shift
        reach = (twice - (twice >> 1)) << HALF_BIT
        is_half = (part + reach & ((1 << WORD_BITS) - 1)) < 2 * reach
        return np.where(is_half, up & ~1, down)


def rounded_product(scale: Array, least: Array, most: Array) -> RoundedProduct | None:
    """
    Return the product of integers and floats of 32 bits, not negative, [channels]; None where it takes more bits.

    The integers are those from `least` to `most`, int64 [channels]: others give what the nearer of these gives.
    """
    mantissas, exponents = np.frexp(scale.astype(np.float64))
    used = exponents[mantissas > 0]
    if not used.size:
        return None
    # A factor below 2^31 has 7 bits more than a float, for channels of smaller scales.
    right = -1 - int(used.max())
    within = int(least.min()), int(most.max())
    reached = max(abs(end) for end in within) * float(scale.max())
    if not 1 <= right < WORD_BITS or max(map(abs, within)) >= 1 << SIGNIFICANT or reached >= 1 << 14:
        return None
    factor = np.ldexp(scale.astype(np.float64), WORD_BITS + right)
    if bool((factor != np.rint(factor)).any()):
        return None
    return RoundedProduct(within, factor.astype(np.int64), right, within[0] < 0)
