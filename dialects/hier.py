"""
The memory hierarchy: kernels on grids of tiles, and the transfers that grids stand for.

A grid says, for every operand, which tile of it each grid point touches, by an affine map; what moves when follows
from the maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ..errors import Diagnostic
from ..ir import Array, element_of, numbers_of, numpy_type, shape_of, where
from .core.semantics import Runner, Value, semantics


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """A transfer that has begun: `!hier.token`."""

    name = "hier.token"


@irdl_attr_definition
class TileAttr(ParametrizedAttribute):
    """
    The tiles of one operand of a grid.

        #hier.tile<[8, 128] at (d0, d1) -> (d0 * 8, d1 * 128) in "L1" address 2048 stages 2 fill 0 : i8>

    `shape` is the extent of a tile, the map leads from grid point to the tile's first element, `in` names the level
    that tiles are brought to. `address` is the place in that level, in bytes, where it has been planned; each of the
    stages (buffers used in turn) takes one tile from there on. What lies outside of the operand reads as `fill` and
    is not written. Without a level the operand is used where it lies: the body gets a view of the tile, which must be
    inside of it.
    """

    name = "hier.tile"

    shape: ArrayAttr[IntAttr]
    map: AffineMapAttr
    level: StringAttr | NoneAttr
    address: IntAttr | NoneAttr
    stages: IntAttr
    fill: Attribute

    @staticmethod
    def get(
        shape: Sequence[int],
        map: AffineMapAttr,
        level: str | None,
        *,
        address: int | None = None,
        stages: int = 1,
        fill: Attribute | None = None,
    ) -> TileAttr:
        """Return the attribute."""
        return TileAttr(
            ArrayAttr([IntAttr(extent) for extent in shape]),
            map,
            NoneAttr() if level is None else StringAttr(level),
            NoneAttr() if address is None else IntAttr(address),
            IntAttr(stages),
            NoneAttr() if fill is None else fill,
        )

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
        """The level that tiles are brought to, None where the operand is used where it lies."""
        return self.level.data if isinstance(self.level, StringAttr) else None

    def dims(self) -> tuple[int, ...]:
        """Return the grid dimensions that the tile depends on."""
        return tuple(sorted({dim for expr in self.map.data.results for dim in expr.used_dims()}))

    def offsets(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the first element of the tile at a grid point."""
        return tuple(self.map.data.eval(list(point), []))

    def type_of(self, operand: SSAValue) -> Attribute:
        """Return the type of the buffer that holds one tile of an operand, or of the view of it."""
        if self.level_name is None:
            return _view_type(cast("MemRefType[Any]", operand.type), self.extents)
        return MemRefType(cast(Any, element_of(operand)), self.extents, NoneAttr(), self.level)

    def bytes_of(self, operand: SSAValue) -> int:
        """Return the bytes of one tile of an operand."""
        return prod(self.extents) * numpy_type(element_of(operand)).itemsize

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            parser.parse_keyword("at")
            map = cast(AffineMapAttr, parser.parse_attribute())
            level: Attribute = NoneAttr()
            address: Attribute = NoneAttr()
            if parser.parse_optional_keyword("in"):
                level = StringAttr(parser.parse_str_literal())
            if parser.parse_optional_keyword("address"):
                address = IntAttr(parser.parse_integer())
            stages = parser.parse_integer() if parser.parse_optional_keyword("stages") else 1
            fill = parser.parse_attribute() if parser.parse_optional_keyword("fill") else NoneAttr()
        return [ArrayAttr([IntAttr(extent) for extent in shape]), map, level, address, IntAttr(stages), fill]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"[{', '.join(map(str, self.extents))}] at ")
            printer.print_attribute(self.map)
            if self.level_name is not None:
                printer.print_string(" in ")
                printer.print_string_literal(self.level_name)
            if self.place is not None:
                printer.print_string(f" address {self.place}")
            if self.stages.data != 1:
                printer.print_string(f" stages {self.stages.data}")
            if not isinstance(self.fill, NoneAttr):
                printer.print_string(" fill ")
                printer.print_attribute(self.fill)


