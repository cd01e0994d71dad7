"""Tiles and scratch buffers of grids: part of an operand, memory level, address, and the copies between levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...ir import Array, element_of, numbers_of
from ..core.layouts import buffer_bytes, layout_fault, layout_map, view_strides
from .bodies import Move, unchanged
from .lookups import LookupAttr


@irdl_attr_definition
class TileAttr(ParametrizedAttribute):
    """
    Tile of one operand of a grid, as a function of the grid point.

        #hier.tile<[8, 128] at (d0, d1) -> (d0 * 8, d1 * 128) in "L1" address 2048 stages 2 fill 0 : i8>

    `shape` is the shape of a tile in elements. The map leads from the grid point to the tile's first element. `in`
    names the level that the tile is fetched to, `address` its byte address there once it is planned. Each of the
    `stages` buffers, used in turn, holds one tile from there on. Elements outside of the operand read as `fill` and
    are not written. Without a level the body gets a view of the tile, which must be inside of the operand.

        #hier.tile<[16, 64] at (d0) -> (d0 * 16, 0) in "ACC" as i32 layout affine_map<...> stages 2>

    The buffer holds elements of the operand's type in row-major order, unless `as` names another storage type and
    `layout` another order. Along the axes of `broadcast`, on which the operand has extent 1, the tile repeats that
    element:

        #hier.tile<[16, 16] at (d0, d1) -> (0, d1 * 16) broadcast [0] in "ACC">

    An input that `starts` an output, given by its number among the outputs, has no buffer of its own: it is brought to
    the output's buffer at the first point of each tile there, so that a reduction starts from it.

    A tile that does not depend on some spatial dimensions is the same in all instances along these. `from neighbour`
    names them: the instances at 0 along them fetch it from the operand, and each other one takes it from the instance
    before it, along the last of them at which it is not at 0.

        #hier.tile<[8, 64] at (d0, d1, d2) -> (d0 * 8, 0) from neighbour [1] in "NODE" stages 2>

    A symbol of the map is an entry of a table, from the lookup of its number (`lookups.py`):

        #hier.tile<[1, 64] at (d0)[s0] -> (s0, 0) lookups [#hier.lookup<0 at (d0) -> (d0) in [0, 16)>] in "L1">
    """

    name = "hier.tile"

    shape: ArrayAttr[IntAttr]
    map: AffineMapAttr
    level: StringAttr | NoneAttr
    address: IntAttr | NoneAttr
    stages: IntAttr
    fill: Attribute
    element: Attribute
    """Storage type, none where it is the operand's."""
    layout: AffineMapAttr | NoneAttr
    broadcast: DenseArrayBase | NoneAttr
    starts: IntAttr | NoneAttr
    neighbours: DenseArrayBase | NoneAttr
    lookups: ArrayAttr[LookupAttr] | NoneAttr

    @staticmethod
    def get(
        shape: Sequence[int],
        map: AffineMapAttr,
        level: str | None,
        *,
        address: int | None = None,
        stages: int = 1,
        fill: Attribute | None = None,
        element: Attribute | None = None,
        layout: AffineMapAttr | None = None,
        broadcast: Sequence[int] = (),
        starts: int | None = None,
        neighbours: Sequence[int] = (),
        lookups: Sequence[LookupAttr] = (),
    ) -> TileAttr:
        """Return the attribute."""
        return TileAttr(
            ArrayAttr([IntAttr(extent) for extent in shape]),
            map,
            NoneAttr() if level is None else StringAttr(level),
            NoneAttr() if address is None else IntAttr(address),
            IntAttr(stages),
            NoneAttr() if fill is None else fill,
            NoneAttr() if element is None else element,
            NoneAttr() if layout is None else layout,
            _axes(broadcast),
            NoneAttr() if starts is None else IntAttr(starts),
            _axes(neighbours),
            ArrayAttr(lookups) if lookups else NoneAttr(),
        )

    def but(self, **parts: Attribute) -> TileAttr:
        """Return the attribute with other parameters, given by their names."""
        return TileAttr(*(cast(Any, parts.get(name, value)) for name, value in vars(self).items()))

    @property
    def extents(self) -> tuple[int, ...]:
        """The shape of a tile."""
        return tuple(extent.data for extent in self.shape)

    @property
    def place(self) -> int | None:
        """The address, None before planning."""
        return self.address.data if isinstance(self.address, IntAttr) else None

    @property
    def level_name(self) -> str | None:
        """The level that tiles are fetched to, None where the operand is used in place."""
        return self.level.data if isinstance(self.level, StringAttr) else None

    @property
    def repeated(self) -> tuple[int, ...]:
        """The axes along which the tile repeats one element of the operand."""
        return () if isinstance(self.broadcast, NoneAttr) else numbers_of(self.broadcast)

    @property
    def chain(self) -> tuple[int, ...]:
        """The spatial dimensions along which instances take the tile from a neighbour."""
        return () if isinstance(self.neighbours, NoneAttr) else numbers_of(self.neighbours)

    @property
    def output(self) -> int | None:
        """The number of the output that the operand starts, None for an operand with a tile of its own."""
        return self.starts.data if isinstance(self.starts, IntAttr) else None

    def storage(self, operand: SSAValue) -> Attribute:
        """Return the element type of the buffer that holds a tile of an operand."""
        return element_of(operand) if isinstance(self.element, NoneAttr) else self.element

    def dims(self) -> tuple[int, ...]:
        """Return the grid dimensions that the tile depends on."""
        own = {dim for expr in self.map.data.results for dim in expr.used_dims()}
        return tuple(sorted(own | looked_up_by(self)))

    def offsets(self, point: Sequence[int], entries: Sequence[int] = ()) -> tuple[int, ...]:
        """Return the first element of the tile at a grid point, given the entries that are looked up."""
        return tuple(self.map.data.eval(list(point), list(entries)))

    def type_of(self, operand: SSAValue) -> Attribute:
        """Return the type of the buffer that holds one tile of an operand, or of the view of it."""
        if self.level_name is None:
            return view_type(cast("MemRefType[Any]", operand.type), self.extents)
        return _near_type(self.storage(operand), self.extents, self.layout, self.level)

    def bytes_of(self, operand: SSAValue) -> int:
        """Return the bytes of one tile of an operand."""
        return buffer_bytes(_near_type(self.storage(operand), self.extents, self.layout, self.level))

    def verify(self) -> None:
        fault = layout_fault(self.extents, self.layout.data) if isinstance(self.layout, AffineMapAttr) else None
        if fault is not None:
            raise VerifyException(fault)
        if any(not 0 <= axis < len(self.extents) for axis in self.repeated):
            raise VerifyException(f"expected axes among the tile's {len(self.extents)}, got {list(self.repeated)}")
        if self.level_name is None and (self.element, self.layout, self.broadcast) != (NoneAttr(),) * 3:
            if self.output is None:
                raise VerifyException("a tile in place has the operand's bytes: no 'as', 'layout' or 'broadcast'")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            parser.parse_keyword("at")
            map = cast(AffineMapAttr, parser.parse_attribute())
            lookups = parser.parse_attribute() if parser.parse_optional_keyword("lookups") else NoneAttr()
            placement = parse_placement(parser)
        return [ArrayAttr([IntAttr(extent) for extent in shape]), map, *placement, lookups]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"[{', '.join(map(str, self.extents))}] at ")
            printer.print_attribute(self.map)
            if not isinstance(self.lookups, NoneAttr):
                printer.print_string(" lookups ")
                printer.print_attribute(self.lookups)
            self.print_placement(printer)

    def print_placement(self, printer: Printer) -> None:
        """
        Print `broadcast [0] from neighbour [1] in "L1" as i32 layout affine_map<...> address 0 stages 2 fill 0 : i8`,
        without the parts that are absent.
        """
        if self.repeated:
            printer.print_string(f" broadcast [{', '.join(map(str, self.repeated))}]")
        if self.output is not None:
            printer.print_string(f" starts {self.output}")
        if self.chain:
            printer.print_string(f" from neighbour [{', '.join(map(str, self.chain))}]")
        if self.level_name is not None:
            printer.print_string(" in ")
            printer.print_string_literal(self.level_name)
        for keyword, part in (("as", self.element), ("layout", self.layout)):
            if not isinstance(part, NoneAttr):
                printer.print_string(f" {keyword} ")
                printer.print_attribute(part)
        if self.place is not None:
            printer.print_string(f" address {self.place}")
        if self.stages.data != 1:
            printer.print_string(f" stages {self.stages.data}")
        if not isinstance(self.fill, NoneAttr):
            printer.print_string(" fill ")
            printer.print_attribute(self.fill)


