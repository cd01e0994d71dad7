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
from xdsl.dialects.builtin import IndexType, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.core.body import Body
from ....dialects.core.kernel import Access, Kernel, Reduction
from ....dialects.core.scalars import scalar_attr
from ....ir import shape_of
from .geometry import WORD, Kind


@dataclass(frozen=True)
class Format:
    """Packing format of weights: kind of convolution, bits, and summand of each weight."""

    kind: Kind
    bits: int
    offset: int


@dataclass(frozen=True)
class Window:
    """Padding before the image along rows and columns, and its value; `is_padded` if any side has padding."""

    top: int = 0
    left: int = 0
    fill: int = 0
    is_padded: bool = False


def convolution(format: Format, x: SSAValue, w: SSAValue, out: SSAValue, window: Window, *, unsigned: bool) -> Kernel:
    """
    Build the kernel of x [N, H, W, Cin], w [rows, bytes], out [N, Ho, Wo, Cout].

    Loops are (n, h, w, o | ky, kx, c, byte), depthwise (n, h, w, c | ky, kx, row, byte).
    """
    kind, depthwise = format.kind, format.kind is Kind.DEPTHWISE
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
    return _kernel(format, loops, bounds, (x, w, out), ([m, k], [n, byte], [m, n]), Window(), unsigned)


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
    window: Window,
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
    return _Code(format, loops).block(unsigned=unsigned)


class _Code:
    """Builder of the scalar body: x times the partial weight in one byte."""

    def __init__(self, format: Format, loops: _Loops):
        self.format, self.loops = format, loops
        self.body = Body([i8, i8, i32])

    def block(self, *, unsigned: bool) -> Block:
        """Build the body of an element of x, a byte of the weights and the sum."""
        x, byte, total = self.body.args
        weight = self.body.add(self._digits(byte), self._offset())
        factor = self.body.convert(x, i32, unsigned=unsigned)
        return self.body.finish(self.body.add(total, self.body.mul(factor, weight)))

    def _digits(self, byte: SSAValue) -> SSAValue:
        """Build the partial weight in the byte: its bits, shifted to their positions."""
        body, kind = self.body, self.format.kind
        wide = body.convert(byte, i32, unsigned=True)
        channel, place = self._index(self.loops.channel), self._index(self.loops.byte)
        within, block = self._rest(channel, kind.channels), self._quotient(channel, kind.channels)
        word, at = self._quotient(place, WORD), self._rest(place, WORD)
        if kind is Kind.POINTWISE:
            here = self._both(self._same(word, block), self._same(self._quotient(at, 4), self._quotient(within, 4)))
            low = self._narrow(self._rest(at, 4))
            position = self._narrow(self._rest(within, 4))
            pair = [self._digit(wide, body.add(position, 4 * k), body.add(body.mul(low, 2), k)) for k in (0, 1)]
            return self._where(here, body.add(*pair))
        bits = self.format.bits
        row, bit = self._quotient(word, bits), self._rest(word, bits)
        if self.loops.row is not None:
            row = self._index(self.loops.row)
        ky, kx = (self._index(dim) for dim in self.loops.taps)
        position = body.add(body.mul(body.add(body.mul(ky, 3), kx), kind.channels), within)
        here = self._both(self._same(row, block), self._same(at, self._quotient(position, 8)))
        return self._where(here, self._digit(wide, self._narrow(self._rest(position, 8)), self._narrow(bit)))

    def _offset(self) -> SSAValue:
        """Build the weights' offset at the first byte, else 0."""
        first = self._same(self._index(self.loops.byte), 0)
        if self.loops.row is not None:
            first = self._both(first, self._same(self._index(self.loops.row), 0))
        return self._where(first, self.body.constant(self.format.offset, i32))

    def _index(self, dim: int) -> SSAValue:
        return self.body.op(linalg.IndexOp(dim))

    def _number(self, value: int, type: Attribute) -> SSAValue:
        return self.body.constant(value, type)

    def _quotient(self, a: SSAValue, by: int) -> SSAValue:
        return self.body.op(arith.DivUIOp(a, self._number(by, IndexType())))

    def _rest(self, a: SSAValue, by: int) -> SSAValue:
        return self.body.op(arith.RemUIOp(a, self._number(by, IndexType())))

    def _narrow(self, a: SSAValue) -> SSAValue:
        return self.body.op(arith.IndexCastOp(a, i32))

    def _same(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self.body.compare(a, "eq", b)

    def _both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.body.op(arith.AndIOp(a, b))

    def _where(self, condition: SSAValue, value: SSAValue) -> SSAValue:
        return self.body.select(condition, value, self._number(0, i32))

    def _digit(self, byte: SSAValue, position: SSAValue, place: SSAValue) -> SSAValue:
        """Build the bit at a position of a byte, shifted to its place in the weight."""
        bit = self.body.op(arith.AndIOp(self.body.op(arith.ShRUIOp(byte, position)), self._number(1, i32)))
        return self.body.shift_left(bit, place)
