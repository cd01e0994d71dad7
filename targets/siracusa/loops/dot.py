"""Loops of convolutions and matrix products of bytes with contiguous sums: register blocks of pixels x features."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import Kernel, is_shaped, kernel_of
from ....dialects.core.scalars import Index
from ....dialects.nn import ConvOp, MatmulOp
from ....dialects.nn.contraction import ContractionOp, PackableOp
from ....dialects.quant import RequantizeOp
from ....ir import numbers_of, shape_of
from ....passes.loops.blocks import BlockInterval, BlockLoops, parts
from ....passes.loops.nest import PARALLEL, Nest
from ....passes.loops.scalar import live_ops
from ..cost.narrow import stretch_of
from ..dialects.cluster.instructions import dot, dot_packed

PIXELS, FEATURES = 2, 4
"""Register block: its 8 sums and 6 operand words fit the registers of a RISC-V core (PULP-NN's 4x2)."""

SHORT, LONG = 8, 11
"""
Operations of an epilogue between which the rows of a block are unrolled here. Up to `SHORT`, gcc unrolls the whole
block (its limit is 200 instructions), with fewer instructions for addresses. Beyond `LONG`, 8 outputs of as many
instructions and the sums exceed a core's own instruction cache of 512 bytes: the features are a loop then.
"""
_OPERATIONS: dict[type[Operation], int] = {
    RequantizeOp: 6,
    arith.ConstantOp: 0,
    arith.ExtSIOp: 0,
    arith.ExtUIOp: 0,
    arith.TruncIOp: 0,
}
"""Operations of C that an op becomes, if not one."""


def is_dot(op: Operation) -> bool:
    """
    Return whether a kernel on buffers is a sum of products of bytes with stretches contiguous in both operands.

    These are convolutions with `channels_last` and at most two spatial axes, and matrix products with `transpose_b`.
    Packed weights of contiguous taps must fill whole words for each tap.
    """
    return isinstance(op, ConvOp | MatmulOp) and stretch_of(kernel_of(op)) > 0


def lower_dot(op: ContractionOp, kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops: over rows of pixels outermost, then over blocks of pixels, then over blocks of features.

    Each block is one `cluster.dot` into a buffer of sums, followed by the epilogue in loops over that buffer. Pixels
    with border windows are computed one by one, on the in-bounds part of the window.
    """
    DotLoops(op, kernel, nest).build()


class DotLoops(BlockLoops):
    """Loop nest of a convolution or matrix product in blocks of pixels x features."""

    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest):
        # The loops of a convolution are n, g, f, space..., c, taps..., those of a matrix product ..., m, n, k.
        self.channel, *taps = sorted(kernel.reduced)
        is_conv = isinstance(op, ConvOp)
        super().__init__(op, kernel, nest, pixel=self.channel - (1 if is_conv else 2), taps=taps)
        self.feature = 2 if is_conv else self.channel - 1
        self.stride, self.row_step, self.tap_step = 1, 1, 1
        if isinstance(op, ConvOp):
            self.stride = numbers_of(op.strides)[-1]
            self.row_step, *_, self.tap_step = numbers_of(op.dilations) * 2
        x, w = (len(shape_of(access.value)) for access in kernel.inputs)
        self.x_axis, self.w_axis = x - 2, 0 if is_conv else w - 2

    def build(self) -> None:
        """Build the nest."""
        mine = {self.feature, self.pixel, *self.kernel.reduced}
        with self.over([d for d in range(len(self.kernel.bounds)) if d not in mine], [PARALLEL]):
            for part in self.pixel_parts():
                with self.blocks("p", part) as first:
                    self.begin(part, first)
                    self.features(part, first)

    def features(self, part: BlockInterval, pixel: Index) -> None:
        """Build the blocks of features of an interval of pixels."""
        # Blocks beside loops that cores share are such loops too, of one turn: a core does it alone.
        is_outermost = part.count == 1
        for features in parts(0, self.kernel.bounds[self.feature], FEATURES):
            with self.blocks("f", features, shared=is_outermost) as begin:
                self.block(part, pixel, features.size, begin)

    def pixel_parts(self) -> Iterable[BlockInterval]:
        """Return the intervals of a row of pixels, in blocks."""
        return self.parts_along(-1, PIXELS)

    def begin(self, part: BlockInterval, pixel: Index) -> None:
        """Build code shared by all blocks of the same pixels."""

    def block(self, part: BlockInterval, pixel: Index, features: int, feature: Index) -> None:
        """Build the sums and the epilogue of one block."""
        sums = self.nest.op(memref.AllocaOp.get(i32, shape=[part.size, features], alignment=4))
        self.position[self.pixel], self.position[self.feature] = pixel, feature
        self.nest.insert(self.dot(part, sums))
        operations = _operations(self.kernel)
        if operations > LONG:
            with self.nest.loop("f", 0, features) as loop:
                for step in range(part.size):
                    self._output(sums, (step, pixel), (loop, feature))
            return
        is_short = operations <= SHORT
        with self.nest.loop("p", 0, part.size if is_short else 1) as outer:
            for step in [outer] if is_short else range(part.size):
                with self.nest.loop("f", 0, features) as loop:
                    self._output(sums, (step, pixel), (loop, feature))

    def _output(self, sums: SSAValue, pixel: tuple[Index, Index], feature: tuple[Index, Index]) -> None:
        """
        Build the epilogue of an output; pixel and feature are a step in the block and its first.

        With an unrolled step of the pixel, indices of `sums` are constants once a C compiler has unrolled the features:
        the sums stay in registers. With the features outermost, their constants are loaded once for all pixels.
        """
        self.position[self.pixel], self.position[self.feature] = (self.nest.add(*pair) for pair in (pixel, feature))
        load = memref.LoadOp.get(sums, [self.nest.value(step) for step, _ in (pixel, feature)])
        load.res.name_hint = "sum"
        self.nest.insert(load)
        self.finish([self.total(load.res)])

    def dot(self, part: BlockInterval, sums: SSAValue) -> Operation:
        """Build the op that computes the sums of a block."""
        x, w = self.kernel.inputs
        rows, taps = self.window([tap != self.taps[-1] or part.clipped for tap in self.taps])
        self.position[self.channel] = 0
        x_at, w_at = self.input_indices()
        elements: Index = self.kernel.bounds[self.channel]
        if stretch_of(self.kernel) > self.kernel.bounds[self.channel]:
            taps, elements = 1, self.nest.mul(taps, elements)
        is_plane = len(self.taps) == 2
        is_packed = isinstance(self.op, PackableOp) and self.op.packed_bits > 0
        return (dot_packed if is_packed else dot)(
            (x.value, x_at),
            (w.value, w_at),
            sums,
            x_step=(self.x_axis, self.stride),
            x_row=(self.x_axis - 1, self.row_step) if is_plane else None,
            x_tap=(self.x_axis, self.tap_step) if self.taps else None,
            w_step=(self.w_axis, 1),
            w_row=(1, 1) if is_plane else None,
            w_tap=(len(self.taps), 1) if self.taps else None,
            rows=self.nest.value(rows),
            taps=self.nest.value(taps),
            elements=self.nest.value(elements),
            is_signed=not self.op.is_unsigned(0),
            **self.weight_format(),
        )

    def weight_format(self) -> dict[str, int]:
        """Return the format of the second operand: its sign, and the bits of packed weights."""
        is_packed = isinstance(self.op, PackableOp) and self.op.packed_bits > 0
        bits = {"bits": self.op.packed_bits} if is_packed and isinstance(self.op, PackableOp) else {}
        return bits | {"are_signed": not self.op.is_unsigned(1)}


def _operations(kernel: Kernel) -> int:
    """Return the operations of an epilogue, two for each operand: address and load."""
    if kernel.epilogue is None:
        return 0
    count = sum(_OPERATIONS.get(type(op), 1) for op in live_ops(kernel.epilogue)[0])
    return count + 2 * sum(is_shaped(access.value) for access in kernel.extras)
