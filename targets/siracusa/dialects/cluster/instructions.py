"""Instructions of a cluster's core: sums of products of bytes, im2col, packing and unpacking, rows of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Annotated, Any, TypeAlias

import numpy as np

from .....dialects.core.instruction import (
    Const,
    ElementSize,
    Extent,
    Flag,
    Flat,
    In,
    InOut,
    Out,
    Scalar,
    Size,
    Stride,
    i8,
    i32,
    instruction,
)
from .....dialects.nn.unpack import WIDTHS, WORD, pack, packed_shape, unpack
from .....ir import Array

DOT = "tilewright_dot.h"
UNPACK = "tilewright_unpack.h"
ROWS = "tilewright_rows.h"

Pixels: TypeAlias = Annotated[int, Extent("sums", 0), range(1, 3)]
Features: TypeAlias = Annotated[int, Extent("sums", 1), range(1, 5)]
Windows: TypeAlias = Annotated[int, Extent("sums", 0), range(1, 9)]
OfX: TypeAlias = Annotated[int, Stride("x")]
OfW: TypeAlias = Annotated[int, Stride("w")]
OfOut: TypeAlias = Annotated[int, Stride("out")]
Rows: TypeAlias = Annotated[Const, range(1, 5)]
Bits: TypeAlias = Annotated[Const, WIDTHS]


@instruction("cluster.mac", c="tw_mac_i32", cycles=lambda: 1)
def mac(a: Scalar[i32], b: Scalar[i32], sum: Scalar[i32]) -> Scalar[i32]:
    """
    Product added to a sum, `sum + a * b`, which wraps around.

        %y = cluster.mac %a, %b, %sum
    """
    return a.astype(np.int64) * b + sum


@instruction("cluster.dot", c="tw_dot_block", header=DOT)
def dot(
    x: In[i8], w: In[i8], sums: Out[i32], pixels: Pixels, features: Features, x_step: OfX, x_row: OfX, x_tap: OfX,
    w_step: OfW, w_row: OfW, w_tap: OfW, rows: Size, taps: Size, elements: Size, is_signed: Flag,
    are_signed: Flag,
) -> None:  # fmt: skip
    """
    Sums of products of bytes: a few neighbouring windows of x times a few neighbouring features of w.

    A sum takes `rows` rows of `taps` stretches of `elements` contiguous elements of both. Windows are `x_step` apart,
    their rows `x_row`, the stretches of a row `x_tap`. `is_signed` is the sign of x, `are_signed` that of w.

        cluster.dot %x[%n, %h, %w, %c], %w[%f, %kh, %kw, %c], %sums, %rows, %taps, %elements
            {x_step = array<i64: 2, 1>, x_row = array<i64: 1, 2>, x_tap = array<i64: 2, 2>,
             w_step = array<i64: 0, 1>, w_row = array<i64: 1, 1>, w_tap = array<i64: 2, 1>}
            : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>, memref<2x4xi32>
    """
    windows = _numbers(x.along((pixels, x_step), (rows, x_row), (taps, x_tap), (elements, 1)), is_signed)
    weights = _numbers(w.along((features, w_step), (rows, w_row), (taps, w_tap), (elements, 1)), are_signed)
    _store(sums, "prte,frte->pf", windows, weights)


@instruction("cluster.dot_packed", c="tw_dot_packed", header=(UNPACK, DOT))
def dot_packed(
    x: In[i8], w: In[i8], sums: Out[i32], pixels: Pixels, features: Features, x_step: OfX, x_row: OfX, x_tap: OfX,
    w_step: OfW, w_row: OfW, w_tap: OfW, rows: Size, taps: Size, elements: Size, is_signed: Flag, bits: Bits,
    are_signed: Flag,
) -> None:  # fmt: skip
    """As `cluster.dot`, with stretches of w that hold numbers of 4 or 2 bits, packed as `nn.unpack` has them."""
    windows = _numbers(x.along((pixels, x_step), (rows, x_row), (taps, x_tap), (elements, 1)), is_signed)
    weights = _unpacked(w, [(features, w_step), (rows, w_row), (taps, w_tap)], elements, bits, are_signed)
    _store(sums, "prte,frte->pf", windows, weights)


def _has_dot_product(is_signed: int, are_signed: int) -> str | None:
    """Return a message for a combination of signs that no machine multiplies."""
    is_wrong = is_signed and not are_signed
    return "packed numbers with signed x and unsigned w are not supported" if is_wrong else None


@instruction("cluster.dot_narrow", c="tw_dot_narrow", header=(UNPACK, DOT), requires=[_has_dot_product])
def dot_narrow(
    x: In[i8], w: In[i8], sums: Out[i32], pixels: Pixels, features: Features, x_step: OfX, x_row: OfX, w_step: OfW,
    w_row: OfW, rows: Size, elements: Size, is_signed: Flag, bits: Bits, are_signed: Flag,
) -> None:  # fmt: skip
    """As `cluster.dot_packed` of one tap, with rows of x packed, too, and zeros in the rest of their last words."""
    elements = -(-elements * bits // 32) * 32 // bits
    windows = _unpacked(x, [(pixels, x_step), (rows, x_row)], elements, bits, is_signed)
    weights = _unpacked(w, [(features, w_step), (rows, w_row)], elements, bits, are_signed)
    _store(sums, "pre,fre->pf", windows, weights)


def spread_places(step: int, taps: int) -> list[tuple[int, int]]:
    """Return the places of a word at which windows `step` bytes apart begin, and the words that each then takes."""
    return [(place, -(-(place + taps) // WORD)) for place in range(0, WORD, gcd(step, WORD))]


@instruction("cluster.spread_weights", c="tw_spread_weights", header=DOT)
def spread_weights(
    w: In[i8], spread: Out[i8], step: Const, rows: Const, taps: Const, w_row: OfW, w_tap: OfW,
) -> None:  # fmt: skip
    """
    Spread the weights of a window's rows over words, for windows that begin `step` bytes apart.

    A row is there once for each place of a word at which a window may begin: so many zeros, its taps, zeros. With a
    step of 2 and 3 taps these are `abc0` and `00ab c000`.

        cluster.spread_weights %w[%c, %0, %0, %0], %spread[%0]
            {step = 2 : i64, rows = 3 : i64, taps = 3 : i64, w_row = array<i64: 1, 1>, w_tap = array<i64: 2, 1>}
            : memref<16x3x3x1xi8>, memref<36xi8>
    """
    places = spread_places(step, taps)
    row = WORD * sum(words for _, words in places)
    spread[: rows * row] = 0
    bytes_of_rows, first = spread.along((rows, row), (row, 1)), 0
    for place, words in places:
        bytes_of_rows[:, first + place : first + place + taps] = w.along((rows, w_row), (taps, w_tap))
        first += words * WORD


@instruction("cluster.window_words", c="tw_window_words", header=DOT)
def window_words(
    x: In[i8], weights: In[i8], sums: Out[i32], pixels: Windows, step: Const, x_row: Const, rows: Const, taps: Const,
    is_signed: Flag, are_signed: Flag,
) -> None:  # fmt: skip
    """
    Sums of products of bytes over the windows of a few pixels of one channel, by words of lines.

    Windows begin `step` bytes apart, the first of them at a word, and their rows `x_row`; weights are those that
    `cluster.spread_weights` makes.

        cluster.window_words %lines[%0, %i], %weights[%0], %sums
            {step = 2 : i64, x_row = 20 : i64, rows = 3 : i64, taps = 3 : i64, is_signed, are_signed}
            : memref<1x360xi8>, memref<36xi8>, memref<8xi32>
    """
    places = dict(spread_places(step, taps))
    row = WORD * sum(places.values())
    reach = -(-((pixels - 1) * step + taps) // WORD) * WORD
    lines = _numbers(x.along((rows, x_row), (reach, 1)), is_signed).astype(np.int64)
    spread = _numbers(weights.along((rows, row), (row, 1)), are_signed).astype(np.int64)
    for pixel in range(pixels):
        place = pixel * step % WORD
        first, size = pixel * step - place, WORD * places[place]
        before = WORD * sum(words for phase, words in places.items() if phase < place)
        sums[pixel] = np.sum(lines[:, first : first + size] * spread[:, before : before + size])


def _fits_row(size: int, windows_shape: tuple[int, ...]) -> str | None:
    """Return a message for a window longer than a row of the buffer of windows."""
    return f"{size} bytes do not fit a row of {windows_shape[-1]}" if size > windows_shape[-1] else None


def _fills_words(size: int, row: int, tap: int) -> str | None:
    """Return a message for packed numbers that do not fill words."""
    numbers = [size, row, tap]
    is_wrong = any(number % WORD for number in numbers)
    return f"packed numbers fill words of {WORD} bytes, got a size and steps of {numbers}" if is_wrong else None


@instruction("cluster.im2col", c="tw_im2col", header=DOT, requires=[_fits_row])
def im2col(
    x: In[i8], windows: InOut[i8], first: Size, size: Const, x_row: OfX, x_tap: OfX, row: Const, tap: Const, rows: Size,
    taps: Size, elements: Size, keeps: Flag,
) -> None:  # fmt: skip
    """
    Copy the window of a pixel, so that its `size` bytes are contiguous.

    The part of the window inside x is `rows` rows of `taps` stretches of `elements` bytes; they go to byte `first` of
    the window and on, `row` and `tap` bytes apart. All else of the window becomes 0, or stays with `keeps`.

        cluster.im2col %x[%n, %h, %w, %c], %windows[%p, %0], %first, %rows, %taps, %elements
            {size = 27 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 9 : i64, tap = 3 : i64}
            : memref<1x8x8x3xi8>, memref<2x28xi8>
    """
    if not keeps:
        windows[:size] = 0
    _place(windows, x.along((rows, x_row), (taps, x_tap), (elements, 1)), first, size, row, tap)


@instruction("cluster.pack_window", c="tw_pack_window", header=(UNPACK, DOT), requires=[_fits_row, _fills_words])
def pack_window(
    x: In[i8], windows: Out[i8], first: Size, size: Const, x_row: OfX, x_tap: OfX, row: Const, tap: Const, rows: Size,
    taps: Size, elements: Size, bits: Bits,
) -> None:  # fmt: skip
    """As `cluster.im2col`, with the lowest 4 or 2 bits of each byte packed, each stretch from a word on."""
    source = x.along((rows, x_row), (taps, x_tap), (elements, 1))
    windows[:size] = 0
    _place(windows, pack(source, bits) if source.size else source, first, size, row, tap)


@instruction("cluster.unpack", c="tw_unpack_row", header=UNPACK)
def unpack_row(packed: In[i8], out: Out[i8], count: Size, bits: Bits, is_signed: Flag) -> None:
    """
    Unpack a row of numbers of 4 or 2 bits, packed as `nn.unpack` has them, to `count` bytes.

        cluster.unpack %packed[%f, %0], %out[%f, %0], %n {bits = 4 : i64, is_signed} : memref<32x8xi8>, memref<32x13xi8>
    """
    source = packed[: packed_shape((count,), bits)[0]] if count else packed[:0]
    out[:count] = unpack(source, count, bits, is_unsigned=not is_signed) if count else source


@instruction("cluster.fill", c="tw_fill_row", header=ROWS)
def fill_row(out: Out[i8], count: Size, value: Const) -> None:
    """
    Fill a row of `count` contiguous bytes.

        cluster.fill %out[%i, %0], %n {value = 0 : i64} : memref<8x64xi8>
    """
    out[:count] = np.int8(value)


@instruction("cluster.transpose", c="tw_transpose", header=ROWS)
def transpose(x: In[i8], out: Out[i8], columns: Size, rows: Rows, x_row: OfX, out_row: OfOut) -> None:
    """
    Transpose a strip of a few rows of bytes.

    Rows of x are `x_row` apart; its columns become rows of the output, `out_row` apart.

        cluster.transpose %x[%c, %i, %0], %out[%i, %0, %c], %n
            {rows = 4 : i64, x_row = array<i64: 0, 1>, out_row = array<i64: 1, 1>}
            : memref<16x8x7xi8>, memref<8x7x16xi8>
    """
    out.along((columns, out_row), (rows, 1))[...] = x.along((rows, x_row), (columns, 1)).T


@instruction("cluster.copy", c="tw_copy_row", header=ROWS)
def copy_row(x: In[Any], out: Out[Any], count: Size, size: Annotated[int, ElementSize("out")]) -> None:
    """
    Copy a row of `count` contiguous elements to another.

        cluster.copy %x[%i, %0], %out[%j, %0], %n : memref<8x64xi8>, memref<16x64xi8>
    """
    out.view(np.int8)[: count * size] = x.view(np.int8)[: count * size]


def _numbers(stored: Array, is_signed: int) -> Array:
    return stored if is_signed else stored.view(np.uint8)


def _unpacked(flat: Flat[Any], outer: Sequence[tuple[int, int]], elements: int, bits: int, is_signed: int) -> Array:
    """Return the numbers of packed stretches along outer axes of (count, step)."""
    packed = flat.along(*outer, (packed_shape((elements,), bits)[0] if elements else 0, 1))
    if not packed.size:
        return np.zeros((*(count for count, _ in outer), elements), np.int8)
    return unpack(packed, elements, bits, is_unsigned=not is_signed)


def _store(sums: Flat[i32], products: str, windows: Array, weights: Array) -> None:
    total = np.einsum(products, windows.astype(np.int64), weights.astype(np.int64)).reshape(-1)
    sums[: total.size] = total


def _place(windows: Flat[i8], source: Array, first: int, size: int, row: int, tap: int) -> None:
    """Store slices [rows, taps, bytes] into a window of `size` bytes from byte `first` on."""
    if source.size:
        rows, taps, elements = source.shape
        inside = windows[min(first, size) : size].view(Flat)
        inside.along((rows, row), (taps, tap), (elements, 1))[...] = source
