"""Kernel ops of the NPU: convolutions and matrix products with packed weights, and their requantisation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from math import prod
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects.builtin import (
    I32,
    I64,
    AffineMapAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ....dialects.core.analysis.structural_key import structural_key
from ....dialects.core.kernel import Kernel, is_shaped, single_block
from ....dialects.core.kernel_op import KernelOp
from ....dialects.core.semantics import Runner, Value, scalar, semantics
from ....dialects.nn import ints
from ....errors import Diagnostic
from ....ir import Array, element_of, integer_width, numbers_of, shape_of
from . import reference, view
from .geometry import ConvKind, packed_shape, pixel_grids
from .jobs import NpuJob, Padding, check
from .view import Format, ImagePadding

CLIPS = (0, 255), (-128, 127)
"""Clipping ranges of the hardware: unsigned bytes, with its ReLU, and signed ones."""


@irdl_op_definition
class NpuRequantizeOp(IRDLOperation):
    """
    Requantisation as the NPU does it: `clip((x * scale + bias) >> shift)` to -128 to 127 or 0 to 255, not rounded.

        %y = npu.requantize %x, %scale, %bias shift 9 clip 0 to 255 : i32, i8, i32 -> i8

    The scale is unsigned, of 8 or 32 bits. The product has 64 bits; with the bias it is cut to 32, and must not
    overflow.
    """

    name = "npu.requantize"

    x = operand_def(I32)
    scale = operand_def(IntegerType)
    bias = operand_def(I32)
    shift = prop_def(IntegerAttr[I64])
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])
    result = result_def(IntegerType(8))

    traits = traits_def(Pure())
    assembly_format = (
        "$x `,` $scale `,` $bias `shift` $shift `clip` $low `to` $high attr-dict"
        " `:` type($x) `,` type($scale) `,` type($bias) `->` type($result)"
    )

    def __init__(self, x: SSAValue, scale: SSAValue, bias: SSAValue, *, shift: int, low: int, high: int):
        numbers = {"shift": shift, "low": low, "high": high}
        properties = {name: IntegerAttr(value, i64) for name, value in numbers.items()}
        super().__init__(operands=[x, scale, bias], properties=properties, result_types=[i8])

    def verify_(self) -> None:
        if self.scale.type not in (i8, i32):
            raise VerifyException(f"the scale must be i8 or i32, got {self.scale.type}")
        if not 0 <= self.shift.value.data < 32:
            raise VerifyException(f"a shift of {self.shift.value.data} is outside 0 to 31")
        if self.range not in CLIPS:
            raise VerifyException(
                f"the NPU clips to -128 to 127 or to 0 to 255, not to {self.range[0]} to {self.range[1]}"
            )

    @property
    def range(self) -> tuple[int, int]:
        """Least and greatest result."""
        return self.low.value.data, self.high.value.data


@scalar(NpuRequantizeOp)
def _requantize(op: NpuRequantizeOp, x: Array, scale: Array, bias: Array) -> Array:
    return reference.requantize(x, scale, bias, op.shift.value.data, *op.range)


class NpuKernelOp(KernelOp):
    """
    Kernel on the NPU, with weights packed by `npu/weights.py`.

    Sums have 32 bits. Without an epilogue they are the output. The epilogue, if any, is one `npu.requantize` to bytes
    by a scale and a bias per output channel.
    """

    TAKES_EPILOGUES: ClassVar[bool] = False
    RANK: ClassVar[int]
    """Axes of the input and the output."""

    bits = prop_def(IntegerAttr[I64])
    """Bits of a weight."""
    offset = prop_def(IntegerAttr[I64])
    """Summand of each stored weight."""

    @property
    @abstractmethod
    def format(self) -> Format:
        """Packing format of the weights."""

    @property
    def multiply_accumulates(self) -> int:
        depth = 1 if self.format.kind is ConvKind.DEPTHWISE else shape_of(self.inputs[0])[-1]
        return prod(shape_of(self.output)) * self.format.kind.taps**2 * depth

    @property
    def factor_type(self) -> Attribute:
        return IntegerType(self.bits.value.data)

    @abstractmethod
    def jobs(self) -> Sequence[NpuJob]:
        """Return the hardware jobs of the op, without addresses."""

    def verify_structure(self) -> None:
        if len(self.inputs) != 2 or len(self.outputs) != 1 or not all(is_shaped(value) for value in self.operands):
            raise VerifyException("expected an input, packed weights and an output, tensors or memrefs")
        ranks = [len(shape_of(value)) for value in (*self.inputs, self.output)]
        if ranks != [self.RANK, 2, self.RANK]:
            raise VerifyException(f"expected an input and an output of {self.RANK} axes and weights of 2, got {ranks}")
        if [element_of(value) for value in self.inputs] != [i8, i8] or self.is_unsigned(1):
            raise VerifyException("the input and the weights must be bytes; those of the weights have no sign")
        if self.accumulate is not None or self.wraps is not None:
            raise VerifyException("'accumulate' and 'wraps' are not for kernels of the NPU")
        self._verify_shapes()
        self._verify_epilogue()
        try:
            for job in self.jobs():
                check(job)
        except Diagnostic as error:
            raise VerifyException(f"{error.message}; expected {error.expected}") from error
        super().verify_structure()

    def structure(self) -> Hashable:
        """Return the canonical key of a kernel's verification, requantisation included."""
        block = single_block(self.epilogue)
        return super().structure(), structural_key(
            list(block.ops) if block is not None else [], lambda value: value.type
        )

    def _verify_shapes(self) -> None:
        channels, features = shape_of(self.inputs[0])[-1], shape_of(self.output)[-1]
        wanted = packed_shape(self.format.kind, features, channels, self.format.bits)
        if shape_of(self.inputs[1]) != wanted:
            raise VerifyException(f"the packed weights must be {list(wanted)}, got {list(shape_of(self.inputs[1]))}")

    def _verify_epilogue(self) -> None:
        block = single_block(self.epilogue)
        if block is None:
            return
        op, features = block.first_op, shape_of(self.output)[-1]
        if (
            not isinstance(op, NpuRequantizeOp)
            or list(op.operands) != list(block.args)
            or op.next_op is not block.last_op
        ):
            raise VerifyException("the epilogue must be one npu.requantize of the sum by a scale and a bias")
        per_channel = AffineMap(self.RANK, 0, (AffineMap.identity(self.RANK).results[-1],))
        maps = [attribute.data for attribute in self.epilogue_maps or ()]
        if maps != [per_channel] * 2 or any(shape_of(value) != (features,) for value in self.extras):
            raise VerifyException("the epilogue must take one scale and one bias for each output channel")

    @property
    def requantization(self) -> NpuRequantizeOp | None:
        """Requantisation of the epilogue, None if the sums are the output."""
        block = single_block(self.epilogue)
        return cast(NpuRequantizeOp, block.first_op) if block is not None else None

    def numbers(self) -> dict[str, Any]:
        """Return the fields of a job that depend on the storage of weights and outputs."""
        requantization = self.requantization
        fields: dict[str, Any] = {"weight_bits": self.bits.value.data, "weight_offset": self.offset.value.data}
        fields["signed"] = not self.is_unsigned(0)
        if requantization is None:
            return fields | {"output_bits": 32, "scale_bits": 0, "bias": False}
        scale_bits = integer_width(requantization.scale.type)
        shift, relu = requantization.shift.value.data, requantization.range[0] == 0
        return fields | {"output_bits": 8, "scale_bits": scale_bits, "shift": shift, "relu": relu}


