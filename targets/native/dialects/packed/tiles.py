"""Tiles of convolutions with packed weights and of matrix products, with their semantics."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    bf16,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.effect_traits import OperandEffects
from .....dialects.core.semantics import Runner, Value, semantics
from .....dialects.core.work import LongInstruction
from .....dialects.nn import ints
from .....ir import Array, element_of, numbers_of, shape_of

LANES = 16
"""Output channels of a block of packed weights."""
FLOATS_PER_CYCLE, BYTES_PER_CYCLE, DEPTHWISE_PER_CYCLE = 24, 64, 4
"""Products per cycle of dense tiles of floats and of bytes, and of depthwise ones: of a whole network on Zen 5."""
TILE_TYPES = ((i8, i8, i32), (f32, f32, f32))
"""Element types of x, w and the sums of tiles."""
DOT_TYPES = (*TILE_TYPES, (f32, bf16, f32), (f32, i8, f32))
"""Those of dense tiles, which convert narrow w to f32 as they load them."""


class _WindowCycles(LongInstruction):
    def cycles(self, op: Operation) -> float:
        assert isinstance(op, TileOp)
        return op.cycles


class _MatrixCycles(LongInstruction):
    def cycles(self, op: Operation) -> float:
        assert isinstance(op, MatmulTileOp)
        return prod(shape_of(op.sums)) * shape_of(op.a)[-1] / FLOATS_PER_CYCLE


class TileOp(IRDLOperation):
    """Sums of products of a tile of outputs, into a buffer [pixels, lanes]: of bytes in i32, or of f32."""

    TYPES: ClassVar[Sequence[tuple[Attribute, Attribute, Attribute]]] = TILE_TYPES
    """Element types of x, w and the sums."""

    x = operand_def(MemRefType)
    w = operand_def(MemRefType)
    sums = operand_def(MemRefType)
    at = var_operand_def(IndexType)
    """Indices of the first element of the first window in x: all but the channel, which is last with `channels`."""
    first = operand_def(IndexType)
    """The first block of features, or the first channel."""
    step = prop_def(IntegerAttr[I64])
    """Stride between windows along the innermost spatial axis, or the first axis if there is none, in elements."""
    dilations = prop_def(base(DenseArrayBase))
    kernel = prop_def(base(DenseArrayBase))
    unsigned = opt_prop_def(UnitAttr)
    """Whether x holds unsigned integers; w never does."""
    channels = opt_prop_def(IntegerAttr[I64])
    """Number of channels of x that are multiplied; all by default."""

    traits = traits_def(OperandEffects(reads=("x", "w"), writes=("sums",)), _WindowCycles())
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
        channels: int | None = None,
    ):
        properties: dict[str, Attribute] = {
            "step": IntegerAttr(step, i64),
            "dilations": ints(dilations),
            "kernel": ints(kernel),
        }
        if unsigned:
            properties["unsigned"] = UnitAttr()
        if channels is not None:
            properties["channels"] = IntegerAttr(channels, i64)
        super().__init__(operands=[*operands, list(at), first], properties=properties)

    def verify_(self) -> None:
        kernel = numbers_of(self.kernel)
        indices = len(kernel) + (1 if self.channels is None else 2)
        if len(shape_of(self.x)) != len(kernel) + 2 or len(self.at) != indices or len(kernel) > 2:
            raise VerifyException("x, its indices and the kernel must fit each other; two spatial axes at most")
        if tuple(map(element_of, (self.x, self.w, self.sums))) not in self.TYPES:
            expected = " or ".join(", ".join(map(str, types)) for types in self.TYPES)
            raise VerifyException(f"expected x, w and sums of {expected}")
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

    @property
    def rows(self) -> int:
        """The number of rows of a window."""
        return prod(numbers_of(self.kernel)[:-1])

    @property
    def run(self) -> int:
        """The number of products of a row of a window, for each feature."""
        channels = shape_of(self.x)[-1] if self.channels is None else self.channels.value.data
        return channels * (numbers_of(self.kernel) or (1,))[-1]

    @property
    def cycles(self) -> float:
        """The estimated cycles."""
        rate = FLOATS_PER_CYCLE if element_of(self.sums) == f32 else BYTES_PER_CYCLE
        return self.pixels * self.lanes * self.rows * self.run / rate


@irdl_op_definition
class DotTileOp(TileOp):
    """
    Part of a `packed.conv`: some neighbouring windows times some blocks of features.

        packed.dot_tile %x[%n, %h, %w], %weight[%block] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
            : memref<1x34x34x16xi8>, memref<2x3x12x16x4xi8>, memref<8x32xi32>

    With `channels`, it is part of one of the groups of a convolution of floats, which begins at channel %c:

        packed.dot_tile %x[%n, %h, %w, %c], %weight[%block] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, channels = 4 : i64}
            : memref<1x34x34x16xf32>, memref<4x3x12x16x1xf32>, memref<8x16xf32>
    """

    name = "packed.dot_tile"
    TYPES: ClassVar = DOT_TYPES


@irdl_op_definition
class DepthwiseTileOp(TileOp):
    """
    Part of a `packed.depthwise`: some neighbouring windows of some channels.

        packed.depthwise_tile %x[%n, %h, %w], %weight[%channel] into %sums
            {step = 1, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
            : memref<1x27x7x64xi8>, memref<3x3x64xi8>, memref<5x64xi32>
    """

    name = "packed.depthwise_tile"

    @property
    def cycles(self) -> float:
        return self.pixels * self.lanes * prod(numbers_of(self.kernel)) / DEPTHWISE_PER_CYCLE


@irdl_op_definition
class MatmulTileOp(IRDLOperation):
    """
    Part of a `packed.matmul`: the products of some rows of a and `columns` of b, into a buffer [rows, lanes].

    Indices are those of the first row of a, and of the leading axes and the first column of b. Lanes come in blocks of
    16; those that stand for no column become 0.

        packed.matmul_tile %a[%batch, %row], %b[%batch, %column] into %sums {columns = 8 : i64}
            : memref<8x40x15xf32>, memref<8x15x40xf32>, memref<10x16xf32>
    """

    name = "packed.matmul_tile"
    a = operand_def(MemRefType)
    b = operand_def(MemRefType)
    sums = operand_def(MemRefType)
    a_at = var_operand_def(IndexType)
    b_at = var_operand_def(IndexType)
    columns = prop_def(IntegerAttr[I64])

    traits = traits_def(OperandEffects(reads=("a", "b"), writes=("sums",)), _MatrixCycles())
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$a `[` $a_at `]` `,` $b `[` $b_at `]` `into` $sums attr-dict `:` type($a) `,` type($b) `,` type($sums)"
    )

    def __init__(
        self,
        operands: tuple[SSAValue, SSAValue, SSAValue],
        a_at: Sequence[SSAValue],
        b_at: Sequence[SSAValue],
        columns: int,
    ):
        super().__init__(
            operands=[*operands, list(a_at), list(b_at)], properties={"columns": IntegerAttr(columns, i64)}
        )

    def verify_(self) -> None:
        if any(element_of(value) != f32 for value in (self.a, self.b, self.sums)):
            raise VerifyException("expected f32 throughout")
        a, b, sums = (shape_of(value) for value in (self.a, self.b, self.sums))
        if len(a) != len(self.a_at) + 1 or len(b) != len(self.b_at) + 1 or len(sums) != 2:
            raise VerifyException("expected an index for each axis but that of the products, and sums [rows, lanes]")
        if min(len(a), len(b)) < 2 or a[-1] != b[-2]:
            raise VerifyException("expected matrices [..., M, K] and [..., K, N]")
        if sums[1] % LANES or not 0 < self.columns.value.data <= sums[1]:
            raise VerifyException(f"expected lanes in blocks of {LANES}, and columns that they can hold")


def wide_type(op: TileOp) -> type[np.float64] | type[np.int64]:
    """Return the type in which the interpreter takes sums: doubles for floats, which are rounded once."""
    return np.float64 if element_of(op.sums) == f32 else np.int64


def windows_of(op: TileOp, x: Array, at: Sequence[int]) -> Array:
    """Return the windows [pixels, taps..., C] in the type that sums are taken in."""
    kernel, dilations, step = numbers_of(op.kernel), numbers_of(op.dilations), op.step.value.data
    numbers = x.view(np.uint8) if op.unsigned is not None else x
    if not kernel:
        return numbers[at[0] : at[0] + op.pixels].astype(wide_type(op))
    *leading, last = at[1:]
    taps = [start + d * np.arange(k) for start, d, k in zip(leading, dilations, kernel, strict=False)]
    inner = last + step * np.arange(op.pixels)[:, None] + dilations[-1] * np.arange(kernel[-1])
    windows = numbers[at[0]]
    for tap in taps:
        windows = windows[tap][:, inner]
        return np.moveaxis(windows, 1, 0).astype(wide_type(op))
    return windows[inner].astype(wide_type(op))


def _read(op: TileOp, operands: Sequence[Value]) -> tuple[Array, Array, Array, int]:
    """Return windows, weights, sums and the first block or channel."""
    x, w, sums, *at, first = operands
    if op.channels is None:
        return windows_of(op, x, [int(index) for index in at]), w, sums, int(first)
    *places, channel = (int(index) for index in at)
    part = x[..., channel : channel + op.channels.value.data]
    return windows_of(op, part, places), w, sums, int(first)


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
    sums[...] = total.reshape(op.pixels, op.lanes).astype(wide_type(op)).astype(sums.dtype)
    return []


@semantics(DepthwiseTileOp)
def _depthwise_tile(runner: Runner, op: DepthwiseTileOp, operands: Sequence[Value]) -> list[Value]:
    windows, w, sums, first = _read(op, operands)
    axes = tuple(range(1, windows.ndim - 1))
    channels = slice(first, first + op.lanes)
    total = (windows[..., channels] * w[..., channels].astype(wide_type(op))).sum(axis=axes)
    sums[...] = total.astype(sums.dtype)
    return []


@semantics(MatmulTileOp)
def _matmul_tile(runner: Runner, op: MatmulTileOp, operands: Sequence[Value]) -> list[Value]:
    a, b, sums, *at = operands
    places = [int(index) for index in at]
    (*of_a, row), (*of_b, column) = places[: len(op.a_at)], places[len(op.a_at) :]
    columns = op.columns.value.data
    left = a[tuple(of_a)][row : row + sums.shape[0]].astype(np.float64)
    right = b[tuple(of_b)][:, column : column + columns].astype(np.float64)
    sums[...] = 0
    sums[:, :columns] = (left @ right).astype(sums.dtype)
    return []
