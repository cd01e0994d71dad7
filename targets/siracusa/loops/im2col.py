"""Loops of sums of products of bytes with im2col: windows are copied contiguously, or packed, before the product."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import Kernel, kernel_of
from ....dialects.core.scalars import Index
from ....dialects.nn import ConvOp
from ....dialects.nn.contraction import ContractionOp, PackableOp
from ....dialects.nn.unpack import WORD
from ....errors import Diagnostic
from ....ir import element_of, numbers_of, shape_of, where
from ....passes.loops.blocks import BlockInterval, parts
from ....passes.loops.nest import Nest
from ..cost.narrow import sum_of
from ..dialects.cluster.instructions import dot, dot_narrow, im2col, pack_window
from .dot import PIXELS, DotLoops, is_dot


def window_bytes(op: ContractionOp) -> int:
    """Return the bytes of the windows of a block of pixels, each rounded up to words."""
    rows = shape_of(op.output)[-2]
    if isinstance(op, ConvOp):
        rows = op.channels_first(shape_of(op.output))[-1]
    return min(PIXELS, rows) * _row_bytes(op)


def _row_bytes(op: ContractionOp) -> int:
    return -(-_window_size(op) // WORD) * WORD


def _window_size(op: ContractionOp) -> int:
    """Return the bytes of a window in the product: those of a feature's weights."""
    shape = shape_of(op.inputs[1])
    return prod(shape[1:]) if isinstance(op, ConvOp) else shape[-1]


def takes_im2col(op: ConvOp, most_bytes: int) -> bool:
    """
    Return whether a convolution on buffers supports `im2col`, in a buffer of at most `most_bytes` bytes.

    It must be one of bytes with `channels_last` and one or two spatial axes, with contiguous weights of a feature.
    """
    return not op.packed_bits and _takes_windows(op, most_bytes)