def lookups_of(tile: TileAttr) -> tuple[LookupAttr, ...]:
    """Return the lookups of a tile, one per symbol of its map."""
    return () if isinstance(tile.lookups, NoneAttr) else tuple(tile.lookups)


def looked_up_by(tile: TileAttr) -> set[int]:
    """Return the grid dimensions that the entries of a tile depend on."""
    return {dim for lookup in lookups_of(tile) for expr in lookup.map.data.results for dim in expr.used_dims()}


def buffer_types(tiles: Sequence[TileAttr], operands: Sequence[SSAValue], inputs: int) -> list[Attribute]:
    """Return the types of the tiles' buffers; an input that starts an output has that one's."""
    found: list[Attribute] = []
    for index, tile in enumerate(tiles):
        start = None if tile.output is None else inputs + tile.output
        at = index if start is None or not inputs <= start < len(tiles) else start
        found.append(tiles[at].type_of(operands[at]))
    return found


Axes: TypeAlias = "DenseArrayBase[Any] | NoneAttr"
Placement: TypeAlias = tuple[
    StringAttr | NoneAttr,
    IntAttr | NoneAttr,
    IntAttr,
    Attribute,
    Attribute,
    AffineMapAttr | NoneAttr,
    Axes,
    IntAttr | NoneAttr,
    Axes,
]
"""Parameters of a tile after its map: level, address, stages, fill, type, layout, broadcast, start, neighbours."""


