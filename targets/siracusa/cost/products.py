"""
Sums of products of bytes on the cluster: matrix products, convolutions, products with a vector.

**Blocks.** A core computes blocks of 4 output channels x 2 pixels from words of 4 bytes: for 4 products each, a block
of f x p loads f + p words and does f * p `sdotsp.b`, in a hardware loop. A block of one pixel takes a cycle more, in
which it waits for the word that it needs, and a word that is not aligned takes one more. Starting and storing a block
takes 3 cycles and 5.5 for each output, a pair of pixels 21 more. So 4x2 takes 14 cycles for each 4 products and 47, as
measured on one core to the cycle; 4x1 takes 10 and 25 where 23 were measured.

**What a block reads.** Words of both operands along the reduced loops, in place: the rows of a window one after the
other, where its taps and channels are contiguous (channels last). Pixels whose windows extend beyond the ends of a line
are done one by one. Operands that lie otherwise can be copied before: windows two at a time into a buffer of each core
(im2col), by words where the rows of a window have whole words, else byte by byte; a second operand that is stored the
other way is transposed once for each call. What copies, rows and rests take follows from instruction costs; it was not
measured.

**Windows that are copied** because the kernel says so (`im2col`) are rows of one length, pixels at a border like
others. A row of a window takes 6 cycles, a word 3 and one more for each side on which it is not aligned, a byte of the
rest 3; what lies in the padding is cleared by words. Weights stay as they are: where a feature's are no whole words,
three of four features are not aligned, or every second, and the rest of a row comes from its last word, masked. That
was counted in the instructions that gcc 12 -O3 makes of `tw_im2col` and `tw_dot_block`, not measured.

**Cores** wait for each other at the banks as often as their steps load words; code of epilogues makes that rarer. They
share the lines of pixels, the pairs of a line, or the blocks of features, whichever leaves the busiest core
least to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

from xdsl.dialects import arith

from ....dialects.core.analysis.affine_form import Linear, linear
from ....dialects.core.kernel import Access, Kernel, is_shaped
from ....ir import integer_width, shape_of
from ....passes.loops.scalar import live_ops
from .kernels import dims_of, parallel_dims, per_kernel, share, slowdown
from .scalar import Rates, Work, work_of

WORD = 4
"""Bytes that an `sdotsp.b` multiplies."""
PIXELS = 2
"""Pixels of a block."""
BLOCK, BLOCK_OUTPUT = 3.0, 5.5
"""Cycles to start and end a block, and for each of its outputs."""
PAIR = 21
"""Cycles of a pair of pixels besides its blocks."""
START = {PIXELS: 95, 1: 52}
"""Cycles of a core before its first block and after its last, by the pixels of a block."""
COPY_WORD, COPY_BYTE, COPY_ROW = 3, 3, 6
"""A load, the wait for it and a store, in a hardware loop; its set-up and the pointers of a row."""
COPY_WINDOW = 10
"""The place of a window, and whether all of it is inside."""
TAP_ROW = 4
"""A hardware loop for a further row of a window; each pointer takes one cycle more."""
PLAIN_BLOCK = 2
"""Outputs along each side of a block in plain C."""
_RATES = Rates()
_PRODUCT_OPS = (arith.AddiOp, arith.MuliOp)


@dataclass(frozen=True)
class Side:
    """An input: the loops that it varies along, and which reduced loops are contiguous in it, the innermost first."""

    dims: frozenset[int]
    run: tuple[int, ...]

    def run_length(self, bounds: Sequence[int]) -> int:
        """Return the elements that are contiguous."""
        return prod(bounds[d] for d in self.run)


@dataclass(frozen=True)
class Product:
    """
    A kernel that sums up products of bytes: its loops by what they do, the outermost first.

    Along `batch` both inputs vary, or none; along `pixels` the first and along `features` the second. `border` are the
    pixels of a whole line, along its loop, whose windows extend beyond its ends. `epilogue` is what an output
    takes besides its store.
    """

    batch: tuple[int, ...]
    pixels: tuple[int, ...]
    features: tuple[int, ...]
    reduced: tuple[int, ...]
    first: Side
    second: Side
    border: int
    whole: tuple[int, ...]
    epilogue: Work

    def line(self, bounds: Sequence[int]) -> tuple[int, int, int]:
        """Return a tile's number of lines of pixels, the pairs of pixels in each, and the single pixels."""
        batch = prod(bounds[d] for d in self.batch)
        long = [d for d in self.pixels if bounds[d] > 1]
        if not long:
            return batch, 0, 1
        *outer, along = long
        border = self.border_of(bounds)
        pairs, rest = divmod(bounds[along] - border, PIXELS)
        return batch * prod(bounds[d] for d in outer), pairs, rest + border

    def border_of(self, bounds: Sequence[int]) -> int:
        """Return the number of pixels of a tile's line whose windows reach into the padding."""
        long = [d for d in self.pixels if bounds[d] > 1]
        return self.border if long and bounds[long[-1]] == self.whole[long[-1]] else 0


