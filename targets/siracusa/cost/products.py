"""
Sums of products of bytes on the cluster: matrix products, convolutions, products with a vector.

**Blocks.** A core computes register blocks of 4 output channels x 2 pixels from words of 4 bytes. For 4 products each,
a block of f x p loads f + p words and executes f * p `sdotsp.b`, in a hardware loop. A misaligned word takes a cycle
more. So does the word of a single pixel where several cores read it at once, or in windows. Start and stores of a block
take 3 cycles and 5.5 for each output, a pair of pixels 21 more. So 4x2 takes 14 cycles for each 4 products and 47 in
addition, as measured on one core to the cycle; 4x1 takes 9 and 25, on eight cores 10.

**Operands.** A block reads words of both operands along the reduction loops, in place: the stretches of a window, with
contiguous channels (channels last), and contiguous taps unless they are dilated or of several groups. Pixels whose
windows cross the ends of a line are computed one by one. Other layouts are plain C. A further stretch takes a hardware
loop and new pointers; the remainder of a stretch of more than a word takes a masked word, a shorter one goes by bytes.
Costs of stretches and remainders follow from instruction costs; they were not measured.

**im2col.** Windows copied because of the attribute `im2col` are rows of one length, border pixels included. A row of a
window takes 6 cycles, a word 3 and one more for each misaligned side, a remaining byte 3; padding is cleared by words.
Weights stay in place: if a feature's weights are no whole words, three of four features are misaligned, or every
second, and the remainder of a row comes from its last word, masked. That was counted in the instructions of gcc 12 -O3
for `tw_im2col` and `tw_dot_block`, not measured.

**Cores** conflict at the banks in proportion to the loads of their steps; code of epilogues makes that rarer. They
partition the lines of pixels, the pairs of a line, or the blocks of features, whichever minimises the work of the
busiest core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType

from ....dialects.core.analysis.affine_form import Linear, linear
from ....dialects.core.kernel import Access, Kernel, is_shaped, per_kernel
from ....ir import integer_width, shape_of
from ....passes.loops.scalar import live_ops
from .kernels import dims_of, parallel_dims, share, slowdown
from .scalar import Rates, ScalarWork, work_of
from .sharing import BlockLoop, busiest_core

WORD = 4
"""Bytes that an `sdotsp.b` multiplies."""
PIXELS = 2
"""Pixels of a block."""
BLOCK, BLOCK_OUTPUT = 3.0, 5.5
"""Cycles to start and end a block, and for each of its outputs."""
PAIR = 21
"""Overhead in cycles of a pair of pixels besides its blocks."""
CACHE, FETCHED = 512, 0.2
"""Bytes of a core's own instruction cache, and the cycles a byte to fetch more code again, of eight cores."""
INSTRUCTION, CALLED, STORED = 4, 30, 3
"""Bytes of an instruction; instructions of a block besides its loads, products and outputs, and of a stored output."""
FINDING = 7
"""Cycles in which a core finds its share of a loop within others."""
START = {PIXELS: 95, 1: 52}
"""Cycles of a core before its first block and after its last, by the pixels of a block."""
COPY_WORD, COPY_BYTE, COPY_ROW = 3, 3, 6
"""Cycles of a copied word, byte and row in a hardware loop."""
COPY_WINDOW = 10
"""Cycles for the address of a window, and its border test."""
BYTE_PRODUCT = 3
"""Cycles of a product of single bytes and its sum, in C."""
STRAIGHT_PAIR, STRAIGHT_OUTPUT = 12, 1
"""
The overhead of a pair of pixels, and of an output, where stretches are a word or less: sums stay in registers.

Fitted to four convolutions of even seeds with 1 and 4 products, within 15 %, and to a product of 66 x 2 x 66 with 8
heads, within 2 %.
"""
TAP_ROW = 4
"""Cycles of a hardware loop for a further row of a window; each pointer takes one more."""
PLAIN_BLOCK = 2
"""Outputs along each side of a block in plain C."""
_RATES = Rates()
_PRODUCT_OPS = (arith.AddiOp, arith.MuliOp)


@dataclass(frozen=True)
class Side:
    """Input: the loops that it varies along, and the reduction loops along which it is contiguous, innermost first."""

    dims: frozenset[int]
    run: tuple[int, ...]

    def run_length(self, bounds: Sequence[int]) -> int:
        """Return the number of contiguous elements."""
        return prod(bounds[d] for d in self.run)

    def spans(self, loops: Sequence[int]) -> bool:
        """Return whether the element is contiguous along loops, the first of them innermost."""
        return self.run[: len(loops)] == tuple(loops)