def epilogue_of(rank: int, scale: Attribute, *, shift: int, low: int, high: int) -> tuple[Region, list[AffineMapAttr]]:
    """Build the epilogue that requantises an output of `rank` axes, and the maps of scale and bias."""
    block = Block(arg_types=[i32, scale, i32])
    op = NpuRequantizeOp(*block.args, shift=shift, low=low, high=high)
    block.add_ops([op, linalg.YieldOp(op.result)])
    per_channel = AffineMapAttr(AffineMap(rank, 0, (AffineMap.identity(rank).results[-1],)))
    return Region(block), [per_channel] * 2


@irdl_op_definition
class NpuConvOp(NpuKernelOp):
    """
    Convolution of x [N, H, W, Cin] without strides: `dense` or `depthwise` 3x3, or `pointwise`.

    w holds a row of bytes for each output channel, depthwise for 28 of them; `pads` are rows and columns above, left,
    below and right of the image, which hold `pad_value` (a byte, 0 by default).

        %y = npu.conv ins(%x, %w : tensor<1x12x12x28xi8>, tensor<32x256xi8>) outs(%o : tensor<1x12x12x32xi8>)
            {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 1, 1, 1, 1>}
            epilogue(%scale, %bias : tensor<32xi8>, tensor<32xi32>)
            at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
        ^bb0(%sum: i32, %s: i8, %b: i32):
          %r = npu.requantize %sum, %s, %b shift 9 clip 0 to 255 : i32, i8, i32 -> i8
          linalg.yield %r : i8
        }
    """

    name = "npu.conv"
    RANK: ClassVar[int] = 4
    kind = prop_def(StringAttr)
    pads = prop_def(base(DenseArrayBase))
    pad_value = opt_prop_def(IntegerAttr[I64])

    @property
    def format(self) -> Format:
        return Format(ConvKind[self.kind.data.upper()], self.bits.value.data, self.offset.value.data)

    @property
    def fill(self) -> int:
        """Fill value of the padding."""
        return self.pad_value.value.data if self.pad_value is not None else 0

    def verify_structure(self) -> None:
        if self.kind.data.upper() not in ConvKind.__members__:
            raise VerifyException(f"kind must be one of dense, depthwise, pointwise, got '{self.kind.data}'")
        if len(numbers_of(self.pads)) != 4:
            raise VerifyException("pads must be four numbers: above, left, below, right")
        super().verify_structure()

    def _verify_shapes(self) -> None:
        batch, *space, _ = shape_of(self.inputs[0])
        top, left, bottom, right = numbers_of(self.pads)
        reach = self.format.kind.taps - 1
        out = [batch, space[0] + top + bottom - reach, space[1] + left + right - reach]
        if list(shape_of(self.output)[:-1]) != out:
            raise VerifyException(f"the output's leading extents must be {out}, got {list(shape_of(self.output)[:-1])}")
        super()._verify_shapes()

    def core(self) -> Kernel:
        top, left, *_ = numbers_of(self.pads)
        window = ImagePadding(top, left, self.fill, is_padded=any(numbers_of(self.pads)))
        x, w = self.inputs
        return view.convolution(self.format, x, w, self.output, window, unsigned=self.is_unsigned(0))

    def tile_properties(self, sizes: Sequence[int]) -> dict[str, Attribute]:
        bounds, pads = shape_of(self.output), numbers_of(self.pads)
        kept = [pad if sizes[dim] == bounds[dim] else 0 for dim, pad in zip((1, 2, 1, 2), pads, strict=True)]
        return dict(self.properties) | {"pads": ints(kept)}

    def jobs(self) -> Sequence[NpuJob]:
        _, height, width, features = shape_of(self.output)
        top, left, bottom, right = numbers_of(self.pads)
        padding = Padding(top, right, bottom, left, self.fill)
        return [
            NpuJob(
                self.format.kind,
                height,
                width,
                shape_of(self.inputs[0])[-1],
                features,
                padding=padding,
                **self.numbers(),
            )
        ]


