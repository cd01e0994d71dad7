"""Loops for convolutions and matrix products of bytes whose sums run along memory: blocks of pixels times features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType, i8, i32
from xdsl.ir import Operation, SSAValue

from ...dialects.cluster import DotOp
from ...dialects.core.kernel import Kernel
from ...dialects.nn import ContractionOp, ConvOp, MatmulOp
from ...ir import element_of, numbers_of, shape_of
from .affine import axes_of, clamps_of
from .kernel import KernelLoops
from .nest import PARALLEL, Index, Nest

PIXELS, FEATURES = 2, 4
"""The block: its 8 sums, and the 6 words that go into them, fit the registers of a RISC-V core (PULP-NN's 4x2)."""


def is_dot(op: Operation) -> bool:
    """
    Return whether a kernel on buffers is a sum of products of bytes that lie side by side.

    These are convolutions with `channels_last` and one group, and matrix products with `transpose_b`.
    """
    if not isinstance(op, ConvOp | MatmulOp):
        return False
    x, w = op.inputs
    integers = element_of(x) == i8 and element_of(w) == i8 and op.accumulator == i32
    if not integers or op.is_unsigned(1) or op.wraps is not None:
        return False
    strides = [cast("MemRefType[Any]", value.type).get_strides() for value in (x, w)]
    if any(found is None or found[-1] != 1 for found in strides):
        return False
    if isinstance(op, MatmulOp):
        return op.transpose_b is not None and op.transpose_a is None
    return _is_dot_conv(op, [list(found or ()) for found in strides])


def _is_dot_conv(op: ConvOp, strides: list[list[int | None]]) -> bool:
    """
    Return whether the taps and channels of a row of the window lie side by side, in x and in w.

    No window lies in the padding as a whole.
    """
    if op.channels_last is None or op.groups.value.data != 1 or len(shape_of(op.inputs[0])) > 4:
        return False
    if any(pad >= span for pad, span in zip(numbers_of(op.pads), _spans(op) * 2, strict=True)):
        return False
    *_, taps, channels = shape_of(op.inputs[1])
    if taps == 1:
        return True
    return numbers_of(op.dilations)[-1] == 1 and all(found[-2] == channels for found in strides)


def _spans(op: ConvOp) -> list[int]:
    """Return how many pixels a window spans on each spatial axis."""
    return [(k - 1) * d + 1 for k, d in zip(shape_of(op.inputs[1])[1:-1], numbers_of(op.dilations), strict=True)]


def lower_dot(op: ContractionOp, kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops: over rows of pixels outermost, then over blocks of pixels, then over blocks of features.

    Each block is one `cluster.dot` into a buffer of sums, followed by the epilogue in loops over that buffer. Pixels
    whose windows hang over the sides of x are done one by one, on the part of the window that is inside.
    """
    _DotLoops(op, kernel, nest).build()


@dataclass(frozen=True)
class _Part:
    """A stretch of a dimension: `count` blocks of `size` from `start`; `clipped` where windows hang over."""

    start: int
    size: int
    count: int
    clipped: bool = False


def _parts(start: int, end: int, size: int) -> Iterator[_Part]:
    """Yield the whole blocks of a stretch and what is left over."""
    whole, rest = divmod(max(end - start, 0), size)
    if whole:
        yield _Part(start, size, whole)
    if rest:
        yield _Part(start + whole * size, rest, 1)


class _DotLoops(KernelLoops):
    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest):
        super().__init__(kernel, nest)
        self.op = op
        x, w = kernel.inputs
        bounds = kernel.bounds
        reduced = sorted(kernel.reduced)
        is_conv = isinstance(op, ConvOp)
        # The loops of a convolution are n, g, f, space..., c, taps..., those of a matrix product ..., m, n, k.
        self.channel, self.taps = reduced[0], reduced[1:]
        self.feature = 2 if is_conv else reduced[0] - 1
        self.pixel = reduced[0] - 1 if is_conv else reduced[0] - 2
        self.stride, self.row_step = 1, 1
        if isinstance(op, ConvOp):
            self.stride, self.row_step = numbers_of(op.strides)[-1], numbers_of(op.dilations)[0]
        self.x_axis, self.w_axis = len(shape_of(x.value)) - 2, 0 if is_conv else len(shape_of(w.value)) - 2
        self.outer = [d for d in range(len(bounds)) if d not in kernel.reduced and d not in (self.feature, self.pixel)]

    def build(self) -> None:
        outer = self.open_all(self.outer, [PARALLEL])
        for part in self.pixel_parts():
            first = self.loop("p", part)
            self.position[self.pixel] = first
            for features in _parts(0, self.kernel.bounds[self.feature], FEATURES):
                begin = self.loop("f", features)
                self.block(part, first, features.size, begin)
                self.close(features)
            self.close(part)
        for _ in range(outer):
            self.nest.close()

    def pixel_parts(self) -> Iterator[_Part]:
        """Yield the stretches of a row of pixels, those with whole windows in blocks."""
        count = self.kernel.bounds[self.pixel]
        low, high = self.whole_windows()
        yield from (_Part(pixel, 1, 1, clipped=True) for pixel in range(low))
        yield from _parts(low, high, PIXELS)
        yield from (_Part(pixel, 1, 1, clipped=True) for pixel in range(high, count))

    def whole_windows(self) -> tuple[int, int]:
        """Return from which pixel to which the windows are inside of x, along the row."""
        count = self.kernel.bounds[self.pixel]
        if not isinstance(self.op, ConvOp):
            return 0, count
        pad, extent = numbers_of(self.op.pads)[len(self.taps) - 1], shape_of(self.op.inputs[0])[-2]
        low = min(-(-pad // self.stride), count)
        high = min((extent + pad - _spans(self.op)[-1]) // self.stride + 1, count)
        return low, max(high, low)

    def loop(self, name: str, part: _Part) -> Index:
        """Open the loop over the blocks of a stretch and return where each begins."""
        if part.count == 1:
            return part.start
        index, *_ = self.nest.open(name, 0, part.count, marks=[PARALLEL])
        return self.nest.add(self.nest.mul(index, part.size), part.start)

    def close(self, part: _Part) -> None:
        if part.count > 1:
            self.nest.close()

    def block(self, part: _Part, pixel: Index, features: int, feature: Index) -> None:
        """Build the sums of one block, and what follows on them."""
        sums = self.nest.op(memref.AllocaOp.get(i32, shape=[part.size, features], alignment=4))
        self.position[self.pixel], self.position[self.feature] = pixel, feature
        self.nest.last(self.dot(part, sums))
        steps = self.step("p", part.size), self.step("f", features)
        self.position[self.pixel], self.position[self.feature] = map(self.nest.add, steps, (pixel, feature))
        load = memref.LoadOp.get(sums, [self.nest.value(step) for step in steps])
        load.res.name_hint = "sum"
        self.nest.last(load)
        self.finish([self.total(load.res)])
        for step in steps:
            if not isinstance(step, int):
                self.nest.close()
        self.position[self.pixel] = pixel

    def step(self, name: str, size: int) -> Index:
        """Open the loop over a side of a block and return its index; one of size 1 needs none."""
        return self.nest.open(name, 0, size)[0] if size > 1 else 0

    def total(self, part: SSAValue) -> SSAValue:
        """Return a sum with what it goes on from."""
        if self.op.accumulate is None:
            return part
        return self.nest.op(arith.AddiOp(self.load(self.kernel.outputs[0], "acc"), part))

    def dot(self, part: _Part, sums: SSAValue) -> DotOp:
        """Return the op that computes a block."""
        x, w = self.kernel.inputs
        self.position[self.channel] = 0
        rows, elements = self.window(part)
        places = [[self.nest.value(self.index(axis.index)) for axis in axes_of(a, self.kernel.bounds)] for a in (x, w)]
        for dim in self.kernel.reduced:
            del self.position[dim]
        is_plane = len(self.taps) == 2
        return DotOp(
            (x.value, places[0]),
            (w.value, places[1]),
            (self.nest.value(rows), self.nest.value(elements)),
            sums,
            x_axes=(self.x_axis, self.x_axis - 1 if is_plane else -1),
            w_axes=(self.w_axis, 1 if is_plane else -1),
            steps=(self.stride, self.row_step if is_plane else 0),
            unsigned=self.op.is_unsigned(0),
        )

    def window(self, part: _Part) -> tuple[Index, Index]:
        """Place the reduced dimensions at the window's first row and tap; return its rows and elements of a row."""
        channels, clamps = self.kernel.bounds[self.channel], clamps_of(self.kernel)
        extents: list[Index] = [1, 1]
        for tap in self.taps:
            along_row = tap == self.taps[-1]
            whole: tuple[Index, Index] = 0, self.kernel.bounds[tap]
            lower, upper = whole if along_row and not part.clipped else self.limits(tap, clamps)
            self.position[tap] = lower
            extents[1 if along_row else 0] = self.nest.sub(upper, lower)
        return extents[0], self.nest.mul(extents[1], channels)