def _view_type(whole: MemRefType[Any], extents: tuple[int, ...]) -> Attribute:
    """Return the type of a part of a buffer, of which only the runtime knows where it begins; of all, its own."""
    if whole.get_shape() == extents:
        return whole
    layout = StridedLayoutAttr([stride or NoneAttr() for stride in whole.get_strides() or ()], NoneAttr())
    return MemRefType(whole.get_element_type(), extents, layout, whole.memory_space)


@irdl_attr_definition
class ScratchAttr(ParametrizedAttribute):
    """
    A buffer that the body of a grid has to itself, such as for partial sums; it keeps its content from point to point.

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
    def get(shape: Sequence[int], element: Attribute, level: str, address: int | None = None) -> ScratchAttr:
        """Return the attribute."""
        type = MemRefType(cast(Any, element), shape, NoneAttr(), StringAttr(level))
        return ScratchAttr(type, NoneAttr() if address is None else IntAttr(address))

    @property
    def place(self) -> int | None:
        """The address in the level, in bytes, None before planning."""
        return self.address.data if isinstance(self.address, IntAttr) else None

    @property
    def level_name(self) -> str:
        """The level that the buffer lies in."""
        return cast(StringAttr, self.type.memory_space).data

    @property
    def bytes(self) -> int:
        """The bytes of the buffer."""
        return prod(self.type.get_shape()) * numpy_type(self.type.get_element_type()).itemsize

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            type = parser.parse_type()
            address = IntAttr(parser.parse_integer()) if parser.parse_optional_keyword("address") else NoneAttr()
        return [type, address]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.type)
            if self.place is not None:
                printer.print_string(f" address {self.place}")

    def verify(self) -> None:
        if not isinstance(self.buffer, MemRefType) or not isinstance(self.type.memory_space, StringAttr):
            raise VerifyException("scratch is a memref in a level")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends the body of a grid.

        hier.yield
    """

    name = "hier.yield"
    assembly_format = "attr-dict"
    traits = traits_def(IsTerminator())


