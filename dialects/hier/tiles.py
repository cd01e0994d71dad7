"""Tiles of grids: the part of an operand at each grid point, its buffer, and the source of its elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of
from ..core.layouts import buffer_bytes, layout_fault, layout_map, view_strides
from .buffers import BufferAttr, StartsAttr, buffer_type
from .offsets import (
    LookupAttr,
    NamedLookup,
    OffsetParser,
    numbered_printer,
    numbered_table,
    parse_dims,
    print_dims,
    print_offset,
)
from .sources import NO_SOURCE, SourceAttr


@irdl_attr_definition
class TileAttr(ParametrizedAttribute):
    """
    Tile of one operand of a grid, as a function of the grid point.

        #hier.tile<(d0, d1) [d0 * 8, d1 * 128] [8, 128] in "L1" address 2048 stages 2 fill 0 : i8>

    The offsets are the tile's first element, by the map from the grid point; the shape is that of a tile in elements.
    After `in` is the buffer that the tile is fetched to (`BufferAttr`), and after it the source of elements that are
    not fetched from the operand (`SourceAttr`). Without a buffer the body gets a view of the tile, which must be inside
    of the operand.

        #hier.tile<(d0, d1) [d0 * 16, d1] [16, 1]>

    An input that initialises an output is brought to that output's buffer (`StartsAttr`):

        #hier.tile<(d0, d1) [0, d1 * 16] [16, 16] starts 0 broadcast [0]>

    A symbol of the map is an entry of a table, from the lookup of its number (`LookupAttr`); here it is that of `d0` in
    the grid's operand 2:

        #hier.tile<(d0) [t2[d0] in [0, 16) * 4, 0] [4, 64] in "L1">
    """

    name = "hier.tile"

    shape: ArrayAttr[IntAttr]
    map: AffineMapAttr
    lookups: ArrayAttr[LookupAttr]
    """One per symbol of the map."""
    buffer: BufferAttr | StartsAttr | NoneAttr
    source: SourceAttr

    @staticmethod
    def get(
        shape: Sequence[int],
        map: AffineMapAttr,
        buffer: BufferAttr | StartsAttr | None = None,
        source: SourceAttr = NO_SOURCE,
        lookups: Sequence[LookupAttr] = (),
    ) -> TileAttr:
        """Build the attribute; the tile is used in place without a buffer."""
        extents = ArrayAttr([IntAttr(extent) for extent in shape])
        return TileAttr(extents, map, ArrayAttr(lookups), NoneAttr() if buffer is None else buffer, source)

    def with_map(self, map: AffineMapAttr, lookups: Sequence[LookupAttr] = ()) -> TileAttr:
        """Return the tile at the offsets of another map."""
        return TileAttr(self.shape, map, ArrayAttr(lookups), self.buffer, self.source)

    def with_buffer(self, buffer: BufferAttr) -> TileAttr:
        """Return the tile in another buffer."""
        return TileAttr(self.shape, self.map, self.lookups, buffer, self.source)

    def with_source(self, source: SourceAttr) -> TileAttr:
        """Return the tile with another source."""
        return TileAttr(self.shape, self.map, self.lookups, self.buffer, source)

    def with_address(self, address: int | None) -> TileAttr:
        """Return the tile with its buffer at another byte address; the same tile without a buffer of its own."""
        return self if self.own_buffer is None else self.with_buffer(self.own_buffer.with_address(address))

    @property
    def extents(self) -> tuple[int, ...]:
        """The shape of a tile."""
        return tuple(extent.data for extent in self.shape)

    @property
    def own_buffer(self) -> BufferAttr | None:
        """The buffer that tiles are fetched to; None in place, and for an input that starts an output."""
        return self.buffer if isinstance(self.buffer, BufferAttr) else None

    @property
    def level_name(self) -> str | None:
        """The level of the tile's own buffer."""
        return None if self.own_buffer is None else self.own_buffer.level.data

    @property
    def byte_address(self) -> int | None:
        """The address of the tile's own buffer, in bytes; None before planning."""
        return None if self.own_buffer is None else self.own_buffer.byte_address

    @property
    def stage_count(self) -> int:
        """The number of instances of the tile's buffer."""
        return 1 if self.own_buffer is None else self.own_buffer.stages.data

    @property
    def started_output(self) -> int | None:
        """The number of the output that the operand starts."""
        return self.buffer.output.data if isinstance(self.buffer, StartsAttr) else None

    @property
    def is_in_place(self) -> bool:
        """True for a tile without a buffer, which is a view of the operand."""
        return isinstance(self.buffer, NoneAttr)

    def storage(self, operand: SSAValue) -> Attribute:
        """Return the element type of the buffer that holds a tile of an operand."""
        stored = None if self.own_buffer is None else self.own_buffer.element
        return element_of(operand) if stored is None or isinstance(stored, NoneAttr) else stored

    def lookup_dims(self) -> set[int]:
        """Return the grid dimensions that the entries of the tile's lookups depend on."""
        return {dim for lookup in self.lookups for dim in lookup.dims}

    def dims(self) -> tuple[int, ...]:
        """Return the grid dimensions that the tile depends on."""
        direct = self.map.data.used_dims()
        return tuple(sorted(direct | self.lookup_dims()))

    def offsets(self, point: Sequence[int], entries: Sequence[int] = ()) -> tuple[int, ...]:
        """Return the first element of the tile at a grid point, given the entries that are looked up."""
        return tuple(self.map.data.eval(list(point), list(entries)))

    def type_of(self, operand: SSAValue) -> Attribute:
        """Return the type of the buffer that holds one tile of an operand, or of the view of it."""
        if self.own_buffer is None:
            return view_type(cast("MemRefType[Any]", operand.type), self.extents)
        return self.own_buffer.type_of(self.extents, element_of(operand))

    def bytes_of(self, operand: SSAValue) -> int:
        """Return the bytes of one tile of an operand."""
        if self.own_buffer is None:
            return buffer_bytes(buffer_type(element_of(operand), self.extents, NoneAttr(), NoneAttr()))
        return buffer_bytes(self.own_buffer.type_of(self.extents, element_of(operand)))

    def verify(self) -> None:
        rank = len(self.extents)
        if len(self.map.data.results) != rank:
            raise VerifyException(f"expected {rank} offsets, one per axis of the tile, found {self.map.data}")
        layout = None if self.own_buffer is None else self.own_buffer.layout
        fault = layout_fault(self.extents, layout.data) if isinstance(layout, AffineMapAttr) else None
        if fault is not None:
            raise VerifyException(fault)
        if any(axis >= rank for axis in self.source.broadcast_axes):
            raise VerifyException(f"expected axes among the tile's {rank}, got {list(self.source.broadcast_axes)}")
        if self.is_in_place and self.source != NO_SOURCE:
            raise VerifyException("a tile in place has the operand's elements: no broadcast, neighbour or fill")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dims = parse_dims(parser)
            text = parse_tile(parser, dims, parser.parse_optional_identifier)
            return text.tile(len(dims), numbered_table).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            dims = print_dims(printer, self.map.data.num_dims)
            printer.print_string(" ")
            print_tile(printer, self, dims, numbered_printer(printer))


