"""Structured ops of `linalg` that stand for several loop nests: softmax and the transforms of Winograd convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import math
from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, TensorType
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.body import Body
from ..core.kernel import Access, Kernel, Reduction, bounds_from, kernel_view, result_types
from ..core.scalars import is_float, lowest, scalar_attr


@irdl_op_definition
class LinalgSoftmaxOp(IRDLOperation):
    """
    The softmax along a dimension: exp(x - max) / sum of exp(x - max).

        %r = linalg.softmax dimension(1) ins(%x : tensor<4x5xf32>) outs(%y : tensor<4x5xf32>) -> tensor<4x5xf32>
    """

    name = "linalg.softmax"
    dimension = prop_def(IntegerAttr[I64])
    input = operand_def(base(TensorType) | base(MemRefType))
    output = operand_def(base(TensorType) | base(MemRefType))
    result = opt_result_def(TensorType)
    assembly_format = (
        "attr-dict `dimension` `(` $dimension `)` `ins` `(` $input `:` type($input) `)` "
        "`outs` `(` $output `:` type($output) `)` (`->` type($result)^)?"
    )

    def verify_(self) -> None:
        rank = len(shape_of(self.input))
        if not 0 <= self.dimension.value.data < rank:
            raise VerifyException(f"expected a dimension of 0 to {rank - 1}, found {self.dimension.value.data}")
        if not is_float(element_of(self.input)) or element_of(self.input) != element_of(self.output):
            raise VerifyException("input and output must hold floats of one type")
        if shape_of(self.input) != shape_of(self.output):
            raise VerifyException("input and output must have one shape")
        if list(self.result_types) != result_types([self.output]):
            raise VerifyException("the result must have the type of the output tensor")


@kernel_view(LinalgSoftmaxOp)
def _softmax_kernel(op: LinalgSoftmaxOp) -> Kernel:
    rank, type = len(shape_of(op.input)), element_of(op.input)
    identity = AffineMap.identity(rank)
    source = Access(op.input, identity)
    body = Body([type, type])
    x, largest = body.args
    greatest = body.finish(body.max(x, largest))
    body = Body([type, type, type])
    x, largest, total = body.args
    summed = body.finish(body.add(total, body.op(math.ExpOp(body.sub(x, largest)))))
    body = Body([type, type, type])
    x, largest, total = body.args
    quotient = body.finish(body.div(body.op(math.ExpOp(body.sub(x, largest))), total))
    return Kernel(
        bounds_from([source], rank, op),
        frozenset({op.dimension.value.data}),
        (source,),
        (Access(op.output, identity),),
        reductions=(Reduction((lowest(type),), greatest), Reduction((scalar_attr(0.0, type),), summed)),
        result=quotient,
    )


class WinogradOp(IRDLOperation):
    """
    A transform of Winograd's minimal filtering F(m x m, r x r), which has `m` outputs and `r` taps along an axis.

    One of both axes may have an extent of 1 in a filter: then the convolution is along the other axis alone.
    """

    RANKS: ClassVar[tuple[int, int]] = (4, 4)
    """The ranks of input and output."""

    m = prop_def(IntegerAttr[I64])
    r = prop_def(IntegerAttr[I64])
    input = operand_def(TensorType)
    output = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "attr-dict `m` `(` $m `)` `r` `(` $r `)` `ins` `(` $input `:` type($input) `)` "
        "`outs` `(` $output `:` type($output) `)` `->` type($result)"
    )

    def verify_(self) -> None:
        if self.result.type != self.output.type or element_of(self.input) != element_of(self.output):
            raise VerifyException("input, output and result must hold one type, output and result have one shape")
        source, target = shape_of(self.input), shape_of(self.output)
        if (len(source), len(target)) != self.RANKS:
            raise VerifyException(f"expected operands of rank {self.RANKS[0]} and {self.RANKS[1]}")
        expected = self.output_shape(source, target)
        if any(
            -1 not in (extent, actual) and extent != actual for extent, actual in zip(expected, target, strict=True)
        ):
            raise VerifyException(f"expected an output of shape {list(expected)}, found {list(target)}")

    def output_shape(self, source: Sequence[int], target: Sequence[int]) -> Sequence[int]:
        """Return the shape that the output must have, -1 for an extent that may be any."""
        raise NotImplementedError

    @property
    def tile(self) -> int:
        """The inputs of a tile along an axis: m + r - 1."""
        return self.m.value.data + self.r.value.data - 1


@irdl_op_definition
class WinogradFilterTransformOp(WinogradOp):
    """
    The filters (F, H, W, C) of a convolution, transformed to (tile, tile, C, F).

        %r = linalg.winograd_filter_transform m(4) r(3) ins(%f : tensor<2x3x3x5xf32>) outs(%o : tensor<6x6x5x2xf32>)
            -> tensor<6x6x5x2xf32>
    """

    name = "linalg.winograd_filter_transform"

    def output_shape(self, source: Sequence[int], target: Sequence[int]) -> Sequence[int]:
        features, height, width, channels = source
        return [self._extent(height), self._extent(width), channels, features]

    def _extent(self, taps: int) -> int:
        return taps if taps in (-1, 1) else self.tile


@irdl_op_definition
class WinogradInputTransformOp(WinogradOp):
    """
    The image (N, H, W, C), cut into tiles and transformed to (tile, tile, tiles along H, tiles along W, N, C).

        %r = linalg.winograd_input_transform m(4) r(3) ins(%x : tensor<2x10x10x5xf32>)
            outs(%o : tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32>
    """

    name = "linalg.winograd_input_transform"
    RANKS: ClassVar[tuple[int, int]] = (4, 6)

    def output_shape(self, source: Sequence[int], target: Sequence[int]) -> Sequence[int]:
        batch, height, width, channels = source
        tiles = [self._tiles(extent, size) for extent, size in zip((height, width), target, strict=False)]
        return [*target[:2], *tiles, batch, channels]

    def _tiles(self, extent: int, tile: int) -> int:
        taps = self.r.value.data if tile != 1 else 1
        outputs = self.m.value.data if tile != 1 else 1
        return -1 if extent == -1 or tile == -1 else (extent - taps + 1) // outputs


@irdl_op_definition
class WinogradOutputTransformOp(WinogradOp):
    """
    The products (tile, tile, tiles along H, tiles along W, N, F), transformed to the image (N, H, W, F).

        %r = linalg.winograd_output_transform m(4) r(3) ins(%x : tensor<6x6x2x2x2x2xf32>)
            outs(%o : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
    """

    name = "linalg.winograd_output_transform"
    RANKS: ClassVar[tuple[int, int]] = (6, 4)

    def output_shape(self, source: Sequence[int], target: Sequence[int]) -> Sequence[int]:
        *tiles, rows, columns, batch, features = source
        extents = [self._image(count, tile) for count, tile in zip((rows, columns), tiles, strict=True)]
        return [batch, *extents, features]

    def _image(self, count: int, tile: int) -> int:
        outputs = self.m.value.data if tile != 1 else 1
        return -1 if -1 in (count, tile) else count * outputs
