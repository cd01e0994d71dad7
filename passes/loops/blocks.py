"""Register blocking of convolutions and matrix products over output pixels and channels."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ...dialects.core.kernel import Access, Kernel
from ...dialects.core.scalars import Index
from ...dialects.nn import ConvOp
from ...dialects.nn.contraction import ContractionOp
from ...ir import numbers_of, shape_of
from .affine import AccessAxis, axes_of, clamps_of
from .kernel import KernelLoops
from .nest import PARALLEL, Nest


def spans(op: ConvOp) -> list[int]:
    """Return the extent of a dilated window along each spatial axis, in pixels."""
    kernel = op.channels_first(shape_of(op.inputs[1]))[2:]
    return [(k - 1) * d + 1 for k, d in zip(kernel, numbers_of(op.dilations), strict=True)]


def has_windows_in_padding(op: ConvOp) -> bool:
    """Return whether a window, or all of its taps, may be entirely in the padding."""
    extents = op.channels_first(shape_of(op.inputs[0]))[2:]
    if any(pad >= span for pad, span in zip(numbers_of(op.pads), spans(op) * 2, strict=True)):
        return True
    axes = zip(extents, spans(op), numbers_of(op.dilations), strict=True)
    return any(extent < span and dilation > 1 for extent, span, dilation in axes)


@dataclass(frozen=True)
class BlockInterval:
    """Interval of a dimension: `count` blocks of `size` from `start`; `clipped` if windows cross the border."""

    start: int
    size: int
    count: int
    clipped: bool = False


def parts(start: int, end: int, size: int) -> Iterator[BlockInterval]:
    """Yield the full blocks of an interval, then the partial block."""
    whole, rest = divmod(max(end - start, 0), size)
    if whole:
        yield BlockInterval(start, size, whole)
    if rest:
        yield BlockInterval(start + whole * size, rest, 1)


class PartLoops(KernelLoops):
    """Loop nest of a kernel over intervals of its dimensions."""

    @contextmanager
    def blocks(self, name: str, part: BlockInterval, *, shared: bool = False) -> Generator[Index]:
        """
        Build in the loop over the blocks of an interval, and give the block's first index.

        A single block needs none unless it is `shared`: the loop's mark then says that a core may do it alone.
        """
        with self.nest.loop(name, 0, part.count, marks=[PARALLEL], kept=shared) as index:
            yield self.nest.add(self.nest.mul(index, part.size), part.start)

    def leave_window(self) -> None:
        """Remove the window's dimensions from the current position."""
        for dim in self.kernel.reduced:
            self.position.pop(dim, None)

    def total(self, part: SSAValue) -> SSAValue:
        """Return a partial sum plus the output's old value, if the kernel accumulates."""
        if not self.kernel.accumulates:
            return part
        return self.nest.op(arith.AddiOp(self.load(self.kernel.outputs[0], "acc"), part))


class BlockLoops(PartLoops):
    """
    Loop nest with blocks of pixels along dimension `pixel`.

    `taps` are its reduction loops over a window, the last along the row of pixels.
    """

    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest, *, pixel: int, taps: Sequence[int]):
        super().__init__(kernel, nest)
        self.op, self.pixel, self.taps = op, pixel, taps
        self.may_be_empty = isinstance(op, ConvOp) and has_windows_in_padding(op)

    def parts_along(self, axis: int, size: int) -> Iterator[BlockInterval]:
        """
        Yield the intervals of pixels along a spatial axis; those with whole windows have blocks of `size`.

        Axis -1 is that of a row of pixels.
        """
        count = self.kernel.bounds[self.pixel + 1 + axis]
        low, high = self.whole_windows(axis, count)
        yield from (BlockInterval(pixel, 1, 1, clipped=True) for pixel in range(low))
        yield from parts(low, high, size)
        yield from (BlockInterval(pixel, 1, 1, clipped=True) for pixel in range(high, count))

    def whole_windows(self, axis: int, count: int) -> tuple[int, int]:
        """Return the half-open interval of `count` pixels whose windows are in bounds, along a spatial axis."""
        if not isinstance(self.op, ConvOp):
            return 0, count
        pad, stride = numbers_of(self.op.pads)[len(self.taps) + axis], numbers_of(self.op.strides)[axis]
        extent = self.op.channels_first(shape_of(self.op.inputs[0]))[axis]
        low = min(-(-pad // stride), count)
        high = min((extent + pad - spans(self.op)[axis]) // stride + 1, count)
        return low, max(high, low)

    def window(self, clipped: Sequence[bool]) -> tuple[Index, Index]:
        """
        Move to the first tap of the window in bounds; return the window's rows and taps per row.

        `clipped` tells, per spatial axis, if the window may cross the border. A window in the padding has 0 of them.
        """
        clamps = clamps_of(self.kernel)
        extents: list[Index] = [1, 1]
        for axis, (tap, is_clipped) in enumerate(zip(self.taps, clipped, strict=True)):
            whole: tuple[Index, Index] = 0, self.kernel.bounds[tap]
            lower, upper = self.limits_of(tap, clamps) if is_clipped else whole
            extent = self.nest.sub(upper, lower)
            if is_clipped and self.may_be_empty:
                extent = self.nest.max(0, extent if self.kernel.bounds[tap] > 1 else self._single_tap(axis))
                lower = self.nest.min(self.kernel.bounds[tap] - 1, lower)
            self.position[tap] = lower
            extents[1 if tap == self.taps[-1] else 0] = extent
        return extents[0], extents[1]

    def _single_tap(self, axis: int) -> Index:
        """Return 1 if the only tap along a spatial axis is in bounds, else 0 or less."""
        first = 1 if isinstance(self.op, ConvOp) and self.op.channels_last is not None else 2
        walked = axes_of(self.kernel.inputs[0], self.kernel.bounds)[first + axis]
        index = self.index(walked.index)
        return self.nest.min(1, self.nest.add(index, 1), self.nest.sub(walked.extent, index))

    def indices_of(self, access: Access) -> list[SSAValue]:
        """Return the indices of an operand's element at the current position, in bounds even for an empty window."""
        if not self.may_be_empty:
            return super().indices_of(access)
        return [self.nest.value(self._inside(axis)) for axis in axes_of(access, self.kernel.bounds)]

    def _inside(self, axis: AccessAxis) -> Index:
        index = self.index(axis.index)
        index = self.nest.max(0, index) if axis.low else index
        return self.nest.min(axis.extent - 1, index) if axis.high else index

    def input_indices(self) -> list[list[SSAValue]]:
        """Return the indices of the elements of x and w at the current position, and leave the window."""
        indices = [self.indices_of(access) for access in self.kernel.inputs]
        self.leave_window()
        return indices
