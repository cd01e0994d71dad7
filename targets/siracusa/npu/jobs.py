"""
Jobs of N-Eureka: a convolution of a channels-last image in the near memory, encoded in 24 registers.

Source: pulp-nnx `neureka/hal/neureka_task_defs.h`, `neureka_task.c`; GVSoC `pulp/neureka/src/neureka_regfile.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ....errors import Diagnostic
from .geometry import PIXELS, WEIGHT_MEMORY_BASE, WORD, ConvKind, blocks
from .weights import LEAST_BITS, MOST_BITS

COUNT = 24
"""Registers of a job."""
MOST_PADDING = 2
"""Rows or columns of padding on each side."""


class NpuRegister(IntEnum):
    """Numbers of a job's registers."""

    WEIGHTS = 0
    INPUT = 1
    OUTPUT = 2
    SCALE = 3
    SCALE_SHIFT = 4
    BIAS = 5
    INPUT_STRIDES = 6
    OUTPUT_STRIDES = 9
    WEIGHT_STRIDES = 12
    CHANNEL_REMAINDERS = 15
    OUTPUT_REMAINDERS = 16
    INPUT_REMAINDERS = 17
    CHANNEL_BLOCKS = 18
    PIXEL_BLOCKS = 19
    PADDING = 20
    WEIGHT_OFFSET = 21
    FILTER_MASK = 22
    CONF0 = 23


class Conf(IntEnum):
    """Bit positions of the fields of CONF0; unused bits are 0."""

    WEIGHT_BITS = 0
    REQUANTIZE = 4
    KIND = 5
    WEIGHT_MEMORY = 9
    PREFETCH = 10
    SCALE_SIZE = 12
    ACCUMULATE = 14
    LAYER_OFFSET = 15
    SHIFT = 16
    OUTPUT_SIZE = 21
    NO_RELU = 23
    BIAS = 25
    SIGNED = 26


WIDTHS = {
    Conf.WEIGHT_BITS: 3,
    Conf.REQUANTIZE: 1,
    Conf.KIND: 2,
    Conf.WEIGHT_MEMORY: 1,
    Conf.PREFETCH: 1,
    Conf.SCALE_SIZE: 2,
    Conf.ACCUMULATE: 1,
    Conf.LAYER_OFFSET: 1,
    Conf.SHIFT: 5,
    Conf.OUTPUT_SIZE: 2,
    Conf.NO_RELU: 1,
    Conf.BIAS: 1,
    Conf.SIGNED: 1,
}
"""Width in bits of each field of CONF0."""
SIZES = {8: 0, 32: 2}
"""Bits of a scale or an output -> its encoding in CONF0."""


@dataclass(frozen=True)
class Padding:
    """Padding of the image: rows and columns on each side, and the fill byte."""

    top: int = 0
    right: int = 0
    bottom: int = 0
    left: int = 0
    value: int = 0

    @property
    def sides(self) -> tuple[int, int, int, int]:
        """The rows and columns, clockwise from the top."""
        return self.top, self.right, self.bottom, self.left

    @property
    def is_contested(self) -> bool:
        """
        Return whether the padding has values on which descriptions of the NPU differ.

        Below and right of the image the padding is the fill byte by pulp-nnx's registers, 0 in GVSoC.
        """
        return self.value & 0xFF != 0 and (self.right > 0 or self.bottom > 0)


@dataclass(frozen=True)
class JobAddresses:
    """Addresses of a job's operands, as the cores see them. Weights may be in the weight memory."""

    weights: int = 0
    input: int = 0
    output: int = 0
    scale: int = 0
    bias: int = 0


