"""Reference semantics of convolutions with packed weights, on whole arrays without sub-tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....ir import Array
from .geometry import ConvKind
from .view import Format
from .weights import unpack

_EXACT = 1 << 53


def convolve(format: Format, x: Array, packed: Array, pads: Sequence[int], fill: int) -> Array:
    """
    Compute the sums [N, Ho, Wo, Cout] modulo 2^32, in int32.

    x [N, H, W, Cin] is int8 or uint8, `packed` are bytes [rows, bytes]; `pads` are top, left, bottom and right, filled
    with `fill`.
    """
    weight = unpack(format.kind, packed, x.shape[-1], format.bits, format.offset)
    top, left, bottom, right = pads
    image = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=np.array(fill).astype(x.dtype))
    taps = format.kind.taps
    largest = 255 * (abs(format.offset) + 255) * taps**2 * x.shape[-1]
    carrier = np.float64 if largest < _EXACT else np.int64
    image, factors = image.astype(carrier), np.moveaxis(weight, (2, 3), (0, 1)).astype(carrier)
    height, width = image.shape[1] - taps + 1, image.shape[2] - taps + 1
    total = np.zeros((x.shape[0], height, width, len(weight)), carrier)
    for (ky, kx), taken in zip(np.ndindex(taps, taps), factors.reshape(taps**2, *weight.shape[:2]), strict=True):
        window = image[:, ky : ky + height, kx : kx + width]
        total += window * taken[:, 0] if format.kind is ConvKind.DEPTHWISE else window @ taken.T
    return total.astype(np.int64).astype(np.int32)


def requantize(sums: Array, scale: Array, bias: Array, shift: int, low: int, high: int) -> Array:
    """
    Compute `clip((sums * scale + bias) >> shift, low, high)` as bytes, in int8.

    The scale is unsigned; the product has 64 bits, the sum with the bias 32.
    """
    unsigned = np.asarray(scale).astype(f"u{np.asarray(scale).itemsize}").astype(np.int64)
    scaled = np.asarray(sums).astype(np.int64) * unsigned + np.asarray(bias).astype(np.int64)
    return np.clip(scaled.astype(np.int32) >> np.int32(shift), low, high).astype(np.int8)