@irdl_op_definition
class GridOp(IRDLOperation):
    """
    A kernel done tile by tile: for every point of a box, in row-major order, the body works on one tile of each
    operand.

        hier.grid [2, 3] ins(%a, %b : memref<16x64xi8>, memref<64x30xi8>) outs(%c : memref<16x30xi8>)
            tiles [#hier.tile<[8, 64] at affine_map<(d0, d1) -> (d0 * 8, 0)> in "L1" address 0>,
                   #hier.tile<[64, 10] at affine_map<(d0, d1) -> (0, d1 * 10)> in "L1" address 512 stages 2>,
                   #hier.tile<[8, 10] at affine_map<(d0, d1) -> (d0 * 8, d1 * 10)> in "L1" address 1792 stages 2>] {
        ^bb0(%i: index, %j: index, %ta: memref<8x64xi8, "L1">, %tb: memref<64x10xi8, "L1">, %tc: memref<8x10xi8, "L1">):
          nn.matmul ins(%ta, %tb : ...) outs(%tc : ...) {accumulator = i32}
          hier.yield
        }

    The body takes the point, then one buffer per operand. An input's tile is there when the body begins. An output's
    tile is written back when the grid moves on to another tile of it, and keeps its content until then; its content
    at first is undefined. A tile that does not depend on the innermost dimensions stays where it is while they run.
    Every element of an output lies in exactly one tile.

    After the tiles' buffers the body takes its scratch, which keeps its content: a reduction cut into tiles adds up
    there, from `hier.first` to `hier.last`.

        hier.grid [2, 4] ins(%a, %b : ...) outs(%c : ...) tiles [...] scratch [#hier.scratch<memref<8x10xi32, "L1">>] {
        ^bb0(%i: index, %k: index, %ta: ..., %tb: ..., %tc: ..., %sum: memref<8x10xi32, "L1">):
          hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<8x10xi32, "L1">) }
          nn.matmul ins(%ta, %tb : ...) outs(%sum : ...) {accumulator = i32, accumulate}
          hier.last %k { linalg.generic ... ins(%sum : ...) outs(%tc : ...) {...} }
          hier.yield
        }
    """

    name = "hier.grid"

    extents = prop_def(base(DenseArrayBase))
    inputs = var_operand_def(MemRefType)
    outputs = var_operand_def(MemRefType)
    tiles = prop_def(ArrayAttr[TileAttr])
    scratch = opt_prop_def(ArrayAttr[ScratchAttr])
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        extents: Sequence[int],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        tiles: Sequence[TileAttr],
        body: Region,
        scratch: Sequence[ScratchAttr] = (),
    ):
        super().__init__(
            operands=[list(inputs), list(outputs)],
            properties={
                "extents": DenseArrayBase.from_list(i64, list(extents)),
                "tiles": ArrayAttr(tiles),
                "scratch": ArrayAttr(scratch) if scratch else None,
            },
            regions=[body],
        )

    @property
    def scratches(self) -> tuple[ScratchAttr, ...]:
        """The buffers that the body has to itself."""
        return tuple(self.scratch) if self.scratch is not None else ()

    @property
    def point(self) -> tuple[BlockArgument, ...]:
        """The arguments of the body that are the grid point."""
        return self.body.block.args[: len(self.bounds)]

    @property
    def buffers(self) -> tuple[BlockArgument, ...]:
        """The arguments of the body that are tiles, one per operand."""
        rank = len(self.bounds)
        return self.body.block.args[rank : rank + len(self.operands)]

    @property
    def scratch_buffers(self) -> tuple[BlockArgument, ...]:
        """The arguments of the body that are scratch."""
        return self.body.block.args[len(self.bounds) + len(self.operands) :]

    @property
    def bounds(self) -> tuple[int, ...]:
        """The extents of the grid."""
        return numbers_of(self.extents)

    def verify_(self) -> None:
        rank = len(self.bounds)
        if len(self.tiles) != len(self.operands):
            raise VerifyException(f"{len(self.operands)} operands need as many tiles, got {len(self.tiles)}")
        for index, (tile, value) in enumerate(zip(self.tiles, self.operands, strict=True)):
            lead = tile.map.data
            axes = len(shape_of(value))
            if (lead.num_dims, len(lead.results), len(tile.extents)) != (rank, axes, axes):
                raise VerifyException(f"the tile of operand {index} must lead from {rank} to {axes} axes")
            if tile.stages.data < 1:
                raise VerifyException(f"the tile of operand {index} needs at least one stage")
            if tile.level_name is None and any(t > n for t, n in zip(tile.extents, shape_of(value), strict=True)):
                raise VerifyException(f"the tile of operand {index} is larger than the operand, used where it lies")
        expected = [IndexType()] * rank + [t.type_of(v) for t, v in zip(self.tiles, self.operands, strict=True)]
        expected += [scratch.type for scratch in self.scratches]
        found = [argument.type for argument in self.body.block.args]
        if found != expected:
            taken = ", ".join(map(str, found))
            raise VerifyException(f"the body must take {', '.join(map(str, expected))}, it takes {taken}")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the body must end with hier.yield")

    @classmethod
    def parse(cls, parser: Parser) -> GridOp:
        extents = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        parser.parse_keyword("ins")
        inputs = _parse_operands(parser)
        parser.parse_keyword("outs")
        outputs = _parse_operands(parser)
        parser.parse_keyword("tiles")
        tiles = cast("ArrayAttr[TileAttr]", parser.parse_attribute())
        scratch: Sequence[ScratchAttr] = ()
        if parser.parse_optional_keyword("scratch"):
            scratch = list(cast("ArrayAttr[ScratchAttr]", parser.parse_attribute()))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(extents, inputs, outputs, list(tiles), parser.parse_region(), scratch)
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" [{', '.join(map(str, self.bounds))}] ins")
        _print_operands(printer, self.inputs)
        printer.print_string(" outs")
        _print_operands(printer, self.outputs)
        printer.print_string(" tiles ")
        printer.print_attribute(self.tiles)
        if self.scratch is not None:
            printer.print_string(" scratch ")
            printer.print_attribute(self.scratch)
        if self.attributes:
            printer.print_string(" attributes ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body)


def _parse_operands(parser: Parser) -> list[SSAValue]:
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")"):
        return []
    start = parser.pos
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, start))


