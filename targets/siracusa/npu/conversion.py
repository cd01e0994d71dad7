"""Conversion of a kernel to its form on the NPU, and the elementwise kernel after it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.kernel import kernel_of
from ....dialects.nn import ints
from ....ir import Array, dense, element_of, numbers_of, shape_of
from ....passes.core.reshapes import collapse, expand, reassociate
from .epilogues import Requantization, is_all, rest_of
from .geometry import ConvKind
from .kernel_ops import NpuConvOp, NpuKernelOp, NpuMatmulOp, epilogue_of
from .sources import RowWindows, Source
from .weights import pack

_LAST = (0, 2, 3, 1)
"""Permutation from [N, C, H, W] to [N, H, W, C]."""
_FIRST = (0, 3, 1, 2)


class Conversion:
    """
    Replacement of a kernel, inserted before it: `kernel` for the NPU, and `rest`, the elementwise kernel after it.

    `ahead` is the kernel that copies the windows of an image to rows of a matrix, None where the NPU reads the image.
    """

    def __init__(self, source: Source):
        self.source, self.op = source, source.op
        self.ops: list[Operation] = []
        self.ahead: linalg.GenericOp | None = None
        self._requantization = source.requantization
        self._rest = None
        if self.op.epilogue is not None and (self._requantization is None or not is_all(self.op, self._requantization)):
            self._rest = rest_of(self.op, self._requantization)
        self.kernel = self._kernel()
        self.result = self._as_before(self.kernel.results[0])
        self.rest: linalg.GenericOp | None = None
        if self._rest is not None:
            self.rest = self._elementwise(*self._rest)
            self.result = self.rest.results[0]

    def undo(self) -> None:
        """Erase the inserted ops."""
        for op in reversed(self.ops):
            Rewriter.erase_op(op)

    def _emit(self, op: Operation) -> SSAValue:
        for nested in op.walk():
            nested.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        self.ops.append(op)
        return op.results[0]

    def _constant(self, values: Array, element: Attribute, hint: str) -> SSAValue:
        value = self._emit(arith.ConstantOp(cast(Any, dense(values, element))))
        value.name_hint = hint
        return value

    def _empty(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        return self._emit(tensor.EmptyOp((), TensorType(cast(Any, element), shape)))

    def _kernel(self) -> NpuKernelOp:
        source, requantization = self.source, self._requantization
        bits, offset = source.stored
        hint = self.op.inputs[1].name_hint or "weight"
        packed = pack(source.kind, source.weight, bits, offset).view(np.int8)
        inputs = [self._image(), self._constant(packed, i8, hint)]
        out = self._empty(self._output_shape(inputs[0]), i8 if requantization else i32)
        properties: dict[str, Attribute | None] = {
            "bits": IntegerAttr(bits, i64),
            "offset": IntegerAttr(offset, i64),
        }
        if source.pads is not None:
            properties |= {"kind": StringAttr(source.kind.name.lower()), "pads": ints(source.pads)}
            properties |= {"pad_value": IntegerAttr(source.fill, i64)} if source.fill else {}
        extras = self._numbers(requantization, hint) if requantization else []
        kind = NpuMatmulOp if source.pads is None else NpuConvOp
        region, maps = None, list[AffineMapAttr]()
        if requantization is not None:
            scale = element_of(extras[0])
            region, maps = epilogue_of(
                kind.RANK, scale, shift=requantization.shift, low=requantization.low, high=requantization.high
            )
        unsigned = [0] if source.unsigned else []
        kernel = kind(inputs, out, properties, unsigned=unsigned, extras=extras, epilogue_maps=maps, epilogue=region)
        kernel.attributes |= self.op.attributes
        self._emit(kernel)
        kernel.results[0].name_hint = self.op.results[0].name_hint
        return kernel

    def _numbers(self, requantization: Requantization, hint: str) -> list[SSAValue]:
        """Return the constants of a requantisation: scale and bias."""
        name = hint.removesuffix("_weight")
        scale = (
            requantization.scale.astype(np.uint8).view(np.int8)
            if requantization.scale_bits == 8
            else _as_i32(requantization.scale)
        )
        scales = self._constant(scale, i8 if requantization.scale_bits == 8 else i32, f"{name}_scale")
        return [scales, self._constant(_as_i32(requantization.bias), i32, f"{name}_bias")]

    def _image(self) -> SSAValue:
        """Build x in the layout of the NPU: [N, H, W, C], or a matrix."""
        x = self.source.x
        if self.source.windows is not None:
            return self._rows(x, self.source.windows)
        if self.source.widened:
            x = self._widened(cast(tensor.PadOp, x.owner))
        if not self.source.channels_last:
            x = self._transposed(x, _LAST)
        if self.source.kind is ConvKind.POINTWISE and self.source.pads is not None:
            batch, height, width, channels = shape_of(x)
            down, across = self.source.strides
            return self._taken(x, [batch, -(-height // down), -(-width // across), channels])
        if (columns := self.source.folded) > 1:
            batch, height, width, channels = shape_of(x)
            rows = self._reshaped(x, [batch, height, width * channels])
            return self._reshaped(rows, [batch, height, width // columns, columns * channels])
        if self.source.pads is None and len(shape_of(x)) > 2:
            *leading, channels = shape_of(x)
            return self._reshaped(x, [int(np.prod(leading)), channels])
        return x

    def _rows(self, x: SSAValue, windows: RowWindows) -> SSAValue:
        """Build the matrix of the windows of an image [N, H, W, C] or [N, W, C]: a row for each pixel of the output."""
        batch, *space, channels = shape_of(x)
        x = self._reshaped(x, [batch, *[1, *space][-2:], channels])
        image, (down, across), (row_dilation, dilation) = (
            self._padded(x, windows.pads),
            windows.strides,
            windows.dilations,
        )
        batch, height, width, channels = shape_of(image)
        _, *pixels, _ = shape_of(self.op.output)
        shape = [batch, *[1, *pixels][-2:], *windows.shape, channels]
        n, h, w, *taps = AffineMap.identity(5 if dilation == 1 else 6).results
        at = n, h * down + taps[0] * row_dilation
        if dilation == 1:
            # A row of a window is contiguous: its columns and channels are one loop.
            image = self._reshaped(image, [batch, height, width * channels])
            shape = [*shape[:4], windows.shape[1] * channels]
            at = *at, w * (across * channels) + taps[1]
        else:
            at = *at, w * across + taps[1] * dilation, taps[2]
        element, rank = element_of(x), len(shape)
        out, block = self._empty(shape, element), Block(arg_types=[element, element])
        block.add_op(linalg.YieldOp(block.args[0]))
        maps = [AffineMapAttr(AffineMap(rank, 0, at)), AffineMapAttr(AffineMap.identity(rank))]
        iterators = [IteratorTypeAttr.parallel()] * rank
        self.ahead = linalg.GenericOp([image], [out], Region(block), maps, iterators, [out.type])
        rows = self._emit(self.ahead)
        return self._reshaped(rows, [prod(shape[:3]), prod(shape[3:])])

    def _padded(self, x: SSAValue, pads: Sequence[int]) -> SSAValue:
        """Build an image [N, H, W, C] with padding above, left, below and right, of the kernel's fill value."""
        if not any(pads):
            return x
        low, high = [0, *pads[:2], 0], [0, *pads[2:], 0]
        shape = [a + extent + b for a, extent, b in zip(low, shape_of(x), high, strict=True)]
        fill = self._emit(arith.ConstantOp(cast(Any, kernel_of(self.op).inputs[0].fill)))
        body = Block([tensor.YieldOp(fill)], arg_types=[IndexType()] * len(shape))
        type = TensorType(cast(Any, element_of(x)), shape)
        return self._emit(tensor.PadOp(x, [], [], Region(body), low, high, type))

    def _widened(self, pad: tensor.PadOp) -> SSAValue:
        """Build a padded image with more columns of padding after it."""
        high, shape = list(numbers_of(pad.static_high)), list(shape_of(pad.result))
        for numbers in (high, shape):
            numbers[self.source.column_axis] += self.source.widened
        type = TensorType(cast(Any, element_of(pad.result)), shape)
        return self._emit(tensor.PadOp(pad.source, [], [], pad.region.clone(), numbers_of(pad.static_low), high, type))

    def _taken(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Build the strided slice of an image [N, H, W, C] with this shape."""
        if self.source.strides == (1, 1):
            return value
        type = TensorType(cast(Any, element_of(value)), shape)
        return self._emit(
            tensor.ExtractSliceOp.build(
                operands=[value, [], [], []],
                result_types=[type],
                properties={
                    "static_offsets": DenseArrayBase.from_list(i64, [0, 0, 0, 0]),
                    "static_sizes": DenseArrayBase.from_list(i64, list(shape)),
                    "static_strides": DenseArrayBase.from_list(i64, [1, *self.source.strides, 1]),
                },
            )
        )

    def _output_shape(self, image: SSAValue) -> list[int]:
        features = len(self.source.weight)
        if self.source.pads is None:
            return [shape_of(image)[0], features]
        above, left, below, right = self.source.pads
        batch, height, width, _ = shape_of(image)
        reach = self.source.weight.shape[-1] - 1
        return [batch, height + above + below - reach, width + left + right - reach, features]

    def _as_before(self, value: SSAValue) -> SSAValue:
        """Build the NPU's result in the shape and layout of the kernel's result."""
        if self.source.pads is not None and self.source.kind is not ConvKind.POINTWISE:
            shape = shape_of(self.op.output)
            batch, *space = [shape[axis] for axis in (range(3) if self.source.channels_last else (0, 2, 3))]
            value = self._taken(value, [batch, *space, len(self.source.weight)])
        if not self.source.channels_last:
            return self._transposed(value, _FIRST)
        return self._reshaped(value, list(shape_of(self.op.output)))

    def _transposed(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        shape = [shape_of(value)[axis] for axis in order]
        out = self._empty(shape, element_of(value))
        return self._emit(linalg.TransposeOp(value, out, DenseArrayBase.from_list(i64, list(order)), out.type))

    def _reshaped(self, value: SSAValue, shape: list[int]) -> SSAValue:
        old = list(shape_of(value))
        if old == shape:
            return value
        groups = reassociate(old, shape)
        assert groups
        type = TensorType(cast(Any, element_of(value)), shape)
        return self._emit((collapse if len(old) > len(shape) else expand)(value, groups, type))

    def _elementwise(self, extras: Sequence[SSAValue], maps: Sequence[AffineMap], block: Any) -> linalg.GenericOp:
        shape = shape_of(self.op.output)
        out = self._empty(shape, element_of(self.op.output))
        identity = AffineMap.identity(len(shape))
        every = [AffineMapAttr(map) for map in (identity, *maps, identity)]
        iterators = [IteratorTypeAttr.parallel()] * len(shape)
        generic = linalg.GenericOp([self.result, *extras], [out], Region(block), every, iterators, [out.type])
        self._emit(generic)
        return generic


def _as_i32(values: Array) -> Array:
    """Reinterpret signed or unsigned 32-bit numbers as int32."""
    return (values & 0xFFFF_FFFF).astype(np.uint32).view(np.int32)
