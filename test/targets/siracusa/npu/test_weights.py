"""The packed layout of weights, bit by bit, and its inverse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.targets.siracusa.npu.geometry import ConvKind, packed_shape
from tilewright.targets.siracusa.npu.weights import fewest_bits, pack, unpack

KINDS = list(ConvKind)


def weights(kind: ConvKind, features: int, channels: int, bits: int, offset: int, seed: int) -> Array:
    depthwise = kind is ConvKind.DEPTHWISE
    shape = (channels if depthwise else features, 1 if depthwise else channels, kind.taps, kind.taps)
    return np.random.default_rng(seed).integers(0, 1 << bits, shape) + offset


def bit(packed: Array, row: int, word: int, index: int) -> int:
    """Return a bit of a word, counted as the manual does."""
    return int(packed[row, 32 * word + index // 8] >> index % 8 & 1)


def stored(kind: ConvKind, packed: Array, at: tuple[int, int, int, int], bits: int) -> int:
    """Return the unsigned weight at [o, c, ky, kx], read bit by bit."""
    o, c, ky, kx = at
    if kind is ConvKind.POINTWISE:
        places = [(o, c // 32, c % 32 // 4 * 32 + b * 4 + c % 4) for b in range(bits)]
    elif kind is ConvKind.DEPTHWISE:
        places = [(o // 28, b, (ky * 3 + kx) * 28 + o % 28) for b in range(bits)]
    else:
        places = [(o, c // 28 * bits + b, (ky * 3 + kx) * 28 + c % 28) for b in range(bits)]
    return sum(bit(packed, *place) << number for number, place in enumerate(places))


@given(st.sampled_from(KINDS), st.integers(1, 9), st.integers(1, 90), st.integers(2, 8), st.integers(-300, 300))
@settings(max_examples=200, deadline=None)
def test_unpacking_is_the_inverse(kind: ConvKind, features: int, channels: int, bits: int, offset: int):
    w = weights(kind, features, channels, bits, offset, channels)
    packed = pack(kind, w, bits, offset)
    assert packed.shape == packed_shape(kind, features, channels, bits)
    found = unpack(kind, packed, channels, bits, offset)
    assert found.dtype == np.int32
    assert np.array_equal(found, w)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", [2, 5, 8])
def test_each_bit_is_where_the_hardware_reads_it(kind: ConvKind, bits: int):
    w = weights(kind, 3, 61, bits, -7, bits)
    packed = pack(kind, w, bits, -7)
    for at in np.ndindex(*w.shape):
        assert stored(kind, packed, at, bits) == w[at] + 7  # pyright: ignore[reportArgumentType]
    assert np.unpackbits(packed).sum() == sum(int(n).bit_count() for n in (w + 7).flat), "what is no weight is 0"


@pytest.mark.parametrize(
    ("values", "bits", "offset"),
    [([0], 2, -2), ([-1, 1], 2, -2), ([-3, 3], 3, -4), ([-128, 127], 8, -128), ([0, 3], 2, 0), ([5, 260], 8, 5)],
)
def test_the_fewest_bits_are_found(values: list[int], bits: int, offset: int):
    assert fewest_bits(np.array(values)) == (bits, offset)
    w = np.resize(np.array(values), (2, 3, 3, 3))
    assert np.array_equal(unpack(ConvKind.DENSE, pack(ConvKind.DENSE, w, bits, offset), 3, bits, offset), w)


REFUSED: list[tuple[Callable[[Array], object], str]] = [
    (lambda w: pack(ConvKind.DENSE, w, 8, -127), "do not fit 8 bits with the offset -127"),
    (lambda w: pack(ConvKind.DENSE, w, 4, -8), "do not fit 4 bits"),
    (lambda w: pack(ConvKind.DENSE, w, 1, 0), "no weights of this width"),
    (lambda w: pack(ConvKind.DENSE, w, 9, 0), "no weights of this width"),
    (lambda w: pack(ConvKind.POINTWISE, w, 8, -128), "not those of a pointwise"),
    (lambda w: pack(ConvKind.DEPTHWISE, w, 8, -128), "not those of a depthwise"),
    (lambda w: unpack(ConvKind.DENSE, pack(ConvKind.DENSE, w, 8, -128), 29, 8, -128), "wrong shape"),
    (lambda w: fewest_bits(w * 2), "too wide for the NPU"),
]


@pytest.mark.parametrize(("act", "message"), REFUSED)
def test_what_cannot_be_packed_is_refused(act: Callable[[Array], object], message: str):
    w = np.full((2, 28, 3, 3), 127)
    w[0] = -128
    with pytest.raises(Diagnostic, match=message):
        act(w)
