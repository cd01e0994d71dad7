"""
Indirect tiles: an element of a table, such as a page table, gives the tile's first element along an axis.

    ins(%tt = %table : memref<2x4xi32>,
        %kt = %pool[%table[%h, %i] in [0, 64) * 16, 0] [16, 32] in "SRAM" stages 2 : memref<1024x32xf32>)

The range is declared: proofs rest on it, and each run checks the entries that it looks up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.analysis.affine_form import Linear, linear
from ..core.nesting import nested_ops
from ..core.syntax.affine import affine_text
from .lookups import LookupAttr, LookupOp, checked_entry, limit_attributes, parse_range, range_text, table_name
from .tiles import TileAttr, lookups_of

# Tiles


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
    ranges = [lookup.range for lookup in lookups_of(tile)]
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
    lookups, what = lookups_of(tile), f"the tile of operand {index}"
    if tile.map.data.num_symbols != len(lookups):
        raise VerifyException(f"{what} has {len(lookups)} lookups, its map {tile.map.data.num_symbols} symbols")
    if not lookups:
        return
    if index >= grid.inputs:
        raise VerifyException(f"{what} is an output, only inputs are looked up: two entries may be equal")
    if tile.level_name is None and tile.output is None:
        raise VerifyException(f"{what} is looked up, and needs a level")
    for lookup in lookups:
        _verify_lookup(grid, lookup, what)


def _verify_lookup(grid: GridOperands, lookup: LookupAttr, what: str) -> None:
    if not 0 <= lookup.operand < grid.inputs:
        raise VerifyException(f"{what} is looked up in operand {lookup.operand}, expected one of the inputs")
    table, tile = grid.operands[lookup.operand], grid.tiles[lookup.operand]
    if not isinstance(element_of(table), IntegerType | IndexType):
        raise VerifyException(f"{what} is looked up in operand {lookup.operand} of {table.type}, expected integers")
    if tile.level_name is not None or tile.extents != shape_of(table):
        raise VerifyException(f"{what} is looked up in operand {lookup.operand}, which must be whole and in place")
    lead = lookup.map.data
    if (lead.num_dims, lead.num_symbols, len(lead.results)) != (len(grid.bounds), 0, len(shape_of(table))):
        raise VerifyException(f"{what} needs {len(shape_of(table))} indices of operand {lookup.operand}")
    for axis, (expr, extent) in enumerate(zip(lead.results, shape_of(table), strict=True)):
        low, high = linear(expr).interval(grid.bounds)
        if low < 0 or high >= extent:
            found = f"indices {low} to {high} of {extent} along axis {axis}"
            raise VerifyException(f"{what} is looked up outside of operand {lookup.operand}: {found}")


def entries_of(grid: Operation, tile: TileAttr, operands: Sequence[Any], point: Sequence[int]) -> list[int]:
    """Return the table entries of a tile at a grid point. Raises Diagnostic for one outside of its range."""
    found: list[int] = []
    for lookup in lookups_of(tile):
        indices = lookup.map.data.eval(list(point), [])
        name = table_name(grid.operands[lookup.operand], f"operand {lookup.operand} of the grid")
        found.append(checked_entry(grid, name, operands[lookup.operand], indices, lookup.range))
    return found


def ranges_of_tables(function: Operation) -> dict[SSAValue, tuple[int, int]]:
    """Return the declared range of each buffer that is looked up as a table: the least entry, and one more than all."""
    found: dict[SSAValue, tuple[int, int]] = {}
    for op in nested_ops(function):
        pairs = [(op.memref, op.range)] if isinstance(op, LookupOp) else []
        tiles = cast("ArrayAttr[Any]", op.properties["tiles"]) if op.name == "hier.grid" else ()
        pairs += [(op.operands[each.operand], each.range) for tile in tiles for each in lookups_of(tile)]
        for table, (low, high) in pairs:
            least, end = found.get(table, (low, high))
            found[table] = max(low, least), min(high, end)
    return found


# Syntax


Entry: TypeAlias = "tuple[str, tuple[AffineExpr, ...], tuple[int, int]]"
"""Lookup as it is parsed: the name of the table, the indices, the range."""


def parse_entry(parser: Parser, name: str, index: Callable[[], AffineExpr], found: list[Entry]) -> AffineExpr | None:
    """Parse `[%h, %i] in [0, 64)` after the name of a table; return its symbol, None where no index follows."""
    indices = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, index)
    if indices is None:
        return None
    entry = name, tuple(indices), parse_range(parser)
    if entry not in found:
        found.append(entry)
    return AffineExpr.symbol(found.index(entry))


def resolve_entries(parser: Parser, entries: Sequence[Entry], names: Sequence[str], rank: int) -> Attribute:
    """Return the lookups of a tile; `names` has those of the grid's inputs, `rank` is that of the grid."""
    found: list[LookupAttr] = []
    for name, indices, limits in entries:
        if name not in names:
            parser.raise_error(f"the table %{name} is no input of the grid: list it, whole and in place")
        map = AffineMapAttr(AffineMap(rank, 0, indices))
        found.append(LookupAttr(IntAttr(names.index(name)), map, *limit_attributes(limits)))
    return ArrayAttr(found) if found else NoneAttr()


def print_offset(
    printer: Printer, offset: AffineExpr, tile: TileAttr, operands: Sequence[SSAValue], dims: Sequence[str]
) -> None:
    """Print `%table[%h, %i] in [0, 64) * 16`, an offset of a tile."""
    lookups = lookups_of(tile)
    # The names of tables are known to the printer alone.
    text = affine_text(offset, dims, [f"\0{number}\0" for number in range(len(lookups))])
    for turn, part in enumerate(text.split("\0")):
        if turn % 2 == 0:
            printer.print_string(part)
            continue
        lookup = lookups[int(part)]
        printer.print_ssa_value(operands[lookup.operand])
        indices = ", ".join(affine_text(expr, dims) for expr in lookup.map.data.results)
        printer.print_string(f"[{indices}] {range_text(*lookup.range)}")
