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

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import BlockArgument, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ...ir import shape_of
from .bodies import parse_body, print_body
from .buffers import ScratchAttr
from .tiles import TileAttr, UnresolvedAccess, buffer_types, parse_tile, print_tile


@dataclass
class Header:
    """A grid's point, operands and buffers as they are parsed; `arguments` are those of its body."""

    extents: Sequence[int] = ()
    dims: Sequence[Parser.UnresolvedArgument] = ()
    operands: dict[str, list[SSAValue]] = field(default_factory=lambda: {"ins": [], "outs": []})
    texts: list[UnresolvedAccess] = field(default_factory=list[UnresolvedAccess])
    tiles: list[TileAttr] = field(default_factory=list[TileAttr])
    """Those of `texts`, once all inputs are parsed, which tables are among."""
    bodies: dict[int, Region] = field(default_factory=dict[int, Region])
    """Bodies of transfers, by operand."""
    scratch: list[ScratchAttr] = field(default_factory=list[ScratchAttr])
    arguments: list[Parser.Argument] = field(default_factory=list[Parser.Argument])
    buffers: list[Parser.UnresolvedArgument] = field(default_factory=list[Parser.UnresolvedArgument])
    """The arguments of the tiles, whose types follow once all operands are known."""
    names: list[str] = field(default_factory=list[str])
    """The names of the inputs."""


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
    _resolve_tiles(parser, header)
    if parser.parse_optional_keyword("scratch") is not None:
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_scratch(parser, header))


def _argument(parser: Parser) -> Parser.UnresolvedArgument:
    return parser.parse_argument(expect_type=False)


def _parse_tile(parser: Parser, header: Header, keyword: str) -> None:
    """Parse `%ta = %a[%i * 8, 0] [8, 64] in "L1" address 512 stages 2 fill 0 : i8 : memref<16x64xi8>`."""
    argument = _argument(parser)
    parser.parse_punctuation("=")
    unresolved = parser.parse_unresolved_operand()
    names = [dim.name.text for dim in header.dims]
    text = parse_tile(parser, names, lambda: _parse_name(parser))
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected the type of a memref", start, parser.pos)
    type = cast("MemRefType[Any]", type)
    rank, text = len(type.get_shape()), text.of_whole(type.get_shape())
    if (len(text.offsets or ()), len(text.extents)) != (rank, rank):
        expected = f"expected {rank} offsets and extents of the tile"
        parser.raise_error(f"{expected}, found {len(text.offsets or ())} and {len(text.extents)}", start, parser.pos)
    header.operands[keyword].append(parser.resolve_operand(unresolved, type))
    if keyword == "ins":
        header.names.append(_name(unresolved))
    if (body := parse_body(parser)) is not None:
        header.bodies[len(header.texts)] = body
    header.texts.append(text)
    header.buffers.append(argument)


def _resolve_tiles(parser: Parser, header: Header) -> None:
    """Build the tiles, whose tables are inputs, and give their arguments types."""

    def number_of(table: str) -> int:
        if table not in header.names:
            parser.raise_error(f"the table {table} is no input of the grid: list it, whole and in place")
        return header.names.index(table)

    header.tiles = [text.tile(len(header.dims), number_of) for text in header.texts]
    types = buffer_types(header.tiles, [*header.operands["ins"], *header.operands["outs"]], len(header.operands["ins"]))
    header.arguments += [argument.resolve(kind) for argument, kind in zip(header.buffers, types, strict=True)]


def _parse_name(parser: Parser) -> str | None:
    operand = parser.parse_optional_unresolved_operand()
    return None if operand is None else _name(operand)


def _name(operand: UnresolvedOperand) -> str:
    return f"%{operand.operand_name}" + (f"#{operand.index}" if operand.index else "")


def _parse_scratch(parser: Parser, header: Header) -> None:
    """Parse `%sum : memref<8x10xi32, "L1"> address 4096`."""
    argument = _argument(parser)
    parser.parse_punctuation(":")
    scratch = ScratchAttr.parse_bare(parser)
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
        _print_group(printer, keyword, [partial(_print_tile, printer, *operand, operands, dims) for operand in tiles])


def print_scratch(printer: Printer, scratch: Sequence[tuple[BlockArgument, ScratchAttr]]) -> None:
    """Print the scratch buffers, each on its line; nothing if there is none."""

    def line(argument: BlockArgument, buffer: ScratchAttr) -> None:
        printer.print_ssa_value(argument)
        printer.print_string(" : ")
        buffer.print_bare(printer)

    if scratch:
        _print_group(printer, "scratch", [partial(line, *pair) for pair in scratch])


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
    print_tile(printer, tile, dims, lambda table: printer.print_ssa_value(operands[table]), shape_of(value))
    printer.print_string(" : ")
    printer.print_attribute(value.type)
    print_body(printer, body)
