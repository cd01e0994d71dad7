"""Loops of depthwise convolutions of bytes: bands of rows of a channel, gathered as lines, in blocks of pixels."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import Access, Kernel
from ....dialects.core.scalars import Index
from ....dialects.nn import ConvOp
from ....dialects.nn.unpack import WORD
from ....passes.loops.affine import axes_of
from ....passes.loops.blocks import BlockInterval, PartLoops, parts
from ....passes.loops.nest import PARALLEL, Nest
from ..cost.windows import PIXELS, Lines, WindowAxis, is_resident, spread_words, windows_of
from ..dialects.cluster.instructions import fill_row, im2col, spread_weights, window_words


def lower_depthwise(op: ConvOp, kernel: Kernel, nest: Nest, lines: Lines) -> None:
    """
    Build the loops of a blocking: over channels, then over phases of columns, strips of pixels and bands of rows.

    A channel's weights are spread once, by `cluster.spread_weights`. A band gathers its lines by `cluster.im2col`, with
    zeros for padding. Its rows are blocks of pixels: one `cluster.window_words` each into a buffer of sums, followed by
    the epilogue in a loop over that buffer. Cores share channels, phases, strips or bands.
    """
    DepthwiseLoops(op, kernel, nest, lines).build()


class DepthwiseLoops(PartLoops):
    """Loop nest of a depthwise convolution."""

    def __init__(self, op: ConvOp, kernel: Kernel, nest: Nest, lines: Lines):
        super().__init__(kernel, nest)
        windows = windows_of(kernel)
        assert windows is not None
        self.op, self.windows, self.lines = op, windows, lines
        self.rows, self.columns = windows.rows, windows.columns
        # Lines of a whole channel lie at the same place for each: what is padding is cleared once.
        self.is_resident = is_resident(windows, lines, kernel.bounds)
        self.tap_rows, self.taps = windows.taps(kernel.bounds)
        weights = self.tap_rows * spread_words(windows.step, self.taps) * WORD
        self.weights = nest.op(memref.AllocaOp.get(i8, shape=[weights], alignment=WORD))
        self.weights.name_hint = "weights"
        self.gathered = nest.op(memref.AllocaOp.get(i8, shape=[1, lines.height * lines.width], alignment=WORD))
        self.gathered.name_hint = "lines"

    def build(self) -> None:
        """Build the nest."""
        if self.is_resident:
            count = self.nest.value(self.lines.height * self.lines.width)
            self.nest.insert(fill_row((self.gathered, [self.nest.value(0), self.nest.value(0)]), count, value=0))
        with self.over(self.windows.outer, [PARALLEL]):
            self.nest.insert(self.spread())
            for phases, pixels in self.phases():
                with self.blocks("phase", phases) as phase:
                    self.strips(phase, pixels)

    def phases(self) -> Iterator[tuple[BlockInterval, int]]:
        """Yield intervals of phases, and the pixels of each phase of an interval."""
        whole, more = divmod(self.kernel.bounds[self.columns.pixels], self.windows.phases)
        for first, end, pixels in ((0, more, whole + 1), (more, self.windows.phases, whole)):
            if first < end and pixels:
                yield BlockInterval(first, 1, end - first), pixels

    def strips(self, phase: Index, pixels: int) -> None:
        """Build the strips of the pixels of a phase."""
        for strips in parts(0, pixels, self.lines.pixels):
            with self.blocks("strip", strips) as strip:
                self.bands(phase, strip, strips.size)

    def bands(self, phase: Index, first: Index, pixels: int) -> None:
        """Build the bands of a strip of pixels; its last band has the rows that are left."""
        rows = self.kernel.bounds[self.rows.pixels] if self.rows else 1
        bands = BlockInterval(0, self.lines.rows, -(-rows // self.lines.rows))
        # A loop that cores share, even of one turn: the mark says that a core may do it alone.
        nest, is_shared = self.nest, self.nest.depth == 0
        with self.blocks("band", bands, shared=is_shared) as top:
            nest.insert(self.gather(top, phase, first))
            left = nest.min(self.lines.rows, nest.sub(rows, top)) if self.lines.rows > 1 else 1
            with nest.loop("row", 0, left) as row:
                for blocks in parts(0, pixels, PIXELS):
                    with nest.loop("p", 0, blocks.count) as block:
                        begin = nest.add(nest.mul(block, PIXELS), blocks.start)
                        self.block((top, row), phase, first, begin, blocks.size)

    def spread(self) -> Operation:
        """Build the op that spreads the weights of a channel."""
        w = self.kernel.inputs[1]
        self.position |= dict.fromkeys(self.kernel.reduced, 0)
        at = self.indices_of(w)
        self.leave_window()
        axes = list(map(w.axis_of, self.tap_dims()))
        return spread_weights(
            (w.value, at),
            (self.weights, [self.nest.value(0)]),
            step=self.windows.step,
            rows=self.tap_rows,
            taps=self.taps,
            w_row=(axes[0], 1) if self.rows else None,
            w_tap=(axes[-1], 1),
        )

    def tap_dims(self) -> list[int]:
        """Return the loops over the rows of a window, if any, and over the taps of a row."""
        return [axis.taps for axis in (self.rows, self.columns) if axis is not None]

    def gather(self, top: Index, phase: Index, first: Index) -> Operation:
        """Build the op that copies the lines of a band, from its first row and its first pixel in a phase."""
        lines, x = self.lines, self.kernel.inputs[0]
        column = self.nest.add(self.nest.mul(first, self.windows.phases), phase)
        column_at, low, columns = self.inside(self.columns, column, lines.width, self.columns.dilation)
        row_at, above, rows = self.inside(self.rows, top, lines.height, 1) if self.rows else (0, 0, 1)
        begins = {self.columns.axis: column_at} | ({self.rows.axis: row_at} if self.rows else {})
        self.position |= dict.fromkeys(self.kernel.reduced, 0)
        at = [
            self.nest.value(begins[n] if n in begins else index)
            for n, index in enumerate(self.outer_indices(x, begins))
        ]
        self.leave_window()
        return im2col(
            (x.value, at),
            (self.gathered, [self.nest.value(0), self.nest.value(0)]),
            self.nest.value(self.nest.add(self.nest.mul(above, lines.width), low)),
            size=lines.height * lines.width,
            x_row=(self.rows.axis, 1) if self.rows else None,
            x_tap=(self.columns.axis, self.columns.dilation),
            row=lines.width,
            tap=1,
            rows=self.nest.value(rows),
            taps=self.nest.value(columns),
            elements=self.nest.value(1),
            keeps=self.is_resident,
        )

    def outer_indices(self, x: Access, spatial: dict[int, Index]) -> list[Index]:
        """Return the indices of the image's axes at the current position, 0 for spatial ones."""
        axes = axes_of(x, self.kernel.bounds)
        return [0 if number in spatial else self.index(axis.index) for number, axis in enumerate(axes)]

    def inside(self, axis: WindowAxis, pixel: Index, count: int, step: int) -> tuple[Index, Index, Index]:
        """
        Return the begin in bounds of lines of `count` positions at a stride of `step`, for the window of a pixel.

        The result is the first position of the axis in bounds, its number among the `count`, and how many follow. The
        position is in bounds even if none follow.
        """
        nest = self.nest
        begin = nest.sub(nest.mul(pixel, axis.stride), axis.pad)
        before = nest.max(0, nest.sub(0, begin))
        low = nest.min(count, nest.div(nest.add(before, step - 1), step))
        end = nest.floordiv(nest.add(nest.sub(axis.extent - 1, begin), step), step)
        inside = nest.max(0, nest.sub(nest.min(count, end), low))
        position = nest.max(0, nest.min(axis.extent - 1, nest.add(begin, nest.mul(low, step))))
        return position, low, inside

    def block(self, row: tuple[Index, Index], phase: Index, strip: Index, first: Index, pixels: int) -> None:
        """Build the sums and the epilogue of a block of pixels; row is the first of the band and the one in it."""
        nest, (top, below) = self.nest, row
        sums = nest.op(memref.AllocaOp.get(i32, shape=[pixels], alignment=WORD))
        down = nest.mul(below, (self.rows.stride if self.rows else 0) * self.lines.width)
        at = nest.add(down, nest.mul(first, self.windows.step))
        nest.insert(self.products(sums, at))
        with nest.loop("p", 0, pixels) as step:
            pixel = nest.add(nest.add(strip, first), step)
            self.position[self.columns.pixels] = nest.add(nest.mul(pixel, self.windows.phases), phase)
            self.position |= {self.rows.pixels: nest.add(top, below)} if self.rows else {}
            load = memref.LoadOp.get(sums, [nest.value(step)])
            load.res.name_hint = "sum"
            nest.insert(load)
            self.finish([self.total(load.res)])

    def products(self, sums: SSAValue, at: Index) -> Operation:
        """Build the op that computes the sums of a block, the lines of which begin at `at`."""
        return window_words(
            (self.gathered, [self.nest.value(0), self.nest.value(at)]),
            (self.weights, [self.nest.value(0)]),
            sums,
            step=self.windows.step,
            x_row=self.lines.width * (self.rows.dilation if self.rows else 0),
            rows=self.tap_rows,
            taps=self.taps,
            is_signed=not self.op.is_unsigned(0),
            are_signed=not self.op.is_unsigned(1),
        )
