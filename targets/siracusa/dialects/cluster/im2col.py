"""The window of a pixel as one row of bytes, an op of `cluster`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, IntegerAttr, MemRefType, i8, i64
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
from .....dialects.core.semantics import Runner, Value, semantics
from .....dialects.nn import ints
from .....dialects.nn.unpack import WIDTHS, WORD, pack
from .....errors import Diagnostic
from .....ir import element_of, numbers_of, shape_of, where
from .places import strided
from .sums import strides_along


@irdl_op_definition
class Im2colOp(IRDLOperation):
    """
    Copy the window of a pixel, so that its bytes are contiguous: `size` bytes of a row of `windows`.

    What of the window is inside of x are `rows` rows of `taps` stretches of `elements` bytes. In x they begin at the
    given element, `x_steps` along `x_axes` apart, -1 where there is one only; in the window at byte `first`, `steps`
    bytes apart. All else of the window becomes 0. With `bits` the lowest 4 or 2 bits of each byte are packed, each
    stretch as `nn.unpack` has it, from a word of the window on.

        cluster.im2col %x[%n, %h, %w, %c], %windows[%p] from %first rows %r taps %t of %m
            {size = 27 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 9, 3>}
            : memref<1x8x8x3xi8>, memref<2x28xi8>
        cluster.im2col %x[%n, %h, %w, %c], %windows[%p] from %first rows %r taps %t of %m
            {size = 36 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 12, 4>,
             bits = 4 : i64}
            : memref<1x8x8x8xi8>, memref<2x36xi8>
    """

    name = "cluster.im2col"
    x = operand_def(MemRefType)
    x_at = var_operand_def(IndexType)
    windows = operand_def(MemRefType)
    pixel = operand_def(IndexType)
    first = operand_def(IndexType)
    rows = operand_def(IndexType)
    taps = operand_def(IndexType)
    elements = operand_def(IndexType)
    size = prop_def(IntegerAttr[I64])
    x_axes = prop_def(base(DenseArrayBase))
    x_steps = prop_def(base(DenseArrayBase))
    steps = prop_def(base(DenseArrayBase))
    bits = opt_prop_def(IntegerAttr[I64])

    traits = traits_def(OperandEffects(reads=("x",), writes=("windows",)))
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$x `[` $x_at `]` `,` $windows `[` $pixel `]` `from` $first `rows` $rows `taps` $taps `of` $elements attr-dict "
        "`:` type($x) `,` type($windows)"
    )

    def __init__(
        self,
        x: tuple[SSAValue, Sequence[SSAValue]],
        windows: tuple[SSAValue, SSAValue, SSAValue],
        extent: tuple[SSAValue, SSAValue, SSAValue],
        *,
        size: int,
        x_axes: Sequence[int],
        x_steps: Sequence[int],
        steps: Sequence[int],
        bits: int = 0,
    ):
        super().__init__(
            operands=[x[0], list(x[1]), *windows, *extent],
            properties={
                "size": IntegerAttr(size, i64),
                "x_axes": ints(x_axes),
                "x_steps": ints(x_steps),
                "steps": ints(steps),
                "bits": IntegerAttr(bits, i64) if bits else None,
            },
        )

    @property
    def packed_bits(self) -> int:
        """The bits of a packed number, 0 where bytes are copied."""
        return self.bits.value.data if self.bits is not None else 0

    def verify_(self) -> None:
        if len(self.x_at) != len(shape_of(self.x)):
            raise VerifyException("expected an index for each axis of x")
        if element_of(self.x) != i8 or element_of(self.windows) != i8 or len(shape_of(self.windows)) != 2:
            raise VerifyException("expected bytes, and windows [pixels, bytes]")
        if not 0 < self.size.value.data <= shape_of(self.windows)[1]:
            raise VerifyException(f"{self.size.value.data} bytes do not fit a row of {shape_of(self.windows)[1]}")
        if any(len(numbers_of(each)) != 2 for each in (self.x_axes, self.x_steps, self.steps)):
            raise VerifyException("expected axes and steps for rows and taps")
        if any(not -1 <= axis < len(shape_of(self.x)) for axis in numbers_of(self.x_axes)):
            raise VerifyException(f"axes {list(numbers_of(self.x_axes))} do not fit {len(shape_of(self.x))} axes")
        if self.bits is not None and self.packed_bits not in WIDTHS:
            raise VerifyException(f"packed numbers have 2 or 4 bits, not {self.packed_bits}")
        words = (self.size.value.data, *numbers_of(self.steps))
        if self.bits is not None and any(count % WORD for count in words):
            raise VerifyException(f"packed numbers fill words of {WORD} bytes, got a size and steps of {list(words)}")


@semantics(Im2colOp)
def _im2col(runner: Runner, op: Im2colOp, operands: Sequence[Value]) -> list[Value]:
    x, *x_at = operands[: 1 + len(op.x_at)]
    windows, pixel, first, *extent = operands[1 + len(op.x_at) :]
    counts, size = [int(count) for count in extent], op.size.value.data
    if not 0 <= int(pixel) < windows.shape[0]:
        raise Diagnostic(f"the windows have no row {pixel}", where=where(op))
    row = windows[int(pixel), :size]
    source_steps = [*strides_along(x, op.x_axes, op.x_steps), 1]
    target_steps = [step * row.strides[0] for step in (*numbers_of(op.steps), 1)]
    row[...] = 0
    if 0 in counts:
        return []
    source = strided(op, x, [int(i) for i in x_at], list(zip(counts, source_steps, strict=True)))
    if op.packed_bits:
        source = pack(source, op.packed_bits)
        counts[-1] = source.shape[-1]
    np.copyto(strided(op, row, [int(first)], list(zip(counts, target_steps, strict=True))), source)
    return []