def _axes(axes: Sequence[int]) -> Axes:
    return DenseArrayBase.from_list(i64, list(axes)) if axes else NoneAttr()


def parse_placement(parser: AttrParser) -> Placement:
    """
    Parse `broadcast [0] from neighbour [1] in "L1" as i32 layout affine_map<...> address 2048 stages 2 fill 0 : i8`.

    Each part may be absent.
    """
    broadcast = _parse_axes(parser) if parser.parse_optional_keyword("broadcast") else NoneAttr()
    starts = IntAttr(parser.parse_integer()) if parser.parse_optional_keyword("starts") else NoneAttr()
    neighbours: Axes = NoneAttr()
    if parser.parse_optional_keyword("from"):
        parser.parse_keyword("neighbour")
        neighbours = _parse_axes(parser)
    level = StringAttr(parser.parse_str_literal()) if parser.parse_optional_keyword("in") else NoneAttr()
    element = parser.parse_type() if parser.parse_optional_keyword("as") else NoneAttr()
    layout = _parse_layout(parser) if parser.parse_optional_keyword("layout") else NoneAttr()
    address = IntAttr(parser.parse_integer()) if parser.parse_optional_keyword("address") else NoneAttr()
    stages = parser.parse_integer() if parser.parse_optional_keyword("stages") else 1
    fill = parser.parse_attribute() if parser.parse_optional_keyword("fill") else NoneAttr()
    return level, address, IntAttr(stages), fill, element, layout, broadcast, starts, neighbours


