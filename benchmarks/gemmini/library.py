"""
Tiles that gemmini.h chooses, and their cycles under the model of targets/gemmini: a row of a load is a request.

The rules are those of `tiled_matmul_auto`, `tiled_conv_auto`, `tiled_conv_downsample` and `tiled_resadd_auto`
(ucb-bar/gemmini-rocc-tests, 180c468), weight-stationary, int8, 16 x 16: half of each memory for a tile, so that loads,
products and stores of consecutive tiles overlap within a call; calls do not overlap. `latency` is the one free
parameter: cycles of a request to memory, of which 16 are in flight.

A half is two banks, of one port each. The first factor begins at the start of it, the second one ends at its end, so
that they meet where one is longer than a bank; what is loaded meanwhile is in the other half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import NamedTuple

SIDE = 16
LEAST_ROWS = 4
ROWS, SUM_ROWS = 16384 // 2, 1024 // 2
"""Rows of scratchpad and accumulators of a tile: half of each memory."""
BANK_ROWS = 4096
BURST, BEAT, IN_FLIGHT = 64, 16, 16
COMMANDS, COMMAND_CYCLES = 7, 8
"""Commands of a tile in gemmini.h, and cycles in which the core issues one, as for our instructions."""
CALL = 100
"""Cycles to drain the queues at the fence that ends a call; an assumption, 0.03 % of ResNet-50."""


class Tile(NamedTuple):
    """Cycles of a tile's loads, products and stores, and those in which rows and next weights take turns."""

    load: float
    execute: int
    store: int
    turns: float = 0.0


@dataclass(frozen=True)
class Gemm:
    """Product of `rows` x `depth` and `depth` x `columns`, plus a bias per column where there is one."""

    rows: int
    columns: int
    depth: int
    bias: bool = True

    @property
    def macs(self) -> int:
        """Return the multiplications."""
        return self.rows * self.columns * self.depth

    def tile(self) -> tuple[int, int, int]:
        """Return rows, columns and depth of a tile in blocks of 16: 5 x 5 x 51, each growing in turn while it fits."""
        limits = ceil(self.rows / SIDE), ceil(self.columns / SIDE), ceil(self.depth / SIDE)
        size: tuple[int, int, int] = (min(limits[0], 5), min(limits[1], 5), min(limits[2], 51))
        grown = True
        while grown:
            grown = False
            for more in ((0, 1, 0), (1, 0, 0), (0, 0, 1)):
                rows, columns, depth = size[0] + more[0], size[1] + more[1], size[2] + more[2]
                within = rows <= limits[0] and columns <= limits[1] and depth <= limits[2]
                if within and (rows + columns) * depth * SIDE <= ROWS and rows * columns * SIDE <= SUM_ROWS:
                    size, grown = (rows, columns, depth), True
        return size

    def tiles(self, latency: int) -> Iterator[Tile]:
        """Yield the tiles in their order; an operand of at most two tiles is loaded once."""
        extents = self.rows, self.columns, self.depth
        rows, columns, depth = (_spans(*pair) for pair in zip(extents, (SIDE * t for t in self.tile()), strict=True))
        keep_inputs, keep_weights = len(rows) * len(depth) <= 2, len(columns) * len(depth) <= 2
        for row, height in rows:
            for column, width in columns:
                for start, deep in depth:
                    load = 0.0 if keep_inputs and column else _load(height, deep, latency)
                    load += 0.0 if keep_weights and row else _load(deep, width, latency)
                    load += 0.0 if start or not self.bias else _load(ceil(height / SIDE), 4 * width, latency)
                    blocks = ceil(width / SIDE) * ceil(deep / SIDE)
                    last = start + deep == self.depth
                    stored = height * ceil(width / SIDE) if last else 0
                    held = SIDE * ceil(height / SIDE) * ceil(deep / SIDE), SIDE * blocks
                    yield Tile(load, blocks * _streamed(height, 1), stored, SIDE * blocks * _met(*held))