@dataclass(frozen=True)
class ProductCost:
    """
    Sum of products of bytes: its loops by role, outermost first.

    Along `batch` both inputs vary, or none; along `pixels` the first and along `features` the second. `border` are the
    pixels of a line whose windows cross its ends; `border_share` is the mean share of their taps that is in bounds, and
    `rows_share` that of a window's rows. `epilogue` is the work of an output besides its store. `is_signed` tells if
    the second input is.
    """

    batch: tuple[int, ...]
    pixels: tuple[int, ...]
    features: tuple[int, ...]
    reduced: tuple[int, ...]
    first: Side
    second: Side
    border: int
    border_share: float
    rows_share: float
    whole: tuple[int, ...]
    epilogue: ScalarWork
    is_signed: bool

    @property
    def is_depthwise(self) -> bool:
        """Return whether each output channel is the sum over a window of one input channel, of its own group."""
        depth, *taps = (self.whole[d] for d in self.reduced)
        has_groups = any(self.whole[d] > 1 and d in self.first.dims for d in self.batch)
        is_alone = has_groups or all(self.whole[d] == 1 for d in self.features)
        return depth == 1 and max(taps, default=1) > 1 and is_alone

    def stretch(self, bounds: Sequence[int], *, im2col: bool = False) -> int:
        """
        Return the products of a stretch of contiguous elements, 0 if blocks cannot read the operands.

        A stretch is that of the channels, and of the taps along a line if these are contiguous. In place both inputs
        are contiguous along it; with `im2col` the first, and the second along the whole window.
        """
        loops = self.stretch_loops(im2col=im2col)
        if not loops or (im2col and self.second.run_length(bounds) < prod(bounds[d] for d in self.reduced)):
            return 0
        return prod(bounds[d] for d in loops)

    def stretch_loops(self, *, im2col: bool = False) -> tuple[int, ...]:
        """Return the loops of a stretch, innermost first; none without contiguous channels, or in volumes."""
        channel, *taps = self.reduced
        if len(taps) > 2:
            return ()
        line = (channel, *taps[-1:])
        sides = [self.first] if im2col else [self.first, self.second]
        for loops in (line, line[:1]):
            if all(side.spans(loops) for side in sides):
                return loops
        return ()

    def line(self, bounds: Sequence[int]) -> tuple[int, int, int]:
        """Return a tile's number of lines of pixels, the pairs of pixels in each, and the single pixels."""
        batch = prod(bounds[d] for d in self.batch)
        if not self.pixels:
            return batch, 0, 1
        *outer, along = self.pixels
        border = self.border_of(bounds)
        pairs, rest = divmod(bounds[along] - border, PIXELS)
        return batch * prod(bounds[d] for d in outer), pairs, rest + border

    def border_of(self, bounds: Sequence[int]) -> int:
        """Return the number of pixels of a tile's line whose windows reach into the padding."""
        is_whole = bool(self.pixels) and bounds[self.pixels[-1]] == self.whole[self.pixels[-1]]
        return self.border if is_whole else 0

    def rows_share_of(self, bounds: Sequence[int]) -> float:
        """Return the mean share of the rows of a tile's windows in bounds: transfers fill the padding of cut axes."""
        return self.rows_share if all(bounds[d] == self.whole[d] for d in self.pixels[:-1]) else 1.0


@per_kernel
def product_of(kernel: Kernel) -> ProductCost | None:
    """Match a kernel as a 32-bit sum of products of bytes that does not wrap; None for others."""
    if not multiplies_bytes(kernel):
        return None
    first, second = (_side(access, kernel) for access in kernel.inputs)
    parallel = parallel_dims(kernel)
    pixels = tuple(d for d in parallel if d in first.dims and d not in second.dims)
    features = tuple(d for d in parallel if d in second.dims and d not in first.dims)
    border, border_share, rows_share = _padding(kernel, pixels)
    return ProductCost(
        batch=tuple(d for d in parallel if d not in pixels and d not in features),
        pixels=pixels,
        features=features,
        reduced=tuple(sorted(kernel.reduced)),
        first=first,
        second=second,
        border=border,
        border_share=border_share,
        rows_share=rows_share,
        whole=kernel.bounds,
        epilogue=_epilogue(kernel),
        is_signed=_is_signed(kernel, 1),
    )


def multiplies_bytes(kernel: Kernel) -> bool:
    """Return whether a kernel sums up products of bytes, in 32 bits without overflow."""
    if len(kernel.inputs) != 2 or len(kernel.reductions) != 1 or kernel.result is not None:
        return False
    body = kernel.reductions[0].body
    ops = [op for op in live_ops(body)[0] if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp)]
    if len(ops) != 2 or set(map(type, ops)) != set(_PRODUCT_OPS):
        return False
    if any(isinstance(op, _PRODUCT_OPS) and not op.overflow_flags.data for op in ops):
        return False
    widths = [integer_width(arg.type) for arg in body.args]
    return widths == [8, 8, 32]