def _parse_axes(parser: AttrParser) -> Axes:
    return _axes(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def _parse_layout(parser: AttrParser) -> AffineMapAttr:
    start = parser.pos
    layout = parser.parse_attribute()
    if not isinstance(layout, AffineMapAttr):
        parser.raise_error(f"expected an affine map as layout, found {layout}", start, parser.pos)
    return layout


@cache
def _near_type(
    element: Attribute, extents: tuple[int, ...], layout: AffineMapAttr | NoneAttr, level: Attribute
) -> MemRefType[Any]:
    """Return the type of a buffer in a level; cached, because building it is slow."""
    return MemRefType(cast(Any, element), extents, layout, level)


def view_type(whole: MemRefType[Any], extents: tuple[int, ...]) -> Attribute:
    """Return the type of a part of a buffer, of which only the runtime knows where it begins; of all, its own."""
    if whole.get_shape() == extents:
        return whole
    strides = whole.get_strides() if layout_map(whole) is None else view_strides(whole, extents)
    if strides is None:
        raise VerifyException(f"a tile of {list(extents)} of {whole} is not strided: it spans several blocks")
    layout = StridedLayoutAttr([stride or NoneAttr() for stride in strides], NoneAttr())
    return MemRefType(whole.get_element_type(), extents, layout, whole.memory_space)


@irdl_attr_definition
class ScratchAttr(ParametrizedAttribute):
    """
    Scratch buffer of a grid's body, such as for partial sums; it keeps its content from point to point.

        #hier.scratch<memref<8x64xi32, "L1"> address 4096>
    """

    name = "hier.scratch"

    buffer: Attribute
    address: IntAttr | NoneAttr

    @property
    def type(self) -> MemRefType[Any]:
        """The type of the buffer."""
        return cast("MemRefType[Any]", self.buffer)

    @staticmethod
    def get(
        shape: Sequence[int],
        element: Attribute,
        level: str,
        address: int | None = None,
        layout: AffineMapAttr | None = None,
    ) -> ScratchAttr:
        """Return the attribute."""
        type = MemRefType(cast(Any, element), shape, layout or NoneAttr(), StringAttr(level))
        return ScratchAttr(type, NoneAttr() if address is None else IntAttr(address))

    @property
    def place(self) -> int | None:
        """The address in the level, in bytes, None before planning."""
        return self.address.data if isinstance(self.address, IntAttr) else None

    @property
    def level_name(self) -> str:
        """The memory level of the buffer."""
        return cast(StringAttr, self.type.memory_space).data

    @property
    def bytes(self) -> int:
        """The bytes of the buffer."""
        return buffer_bytes(self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return list(parse_buffer(parser))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_buffer(printer)

    def print_buffer(self, printer: Printer) -> None:
        """Print `memref<8x64xi32, "L1"> address 4096`."""
        printer.print_attribute(self.type)
        if self.place is not None:
            printer.print_string(f" address {self.place}")

    def verify(self) -> None:
        if not isinstance(self.buffer, MemRefType) or not isinstance(self.type.memory_space, StringAttr):
            raise VerifyException("expected a memref in a named level")


def parse_buffer(parser: AttrParser) -> tuple[Attribute, IntAttr | NoneAttr]:
    """Parse the type of a scratch buffer and its address, which may be absent."""
    type = parser.parse_type()
    return type, IntAttr(parser.parse_integer()) if parser.parse_optional_keyword("address") else NoneAttr()


# Moving tiles


def overlap(
    offsets: Sequence[int], tile: Sequence[int], shape: Sequence[int], repeated: Sequence[int] = ()
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """
    Return the parts of a buffer and of a tile's buffer that a tile at `offsets` shares with the buffer.

    Along `repeated` axes the tile has one element of the buffer everywhere.
    """
    far, near = list[slice](), list[slice]()
    for axis, (offset, extent, size) in enumerate(zip(offsets, tile, shape, strict=True)):
        if axis in repeated and 0 <= offset < size:
            far.append(slice(offset, offset + 1))
            near.append(slice(0, extent))
            continue
        start = max(offset, 0)
        stop = max(min(offset + extent, size), start)
        far.append(slice(start, stop))
        near.append(slice(start - offset, stop - offset))
    return tuple(far), tuple(near)


def is_partial(part: Sequence[slice], shape: Sequence[int]) -> bool:
    """Return whether a part of a buffer is less than all of it."""
    return any(piece.stop - piece.start != extent for piece, extent in zip(part, shape, strict=True))


def _fill_value(fill: Attribute | None) -> Any:
    return cast(Any, fill).value.data if isinstance(fill, IntegerAttr | FloatAttr) else None


def read_tile(
    far: Array,
    offsets: Sequence[int],
    near: Array,
    fill: Attribute | None,
    move: Move = unchanged,
    repeated: Sequence[int] = (),
) -> None:
    """
    Copy a tile to its buffer, mapped by `move`, with one element repeated along some axes.

    Raises IndexError where the tile crosses the border and nothing says how to fill.
    """
    source, target = overlap(offsets, near.shape, far.shape, repeated)
    if is_partial(target, near.shape):
        value = _fill_value(fill)
        if value is None:
            raise IndexError(f"the tile at {tuple(offsets)} leaves the buffer of shape {far.shape}")
        near[...] = np.asarray(value).astype(near.dtype)
    near[target] = move(far[source], [part.start for part in source])


def write_tile(far: Array, offsets: Sequence[int], near: Array, move: Move = unchanged) -> None:
    """Copy the part of a tile that is inside of the buffer back to it, mapped by `move`."""
    target, source = overlap(offsets, near.shape, far.shape)
    far[target] = move(near[source], [part.start for part in target])
