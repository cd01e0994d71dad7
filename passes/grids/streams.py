"""Streams of tiles: the tiles of a grid's operands in order of use by its loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from ...dialects.core.machine.level import LARGEST_ELEMENT
from ...dialects.core.scalars import Index
from ...dialects.hier import DmaStartOp, GridOp, LookupAttr, LookupOp, TileAttr
from ...dialects.hier.indirect import free_forms, free_map
from ...errors import Diagnostic
from ...ir import shape_of, where
from ..memory.views import view_of
from ..tiles.stream import TileStream, resident_steps
from .writer import Writer


@dataclass(frozen=True)
class Step:
    """Step of a grid's loop; `copy` has the grid point along spatial dimensions, whose bounds are 1 here."""

    writer: Writer
    bounds: tuple[int, ...]
    number: SSAValue
    copy: Mapping[int, Index] = field(default_factory=dict[int, Index])

    def dim(self, axis: int) -> Index:
        """Return the index of the grid point along a dimension, delinearised from the row-major step."""
        if self.bounds[axis] == 1:
            return self.copy.get(axis, 0)
        quotient = self.writer.div_unsigned(self.number, prod(self.bounds[axis + 1 :]))
        is_outermost = prod(self.bounds[:axis]) == 1
        return quotient if is_outermost else self.writer.rem_unsigned(quotient, self.bounds[axis])


@dataclass(frozen=True)
class OperandStream:
    """Tiles of one operand of a grid, and the memory of their ring."""

    grid: GridOp
    index: int
    memory: SSAValue | None
    """Memory of the tiles' level; None for tiles in place."""
    unit: int = LARGEST_ELEMENT
    """Alignment of tile buffers in bytes."""

    @property
    def operand(self) -> SSAValue:
        """Operand of the grid."""
        return self.grid.operands[self.index]

    @property
    def tile(self) -> TileAttr:
        """Return the tile attribute of the operand."""
        return self.grid.tiles.data[self.index]

    @cached_property
    def is_output(self) -> bool:
        """Return whether the tiles are written."""
        return self.index >= len(self.grid.inputs)

    @cached_property
    def steps(self) -> int:
        """Steps per engine instance."""
        return self.grid.steps

    @property
    def started(self) -> int | None:
        """Operand of the output that this input starts, None for an input with a buffer of its own."""
        output = self.tile.started_output
        return None if output is None else len(self.grid.inputs) + output

    @cached_property
    def tiles(self) -> TileStream:
        """Tiles in order of use; an input that starts an output has its tiles for as long as that one."""
        tile = self.tile if self.started is None else self.grid.tiles.data[self.started]
        run = resident_steps(self.grid.bounds, tile.dims(), self.grid.temporal_dims)
        return TileStream(self.is_output, run, self.steps // run, tile.stage_count, self.started is not None)

    @property
    def run(self) -> int:
        """Steps for which a tile is resident."""
        return self.tiles.run

    @cached_property
    def is_partial(self) -> bool:
        """True if there are partial tiles."""
        repeated, (forms, bounds) = self.tile.source.broadcast_axes, free_forms(self.tile, self.grid.bounds)
        intervals = (form.interval(bounds) for form in forms)
        sides = enumerate(zip(intervals, self.tile.extents, shape_of(self.operand), strict=True))
        return any(
            low < 0 or high + (1 if axis in repeated else extent) > size for axis, ((low, high), extent, size) in sides
        )

    def offsets(self, step: Step) -> list[SSAValue]:
        """Return the offset of the operand's tile at a step, in elements per axis; tables are looked up there."""
        entries = [self._entry(step, lookup) for lookup in self.tile.lookups]
        rank = len(self.grid.bounds)

        def value(dim: int) -> Index:
            return step.dim(dim) if dim < rank else entries[dim - rank]

        return [step.writer.value(step.writer.affine(expr, value)) for expr in free_map(self.tile)]

    def _entry(self, step: Step, lookup: LookupAttr) -> SSAValue:
        indices = [step.writer.value(step.writer.affine(expr, step.dim)) for expr in lookup.map.data.results]
        return step.writer.op(LookupOp(self.grid.operands[lookup.operand], indices, lookup.range))

    def buffer(self, step: Step) -> SSAValue:
        """Return the buffer of the tile at a step: in the ring, or a view of the operand in place."""
        kind = cast(Any, self.tile.type_of(self.operand))
        if self.memory is None:
            return self.operand if kind == self.operand.type else self._view(step, kind)
        turn = step.writer.rem_unsigned(step.writer.div_unsigned(step.number, self.run), self.tiles.ring)
        stride = stage_bytes(self.tile.bytes_of(self.operand), self.unit)
        start = step.writer.add(step.writer.mul(turn, stride), self.tile.byte_address or 0)
        return step.writer.op(view_of(self.memory, step.writer.value(start), kind))

    def _view(self, step: Step, kind: Any) -> SSAValue:
        extents = self.tile.extents
        unknown, ones = [DYNAMIC_INDEX] * len(extents), [1] * len(extents)
        return step.writer.op(memref.SubviewOp(self.operand, self.offsets(step), [], [], unknown, extents, ones, kind))

    def start(self, writer: Writer, offsets: Sequence[SSAValue], near: SSAValue) -> SSAValue:
        """
        Issue the transfer of a tile; return its token.

        One that starts an output is part of the compute on its tile, unless the ring has a buffer for the next one.
        """
        in_turn = self.started is None or self.tiles.starts_ahead
        padding, body = self.tile.source.padding, self.grid.body_of(self.index)
        # An input without padding must be inside of the operand, which verify-memory proves.
        clipped = self.is_partial and (self.is_output or padding is not None)
        return writer.op(
            DmaStartOp(
                self.operand,
                offsets,
                near,
                writes_far=self.is_output,
                clipped=clipped,
                fill=padding if clipped and not self.is_output else None,
                stages=self.tiles.ring if in_turn else None,
                broadcast=self.tile.source.broadcast_axes,
                body=body.clone() if body is not None else None,
            )
        )


def stage_bytes(size: int, unit: int = LARGEST_ELEMENT) -> int:
    """Return the stride in bytes between the buffers of a ring: the tile's size, aligned."""
    return -(-size // unit) * unit


def streams_of(grid: GridOp, memories: Mapping[str, SSAValue], units: Mapping[str, int]) -> list[OperandStream]:
    """
    Return the stream of each operand of a grid; `memories` has the memory of each level, `units` its alignment in
    bytes.

    Raises Diagnostic for a tile with a level but without an address, and for a partial tile in place.
    """
    return [_stream(grid, index, tile, memories, units) for index, tile in enumerate(grid.tiles)]


def _stream(
    grid: GridOp, index: int, tile: TileAttr, memories: Mapping[str, SSAValue], units: Mapping[str, int]
) -> OperandStream:
    if tile.level_name is not None and tile.byte_address is None:
        raise Diagnostic(
            f"the tile of operand {index} has no address", where=where(grid), remedy="run plan-memory before"
        )
    output = tile.started_output
    level = tile.level_name if output is None else grid.tiles.data[len(grid.inputs) + output].level_name
    unit = units.get(level or "", LARGEST_ELEMENT)
    stream = OperandStream(grid, index, None if level is None else memories[level], unit)
    if tile.is_in_place and stream.is_partial:
        raise Diagnostic(
            f"the tile of operand {index} extends beyond the operand, which is used in place",
            where=where(grid),
            found=f"tiles of {list(tile.extents)} at {tile.map.data} in the shape {list(shape_of(stream.operand))}",
            remedy="bring partial tiles to a level, with a fill",
        )
    return stream
