"""Tiled kernels: `hier.grid` iterates a kernel over the points of a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, numbers_of, numpy_type, shape_of, where
from ..core.effect_traits import OperandEffects, OwnArguments
from ..core.layout_arrays import box_of
from ..core.semantics import Runner, Value, semantics
from .bodies import Move, YieldOp, move_of, verify_body, verify_broadcast
from .buffers import ScratchAttr
from .grid_syntax import parse_buffers, parse_point, print_point, print_scratch, print_tiles
from .indirect import GridOperands, entries_of, verify_lookups
from .tile_copies import read_tile, write_tile
from .tiles import TileAttr, buffer_types


@irdl_op_definition
class GridOp(IRDLOperation):
    """
    Tiled kernel: at each point of a box, in row-major order, the body computes on one tile of each operand.

    Spatial dimensions are unrolled over the instances of an engine.

        hier.grid (%i, %j) in [2, 3]
            ins(%ta = %a[%i * 8, 0] [8, 64] in "L1" address 0 : memref<16x64xi8>,
                %tb = %b[0, %j * 10] [64, 10] in "L1" address 512 stages 2 : memref<64x30xi8>)
            outs(%tc = %c[%i * 8, %j * 10] [8, 10] in "L1" address 1792 stages 2 : memref<16x30xi8>) {
          nn.matmul ins(%ta, %tb : ...) outs(%tc : ...) {accumulator = i32}
          hier.yield
        }

    The body takes the point, then one buffer per operand. An input tile is fetched before the body runs. An output
    tile is written back when the grid moves to another tile of it. Until then it keeps its content, which is undefined
    at first. A tile that does not depend on the innermost dimensions is resident while they iterate. Every element of
    an output is in exactly one tile.

    After the tiles' buffers the body takes its scratch buffers, which keep their content from point to point. They
    hold the partial sums of a tiled reduction, from `hier.first` to `hier.last`.

        hier.grid (%i, %k) in [2, 4] ins(...) outs(...) scratch(%sum : memref<8x10xi32, "L1">) {
          hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<8x10xi32, "L1">) }
          nn.matmul ins(%ta, %tb : ...) outs(%sum : ...) {accumulator = i32, accumulate}
          hier.last %k { linalg.generic ... ins(%sum : ...) outs(%tc : ...) {...} }
          hier.yield
        }

    Dimensions are temporal or `spatial`. Instances of the engine are numbered in row-major order over the spatial
    dimensions. Points that differ in a spatial dimension run concurrently, in no order. Each instance iterates the
    temporal dimensions in row-major order, with tile and scratch buffers of its own. In a level of its own, each
    instance has them at the same addresses. In a shared level, `strides` has the bytes between instances. Both
    hold for nested grids too, which have no spatial dimensions.

        hier.grid (%i, %j, %k) in [4, 2, 3] spatial [0] strides {L1 = 4096 : i64} ins(...) outs(...) {...}

    An input whose tile does not depend on a spatial dimension may come from the neighbour along it instead of from far:

        ins(%tb = %b[0, %j * 10] [64, 10] in "NODE" stages 2 from neighbour [0] : memref<64x30xi8>)

    An entry of a table, an input that is whole and in place, may be a term of an input's offset (`indirect.py`).

        ins(%pages = %table : memref<3xi32>,
            %tk = %k[%table[%j] in [0, 16), 0] [1, 64] in "L1" address 0 stages 2 : memref<16x64xi8>)

    A tile's buffer may store elements of another type than the operand. A body after the operand's type maps them on
    the way: those of an input when it is fetched, those of an output when it is written back.

        outs(%tc = %c[%i * 16, %j * 16] [16, 16] in "ACC" as i32 : memref<64x64xi8> (%v: i32) {
          %w = arith.trunci %v : i32 to i8
          hier.yield %w : i8
        })
    """

    name = "hier.grid"

    extents = prop_def(base(DenseArrayBase))
    spatial = opt_prop_def(base(DenseArrayBase))
    """The dimensions along instances of the engine, in ascending order; absent if there are none."""
    strides = opt_prop_def(DictionaryAttr)
    """Stride in bytes between the buffers of instances, by the name of the level that they share."""
    inputs = var_operand_def(MemRefType)
    outputs = var_operand_def(MemRefType)
    tiles = prop_def(ArrayAttr[TileAttr])
    scratch = opt_prop_def(ArrayAttr[ScratchAttr])
    mapped = opt_prop_def(base(DenseArrayBase))
    """The operands whose transfers have bodies, in ascending order; absent if there are none."""
    body = region_def("single_block")
    bodies = var_region_def("single_block")
    """The bodies of the transfers of `mapped` operands."""

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    # An output that is used in place is read as well.
    traits = traits_def(OperandEffects(reads=("inputs", "outputs"), writes=("outputs",)), OwnArguments())

    def __init__(
        self,
        extents: Sequence[int],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        tiles: Sequence[TileAttr],
        body: Region,
        *,
        scratch: Sequence[ScratchAttr] = (),
        spatial: Sequence[int] = (),
        strides: Mapping[str, int] | DictionaryAttr | None = None,
        bodies: Mapping[int, Region] = {},
    ):
        if not isinstance(strides, DictionaryAttr):
            strides = DictionaryAttr({level: IntegerAttr(size, i64) for level, size in (strides or {}).items()})
        super().__init__(
            operands=[list(inputs), list(outputs)],
            properties={
                "extents": DenseArrayBase.from_list(i64, list(extents)),
                "spatial": DenseArrayBase.from_list(i64, list(spatial)) if spatial else None,
                "strides": strides if strides.data else None,
                "tiles": ArrayAttr(tiles),
                "scratch": ArrayAttr(scratch) if scratch else None,
                "mapped": DenseArrayBase.from_list(i64, sorted(bodies)) if bodies else None,
            },
            regions=[body, [bodies[index] for index in sorted(bodies)]],
        )

    @property
    def scratches(self) -> tuple[ScratchAttr, ...]:
        """The scratch buffers of the body."""
        return tuple(self.scratch) if self.scratch is not None else ()

    def body_of(self, index: int) -> Region | None:
        """Return the body of the transfers of an operand, None where they only move it."""
        mapped = numbers_of(self.mapped) if self.mapped is not None else ()
        return self.bodies[mapped.index(index)] if index in mapped else None

    def starter_of(self, output: int) -> int | None:
        """Return the input that starts an output, by its number among the outputs; None for no input."""
        return next((index for index, tile in enumerate(self.tiles) if tile.started_output == output), None)

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

    @property
    def spatial_dims(self) -> tuple[int, ...]:
        """The dimensions along instances of the engine."""
        return numbers_of(self.spatial) if self.spatial is not None else ()

    @property
    def temporal_dims(self) -> tuple[int, ...]:
        """The dimensions that each instance iterates, outermost first."""
        return tuple(dim for dim in range(len(self.bounds)) if dim not in self.spatial_dims)

    @property
    def sequence(self) -> tuple[int, ...]:
        """All dimensions, the spatial ones first: a copy's points come in row-major order of the rest."""
        return (*self.spatial_dims, *self.temporal_dims)

    @property
    def copies(self) -> int:
        """The number of engine instances that run concurrently."""
        return prod(self.bounds[dim] for dim in self.spatial_dims)

    @property
    def steps(self) -> int:
        """The number of points that each instance iterates."""
        return prod(self.bounds[dim] for dim in self.temporal_dims)

    def stride_in(self, level: str) -> int | None:
        """Return the bytes between the buffers of neighbouring copies in a level; None where it has copies too."""
        stride = self.strides.data.get(level) if self.strides is not None else None
        return cast("IntegerAttr[Any]", stride).value.data if stride is not None else None

    def verify_(self) -> None:
        self._verify_spatial()
        rank = len(self.bounds)
        if len(self.tiles) != len(self.operands):
            raise VerifyException(f"{len(self.operands)} operands need as many tiles, got {len(self.tiles)}")
        for index, (tile, value) in enumerate(zip(self.tiles, self.operands, strict=True)):
            lead = tile.map.data
            axes = len(shape_of(value))
            if (lead.num_dims, len(lead.results), len(tile.extents)) != (rank, axes, axes):
                raise VerifyException(f"the tile of operand {index} must lead from {rank} to {axes} axes")
            self._verify_tile(index, tile, value)
            verify_lookups(GridOperands(self.operands, tuple(self.tiles), len(self.inputs), self.bounds), index)
            if tile.is_in_place and any(t > n for t, n in zip(tile.extents, shape_of(value), strict=True)):
                raise VerifyException(f"the tile of operand {index} is larger than the operand, used in place")
        expected = self._argument_types()
        actual = [argument.type for argument in self.body.block.args]
        if actual != expected:
            taken = ", ".join(map(str, actual))
            raise VerifyException(f"the body must take {', '.join(map(str, expected))}, it takes {taken}")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the body must end with hier.yield")

    def _verify_tile(self, index: int, tile: TileAttr, value: SSAValue) -> None:
        """Raise VerifyException for a tile that does not agree with its operand, its body and what it starts."""
        what, is_output = f"the tile of operand {index}", index >= len(self.inputs)
        if tile.source.broadcast_axes and is_output:
            raise VerifyException(f"{what} is an output, only inputs broadcast")
        verify_broadcast(shape_of(value), tile.extents, tile.source.broadcast_axes, what)
        self._verify_chain(tile, what, is_output=is_output)
        own, near = element_of(value), self.storage_of(index)
        verify_body(self.body_of(index), *((near, own) if is_output else (own, near)), what, shape_of(value))
        if tile.started_output is not None:
            self._verify_start(index, tile, tile.started_output)

    def _verify_chain(self, tile: TileAttr, what: str, *, is_output: bool) -> None:
        """Raise VerifyException for a tile that cannot come from the neighbour along its dimensions."""
        chain = tile.source.neighbour_dims
        if not chain:
            return
        if is_output or tile.own_buffer is None:
            raise VerifyException(f"{what} comes from a neighbour: it must be an input that is brought to a level")
        if not set(chain) <= set(self.spatial_dims):
            actual = f"{list(chain)} of {list(self.spatial_dims)}"
            raise VerifyException(f"{what} comes from a neighbour along spatial dimensions; found {actual}")
        moving = sorted(set(chain) & set(tile.dims()))
        if moving:
            raise VerifyException(f"{what} moves along dimension {moving[0]}, so that the neighbour there has another")

    def _verify_start(self, index: int, tile: TileAttr, output: int) -> None:
        what = f"operand {index}, which starts output {output},"
        if index >= len(self.inputs) or not 0 <= output < len(self.outputs):
            raise VerifyException(f"{what} must be an input, and the output one of {len(self.outputs)}")
        if self.starter_of(output) != index:
            raise VerifyException(f"output {output} is started by two operands")
        target = self.tiles.data[len(self.inputs) + output]
        if tile.extents != target.extents or target.own_buffer is None:
            raise VerifyException(f"{what} must have tiles of {list(target.extents)}, in a level")
        if not set(tile.dims()) <= set(target.dims()):
            raise VerifyException(f"{what} must not move while the output's tile stays")
        if self.buffers[index].uses:
            raise VerifyException(f"{what} is brought to the output's buffer: the body must use that")

    def storage_of(self, index: int) -> Attribute:
        """Return the element type of the buffer that holds an operand's tiles."""
        output = self.tiles.data[index].started_output
        index = index if output is None else len(self.inputs) + output
        return self.tiles.data[index].storage(self.operands[index])

    def _argument_types(self) -> list[Attribute]:
        """Return the types of the body's arguments that follow from bounds, tiles and scratch."""
        tiles = buffer_types(self.tiles.data, self.operands, len(self.inputs))
        return [IndexType()] * len(self.bounds) + tiles + [scratch.type for scratch in self.scratches]

    def needs_generic_form(self) -> bool:
        """Return whether the body's arguments are not those that the custom syntax implies, before verification."""
        blocks = self.body.blocks
        if len(blocks) != 1 or len(self.tiles) != len(self.operands):
            return True
        return [argument.type for argument in self.body.block.args] != self._argument_types()

    def _verify_spatial(self) -> None:
        spatial, rank = self.spatial_dims, len(self.bounds)
        if any(not 0 <= dim < rank for dim in spatial):
            raise VerifyException(f"spatial dimensions must be among the grid's {rank}, got {list(spatial)}")
        if list(spatial) != sorted(set(spatial)):
            raise VerifyException(f"spatial dimensions must be in ascending order, got {list(spatial)}")
        distances = list(self.strides.data.values()) if self.strides is not None else []
        if distances and not spatial:
            raise VerifyException("'strides' needs spatial dimensions, the grid has none")
        if any(not isinstance(stride, IntegerAttr) or stride.value.data < 1 for stride in distances):
            raise VerifyException("'strides' must be a positive number of bytes in each level")
        if spatial and spatial_grid(self.parent_op()) is not None:
            raise VerifyException("a grid with spatial dimensions must not be nested in another one")

    @classmethod
    def parse(cls, parser: Parser) -> GridOp:
        header = parse_point(parser)
        spatial: Sequence[int] = ()
        strides: DictionaryAttr | None = None
        if parser.parse_optional_keyword("spatial"):
            spatial = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        if parser.parse_optional_keyword("strides"):
            strides = DictionaryAttr(parser.parse_optional_dictionary_attr_dict())
        parse_buffers(parser, header)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(header.arguments)
        inputs, outputs = header.operands["ins"], header.operands["outs"]
        op = cls(
            header.extents,
            inputs,
            outputs,
            header.tiles,
            body,
            scratch=header.scratch,
            spatial=spatial,
            strides=strides,
            bodies=header.bodies,
        )
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        names = print_point(printer, self.bounds, self.point)
        if self.spatial is not None:
            printer.print_string(f" spatial [{', '.join(map(str, self.spatial_dims))}]")
        if self.strides is not None:
            printer.print_string(" strides ")
            printer.print_attr_dict(self.strides.data)
        bodies = map(self.body_of, range(len(self.operands)))
        operands = list(zip(self.buffers, self.operands, self.tiles, bodies, strict=True))
        print_tiles(printer, "ins", operands[: len(self.inputs)], self.operands, names)
        print_tiles(printer, "outs", operands[len(self.inputs) :], self.operands, names)
        print_scratch(printer, list(zip(self.scratch_buffers, self.scratches, strict=True)))
        if self.attributes:
            with printer.indented(2):
                printer.print_string("\nattributes ")
                printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def spatial_grid(op: Operation | None) -> GridOp | None:
    """Return the grid with spatial dimensions that an op is, or is in; None if there is none."""
    while op is not None and not (isinstance(op, GridOp) and op.spatial is not None):
        op = op.parent_op()
    return op