def buffer_types(tiles: Sequence[TileAttr], operands: Sequence[SSAValue], inputs: int) -> list[Attribute]:
    """Return the types of the tiles' buffers; an input that starts an output has that one's."""
    types: list[Attribute] = []
    for index, tile in enumerate(tiles):
        start = None if tile.started_output is None else inputs + tile.started_output
        at = index if start is None or start >= len(tiles) else start
        types.append(tiles[at].type_of(operands[at]))
    return types


def view_type(whole: MemRefType[Any], extents: tuple[int, ...]) -> Attribute:
    """Return the type of a part of a buffer, of which only the runtime knows where it begins; of all, its own."""
    if whole.get_shape() == extents:
        return whole
    strides = whole.get_strides() if layout_map(whole) is None else view_strides(whole, extents)
    if strides is None:
        raise VerifyException(f"a tile of {list(extents)} of {whole} is not strided: it spans several blocks")
    layout = StridedLayoutAttr([stride or NoneAttr() for stride in strides], NoneAttr())
    return MemRefType(whole.get_element_type(), extents, layout, whole.memory_space)


# Syntax


@dataclass(frozen=True)
class UnresolvedAccess:
    """Tile as it is parsed: its tables have names, and one that is the whole operand has no offsets."""

    offsets: Sequence[AffineExpr] | None
    extents: Sequence[int]
    lookups: Sequence[NamedLookup]
    buffer: BufferAttr | StartsAttr | NoneAttr
    source: SourceAttr

    def of_whole(self, shape: Sequence[int]) -> UnresolvedAccess:
        """Return the access with offsets and extents, by default those of all of an operand of a shape."""
        if self.offsets is not None:
            return self
        return UnresolvedAccess([AffineExpr.constant(0)] * len(shape), shape, (), self.buffer, self.source)

    def tile(self, rank: int, number_of: Callable[[str], int]) -> TileAttr:
        """Build the tile in a grid of `rank` dimensions; `number_of` gives the operand of a table's name."""
        extents = ArrayAttr([IntAttr(extent) for extent in self.extents])
        map = AffineMapAttr(AffineMap(rank, len(self.lookups), tuple(self.offsets or ())))
        lookups = ArrayAttr([lookup.resolve(rank, number_of) for lookup in self.lookups])
        return TileAttr(extents, map, lookups, self.buffer, self.source)


