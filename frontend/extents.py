"""
Data-dependent sizes: a tensor is allocated at its bound, and records the axes along which fewer entries are valid.

An extent is a scalar of the run with a bound known at import. `Extents` keeps those of each tensor's axes, and those
that tensors of shapes hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Key = tuple[Any, ...]


@dataclass(frozen=True)
class CountedExtent:
    """
    A number of entries: that in the scalar tensor `count`, of i64, which is from 0 to `bound`.

    Extents of one `key` are equal in every run: it says how they come about.
    """

    key: Key
    count: str = field(compare=False)
    bound: int = field(compare=False)


Size = int | CountedExtent
Axes = dict[int, CountedExtent]


def bound_of(size: Size) -> int:
    """Return the most that a size can be."""
    return size if isinstance(size, int) else size.bound


def key_of(size: Size) -> Any:
    """Return the canonical key of equal sizes."""
    return size if isinstance(size, int) else size.key


@dataclass
class Extents:
    """Symbolic sizes of a graph: `axes` of its tensors, and flattened `values` of tensors that hold sizes."""

    outer: Extents | None = None
    axes: dict[str, Axes] = field(default_factory=dict[str, Axes])
    values: dict[str, tuple[Size, ...]] = field(default_factory=dict[str, tuple[Size, ...]])

    def of(self, name: str) -> Axes:
        """Return the axes of a tensor whose extent depends on data."""
        extents = self.axes.get(name)
        return extents if extents is not None else self.outer.of(name) if self.outer is not None else {}

    def held(self, name: str) -> tuple[Size, ...] | None:
        """Return the data-dependent sizes that a tensor holds, None where it holds none."""
        sizes = self.values.get(name)
        return self.outer.held(name) if sizes is None and self.outer is not None else sizes

    def touch(self, names: Sequence[str]) -> bool:
        """Return whether one of these tensors has, or holds, an extent."""
        return any(self.of(name) or self.held(name) is not None for name in names if name)