def takes_narrow_input(op: PackableOp, most_bytes: int) -> bool:
    """
    Return whether a kernel's windows can be packed to the width of its weights, in at most `most_bytes` bytes.

    Numbers of several taps must fill whole words for each tap. Unsigned weights need unsigned inputs.
    """
    if not op.packed_bits or (op.is_unsigned(1) and not op.is_unsigned(0)):
        return False
    if isinstance(op, ConvOp):
        is_whole = shape_of(op.inputs[0])[-1] % (WORD * 8 // op.packed_bits) == 0
        return _takes_windows(op, most_bytes) and (is_whole or prod(shape_of(op.inputs[1])[1:-1]) == 1)
    return is_dot(op) and window_bytes(op) <= most_bytes


def _takes_windows(op: ConvOp, most_bytes: int) -> bool:
    kernel = kernel_of(op)
    form = sum_of(kernel)
    return form is not None and form.stretch(kernel.bounds, im2col=True) > 0 and window_bytes(op) <= most_bytes


def check_im2col(op: ConvOp, most_bytes: int) -> None:
    """Raise Diagnostic for a convolution on buffers that does not support `im2col`, by `takes_im2col`."""
    if not takes_im2col(op, most_bytes):
        raise _not_possible(op, most_bytes, "im2col", "this convolution")


def check_narrow_input(op: PackableOp, most_bytes: int) -> None:
    """Raise Diagnostic for a kernel whose windows cannot be packed, by `takes_narrow_input`."""
    if not takes_narrow_input(op, most_bytes):
        raise _not_possible(op, most_bytes, "narrow_input", "this kernel")


def _not_possible(op: ContractionOp, most_bytes: int, attribute: str, what: str) -> Diagnostic:
    return Diagnostic(
        f"'{attribute}' is not possible for {what}",
        where=where(op),
        expected=f"bytes, and {most_bytes} bytes at most for {PIXELS} windows",
        found=f"windows of {window_bytes(op)} bytes, of {element_of(op.inputs[0])}",
        remedy=f"remove the attribute '{attribute}'",
    )


def lower_im2col(op: ConvOp, kernel: Kernel, nest: Nest, most_bytes: int) -> None:
    """
    Build the loops of a convolution with `im2col`: those of `lower_dot`, with equal blocks of pixels.

    Each block copies its windows by `cluster.im2col` into a buffer of the core, with zeros for padding; blocks of
    features multiply them as rows of one length. Raises Diagnostic for an unsupported convolution.
    """
    check_im2col(op, most_bytes)
    _WindowLoops(op, kernel, nest).build()


def lower_narrow_input(op: PackableOp, kernel: Kernel, nest: Nest, most_bytes: int) -> None:
    """Build the loops of `lower_im2col` with packed windows. Raises Diagnostic as `lower_im2col` does."""
    check_narrow_input(op, most_bytes)
    _WindowLoops(op, kernel, nest, op.packed_bits).build()


class _WindowLoops(DotLoops):
    """Blocks of pixels x features on copied windows, packed to `bits` bits unless that is 0."""

    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest, bits: int = 0):
        super().__init__(op, kernel, nest)
        pixels = min(PIXELS, kernel.bounds[self.pixel])
        self.windows = nest.op(memref.AllocaOp.get(i8, shape=[pixels, _row_bytes(op)], alignment=WORD))
        self.windows.name_hint = "windows"
        self.dilation = numbers_of(op.dilations)[-1] if isinstance(op, ConvOp) else 1
        self.bits = bits

    def pixel_parts(self) -> Iterator[BlockInterval]:
        """Yield blocks of pixels: those with border windows, interior ones, and the remainder."""
        count = self.kernel.bounds[self.pixel]
        low, high = self.whole_windows(-1, count)
        begin = min(-(-low // PIXELS) * PIXELS, count)
        end = max(begin, high // PIXELS * PIXELS)
        for first in range(0, begin, PIXELS):
            yield BlockInterval(first, min(PIXELS, count - first), 1, clipped=True)
        yield from parts(begin, end, PIXELS)
        for first in range(end, count, PIXELS):
            size = min(PIXELS, count - first)
            yield BlockInterval(first, size, 1, clipped=first + size > high)

    def begin(self, part: BlockInterval, pixel: Index) -> None:
        """Copy the windows of a block."""
        for number in range(part.size):
            self.position[self.pixel] = self.nest.add(pixel, number)
            self.nest.insert(self.window_of(number, part))

    def window_of(self, number: int, part: BlockInterval) -> Operation:
        """Build the op that copies the window at the current position, the block's pixel `number`."""
        nest, x, w = self.nest, self.kernel.inputs[0], shape_of(self.kernel.inputs[1].value)
        channels, width = self.kernel.bounds[self.channel], w[-1]
        *along, last = self.taps or [None]
        rows, taps = self.window([tap != last or part.clipped for tap in self.taps])
        steps = [self.kernel.bounds[last] * width if along and last is not None else 0, width]
        first: Index = 0
        for tap, step in zip(reversed(self.taps), reversed(steps), strict=False):
            first = nest.add(first, nest.mul(self.position[tap], step))
        self.position[self.channel] = 0
        x_at = self.indices_of(x)
        self.leave_window()
        extent: tuple[Index, Index, Index] = rows, taps, channels
        if self.is_row_dense(x.value, channels):
            extent = rows, 1, nest.mul(taps, channels)
        return (pack_window if self.bits else im2col)(
            (x.value, x_at),
            (self.windows, [nest.value(number), nest.value(0)]),
            nest.value(first),
            size=_window_size(self.op),
            x_row=(self.x_axis - 1, self.row_step) if along else None,
            x_tap=(self.x_axis, self.dilation),
            row=steps[0],
            tap=steps[1],
            rows=nest.value(extent[0]),
            taps=nest.value(extent[1]),
            elements=nest.value(extent[2]),
            **({"bits": self.bits} if self.bits else {}),
        )

    def is_row_dense(self, x: SSAValue, channels: int) -> bool:
        """Return whether the taps of a row of the window are contiguous in x."""
        strides = cast("MemRefType[Any]", x.type).get_strides()
        return self.dilation == 1 and strides is not None and strides[self.x_axis] == channels

    def dot(self, part: BlockInterval, sums: SSAValue) -> Operation:
        """Build the op that computes a block from whole windows as rows."""
        w = self.kernel.inputs[1]
        self.position |= dict.fromkeys(self.kernel.reduced, 0)
        w_at = self.indices_of(w)
        self.leave_window()
        zero, one = self.nest.value(0), self.nest.value(1)
        elements = prod(self.kernel.bounds[d] for d in self.kernel.reduced)
        return (dot_narrow if self.bits else dot)(
            (self.windows, [zero, zero]),
            (w.value, w_at),
            sums,
            x_step=(0, 1),
            w_step=(self.w_axis, 1),
            rows=one,
            **({} if self.bits else {"taps": one}),
            elements=self.nest.value(elements),
            is_signed=not self.op.is_unsigned(0),
            **self.weight_format(),
        )