@dataclass(frozen=True)
class NpuJob:
    """
    Convolution of `height` x `width` output pixels, `channels` in, `features` out (equal for depthwise ones).

    With `scale_bits` of 8 or 32 it requantises to bytes: `clip((sum * scale[o] + bias[o]) >> shift)`, between 0 and 255
    with `relu`, else between -128 and 127; the scale is unsigned, the bias optional. With 0 the result is the 32-bit
    sums; `accumulate` adds them to the output's old content.

    Strides are in bytes; 0 means dense.
    """

    kind: ConvKind
    height: int
    width: int
    channels: int
    features: int
    padding: Padding = Padding()
    weight_bits: int = 8
    weight_offset: int = -128
    output_bits: int = 8
    scale_bits: int = 8
    shift: int = 0
    bias: bool = True
    relu: bool = True
    signed: bool = False
    accumulate: bool = False
    prefetch: bool = False
    addresses: JobAddresses = JobAddresses()
    input_pixel_stride: int = 0
    input_row_stride: int = 0
    output_pixel_stride: int = 0
    output_row_stride: int = 0

    @property
    def input_height(self) -> int:
        """Rows of the image, without padding."""
        return self.height + self.kind.taps - 1 - self.padding.top - self.padding.bottom

    @property
    def input_width(self) -> int:
        """Columns of the image, without padding."""
        return self.width + self.kind.taps - 1 - self.padding.left - self.padding.right

    @property
    def input_strides(self) -> tuple[int, int]:
        """Strides in bytes of pixels and of rows of the input."""
        pixel = self.input_pixel_stride or self.channels
        return pixel, self.input_row_stride or self.input_width * pixel

    @property
    def output_strides(self) -> tuple[int, int]:
        """Strides in bytes of pixels and of rows of the output."""
        pixel = self.output_pixel_stride or self.features * self.output_bits // 8
        return pixel, self.output_row_stride or self.width * pixel

    @property
    def in_weight_memory(self) -> bool:
        """Return whether the weights are read from the weight memory."""
        return self.addresses.weights >= WEIGHT_MEMORY_BASE


def registers(job: NpuJob) -> tuple[int, ...]:
    """Encode a job in its 24 32-bit registers. Raises Diagnostic for an unsupported job."""
    check(job)
    kind, padding = job.kind, job.padding
    block_in, rest_in = _cut(job.channels, kind.channels)
    block_out, rest_out = _cut(job.features, kind.features)
    if kind is ConvKind.DEPTHWISE:
        block_in, rest_in = block_out, rest_out
    rows, rest_rows = _cut(job.height, PIXELS)
    columns, rest_columns = _cut(job.width, PIXELS)
    pixel, row = job.input_strides
    at = job.addresses
    words = {
        NpuRegister.WEIGHTS: at.weights - WEIGHT_MEMORY_BASE if job.in_weight_memory else at.weights,
        NpuRegister.INPUT: at.input - padding.top * row - padding.left * pixel,
        NpuRegister.OUTPUT: at.output,
        NpuRegister.SCALE: at.scale,
        NpuRegister.BIAS: at.bias,
        NpuRegister.INPUT_STRIDES: pixel,
        NpuRegister.INPUT_STRIDES + 1: row,
        NpuRegister.OUTPUT_STRIDES: WORD,
        NpuRegister.OUTPUT_STRIDES + 1: job.output_strides[0],
        NpuRegister.OUTPUT_STRIDES + 2: job.output_strides[1],
        NpuRegister.WEIGHT_STRIDES: WORD,
        NpuRegister.WEIGHT_STRIDES + 1: _weight_stride(job, block_in),
        NpuRegister.CHANNEL_REMAINDERS: _pair(rest_out, rest_in),
        NpuRegister.OUTPUT_REMAINDERS: _pair(rest_rows, rest_columns),
        NpuRegister.INPUT_REMAINDERS: _pair(
            rest_rows + kind.taps - 1 - padding.bottom, rest_columns + kind.taps - 1 - padding.right
        ),
        NpuRegister.CHANNEL_BLOCKS: _pair(block_out, block_in),
        NpuRegister.PIXEL_BLOCKS: _pair(rows, columns),
        NpuRegister.PADDING: _padding(padding),
        NpuRegister.WEIGHT_OFFSET: job.weight_offset,
        NpuRegister.CONF0: _configuration(job),
    }
    return tuple(words.get(number, 0) & 0xFFFF_FFFF for number in range(COUNT))


def _cut(extent: int, block: int) -> tuple[int, int]:
    """Return the number of blocks and the extent of the last one, never 0."""
    return blocks(extent, block), (extent - 1) % block + 1


def _pair(high: int, low: int) -> int:
    return high << 16 | low


def _weight_stride(job: NpuJob, block_in: int) -> int:
    """Return the stride in bytes between the weights of consecutive output channels."""
    if job.kind is ConvKind.DEPTHWISE:
        return 0
    return WORD * block_in * (1 if job.kind is ConvKind.POINTWISE else job.weight_bits)


def _padding(padding: Padding) -> int:
    top, right, bottom, left = padding.sides
    return top << 28 | right << 24 | bottom << 20 | left << 16 | padding.value & 0xFF


