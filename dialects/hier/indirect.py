"""
Indirect tiles: an element of a table, such as a page table, gives the tile's first element along an axis.

    ins(%tt = %table : memref<2x4xi32>,
        %kt = %pool[%table[%h, %i] in [0, 64) * 16, 0] [16, 32] in "SRAM" stages 2 : memref<1024x32xf32>)

The range is declared: proofs rest on it, and each run checks the entries that it looks up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntAttr, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, shape_of, where
from ..core.analysis.affine_form import Linear, linear
from ..core.effect_traits import DeclaredRange, ElementEffects
from ..core.nesting import nested_ops
from ..core.semantics import Runner, Value, semantics
from ..core.syntax.affine import affine_text

if TYPE_CHECKING:
    from .grid import GridOp
    from .tiles import TileAttr


@irdl_attr_definition
class LookupAttr(ParametrizedAttribute):
    """
    Lookup of a table element, as a function of the grid point: the operand's number, the indices, and the range.

        #hier.lookup<0 at (d0, d1) -> (d0, d1) in [0, 64)>
    """

    name = "hier.lookup"

    table: IntAttr
    map: AffineMapAttr
    low: IntAttr
    high: IntAttr

    @property
    def operand(self) -> int:
        """The number of the table among the grid's operands."""
        return self.table.data

    @property
    def range(self) -> tuple[int, int]:
        """The least entry, and the one after the greatest."""
        return self.low.data, self.high.data

    def verify(self) -> None:
        _verify_range(*self.range)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            table = IntAttr(parser.parse_integer())
            parser.parse_keyword("at")
            map = cast(AffineMapAttr, parser.parse_attribute())
            return [table, map, *_limits(_parse_range(parser))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.operand} at ")
            printer.print_attribute(self.map)
            printer.print_string(f" {_range_text(*self.range)}")


def _limits(limits: tuple[int, int]) -> tuple[IntAttr, IntAttr]:
    """Return a range as attributes."""
    return IntAttr(limits[0]), IntAttr(limits[1])


def _verify_range(low: int, high: int) -> None:
    if low >= high:
        raise VerifyException(f"the range of a table is empty: {_range_text(low, high)}")


def _range_text(low: int, high: int) -> str:
    return f"in [{low}, {high})"


def _parse_range(parser: AttrParser) -> tuple[int, int]:
    """Parse `in [0, 64)`."""
    parser.parse_keyword("in")
    parser.parse_punctuation("[")
    low = parser.parse_integer()
    parser.parse_punctuation(",")
    high = parser.parse_integer()
    parser.parse_punctuation(")")
    return low, high


# Tiles


def lookups_of(tile: TileAttr) -> tuple[LookupAttr, ...]:
    """Return the lookups of a tile, one per symbol of its map."""
    return () if isinstance(tile.lookups, NoneAttr) else tuple(tile.lookups)


def looked_up_by(tile: TileAttr) -> set[int]:
    """Return the grid dimensions that the entries of a tile depend on."""
    return {dim for lookup in lookups_of(tile) for expr in lookup.map.data.results for dim in expr.used_dims()}


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


def verify_lookups(grid: GridOp, index: int, tile: TileAttr) -> None:
    """Raise VerifyException for a tile whose lookups do not agree with the grid's operands."""
    lookups, what = lookups_of(tile), f"the tile of operand {index}"
    if tile.map.data.num_symbols != len(lookups):
        raise VerifyException(f"{what} has {len(lookups)} lookups, its map {tile.map.data.num_symbols} symbols")
    if not lookups:
        return
    if index >= len(grid.inputs):
        raise VerifyException(f"{what} is an output, only inputs are looked up: two entries may be equal")
    if tile.level_name is None and tile.output is None:
        raise VerifyException(f"{what} is looked up, and needs a level")
    for lookup in lookups:
        _verify_lookup(grid, lookup, what)