# Semantics


@semantics(GridOp)
def _run_grid(runner: Runner, op: GridOp, operands: Sequence[Value]) -> list[Value]:
    """Run the instances one by one, the last first: they have no order, so that none may depend on another."""
    for instance in reversed(list(product(*(range(op.bounds[dim]) for dim in op.spatial_dims)))):
        _run_copy(runner, op, operands, dict(zip(op.spatial_dims, instance, strict=True)))
    return []


def _run_copy(runner: Runner, op: GridOp, operands: Sequence[Value], instance: Mapping[int, int]) -> None:
    """Run the points of one copy, `instance` its indices along the spatial dimensions, with buffers of its own."""
    count = len(op.inputs)
    tiles, undefine = list(op.tiles), runner.interleaving.undefine
    near = [
        array if tile.is_in_place else undefine(np.zeros(tile.extents, numpy_type(op.storage_of(index))))
        for index, (tile, array) in enumerate(zip(tiles, operands, strict=True))
    ]
    moves = [_move_of(runner, op, index) for index in range(len(tiles))]
    types = (buffer.type for buffer in op.scratches)
    scratch = [undefine(np.zeros(type.get_shape(), numpy_type(type.get_element_type()))) for type in types]
    resident: list[tuple[int, ...] | None] = [None] * len(tiles)
    ranges = [(instance[dim],) if dim in instance else range(extent) for dim, extent in enumerate(op.bounds)]
    for point in product(*ranges):
        for index, (tile, array) in enumerate(zip(tiles, operands, strict=True)):
            if tile.started_output is not None:
                continue
            offsets = tile.offsets(point, entries_of(op, tile, operands, point))
            if resident[index] == offsets:
                continue
            if tile.is_in_place:
                near[index] = _view(op, index, array, offsets)
                continue
            if index < count:
                _fetch(op, index, array, offsets, near[index], moves[index])
            elif (old := resident[index]) is not None:
                write_tile(array, old, near[index], moves[index])
            start = op.starter_of(index - count) if index >= count else None
            if start is not None:
                begin = tiles[start].offsets(point, entries_of(op, tiles[start], operands, point))
                _fetch(op, start, operands[start], begin, near[index], moves[start])
            resident[index] = offsets
        runner.run_region(op.body, [*(np.int64(i) for i in point), *near, *scratch])
    for index in range(count, len(tiles)):
        if (offsets := resident[index]) is not None:
            write_tile(operands[index], offsets, near[index], moves[index])


def _move_of(runner: Runner, op: GridOp, index: int) -> Move:
    """Return the map of an operand's elements on the way."""
    own = element_of(op.operands[index])
    return move_of(runner, op.body_of(index), own if index >= len(op.inputs) else op.storage_of(index))


def _view(op: GridOp, index: int, whole: Array, offsets: tuple[int, ...]) -> Array:
    extents = op.tiles.data[index].extents
    view = box_of(whole, tuple(slice(o, o + t) for o, t in zip(offsets, extents, strict=True)))
    if min(offsets, default=0) < 0 or view.shape != extents:
        message = f"operand {index} of the grid: the tile at {offsets} leaves the buffer of shape {whole.shape}"
        raise Diagnostic(message, where=where(op), remedy="bring partial tiles to a level, with a fill")
    return view


def _fetch(op: GridOp, index: int, far: Array, offsets: tuple[int, ...], near: Array, move: Move) -> None:
    tile = op.tiles.data[index]
    try:
        read_tile(far, offsets, near, tile.source.padding, move, tile.source.broadcast_axes)
    except IndexError as error:
        message = f"operand {index} of the grid: {error}"
        raise Diagnostic(message, where=where(op), remedy="give the tile a fill") from error
