"""
The kernels that the published flow links, estimated by the laws of targets/siracusa and by the instructions they take.

Deeploy (arXiv:2408.04413; pulp-platform/Deeploy, TargetLibraries/PULPOpen and Targets/PULPOpen/Templates) calls PULP-NN
(pulp-platform/pulp-nn-mixed, XpulpV2/32bit) for convolutions, matrix products and additions, and C of its own for the
rest. The model has their partition of work among cores and their loops; the costs of a block of products, a copy or an
instruction are the laws that were fitted to micro-benchmarks (docs/siracusa-costs.md). Nothing was fitted to a network.
Costs are those of the busiest core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tilewright.targets.siracusa.cost.kernels import slowdown
from tilewright.targets.siracusa.cost.loops import AROUND
from tilewright.targets.siracusa.cost.products import (
    COPY_BYTE,
    COPY_ROW,
    COPY_WORD,
    START,
    WORD,
    block_cycles,
)

CONTENTION = 0.6
"""What eight cores lose that access a bank in every cycle: `contention` of machine.toml."""
CALL = 10
"""A call and its return, with what they save."""
TEST = 8
"""Comparing a tap's row and column with the borders of the image: four compares and branches that are not taken."""
QUANTISE = 6
"""pulp_nn_bn_quant: two loads, a wait, p.mac, a shift, p.clip."""
NOPS = 3 * 5 - 2
"""The loop over an instruction that does nothing before each row of a product (GEMMTemplate)."""
BARRIER = 5
"""A barrier of the cores, with which pulp_nn_linear and gemv_s8_s8_plp end."""
REFILL = 2
"""
Cycles to fetch a line of 16 bytes from the cores' shared instruction cache into a core's own, which has 8 sets of 4
lines that are replaced at random (GVSoC, siracusa/cluster.json: `l0`). What a loop runs through beyond these 512 bytes
is fetched again and again: 512 bytes in a row take 314 cycles, not 256, when the shared cache has them.
"""
ROW, PAIRS = 90, 24 + 20 * REFILL
"""
A call of pulp_nn_linear for a row, counted in what clang -O3 makes of the same C for rv32im, with p.mac, p.clip and
hardware loops: twelve arguments, four of them on the stack, and the loop around take 27; saving 13 registers and
finding the core's share 40; its end 23. The loop over pairs of features needs 24 before it; of the 41 lines of code of
such a row 20 are fetched again, as simulated with these addresses.
"""
TWO_FEATURES, ONE_FEATURE = 38, 37 + 8 * REFILL
"""
Two features or a single last one, besides the products of words: what is asked of bias, tail and flags, pointers,
quantisation, stores. Of the 35 lines of a row of a single feature 8 are fetched again.
"""
MATRICES = 106 + 100 * REFILL
"""
A call of pulp_nn_matmul for two pixels, counted alike: thirteen arguments, of which most have to be loaded, 30; saving
registers 29; what its loop needs 25; its end 22. With the copies before it runs through 71 lines, and blocks through
some of them again and again: 93 to 110 are fetched for 16 to 64 channels.
"""
DIVISION = 33


class Work(NamedTuple):
    """Work of the busiest core: cycles with all operands in L1, and the number of accesses among them."""

    cycles: float = 0.0
    accesses: float = 0.0

    def plus(self, other: Work, times: float = 1) -> Work:
        """Return the sum of this work and a multiple of the other."""
        return Work(self.cycles + times * other.cycles, self.accesses + times * other.accesses)

    def contended(self, cores: int) -> Work:
        """Return the work with what conflicts for banks add where so many cores do the like."""
        density = self.accesses / self.cycles if self.cycles else 0.0
        return Work(self.cycles * slowdown(CONTENTION, density, cores), self.accesses)


