"""Loops over tiles of the outputs of packed convolutions and products, whose sums stay in registers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.kernel import Kernel
from ...dialects.core.scalars import Index, is_float
from ...ir import element_of, shape_of
from ...passes.loops.affine import axes_of
from ...passes.loops.blocks import BlockInterval, PartLoops, parts
from ...passes.loops.nest import INDEPENDENT, PARALLEL, Nest
from .dialects.packed import ChannelsLastOp, PackedConvOp, PackedMatmulOp
from .dialects.packed.tiles import DOT_TYPES, LANES, TILE_TYPES, DepthwiseTileOp, DotTileOp, MatmulTileOp

_SUMS = 24
"""Vectors of sums that a tile may have, so that they and its operands fit the registers."""
_MOST_BLOCKS, _MOST_PIXELS = 4, 16
_FLOAT_SUMS, _FLOAT_PIXELS = 28, 14
"""The same for floats, whose instructions read an operand from memory."""
_FEW_PIXELS = 2
"""Pixels of a tile whose sums wait for each other: two vectors of each, where eight would not."""
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
    types = DOT_TYPES if isinstance(op, PackedConvOp) else TILE_TYPES
    if (element_of(x), element_of(w), op.accumulator) not in types or op.is_unsigned(1) or strides is None:
        return False
    kernel = op.geometry()[2]
    channels = shape_of(x)[-1]
    dense = len(kernel) == 0 or strides[-2] == channels or kernel[-1] == 1 or is_float(op.accumulator)
    return len(kernel) <= 2 and strides[-1] == 1 and dense


def is_tiled_matmul(op: PackedMatmulOp) -> bool:
    """Return whether a matrix product on buffers can be computed in tiles: of f32, with contiguous rows."""
    types = [cast("MemRefType[Any]", value.type) for value in op.inputs]
    strides = [type_.get_strides() for type_ in types]
    floats = all(element_of(value) == f32 for value in op.inputs) and op.accumulator == f32
    return floats and op.accumulate is None and all(steps is not None and steps[-1] == 1 for steps in strides)


def lower_packed_matmul(op: PackedMatmulOp, kernel: Kernel, nest: Nest, *, float_pixels: int = 0) -> None:
    """
    Build the loops of a matrix product: over matrices, then over blocks of columns, then over tiles of rows.

    Tiles have `float_pixels` rows, as those of `lower_packed` have pixels.
    """
    _MatmulLoops(op, kernel, nest, float_pixels).build()


def lower_packed(
    op: ChannelsLastOp, kernel: Kernel, nest: Nest, *, byte_pixels: int = 0, float_pixels: int = 0
) -> None:
    """
    Build the loops of a convolution: over blocks of features outermost, then over tiles of pixels of a row.

    Each tile is one `packed.dot_tile` or `packed.depthwise_tile` into a buffer of sums, followed by the epilogue in
    loops over that buffer. What is left over at the end of a row, or of the features, is a smaller tile. Tiles of bytes
    have at most `byte_pixels` pixels, 0 for as many as fit the registers with their features. Tiles of floats have
    `float_pixels` pixels, the last one of a row up to two more, and fewer if it is shorter; 0 for even ones.
    """
    _ConvLoops(op, kernel, nest, byte_pixels, float_pixels).build()


def _width(pixels: int, most: int) -> int:
    """Return the pixels of a tile: a divisor of all, unless that makes tiles much smaller."""
    even = next(width for width in range(min(pixels, most), 0, -1) if pixels % width == 0)
    return even if 2 * even > most else -(-pixels // -(-pixels // most))


def _stretches(pixels: int, width: int) -> list[BlockInterval]:
    """Return tiles of one width, and a last one of what is left over: with the tile before it where that is little."""
    count, rest = divmod(pixels, width)
    if count and 0 < rest <= _FEW_PIXELS:
        count, rest = count - 1, rest + width
    return [BlockInterval(0, width, count)] * (count > 0) + [BlockInterval(count * width, rest, 1)] * (rest > 0)


class _TileLoops(PartLoops, ABC):
    """Tiles of dimension `pixel`, whose outputs are contiguous in a row, and of `feature`, the one after it."""

    def __init__(self, kernel: Kernel, nest: Nest, *, accumulator: Attribute, pixel: int, dense: bool):
        super().__init__(kernel, nest)
        self.accumulator, self.pixel, self.feature, self.dense = accumulator, pixel, pixel + 1, dense
        self.floating = is_float(accumulator)
        self.byte_pixels, self.float_pixels = 0, 0

    @abstractmethod
    def tile_op(self, sums: SSAValue, first: Index, features: int) -> Operation:
        """Return the op that computes a tile at the current position, from feature `first` on."""

    def tiles(self, features: int, start: Index, rows: Sequence[int]) -> None:
        """Build the tiles of `features` features from `start` on, in loops over the dimensions `rows`."""
        pixels = self.kernel.bounds[self.pixel]
        for part in parts(0, features, self.lanes(features, pixels)):
            vectors = -(-part.size // LANES)
            lanes = vectors * LANES if self.dense else part.size
            with self.blocks("f", part) as first, self.over(rows, [PARALLEL]):
                for run in self.stretches(pixels, vectors):
                    self.tile(part.size, lanes, self.nest.add(first, start), run)

    def lanes(self, features: int, pixels: int) -> int:
        """Return the features of full tiles."""
        if not self.dense:
            return _CHANNELS
        blocks = min(_MOST_BLOCKS, -(-features // LANES))
        if self.floating and _width(pixels, _FLOAT_PIXELS) * blocks > _FLOAT_SUMS:
            # Long rows of pixels rather than many features: fewer weights are used by more pixels.
            blocks = min(blocks, 2)
        return blocks * LANES

    def stretches(self, pixels: int, vectors: int) -> Iterable[BlockInterval]:
        """Return the tiles of a row, of so many vectors of features."""
        if self.floating and self.dense and self.float_pixels:
            return _stretches(pixels, self.float_pixels)
        return parts(0, pixels, _width(pixels, self.most_pixels(vectors)))

    def most_pixels(self, vectors: int) -> int:
        """Return the most pixels of a tile of so many vectors of features."""
        if self.floating and self.dense:
            return min(_FLOAT_PIXELS, _FLOAT_SUMS // vectors)
        return (self.dense and self.byte_pixels) or min(_MOST_PIXELS, _SUMS // vectors)

    def tile(self, features: int, lanes: int, first: Index, run: BlockInterval) -> None:
        """Build the tiles of a stretch of a row."""
        nest = self.nest
        with self.blocks("p", run) as begin:
            sums = nest.op(memref.AllocaOp.get(self.accumulator, shape=[run.size, lanes], alignment=64))
            self.position |= {self.pixel: begin, self.feature: first}
            nest.insert(self.tile_op(sums, first, features))
            with nest.loop("p", 0, run.size) as pixel, nest.loop("f", 0, features, marks=[INDEPENDENT]) as lane:
                self.position |= {self.pixel: nest.add(pixel, begin), self.feature: nest.add(lane, first)}
                total = nest.read(sums, [nest.value(pixel), nest.value(lane)])
                total.name_hint = "sum"
                self.finish([total])

    def places(self, number: int, axes: int) -> list[SSAValue]:
        """Return the first indices of an input at the current position, where reduced dimensions are 0."""
        reduced = dict.fromkeys(self.kernel.reduced, 0)
        self.position |= reduced
        read_axes = axes_of(self.kernel.inputs[number], self.kernel.bounds)[:axes]
        indices = [self.nest.value(self.index(axis.index)) for axis in read_axes]
        for dim in reduced:
            del self.position[dim]
        return indices


class _ConvLoops(_TileLoops):
    def __init__(self, op: ChannelsLastOp, kernel: Kernel, nest: Nest, byte_pixels: int, float_pixels: int):
        pixel = len(op.geometry()[2])
        dense = isinstance(op, PackedConvOp)
        super().__init__(kernel, nest, accumulator=op.accumulator, pixel=pixel, dense=dense)
        self.op, self.byte_pixels, self.float_pixels = op, byte_pixels, float_pixels
        self.part: Index = 0

    def build(self) -> None:
        """Build it all, one group of channels after the other."""
        features, op = self.kernel.bounds[self.feature], self.op
        count = op.part_count if isinstance(op, PackedConvOp) else 1
        groups = BlockInterval(0, 1, count)
        with self.blocks("g", groups) as self.part:
            self.tiles(features // count, self.nest.mul(self.part, features // count), range(self.pixel))

    def tile_op(self, sums: SSAValue, first: Index, features: int) -> DotTileOp | DepthwiseTileOp:
        op, nest = self.op, self.nest
        strides, dilations, kernel = op.geometry()
        at = self.places(0, len(kernel) + 1)
        channels = op.channels if isinstance(op, PackedConvOp) and op.part_count > 1 else None
        if channels is not None:
            at.append(nest.value(nest.mul(self.part, channels)))
        kind = DotTileOp if self.dense else DepthwiseTileOp
        return kind(
            (op.inputs[0], op.inputs[1], sums),
            at,
            nest.value(self.block(first) if self.dense else first),
            step=strides[-1] if strides else 1,
            dilations=dilations,
            kernel=kernel,
            unsigned=op.is_unsigned(0),
            channels=channels,
        )

    def block(self, first: Index) -> Index:
        """Return the block of the weights that begins with a feature."""
        count = self.op.part_count if isinstance(self.op, PackedConvOp) else 1
        if count == 1:
            return self.nest.div(first, LANES)
        own = self.kernel.bounds[self.feature] // count
        inside = self.nest.sub(first, self.nest.mul(self.part, own))
        return self.nest.add(self.nest.mul(self.part, -(-own // LANES)), self.nest.div(inside, LANES))


class _MatmulLoops(_TileLoops):
    def __init__(self, op: PackedMatmulOp, kernel: Kernel, nest: Nest, float_pixels: int):
        super().__init__(kernel, nest, accumulator=op.accumulator, pixel=len(kernel.bounds) - 3, dense=True)
        self.op, self.float_pixels = op, float_pixels

    def build(self) -> None:
        """Build it all, one matrix after the other."""
        with self.over(range(self.pixel), [PARALLEL]):
            self.tiles(self.kernel.bounds[self.feature], 0, ())

    def tile_op(self, sums: SSAValue, first: Index, features: int) -> MatmulTileOp:
        a, b = self.op.inputs
        leading = self.places(1, len(shape_of(b)) - 2)
        return MatmulTileOp(
            (a, b, sums),
            self.places(0, len(shape_of(a)) - 1),
            [*leading, self.nest.value(first)],
            features,
        )