@irdl_op_definition
class NpuMatmulOp(NpuKernelOp):
    """
    Matrix product x [M, K] times packed weights [N, bytes], as a pointwise convolution of M pixels.

        %y = npu.matmul ins(%x, %w : tensor<36x64xi8>, tensor<32x64xi8>) outs(%o : tensor<36x32xi32>)
            {bits = 8 : i64, offset = -128 : i64, unsigned = array<i64: 0>}

    Rows become pixels of an image in such a way that they fill sub-tiles of 6 x 6.
    """

    name = "npu.matmul"
    RANK: ClassVar[int] = 2

    @property
    def format(self) -> Format:
        return Format(ConvKind.POINTWISE, self.bits.value.data, self.offset.value.data)

    def _verify_shapes(self) -> None:
        if shape_of(self.inputs[0])[0] != shape_of(self.output)[0]:
            raise VerifyException("input and output must have as many rows")
        super()._verify_shapes()

    def core(self) -> Kernel:
        x, w = self.inputs
        return view.product(self.format, x, w, self.output, unsigned=self.is_unsigned(0))

    def jobs(self) -> Sequence[NpuJob]:
        (rows, features), channels = shape_of(self.output), shape_of(self.inputs[0])[-1]
        return [NpuJob(ConvKind.POINTWISE, *grid, channels, features, **self.numbers()) for grid in pixel_grids(rows)]


# Semantics of kernels


def _run(op: NpuKernelOp, operands: Sequence[Value], x: Array, pads: Sequence[int], fill: int) -> list[Value]:
    numbers = x.view(np.uint8) if op.is_unsigned(0) else x
    sums = reference.convolve(op.format, numbers, operands[1].view(np.uint8), pads, fill)
    if (requantization := op.requantization) is not None:
        shift, (low, high) = requantization.shift.value.data, requantization.range
        sums = reference.requantize(sums, operands[2], operands[3], shift, low, high)
    result = sums.reshape(operands[-1].shape)
    if op.results:
        return [result]
    operands[-1][...] = result
    return []


@semantics(NpuConvOp)
def _conv(runner: Runner, op: NpuConvOp, operands: Sequence[Value]) -> list[Value]:
    return _run(op, operands, operands[0], numbers_of(op.pads), op.fill)


@semantics(NpuMatmulOp)
def _matmul(runner: Runner, op: NpuMatmulOp, operands: Sequence[Value]) -> list[Value]:
    return _run(op, operands, operands[0][None, None], (0, 0, 0, 0), 0)