@dataclass(frozen=True)
class Conv:
    """Convolution of square images and windows, channels last, with max pooling of its result where `window` > 1."""

    size: int
    channels: int
    features: int
    kernel: int = 1
    stride: int = 1
    padding: int = 0
    batch: int = 1
    window: int = 1
    pool_stride: int = 1
    pool_padding: int = 0
    bias: bool = True

    @property
    def convolved(self) -> int:
        """Return rows and columns before pooling."""
        return (self.size + 2 * self.padding - self.kernel) // self.stride + 1

    @property
    def result(self) -> int:
        """Return rows and columns of the result."""
        return (self.convolved + 2 * self.pool_padding - self.window) // self.pool_stride + 1

    @property
    def macs(self) -> int:
        """Return the multiplications."""
        return self.batch * self.convolved**2 * self.features * self.channels * self.kernel**2

    def _fits(self, tile: Sequence[int]) -> bool:
        batch, rows, columns, features, high, wide, channels = tile
        convolved = [each * self.pool_stride + self.window - 1 for each in (rows, columns)]
        lines, pixels = (n * self.stride + k - 1 for n, k in zip(convolved, (high, wide), strict=True))
        inputs = ceil(channels / SIDE) * batch * lines * pixels
        weights = ceil(features / SIDE) * high * wide * channels
        return inputs + weights <= ROWS and ceil(features / SIDE) * batch * prod(convolved) <= SUM_ROWS

    def tile(self) -> list[int]:
        """
        Return images, rows, columns, features, window and channels of a tile.

        The largest extent shrinks until it fits, channels by 16, and columns to 16 at least while there are rows; then
        columns grow, then each extent in turn, by one.
        """
        limits = [self.batch, self.result, self.result, self.features, self.kernel, self.kernel, self.channels]
        size = list(limits)
        while not self._fits(size):
            free = [index for index in range(7) if not (index == 2 and size[2] <= SIDE and size[1] > 1)]
            axis = max(free, key=size.__getitem__)
            step = (size[axis] % SIDE or SIDE) if axis in (3, 6) else 1
            size[axis] = max(1, size[axis] - step)
        for axes in ((2,), tuple(range(7))):
            while any([self._grow(size, limits, axis) for axis in axes]):
                pass
        return size

    def _grow(self, size: list[int], limits: Sequence[int], axis: int) -> bool:
        larger = [extent + (axis == index) for index, extent in enumerate(size)]
        if larger[axis] > limits[axis] or not self._fits(larger):
            return False
        size[:] = larger
        return True

    def _before_pooling(self, start: int, extent: int) -> tuple[int, int]:
        """Return the first row and the number of rows before pooling, without padding."""
        low = start * self.pool_stride - self.pool_padding
        high = low + (extent - 1) * self.pool_stride + self.window
        return max(low, 0), min(high, self.convolved) - max(low, 0)

    def _lines(self, start: int, extent: int, tap: int, taps: int) -> int:
        low = start * self.stride + tap - self.padding
        return max(0, min(low + extent * self.stride + taps - 1, self.size) - max(low, 0))

    def tiles(self, latency: int) -> Iterator[Tile]:
        """Yield the tiles in their order; an operand of at most two tiles is loaded once."""
        extents = self.batch, self.result, self.result, self.features, self.kernel, self.kernel, self.channels
        spans = [_spans(extent, size) for extent, size in zip(extents, self.tile(), strict=True)]
        places = [(b, r, c) for b in spans[0] for r in spans[1] for c in spans[2]]
        taps = [(high, wide, deep) for high in spans[4] for wide in spans[5] for deep in spans[6]]
        keep_inputs, keep_weights = len(places) * len(taps) <= 2, len(spans[3]) * len(taps) <= 2
        for place, ((_, images), row, column) in enumerate(places):
            (first, height), (left, width) = self._before_pooling(*row), self._before_pooling(*column)
            for feature, wanted in spans[3]:
                blocks = ceil(wanted / SIDE)
                for index, (high, wide, (_, deep)) in enumerate(taps):
                    read = self._lines(first, height, *high) * self._lines(left, width, *wide)
                    load = 0.0 if keep_inputs and feature else _load(images * read, deep, latency)
                    load += 0.0 if keep_weights and place else _load(high[1] * wide[1] * deep, wanted, latency)
                    if self.bias and not index:
                        load += _load(images * height * ceil(width / SIDE), 4 * wanted, latency)
                    together = max(1, min(SIDE // deep, wide[1]))
                    passes = high[1] * ceil(wide[1] / together) * ceil(deep / SIDE)
                    execute = blocks * passes * _streamed(width, images * height)
                    store = images * row[1] * column[1] * blocks * self.window**2
                    sides = (height, high[1]), (width, wide[1])
                    pixels = prod(extent * self.stride + taken - 1 for extent, taken in sides)
                    held = ceil(deep / SIDE) * images * pixels, blocks * high[1] * wide[1] * deep
                    turns = SIDE * blocks * passes * _met(*held)
                    yield Tile(load, execute, store if index == len(taps) - 1 else 0, turns)


@dataclass(frozen=True)
class Add:
    """Residual addition of two matrices of bytes."""

    rows: int
    columns: int
    macs: int = 0

    def tiles(self, latency: int) -> Iterator[Tile]:
        """Yield the tiles: the larger of rows and columns shrinks until a tile fits the accumulators."""
        high, wide = ceil(self.rows / SIDE), ceil(self.columns / SIDE)
        while high * wide * SIDE > SUM_ROWS:
            high, wide = (high - 1, wide) if high > wide else (high, wide - 1)
        for _, height in _spans(self.rows, high * SIDE):
            for _, width in _spans(self.columns, wide * SIDE):
                yield Tile(2 * _load(height, width, latency), 0, height * ceil(width / SIDE))


Layer = Gemm | Conv | Add


def cycles(layer: Layer, latency: int) -> float:
    """Return the cycles of a layer by the library, as it calls it: a strided 1 x 1 convolution as a product per row."""
    count, call = _calls(layer)
    tiles = list(call.tiles(latency))
    following = [tile.load for tile in tiles[1:]] + [0.0]
    stored = [0] + [tile.store for tile in tiles[:-1]]
    steps = zip(tiles, following, stored, strict=True)
    least = COMMANDS * COMMAND_CYCLES
    overlapped = sum(max(tile.execute + tile.turns, load, store, least) for tile, load, store in steps)
    return count * (CALL + least + tiles[0].load + overlapped + tiles[-1].store)


def turns(layer: Layer, latency: int) -> float:
    """Return those of the cycles in which rows and the next weights take turns, hidden behind loads or not."""
    count, call = _calls(layer)
    return count * sum(tile.turns for tile in call.tiles(latency))


def _calls(layer: Layer) -> tuple[int, Layer]:
    """Return the number of calls of the library for a layer, and the layer of each."""
    if isinstance(layer, Conv) and layer.kernel == 1 and layer.stride == 2:
        return layer.result * layer.batch, Gemm(layer.result, layer.features, layer.channels)
    if isinstance(layer, Conv) and layer.kernel == layer.stride == 1:
        return 1, Gemm(layer.batch * layer.size**2, layer.features, layer.channels)
    return 1, layer


def _met(inputs: int, weights: int) -> float:
    """Compute the probability that rows of both factors, of so many rows each, are in one bank of a half."""
    first, last = (min(BANK_ROWS, inputs), max(0, inputs - BANK_ROWS)), max(0, weights - BANK_ROWS)
    return (first[0] * last + first[1] * min(BANK_ROWS, weights)) / (inputs * weights)


def bound(layer: Layer, latency: int, peak: int) -> float:
    """Return the least cycles of a layer: of its products, `peak` a cycle, or of loading each operand once."""
    if isinstance(layer, Gemm):
        loads = _load(layer.rows, layer.depth, latency) + _load(layer.depth, layer.columns, latency)
    elif isinstance(layer, Conv):
        pixels = min(layer.size, layer.convolved * layer.kernel) ** 2
        loads = _load(layer.batch * pixels, layer.channels, latency)
        loads += _load(layer.kernel**2 * layer.channels, layer.features, latency)
    else:
        loads = 2 * _load(layer.rows, layer.columns, latency)
    return max(layer.macs / peak, loads)


def _load(rows: int, row_bytes: int, latency: int) -> float:
    """Return the cycles of rows, each in requests of at most 64 bytes."""
    full, rest = divmod(row_bytes, BURST)
    requests = [BURST] * full + ([rest] if rest else [])
    return rows * sum(max(ceil(request / BEAT), latency / IN_FLIGHT) for request in requests)


def _streamed(rows: int, lines: int) -> int:
    """
    Return the cycles of lines of rows that stream through a block of weights, in products of 16 rows at most.

    The next weights are preloaded during the last product, which takes 16 cycles at least: in the generator (8c3f992),
    LoopMatmul and LoopConv end a block with what is left of its last line.
    """
    full, rest = divmod(rows, SIDE)
    least = max(LEAST_ROWS, rest) if rest else SIDE
    return lines * (full * SIDE + (least if rest else 0)) + SIDE - least


def _spans(extent: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(size, extent - start)) for start in range(0, extent, size)]


def resnet50(batch: int = 1) -> list[tuple[str, Layer]]:
    """Return the layers of ResNet-50 v1.5 as imagenet/resnet50.c calls them, of which those at 7 x 7 are the last."""
    layers: list[tuple[str, Layer]] = [("conv_1", Conv(224, 3, 64, 7, 2, 3, batch, 3, 2, 1))]
    channels, size = 64, 56
    for stage, (features, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), start=2):
        for block in range(blocks):
            name, stride = f"conv{stage}_{block + 1}", 2 if stage > 2 and block == 0 else 1
            layers.append((f"{name}_a", Conv(size, channels, features, batch=batch)))
            layers.append((f"{name}_b", Conv(size, features, features, 3, stride, 1, batch)))
            layers.append((f"{name}_c", Conv(size // stride, features, 4 * features, batch=batch)))
            if block == 0:
                layers.append((f"{name}_skip", Conv(size, channels, 4 * features, 1, stride, batch=batch)))
            size, channels = size // stride, 4 * features
            layers.append((f"{name}_add", Add(batch * size**2, channels)))
    return [*layers, ("fc", Gemm(batch, 1000, 2048))]
