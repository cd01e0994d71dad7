"""Random jobs for the NPU with the memories that they work on, and what they must leave there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tilewright.ir import Array
from tilewright.targets.siracusa.npu.geometry import L1_BASE, WEIGHT_MEMORY_BASE, ConvKind
from tilewright.targets.siracusa.npu.jobs import JobAddresses, NpuJob, Padding
from tilewright.targets.siracusa.npu.memory import RegionMemory
from tilewright.targets.siracusa.npu.weights import pack

MEMORY = 192 << 10
_MACS = 400_000
"""Products of a job at most, so that the reference stays fast."""


@dataclass(frozen=True)
class Case:
    """A job, the near memory and the weight memory before it, and the near memory after it."""

    job: NpuJob
    l1: Array
    weight_memory: Array
    expected: Array

    def memory(self) -> RegionMemory:
        """Return copies of both memories as the NPU sees them."""
        return RegionMemory({L1_BASE: self.l1.copy(), WEIGHT_MEMORY_BASE: self.weight_memory.copy()})


@st.composite
def jobs(draw: Any) -> NpuJob:
    """Draw a job without addresses."""
    kind = draw(st.sampled_from(list(ConvKind)))
    height, width = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    taps = kind.taps**2 * height * width
    channels = draw(st.integers(1, min(70, max(1, _MACS // taps))))
    features = channels
    if kind is not ConvKind.DEPTHWISE:
        features = draw(st.integers(1, min(70, max(1, _MACS // (taps * channels)))))
    wide = draw(st.booleans())
    bits = draw(st.integers(2, 8))
    job = NpuJob(
        kind,
        height,
        width,
        channels,
        features,
        padding=_padding(draw, kind, height, width),
        weight_bits=bits,
        weight_offset=draw(st.sampled_from([-(1 << (bits - 1)), 0, -17, 1000])),
        output_bits=32 if wide else 8,
        scale_bits=0 if wide else draw(st.sampled_from([8, 32])),
        shift=draw(st.integers(0, 31)),
        bias=draw(st.booleans()),
        relu=draw(st.booleans()),
        signed=draw(st.booleans()),
        accumulate=wide and kind is not ConvKind.DEPTHWISE and draw(st.booleans()),
        prefetch=draw(st.booleans()),
    )
    return _with_strides(draw, job) if draw(st.booleans()) else job


def _padding(draw: Any, kind: ConvKind, height: int, width: int) -> Padding:
    if kind is ConvKind.POINTWISE:
        return Padding()
    top, left = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    bottom, right = (_late(draw, extent, before) for extent, before in ((height, top), (width, left)))
    value = draw(st.sampled_from([0, draw(st.integers(-128, 255))]))
    if Padding(top, right, bottom, left, value).is_contested:
        bottom = right = 0
    return Padding(top, right, bottom, left, value)


def _late(draw: Any, extent: int, before: int) -> int:
    """Draw padding after the image: something of the image must be left, and only the last sub-tile has it."""
    most = min(2, extent + 1 - before, 2 if extent <= 6 else (extent - 1) % 6 + 1)
    return draw(st.integers(0, max(0, most)))


def _with_strides(draw: Any, job: NpuJob) -> NpuJob:
    pixel, gap = (job.input_strides[0] + draw(st.integers(0, 9)) for _ in range(2))
    out = job.output_strides[0] + draw(st.integers(0, 9))
    return replace(
        job,
        input_pixel_stride=pixel,
        input_row_stride=pixel * job.input_width + gap,
        output_pixel_stride=out,
        output_row_stride=out * job.width + draw(st.integers(0, 9)),
    )


@st.composite
def cases(draw: Any) -> Case:
    """Draw a job with its operands in random places of the memories."""
    job = draw(jobs())
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    return case_of(job, random, weight_memory=draw(st.booleans()), extreme=draw(st.booleans()))


def case_of(job: NpuJob, random: np.random.Generator, *, weight_memory: bool = True, extreme: bool = False) -> Case:
    """Return a job with random operands; `extreme` ones overflow wherever they can."""
    depth = 1 if job.kind is ConvKind.DEPTHWISE else job.channels
    shape = (job.features, depth, job.kind.taps, job.kind.taps)
    weight = random.integers(0, 1 << job.weight_bits, shape) + job.weight_offset
    packed = pack(job.kind, weight, job.weight_bits, job.weight_offset).reshape(-1)
    x = random.integers(0, 256, (job.input_height, job.input_width, job.channels)).astype(np.uint8)
    scale = random.integers(0, 1 << (32 if extreme and job.scale_bits == 32 else 8), job.features)
    limit = (1 << 31) - 1 if extreme else 1 << 16
    bias = random.integers(-limit - 1, limit, job.features, endpoint=True)
    l1 = random.integers(0, 256, MEMORY).astype(np.uint8)
    room = _Room(l1, int(random.integers(0, 64)))
    weights = room.put(packed) if not weight_memory else int(random.integers(0, 64))
    pixel, row = job.input_strides
    places = JobAddresses(
        weights=(WEIGHT_MEMORY_BASE if weight_memory else L1_BASE) + weights,
        input=L1_BASE + room.put_strided(x, (row, pixel, 1)),
        scale=L1_BASE + room.put(scale.astype("<u4" if job.scale_bits == 32 else np.uint8).view(np.uint8)),
        bias=L1_BASE + room.put(bias.astype("<i4").view(np.uint8)),
        output=L1_BASE + room.end,
    )
    job = replace(job, addresses=places)
    far = np.zeros(weights + len(packed), np.uint8)
    far[weights:] = packed
    return Case(job, l1, far if weight_memory else far[:1], _expected(job, l1, x, weight, scale, bias))


@dataclass
class _Room:
    """Memory that is taken from the beginning on, with odd gaps."""

    bytes: Array
    end: int

    def put(self, values: Array) -> int:
        """Put bytes there and return where."""
        start = self.end
        self.bytes[start : start + len(values)] = values
        self.end += len(values) + 3
        return start

    def put_strided(self, values: Array, strides: tuple[int, int, int]) -> int:
        """Put an image there and return where."""
        start = self.end
        size = sum((n - 1) * stride for n, stride in zip(values.shape, strides, strict=True)) + 1
        np.ndarray(values.shape, np.uint8, self.bytes, start, strides)[...] = values
        self.end += size + 5
        return start


def _expected(job: NpuJob, l1: Array, x: Array, weight: Array, scale: Array, bias: Array) -> Array:
    """Return the near memory after the job, by a direct convolution in 64 bits."""
    after = l1.copy()
    size = job.output_bits // 8
    pixel, row = job.output_strides
    shape = (job.height, job.width, job.features * size)
    target = np.ndarray(shape, np.uint8, after, job.addresses.output - L1_BASE, (row, pixel, 1))
    sums = convolution(job, x, weight)
    if job.accumulate:
        sums += np.ascontiguousarray(target).view("<i4")
    target[...] = finished(job, sums, scale, bias).view(np.uint8).reshape(shape)
    return after


def convolution(job: NpuJob, x: Array, weight: Array) -> Array:
    """Return the sums [height, width, Cout] of a job in int64."""
    numbers = x.view(np.int8) if job.signed else x
    fill = np.array(job.padding.value).astype(np.int8 if job.signed else np.uint8)
    top, right, bottom, left = job.padding.sides
    image = np.pad(numbers, ((top, bottom), (left, right), (0, 0)), constant_values=fill).astype(np.int64)
    total = np.zeros((job.height, job.width, job.features), np.int64)
    for y in range(job.kind.taps):
        for x_ in range(job.kind.taps):
            window = image[y : y + job.height, x_ : x_ + job.width]
            factors = weight[:, :, y, x_].astype(np.int64)
            total += window * factors[:, 0] if job.kind is ConvKind.DEPTHWISE else window @ factors.T
    return total


def finished(job: NpuJob, sums: Array, scale: Array, bias: Array) -> Array:
    """Return the outputs of sums."""
    sums = _modulo(sums)
    if not job.scale_bits:
        return sums.astype("<i4")
    numbers = sums.astype(object) * scale.astype(object)
    if job.bias:
        numbers = (numbers + bias.astype(object) + (1 << 31)) % (1 << 32) - (1 << 31)
    numbers = numbers // (1 << job.shift)
    low, high = (0, 255) if job.relu else (-128, 127)
    return np.clip(numbers, low, high).astype(np.int64).astype(np.uint8)


def _modulo(sums: Array) -> Array:
    return (sums + (1 << 31)) % (1 << 32) - (1 << 31)
