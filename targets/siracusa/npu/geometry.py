"""
Geometry of N-Eureka: kinds of convolution, their sub-tiles, and the addresses at which it sees memory.

Source: pulp-nnx `neureka/hal/neureka_task_defs.h` and GVSoC `pulp/neureka` (v1 of the NPU, the one in Siracusa).
"""

from __future__ import annotations

from enum import Enum
from math import isqrt

PIXELS = 6
"""Output rows and columns of a sub-tile."""
WORD = 32
"""Bytes of a word of packed weights, and of a transfer of outputs."""

L1_BASE = 0x1000_0000
"""Base address of the near memory for cores and NPU."""
WEIGHT_MEMORY_BASE = 0x1040_0000
"""Base address of the weight memory: MRAM, then SRAM. Pointers to weights in it are relative to this address."""


class ConvKind(Enum):
    """Kind of convolution, by its bits in CONF0."""

    DENSE = 0
    DEPTHWISE = 1
    POINTWISE = 2

    @property
    def taps(self) -> int:
        """Rows, and columns, of the window."""
        return 1 if self is ConvKind.POINTWISE else 3

    @property
    def channels(self) -> int:
        """Input channels of a sub-tile."""
        return 32 if self is ConvKind.POINTWISE else 28

    @property
    def features(self) -> int:
        """Output channels of a sub-tile."""
        return 28 if self is ConvKind.DEPTHWISE else 32


def blocks(extent: int, block: int) -> int:
    """Return the number of blocks that cover an extent."""
    return -(-extent // block)


def packed_shape(kind: ConvKind, features: int, channels: int, bits: int) -> tuple[int, int]:
    """
    Return the shape of packed weights: rows, and bytes per row.

    A row is one output channel; in a depthwise convolution 28 of them.
    """
    words = blocks(channels, kind.channels)
    if kind is ConvKind.POINTWISE:
        return features, words * WORD
    if kind is ConvKind.DEPTHWISE:
        return words, bits * WORD
    return features, words * bits * WORD


def pixel_grids(rows: int) -> list[tuple[int, int]]:
    """
    Tile the rows of a matrix into consecutive images (height, width) with few sub-tiles.

    That is one image with sides that divide well into 6, else one of 6 rows and one with the remainder.
    """
    factors = [(height, rows // height) for height in range(1, isqrt(rows) + 1) if rows % height == 0]
    whole = min(factors, key=lambda image: (_sub_tiles(image), image))
    if rows <= PIXELS:
        return [whole]
    parts = [(PIXELS, rows // PIXELS), *([(1, rows % PIXELS)] if rows % PIXELS else [])]
    return [whole] if _sub_tiles(whole) <= sum(map(_sub_tiles, parts)) else parts


def _sub_tiles(image: tuple[int, int]) -> int:
    return blocks(image[0], PIXELS) * blocks(image[1], PIXELS)