def parse_tile(parser: AttrParser, dims: Sequence[str], parse_name: Callable[[], str | None]) -> UnresolvedAccess:
    """
    Parse `[%i * 8, 0] [8, 64] in "L1" address 512 stages 2 fill 0 : i8`.

    `parse_name` parses the name of a dimension, one of `dims`, or of a table, if one follows.
    """
    offsets_parser = OffsetParser(parser, dims, parse_name)
    square = parser.Delimiter.SQUARE
    offsets = parser.parse_optional_comma_separated_list(square, offsets_parser.parse_offset)
    extents = () if offsets is None else parser.parse_comma_separated_list(square, parser.parse_integer)
    buffer: BufferAttr | StartsAttr | NoneAttr = NoneAttr()
    if parser.parse_optional_keyword("in"):
        buffer = BufferAttr.parse_bare(parser)
    elif parser.parse_optional_keyword("starts"):
        buffer = StartsAttr.get(parser.parse_integer())
    return UnresolvedAccess(offsets, extents, offsets_parser.lookups, buffer, SourceAttr.parse_bare(parser))


def print_tile(
    printer: Printer,
    tile: TileAttr,
    dims: Sequence[str],
    print_table: Callable[[int], object],
    whole: Sequence[int] | None = None,
) -> None:
    """
    Print `[%i * 8, 0] [8, 64] in "L1" address 512 stages 2 fill 0 : i8`.

    A tile that is all of an operand of the shape `whole` has no offsets and shape.
    """
    offsets = tile.map.data.results
    if tile.extents != whole or any(offset != AffineExpr.constant(0) for offset in offsets):
        lookups = tile.lookups.data
        printer.print_string("[")
        printer.print_list(offsets, lambda offset: print_offset(printer, offset, lookups, dims, print_table))
        printer.print_string(f"] [{', '.join(map(str, tile.extents))}]")
    match tile.buffer:
        case BufferAttr():
            printer.print_string(" in ")
            tile.buffer.print_bare(printer)
        case StartsAttr():
            printer.print_string(f" starts {tile.buffer.output.data}")
        case NoneAttr():
            pass
    if tile.source != NO_SOURCE:
        printer.print_string(" ")
        tile.source.print_bare(printer)
