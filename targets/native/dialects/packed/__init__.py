"""
Convolutions on channels-last tensors with packed weights, and matrix products.

Channels are contiguous, so that the innermost loops run over contiguous memory: sums of four products of bytes, or
of one product of floats, at a time for dense kernels, whole vectors of channels for depthwise ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Dialect
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import base, irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.kernel import Kernel
from .....dialects.core.scalars import is_float
from .....dialects.nn.contraction import ContractionOp
from .....ir import Array, numbers_of, shape_of
from . import c_rules
from .ordered_tile import OrderedTileOp
from .tiles import LANES, DepthwiseTileOp, DotTileOp, MatmulTileOp

_REGISTERED = (c_rules,)
"""Modules whose import registers the semantics of C functions."""
GROUP = 4
"""Products of bytes per accumulation step."""


def group_of(accumulator: Attribute) -> int:
    """Return the products per accumulation step of a type of sums."""
    return 1 if is_float(accumulator) else GROUP


def packed_shape(features: int, kernel: Sequence[int], channels: int, group: int, parts: int = 1) -> tuple[int, ...]:
    """
    Return the shape of packed weights: blocks of features, leading taps, groups of a row, lanes, products.

    `group` is how many products are summed up at a time. Of the features there are `parts`, each of blocks of its own,
    with as many channels.
    """
    row = (kernel[-1] if kernel else 1) * channels
    return (parts * -(-features // parts // LANES), *kernel[:-1], -(-row // group), LANES, group)


def pack(weight: Array, group: int, parts: int = 1) -> Array:
    """Pack weights [F, taps..., C] into the shape `packed_shape`, padded with zeros."""
    if parts > 1:
        return np.concatenate([pack(part, group) for part in np.split(weight, parts)])
    features, *kernel, channels = weight.shape
    shape = packed_shape(features, kernel, channels, group)
    rows = weight.reshape(features, prod(kernel[:-1]), -1)
    full = np.zeros((shape[0] * LANES, rows.shape[1], shape[-3] * group), weight.dtype)
    full[:features, :, : rows.shape[2]] = rows
    blocks = full.reshape(shape[0], LANES, rows.shape[1], shape[-3], group)
    return np.ascontiguousarray(np.transpose(blocks, (0, 2, 3, 1, 4))).reshape(shape)


class ChannelsLastOp(ContractionOp):
    """Convolution of x [N, spatial..., C] without padding."""

    strides = prop_def(base(DenseArrayBase))
    dilations = prop_def(base(DenseArrayBase))
    kernel = prop_def(base(DenseArrayBase))

    def geometry(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return strides, dilations and kernel, one number for each spatial axis."""
        return numbers_of(self.strides), numbers_of(self.dilations), numbers_of(self.kernel)

    def verify_structure(self) -> None:
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
        super().verify_structure()

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
    Dense convolution, or a matrix product if there is no spatial axis.

    x [N, spatial..., C], output [N, spatial..., F]; w holds 16 features side by side, each with four consecutive
    weights of a row of (last tap, channel): [F / 16, leading taps..., taps * C / 4, 16, 4], rounded up. Of floats it is
    one weight at a time: [F / 16, leading taps..., taps * C, 16, 1]. The last dilation is 1, but of floats.

    Floats may come in `parts`, groups of channels and features: w holds the blocks of one part after those of another.

        %y = packed.conv ins(%x, %w : tensor<1x34x34x16xi8>, tensor<1x3x12x16x4xi8>) outs(%o : tensor<1x32x32x16xi32>)
            {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = i32}
    """

    name = "packed.conv"
    parts = opt_prop_def(IntegerAttr[I64])

    @property
    def part_count(self) -> int:
        """Number of groups of channels and features."""
        return 1 if self.parts is None else self.parts.value.data

    @property
    def channels(self) -> int:
        """Number of channels of x in a feature."""
        return shape_of(self.inputs[0])[-1] // self.part_count

    @property
    def group(self) -> int:
        """Number of products per accumulation step."""
        return group_of(self.accumulator)

    def weight_shape(self) -> tuple[int, ...]:
        features = shape_of(self.output)[-1]
        return packed_shape(features, self.geometry()[2], self.channels, self.group, self.part_count)

    def verify_structure(self) -> None:
        _, dilations, kernel = self.geometry()
        if self.group > 1 and kernel and kernel[-1] > 1 and dilations[-1] != 1:
            raise VerifyException("the last dilation must be 1")
        channels, features, parts = shape_of(self.inputs[0])[-1], shape_of(self.output)[-1], self.part_count
        if parts > 1 and (self.group > 1 or channels % parts or features % parts):
            raise VerifyException(f"floats of {channels} channels and {features} features do not have {parts} parts")
        super().verify_structure()

    def core(self) -> Kernel:
        out, channels, parts = shape_of(self.output), self.channels, self.part_count
        kernel = self.geometry()[2]
        bounds = [*out, *kernel, channels]
        count, rank = len(bounds), len(kernel)
        dim = AffineMap.identity(count).results
        outer, feature, taps, channel = dim[1 : 1 + rank], dim[1 + rank], dim[2 + rank : -1], dim[-1]
        place = taps[-1] * channels + channel if taps else channel
        group, product = (place, AffineExpr.constant(0)) if self.group == 1 else (place // GROUP, place % GROUP)
        own = out[-1] // parts
        part, inside = (feature // own, feature % own) if parts > 1 else (AffineExpr.constant(0), feature)
        block = part * -(-own // LANES) + inside // LANES if parts > 1 else feature // LANES
        weight = [block, *taps[:-1], group, inside % LANES, product]
        x_channel = part * channels + channel if parts > 1 else channel
        maps = [
            AffineMap(count, 0, (dim[0], *self.window(outer, taps), x_channel)),
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


@irdl_op_definition
class PackedMatmulOp(ContractionOp):
    """
    Matrix product of two tensors of floats: [..., M, K] x [..., K, N] -> [..., M, N]; leading axes broadcast.

        %y = packed.matmul ins(%a, %b : tensor<8x40x15xf32>, tensor<8x15x40xf32>) outs(%o : tensor<8x40x40xf32>)
            {accumulator = f32}
    """

    name = "packed.matmul"

    def verify_structure(self) -> None:
        if len(self.inputs) != 2 or len(self.outputs) != 1:
            raise VerifyException("expected two inputs and an output")
        (a, b), out = (shape_of(value) for value in self.inputs), shape_of(self.output)
        if min(len(a), len(b), len(out)) < 2 or a[-1] != b[-2]:
            raise VerifyException("expected matrices [..., M, K] and [..., K, N]")
        if (*_broadcast(a[:-2], b[:-2]), a[-2], b[-1]) != out:
            raise VerifyException(f"inputs {list(a)} and {list(b)} do not give an output {list(out)}")
        super().verify_structure()

    def core(self) -> Kernel:
        bounds = [*shape_of(self.output), shape_of(self.inputs[0])[-1]]
        count = len(bounds)
        *batch, m, n, k = AffineMap.identity(count).results
        ends = (self.inputs[0], (m, k)), (self.inputs[1], (k, n))
        maps = [AffineMap(count, 0, (*_leading(batch, shape_of(value)), *last)) for value, last in ends]
        return self.contract(bounds, [count - 1], [*maps, AffineMap(count, 0, (*batch, m, n))])


def _broadcast(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError as error:
        raise VerifyException(f"the leading axes {list(a)} and {list(b)} differ") from error


def _leading(dims: Sequence[AffineExpr], shape: Sequence[int]) -> list[AffineExpr]:
    """Return the indices of the leading axes of a matrix among those of the output."""
    aligned = dims[len(dims) - len(shape) + 2 :]
    return [AffineExpr.constant(0) if size == 1 else dim for dim, size in zip(aligned, shape[:-2], strict=True)]


PACKED = Dialect(
    "packed",
    [PackedConvOp, DepthwiseOp, PackedMatmulOp, DotTileOp, OrderedTileOp, DepthwiseTileOp, MatmulTileOp],
    [],
)
