"""
Closed intervals of integers, and those of types and quantisers.

Their ends are Python integers, so nothing overflows here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from ....ir import Array


@dataclass(frozen=True)
class Range:
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    @staticmethod
    def of_bits(width: int, *, signed: bool) -> Range:
        """Return the range of an integer type."""
        return Range(-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else Range(0, (1 << width) - 1)

    @staticmethod
    def of_array(values: Array) -> Range:
        """Return the range of an array of integers, however they are encoded."""
        return Range(int(values.min()), int(values.max())) if values.size else Range(0, 0)

    def __or__(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def __add__(self, other: Range | int) -> Range:
        other = _as_range(other)
        return Range(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low)

    def __sub__(self, other: Range | int) -> Range:
        return self + -_as_range(other)

    def __rsub__(self, other: int) -> Range:
        return -self + other

    def __mul__(self, other: Range | int) -> Range:
        other = _as_range(other)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(corners), max(corners))

    __radd__, __rmul__ = __add__, __mul__

    def __rshift__(self, shift: int) -> Range:
        return Range(self.low >> shift, self.high >> shift)

    def __contains__(self, other: Range) -> bool:
        return self.low <= other.low and other.high <= self.high

    def clip(self, low: int, high: int) -> Range:
        """Return the range of min(max(x, low), high)."""
        return Range(min(max(self.low, low), high), min(max(self.high, low), high))

    def squared(self) -> Range:
        """Return the range of x * x."""
        low = 0 if self.low <= 0 <= self.high else min(self.low**2, self.high**2)
        return Range(low, max(self.low**2, self.high**2))

    def unsigned(self, width: int) -> Range:
        """Return the range of the integers of `width` bits read as unsigned numbers."""
        if self.low < 0 <= self.high:
            return Range.of_bits(width, signed=False)
        return self if self.low >= 0 else self + (1 << width)

    @property
    def magnitude(self) -> int:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))


def symmetric(magnitude: int) -> Range:
    """Return the range from -magnitude to magnitude."""
    return Range(-magnitude, magnitude)


def range_of_element(type: Attribute) -> Range:
    """Return the range of an integer type of the graph level."""
    integer = cast("IntegerType[Any, Any]", type)
    return Range.of_bits(integer.width.data, signed=integer.signedness.data is not Signedness.UNSIGNED)


def levels_range(levels: int, *, signed: bool) -> Range:
    """Return the value range of a quantiser with `levels` levels."""
    return Range(-(levels // 2), levels // 2 - 1) if signed else Range(0, levels - 1)


def _as_range(value: Range | int) -> Range:
    return value if isinstance(value, Range) else Range(value, value)
