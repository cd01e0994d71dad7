"""Loops for convolutions with packed weights: over tiles of neighbouring outputs, whose sums stay close at hand."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from ...dialects.core.body import is_float
from ...dialects.core.kernel import Kernel
from ...dialects.packed import LANES, TILE_TYPES, ChannelsLastOp, DepthwiseTileOp, DotTileOp, PackedConvOp
from ...ir import element_of, shape_of
from .affine import axes_of
from .blocks import Part, PartLoops, parts
from .nest import INDEPENDENT, Index, Nest

_SUMS = 24
"""Vectors of sums that a tile may have, so that they and its operands fit the registers."""
_MOST_BLOCKS, _MOST_PIXELS = 4, 16
_FLOAT_SUMS, _FLOAT_PIXELS = 28, 14
"""The same for floats, of which an operand comes from memory with each instruction."""
_CHANNELS = 64


def is_tiled(op: ChannelsLastOp) -> bool:
    """
    Return whether a convolution on buffers can be computed in tiles: of bytes or f32, rows in one piece.

    The sums of a tile start from 0.
    """
    if op.accumulate is not None:
        return False
    x, w = op.inputs
    strides = cast("MemRefType[Any]", x.type).get_strides()
    if (element_of(x), element_of(w), op.accumulator) not in TILE_TYPES or op.is_unsigned(1) or strides is None:
        return False
    kernel = op.geometry()[2]
    channels = shape_of(x)[-1]
    dense = len(kernel) == 0 or strides[-2] == channels or kernel[-1] == 1
    return len(kernel) <= 2 and strides[-1] == 1 and dense


def lower_packed(op: ChannelsLastOp, kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops of a convolution: over blocks of features outermost, then over tiles of pixels of a row.

    Each tile is one `packed.dot_tile` or `packed.depthwise_tile` into a buffer of sums, followed by the epilogue in
    loops over that buffer. What is left over at the end of a row, or of the features, is a smaller tile.
    """
    _PackedLoops(op, kernel, nest).build()


def _width(pixels: int, most: int) -> int:
    """Return how many pixels a tile has: such that nothing is left over, unless that makes tiles much smaller."""
    even = next(width for width in range(min(pixels, most), 0, -1) if pixels % width == 0)
    return even if 2 * even > most else -(-pixels // -(-pixels // most))


class _PackedLoops(PartLoops):
    def __init__(self, op: ChannelsLastOp, kernel: Kernel, nest: Nest):
        super().__init__(kernel, nest)
        self.op = op
        self.feature = len(op.geometry()[2]) + 1
        self.pixel = self.feature - 1
        self.dense = isinstance(op, PackedConvOp)
        self.floating = is_float(op.accumulator)

    def build(self) -> None:
        bounds = self.kernel.bounds
        features, pixels = bounds[self.feature], bounds[self.pixel]
        for part in parts(0, features, self.lanes(features, pixels)):
            vectors = -(-part.size // LANES)
            width = _width(pixels, self.most_pixels(vectors))
            first = self.loop("f", part)
            outer = self.open_all(range(self.pixel))
            for run in parts(0, pixels, width):
                self.tile(part.size, vectors * LANES if self.dense else part.size, first, run)
            for _ in range(outer):
                self.nest.close()
            self.close(part)

    def lanes(self, features: int, pixels: int) -> int:
        """Return how many features the tiles have that are not cut."""
        if not self.dense:
            return _CHANNELS
        blocks = min(_MOST_BLOCKS, -(-features // LANES))
        if self.floating and _width(pixels, _FLOAT_PIXELS) * blocks > _FLOAT_SUMS:
            # Long rows of pixels rather than many features: fewer weights are used by more pixels.
            blocks = min(blocks, 2)
        return blocks * LANES

    def most_pixels(self, vectors: int) -> int:
        """Return how many pixels a tile of so many vectors of features may have."""
        if self.floating and self.dense:
            return min(_FLOAT_PIXELS, _FLOAT_SUMS // vectors)
        return min(_MOST_PIXELS, _SUMS // vectors)

    def tile(self, features: int, lanes: int, first: Index, run: Part) -> None:
        """Build the tiles of a stretch of a row."""
        begin = self.loop("p", run)
        sums = self.nest.op(memref.AllocaOp.get(self.op.accumulator, shape=[run.size, lanes], alignment=64))
        self.position[self.pixel], self.position[self.feature] = begin, first
        self.nest.last(self.tile_op(sums, first))
        (pixel,) = self.nest.open("p", 0, run.size)
        (lane,) = self.nest.open("f", 0, features, marks=[INDEPENDENT])
        self.position[self.pixel] = self.nest.add(pixel, begin)
        self.position[self.feature] = self.nest.add(lane, first)
        total = self.nest.op(memref.LoadOp.get(sums, [pixel, lane]))
        total.name_hint = "sum"
        self.finish([total])
        self.nest.close()
        self.nest.close()
        self.close(run)

    def tile_op(self, sums: SSAValue, first: Index) -> DotTileOp | DepthwiseTileOp:
        op, nest = self.op, self.nest
        strides, dilations, kernel = op.geometry()
        for dim in self.kernel.reduced:
            self.position[dim] = 0
        axes = axes_of(self.kernel.inputs[0], self.kernel.bounds)[:-1]
        at = [nest.value(self.index(axis.index)) for axis in axes]
        for dim in self.kernel.reduced:
            del self.position[dim]
        made = DotTileOp if self.dense else DepthwiseTileOp
        return made(
            (op.inputs[0], op.inputs[1], sums),
            at,
            nest.value(nest.div(first, LANES) if self.dense else first),
            step=strides[-1] if strides else 1,
            dilations=dilations,
            kernel=kernel,
            unsigned=op.is_unsigned(0),
        )
