"""Ranges of data-dependent indices: what is accessed at one is somewhere within its declared range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Range:
    """Index that depends on data, from `low` to `high`, both included."""

    low: int
    high: int

    def __add__(self, other: Index) -> Range:
        low, high = ends(other)
        return Range(self.low + low, self.high + high)

    def __mul__(self, other: Index) -> Range:
        products = [mine * theirs for mine in ends(self) for theirs in ends(other)]
        return Range(min(products), max(products))

    def __sub__(self, other: Index) -> Range:
        return self + other * -1

    def __rsub__(self, other: int) -> Range:
        return self * -1 + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


Index: TypeAlias = "int | Range"


def ends(index: Index) -> tuple[int, int]:
    """Return the least and the greatest value of an index."""
    return (index.low, index.high) if isinstance(index, Range) else (index, index)


def extent_of(index: Index, size: int) -> int:
    """Return the elements from the first that `size` elements at an index may touch to the last."""
    low, high = ends(index)
    return high - low + size
