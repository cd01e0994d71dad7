"""
Latency of an N-Eureka job, from the trigger until the waiting core is awake again.

The NPU iterates over blocks of 6x6 output pixels and 32 output channels (28 depthwise). For each it loads and
multiplies blocks of input channels (32 pointwise, else 28), then requantises and streams out.

The formula is that of GVSoC's model (pulp/neureka/src/neureka_fsm.cpp at 9968c4e8). It is exact for 61 of 62 jobs run
there, 4 of them with prefetch; the other writes 21 channels to misaligned addresses and takes 7 cycles longer. Two
things are doubtful in that model: depthwise jobs take less with weights in L1 than in the weight memory, and almost
nothing with prefetch, which is therefore rejected for them here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["1x1", "3x3", "depthwise"]

PIXELS = 6
"""Rows, and columns, of a block of output pixels."""
CHANNELS, POINTWISE_CHANNELS = 28, 32
"""Input channels of a block, in general and pointwise."""
_WAKE_UP = 7
_LOAD = 6
_POINTWISE_LOAD = 42
"""A 1x1 window loads all 6x6 pixels, whatever the extents of the block."""
_POINTWISE_MULTIPLY, _DENSE_MULTIPLY, _DENSE_END, _DEPTHWISE_MULTIPLY = 10, 6, 8, 34
_PREFETCHED = {"1x1": 7, "3x3": 6}
"""Fixed cycles of a multiplication that overlaps with the load of the next input."""
_REQUANTISE = 9 + 4 + 8
"""Pipeline latency of the multiplier, the shift and the bias of a block."""
_POINTWISE_OUT = 3


class _PixelBlocks(NamedTuple):
    """Equal blocks of pixels: their number, rows, columns, and loaded input pixels."""

    number: int
    rows: int
    columns: int
    loaded: int


def job_cycles(
    kind: Kind,
    height: int,
    width: int,
    channels_in: int,
    channels_out: int,
    *,
    pad: tuple[int, int] = (0, 0),
    out_bits: int = 8,
    weight_bits: int = 8,
    weights_in_wmem: bool = False,
    scale_bits: int = 32,
    prefetch: bool = False,
) -> int:
    """
    Compute the cycles of a job of `height` x `width` output pixels.

    `pad` are the rows of padding below the image and the columns right of it; those above and left save nothing. With
    `out_bits` of 8 the accumulators are requantised by scales of `scale_bits`, with 32 they are the output. `prefetch`
    overlaps loads with multiplications. Raises ValueError for a depthwise job with prefetch.
    """
    depthwise = kind == "depthwise"
    if depthwise and prefetch:
        raise ValueError("the time of a depthwise job with prefetch is not known")
    steps = 1 if depthwise else len(_cut(channels_in, POINTWISE_CHANNELS if kind == "1x1" else CHANNELS))
    blocks = list(_pixel_blocks(kind, height, width, pad))
    features = _cut(channels_out, 28 if depthwise else 32)
    total = _WAKE_UP
    for last in (False, True):
        count = 1 if last else len(features) - 1
        if not count:
            continue
        channels = features[-1] if last else features[0]
        weights = weight_bits if depthwise and not weights_in_wmem else channels * weight_bits
        multiply = _prefetched if prefetch else _in_turn
        time = multiply(kind, blocks, steps, channels, weights)
        time += _out(kind, blocks, channels, out_bits, scale_bits, last=last)
        total += count * time
    return total


def _cut(extent: int, block: int) -> list[int]:
    """Return the extents of the blocks of an axis, the last one partial."""
    return [block] * ((extent - 1) // block) + [(extent - 1) % block + 1]


def _pixel_blocks(kind: Kind, height: int, width: int, pad: tuple[int, int]) -> Iterator[_PixelBlocks]:
    """Yield the blocks of pixels: interior ones, and those at the two far borders."""
    for row_count, rows, in_rows in _border(height, pad[0]):
        for column_count, columns, in_columns in _border(width, pad[1]):
            loaded = _POINTWISE_LOAD if kind == "1x1" else in_rows * in_columns
            yield _PixelBlocks(row_count * column_count, rows, columns, loaded)


def _border(extent: int, pad: int) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks along an axis as count, output pixels and input pixels; the last one is separate."""
    *inner, last = _cut(extent, PIXELS)
    if inner:
        yield len(inner), PIXELS, PIXELS + 2
    yield 1, last, last + 2 - pad


def _in_turn(kind: Kind, blocks: list[_PixelBlocks], steps: int, channels: int, weights: int) -> int:
    """Return the cycles of loading and multiplying without overlap, for a block of output channels."""
    multiply = _multiply(kind, channels, weights)
    return sum(block.number * steps * (_LOAD + block.loaded + multiply) for block in blocks)


def _multiply(kind: Kind, channels: int, weights: int) -> int:
    if kind == "1x1":
        return _POINTWISE_MULTIPLY + channels
    if kind == "3x3":
        return _DENSE_MULTIPLY + weights + _DENSE_END
    return _DEPTHWISE_MULTIPLY + weights


def _prefetched(kind: Kind, blocks: list[_PixelBlocks], steps: int, channels: int, weights: int) -> int:
    """Return the cycles of loading and multiplying with prefetch, for a block of output channels."""
    fixed = _PREFETCHED[kind]
    multiply = fixed + (channels if kind == "1x1" else weights + _DENSE_END)
    total = multiply - fixed - _hidden(multiply, blocks[0].loaded)
    for block in blocks:
        total += block.number * steps * (_LOAD + block.loaded + _hidden(multiply, block.loaded) + fixed)
    return total


def _hidden(multiply: int, loaded: int) -> int:
    """Return the exposed cycles of a multiplication that overlaps with a load."""
    return max(0, multiply - (3 + loaded))


def _out(kind: Kind, blocks: list[_PixelBlocks], channels: int, out_bits: int, scale_bits: int, *, last: bool) -> int:
    """Return the cycles of requantising and streaming out a block of output channels."""
    quantised = out_bits == 8
    fixed = _POINTWISE_OUT if kind == "1x1" else 0
    per_pixel = 1 if quantised else -(-channels // 8)
    if quantised:
        scales = channels if last and channels != 32 else 32
        fixed += _REQUANTISE + (-(-scales // 4) if scale_bits == 8 else scales)
    return sum(b.number * (((b.rows - 1) * PIXELS + b.columns) * per_pixel + fixed) for b in blocks)
