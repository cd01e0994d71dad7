"""
Functional model of an N-Eureka job: loops over sub-tiles, 32-bit sums, and requantisation.

For each block of output channels, then each 6 x 6 output pixels, it sums over all blocks of input channels, then
requantises and writes. Source: GVSoC `pulp/neureka/src`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....errors import Diagnostic
from ....ir import Array
from .geometry import PIXELS, WEIGHT_MEMORY_BASE, WORD, ConvKind
from .jobs import MOST_PADDING, SIZES, WIDTHS, Conf, NpuRegister, Padding
from .memory import RegionMemory
from .weights import unpack


@dataclass(frozen=True)
class Decoded:
    """Registers of a job, decoded."""

    words: tuple[int, ...]

    def pair(self, register: NpuRegister) -> tuple[int, int]:
        """Return the upper and the lower half of a register."""
        word = self.words[register]
        return word >> 16, word & 0xFFFF

    def field(self, field: Conf) -> int:
        """Return a field of CONF0."""
        return self.words[NpuRegister.CONF0] >> field & ((1 << WIDTHS[field]) - 1)

    @cached_property
    def kind(self) -> ConvKind:
        """Kind of convolution."""
        return ConvKind(self.field(Conf.KIND))

    @property
    def bits(self) -> int:
        """Bits of a weight."""
        return self.field(Conf.WEIGHT_BITS) + 1

    @property
    def weight_offset(self) -> int:
        """Summand of each weight."""
        return _signed(self.words[NpuRegister.WEIGHT_OFFSET])

    @property
    def weights(self) -> int:
        """Address of the weights."""
        base = WEIGHT_MEMORY_BASE if self.field(Conf.WEIGHT_MEMORY) else 0
        return self.words[NpuRegister.WEIGHTS] + base

    @property
    def padding(self) -> tuple[int, int, int, int]:
        """Rows and columns of padding, clockwise from the top."""
        word = self.words[NpuRegister.PADDING]
        return word >> 28 & 0xF, word >> 24 & 0xF, word >> 20 & 0xF, word >> 16 & 0xF

    @property
    def fill(self) -> int:
        """Padding value."""
        byte = self.words[NpuRegister.PADDING] & 0xFF
        return byte - 256 if self.field(Conf.SIGNED) and byte >= 128 else byte

    @property
    def output_bytes(self) -> int:
        """Bytes of an output element."""
        return 4 if self.field(Conf.OUTPUT_SIZE) else 1

    @cached_property
    def blocks(self) -> dict[str, list[int]]:
        """Extents of the blocks along output channels, input channels, output rows and columns."""
        (features, channels), (rows, columns) = (
            self.pair(NpuRegister.CHANNEL_BLOCKS),
            self.pair(NpuRegister.PIXEL_BLOCKS),
        )
        rest_features, rest_channels = self.pair(NpuRegister.CHANNEL_REMAINDERS)
        rest_rows, rest_columns = self.pair(NpuRegister.OUTPUT_REMAINDERS)
        return {
            "features": _extents(features, self.kind.features, rest_features),
            "channels": _extents(channels, self.kind.channels, rest_channels),
            "rows": _extents(rows, PIXELS, rest_rows),
            "columns": _extents(columns, PIXELS, rest_columns),
        }


def _signed(word: int) -> int:
    return word - (1 << 32) if word >= 1 << 31 else word


def _extents(count: int, block: int, rest: int) -> list[int]:
    return [block] * (count - 1) + [rest] * min(count, 1)


def check(job: Decoded) -> None:
    """Raise Diagnostic for registers with unsupported or inconsistent values."""
    supported_bits = sum(((1 << width) - 1) << field for field, width in WIDTHS.items())
    sizes = set(SIZES.values())
    if job.words[NpuRegister.CONF0] & ~supported_bits or job.field(Conf.KIND) > ConvKind.POINTWISE.value:
        raise _refused("CONF0 has unsupported fields", f"0x{job.words[NpuRegister.CONF0]:08x}")
    if job.words[NpuRegister.FILTER_MASK] or job.words[NpuRegister.SCALE_SHIFT]:
        raise _refused("a filter mask or shifts of single channels", "registers 22 and 4 that are not 0")
    if job.field(Conf.OUTPUT_SIZE) not in sizes or job.field(Conf.SCALE_SIZE) not in sizes or job.bits < 2:
        raise _refused("numbers of an unsupported width", f"0x{job.words[NpuRegister.CONF0]:08x}")
    if job.field(Conf.REQUANTIZE) == job.field(Conf.OUTPUT_SIZE) >> 1:
        raise _refused("outputs of 8 bits are requantised, those of 32 bits are not", "CONF0 that says otherwise")
    if job.field(Conf.ACCUMULATE) and job.output_bytes != 4:
        raise _refused("sums are added to outputs of 32 bits only", "outputs of 8 bits")
    if job.words[NpuRegister.OUTPUT_STRIDES] != WORD or job.words[NpuRegister.WEIGHT_STRIDES] != WORD:
        raise _refused("words are 32 bytes apart", "other strides")
    _check_blocks(job)
    _check_contested(job)


def _check_blocks(job: Decoded) -> None:
    limits = {
        "features": job.kind.features,
        "channels": job.kind.channels,
        "rows": PIXELS,
        "columns": PIXELS,
    }
    for name, limit in limits.items():
        extents = job.blocks[name]
        if not extents or not 1 <= extents[-1] <= limit:
            raise _refused(f"the last block of {name} holds 1 to {limit}", f"blocks of {extents[-1:]}")
    if job.kind is ConvKind.DEPTHWISE and job.blocks["features"] != job.blocks["channels"]:
        raise _refused("a depthwise job has as many channels as features", "other blocks")
    most, (_, right, bottom, _) = (MOST_PADDING if job.kind.taps > 1 else 0), job.padding
    if max(job.padding) > most:
        raise _refused(f"padding is 0 to {most} on each side", f"0x{job.words[NpuRegister.PADDING]:08x}")
    for extents, rest, pad in zip(_pixels(job), job.pair(NpuRegister.INPUT_REMAINDERS), (bottom, right), strict=True):
        if rest < 1 or rest + pad != extents[-1] + job.kind.taps - 1:
            raise _refused("the last sub-tile's inputs and padding are what its outputs need", f"{rest} and {pad}")


def _check_contested(job: Decoded) -> None:
    """Raise Diagnostic for registers that GVSoC reads otherwise than the description by pulp-nnx."""
    top, right, bottom, left = job.padding
    word = job.words[NpuRegister.PADDING]
    if word & 0xFF00 or Padding(top, right, bottom, left, word & 0xFF).is_contested:
        raise _refused("padding below and right of the image is 0, elsewhere a byte", f"0x{word:08x}")
    if job.kind is ConvKind.DEPTHWISE and job.field(Conf.ACCUMULATE):
        raise _refused("depthwise sums are not added to outputs", "CONF0 that says so")
    if not job.field(Conf.LAYER_OFFSET):
        raise _refused("the weight offset is that of the layer", "CONF0 that says otherwise")
    stride = WORD * len(job.blocks["channels"]) * (1 if job.kind is ConvKind.POINTWISE else job.bits)
    if job.kind is not ConvKind.DEPTHWISE and job.words[NpuRegister.WEIGHT_STRIDES + 1] != stride:
        raise _refused("weights are dense", f"a stride of {job.words[NpuRegister.WEIGHT_STRIDES + 1]} bytes")


def _pixels(job: Decoded) -> tuple[list[int], list[int]]:
    return job.blocks["rows"], job.blocks["columns"]


def _refused(rule: str, value: str) -> Diagnostic:
    return Diagnostic(f"the NPU does not support this job: {rule}", found=value)


def run_job(words: Sequence[int], memory: RegionMemory) -> None:
    """
    Execute the job that 24 registers describe.

    Raises Diagnostic for unsupported jobs, and for accesses out of bounds.
    """
    job = Decoded(tuple(words))
    check(job)
    compute(job, memory)


def compute(job: Decoded, memory: RegionMemory) -> None:
    """Execute a job that need not be supported: its registers are read as pulp-nnx describes them."""
    for number, count in enumerate(job.blocks["features"]):
        block = _ChannelBlock(job, memory, number, count)
        for row, height in enumerate(job.blocks["rows"]):
            for column, width in enumerate(job.blocks["columns"]):
                block.compute(row, column, height, width)


@dataclass(frozen=True)
class _ChannelBlock:
    """Block of output channels of a job."""

    job: Decoded
    memory: RegionMemory
    number: int
    count: int

    @cached_property
    def weights(self) -> list[Array]:
        """Weights for each block of input channels: [taps, Cin, Cout], depthwise [taps, C]."""
        job, kind = self.job, self.job.kind
        if kind is ConvKind.DEPTHWISE:
            row = self.memory.view(job.weights + self.number * job.bits * WORD, [1, job.bits * WORD], [0, 1])
            weights = unpack(kind, np.ascontiguousarray(row), self.count, job.bits, job.weight_offset)
            return [weights.reshape(self.count, 9).T.astype(np.float64)]
        size = WORD * (1 if kind is ConvKind.POINTWISE else job.bits)
        stride = job.words[NpuRegister.WEIGHT_STRIDES + 1]
        first = job.weights + self.number * kind.features * stride
        parts: list[Array] = []
        for number, channels in enumerate(job.blocks["channels"]):
            rows = self.memory.view(first + number * size, [self.count, size], [stride, 1])
            weights = unpack(kind, np.ascontiguousarray(rows), channels, job.bits, job.weight_offset)
            taps = weights.reshape(self.count, channels, kind.taps**2)
            parts.append(np.ascontiguousarray(taps.transpose(2, 1, 0), np.float64))
        return parts

    def compute(self, row: int, column: int, height: int, width: int) -> None:
        """Compute one sub-tile of the output."""
        job = self.job
        target = self._target(row, column, height, width)
        sums = np.zeros((height, width, self.count), np.int64)
        if job.field(Conf.ACCUMULATE):
            sums += np.ascontiguousarray(target).view("<i4")
        blocks = [self.number] if job.kind is ConvKind.DEPTHWISE else range(len(job.blocks["channels"]))
        for weights, block in zip(self.weights, blocks, strict=True):
            image = _input(job, self.memory, (row, column), (height, width), block)
            sums += _convolved(image, weights, (height, width), job.kind.taps)
        results = self._requantized(_wrapped(sums)) if job.field(Conf.REQUANTIZE) else _wrapped(sums).astype("<i4")
        target[...] = results.view(np.uint8).reshape(target.shape)

    def _target(self, row: int, column: int, height: int, width: int) -> Array:
        """Return the bytes [height, width, Cout * size] of the outputs."""
        job, size = self.job, self.job.output_bytes
        _, pixel_stride, row_stride = job.words[NpuRegister.OUTPUT_STRIDES : NpuRegister.OUTPUT_STRIDES + 3]
        start = job.words[NpuRegister.OUTPUT] + PIXELS * (row * row_stride + column * pixel_stride)
        start += self.number * job.kind.features * size
        return self.memory.view(start, [height, width, self.count * size], [row_stride, pixel_stride, 1], writes=True)

    def _requantized(self, sums: Array) -> Array:
        """Requantise sums to bytes: a 64-bit product, truncated to 32 bits with the bias, shifted and clipped."""
        job = self.job
        wide = bool(job.field(Conf.SCALE_SIZE))
        scaled = sums * self._vector(NpuRegister.SCALE, "<u4" if wide else "<u1")
        if job.field(Conf.BIAS):
            scaled = _wrapped(scaled + self._vector(NpuRegister.BIAS, "<i4"))
        low, high = (-128, 127) if job.field(Conf.NO_RELU) else (0, 255)
        return np.clip(scaled >> job.field(Conf.SHIFT), low, high).astype(np.uint8)

    def _vector(self, register: NpuRegister, element: str) -> Array:
        """Return the per-channel numbers of the block."""
        size = np.dtype(element).itemsize
        start = self.job.words[register] + self.number * self.job.kind.features * size
        stored = self.memory.view(start, [self.count * size], [1])
        return np.ascontiguousarray(stored).view(element).astype(np.int64)


def _wrapped(values: Array) -> Array:
    """Return integers modulo 2^32, as signed ones in int64."""
    return values.astype(np.int32).astype(np.int64)


def _input(job: Decoded, memory: RegionMemory, at: tuple[int, int], extents: tuple[int, int], block: int) -> Array:
    """Return a sub-tile [height + taps - 1, width + taps - 1, Cin] of the padded image as float64."""
    channels = job.blocks["channels"][block]
    pixel_stride, row_stride = job.words[NpuRegister.INPUT_STRIDES : NpuRegister.INPUT_STRIDES + 2]
    top, _, _, left = job.padding
    spans: list[tuple[int, int]] = []
    rests = job.pair(NpuRegister.INPUT_REMAINDERS)
    for number, extent, before, rest, pixels in zip(at, extents, (top, left), rests, _pixels(job), strict=True):
        end = rest if number == len(pixels) - 1 else PIXELS + job.kind.taps - 1
        spans.append((before if number == 0 else 0, min(end, extent + job.kind.taps - 1)))
    shape = [extent + job.kind.taps - 1 for extent in extents]
    image = np.full((*shape, channels), job.fill, np.float64)
    (low_row, end_row), (low_column, end_column) = spans
    if low_row >= end_row or low_column >= end_column:
        return image
    start = job.words[NpuRegister.INPUT] + block * job.kind.channels
    start += (PIXELS * at[0] + low_row) * row_stride + (PIXELS * at[1] + low_column) * pixel_stride
    inside = [end_row - low_row, end_column - low_column, channels]
    part = memory.view(start, inside, [row_stride, pixel_stride, 1])
    image[low_row:end_row, low_column:end_column] = part.view(np.int8) if job.field(Conf.SIGNED) else part
    return image


def _convolved(image: Array, weights: Array, extents: tuple[int, int], taps: int) -> Array:
    """Convolve an image to sums [height, width, Cout]; all numbers are far below 2^53."""
    height, width = extents
    total: Array | float = 0.0
    for tap, factors in enumerate(weights):
        y, x = divmod(tap, taps)
        window = image[y : y + height, x : x + width]
        total = total + (window @ factors if weights.ndim == 3 else window * factors)
    return np.asarray(total, np.float64).astype(np.int64)