def _print_operands(printer: Printer, values: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        if not values:
            return
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)


class _AtEnd(IRDLOperation):
    """An op whose region runs at one end of some dimensions of the grid around it."""

    dims = var_operand_def(IndexType)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, dims: Sequence[SSAValue], body: Region):
        super().__init__(operands=[list(dims)], regions=[body])

    @property
    def bounds(self) -> tuple[int, ...]:
        """The extents of the dimensions, in the grids that they belong to."""
        return tuple(_grid_of(dim).bounds[cast(BlockArgument, dim).index] for dim in self.dims)

    def verify_(self) -> None:
        if not self.dims:
            raise VerifyException("expected the dimensions of the grid that are meant")
        for dim in self.dims:
            _grid_of(dim)

    @classmethod
    def parse(cls, parser: Parser) -> _AtEnd:
        start = parser.pos
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        dims = parser.resolve_operands(names, [IndexType()] * len(names), start)
        return cls(dims, parser.parse_region())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.dims, printer.print_ssa_value)
        printer.print_string(" ")
        printer.print_region(self.body)


def _grid_of(dim: SSAValue) -> GridOp:
    """Return the grid that an index is a dimension of. Raises VerifyException for others."""
    block = dim.owner
    grid = block.parent_op() if isinstance(block, Block) else None
    if not isinstance(grid, GridOp) or dim not in grid.point:
        raise VerifyException("expected dimensions of a grid around the op")
    return grid


@irdl_op_definition
class FirstOp(_AtEnd):
    """
    What the body of a grid does only where all of these dimensions are at 0.

        hier.first %k { ... }
    """

    name = "hier.first"


@irdl_op_definition
class LastOp(_AtEnd):
    """
    What the body of a grid does only where all of these dimensions are at their ends.

        hier.last %k { ... }
    """

    name = "hier.last"


