"""
Sums of products with packed weights on the cores: words of weights are unpacked between load and product.

A step of a block loads a word of packed numbers per feature, and one word per pixel for each four numbers in it. Four
numbers of a feature take a shift or a mask at an end of their bytes, both in between (`tw_packed_row.h`). With 4 bits,
8 products of a block of f x p take f + 2 p + 2 f + 2 f p cycles; with 2 bits, 16 take f + 4 p + 6 f + 4 f p. Scaled
sums are shifted back, a cycle each. Partial words of packed numbers, and blocks of fewer features, are C, in which four
numbers take 6 instructions (`tilewright_dot.h`).

Counted in the instructions of gcc 12 -O2, not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.core.body import Body
from ....dialects.core.kernel import Access, Kernel, Reduction, per_kernel
from ....dialects.nn.unpack import WIDTHS, packed_index
from ....ir import element_of, integer_width, shape_of
from .loops import BRANCH
from .products import (
    BLOCK,
    BLOCK_OUTPUT,
    COPY_ROW,
    COPY_WINDOW,
    PIXELS,
    TAP_ROW,
    WORD,
    ProductCost,
    Simd,
    pixels_of_block,
    product_of,
)
from .scalar import Rates

BYTE = 4
"""Cycles to insert a byte into a word."""
UNPACKED = 6
"""Instructions in C for four numbers of a word."""
TURN = 2 + BRANCH
"""Overhead in cycles of an iteration of a loop in C."""


@dataclass(frozen=True)
class Narrow:
    """
    Sum of products with packed weights: the sum with bytes, the packed loop, and the bits.

    With `packs_windows`, the first operand has the same width, and its windows are packed.
    """

    product: ProductCost
    along: int
    bits: int
    packs_windows: bool = False

    @property
    def numbers(self) -> int:
        """Numbers in a word."""
        return 8 * WORD // self.bits

    def stretch(self, bounds: Sequence[int]) -> int:
        """Return the products of a stretch as `Product.stretch`; 0 if several taps are contiguous and fill no words."""
        stretch, depth = self.product.stretch(bounds), bounds[self.along]
        return stretch if stretch <= depth or depth % self.numbers == 0 else 0


@per_kernel
def narrow_of(kernel: Kernel) -> Narrow | None:
    """Match a kernel as a 32-bit sum of products of bytes with packed weights; None for others."""
    packing = _packing(kernel)
    if packing is None:
        return None
    product = product_of(_with_bytes(kernel, packing[0]))
    return None if product is None else Narrow(product, *packing, packs_windows=kernel.narrow_input)


def sum_of(kernel: Kernel) -> ProductCost | None:
    """Match a kernel as a 32-bit sum of products of bytes, or of bytes and packed numbers as if they were bytes."""
    narrow = narrow_of(kernel)
    return product_of(kernel) if narrow is None else narrow.product


def stretch_of(kernel: Kernel) -> int:
    """Return the products of a contiguous stretch of a sum of products, 0 for kernels that blocks do not support."""
    form = narrow_of(kernel) or product_of(kernel)
    return form.stretch(kernel.bounds) if form is not None else 0


def _packing(kernel: Kernel) -> tuple[int, int] | None:
    """Return the loop along which the second input is packed, and its bits; None if it is not packed."""
    if len(kernel.inputs) != 2 or len(kernel.reductions) != 1 or kernel.result is not None:
        return None
    (reduction,) = kernel.reductions
    last = reduction.body.last_op
    is_sum = last is not None and isinstance(last.operands[0].owner, arith.AddiOp)
    bytes_in = all(element_of(access.value) == i8 for access in kernel.inputs)
    if not is_sum or not bytes_in or (integer_width(reduction.body.args[-1].type) or 64) > 32:
        return None
    *_, packed = kernel.inputs[1].map.results
    forms = ((dim, bits) for dim in sorted(kernel.reduced) for bits in WIDTHS)
    return next(((d, bits) for d, bits in forms if packed_index(AffineExpr.dimension(d), bits) == packed), None)


def _with_bytes(kernel: Kernel, along: int) -> Kernel:
    """Return the same sum of products with unpacked weights."""
    packed, (reduction,) = kernel.inputs[1], kernel.reductions
    outer = packed.map.results[:-1]
    shape = (*shape_of(packed.value)[:-1], kernel.bounds[along])
    weights = Block(arg_types=[MemRefType(i8, shape)]).args[0]
    map = AffineMap(packed.map.num_dims, 0, (*outer, AffineExpr.dimension(along)))
    total = reduction.body.args[-1].type
    body = Body([i8, i8, total])
    x, w, acc = body.args
    block = body.finish(body.add(acc, body.mul(body.convert(x, total), body.convert(w, total))))
    inputs = (kernel.inputs[0], Access(weights, map))
    return replace(kernel, inputs=inputs, reductions=(Reduction(reduction.initial, block),))


class NarrowSimd(Simd):
    """Sum of products with packed weights, or a tile of it, in blocks of `features` output channels x 2 pixels."""

    def __init__(self, narrow: Narrow, bounds: tuple[int, ...], *, features: int, step: float, rates: Rates):
        super().__init__(narrow.product, bounds, features=features, step=step, rates=rates)
        self._fours, self._numbers = narrow.numbers // WORD, narrow.numbers
        self._is_whole = narrow.stretch(bounds) > 0
        self._by_shifts = rates.xpulp

    @property
    def is_possible(self) -> bool:
        """Return whether pixels are contiguous as the blocks need, and weights of contiguous taps fill words."""
        return self._is_whole

    def _code_of(self, features: int, pixels: int) -> float:
        """Return 0: code that is fetched again was not measured with packed weights."""
        return 0.0

    def _density(self, features: int, pixels: int) -> float:
        return (features + self._fours * pixels) / self._word(features, pixels)

    def _word(self, features: int, pixels: int) -> float:
        """Return the cycles of a step: a word of packed numbers of each feature."""
        if not self._by_shifts or features < self._widest:
            return features + self._fours * self._four(features, pixels)
        products = self._fours * pixels * (1 + features)
        return features * (1 + 2 * self._fours - 2) + products

    def _four(self, features: int, pixels: int) -> float:
        """Return the cycles of four numbers of each feature in C."""
        return pixels + features * (UNPACKED + pixels) + TURN

    def _block(self, features: int, pixels: int) -> float:
        outputs, row = features * pixels, self._products // self._rows
        words, rest = divmod(row, self._numbers)
        more = self._step + (pixels if self._misaligned(0, pixels) else 0)
        row_cycles = words * (self._word(features, pixels) + self._fours * more)
        fours, left = divmod(rest, WORD)
        if rest:
            row_cycles += features + TURN + (fours + (left > 0)) * self._four(features, pixels) + left * pixels * BYTE
        again = (self._rows - 1) * (features + pixels + TAP_ROW + outputs)
        return self._rows * row_cycles + again + BLOCK + (BLOCK_OUTPUT + 1 + self._epilogue) * outputs


PACKING = {4: 6, 2: 14}
"""Bits -> cycles to pack a word of numbers from bytes."""


class PackedWindows(Simd):
    """Sum of products with packed weights and packed windows: words of both are multiplied directly."""

    def __init__(self, narrow: Narrow, bounds: tuple[int, ...], *, features: int, step: float, rates: Rates):
        super().__init__(narrow.product, bounds, features=features, step=step, im2col=True, rates=rates)
        self._bits, self._numbers = narrow.bits, narrow.numbers
        self._channels = bounds[narrow.along]

    @property
    def is_possible(self) -> bool:
        """Return whether the numbers of several taps fill words."""
        return super().is_possible and (self._channels == self._products or self._channels % self._numbers == 0)

    @property
    def window_bytes(self) -> int:
        """Bytes of the windows of a block of pixels."""
        return pixels_of_block(self._product, self._bounds) * self._words * WORD

    @property
    def _words(self) -> int:
        return -(-self._products // self._numbers)

    def _block(self, features: int, pixels: int) -> float:
        steps = self._words * (features + pixels + features * pixels + self._wait(pixels) + self._step)
        return steps + BLOCK + (BLOCK_OUTPUT + self._epilogue) * features * pixels

    def _window(self) -> float:
        rows, (words, rest) = self._products // self._run, divmod(self._run, self._numbers)
        fours, left = divmod(rest, WORD)
        last = fours * UNPACKED + left * BYTE + TURN if rest else 0
        moved = rows * (COPY_ROW + words * PACKING[self._bits] + last)
        lines, pairs, singles = self._product.line(self._bounds)
        over = self._product.border_of(self._bounds) / max(PIXELS * pairs + singles, 1) if lines else 0
        return COPY_WINDOW + moved + over * self._words
