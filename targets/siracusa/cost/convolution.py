"""
Recognition of convolutions for N-Eureka: 1x1 or 3x3 windows on a channels-last image, without strides.

Kernels are matched by iteration domain and accesses alone: `npu.conv`, whose weights are packed rows of bytes, and
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from ....dialects.core.analysis.affine_form import linear
from ....dialects.core.kernel import Access, Kernel, is_shaped, per_kernel
from ....ir import element_of, integer_width, shape_of
from ..npu.geometry import WORD, pixel_grids
from .jobs import CHANNELS, Kind
from .kernels import dims_of, parallel_dims


class NpuExtents(NamedTuple):
    """Extents of a tile on the NPU: height and width of each image, channels, features, padding."""

    images: tuple[tuple[int, int], ...]
    channels: int
    features: int
    pad: tuple[int, int]


class ConvAxis(NamedTuple):
    """Spatial axis of the image: its loops over pixels and taps (-1 for none), and its padding at the end."""

    pixels: int = -1
    taps: int = -1
    pad: int = 0


@dataclass(frozen=True)
class Convolution:
    """
    Kind and loops of a convolution.

    `whole` are the bounds of all loops, which determine if a tile is at a border. A `matrix` has rows instead of
    pixels.
    """

    kind: Kind
    rows: ConvAxis
    columns: ConvAxis
    channels: int
    features: tuple[int, ...]
    batch: tuple[int, ...]
    reduced: frozenset[int]
    whole: tuple[int, ...]
    matrix: bool
    weight_bits: int
    out_bits: int
    scale_bits: int

    def extents(self, bounds: Sequence[int]) -> NpuExtents | None:
        """Return the extents of a tile on the NPU; None for a split reduction."""
        if any(bounds[d] != self.whole[d] for d in self.reduced):
            return None
        axes = self.rows, self.columns
        height, width = (bounds[axis.pixels] if axis.pixels >= 0 else 1 for axis in axes)
        below, right = (self._pad(axis, bounds) for axis in axes)
        images = pixel_grids(width) if self.matrix else [(height, width)] * prod(bounds[d] for d in self.batch)
        features = prod(bounds[d] for d in self.features)
        return NpuExtents(tuple(images), bounds[self.channels], features, (below, right))

    def _pad(self, axis: ConvAxis, bounds: Sequence[int]) -> int:
        """Return the padding of a tile along an axis; along a tiled axis, transfers have filled it."""
        return axis.pad if axis.pixels >= 0 and bounds[axis.pixels] == self.whole[axis.pixels] else 0


@per_kernel
def convolution_of(kernel: Kernel) -> Convolution | None:
    """
    Match a kernel as a convolution; None if a job cannot compute it.

    Its first input is [..., H, W, C], with leading batch axes, or [rows, C] for a matrix product. Kernels that
    accumulate into their output are excluded, because their cost is unknown.
    """
    if len(kernel.reductions) != 1 or kernel.result is not None or len(kernel.inputs) < 2:
        return None
    if any(initial is None for initial in kernel.reductions[0].initial):
        return None
    image = kernel.inputs[0]
    if len(image.map.results) < 2:
        return None
    axes = [_axis(image, index, kernel) for index in range(len(image.map.results))]
    if None in axes:
        return None
    *batch, rows, columns = [ConvAxis(), *(axis for axis in axes[:-1] if axis is not None)]
    depth = sorted(image.map.results[-1].used_dims())
    kind = _kind(kernel, rows, columns, depth)
    out_bits = integer_width(element_of(kernel.outputs[0].value))
    if kind is None or out_bits not in (8, 32) or any(axis.taps >= 0 for axis in batch):
        return None
    features = tuple(d for d in parallel_dims(kernel) if d not in dims_of(image))
    return Convolution(
        kind,
        rows,
        columns,
        channels=depth[0],
        features=tuple(depth) if kind == "depthwise" else features,
        batch=tuple(axis.pixels for axis in batch if axis.pixels >= 0),
        reduced=kernel.reduced,
        whole=kernel.bounds,
        matrix=len(axes) == 2,
        weight_bits=_weight_bits(kernel, kind, kernel.bounds[depth[0]]),
        out_bits=out_bits,
        scale_bits=_scale_bits(kernel),
    )


def _axis(image: Access, index: int, kernel: Kernel) -> ConvAxis | None:
    """Return the loops along an axis of the image; None for a strided, dilated or irregular axis."""
    form = linear(image.map.results[index])
    if any(not isinstance(atom, int) or factor != 1 for atom, factor in form.terms):
        return None
    dims = [atom for atom, _ in form.terms if isinstance(atom, int)]
    pixels = [d for d in dims if d not in kernel.reduced]
    taps = [d for d in dims if d in kernel.reduced]
    if len(pixels) > 1 or len(taps) > 1:
        return None
    beyond = form.interval(kernel.bounds)[1] - (shape_of(image.value)[index] - 1)
    return ConvAxis(pixels[0] if pixels else -1, taps[0] if taps else -1, max(0, beyond))


def _kind(kernel: Kernel, rows: ConvAxis, columns: ConvAxis, depth: Sequence[int]) -> Kind | None:
    taps = tuple(kernel.bounds[axis.taps] if axis.taps >= 0 else 1 for axis in (rows, columns))
    if len(depth) != 1 or taps not in ((1, 1), (3, 3)):
        return None
    if depth[0] in kernel.reduced:
        return "1x1" if taps == (1, 1) else "3x3"
    return "depthwise" if taps == (3, 3) else None


def _weight_bits(kernel: Kernel, kind: Kind, channels: int) -> int:
    """Return the bits of a weight: one per word in a row of packed weights, else 8."""
    shape = shape_of(kernel.inputs[1].value)
    if kind == "1x1" or len(shape) != 2:
        return 8
    words = 1 if kind == "depthwise" else -(-channels // CHANNELS)
    return max(1, shape[1] // (WORD * words))


def _scale_bits(kernel: Kernel) -> int:
    """Return the bits of the scale: 8 if an operand of the epilogue has bytes, else 32."""
    widths = [integer_width(element_of(access.value)) for access in kernel.extras if is_shaped(access.value)]
    return 8 if 8 in widths else 32