@irdl_op_definition
class DmaStartOp(IRDLOperation):
    """
    Begin the transfer of one tile between a buffer and a tile's buffer; it is done when a wait for the token is.

        %t = hier.dma_start %far[%i, %j] to %near clipped fill 0 : i8 : memref<16x64xi8>, memref<8x64xi8, "L1">
        %u = hier.dma_start %far[%i, %j] from %near : memref<16x64xi8>, memref<8x64xi8, "L1">

    The indices are the tile's first element in the far buffer. What lies outside of it is filled, or not written.
    Until the wait, neither side may be written, nor may the side that the transfer writes be read.

    In a loop over tiles, `stages` says that those of this transfer take turns in so many buffers, and that no step of
    the loop reads what another has written in the far buffer: so the transfer may begin earlier, or be waited for
    later, than where it stands (pipeline-dma).

        %t = hier.dma_start %far[%i, %j] to %near stages 2 : memref<16x64xi8>, memref<8x64xi8, "L1">
    """

    name = "hier.dma_start"

    far = operand_def(MemRefType)
    offsets = var_operand_def(IndexType)
    near = operand_def(MemRefType)
    writes_far = opt_prop_def(UnitAttr)
    clipped = opt_prop_def(UnitAttr)
    """The tile may hang over the far buffer; a tile that is read then needs a fill."""
    fill = opt_prop_def(Attribute)
    stages = opt_prop_def(IntAttr)
    token = result_def(TokenType)

    def __init__(
        self,
        far: SSAValue,
        offsets: Sequence[SSAValue],
        near: SSAValue,
        *,
        writes_far: bool = False,
        clipped: bool = False,
        fill: Attribute | None = None,
        stages: int | None = None,
    ):
        flags = {"writes_far": writes_far, "clipped": clipped}
        buffers = None if stages is None else IntAttr(stages)
        super().__init__(
            operands=[far, list(offsets), near],
            properties={
                **{name: UnitAttr() if flag else None for name, flag in flags.items()},
                "fill": fill,
                "stages": buffers,
            },
            result_types=[TokenType()],
        )

    def verify_(self) -> None:
        if self.stages is not None and self.stages.data < 1:
            raise VerifyException("tiles need at least one buffer to take turns in")
        rank = len(shape_of(self.far))
        if len(self.offsets) != rank or len(shape_of(self.near)) != rank:
            raise VerifyException(f"a tile of {rank} axes needs {rank} offsets and a buffer of {rank} axes")
        if self.clipped is not None and self.writes_far is None and self.fill is None:
            raise VerifyException("a tile that may hang over the buffer it is read from needs a fill")
        if element_of(self.far) != element_of(self.near):
            raise VerifyException("both sides must hold elements of one type")

    @classmethod
    def parse(cls, parser: Parser) -> DmaStartOp:
        start = parser.pos
        far = parser.parse_unresolved_operand()
        offsets = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        writes = parser.parse_optional_keyword("from") is not None
        if not writes:
            parser.parse_keyword("to")
        near = parser.parse_unresolved_operand()
        stages = parser.parse_integer() if parser.parse_optional_keyword("stages") else None
        clipped = parser.parse_optional_keyword("clipped") is not None
        fill = parser.parse_attribute() if parser.parse_optional_keyword("fill") else None
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        far_value, near_value = parser.resolve_operands([far, near], types, start)
        indices = parser.resolve_operands(offsets, [IndexType()] * len(offsets), start)
        return cls(far_value, indices, near_value, writes_far=writes, clipped=clipped, fill=fill, stages=stages)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.far)
        with printer.in_square_brackets():
            printer.print_list(self.offsets, printer.print_ssa_value)
        printer.print_string(" from " if self.writes_far else " to ")
        printer.print_ssa_value(self.near)
        if self.stages is not None:
            printer.print_string(f" stages {self.stages.data}")
        if self.clipped is not None:
            printer.print_string(" clipped")
        if self.fill is not None:
            printer.print_string(" fill ")
            printer.print_attribute(self.fill)
        printer.print_string(" : ")
        printer.print_list([self.far.type, self.near.type], printer.print_attribute)


@irdl_op_definition
class DmaWaitOp(IRDLOperation):
    """
    Wait until a transfer is done.

        hier.dma_wait %t
    """

    name = "hier.dma_wait"
    token = operand_def(TokenType)
    assembly_format = "$token attr-dict"

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token])


@irdl_op_definition
class DmaNoneOp(IRDLOperation):
    """
    The token of no transfer: to wait for it is to go on at once.

        %t = hier.dma_none
    """

    name = "hier.dma_none"
    token = result_def(TokenType)
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[TokenType()])


# Semantics