@per_kernel
def product_of(kernel: Kernel) -> Product | None:
    """Return a kernel as a sum of products of bytes in 32 bits; None for others."""
    if not multiplies_bytes(kernel):
        return None
    first, second = (_side(access, kernel) for access in kernel.inputs)
    parallel = parallel_dims(kernel)
    pixels = tuple(d for d in parallel if d in first.dims and d not in second.dims)
    features = tuple(d for d in parallel if d in second.dims and d not in first.dims)
    return Product(
        batch=tuple(d for d in parallel if d not in pixels and d not in features),
        pixels=pixels,
        features=features,
        reduced=tuple(sorted(kernel.reduced)),
        first=first,
        second=second,
        border=_border(kernel, pixels),
        whole=kernel.bounds,
        epilogue=_epilogue(kernel),
    )


def multiplies_bytes(kernel: Kernel) -> bool:
    """Return whether a kernel sums up products of bytes, in 32 bits."""
    if len(kernel.inputs) != 2 or len(kernel.reductions) != 1 or kernel.result is not None:
        return False
    body = kernel.reductions[0].body
    ops = [op for op in live_ops(body)[0] if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp)]
    if len(ops) != 2 or not all(any(isinstance(op, kind) for op in ops) for kind in _PRODUCT_OPS):
        return False
    widths = [integer_width(arg.type) for arg in body.args[:2]]
    return widths == [8, 8] and (integer_width(body.args[-1].type) or 64) <= 32


def _side(access: Access, kernel: Kernel) -> Side:
    forms = [linear(expr) for expr in access.map.results]
    return Side(dims_of(access), _run(forms, shape_of(access.value), kernel))


def _run(forms: Sequence[Linear], shape: Sequence[int], kernel: Kernel) -> tuple[int, ...]:
    """Return the reduced loops along which neighbouring points are neighbouring elements, the innermost first."""
    run: list[int] = []
    for form, extent in reversed(list(zip(forms, shape, strict=True))):
        dims = [atom for atom, factor in form.terms if isinstance(atom, int) and atom in kernel.reduced and factor == 1]
        if len(dims) == 1:
            run.append(dims[0])
        whole = len(dims) == 1 and form.terms == ((dims[0], 1),)
        if extent > 1 and not whole:
            break
    return tuple(run)


