"""Buffers in rows: blocks of DIM elements along one axis of a tile, and loops over their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.layouts import layout_map
from ...errors import Diagnostic
from ...ir import shape_of
from ...passes.loops.blocks import parts
from ...passes.loops.nest import Index, Nest
from .dialects.gemmini import DIM

Visit = Callable[[Sequence[Index], Index], None]
"""Takes the indices of a first row along the axes that are not in blocks, and the number of rows."""


@dataclass(frozen=True)
class Rows:
    """Buffer whose axis `axis` is in blocks of DIM, and whose other axes are rows."""

    axis: int
    others: tuple[int, ...]
    extents: tuple[int, ...]
    """Extents along `others`."""

    @property
    def order(self) -> tuple[int, ...]:
        """The axes in the order of memory, if far rows are contiguous."""
        return *self.others, self.axis

    def distance(self, place: int) -> int:
        """Return the rows between neighbours along one of the other axes, by its number among them."""
        found = 1
        for extent in self.extents[place + 1 :]:
            found *= extent
        return found


def rows_of(value: SSAValue) -> Rows:
    """Return a near buffer as rows. Raises Diagnostic for one that is in no blocks of DIM."""
    lead, shape = layout_map(value.type), shape_of(value)
    rank = len(shape)
    for axis in range(rank):
        others = tuple(each for each in range(rank) if each != axis)
        if lead == _in_blocks(rank, axis, others):
            return Rows(axis, others, tuple(shape[each] for each in others))
    raise Diagnostic(
        "a buffer of the array is not in rows",
        expected=f"a layout in blocks of {DIM} elements along one axis (blocked in the machine's file)",
        found=str(cast("MemRefType[Any]", value.type)),
    )


def _in_blocks(rank: int, axis: int, others: Sequence[int]) -> AffineMap:
    dims = [AffineExpr.dimension(each) for each in range(rank)]
    return AffineMap(rank, 0, (dims[axis] // DIM, *(dims[each] for each in others), dims[axis] % DIM))


def chunks(nest: Nest, low: Index, high: Index, size: int, visit: Callable[[Index, Index], None]) -> None:
    """Emit a loop over an interval in chunks of at most `size`: `visit` takes the first index and the number."""
    if isinstance(low, int) and isinstance(high, int):
        for part in parts(low, high, size):
            first: Index = part.start
            if part.count > 1:
                (index,) = nest.open("i", 0, part.count)
                first = nest.add(nest.mul(index, size), part.start)
            visit(first, part.size)
            nest.close_all(1 if part.count > 1 else 0)
        return
    count = nest.div(nest.add(nest.sub(high, low), size - 1), size)
    (index,) = nest.open("i", 0, count)
    first = nest.add(low, nest.mul(index, size))
    visit(first, nest.least([nest.sub(high, first), size]))
    nest.close()


def each_row(nest: Nest, bounds: Sequence[tuple[Index, Index]], visit: Visit) -> None:
    """Emit loops over rows in a box, in chunks of DIM along the last axis."""
    outer: list[Index] = []
    opened = 0
    for low, high in bounds[:-1]:
        if isinstance(low, int) and high == low + 1:
            outer.append(low)
            continue
        outer.append(nest.open("r", low, high)[0])
        opened += 1
    chunks(nest, *bounds[-1], DIM, lambda first, count: visit([*outer, first], count))
    nest.close_all(opened)
