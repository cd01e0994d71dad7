"""Loops of transposes of bytes: blocks of 4 x 4 are loaded and stored as words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import Operation

from ....dialects.core.kernel import Access, Kernel, per_kernel
from ....ir import element_of
from ....passes.loops.blocks import PartLoops, parts
from ....passes.loops.nest import PARALLEL, Nest
from ..dialects.cluster.instructions import transpose
from .rows import copied_source

SIDE = 4
"""Rows, and columns, of a block: the bytes of a word."""


class TransposedLoops(NamedTuple):
    """Loops of a transpose: along `columns` the input is contiguous, along `rows` the output."""

    rows: int
    columns: int


@per_kernel
def transposed_loops(kernel: Kernel) -> TransposedLoops | None:
    """Match a kernel as a copy of bytes between buffers that are contiguous along different loops; None for others."""
    source = copied_source(kernel)
    if source is None or source.fill is not None or element_of(source.value) != i8:
        return None
    columns, rows = (_contiguous(access) for access in (source, kernel.outputs[0]))
    return None if columns is None or rows is None or columns == rows else TransposedLoops(rows, columns)


def _contiguous(access: Access) -> int | None:
    """Return the loop along which consecutive iterations access consecutive elements, and nothing else moves."""
    type = access.value.type
    strides = cast("MemRefType[Any]", type).get_strides() if isinstance(type, MemRefType) else [1]
    if not access.map.results or not strides or strides[-1] != 1:
        return None
    *outer, last = access.forms
    dims = [dim for dim, factor in last.terms if isinstance(dim, int) and factor == 1]
    is_alone = len(last.terms) == len(dims) == 1 and not any(dims[0] in form.dims() for form in outer)
    return dims[0] if is_alone else None


def transposes_blocks(transposed: TransposedLoops | None, bounds: Sequence[int]) -> bool:
    """Return whether a transpose has whole blocks."""
    return transposed is not None and min(bounds[transposed.rows], bounds[transposed.columns]) >= SIDE


def lower_transpose(kernel: Kernel, nest: Nest, transposed: TransposedLoops) -> None:
    """Build the loops over all but rows and columns, then over strips of 4 rows, with a `cluster.transpose` each."""
    loops, source = PartLoops(kernel, nest), copied_source(kernel)
    assert source is not None
    with loops.over([dim for dim in range(len(kernel.bounds)) if dim not in transposed], [PARALLEL]):
        for strip in parts(0, kernel.bounds[transposed.rows], SIDE):
            # A loop that cores share, even of one turn: the mark says that a core may do it alone.
            with loops.blocks("strip", strip, shared=True) as first:
                loops.position |= {transposed.rows: first, transposed.columns: 0}
                nest.insert(_transpose(loops, source, transposed, strip.size))


def _transpose(loops: PartLoops, source: Access, transposed: TransposedLoops, rows: int) -> Operation:
    """Return the op that transposes some rows from the current position."""
    nest, target, bounds = loops.nest, loops.kernel.outputs[0], loops.kernel.bounds
    return transpose(
        (source.value, loops.indices_of(source)),
        (target.value, loops.indices_of(target)),
        nest.value(bounds[transposed.columns]),
        rows=rows,
        x_row=(source.axis_of(transposed.rows), 1),
        out_row=(target.axis_of(transposed.columns), 1),
    )