def chunk(count: int, cores: int) -> int:
    """Return the share of the busiest core, where each takes as many, rounded up."""
    return -(-count // cores)


def sums(features: int, pixels: int, products: int) -> Work:
    """Return the loops over the products of a block; those that fill no word are done one by one."""
    words, rest = divmod(products, WORD)
    wait = int(pixels == 1)  # for the word that it has loaded last
    cycles = block_cycles(features, pixels, words * WORD, more=wait) - block_cycles(features, pixels, 0)
    tail = rest * (features + pixels + features * pixels + 4)
    return Work(cycles + tail, (words + rest) * (features + pixels))


def block(features: int, pixels: int, products: int) -> Work:
    """Return a block of sums with its quantisation."""
    outputs = features * pixels
    other = Work(block_cycles(features, pixels, 0) + QUANTISE * outputs, 3 * outputs)
    return sums(features, pixels, products).plus(other)


def copy(count: int) -> Work:
    """Return the work of copying a row of bytes, by words and the rest by bytes."""
    words, rest = divmod(count, WORD)
    return Work(COPY_ROW + words * COPY_WORD + rest * COPY_BYTE, 2 * (words + rest))


@dataclass(frozen=True)
class Window:
    """
    A convolution or pooling of an image of `height` x `width` x `channels` by `taps` (rows, columns).

    `pads` are top, left, bottom, right; `out` the rows and columns of the result.
    """

    height: int
    width: int
    channels: int
    features: int
    taps: tuple[int, int]
    strides: tuple[int, int]
    pads: tuple[int, int, int, int]
    out: tuple[int, int]

    @property
    def products(self) -> int:
        """The products of an output of a convolution."""
        return self.channels * self.taps[0] * self.taps[1]


def convolution(window: Window, cores: int) -> Work:
    """pulp_nn_conv: windows are copied, two at a time multiplied; rows are shared, or halves of rows."""
    finished = max((_lines(window, *part) for part in _parts(window.out, cores)), key=lambda work: work.cycles)
    return finished.contended(cores)


def _parts(out: tuple[int, int], cores: int) -> Iterator[tuple[range, range]]:
    """Yield the partition of the output into rows and columns of each core."""
    rows, columns = out
    halves = 2 if rows % cores and columns > 1 and cores > 1 else 1
    share = chunk(rows, cores // halves)
    for core in range(cores):
        start = min(share * (core // halves), rows)
        middle = columns // halves
        across = range(middle) if core % halves == 0 and halves > 1 else range(middle if halves > 1 else 0, columns)
        yield range(start, min(start + share, rows)), across


def _lines(window: Window, rows: range, columns: range) -> Work:
    """Return the work of a core on its rows and columns."""
    full, rest = divmod(window.features, 4)
    pair = Work(MATRICES).plus(block(4, 2, window.products), full).plus(block(1, 2, window.products), rest)
    single = Work(0).plus(block(1, 1, window.products).plus(Work(3)), window.features)
    top, left, bottom, right = window.pads
    inner_rows = _overlap(rows, range(top, window.out[0] - bottom))
    inner = _overlap(columns, range(left, window.out[1] - right))
    line = Work(AROUND).plus(pair, len(columns) // 2).plus(single, len(columns) % 2)
    inside, border = (_copied(window, inside=inside) for inside in (True, False))
    total = Work(START[2]).plus(line, len(rows)).plus(inside, inner_rows * inner)
    return total.plus(border, len(rows) * len(columns) - inner_rows * inner)


def _overlap(first: range, second: range) -> int:
    return max(0, min(first.stop, second.stop) - max(first.start, second.start))


def _copied(window: Window, *, inside: bool) -> Work:
    """Return the copying of one window: row by row inside of the image, else tap by tap."""
    rows, columns = window.taps
    if inside:
        return Work(TEST).plus(copy(window.channels * columns).plus(Work(CALL)), rows)
    return Work(TEST).plus(copy(window.channels).plus(Work(CALL + TEST)), rows * columns)


def depthwise(window: Window, cores: int) -> Work:
    """pulp_nn_depthwise: channels are shared; of each, a column of windows is copied, then multiplied one by one."""
    rows, columns = window.taps
    padded = window.height + window.pads[0] + window.pads[2]
    words = -(-columns // WORD)
    column = Work(COPY_ROW + words * (COPY_WORD + 1), 2 * words)  # most words of a plane's rows are not aligned
    taps = rows * columns
    output = block(1, 1, taps).plus(Work(taps // WORD + AROUND))
    strip = Work(2 * AROUND).plus(column, padded).plus(output, window.out[0])
    plane = Work(AROUND).plus(strip, window.out[1])
    return Work(START[1]).plus(plane, chunk(window.features, cores)).contended(cores)


ProductKernel = Literal["vectors", "tall", "matrix"]


@dataclass(frozen=True)
class Product:
    """Matrix products: `batch` of [rows, depth] x [depth, features]. A tile has the kernel of the whole."""

    batch: int
    rows: int
    depth: int
    features: int
    is_signed: bool = True
    kernel: ProductKernel | None = None


def product_kernel(shape: Product) -> ProductKernel:
    """Return the kernel that the flow takes for requantised products, by the whole (Targets/PULPOpen/Parsers.py)."""
    if shape.rows == 1 and shape.batch >= 8 and shape.is_signed:
        return "vectors"
    tall = shape.batch < 8 and shape.rows >= 8 and shape.rows % 8 < shape.features % 8
    return "tall" if tall and shape.is_signed else "matrix"


def product(shape: Product, cores: int) -> Work:
    """A requantised product, two features at a time: matrices or rows are shared, or the features of each row."""
    kernel = shape.kernel or product_kernel(shape)
    if kernel == "vectors":
        return _vectors(shape, chunk(shape.batch, cores)).contended(cores)
    if kernel == "tall":
        return _vectors(shape, shape.batch * chunk(shape.rows, cores)).contended(cores)
    mine = chunk(shape.features, cores)
    row = Work(NOPS).plus(_row(mine, shape.depth))
    return Work(0).plus(row, shape.batch * shape.rows).contended(chunk(shape.features, mine))


def _vectors(shape: Product, count: int) -> Work:
    """Return `count` products of a vector and a matrix on one core."""
    return Work(START[1]).plus(_row(shape.features, shape.depth), count)


def _row(features: int, depth: int) -> Work:
    """Return a product of a vector and the features of a core."""
    pairs, rest = divmod(features, 2)
    two, one = (Work(cycles, 3 * n) for n, cycles in ((2, TWO_FEATURES), (1, ONE_FEATURE)))
    before = Work(ROW + BARRIER + (PAIRS if pairs else 0))
    return before.plus(sums(2, 1, depth).plus(two), pairs).plus(sums(1, 1, depth).plus(one), rest)


def elements(count: int, each: Work, cores: int) -> Work:
    """Return a loop over elements that are shared."""
    return Work(START[1]).plus(each, chunk(count, cores)).contended(cores)


REQUANTISE = Work(17, 2)
"""
UniformRequantShift: a load, two offsets, a product of 2, a sum, the rounding, a shift, two bounds, a store; for two
elements three loads of a volatile size from the stack with their waits and sums, and a branch.
"""
ADD = Work(19, 3)
"""pulp_nn_add: two loads, a sum, three times a product of 2, a sum, a shift and a clip; a store."""
MULTIPLY = Work(7, 3)
"""Two loads, a wait, a product of 2 that the store waits for, a store, and its pointer."""
SWISH = Work(17, 2)
"""RQiHardswish: a load, a sum, two bounds, three products of 2 or 3, two sums, a shift, a clip, a store."""
SOFTMAX = Work(4 + 2 * DIVISION + 18 + 5, 5)
"""iSoftmax: the largest, a division and 18 instructions for the exponential, a division and 5 for the share."""


def softmax(rows: int, length: int, cores: int) -> Work:
    """PULPSoftmax: rows are shared; the last core takes what is left over."""
    mine = rows - (cores - 1) * (rows // cores)
    return Work(START[1]).plus(Work(3 * AROUND).plus(SOFTMAX, length), mine).contended(cores)


def norm(rows: int, length: int, cores: int) -> Work:
    """iRMSnorm: every core sums up a whole row and seeks its root by halving; elements of a row are shared."""
    sums = Work(3, 1)
    root = Work(8 * 14)
    element = Work(DIVISION + 11, 3)
    row = Work(DIVISION + AROUND).plus(root).plus(sums, length).plus(element, chunk(length, cores))
    return Work(START[1]).plus(row, rows).contended(cores)


def transpose(shape: tuple[int, ...], cores: int) -> Work:
    """A loop nest over `shape`, the result's: a load, a wait, a store an element; the first long loop is shared."""
    long = next((extent for extent in shape if extent >= 8), max(shape))
    count = 1
    for extent in shape:
        count *= extent
    mine = count // long * chunk(long, cores)
    around = mine / max(1, shape[-1]) * AROUND
    return Work(START[1] + around).plus(Work(5, 2), mine).contended(cores)


def concatenate(pieces: int, lengths: tuple[int, ...]) -> Work:
    """Calls of memcpy, which cores do not share."""
    each = Work(0)
    for length in lengths:
        each = each.plus(copy(length).plus(Work(2 * CALL)))
    return Work(START[1]).plus(each, pieces)


def maximum(window: Window, cores: int) -> Work:
    """pulp_nn_maxpool: words of channels along rows, then along columns, 4 cycles for each tap; rows are shared."""
    words = -(-window.channels // WORD)
    along = chunk(window.height, cores) * window.out[1] * words * window.taps[1]
    down = chunk(window.out[0], cores) * window.out[1] * words * window.taps[0]
    return Work(START[1] + 4.0 * (along + down), 2.0 * (along + down))
