"""
Indirect tiles: an element of a table, such as a page table, gives the tile's first element along an axis.

    ins(%tt = %table : memref<2x4xi32>,
        %kt = %pool[%table[%h, %i] in [0, 64) * 16, 0] [16, 32] in "SRAM" stages 2 : memref<1024x32xf32>)

The range is declared: proofs rest on it, and each run checks the entries that it looks up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.analysis.affine_form import Linear, linear
from ..core.nesting import nested_ops
from .lookups import LookupOp, checked_entry, table_name
from .offsets import LookupAttr
from .tiles import TileAttr


def free_map(tile: TileAttr) -> tuple[AffineExpr, ...]:
    """Return the offsets of a tile with each looked-up entry as a dimension after those of the grid."""
    lead = tile.map.data
    if not lead.num_symbols:
        return lead.results
    dims = [AffineExpr.dimension(dim) for dim in range(lead.num_dims)]
    entries = [AffineExpr.dimension(lead.num_dims + number) for number in range(lead.num_symbols)]
    return tuple(expr.replace_dims_and_symbols(dims, entries) for expr in lead.results)


def free_forms(tile: TileAttr, bounds: Sequence[int]) -> tuple[tuple[Linear, ...], tuple[int, ...]]:
    """
    Return the offsets of a tile as affine forms, and the extents of their dimensions.

    After the dimensions of the grid, each lookup has one: its entry less the least of the declared range.
    """
    ranges = [lookup.range for lookup in tile.lookups]
    if not ranges:
        return tuple(linear(expr) for expr in tile.map.data.results), tuple(bounds)
    dims = [AffineExpr.dimension(dim) for dim in range(len(bounds))]
    entries = [AffineExpr.dimension(len(bounds) + k) + low for k, (low, _) in enumerate(ranges)]
    forms = tuple(linear(expr.replace_dims_and_symbols(dims, entries)) for expr in tile.map.data.results)
    return forms, (*bounds, *(high - low for low, high in ranges))


class GridOperands(NamedTuple):
    """Operands of a grid with their tiles, the inputs first, and the extents of the grid."""

    operands: Sequence[SSAValue]
    tiles: Sequence[TileAttr]
    inputs: int
    bounds: Sequence[int]


def verify_lookups(grid: GridOperands, index: int) -> None:
    """Raise VerifyException for a tile whose lookups do not agree with the grid's operands."""
    tile = grid.tiles[index]
    lookups, what = tile.lookups, f"the tile of operand {index}"
    if tile.map.data.num_symbols != len(lookups):
        raise VerifyException(f"{what} has {len(lookups)} lookups, its map {tile.map.data.num_symbols} symbols")
    if not lookups:
        return
    if index >= grid.inputs:
        raise VerifyException(f"{what} is an output, only inputs are looked up: two entries may be equal")
    if tile.is_in_place:
        raise VerifyException(f"{what} is looked up, and needs a level")
    for lookup in lookups:
        _verify_lookup(grid, lookup, what)


def _verify_lookup(grid: GridOperands, lookup: LookupAttr, what: str) -> None:
    if not 0 <= lookup.operand < grid.inputs:
        raise VerifyException(f"{what} is looked up in operand {lookup.operand}, expected one of the inputs")
    table, tile = grid.operands[lookup.operand], grid.tiles[lookup.operand]
    if not isinstance(element_of(table), IntegerType | IndexType):
        raise VerifyException(f"{what} is looked up in operand {lookup.operand} of {table.type}, expected integers")
    if not tile.is_in_place or tile.extents != shape_of(table):
        raise VerifyException(f"{what} is looked up in operand {lookup.operand}, which must be whole and in place")
    lead = lookup.map.data
    if (lead.num_dims, lead.num_symbols, len(lead.results)) != (len(grid.bounds), 0, len(shape_of(table))):
        raise VerifyException(f"{what} needs {len(shape_of(table))} indices of operand {lookup.operand}")
    for axis, (expr, extent) in enumerate(zip(lead.results, shape_of(table), strict=True)):
        low, high = linear(expr).interval(grid.bounds)
        if low < 0 or high >= extent:
            actual = f"indices {low} to {high} of {extent} along axis {axis}"
            raise VerifyException(f"{what} is looked up outside of operand {lookup.operand}: {actual}")


def entries_of(grid: Operation, tile: TileAttr, operands: Sequence[Any], point: Sequence[int]) -> list[int]:
    """Return the table entries of a tile at a grid point. Raises Diagnostic for one outside of its range."""
    entries: list[int] = []
    for lookup in tile.lookups:
        indices = lookup.map.data.eval(list(point), [])
        name = table_name(grid.operands[lookup.operand], f"operand {lookup.operand} of the grid")
        entries.append(checked_entry(grid, name, operands[lookup.operand], indices, lookup.range))
    return entries


def ranges_of_tables(function: Operation) -> dict[SSAValue, tuple[int, int]]:
    """Return the declared range of each buffer that is looked up as a table: the least entry, and one more than all."""
    ranges: dict[SSAValue, tuple[int, int]] = {}
    for op in nested_ops(function):
        pairs = [(op.memref, op.range)] if isinstance(op, LookupOp) else []
        tiles = cast("ArrayAttr[Any]", op.properties["tiles"]) if op.name == "hier.grid" else ()
        pairs += [(op.operands[lookup.operand], lookup.range) for tile in tiles for lookup in tile.lookups]
        for table, (low, high) in pairs:
            least, end = ranges.get(table, (low, high))
            ranges[table] = max(low, least), min(high, end)
    return ranges
