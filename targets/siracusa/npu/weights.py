"""
Weights in the bit-serial layout of N-Eureka's weight words.

A word has 32 bytes, of which bit i is bit i % 8 of byte i / 8. Weights are unsigned there, `w - offset` in 2 to 8 bits;
the NPU adds the offset again. Channels are padded with zeros to whole sub-tiles.

| kind | words of an output channel | bit of a word |
|---|---|---|
| dense 3x3 | for each 28 channels, for each bit of a weight | `(ky * 3 + kx) * 28 + c` |
| depthwise 3x3 | for each bit of a weight, shared by 28 channels | `(ky * 3 + kx) * 28 + c` |
| pointwise | for each 32 channels; always 8 bits | `c / 4 * 32 + bit * 4 + c % 4` |

Source: pulp-nnx `test/NeurekaWeight.py`.
"""

from __future__ import annotations

import numpy as np

from ....errors import Diagnostic
from ....ir import Array
from .geometry import WORD, ConvKind, blocks, packed_shape

LEAST_BITS, MOST_BITS = 2, 8
_WORD_BITS = 8 * WORD
_GROUP = 4
"""Channels of a pointwise convolution with interleaved bits."""
_BITS = np.arange(MOST_BITS, dtype="<u4")
_SPREAD = ((np.arange(256, dtype="<u4")[:, None] >> _BITS & 1) << _GROUP * _BITS).sum(axis=1, dtype="<u4")
"""Byte -> its bits, spread for interleaving with the other channels of a group."""


def fewest_bits(weight: Array) -> tuple[int, int]:
    """
    Return the fewest bits, 2 to 8, that represent integer weights, and the storage offset.

    The offset is -2^(bits - 1) if that suffices. Raises Diagnostic for weights that span more than 256.
    """
    low, high = (int(weight.min()), int(weight.max())) if weight.size else (0, 0)
    bits = max(LEAST_BITS, (high - low).bit_length())
    if bits > MOST_BITS:
        raise Diagnostic(
            "the weights are too wide for the NPU", expected="at most 8 bits", found=f"values from {low} to {high}"
        )
    middle = -(1 << (bits - 1))
    return bits, middle if middle <= low and high < -middle else low


def pack(kind: ConvKind, weight: Array, bits: int, offset: int) -> Array:
    """
    Pack weights [Cout, Cin, kh, kw], depthwise [C, 1, kh, kw], to uint8 [rows, bytes of a row].

    The shape is that of `packed_shape`. Raises Diagnostic for a wrong shape, for an unsupported number of bits, and for
    weights out of the range of `bits` bits with this offset.
    """
    _check_shape(kind, weight)
    _check_bits(bits)
    stored = weight.astype(np.int64) - offset
    if stored.size and (stored.min() < 0 or stored.max() >= 1 << bits):
        raise Diagnostic(
            f"the weights do not fit {bits} bits with the offset {offset}",
            expected=f"values from {offset} to {offset + (1 << bits) - 1}",
            found=f"values from {weight.min()} to {weight.max()}",
        )
    features, channels = _extents(kind, weight)
    rows = stored.astype(np.uint8)
    if kind is ConvKind.DEPTHWISE:
        rows = rows.transpose(1, 0, 2, 3)
    taps = kind.taps**2
    count = blocks(channels, kind.channels)
    padded = np.zeros((len(rows), count * kind.channels, taps), np.uint8)
    padded[:, :channels] = rows.reshape(len(rows), channels, taps)
    packed = _pointwise_bytes(padded) if kind is ConvKind.POINTWISE else _window_bytes(padded, bits)
    return packed.reshape(packed_shape(kind, features, channels, bits))


def unpack(kind: ConvKind, packed: Array, channels: int, bits: int, offset: int) -> Array:
    """
    Unpack weights to [Cout, Cin, kh, kw], depthwise [C, 1, kh, kw], as int32.

    `packed` are bytes [rows, bytes of a row], `channels` the input channels. Raises Diagnostic for a wrong shape.
    """
    _check_bits(bits)
    depthwise, count = kind is ConvKind.DEPTHWISE, blocks(channels, kind.channels)
    wanted = packed_shape(kind, channels if depthwise else len(packed), channels, bits)
    if packed.shape != wanted:
        raise Diagnostic(
            "packed weights have the wrong shape", expected=str(list(wanted)), found=str(list(packed.shape))
        )
    words = np.unpackbits(packed.view(np.uint8).reshape(-1, WORD), axis=-1, bitorder="little")
    if kind is ConvKind.POINTWISE:
        digits = words.reshape(len(packed), count, -1, MOST_BITS, _GROUP).transpose(3, 0, 1, 2, 4)[:bits]
    else:
        rows = 1 if depthwise else len(packed)
        taps = words[:, : 9 * kind.channels].reshape(rows, count, bits, 9, kind.channels)
        digits = taps.transpose(2, 0, 1, 4, 3)
    weights = np.zeros(digits.shape[1:], np.uint8)
    for bit, plane in enumerate(digits):
        weights |= plane << bit
    whole = weights.reshape(-1, count * kind.channels, kind.taps, kind.taps)[:, :channels]
    return (whole.transpose(1, 0, 2, 3) if depthwise else whole).astype(np.int32) + np.int32(offset)


def _check_shape(kind: ConvKind, weight: Array) -> None:
    kernel = (kind.taps, kind.taps)
    depth = 1 if kind is ConvKind.DEPTHWISE else weight.shape[1] if weight.ndim == 4 else 0
    if weight.ndim != 4 or weight.shape[2:] != kernel or weight.shape[1] != depth:
        raise Diagnostic(
            f"the weights are not those of a {kind.name.lower()} convolution",
            expected=f"[Cout, {'1' if kind is ConvKind.DEPTHWISE else 'Cin'}, {kind.taps}, {kind.taps}]",
            found=str(list(weight.shape)),
        )


def _check_bits(bits: int) -> None:
    if not LEAST_BITS <= bits <= MOST_BITS:
        raise Diagnostic("the NPU has no weights of this width", expected="2 to 8 bits", found=f"{bits} bits")


def _extents(kind: ConvKind, weight: Array) -> tuple[int, int]:
    """Return output and input channels."""
    return weight.shape[0], weight.shape[0] if kind is ConvKind.DEPTHWISE else weight.shape[1]


def _window_bytes(padded: Array, bits: int) -> Array:
    """Return the words [rows, blocks, bits, 32] of weights [rows, channels, 9]."""
    windows = padded.reshape(len(padded), -1, 28, 9).transpose(0, 1, 3, 2)
    words = np.zeros((*windows.shape[:2], bits, _WORD_BITS), np.uint8)
    flat = windows.reshape(*windows.shape[:2], -1)
    for bit in range(bits):
        words[:, :, bit, : flat.shape[-1]] = (flat >> bit) & 1
    return np.packbits(words, axis=-1, bitorder="little")


def _pointwise_bytes(padded: Array) -> Array:
    """Return the bytes of the consecutive words of weights [rows, channels, 1]."""
    groups = padded.reshape(-1, _GROUP)
    words = np.zeros(len(groups), "<u4")
    for channel in range(_GROUP):
        words |= _SPREAD[groups[:, channel]] << np.uint32(channel)
    return words.view(np.uint8)
