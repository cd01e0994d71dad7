"""
Depthwise convolutions of bytes on the cores: a row of a window is a word, multiplied with weights by `sdotsp.b`.

From one pixel to the next, the word is shifted by the stride, and the new bytes are loaded and inserted. A row takes 2
cycles, and 3 for each new byte: 15 for a 3x3 window, stride 1. The weights stay in registers. Fitted to the layers of
MobileNet with stride 1 on one core of GVSoC, which took 0.91 to 1.04 of this. Those with stride 2 and of DS-CNN, to
which nothing was fitted, took 0.93 to 1.09.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ....dialects.core.analysis.affine_form import linear
from ....dialects.core.kernel import Access, Kernel, per_kernel
from .kernels import share, slowdown
from .loops import AROUND, START
from .products import Product, product_of
from .scalar import Rates

PIXELS = 8
"""Pixels of a row per block."""
LARGEST = 4
"""Maximum rows of a window, and taps of a row."""
DENSITY = 0.5
"""Accesses of a core in each cycle. It has 0.4; of few banks at once, since pixels are whole channels apart."""
FETCHED = 128
"""Cycles to fetch the code of all borders again for a channel, beside seven other cores."""
UNROLLED, LOOP = 4, 5
"""Outputs of a block that are unrolled, and cycles of the loop over more of them for each: pointers and a branch."""
OUTPUT = 3
"""Cycles of an output: store and load of the sum, store of the result."""
ROW, BYTE = 2, 3
"""Cycles of a row of a window for each pixel, and for each new byte in it."""


@dataclass(frozen=True)
class Windows:
    """
    Depthwise convolution: its loops over channels and other outputs, rows, the pixels of a row, and taps.

    `rows` and `tap_rows` are -1 for a convolution along one axis. `fresh` is the number of taps that a window does not
    share with the previous one.
    """

    product: Product
    outer: tuple[int, ...]
    rows: int
    pixels: int
    tap_rows: int
    taps: int
    fresh: int


@per_kernel
def windows_of(kernel: Kernel) -> Windows | None:
    """Match a kernel as a depthwise convolution with contiguous channels; None for others."""
    product = product_of(kernel)
    if product is None or not product.is_signed or any(kernel.bounds[d] > 1 for d in product.features):
        return None
    taps = [d for d in product.reduced if kernel.bounds[d] > 1]
    if not 1 <= len(taps) <= 2 or len(product.pixels) < len(taps) or any(kernel.bounds[d] > LARGEST for d in taps):
        return None
    image = kernel.inputs[0]
    channels = [linear(expr) for expr in image.map.results][-1]
    if any(d in channels.dims() for d in (*product.pixels, *taps)):
        return None
    rows, pixels = ([-1, *product.pixels])[-2:] if len(taps) == 2 else (-1, product.pixels[-1])
    outer = tuple(d for d in range(len(kernel.bounds)) if d not in kernel.reduced and d not in (rows, pixels))
    tap_rows, along = [-1, *taps][-2:]
    return Windows(product, outer, rows, pixels, tap_rows, along, _fresh(image, pixels, along, kernel.bounds[along]))


def _fresh(image: Access, pixel: int, tap: int, taps: int) -> int:
    """Return the number of taps of a row that are not in the previous pixel's window."""
    for expr in image.map.results:
        terms = dict(linear(expr).terms)
        if pixel in terms and tap in terms and terms[pixel] % terms[tap] == 0:
            return min(terms[pixel] // terms[tap], taps)
    return taps


def window_cycles(windows: Windows, bounds: tuple[int, ...], cores: int, *, contention: float, rates: Rates) -> float:
    """Estimate the cycles of the busiest core for a depthwise convolution, or a tile of it."""
    rows = bounds[windows.rows] if windows.rows >= 0 else 1
    extents = [prod(bounds[d] for d in windows.outer), rows]
    mine = share(extents, cores)
    outer, rows = (mine.turns if loop == mine.loop else extent for loop, extent in enumerate(extents))
    whole, clipped = _whole_and_clipped(windows, bounds)
    output = OUTPUT + windows.product.epilogue.total(rates)
    blocks, rest = divmod(whole, PIXELS)
    line = blocks * _block(windows, bounds, PIXELS, output) + (_block(windows, bounds, rest, output) if rest else 0)
    line += clipped * _block(windows, bounds, 1, output, clipped=True)
    cycles = outer * rows * (line + AROUND) + outer * AROUND
    fetched = outer * FETCHED * (mine.cores - 1) / 7
    return START + cycles * slowdown(contention, DENSITY, mine.cores) + fetched


def _whole_and_clipped(windows: Windows, bounds: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of pixels of a row whose windows are in bounds, and of those that reach into the padding."""
    pixels, product = bounds[windows.pixels], windows.product
    border = product.border if pixels == product.whole[windows.pixels] else 0
    return pixels - border, border


def _block(windows: Windows, bounds: tuple[int, ...], pixels: int, output: float, *, clipped: bool = False) -> float:
    """Return the cycles of a block of pixels with `output` cycles for each; a clipped window has one tap less."""
    taps = bounds[windows.taps] - (1 if clipped else 0)
    rows = bounds[windows.tap_rows] * windows.product.rows_share_of(bounds) if windows.tap_rows >= 0 else 1
    fresh = windows.fresh if pixels > 1 else taps
    each = ROW + BYTE * fresh if fresh < taps else 1 + _joined(taps)
    loop = LOOP if pixels > UNROLLED else 0
    return rows * BYTE * (taps - fresh) + pixels * (rows * each + output + loop)


def _joined(taps: int) -> int:
    """Return the cycles of loading bytes into a word; the first needs no shift."""
    return BYTE * taps - 2
