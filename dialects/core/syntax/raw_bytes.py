"""
Raw bytes of constants, as upstream writes them in `dense<"0x...">`, from and to those that xDSL holds.

An integer of w bits takes ceil(w / 8) bytes upstream, and the bits above w are ignored; i1 is packed, 8 elements a
byte, the first in the lowest bit. xDSL holds 1, 2, 4 or 8 bytes with the sign extended. MLIR 19,
BuiltinAttributes.cpp: `getDenseElementStorageWidth`, `isValidRawBuffer`.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType
from xdsl.ir import Attribute

from ....ir import is_unsigned_type

_Integer: TypeAlias = "IntegerType[Any, Any]"
_HEX = re.compile(r"0[xX](?:[0-9a-fA-F]{2})*")
_WIDEST = 64
"""Bits of the widest integers that xDSL holds in a constant."""


def raw_bytes(text: str) -> bytes:
    """Return the bytes of the text `0x0B0F`. Raises ValueError for other texts."""
    if not _HEX.fullmatch(text):
        raise ValueError(f"the bytes of a constant are malformed: expected 0x and pairs of digits, found {text[:20]!r}")
    return bytes.fromhex(text[2:])


def from_upstream(data: bytes, element: Attribute, shape: tuple[int, ...]) -> bytes:
    """
    Return the bytes that xDSL holds for a constant whose raw bytes upstream are `data`: of all elements, or of one.

    Raises ValueError where the number of bytes fits neither.
    """
    count = prod(shape)
    part = _integer_part(element)
    if part is not None and part.width.data > _WIDEST:
        raise ValueError(f"the raw bytes of a constant of {element} are not supported: expected at most {_WIDEST} bits")
    if _is_packed(element):
        return _unpacked(data, count)
    size = _upstream_size(element)
    if len(data) not in (size, size * count):
        raise ValueError(_misfit(f"{size * count} bytes, or {size} for equal elements", len(data)))
    values = data if part is None else _extended(data, part)
    return values * count if len(data) == size else values


def to_upstream(data: bytes, element: Attribute) -> bytes:
    """Return the raw bytes upstream of a constant for which xDSL holds `data`."""
    import numpy as np

    if _is_packed(element):
        return np.packbits(np.frombuffer(data, np.bool_), bitorder="little").tobytes()
    part = _integer_part(element)
    if part is None:
        return data
    stored, size = part.compile_time_size, _bytes_of(part)
    if stored == size and part.width.data == 8 * size:
        return data
    mask = np.uint64((1 << part.width.data) - 1)
    bits = np.frombuffer(data, f"<u{stored}").astype("<u8") & mask
    return bits.view(np.uint8).reshape(-1, 8)[:, :size].tobytes()


def _is_packed(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and cast(_Integer, element).width.data == 1


def _integer_part(element: Attribute) -> _Integer | None:
    """Return the integer type of an element, or of the parts of a complex one; None for floats and index."""
    part = cast("ComplexType[Any]", element).element_type if isinstance(element, ComplexType) else element
    return cast(_Integer, part) if isinstance(part, IntegerType) else None


def _bytes_of(part: _Integer) -> int:
    return -(-part.width.data // 8)


def _upstream_size(element: Attribute) -> int:
    """Return the bytes of one element upstream, which is not packed."""
    part = _integer_part(element)
    if part is None:
        return 8 if isinstance(element, IndexType) else cast(Any, element).compile_time_size
    return _bytes_of(part) * (2 if isinstance(element, ComplexType) else 1)


def _unpacked(data: bytes, count: int) -> bytes:
    """Return one byte for each bit, 0xFF for true; one byte of equal bits is that of equal elements."""
    if len(data) == 1 and data in (b"\x00", b"\xff"):
        return data * count
    if len(data) != -(-count // 8):
        raise ValueError(_misfit(f"{-(-count // 8)} bytes, 8 elements in each, or 1 for equal elements", len(data)))
    import numpy as np

    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
    return (bits * np.uint8(0xFF)).tobytes()


def _extended(data: bytes, part: _Integer) -> bytes:
    """Return integers in as many bytes as xDSL holds for each, the bits above their width set by their sign."""
    size, stored, width = _bytes_of(part), part.compile_time_size, part.width.data
    if stored == size and width == 8 * size:
        return data
    import numpy as np

    padded = np.zeros((len(data) // max(size, 1), 8), np.uint8)
    padded[:, :size] = np.frombuffer(data, np.uint8).reshape(-1, size)
    shift = np.uint64(64 - width)
    aligned = padded.view("<u8").ravel() << shift
    values = aligned >> shift if is_unsigned_type(part) else aligned.view("<i8") >> shift.astype(np.int64)
    return values.astype(f"<i{stored}").tobytes()


def _misfit(expected: str, size: int) -> str:
    return f"the bytes of a constant do not fit its type: expected {expected}, found {size}"