def _is_signed(kernel: Kernel, number: int) -> bool:
    """Return whether an input's bytes are extended with their sign."""
    factor = kernel.reductions[0].body.args[number]
    return not any(isinstance(use.operation, arith.ExtUIOp) for use in factor.uses)


def _side(access: Access, kernel: Kernel) -> Side:
    return Side(dims_of(access), _run(access, kernel))


def _run(access: Access, kernel: Kernel) -> tuple[int, ...]:
    """Return the reduction loops along which consecutive points are consecutive elements, innermost first."""
    run: list[int] = []
    shape, strides = shape_of(access.value), _strides(access)
    for axis, (form, extent) in reversed(list(enumerate(zip(access.forms, shape, strict=True)))):
        if extent > 1 and strides[axis] != prod(shape[axis + 1 :]):
            break
        dims = [atom for atom, factor in form.terms if isinstance(atom, int) and atom in kernel.reduced and factor == 1]
        if len(dims) == 1:
            run.append(dims[0])
        whole = len(dims) == 1 and form.terms == ((dims[0], 1),)
        if extent > 1 and not whole:
            break
    return tuple(run)


def _strides(access: Access) -> Sequence[int | None]:
    """Return the strides in elements of an operand's axes; tensors are dense."""
    type, shape = access.value.type, shape_of(access.value)
    strides = cast("MemRefType[Any]", type).get_strides() if isinstance(type, MemRefType) else None
    return strides or [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _padding(kernel: Kernel, pixels: Sequence[int]) -> tuple[int, float, float]:
    """Return the border pixels of a line, the mean share of their taps in bounds, and that of a window's rows."""
    image, border, border_share, rows_share = kernel.inputs[0], 0, 1.0, 1.0
    if image.fill is None:
        return border, border_share, rows_share
    for expr, extent in zip(image.map.results, shape_of(image.value), strict=True):
        form = linear(expr)
        along = next((d for d in pixels if d in form.dims()), -1)
        if along < 0:
            continue
        taps = [_inside(form, along, pixel, extent, kernel) for pixel in range(kernel.bounds[along])]
        if along == pixels[-1]:
            outside = [share for share in taps if share < 1]
            border, border_share = len(outside), sum(outside) / max(len(outside), 1)
        else:
            rows_share *= sum(taps) / max(len(taps), 1)
    return border, border_share, rows_share


def _inside(form: Linear, along: int, pixel: int, extent: int, kernel: Kernel) -> float:
    """Return the share of a window's taps along an axis that are in bounds, at a position along a loop of pixels."""
    factor = dict(form.terms)[along]
    rest = form.without(along)
    taps = [d for d in rest.dims() if d in kernel.reduced]
    if len(taps) != 1 or kernel.bounds[taps[0]] == 1:
        low, high = rest.interval(kernel.bounds)
        return float(pixel * factor + low >= 0 and pixel * factor + high < extent)
    first = pixel * factor + rest.without(taps[0]).interval(kernel.bounds)[0]
    places = range(first, first + dict(rest.terms)[taps[0]] * kernel.bounds[taps[0]], dict(rest.terms)[taps[0]])
    return sum(0 <= place < extent for place in places) / len(places)


def _epilogue(kernel: Kernel) -> ScalarWork:
    """Return the work of an output's epilogue, including loads of its operands and of an earlier partial sum."""
    block = kernel.epilogue
    loads = sum(is_shaped(access.value) for access in kernel.extras) if block is not None else 0
    again = sum(initial is None for reduction in kernel.reductions for initial in reduction.initial)
    return work_of(block).plus(ScalarWork(loads + again))


def block_cycles(features: int, pixels: int, products: float, *, rows: float = 1, more: float = 0) -> float:
    """
    Return the cycles of a block of `features` x `pixels` sums of `products` products, without an epilogue.

    The products are in `rows` stretches of a window. A step takes `more` cycles besides loads and products; it is a
    word, or a byte of a stretch of less than a word.
    """
    stretch = products / rows if rows else 0
    is_word = stretch >= WORD
    steps = rows * ceil(stretch / WORD if is_word else stretch)
    steps *= features + pixels + (1 if is_word else BYTE_PRODUCT) * features * pixels + more
    return steps + max(rows - 1, 0) * (features + pixels + TAP_ROW) + BLOCK + BLOCK_OUTPUT * features * pixels


def straight_cycles(features: int, pixels: int, products: float, *, stretch: int) -> float:
    """
    Return the cycles of a block as `block_cycles`, of stretches of a word or less in one row: straight code.

    The first products need no sum.
    """
    is_word, sums = stretch == WORD, features * pixels
    steps = products / WORD if is_word else products
    total = steps * (features + pixels + (1 if is_word else BYTE_PRODUCT) * sums)
    return total + STRAIGHT_OUTPUT * sums - (0 if is_word else sums)


def copied_bytes(product: ProductCost, bounds: Sequence[int]) -> int:
    """Return the bytes of the windows of a block of pixels, each rounded up to words."""
    return pixels_of_block(product, bounds) * -(-prod(bounds[d] for d in product.reduced) // WORD) * WORD


def pixels_of_block(product: ProductCost, bounds: Sequence[int]) -> int:
    """Return the pixels of the largest block."""
    *_, along = [PIXELS, *(bounds[d] for d in product.pixels)]
    return min(along, PIXELS)


class Simd:
    """
    Sum of products, or a tile of it, with SIMD words in blocks of `features` output channels x 2 pixels.

    `step` are the cycles of a step besides loads and products. With `im2col`, windows are copied.
    """

    def __init__(
        self,
        product: ProductCost,
        bounds: tuple[int, ...],
        *,
        features: int,
        step: float,
        im2col: bool = False,
        rates: Rates = _RATES,
    ):
        self._product, self._bounds, self._im2col = product, bounds, im2col
        self._widest, self._step, self._cores = features, step, 1
        self._epilogue = product.epilogue.total(rates)
        self._products = prod(bounds[d] for d in product.reduced)
        self._features = prod(bounds[d] for d in product.features)
        self._run = product.stretch(bounds, im2col=im2col)
        self._rows = self._products // self._run if self._run and not im2col else 1
        self._rows_share = 1.0 if im2col else product.rows_share_of(bounds)
        border, (_, _, singles) = product.border_of(bounds), product.line(bounds)
        is_clipped = not im2col and border > 0
        self._single_share = 1 - (1 - product.border_share) * border / singles if is_clipped else 1.0
        self._has_stretched_taps = len(product.reduced) > 1 and len(product.stretch_loops()) == 1
        has_rows = not im2col and prod(bounds[d] for d in product.reduced[1:-1]) > 1
        self._is_straight = 0 < (self._products if im2col else self._run) <= WORD and not has_rows

    @property
    def is_possible(self) -> bool:
        """Return whether the operands are contiguous as the blocks need, of the first perhaps by its copy."""
        return self._run > 0

    def cycles(self, cores: int, contention: float) -> float:
        """Return the cycles of the busiest core."""
        self._cores = cores
        form = replace(self._product, border=0) if self._im2col else self._product
        _, pairs, singles = form.line(self._bounds)
        outer = [self._bounds[d] for d in sorted((*form.batch, *form.pixels[:-1]))]
        code = self._code(PIXELS) * (pairs > 0) + singles * self._code(1)
        is_refetched = cores > 1 and code > CACHE
        parts = self._parts(pairs, PIXELS, is_refetched=is_refetched)
        parts += singles * self._parts(1, 1, is_refetched=is_refetched)
        mine, active = busiest_core(outer, parts, cores, finding=FINDING)
        pixels, widest = PIXELS if pairs else 1, min(self._widest, self._features)
        beside = widest * pixels * self._epilogue / self._block(widest, pixels)
        density = (1 - beside) * self._density(widest, pixels)
        return START[pixels] + mine * slowdown(contention, density, active)

    def _code(self, pixels: int) -> float:
        """Return the bytes of code of so many pixels, in blocks of `features` and of what is left of them."""
        full, rest = divmod(self._features, self._widest)
        return sum(self._code_of(width, pixels) for width in (self._widest * (full > 0), rest) if width)

    def _code_of(self, features: int, pixels: int) -> float:
        """Return the bytes of code of a block, of which words of a stretch and what is left are each a part."""
        turn = features + pixels + features * pixels
        has_rest = not self._im2col and self._run % WORD > 0 and self._run > WORD
        outputs = features * pixels * (self._epilogue + STORED)
        return INSTRUCTION * (CALLED + turn * (1 + has_rest) + outputs)

    def _parts(self, blocks: int, pixels: int, *, is_refetched: bool) -> list[BlockLoop]:
        """
        Return the parallel loops over blocks of so many pixels: over the pixels of several, else over features.

        Of a line whose code exceeds the instruction cache, each loop is fetched again.
        """
        full, rest = divmod(self._features, self._widest)
        around = self._copy(pixels) + (STRAIGHT_PAIR if self._is_straight else PAIR) * (pixels - 1)
        widths = [(trips, width) for trips, width in ((full, self._widest), (min(rest, 1), rest)) if trips and blocks]
        again = FETCHED * is_refetched
        costs = [(trips, width, self._block(width, pixels)) for trips, width in widths]
        if blocks <= 1:
            fetched = [again * self._code_of(width, pixels) for _, width in widths]
            pairs = zip(costs, fetched, strict=True)
            return [BlockLoop(n, width * pixels, cycles + (around + more) / n) for (n, width, cycles), more in pairs]
        cycles = (
            around + sum(trips * block_cycles for trips, _, block_cycles in costs) + again * self._code(pixels) / blocks
        )
        return [BlockLoop(blocks, self._features * pixels, cycles, 1 if rest else full, around)]

    def _density(self, features: int, pixels: int) -> float:
        """Return the accesses of a core in each cycle of a block's steps."""
        return (features + pixels) / (features + pixels + features * pixels)

    def _block(self, features: int, pixels: int) -> float:
        """Return the cycles of a block with its epilogue."""
        more = self._step + self._wait(pixels) + self._misaligned(features, pixels)
        inside = self._single_share if pixels == 1 else 1
        rows = self._rows * self._rows_share * (inside if self._has_stretched_taps else 1)
        products = self._products * self._rows_share * inside
        if self._is_straight:
            sums = straight_cycles(features, pixels, products, stretch=self._run)
        else:
            sums = block_cycles(features, pixels, products, rows=rows, more=more)
        return sums + features * pixels * self._epilogue

    def _wait(self, pixels: int) -> int:
        """Return the cycles that a step waits for the word of a single pixel: none of one core without windows."""
        return int(pixels == 1 and (self._cores > 1 or self._rows > 1 or self._im2col))

    def _misaligned(self, features: int, pixels: int) -> float:
        """
        Return the number of misaligned words of a step, in rows that do not begin at words.

        Masks for the remainders of rows count too.
        """
        if self._im2col:
            misaligned = sum(feature * self._products % WORD > 0 for feature in range(features))
            return misaligned + _masks(features, self._products)
        first, second = self._product.first, self._product.second
        pixel, feature = self._bounds[first.run[0]], second.run_length(self._bounds)
        masks = _masks(features, self._run)
        return (pixels if pixel % WORD else 0) + (features if feature % WORD else 0) + masks

    def _copy(self, pixels: int) -> float:
        """Return the cycles of making the windows of pixels contiguous (im2col)."""
        return pixels * self._window() if self._im2col else 0

    def _window(self) -> float:
        """Return the cycles of copying a window; a fraction of them reach into the padding."""
        rows, (words, rest) = self._products // self._run, divmod(self._run, WORD)
        channels = self._bounds[self._product.first.run[0]]
        split = (channels % WORD > 0) + (self._run % WORD > 0)
        moved = rows * (COPY_ROW + words * (COPY_WORD + split) + rest * COPY_BYTE)
        lines, pairs, singles = self._product.line(self._bounds)
        over = self._product.border_of(self._bounds) / max(PIXELS * pairs + singles, 1) if lines else 0
        return COPY_WINDOW + moved + over * -(-self._products // WORD)


def _masks(features: int, run: int) -> float:
    """Return the cycles to mask the remainders of rows of weights, averaged over the words of a row."""
    return features / -(-run // WORD) if run % WORD and run > WORD else 0


def plain_block_cycles(
    product: ProductCost, bounds: tuple[int, ...], cores: int, *, contention: float, rates: Rates = _RATES
) -> float:
    """
    Estimate the cycles of a product in plain C, in blocks of 2 x 2 outputs.

    For each product a block loads 4 bytes and steps their pointers, multiplies 4 times in 2 cycles, adds 4 times, and
    branches: 23 cycles. Start and stores take 15, a pair of pixels 22. Fitted to one core, exact there.
    """
    lines, pairs, singles = product.line(bounds)
    blocks = -(-prod(bounds[d] for d in product.features) // PLAIN_BLOCK)
    products = prod(bounds[d] for d in product.reduced)
    block = 23 * products + 15 + PLAIN_BLOCK**2 * product.epilogue.total(rates)
    counts = [lines, pairs + singles, blocks]
    mine = share(counts, cores)
    lines, units, blocks = (mine.trips if loop == mine.loop else count for loop, count in enumerate(counts))
    return 87 + lines * units * (blocks * block + 22) * slowdown(contention, 4 / 23, mine.cores)
