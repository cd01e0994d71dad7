"""
Structured-kernel view of convolutions with packed weights (`dialects/core/kernel.py`): loops, accesses, scalar code.

Besides pixels, output channels, taps and input channels there is a reduction loop over the bytes of a row of packed
weights. The scalar code extracts a byte's contribution to the weight of a tap and a channel; the sum over the row is x
times that weight. The view is for analysis, not for execution: it gives the footprints, and forbids tiling of channels
and bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.core.body import Body
from ....dialects.core.kernel import Access, Kernel, Reduction
from ....dialects.core.scalars import Index, scalar_attr
from ....ir import shape_of
from .geometry import WORD, ConvKind


@dataclass(frozen=True)
class Format:
    """Packing format of weights: kind of convolution, bits, and summand of each weight."""

    kind: ConvKind
    bits: int
    offset: int


@dataclass(frozen=True)
class ImagePadding:
    """Padding before the image along rows and columns, and its value; `is_padded` if any side has padding."""

    top: int = 0
    left: int = 0
    fill: int = 0
    is_padded: bool = False


def convolution(
    format: Format, x: SSAValue, w: SSAValue, out: SSAValue, window: ImagePadding, *, unsigned: bool
) -> Kernel:
    """
    Build the kernel of x [N, H, W, Cin], w [rows, bytes], out [N, Ho, Wo, Cout].

    Loops are (n, h, w, o | ky, kx, c, byte), depthwise (n, h, w, c | ky, kx, row, byte).
    """
    kind, depthwise = format.kind, format.kind is ConvKind.DEPTHWISE
    rows, size = shape_of(w)
    inner = rows if depthwise else shape_of(x)[-1]
    bounds = (*shape_of(out), kind.taps, kind.taps, inner, size)
    n, h, v, o, ky, kx, c, byte = AffineMap.identity(8).results
    at = [n, h + ky - window.top, v + kx - window.left, o if depthwise else c]
    loops = _Loops((4, 5), channel=3 if depthwise else 6, byte=7, row=6 if depthwise else None)
    row = c if depthwise else o
    return _kernel(format, loops, bounds, (x, w, out), (at, [row, byte], [n, h, v, o]), window, unsigned)


def product(format: Format, x: SSAValue, w: SSAValue, out: SSAValue, *, unsigned: bool) -> Kernel:
    """Build the kernel of x [M, K], w [N, bytes], out [M, N]; loops are (m, n | k, byte)."""
    bounds = (*shape_of(out), shape_of(x)[-1], shape_of(w)[-1])
    m, n, k, byte = AffineMap.identity(4).results
    loops = _Loops((), channel=2, byte=3)
    return _kernel(format, loops, bounds, (x, w, out), ([m, k], [n, byte], [m, n]), ImagePadding(), unsigned)


@dataclass(frozen=True)
class _Loops:
    """Numbers of the loops that a weight depends on."""

    taps: tuple[int, ...]
    channel: int
    byte: int
    row: int | None = None


def _kernel(
    format: Format,
    loops: _Loops,
    bounds: tuple[int, ...],
    values: tuple[SSAValue, SSAValue, SSAValue],
    accesses: Sequence[Sequence[AffineExpr]],
    window: ImagePadding,
    unsigned: bool,
) -> Kernel:
    x, w, out = values
    at, row, target = (AffineMap(len(bounds), 0, tuple(results)) for results in accesses)
    first = len(target.results)
    body = _body(format, loops, unsigned)
    return Kernel(
        bounds,
        frozenset(range(first, len(bounds))),
        (Access(x, at, scalar_attr(window.fill, i8) if window.is_padded else None), Access(w, row)),
        (Access(out, target),),
        reductions=(Reduction((scalar_attr(0, i32),), body),),
        fill_is_neutral=window.fill == 0,
    )


@cache
def _body(format: Format, loops: _Loops, unsigned: bool) -> Block:
    """Return the scalar body of a kernel, shared by all kernels of one format."""
    return _WeightedSum(format, loops).build(unsigned=unsigned)


class _WeightedSum(Body):
    """Builder of the scalar body: x times the partial weight in one byte, added to the sum."""

    def __init__(self, format: Format, loops: _Loops):
        super().__init__([i8, i8, i32])
        self._format, self._loops = format, loops

    def build(self, *, unsigned: bool) -> Block:
        """Build the body of an element of x, a byte of the weights and the sum."""
        x, byte, total = self.args
        weight = self.add(self._digits(byte), self._offset())
        return self.finish(self.add(total, self.mul(self.convert(x, i32, unsigned=unsigned), weight)))

    def _digits(self, byte: SSAValue) -> SSAValue:
        """Build the partial weight in the byte: its bits, shifted to their positions."""
        kind, bits = self._format.kind, self._format.bits
        wide = self.convert(byte, i32, unsigned=True)
        channel, place = self._index(self._loops.channel), self._index(self._loops.byte)
        within, block = self.rem_unsigned(channel, kind.channels), self.div_unsigned(channel, kind.channels)
        word, at = self.div_unsigned(place, WORD), self.rem_unsigned(place, WORD)
        if kind is ConvKind.POINTWISE:
            is_of_channel = self.compare(self.div_unsigned(at, 4), "eq", self.div_unsigned(within, 4))
            is_here = self.both(self.compare(word, "eq", block), is_of_channel)
            low, position = self._narrow(self.rem_unsigned(at, 4)), self._narrow(self.rem_unsigned(within, 4))
            first = self._digit(wide, position, self.mul(low, 2))
            second = self._digit(wide, self.add(position, 4), self.add(self.mul(low, 2), 1))
            return self._where(is_here, self.add(first, second))
        row, bit = self.div_unsigned(word, bits), self.rem_unsigned(word, bits)
        if self._loops.row is not None:
            row = self._index(self._loops.row)
        ky, kx = (self._index(dim) for dim in self._loops.taps)
        position = self.add(self.mul(self.add(self.mul(ky, 3), kx), kind.channels), within)
        is_here = self.both(self.compare(row, "eq", block), self.compare(at, "eq", self.div_unsigned(position, 8)))
        return self._where(is_here, self._digit(wide, self._narrow(self.rem_unsigned(position, 8)), self._narrow(bit)))

    def _offset(self) -> SSAValue:
        """Build the weights' offset at the first byte, else 0."""
        is_first = self.compare(self._index(self._loops.byte), "eq", 0)
        if self._loops.row is not None:
            is_first = self.both(is_first, self.compare(self._index(self._loops.row), "eq", 0))
        return self._where(is_first, self.constant(self._format.offset, i32))

    def _index(self, dim: int) -> SSAValue:
        return self.op(linalg.IndexOp(dim))

    def _narrow(self, index: Index) -> SSAValue:
        return self.op(arith.IndexCastOp(self.value(index), i32))

    def _where(self, condition: SSAValue, value: SSAValue) -> SSAValue:
        return self.select(condition, value, self.constant(0, i32))

    def _digit(self, byte: SSAValue, position: SSAValue, place: SSAValue) -> SSAValue:
        """Build the bit at a position of a byte, shifted to its place in the weight."""
        bit = self.op(arith.AndIOp(self.op(arith.ShRUIOp(byte, position)), self.constant(1, i32)))
        return self.shift_left(bit, place)
