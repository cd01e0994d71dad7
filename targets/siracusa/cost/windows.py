"""
Depthwise convolutions of bytes on the cores: the geometry of their loops, and what these take.

**Lines.** A core gathers the lines of one channel that a band of output rows reads into a buffer of its own, with zeros
for padding, and every `dilation`-th column of them: the taps of a row are contiguous bytes. Pixels whose windows begin
at columns of one phase share such lines; there are `dilation / gcd(dilation, stride)` phases.

**Words.** Blocks of 8 pixels read the lines by aligned words. The weights of a row are spread before, for each place of
a word at which a window may begin, with zeros around: 4 places with stride 1, 2 with stride 2. So a word of pixels is
loaded once, and takes a product for each pixel and word that its window shares. A 5 x 5 window with stride 1 takes 27
cycles a row of 8 pixels: 8 words of weights, 3 of pixels, 16 products; 17 for each output.

Counted in the instructions of clang -O3 for `tw_window_words`, `tw_im2col` and `tw_spread_weights`, and compared with
layers on one core and on eight of GVSoC (docs/siracusa-costs.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import ceil, gcd, prod
from typing import NamedTuple

from ....dialects.core.kernel import Access, Kernel, per_kernel
from ....ir import shape_of
from ....passes.annotate_unrolling import FACTOR, is_peeled
from .kernels import share, slowdown
from .loops import AROUND, BRANCH, START
from .products import WORD, ProductCost, product_of
from .scalar import MEMOISED, Rates, size_of

PIXELS = 8
"""Pixels of a row per block: their sums, and the spread weights of a row, fit the registers of a core."""
BANDS = 8
"""Bands of different heights to consider, as many as cores."""
DENSITY = 0.4
"""Accesses of a core in each cycle."""
FETCHED = 40
"""Cycles to fetch the code of all blocks again for a channel, beside seven other cores."""
BLOCK, OUTPUT = 4, 2
"""Cycles of a block besides its rows and outputs; and of an output, whose sum is cleared and whose result is stored."""
POINTERS = 2
"""Cycles to step the pointers of an output: to its sum, and to where it is stored."""
UNROLLED, TURN = 3, 5
"""Rows of a window that are unrolled, and cycles of the loop over more of them for each: two pointers and a branch."""
GATHER, GATHER_ROW, GATHER_LINES, DIVISIONS = 2, 10, 20, 70
"""Cycles to gather a byte, a line, and those of a band besides; dilated columns divide for their ends."""
CLEAR = 0.25
"""Cycles to clear a byte of the lines."""
SPREAD, SPREAD_BYTE = 2, 2
"""Cycles of a spread word of weights, and of a byte of weights that is no part of a whole word."""


@dataclass(frozen=True)
class WindowAxis:
    """
    Spatial axis of the image: its loops over pixels and taps, and where they read.

    Pixel p and tap t read position `p * stride + t * dilation - pad` of the axis number `axis`, of `extent` positions.
    """

    pixels: int
    taps: int
    axis: int
    stride: int
    dilation: int
    pad: int
    extent: int


class Lines(NamedTuple):
    """
    Blocking of a depthwise convolution.

    A band is `rows` rows of `pixels` outputs of one phase; it reads `height` lines of `width` gathered bytes.
    """

    rows: int
    pixels: int
    height: int
    width: int


@dataclass(frozen=True)
class DepthwiseCost:
    """
    Depthwise convolution: its loops over channels and images, and its axes; `rows` is None along one axis.

    `size` are the instructions of an output after its sum, by which clang unrolls the loop over the outputs of a block,
    and `branches` that some are seldom executed.
    """

    product: ProductCost
    outer: tuple[int, ...]
    rows: WindowAxis | None
    columns: WindowAxis
    size: int = 0
    branches: bool = False

    @property
    def phases(self) -> int:
        """Phases of the columns at which windows begin."""
        return self.columns.dilation // gcd(self.columns.dilation, self.columns.stride)

    @property
    def step(self) -> int:
        """Gathered columns from one pixel of a phase to the next."""
        return self.columns.stride // gcd(self.columns.dilation, self.columns.stride)

    def taps(self, bounds: Sequence[int]) -> tuple[int, int]:
        """Return the rows of a window and the taps of a row."""
        return bounds[self.rows.taps] if self.rows else 1, bounds[self.columns.taps]

    def lines(self, rows: int, pixels: int, bounds: Sequence[int]) -> Lines:
        """Return the blocking with bands of `rows` x `pixels` outputs."""
        tap_rows, taps = self.taps(bounds)
        stride, dilation = (self.rows.stride, self.rows.dilation) if self.rows else (1, 1)
        height = (rows - 1) * stride + (tap_rows - 1) * dilation + 1
        return Lines(rows, pixels, height, -(-((pixels - 1) * self.step + taps) // WORD) * WORD)


@per_kernel
def windows_of(kernel: Kernel) -> DepthwiseCost | None:
    """Match a kernel as a depthwise convolution along one or two axes; None for others."""
    product = product_of(kernel)
    if product is None or not product.is_depthwise:
        return None
    _, *taps = product.reduced
    image = kernel.inputs[0]
    axes = [_axis(image, number, taps, kernel) for number in range(len(image.map.results))]
    spatial = [axis for axis in axes if axis is not None]
    if not 1 <= len(taps) <= 2 or [axis.taps for axis in spatial] != taps:
        return None
    rows, columns = [None, *spatial][-2:]
    own = {axis.pixels for axis in spatial} | kernel.reduced
    assert columns is not None
    outer = tuple(d for d in range(len(kernel.bounds)) if d not in own)
    size, branches = size_of(kernel.epilogue) if kernel.epilogue is not None else (0, False)
    return DepthwiseCost(product, outer, rows, columns, size + OUTPUT, branches)


def _axis(image: Access, number: int, taps: Sequence[int], kernel: Kernel) -> WindowAxis | None:
    """Return an axis of the image with a loop of taps and one of pixels; None for others."""
    form = image.forms[number]
    terms = dict(form.terms)
    dims = [atom for atom in terms if isinstance(atom, int)]
    tap = [dim for dim in dims if dim in kernel.reduced]
    pixel = [dim for dim in dims if dim not in kernel.reduced]
    if form.divides or len(tap) != 1 or len(pixel) != 1 or tap[0] not in taps:
        return None
    extent = shape_of(image.value)[number]
    return WindowAxis(pixel[0], tap[0], number, terms[pixel[0]], terms[tap[0]], -form.constant, extent)


def places(step: int) -> range:
    """Return the places of a word at which windows `step` bytes apart begin."""
    return range(0, WORD, gcd(step, WORD))


def spread_words(step: int, taps: int) -> int:
    """Return the words of the spread weights of a row."""
    return sum(-(-(place + taps) // WORD) for place in places(step))


def lines_of(windows: DepthwiseCost, bounds: tuple[int, ...], cores: int, most_bytes: int) -> Lines | None:
    """
    Return the blocking with the fewest modelled cycles; None if no block fits `most_bytes` bytes.

    The loops (`lower_depthwise`) and their cost both take it from here.
    """
    blockings = list(_blockings(windows, bounds, most_bytes))
    return min(blockings, key=lambda lines: _work(windows, bounds, lines, cores, 0.0).cycles, default=None)


def is_resident(windows: DepthwiseCost, lines: Lines, bounds: Sequence[int]) -> bool:
    """Return whether the lines of a band are those of a whole channel."""
    return prod(_parts(windows, lines, bounds)) == 1


def _parts(windows: DepthwiseCost, lines: Lines, bounds: Sequence[int]) -> list[int]:
    """Return the number of phases, of strips in each, and of bands."""
    rows, pixels = bounds[windows.rows.pixels] if windows.rows else 1, bounds[windows.columns.pixels]
    line = -(-pixels // windows.phases)
    return [min(windows.phases, pixels), -(-line // lines.pixels), -(-rows // lines.rows)]


def _blockings(windows: DepthwiseCost, bounds: Sequence[int], most_bytes: int) -> Iterator[Lines]:
    """Yield blockings that fit: strips of whole blocks of pixels, and for each the highest bands."""
    tap_rows, taps = windows.taps(bounds)
    left = most_bytes - tap_rows * spread_words(windows.step, taps) * WORD
    rows = bounds[windows.rows.pixels] if windows.rows else 1
    line = -(-bounds[windows.columns.pixels] // windows.phases)
    heights = sorted({-(-rows // bands) for bands in range(1, rows + 1)}, reverse=True)
    for pixels in sorted({min(line, -(-line // (strips * PIXELS)) * PIXELS) for strips in range(1, line + 1)}):
        blockings = (windows.lines(height, pixels, bounds) for height in heights)
        yield from islice((lines for lines in blockings if lines.height * lines.width <= left), BANDS)


class _Work(NamedTuple):
    """Of the busiest core: cycles without conflicts, and channels; and the active cores."""

    cycles: float
    channels: float
    cores: int


def _work(windows: DepthwiseCost, bounds: Sequence[int], lines: Lines, cores: int, epilogue: float) -> _Work:
    outer = prod(bounds[d] for d in windows.outer)
    rows = bounds[windows.rows.pixels] if windows.rows else 1
    line = -(-bounds[windows.columns.pixels] // windows.phases)
    parts = _parts(windows, lines, bounds)
    # Channels of a group are a loop in that of groups, of which the cores share one.
    extents = [*(bounds[d] for d in windows.outer), *parts]
    mine = share(extents, cores)
    part = mine.trips / extents[mine.loop] if mine.loop >= 0 else 1.0
    blocks, rest = divmod(line, PIXELS)
    row = AROUND + blocks * (_block(windows, bounds, PIXELS) + _stepping(windows, PIXELS))
    row += _block(windows, bounds, rest) + _stepping(windows, rest) if rest else 0
    bands = prod(parts) * (_gather(windows, lines, clears=prod(parts) > 1) + AROUND)
    every = bands + parts[0] * rows * (row + line * (OUTPUT + epilogue))
    tap_rows, taps = windows.taps(bounds)
    spread = tap_rows * (spread_words(windows.step, taps) * SPREAD + taps % WORD * SPREAD_BYTE) + AROUND
    channels = outer * (part if mine.loop < len(windows.outer) else 1)
    return _Work(outer * part * every + channels * spread, channels, mine.cores)


def _stepping(windows: DepthwiseCost, pixels: int) -> float:
    """Return the cycles of pointers and branches of the loop over the outputs of a block."""
    if is_peeled(pixels, windows.size):
        return 0
    is_unrolled = pixels == 2 * FACTOR and not windows.branches
    return pixels / (FACTOR if is_unrolled else 1) * (POINTERS + BRANCH)


def _gather(windows: DepthwiseCost, lines: Lines, *, clears: bool) -> float:
    """Return the cycles to gather the lines of a band, the padding of which may have to be cleared."""
    columns, rows = windows.columns, windows.rows
    inside = min(lines.width, ceil(columns.extent / columns.dilation))
    height = min(lines.height, rows.extent if rows else 1)
    has_padding = inside * height < lines.height * lines.width
    clear = CLEAR * lines.height * lines.width if clears and has_padding else 0
    ends = DIVISIONS if columns.dilation > 1 else 0
    return GATHER_LINES + ends + height * (GATHER_ROW + GATHER * inside) + clear


@lru_cache(maxsize=MEMOISED)
def _products(step: int, taps: int, pixels: int) -> int:
    """Return the products, and the loads of words, of a row of the windows of a block."""
    words = -(-((pixels - 1) * step + taps) // WORD)
    used = {pixel * step % WORD for pixel in range(pixels)}
    weights = sum(-(-(place + taps) // WORD) for place in used)
    return words + weights + sum(-(-(pixel * step % WORD + taps) // WORD) for pixel in range(pixels))


def _block(windows: DepthwiseCost, bounds: Sequence[int], pixels: int) -> float:
    """Return the cycles of the sums of a block of pixels."""
    tap_rows, taps = windows.taps(bounds)
    turn = TURN if tap_rows > UNROLLED else 0
    return BLOCK + tap_rows * (_products(windows.step, taps, pixels) + turn)


def window_cycles(
    windows: DepthwiseCost, bounds: tuple[int, ...], cores: int, *, most_bytes: int, contention: float, rates: Rates
) -> float | None:
    """Estimate the cycles of the busiest core for a depthwise convolution, or a tile of it; None if no block fits."""
    lines = lines_of(windows, bounds, cores, most_bytes)
    if lines is None:
        return None
    work = _work(windows, bounds, lines, cores, windows.product.epilogue.total(rates))
    fetched = work.channels * FETCHED * (work.cores - 1) / 7
    return START + work.cycles * slowdown(contention, DENSITY, work.cores) + fetched