def overlap(
    offsets: Sequence[int], tile: Sequence[int], shape: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return the parts of a buffer and of a tile's buffer that a tile at `offsets` shares with the buffer."""
    far = tuple(slice(max(o, 0), max(min(o + t, n), 0)) for o, t, n in zip(offsets, tile, shape, strict=True))
    near = tuple(slice(f.start - o, max(f.stop, f.start) - o) for f, o in zip(far, offsets, strict=True))
    return tuple(slice(f.start, max(f.stop, f.start)) for f in far), near


def _fill_value(fill: Attribute | None) -> Any:
    return cast(Any, fill).value.data if isinstance(fill, IntegerAttr | FloatAttr) else None


def read_tile(far: Array, offsets: Sequence[int], near: Array, fill: Attribute | None) -> None:
    """Copy a tile to its buffer; raises IndexError where it hangs over and nothing says how to fill."""
    source, target = overlap(offsets, near.shape, far.shape)
    inside = far[source]
    if inside.shape != near.shape:
        value = _fill_value(fill)
        if value is None:
            raise IndexError(f"the tile at {tuple(offsets)} leaves the buffer of shape {far.shape}")
        near[...] = np.asarray(value).astype(near.dtype)
    near[target] = inside


def write_tile(far: Array, offsets: Sequence[int], near: Array) -> None:
    """Copy what of a tile lies inside of the buffer back to it."""
    target, source = overlap(offsets, near.shape, far.shape)
    far[target] = near[source]


@semantics(GridOp)
def _run_grid(runner: Runner, op: GridOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.inputs)
    tiles = list(op.tiles)
    near = [
        array if tile.level_name is None else np.zeros(tile.extents, array.dtype)
        for tile, array in zip(tiles, operands, strict=True)
    ]
    scratch = [np.zeros(each.type.get_shape(), numpy_type(each.type.get_element_type())) for each in op.scratches]
    held: list[tuple[int, ...] | None] = [None] * len(tiles)
    for point in product(*(range(extent) for extent in op.bounds)):
        for index, (tile, array) in enumerate(zip(tiles, operands, strict=True)):
            offsets = tile.offsets(point)
            if held[index] == offsets:
                continue
            if tile.level_name is None:
                near[index] = _view(op, index, array, offsets)
                continue
            _move(op, index, index >= count, array, held[index], offsets, near[index])
            held[index] = offsets
        runner.run_region(op.body, [*(np.int64(i) for i in point), *near, *scratch])
    for index in range(count, len(tiles)):
        if (offsets := held[index]) is not None:
            write_tile(operands[index], offsets, near[index])
    return []


def _view(op: GridOp, index: int, whole: Array, offsets: tuple[int, ...]) -> Array:
    extents = op.tiles.data[index].extents
    found = whole[tuple(slice(o, o + t) for o, t in zip(offsets, extents, strict=True))]
    if min(offsets, default=0) < 0 or found.shape != extents:
        message = f"operand {index} of the grid: the tile at {offsets} leaves the buffer of shape {whole.shape}"
        raise Diagnostic(message, where=where(op), remedy="bring tiles that hang over to a level, with a fill")
    return found


def _move(
    op: GridOp, index: int, is_output: bool, far: Array, old: tuple[int, ...] | None, new: tuple[int, ...], near: Array
) -> None:
    if is_output:
        if old is not None:
            write_tile(far, old, near)
        return
    try:
        read_tile(far, new, near, list(op.tiles)[index].fill)
    except IndexError as error:
        message = f"operand {index} of the grid: {error}"
        raise Diagnostic(message, where=where(op), remedy="give the tile a fill") from error


@semantics(FirstOp)
def _run_first(runner: Runner, op: FirstOp, operands: Sequence[Value]) -> list[Value]:
    if not any(operands):
        runner.run_region(op.body, [])
    return []


@semantics(LastOp)
def _run_last(runner: Runner, op: LastOp, operands: Sequence[Value]) -> list[Value]:
    if all(index == bound - 1 for index, bound in zip(operands, op.bounds, strict=True)):
        runner.run_region(op.body, [])
    return []


class _Transfer:
    """A transfer under way: nothing has moved before the wait."""

    def __init__(self, op: DmaStartOp, far: Array, offsets: Sequence[int], near: Array):
        self._op, self._far, self._offsets, self._near = op, far, offsets, near

    def finish(self) -> None:
        """Move the data."""
        if self._op.writes_far:
            write_tile(self._far, self._offsets, self._near)
            return
        try:
            read_tile(self._far, self._offsets, self._near, self._op.fill)
        except IndexError as error:
            raise Diagnostic(str(error), where=where(self._op), remedy="give the transfer a fill") from error


@semantics(DmaStartOp)
def _start(runner: Runner, op: DmaStartOp, operands: Sequence[Value]) -> list[Value]:
    far, *offsets, near = operands
    return [_Transfer(op, far, [int(o) for o in offsets], near)]


@semantics(DmaWaitOp)
def _wait(runner: Runner, op: DmaWaitOp, operands: Sequence[Value]) -> list[Value]:
    if operands[0] is not None:
        operands[0].finish()
    return []


@semantics(DmaNoneOp)
def _none(runner: Runner, op: DmaNoneOp, operands: Sequence[Value]) -> list[Value]:
    return [None]


HIER = Dialect(
    "hier", [GridOp, FirstOp, LastOp, YieldOp, DmaStartOp, DmaWaitOp, DmaNoneOp], [TileAttr, ScratchAttr, TokenType]
)
