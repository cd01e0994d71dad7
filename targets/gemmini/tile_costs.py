"""Modelled cycles of a tile of Gemmini's loops in hardware: of its loads, its products and its stores."""

from __future__ import annotations

from math import ceil, prod
from typing import NamedTuple

from .limits import REQUEST_BYTES, SUM_BYTES

_BUS = 16
"""Bytes of a request that arrive in a cycle."""


class Array(NamedTuple):
    """Parameters of tiles: columns of the array, rows of its memories, cycles of a request, bytes of an element."""

    dim: int
    spad_rows: int
    acc_rows: int
    request: float
    size: int

    def fits(self, taken: tuple[int, int]) -> bool:
        """Return whether the rows that a tile takes are in the half of the memories that a loop owns."""
        return taken[0] <= self.spad_rows // 2 and taken[1] <= self.acc_rows // 2

    def load(self, rows: int, count: int) -> float:
        """Return the cycles of loads of rows of so many bytes."""
        whole, rest = divmod(count, REQUEST_BYTES)
        sizes = [(whole, REQUEST_BYTES), (1, rest)]
        return rows * sum(number * max(ceil(bytes / _BUS), self.request) for number, bytes in sizes if number * bytes)

    def rows(self, count: int) -> int:
        """Return the cycles of rows that stream through the array, in chunks of its columns."""
        whole, rest = divmod(count, self.dim)
        return whole * self.dim + (max(4, rest) if rest else 0)

    def blocks(self, count: int) -> int:
        """Return the blocks of the array's columns."""
        return ceil(count / self.dim)

    def product(self, rows: int, cols: int, depth: int, *, is_biased: bool) -> Phases:
        """Return the cycles of a tile of a product of matrices."""
        load = self.load(rows, depth * self.size) + self.load(depth, cols * self.size)
        load += self.load(rows, cols * SUM_BYTES) if is_biased else 0
        compute = self.blocks(cols) * self.blocks(depth) * self.rows(rows)
        return Phases(load, compute, rows * self.blocks(cols))

    def convolution(self, window: ConvWindow, rows: int, cols: int, features: int) -> Phases:
        """Return the cycles of a tile of a convolution: rows, columns and features of its results."""
        pairs = zip((rows, cols), window.taps, strict=True)
        pixels = prod((extent - 1) * window.step + (count - 1) * window.dilation + 1 for extent, count in pairs)
        taps = prod(window.taps)
        load = self.load(pixels, window.depth * self.size) + self.load(taps * window.depth, features * self.size)
        load += self.load(rows * cols, features * SUM_BYTES) if window.is_biased else 0
        blocks, lines = self.blocks(features), rows * self.rows(cols)
        return Phases(load, blocks * taps * self.blocks(window.depth) * lines, rows * cols * blocks)


class ConvWindow(NamedTuple):
    """Windows of a convolution: channels, taps down and across, pixels between windows and between taps, and a bias."""

    depth: int
    taps: tuple[int, int]
    step: int
    dilation: int
    is_biased: bool


class Phases(NamedTuple):
    """Cycles of a tile's loads, products and stores, which overlap those of other tiles."""

    load: float
    compute: float
    store: float
