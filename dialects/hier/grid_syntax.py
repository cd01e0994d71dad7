"""
Custom syntax of `hier.grid`: the operands one a line, each with its tile and the buffer that the body gets of it.

    (%i) in [4] ins(%ta = %a[%i * 2, 0] [2, 64] in "L1" address 0 : memref<8x64xi8>)

The part `[offsets] [shape]` is left out of a tile that is the whole operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntAttr, MemRefType, NoneAttr
from xdsl.ir import BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer

from ...ir import shape_of
from .bodies import parse_body, print_body
from .indirect import Entry, parse_entry, print_offset, resolve_entries
from .tiles import ScratchAttr, TileAttr, buffer_types, parse_buffer, parse_placement


@dataclass
class Header:
    """A grid's point, operands and buffers as they are parsed; `arguments` are those of its body."""

    extents: Sequence[int] = ()
    dims: Sequence[Parser.UnresolvedArgument] = ()
    operands: dict[str, list[SSAValue]] = field(default_factory=lambda: {"ins": [], "outs": []})
    tiles: list[TileAttr] = field(default_factory=list[TileAttr])
    bodies: dict[int, Region] = field(default_factory=dict[int, Region])
    """Bodies of transfers, by operand."""
    scratch: list[ScratchAttr] = field(default_factory=list[ScratchAttr])
    arguments: list[Parser.Argument] = field(default_factory=list[Parser.Argument])
    buffers: list[Parser.UnresolvedArgument] = field(default_factory=list[Parser.UnresolvedArgument])
    """The arguments of the tiles, whose types follow once all operands are known."""
    names: list[str] = field(default_factory=list[str])
    """The names of the inputs, which tables are among."""
    entries: dict[int, list[Entry]] = field(default_factory=dict[int, list[Entry]])
    """Lookups of tiles, by operand."""


def parse_point(parser: Parser) -> Header:
    """Parse `(%i, %j) in [2, 3]`, which a grid of one point has not."""
    if parser.parse_optional_punctuation("(") is None:
        return Header()
    dims = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _argument(parser))
    parser.parse_punctuation(")")
    parser.parse_keyword("in")
    start = parser.pos
    extents = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    if len(extents) != len(dims):
        parser.raise_error(f"expected {len(dims)} extents, one per dimension, found {len(extents)}", start, parser.pos)
    return Header(extents, dims, arguments=[dim.resolve(IndexType()) for dim in dims])


def parse_buffers(parser: Parser, header: Header) -> None:
    """Parse `ins(...) outs(...) scratch(...)`, each of which may be absent."""
    for keyword in ("ins", "outs"):
        if parser.parse_optional_keyword(keyword) is not None:
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda k=keyword: _parse_tile(parser, header, k))
    _resolve_buffers(parser, header)
    if parser.parse_optional_keyword("scratch") is not None:
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_scratch(parser, header))


def _argument(parser: Parser) -> Parser.UnresolvedArgument:
    return parser.parse_argument(expect_type=False)


def _parse_tile(parser: Parser, header: Header, keyword: str) -> None:
    """Parse `%ta = %a[%i * 8, 0] [8, 64] in "L1" address 512 stages 2 fill 0 : i8 : memref<16x64xi8>`."""
    argument = _argument(parser)
    parser.parse_punctuation("=")
    unresolved = parser.parse_unresolved_operand()
    entries: list[Entry] = []
    offsets = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_offset(parser, header, entries)
    )
    extents: Sequence[int] = ()
    if offsets is not None:
        extents = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    placement = parse_placement(parser)
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected the type of a memref", start, parser.pos)
    type = cast("MemRefType[Any]", type)
    shape = type.get_shape()
    if offsets is None:
        offsets, extents = [AffineExpr.constant(0)] * len(shape), shape
    if (len(offsets), len(extents)) != (len(shape), len(shape)):
        expected = f"expected {len(shape)} offsets and extents of the tile"
        parser.raise_error(f"{expected}, found {len(offsets)} and {len(extents)}", start, parser.pos)
    value = parser.resolve_operand(unresolved, type)
    map = AffineMap(len(header.dims), len(entries), tuple(offsets))
    tile = TileAttr(ArrayAttr([IntAttr(extent) for extent in extents]), AffineMapAttr(map), *placement, NoneAttr())
    header.operands[keyword].append(value)
    if entries:
        header.entries[len(header.tiles)] = entries
    if keyword == "ins":
        header.names.append(_name(unresolved))
    if (body := parse_body(parser)) is not None:
        header.bodies[len(header.tiles)] = body
    header.tiles.append(tile)
    header.buffers.append(argument)


