"""Loops of depthwise convolutions of bytes: blocks of pixels of a row, channel by channel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import Kernel, kernel_of
from ....dialects.nn import ConvOp
from ....ir import numbers_of, shape_of
from ....passes.loops.blocks import BlockLoops, Part
from ....passes.loops.nest import PARALLEL, Index, Nest
from ..cost.products import multiplies_bytes
from ..dialects.cluster.instructions import window

PIXELS = 8
"""Pixels per block; the weights of a channel stay in registers."""


def is_depthwise(op: Operation) -> bool:
    """Return whether a kernel on buffers is a channels-last depthwise convolution of bytes."""
    if not isinstance(op, ConvOp) or op.channels_last is None or op.is_unsigned(1):
        return False
    features, *_, depth = shape_of(op.inputs[1])
    alone = depth == 1 and op.groups.value.data == features
    return alone and len(shape_of(op.inputs[0])) <= 4 and multiplies_bytes(kernel_of(op))


def lower_depthwise(op: ConvOp, kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops: over channels outermost, then over rows, then over blocks of pixels.

    Each block is one `cluster.window` into a buffer of sums, followed by the epilogue in a loop over that buffer. Rows
    and pixels with border windows are computed one by one, on the in-bounds part of the window, so that all other
    windows have static size. Cores share channels or rows, border rows included.
    """
    _DepthwiseLoops(op, kernel, nest).build()


class _DepthwiseLoops(BlockLoops):
    def __init__(self, op: ConvOp, kernel: Kernel, nest: Nest):
        # The loops are n, g, f, space..., c, taps...; f and c have one iteration.
        self.channel, *taps = sorted(kernel.reduced)
        super().__init__(op, kernel, nest, pixel=self.channel - 1, taps=taps)
        dilations = numbers_of(op.dilations)
        self.steps = numbers_of(op.strides)[-1], dilations[0] if len(taps) == 2 else 0, dilations[-1]

    def build(self) -> None:
        is_plane = len(self.taps) == 2
        row = self.pixel - 1
        mine = {self.pixel, *self.kernel.reduced, *([row] if is_plane else [])}
        outer = self.open_all([d for d in range(len(self.kernel.bounds)) if d not in mine], [PARALLEL])
        for rows in self.parts_along(-2, 1) if is_plane else [Part(0, 1, 1)]:
            begin = self.loop("h", rows, shared=is_plane)
            for part in self.parts_along(-1, PIXELS):
                first = self.loop("p", part)
                self.position |= {row: begin} if is_plane else {}
                self.block(part, first, [rows.clipped, part.clipped][-len(self.taps) :])
                self.close(part)
            self.close(rows, shared=is_plane)
        self.nest.close_all(outer)

    def block(self, part: Part, pixel: Index, clipped: Sequence[bool]) -> None:
        """Build the sums and the epilogue of one block."""
        sums = self.nest.op(memref.AllocaOp.get(i32, shape=[part.size], alignment=4))
        self.position[self.pixel] = pixel
        self.nest.last(self.sums(sums, clipped))
        step = self.step("p", part.size)
        self.position[self.pixel] = self.nest.add(step, pixel)
        load = memref.LoadOp.get(sums, [self.nest.value(step)])
        load.res.name_hint = "sum"
        self.nest.last(load)
        self.finish([self.total(load.res)])
        if not isinstance(step, int):
            self.nest.close()

    def sums(self, sums: SSAValue, clipped: Sequence[bool]) -> Operation:
        """Build the op that computes the sums of a block."""
        x, w = self.kernel.inputs
        rows, taps = self.window(clipped)
        self.position[self.channel] = 0
        x_at, w_at = self.places()
        along = len(shape_of(x.value)) - 2
        is_plane = len(self.taps) == 2
        step, row, tap = self.steps
        return window(
            (x.value, x_at),
            (w.value, w_at),
            sums,
            x_step=(along, step),
            x_row=(along - 1, row) if is_plane else None,
            x_tap=(along, tap),
            w_row=(1, 1) if is_plane else None,
            w_tap=(len(shape_of(w.value)) - 2, 1),
            rows=self.nest.value(rows),
            taps=self.nest.value(taps),
            is_signed=not self.op.is_unsigned(0),
        )
