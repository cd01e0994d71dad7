"""Buffers in rows: blocks of DIM elements along one axis of a tile, and loops over their rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap

from ...dialects.core.instruction import Instruction
from ...dialects.core.layouts import layout_map
from ...dialects.core.scalars import Index
from ...errors import Diagnostic
from ...ir import shape_of
from ...passes.loops.blocks import parts
from ...passes.loops.nest import Nest

Visit = Callable[[Sequence[Index], Index], None]
"""Takes the indices of a first row along the axes that are not in blocks, and the number of rows."""


@dataclass(frozen=True)
class BufferRows:
    """Buffer whose axis `axis` is in blocks of `dim`, and whose other axes are rows."""

    axis: int
    others: tuple[int, ...]
    extents: tuple[int, ...]
    """Extents along `others`."""
    dim: int
    """Elements of a row, as many as the array has columns."""

    @property
    def line(self) -> int:
        """Number, among `others`, of the last axis with more than one row: its neighbours are neighbouring rows."""
        longer = [place for place, extent in enumerate(self.extents) if extent > 1]
        return longer[-1] if longer else len(self.others) - 1

    @property
    def order(self) -> tuple[int, ...]:
        """The axes with those of a line of rows and of columns last."""
        line = self.others[self.line]
        return *(axis for axis in self.others if axis != line), line, self.axis

    @property
    def count(self) -> int:
        """Rows of a block."""
        return prod(self.extents)

    def distance(self, number: int) -> int:
        """Return the rows between neighbours along one of the other axes, by its number among them."""
        return prod(self.extents[number + 1 :])


def rows_of(value: SSAValue) -> BufferRows:
    """Return a near buffer as rows. Raises Diagnostic for one that is in no blocks of rows."""
    lead, shape = layout_map(value.type), shape_of(value)
    rank, dim = len(shape), _dim(lead)
    for axis in range(rank):
        others = tuple(other for other in range(rank) if other != axis)
        if lead == _in_blocks(rank, axis, others, dim):
            return BufferRows(axis, others, tuple(shape[other] for other in others), dim)
    raise Diagnostic(
        "a buffer of the array is not in rows",
        expected="a layout in blocks of rows along one axis (blocked in the machine's file)",
        found=str(cast("MemRefType[Any]", value.type)),
    )


def _dim(lead: AffineMap | None) -> int:
    """Return the elements of a row: the modulus of a layout's last result, 1 where it has none."""
    last = lead.results[-1] if lead is not None else None
    if not isinstance(last, AffineBinaryOpExpr) or last.kind != AffineBinaryOpKind.Mod:
        return 1
    return last.rhs.value if isinstance(last.rhs, AffineConstantExpr) else 1


def _in_blocks(rank: int, axis: int, others: Sequence[int], dim: int) -> AffineMap:
    dims = [AffineExpr.dimension(position) for position in range(rank)]
    return AffineMap(rank, 0, (dims[axis] // dim, *(dims[other] for other in others), dims[axis] % dim))


def chunks(nest: Nest, low: Index, high: Index, size: int, visit: Callable[[Index, Index], None]) -> None:
    """Emit a loop over an interval in chunks of at most `size`: `visit` takes the first index and the number."""
    if isinstance(low, int) and isinstance(high, int):
        for part in parts(low, high, size):
            with nest.loop("i", 0, part.count) as index:
                visit(nest.add(nest.mul(index, size), part.start), part.size)
        return
    count = nest.div(nest.add(nest.sub(high, low), size - 1), size)
    with nest.loop("i", 0, count) as index:
        first = nest.add(low, nest.mul(index, size))
        visit(first, nest.min(nest.sub(high, first), size))


def each_row(nest: Nest, bounds: Sequence[tuple[Index, Index]], line: int, dim: int, visit: Visit) -> None:
    """Emit loops over rows in a box, in chunks of `dim` along the axis number `line`; those behind it have one row."""
    with over_rows(nest, [*bounds[:line], *bounds[line + 1 :]]) as at:

        def chunk(first: Index, count: Index) -> None:
            visit([*at[:line], first, *at[line:]], count)

        chunks(nest, *bounds[line], dim, chunk)


@contextmanager
def over_rows(nest: Nest, bounds: Sequence[tuple[Index, Index]]) -> Generator[list[Index]]:
    """Build in loops over intervals, and give their indices."""
    with ExitStack() as stack:
        yield [stack.enter_context(nest.loop("r", low, high)) for low, high in bounds]


def zero_rows(nest: Nest, value: SSAValue, zero: Instruction, box: Sequence[tuple[Index, Index]] | None = None) -> None:
    """Emit loads of 0 to the rows of a near buffer that reach into a box, an interval per axis; by default to all."""
    rows, sides = rows_of(value), box or [(0, extent) for extent in shape_of(value)]
    low, high = sides[rows.axis]
    blocks = nest.div(low, rows.dim), nest.div(nest.add(high, rows.dim - 1), rows.dim)

    def row(at: Sequence[Index], count: Index) -> None:
        nest.insert(zero((value, [nest.value(index) for index in (*at, 0)]), nest.value(count)))

    each_row(nest, [blocks, *(sides[axis] for axis in rows.others)], rows.line + 1, rows.dim, row)