def _configuration(job: NpuJob) -> int:
    fields = {
        Conf.WEIGHT_BITS: job.weight_bits - 1,
        Conf.REQUANTIZE: bool(job.scale_bits),
        Conf.KIND: job.kind.value,
        Conf.WEIGHT_MEMORY: job.in_weight_memory,
        Conf.PREFETCH: job.prefetch,
        Conf.SCALE_SIZE: SIZES.get(job.scale_bits, 0),
        Conf.ACCUMULATE: job.accumulate,
        Conf.LAYER_OFFSET: True,
        Conf.SHIFT: job.shift,
        Conf.OUTPUT_SIZE: SIZES[job.output_bits],
        Conf.NO_RELU: not job.relu,
        Conf.BIAS: bool(job.scale_bits) and job.bias,
        Conf.SIGNED: job.signed,
    }
    return sum(int(value) << field for field, value in fields.items())


def check(job: NpuJob) -> None:
    """Raise Diagnostic for a job that the NPU does not support."""
    extents = {"height": job.height, "width": job.width, "channels": job.channels, "features": job.features}
    for name, extent in extents.items():
        if not 1 <= extent <= 0xFFFF:
            raise _unsupported(f"a job of {name} {extent}", "extents from 1 to 65535")
    if job.kind is ConvKind.DEPTHWISE and job.channels != job.features:
        raise _unsupported(
            "a depthwise job with a multiplier of channels",
            f"{job.channels} features",
            f"{job.features} features",
            "do it as a dense one",
        )
    _check_numbers(job)
    _check_padding(job)
    _check_requantisation(job)


def _check_numbers(job: NpuJob) -> None:
    if not LEAST_BITS <= job.weight_bits <= MOST_BITS:
        raise _unsupported(f"weights of {job.weight_bits} bits", "2 to 8 bits")
    if not -(1 << 31) <= job.weight_offset < 1 << 31:
        raise _unsupported(f"a weight offset of {job.weight_offset}", "32 bits")
    for name in ("input_pixel_stride", "input_row_stride", "output_pixel_stride", "output_row_stride"):
        if not 0 <= getattr(job, name) < 1 << 31:
            raise _unsupported(f"a stride of {getattr(job, name)} bytes", "strides that are not negative")


def _check_padding(job: NpuJob) -> None:
    padding = job.padding
    most = 0 if job.kind is ConvKind.POINTWISE else MOST_PADDING
    if any(not 0 <= side <= most for side in padding.sides):
        raise _unsupported(
            "padding so wide", f"0 to {most} on each side", f"{list(padding.sides)}", "pad the image in memory"
        )
    if not -128 <= padding.value <= 255:
        raise _unsupported("a padding value of more than a byte", "-128 to 255", str(padding.value))
    if padding.is_contested:
        raise _unsupported(
            f"padding below or right of the image by {padding.value}",
            "padding of 0 there",
            f"{padding.bottom} rows and {padding.right} columns",
            "pad the image in memory",
        )
    if min(job.input_height, job.input_width) < 1:
        raise _unsupported("an image that is padding only", "one row and column at least")
    # Only the last sub-tile of a row or column has the padding after the image.
    late = {"bottom": (job.height, padding.bottom), "right": (job.width, padding.right)}
    for side, (extent, rows) in late.items():
        if extent > PIXELS and rows > (extent - 1) % PIXELS + 1:
            raise _unsupported(
                f"padding at the {side} that reaches into the last sub-tile but one",
                f"an output extent that leaves {rows} or more of its last {PIXELS}",
                f"an extent of {extent}",
                "pad the image in memory",
            )


def _check_requantisation(job: NpuJob) -> None:
    if job.scale_bits not in (0, *SIZES) or job.output_bits not in SIZES:
        raise _unsupported(
            "numbers of this width",
            "scales and outputs of 8 or 32 bits",
            f"scales of {job.scale_bits}, outputs of {job.output_bits} bits",
        )
    if bool(job.scale_bits) != (job.output_bits == 8):
        raise _unsupported(
            "requantisation to 32 bits, and bytes without it",
            "a scale and outputs of 8 bits, or no scale and outputs of 32 bits",
            f"scales of {job.scale_bits}, outputs of {job.output_bits} bits",
        )
    if job.accumulate and (job.output_bits != 32 or job.kind is ConvKind.DEPTHWISE):
        raise _unsupported("adding to these outputs", "outputs of 32 bits of a job that is not depthwise")
    if not 0 <= job.shift < 32:
        raise _unsupported(f"a shift by {job.shift}", "0 to 31")


def _unsupported(what: str, expected: str, found: str = "", remedy: str = "") -> Diagnostic:
    return Diagnostic(f"the NPU does not support {what}", expected=expected, found=found, remedy=remedy)
