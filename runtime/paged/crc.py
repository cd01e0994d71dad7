"""CRC32C (Castagnoli, RFC 3720 appendix B.4), vectorised over rows of bytes and over their words."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = "NDArray[np.uint32]"

_POLYNOMIAL = np.uint32(0x82F63B78)
"""The polynomial 0x1EDC6F41, bits reflected."""
_INVERTED = np.uint32(0xFFFFFFFF)
_ONE, _BYTE, _LOW = np.uint32(1), np.uint32(8), np.uint32(255)


def crc32c(data: bytes | NDArray[np.uint8]) -> int:
    """Return the CRC32C of bytes."""
    row = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.reshape(-1)
    return int(crc32c_rows(row[None])[0])


def crc32c_rows(data: NDArray[np.uint8]) -> Words:
    """
    Compute the CRC32C of each row [rows][bytes]; returns [rows].

    A CRC without initial value is linear: that of a || b is that of a, shifted by the bits of b, plus that of b. So
    all words of 8 bytes are reduced at once, then pairs of them, and zeros in front count nothing.
    """
    rows, size = data.shape
    words = max(1, -(-size // 8))
    padded = np.zeros((rows, words, 8), np.uint8)
    padded.reshape(rows, -1)[:, 8 * words - size :] = data
    tables = _tables()
    crc: Words = tables[7][padded[..., 0]]
    for place in range(1, 8):
        crc ^= tables[7 - place][padded[..., place]]
    level = 3
    while crc.shape[1] > 1:
        if crc.shape[1] % 2:
            crc = np.concatenate([np.zeros((rows, 1), np.uint32), crc], axis=1)
        crc = _apply(_shift(level), crc[:, 0::2]) ^ crc[:, 1::2]
        level += 1
    remainder: Words = crc[:, 0] ^ _initial(size) ^ _INVERTED
    return remainder


@cache
def _tables() -> Words:
    """Return tables [k][byte]: the remainder of a byte that k zero bytes follow."""
    remainder: Words = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        remainder = (remainder >> _ONE) ^ np.where(remainder & _ONE, _POLYNOMIAL, np.uint32(0))
    tables = [remainder]
    for _ in range(7):
        tables.append((tables[-1] >> _BYTE) ^ tables[0][tables[-1] & _LOW])
    return np.stack(tables)


@cache
def _shift(level: int) -> Words:
    """Return the map [byte of the remainder][its value] that appends 2^level zero bytes to what a remainder is of."""
    if level:
        half = _shift(level - 1)
        return np.stack([_apply(half, part) for part in half])
    byte = np.arange(256, dtype=np.uint32)
    return np.stack([_tables()[0], byte, byte << _BYTE, byte << np.uint32(16)])


def _apply(shift: Words, crc: Words) -> Words:
    result: Words = shift[0][crc & _LOW]
    for place in range(1, 4):
        result = result ^ shift[place][(crc >> np.uint32(8 * place)) & _LOW]
    return result


@cache
def _initial(size: int) -> np.uint32:
    """Compute the contribution of the initial value to the remainder of `size` bytes."""
    crc = np.array([_INVERTED])
    for level in range(size.bit_length()):
        if size >> level & 1:
            crc = _apply(_shift(level), crc)
    return crc[0]
