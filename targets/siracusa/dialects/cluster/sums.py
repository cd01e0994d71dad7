"""Sums of products of bytes, a few neighbouring outputs at a time, and views of arrays by strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, IntegerAttr, MemRefType, UnitAttr, i8, i32, i64
from xdsl.ir import SSAValue
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
from .....dialects.core.kernel_parts import ints
from .....dialects.core.semantics import Runner, Value, semantics
from .....dialects.nn.unpack import WIDTHS, packed_shape, unpack
from .....ir import Array, element_of, numbers_of, shape_of
from .places import Side, check_indices, strided, two_sides


class SumsOp(IRDLOperation):
    """
    Sums of products of bytes into a buffer of i32.

    From the given elements of x and w on, a sum takes `rows` rows of `elements` elements of both. `x_axes` and `w_axes`
    name axes along which neighbours follow each other, -1 where there is one only; `steps` says how far apart in x.
    """

    x = operand_def(MemRefType)
    x_at = var_operand_def(IndexType)
    w = operand_def(MemRefType)
    w_at = var_operand_def(IndexType)
    rows = operand_def(IndexType)
    elements = operand_def(IndexType)
    sums = operand_def(MemRefType)
    x_axes = prop_def(base(DenseArrayBase))
    w_axes = prop_def(base(DenseArrayBase))
    steps = prop_def(base(DenseArrayBase))
    unsigned = opt_prop_def(UnitAttr)
    """Whether x holds unsigned integers; w never does."""

    traits = traits_def(OperandEffects(reads=("x", "w"), writes=("sums",)))
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$x `[` $x_at `]` `,` $w `[` $w_at `]` `rows` $rows `of` $elements `into` $sums attr-dict "
        "`:` type($x) `,` type($w) `,` type($sums)"
    )

    SUMS: ClassVar[str]
    """The axes of the sums, in words."""
    AXES: ClassVar[tuple[int, int, int]]
    """How many axes the sums have, and how many are named of x and of w; there are as many steps as of x."""

    def __init__(
        self,
        x: tuple[SSAValue, Sequence[SSAValue]],
        w: tuple[SSAValue, Sequence[SSAValue]],
        extent: tuple[SSAValue, SSAValue],
        sums: SSAValue,
        *,
        x_axes: Sequence[int],
        w_axes: Sequence[int],
        steps: Sequence[int],
        unsigned: bool,
    ):
        super().__init__(
            operands=[x[0], list(x[1]), w[0], list(w[1]), *extent, sums],
            properties={
                "x_axes": ints(x_axes),
                "w_axes": ints(w_axes),
                "steps": ints(steps),
                "unsigned": UnitAttr() if unsigned else None,
            },
        )

    def verify_(self) -> None:
        check_indices((self.x, self.x_at), (self.w, self.w_at))
        if element_of(self.x) != i8 or element_of(self.w) != i8 or element_of(self.sums) != i32:
            raise VerifyException("expected bytes and sums of i32")
        rank, of_x, of_w = self.AXES
        counts = [len(numbers_of(numbers)) for numbers in (self.x_axes, self.w_axes, self.steps)]
        if len(shape_of(self.sums)) != rank or counts != [of_x, of_w, of_x]:
            raise VerifyException(f"the sums must be {self.SUMS}, with {of_x} axes and steps of x and {of_w} axes of w")
        for value, axes in ((self.x, self.x_axes), (self.w, self.w_axes)):
            if any(not -1 <= axis < len(shape_of(value)) for axis in numbers_of(axes)):
                raise VerifyException(
                    f"axes {list(numbers_of(axes))} do not fit a buffer of {len(shape_of(value))} axes"
                )


@irdl_op_definition
class DotOp(SumsOp):
    """
    Sums of products of bytes: a few neighbouring windows of x times a few neighbouring features of w.

    sums [pixels, features]. The elements of a row are contiguous. `x_axes` are those of pixels and rows, `w_axes`
    those of features and rows. With `bits` a row of w holds numbers of 4 or 2 bits, packed as `nn.unpack` has them, and
    with `packed_x` so does a row of x, whose places that no number needs hold 0.

        cluster.dot %x[%n, %h, %w, %c], %w[%f, %kh, %kw, %c] rows %r of %m into %sums
            {x_axes = array<i64: 2, 1>, w_axes = array<i64: 0, 1>, steps = array<i64: 1, 1>, unsigned}
            : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>, memref<2x4xi32>
        cluster.dot %x[%m, %k], %p[%f, %k] rows %one of %n into %sums
            {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, bits = 4 : i64}
            : memref<8x13xi8>, memref<32x8xi8>, memref<2x4xi32>
        cluster.dot %windows[%0, %0], %p[%f, %k] rows %one of %n into %sums
            {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, bits = 4 : i64, packed_x}
            : memref<2x8xi8>, memref<32x8xi8>, memref<2x4xi32>
    """

    name = "cluster.dot"
    SUMS: ClassVar[str] = "[pixels, features]"
    AXES: ClassVar[tuple[int, int, int]] = (2, 2, 2)
    bits = opt_prop_def(IntegerAttr[I64])
    unsigned_weights = opt_prop_def(UnitAttr)
    """Whether packed numbers of w are unsigned; those of x are then, too, where they are packed."""
    packed_x = opt_prop_def(UnitAttr)

    @property
    def packed_bits(self) -> int:
        """The bits of a packed number of w, 0 where each is a byte."""
        return self.bits.value.data if self.bits is not None else 0

    def pack(self, bits: int, *, unsigned: bool, both: bool = False) -> None:
        """Say that w, and with `both` x too, holds packed numbers of so many bits, those of w `unsigned` or not."""
        self.properties["bits"] = IntegerAttr(bits, i64)
        if unsigned:
            self.properties["unsigned_weights"] = UnitAttr()
        if both:
            self.properties["packed_x"] = UnitAttr()

    def verify_(self) -> None:
        super().verify_()
        if self.bits is not None and self.packed_bits not in WIDTHS:
            raise VerifyException(f"packed numbers have 2 or 4 bits, not {self.packed_bits}")
        if self.unsigned_weights is not None and self.bits is None:
            raise VerifyException("bytes of w are signed; only packed numbers may be unsigned")
        if self.packed_x is not None and self.bits is None:
            raise VerifyException("numbers of x are packed only where those of w are")
        if self.packed_x is not None and self.unsigned_weights is not None and self.unsigned is None:
            raise VerifyException("no machine multiplies packed numbers of which only those of w are unsigned")


@irdl_op_definition
class WindowOp(SumsOp):
    """
    Sums of products of bytes over the windows of a few neighbouring pixels, of one channel.

    sums [pixels]. `x_axes` are those of pixels, rows and taps, `w_axes` those of rows and taps.

        cluster.window %x[%n, %h, %w, %c], %w[%c, %kh, %kw, %0] rows %r of %t into %sums
            {x_axes = array<i64: 2, 1, 2>, w_axes = array<i64: 1, 2>, steps = array<i64: 1, 1, 1>, unsigned}
            : memref<1x8x8x16xi8>, memref<16x3x3x1xi8>, memref<8xi32>
    """

    name = "cluster.window"
    SUMS: ClassVar[str] = "[pixels]"
    AXES: ClassVar[tuple[int, int, int]] = (1, 3, 2)


# Semantics


@semantics(DotOp)
def _dot(runner: Runner, op: DotOp, operands: Sequence[Value]) -> list[Value]:
    x, w, sums = _sides(op, operands)
    (rows, elements), (pixels, features) = _extent(operands), sums.shape
    x_steps, w_steps = strides_along(x[0], op.x_axes, op.steps), strides_along(w[0], op.w_axes)
    packed = packed_shape((elements,), op.packed_bits)[0] if op.packed_bits else elements
    width = packed if op.packed_x is not None else elements
    windows = strided(op, *x, [(pixels, x_steps[0]), (rows, x_steps[1]), (width, 1)])
    weights = strided(op, *w, [(features, w_steps[0]), (rows, w_steps[1]), (packed, 1)])
    if op.packed_bits and weights.size:
        weights = unpack(weights, elements, op.packed_bits, is_unsigned=op.unsigned_weights is not None)
    if op.packed_x is not None and windows.size:
        windows = unpack(windows, elements, op.packed_bits, is_unsigned=op.unsigned is not None)
    total = np.einsum("pre,fre->pf", _numbers(op, windows), weights.astype(np.int64))
    sums[...] = total.astype(np.int32)
    return []


@semantics(WindowOp)
def _window(runner: Runner, op: WindowOp, operands: Sequence[Value]) -> list[Value]:
    x, w, sums = _sides(op, operands)
    extent = _extent(operands)
    x_steps, w_steps = strides_along(x[0], op.x_axes, op.steps), strides_along(w[0], op.w_axes)
    windows = strided(op, *x, list(zip((sums.shape[0], *extent), x_steps, strict=True)))
    weights = strided(op, *w, list(zip(extent, w_steps, strict=True)))
    sums[...] = (_numbers(op, windows) * weights.astype(np.int64)).sum(axis=(1, 2)).astype(np.int32)
    return []


def _sides(op: SumsOp, operands: Sequence[Value]) -> tuple[Side, Side, Array]:
    """Return x and w, each with the element that the sums begin at, and the sums."""
    return *two_sides(operands, len(op.x_at), others=3), operands[-1]


def _extent(operands: Sequence[Value]) -> tuple[int, int]:
    """Return the rows of a sum, and the elements of a row."""
    return int(operands[-3]), int(operands[-2])


def _numbers(op: SumsOp, windows: Array) -> Array:
    """Return the numbers that the bytes of x stand for, as int64."""
    stored = np.ascontiguousarray(windows)
    return (stored.view(np.uint8) if op.unsigned is not None else stored).astype(np.int64)


def strides_along(array: Array, axes: DenseArrayBase[Any], steps: DenseArrayBase[Any] | None = None) -> list[int]:
    """Return the strides of steps along axes in bytes, 0 along none."""
    named = numbers_of(axes)
    far = numbers_of(steps) if steps is not None else (1,) * len(named)
    return [array.strides[axis] * step if axis >= 0 else 0 for axis, step in zip(named, far, strict=True)]