def _resolve_buffers(parser: Parser, header: Header) -> None:
    """Give the tiles their lookups, and the arguments of the tiles their types."""
    for index, entries in header.entries.items():
        lookups = resolve_entries(parser, entries, header.names, len(header.dims))
        header.tiles[index] = header.tiles[index].but(lookups=lookups)
    types = buffer_types(header.tiles, [*header.operands["ins"], *header.operands["outs"]], len(header.operands["ins"]))
    header.arguments += [argument.resolve(kind) for argument, kind in zip(header.buffers, types, strict=True)]


def _name(operand: UnresolvedOperand) -> str:
    return operand.operand_name + (f"#{operand.index}" if operand.index else "")


def _parse_offset(parser: Parser, header: Header, entries: list[Entry] | None = None) -> AffineExpr:
    """Parse an expression of the grid's dimensions, and of `entries` of tables: `%i * 8`, `%table[%i] in [0, 9)`."""

    def dimension() -> AffineExpr | None:
        start = parser.pos
        operand = parser.parse_optional_unresolved_operand()
        if operand is None:
            return None
        if operand.operand_name not in names:
            if entries is not None:
                index = parse_entry(parser, _name(operand), lambda: _parse_offset(parser, header), entries)
                if index is not None:
                    return index
            parser.raise_error(f"expected a dimension of the grid, found %{operand.operand_name}", start, parser.pos)
        return AffineExpr.dimension(names.index(operand.operand_name))

    names = [dim.name.text.lstrip("%") for dim in header.dims]
    # xDSL reads expressions of values only where these are operands.
    return AffineParser(parser._parser_state)._parse_affine_expr(dimension)  # pyright: ignore[reportPrivateUsage]


def _parse_scratch(parser: Parser, header: Header) -> None:
    """Parse `%sum : memref<8x10xi32, "L1"> address 4096`."""
    argument = _argument(parser)
    parser.parse_punctuation(":")
    scratch = ScratchAttr(*parse_buffer(parser))
    header.scratch.append(scratch)
    header.arguments.append(argument.resolve(scratch.type))


def print_point(printer: Printer, extents: Sequence[int], dims: Sequence[BlockArgument]) -> list[str]:
    """Print `(%i, %j) in [2, 3]`, nothing for a grid of one point; return the names of the dimensions."""
    names: list[str] = []
    if dims:
        printer.print_string(" (")
        printer.print_list(dims, lambda dim: names.append(f"%{printer.print_ssa_value(dim)}"))
        printer.print_string(f") in [{', '.join(map(str, extents))}]")
    return names


def print_tiles(
    printer: Printer,
    keyword: str,
    tiles: Sequence[tuple[BlockArgument, SSAValue, TileAttr, Region | None]],
    operands: Sequence[SSAValue],
    dims: Sequence[str],
) -> None:
    """Print a group of operands with their buffers and tiles, each on its line; nothing of no operands."""
    if tiles:
        _print_group(printer, keyword, [partial(_print_tile, printer, *each, operands, dims) for each in tiles])


def print_scratch(printer: Printer, scratch: Sequence[tuple[BlockArgument, ScratchAttr]]) -> None:
    """Print the scratch buffers, each on its line; nothing if there is none."""

    def line(argument: BlockArgument, buffer: ScratchAttr) -> None:
        printer.print_ssa_value(argument)
        printer.print_string(" : ")
        buffer.print_buffer(printer)

    if scratch:
        _print_group(printer, "scratch", [lambda each=each: line(*each) for each in scratch])


def _print_group(printer: Printer, keyword: str, lines: Sequence[Callable[[], None]]) -> None:
    with printer.indented(2):
        printer.print_string(f"\n{keyword}(")
        for index, line in enumerate(lines):
            if index:
                printer.print_string(",\n" + " " * (len(keyword) + 1))
            line()
        printer.print_string(")")


def _print_tile(
    printer: Printer,
    argument: BlockArgument,
    value: SSAValue,
    tile: TileAttr,
    body: Region | None,
    operands: Sequence[SSAValue],
    dims: Sequence[str],
) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(value)
    offsets = tile.map.data.results
    if tile.extents != shape_of(value) or any(offset != AffineExpr.constant(0) for offset in offsets):
        with printer.in_square_brackets():
            printer.print_list(offsets, lambda offset: print_offset(printer, offset, tile, operands, dims))
        printer.print_string(f" [{', '.join(map(str, tile.extents))}]")
    tile.print_placement(printer)
    printer.print_string(" : ")
    printer.print_attribute(value.type)
    print_body(printer, body)