def _verify_lookup(grid: GridOp, lookup: LookupAttr, what: str) -> None:
    if not 0 <= lookup.operand < len(grid.inputs):
        raise VerifyException(f"{what} is looked up in operand {lookup.operand}, expected one of the inputs")
    table, tile = grid.operands[lookup.operand], grid.tiles.data[lookup.operand]
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


def entries_of(grid: GridOp, tile: TileAttr, operands: Sequence[Any], point: Sequence[int]) -> list[int]:
    """Return the table entries of a tile at a grid point. Raises Diagnostic for one outside of its range."""
    found: list[int] = []
    for lookup in lookups_of(tile):
        indices = lookup.map.data.eval(list(point), [])
        name = _table_name(grid.operands[lookup.operand], f"operand {lookup.operand} of the grid")
        found.append(_checked(grid, name, operands[lookup.operand], indices, lookup.range))
    return found


def _table_name(value: SSAValue, otherwise: str) -> str:
    return f"%{value.name_hint}" if value.name_hint else otherwise


def _checked(op: Operation, name: str, table: Array, indices: Sequence[int], limits: tuple[int, int]) -> int:
    if any(not 0 <= index < extent for index, extent in zip(indices, table.shape, strict=True)):
        raise Diagnostic(
            f"the table {name} has no element {list(indices)}",
            where=where(op),
            expected=f"indices within {list(table.shape)}",
        )
    entry = int(table[tuple(indices)])
    if limits[0] <= entry < limits[1]:
        return entry
    raise Diagnostic(
        f"entry {list(indices)} of the table {name} is out of its range",
        where=where(op),
        expected=f"a number {_range_text(*limits)}",
        found=str(entry),
        remedy="correct the table, or declare the range that its entries have",
    )


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
    entry = name, tuple(indices), _parse_range(parser)
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
        found.append(LookupAttr(IntAttr(names.index(name)), map, *_limits(limits)))
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
        printer.print_string(f"[{indices}] {_range_text(*lookup.range)}")


# The explicit level


@irdl_op_definition
class LookupOp(IRDLOperation):
    """
    Load an index from a table; it must be in the declared range.

        %page = hier.lookup %table[%h, %i] in [0, 64) : memref<2x4xi32>

    The range bounds what is accessed at the index, without the table's content. Every run checks it.
    """

    name = "hier.lookup"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    low = prop_def(IntAttr)
    high = prop_def(IntAttr)
    result = result_def(IndexType)
    traits = traits_def(ElementEffects(MemoryEffectKind.READ), DeclaredRange())

    def __init__(self, table: SSAValue, indices: Sequence[SSAValue], limits: tuple[int, int]):
        low, high = _limits(limits)
        super().__init__(
            operands=[table, list(indices)],
            properties={"low": low, "high": high},
            result_types=[IndexType()],
        )

    @property
    def range(self) -> tuple[int, int]:
        """The least entry, and the one after the greatest."""
        return self.low.data, self.high.data

    def verify_(self) -> None:
        _verify_range(*self.range)
        if not isinstance(element_of(self.memref), IntegerType | IndexType):
            raise VerifyException(f"expected a table of integers, found {self.memref.type}")
        if len(self.indices) != len(shape_of(self.memref)):
            raise VerifyException(f"expected {len(shape_of(self.memref))} indices, found {len(self.indices)}")

    @classmethod
    def parse(cls, parser: Parser) -> LookupOp:
        start = parser.pos
        table = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        limits = _parse_range(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        values = parser.resolve_operands(indices, [IndexType()] * len(indices), start)
        op = cls(parser.resolve_operand(table, type), values, limits)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(f" {_range_text(*self.range)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@semantics(LookupOp)
def _lookup(runner: Runner, op: LookupOp, operands: Sequence[Value]) -> list[Value]:
    table, *indices = operands
    entries = runner.interleaving.order.entries
    if entries != "held":
        low, high = op.range
        return [np.int64(low if entries == "low" else high - 1)]
    name = _table_name(op.memref, "operand 0")
    return [np.int64(_checked(op, name, table, [int(index) for index in indices], op.range))]