def _border(kernel: Kernel, pixels: Sequence[int]) -> int:
    """Return the number of windows of a line of pixels that are partly outside of the image."""
    image, long = kernel.inputs[0], [d for d in pixels if kernel.bounds[d] > 1]
    if image.fill is None or not long:
        return 0
    along, outside = long[-1], 0
    for expr, extent in zip(image.map.results, shape_of(image.value), strict=True):
        form = linear(expr)
        stride = dict(form.terms).get(along, 0)
        if stride > 0:
            low, high = form.without(along).interval(kernel.bounds)
            first, end = -(low // stride), (extent - 1 - high) // stride + 1
            inside = min(end, kernel.bounds[along]) - max(first, 0)
            outside = kernel.bounds[along] - max(inside, 0)
    return outside


def _epilogue(kernel: Kernel) -> Work:
    """Return the work of an output's epilogue, its operands' loads and the load of an earlier sum included."""
    block = kernel.epilogue
    loads = sum(is_shaped(access.value) for access in kernel.extras) if block is not None else 0
    again = sum(initial is None for each in kernel.reductions for initial in each.initial)
    return work_of(block).plus(Work(loads + again))


def block_cycles(features: int, pixels: int, products: int, *, rows: int = 1, more: float = 0) -> float:
    """
    Return the cycles of a block of `features` x `pixels` sums of `products` products, without an epilogue.

    The products lie in `rows` rows of a window; each step takes `more` cycles besides loads and products.
    """
    wait = 1 if pixels == 1 else 0
    words = rows * -(-products // (rows * WORD))
    steps = words * (features + pixels + features * pixels + wait + more)
    return steps + (rows - 1) * (features + pixels + TAP_ROW) + BLOCK + BLOCK_OUTPUT * features * pixels


def copied_bytes(product: Product, bounds: Sequence[int]) -> int:
    """Return the bytes of the windows of a block of pixels, each rounded up to words."""
    return pixels_of_block(product, bounds) * -(-prod(bounds[d] for d in product.reduced) // WORD) * WORD


def pixels_of_block(product: Product, bounds: Sequence[int]) -> int:
    """Return the pixels of the largest block."""
    *_, along = [PIXELS, *(bounds[d] for d in product.pixels)]
    return min(along, PIXELS)


class Simd:
    """
    A product, or a tile of it, computed from words in blocks of `features` output channels x 2 pixels.

    `step` are the cycles of a step besides loads and products. With `copies`, what does not are contiguous is copied;
    with `im2col` windows are, wherever they lie.
    """

    def __init__(
        self,
        product: Product,
        bounds: tuple[int, ...],
        *,
        features: int,
        step: float,
        copies: bool,
        im2col: bool = False,
        rates: Rates = _RATES,
    ):
        self._product, self._bounds, self._im2col = product, bounds, im2col
        self._widest, self._step, self._copies = features, step, copies
        self._epilogue = product.epilogue.total(rates)
        self._products = prod(bounds[d] for d in product.reduced)
        self._features = prod(bounds[d] for d in product.features)
        self._run = product.first.run_length(bounds)
        self._in_place = self._is_long(self._run) and not im2col
        self._rows = self._products // self._run if self._in_place else 1
        self._transposed = not self._is_long(product.second.run_length(bounds))

    @property
    def is_possible(self) -> bool:
        """Return whether the operands lie as the blocks read them, or may be copied."""
        return self._copies or ((self._in_place or self._im2col) and not self._transposed)

    def cycles(self, cores: int, contention: float) -> float:
        """Return the cycles of the busiest core."""
        form = replace(self._product, border=0) if self._im2col else self._product
        lines, pairs, singles = form.line(self._bounds)
        pair, single = self._unit(PIXELS), self._unit(1)
        pair_share, single_share = self._share(PIXELS, cores), self._share(1, cores)
        mine, turns = min(
            (-(-lines // cores) * (pairs * pair + singles * single), lines),
            (lines * (-(-pairs // cores) * pair + singles * single_share), max(pairs, 1)),
            (lines * (pairs * pair_share + singles * single_share), -(-self._features // self._widest)),
        )
        active = -(-turns // -(-turns // cores))
        pixels, widest = PIXELS if pairs else 1, min(self._widest, self._features)
        beside = widest * pixels * self._epilogue / self._block(widest, pixels)
        density = (1 - beside) * self._density(widest, pixels)
        return START[pixels] + self._transpose(cores) + mine * slowdown(contention, density, active)

    def _density(self, features: int, pixels: int) -> float:
        """Return the accesses of a core in each cycle of a block's steps."""
        return (features + pixels) / (features + pixels + features * pixels)

    def _unit(self, pixels: int) -> float:
        """Return the cycles of one or two pixels."""
        full, rest = divmod(self._features, self._widest)
        total = full * self._block(self._widest, pixels) + (self._block(rest, pixels) if rest else 0)
        return self._copy(pixels) + PAIR * (pixels - 1) + total

    def _share(self, pixels: int, cores: int) -> float:
        """Return the work of the busiest core on one or two pixels whose blocks are shared."""
        if self._features <= self._widest:
            return self._unit(pixels)
        blocks = -(-self._features // self._widest)
        return self._copy(pixels) + PAIR * (pixels - 1) + -(-blocks // cores) * self._block(self._widest, pixels)

    def _block(self, features: int, pixels: int) -> float:
        """Return the cycles of a block with its epilogue."""
        more = self._step + self._misaligned(features, pixels)
        sums = block_cycles(features, pixels, self._products, rows=self._rows, more=more)
        return sums + features * pixels * self._epilogue

    def _misaligned(self, features: int, pixels: int) -> float:
        """
        Return the number of misaligned words of a step: those of rows that do not begin with words.

        Where rows have rests, which words that end with them give, the masks of these count too.
        """
        if self._im2col:
            misaligned = sum(feature * self._products % WORD > 0 for feature in range(features))
            return misaligned + _masks(features, self._products)
        first, second = self._product.first, self._product.second
        pixel = self._bounds[first.run[0]] if first.run and self._in_place else WORD
        feature = WORD if self._transposed else second.run_length(self._bounds)
        masks = _masks(features, self._run) if self._in_place else 0
        return (pixels if pixel % WORD else 0) + (features if feature % WORD else 0) + masks

    def _is_long(self, run: int) -> bool:
        return run >= WORD or run == self._products

    def _copy(self, pixels: int) -> float:
        """Return the cost of making the windows of pixels contiguous (im2col)."""
        if self._in_place:
            return 0
        if self._im2col:
            return pixels * self._window()
        loops = [self._bounds[d] for d in self._product.reduced if self._bounds[d] > 1]
        rows = self._products // max(self._run, *loops[-1:], 1)
        whole_words = self._run % WORD == 0
        moved = self._products / WORD * COPY_WORD if whole_words else self._products * COPY_BYTE
        return pixels * (moved + rows * COPY_ROW)

    def _window(self) -> float:
        """Return the cost of copying a window; a share of them is partly padding."""
        rows, (words, rest) = self._products // self._run, divmod(self._run, WORD)
        channels = self._bounds[self._product.first.run[0]] if self._product.first.run else 1
        split = (channels % WORD > 0) + (self._run % WORD > 0)
        moved = rows * (COPY_ROW + words * (COPY_WORD + split) + rest * COPY_BYTE)
        lines, pairs, singles = self._product.line(self._bounds)
        over = self._product.border_of(self._bounds) / max(PIXELS * pairs + singles, 1) if lines else 0
        return COPY_WINDOW + moved + over * -(-self._products // WORD)

    def _transpose(self, cores: int) -> float:
        """Return the cost of storing the second operand along the reduced loops."""
        if not self._transposed:
            return 0
        elements = prod(self._bounds[d] for d in self._product.second.dims)
        return START[1] + ceil(elements / cores) * COPY_BYTE


def _masks(features: int, run: int) -> float:
    """Return the cycles to mask the rests of rows of weights, spread over the words of a row."""
    return features / -(-run // WORD) if run % WORD and run > WORD else 0


def plain_block_cycles(
    product: Product, bounds: tuple[int, ...], cores: int, *, contention: float, rates: Rates = _RATES
) -> float:
    """
    Return the cycles of a product in plain C, in blocks of 2 x 2 outputs.

    For each product a block loads 4 bytes and steps their pointers, multiplies 4 times in 2 cycles, adds 4 times, and
    branches: 23 cycles. Starting and storing it takes 15, a pair of pixels 22. Fitted to one core, exact there.
    """
    lines, pairs, singles = product.line(bounds)
    blocks = -(-prod(bounds[d] for d in product.features) // PLAIN_BLOCK)
    products = prod(bounds[d] for d in product.reduced)
    block = 23 * products + 15 + PLAIN_BLOCK**2 * product.epilogue.total(rates)
    counts = [lines, pairs + singles, blocks]
    mine = share(counts, cores)
    lines, units, blocks = (mine.turns if loop == mine.loop else count for loop, count in enumerate(counts))
    return 87 + lines * units * (blocks * block + 22) * slowdown(contention, 4 / 23, mine.cores)
