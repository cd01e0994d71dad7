"""
Convolutions on channels-last tensors with packed weights, and the tiles that they are computed in.

Channels lie side by side, so that the innermost loops run over contiguous memory: sums of four products of bytes, or
of one product of floats, at a time for dense kernels, whole vectors of channels for depthwise ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ..ir import Array, element_of, numbers_of, shape_of
from .core.body import is_float
from .core.kernel import Kernel
from .core.semantics import Runner, Value, semantics
from .nn import ContractionOp, ints

LANES = 16
"""Output channels that lie side by side in packed weights."""
GROUP = 4
"""Products of bytes that are summed up at a time."""


def packed_shape(features: int, kernel: Sequence[int], channels: int, group: int) -> tuple[int, ...]:
    """
    Return the shape of packed weights: blocks of features, leading taps, groups of a row, lanes, products.

    `group` is how many products are summed up at a time.
    """
    row = (kernel[-1] if kernel else 1) * channels
    return (-(-features // LANES), *kernel[:-1], -(-row // group), LANES, group)


def pack(weight: Array) -> Array:
    """Return weights [F, taps..., C] as `packed_shape` says, zeros where there is nothing."""
    features, *kernel, channels = weight.shape
    group = 1 if weight.dtype.kind == "f" else GROUP
    shape = packed_shape(features, kernel, channels, group)
    rows = weight.reshape(features, prod(kernel[:-1]), -1)
    full = np.zeros((shape[0] * LANES, rows.shape[1], shape[-3] * group), weight.dtype)
    full[:features, :, : rows.shape[2]] = rows
    blocks = full.reshape(shape[0], LANES, rows.shape[1], shape[-3], group)
    return np.ascontiguousarray(np.transpose(blocks, (0, 2, 3, 1, 4))).reshape(shape)


class ChannelsLastOp(ContractionOp):
    """A convolution of x [N, spatial..., C] without padding."""

    strides = prop_def(base(DenseArrayBase))
    dilations = prop_def(base(DenseArrayBase))
    kernel = prop_def(base(DenseArrayBase))

    def geometry(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return strides, dilations and kernel, one number for each spatial axis."""
        return numbers_of(self.strides), numbers_of(self.dilations), numbers_of(self.kernel)

    def verify_(self) -> None:
        if len(self.inputs) != 2 or len(self.outputs) != 1:
            raise VerifyException("expected an input, a weight and an output")
        shape, out = shape_of(self.inputs[0]), shape_of(self.output)
        strides, dilations, kernel = self.geometry()
        rank = len(shape) - 2
        if rank < 0 or len(out) != len(shape) or {len(strides), len(dilations), len(kernel)} != {rank}:
            raise VerifyException("input, output, strides, dilations and kernel must fit each other")
        limits = [
            (n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(shape[1:-1], kernel, dilations, strides, strict=True)
        ]
        if [*out[:-1]] != [shape[0], *limits]:
            raise VerifyException(f"the output's leading extents must be {[shape[0], *limits]}, got {list(out[:-1])}")
        wanted = self.weight_shape()
        if shape_of(self.inputs[1]) != wanted:
            raise VerifyException(f"the weight's shape must be {list(wanted)}, got {list(shape_of(self.inputs[1]))}")
        super().verify_()

    @abstractmethod
    def weight_shape(self) -> tuple[int, ...]:
        """Return the shape that the weights must have."""

    def window(self, outer: Sequence[Any], taps: Sequence[Any]) -> list[Any]:
        """Return the indices of a tap of a window on the spatial axes of x."""
        strides, dilations, _ = self.geometry()
        return [o * s + t * d for o, t, s, d in zip(outer, taps, strides, dilations, strict=True)]


@irdl_op_definition
class PackedConvOp(ChannelsLastOp):
    """
    Dense convolution, or a matrix product where there is no spatial axis.

    x [N, spatial..., C], output [N, spatial..., F]; w holds 16 features side by side, each with four consecutive
    weights of a row of (last tap, channel): [F / 16, leading taps..., taps * C / 4, 16, 4], rounded up. Of floats it is
    one weight at a time: [F / 16, leading taps..., taps * C, 16, 1]. The last dilation is 1.

        %y = packed.conv ins(%x, %w : tensor<1x34x34x16xi8>, tensor<1x3x12x16x4xi8>) outs(%o : tensor<1x32x32x16xi32>)
            {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = i32}
    """

    name = "packed.conv"

    @property
    def group(self) -> int:
        """How many products are summed up at a time."""
        return 1 if is_float(element_of(self.inputs[1])) else GROUP

    def weight_shape(self) -> tuple[int, ...]:
        return packed_shape(shape_of(self.output)[-1], self.geometry()[2], shape_of(self.inputs[0])[-1], self.group)

    def verify_(self) -> None:
        _, dilations, kernel = self.geometry()
        if kernel and kernel[-1] > 1 and dilations[-1] != 1:
            raise VerifyException("the last dilation must be 1")
        super().verify_()

    def core(self) -> Kernel:
        out, channels = shape_of(self.output), shape_of(self.inputs[0])[-1]
        kernel = self.geometry()[2]
        bounds = [*out, *kernel, channels]
        count, rank = len(bounds), len(kernel)
        dim = AffineMap.identity(count).results
        outer, feature, taps, channel = dim[1 : 1 + rank], dim[1 + rank], dim[2 + rank : -1], dim[-1]
        place = taps[-1] * channels + channel if taps else channel
        group, product = (place, AffineExpr.constant(0)) if self.group == 1 else (place // GROUP, place % GROUP)
        weight = [feature // LANES, *taps[:-1], group, feature % LANES, product]
        maps = [
            AffineMap(count, 0, (dim[0], *self.window(outer, taps), channel)),
            AffineMap(count, 0, tuple(weight)),
            AffineMap(count, 0, tuple(dim[: 2 + rank])),
        ]
        return self.contract(bounds, range(2 + rank, count), maps)


@irdl_op_definition
class DepthwiseOp(ChannelsLastOp):
    """
    Depthwise convolution: x [N, spatial..., C], w [taps..., C], output [N, spatial..., C].

        %y = packed.depthwise ins(%x, %w : tensor<1x27x7x64xi8>, tensor<3x3x64xi8>) outs(%o : tensor<1x25x5x64xi32>)
            {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = i32}
    """

    name = "packed.depthwise"

    def weight_shape(self) -> tuple[int, ...]:
        return (*self.geometry()[2], shape_of(self.inputs[0])[-1])

    def core(self) -> Kernel:
        out, kernel = shape_of(self.output), self.geometry()[2]
        bounds = [*out, *kernel]
        count, rank = len(bounds), len(kernel)
        dim = AffineMap.identity(count).results
        outer, channel, taps = dim[1 : 1 + rank], dim[1 + rank], dim[2 + rank :]
        maps = [
            AffineMap(count, 0, (dim[0], *self.window(outer, taps), channel)),
            AffineMap(count, 0, (*taps, channel)),
            AffineMap(count, 0, tuple(dim[: 2 + rank])),
        ]
        return self.contract(bounds, range(2 + rank, count), maps)


TILE_TYPES = ((i8, i8, i32), (f32, f32, f32))
"""Elements of x, w and the sums that tiles can have."""


class TileOp(IRDLOperation):
    """The sums of products of a few neighbouring outputs, into a buffer [pixels, lanes]: of bytes in i32, or of f32."""

    x = operand_def(MemRefType)
    w = operand_def(MemRefType)
    sums = operand_def(MemRefType)
    at = var_operand_def(IndexType)
    """Where in x the first window begins: every index but that of the channel."""
    first = operand_def(IndexType)
    """The first block of features, or the first channel."""
    step = prop_def(IntegerAttr[I64])
    """How far apart on the innermost spatial axis (the first axis, where there is none) the windows begin."""
    dilations = prop_def(base(DenseArrayBase))
    kernel = prop_def(base(DenseArrayBase))
    unsigned = opt_prop_def(UnitAttr)
    """Whether x holds unsigned integers; w never does."""

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$x `[` $at `]` `,` $w `[` $first `]` `into` $sums attr-dict `:` type($x) `,` type($w) `,` type($sums)"
    )

    def __init__(
        self,
        operands: tuple[SSAValue, SSAValue, SSAValue],
        at: Sequence[SSAValue],
        first: SSAValue,
        *,
        step: int,
        dilations: Sequence[int],
        kernel: Sequence[int],
        unsigned: bool,
    ):
        properties: dict[str, Attribute] = {
            "step": IntegerAttr(step, i64),
            "dilations": ints(dilations),
            "kernel": ints(kernel),
        }
        if unsigned:
            properties["unsigned"] = UnitAttr()
        super().__init__(operands=[*operands, list(at), first], properties=properties)

    def verify_(self) -> None:
        kernel = numbers_of(self.kernel)
        if len(shape_of(self.x)) != len(kernel) + 2 or len(self.at) != len(kernel) + 1 or len(kernel) > 2:
            raise VerifyException("x, its indices and the kernel must fit each other; two spatial axes at most")
        if tuple(map(element_of, (self.x, self.w, self.sums))) not in TILE_TYPES:
            raise VerifyException("expected bytes and sums of i32, or f32 throughout")
        if len(shape_of(self.sums)) != 2:
            raise VerifyException("the sums must be [pixels, lanes]")

    @property
    def pixels(self) -> int:
        """The number of windows."""
        return shape_of(self.sums)[0]

    @property
    def lanes(self) -> int:
        """The number of features, or channels."""
        return shape_of(self.sums)[1]


@irdl_op_definition
class DotTileOp(TileOp):
    """
    Part of a `packed.conv`: some neighbouring windows times some blocks of features.

        packed.dot_tile %x[%n, %h, %w], %weight[%block] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
            : memref<1x34x34x16xi8>, memref<2x3x12x16x4xi8>, memref<8x32xi32>
    """

    name = "packed.dot_tile"


@irdl_op_definition
class DepthwiseTileOp(TileOp):
    """
    Part of a `packed.depthwise`: some neighbouring windows of some channels.

        packed.depthwise_tile %x[%n, %h, %w], %weight[%channel] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
            : memref<1x27x7x64xi8>, memref<3x3x64xi8>, memref<5x64xi32>
    """

    name = "packed.depthwise_tile"


def _wide(op: TileOp) -> type[np.float64] | type[np.int64]:
    """Return the type in which the interpreter takes sums: doubles for floats, which are rounded once."""
    return np.float64 if element_of(op.sums) == f32 else np.int64


def _windows(op: TileOp, x: Array, at: Sequence[int]) -> Array:
    """Return the windows [pixels, taps..., C] in the type that sums are taken in."""
    kernel, dilations, step = numbers_of(op.kernel), numbers_of(op.dilations), op.step.value.data
    numbers = x.view(np.uint8) if op.unsigned is not None else x
    if not kernel:
        return numbers[at[0] : at[0] + op.pixels].astype(_wide(op))
    *leading, last = at[1:]
    taps = [start + d * np.arange(k) for start, d, k in zip(leading, dilations, kernel, strict=False)]
    inner = last + step * np.arange(op.pixels)[:, None] + dilations[-1] * np.arange(kernel[-1])
    found = numbers[at[0]]
    for tap in taps:
        found = found[tap][:, inner]
        return np.moveaxis(found, 1, 0).astype(_wide(op))
    return found[inner].astype(_wide(op))


def _read(op: TileOp, operands: Sequence[Value]) -> tuple[Array, Array, Array, int]:
    """Return windows, weights, sums and the first block or channel."""
    x, w, sums, *at, first = operands
    return _windows(op, x, [int(index) for index in at]), w, sums, int(first)


@semantics(DotTileOp)
def _dot_tile(runner: Runner, op: DotTileOp, operands: Sequence[Value]) -> list[Value]:
    windows, w, sums, first = _read(op, operands)
    blocks = op.lanes // LANES
    part = w[first : first + blocks]
    rows = part.reshape(blocks, -1, *part.shape[-3:])
    flat = windows.reshape(op.pixels, rows.shape[1], -1)
    padded = np.pad(flat, ((0, 0), (0, 0), (0, rows.shape[2] * rows.shape[4] - flat.shape[2])))
    grouped = padded.reshape(op.pixels, *rows.shape[1:3], rows.shape[4])
    total = np.einsum("prkg,brklg->pbl", grouped.astype(np.float64), rows.astype(np.float64), optimize=True)
    sums[...] = total.reshape(op.pixels, op.lanes).astype(_wide(op)).astype(sums.dtype)
    return []


@semantics(DepthwiseTileOp)
def _depthwise_tile(runner: Runner, op: DepthwiseTileOp, operands: Sequence[Value]) -> list[Value]:
    windows, w, sums, first = _read(op, operands)
    axes = tuple(range(1, windows.ndim - 1))
    channels = slice(first, first + op.lanes)
    total = (windows[..., channels] * w[..., channels].astype(_wide(op))).sum(axis=axes)
    sums[...] = total.astype(sums.dtype)
    return []


PACKED = Dialect("packed", [PackedConvOp, DepthwiseOp, DotTileOp, DepthwiseTileOp], [])
