"""Types of random programs: scalars, buffers and tensors, and literals of them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from random import Random

import numpy as np

WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
"""Integer type -> its bits."""
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
"""Float type -> its bits of exponent and of mantissa."""


@dataclass(frozen=True)
class Shaped:
    """
    A static tensor or memref type.

    `layout` is the text behind the element type of a memref, such as `strided<[6, 2], offset: ?>`.
    """

    kind: str
    shape: tuple[int, ...]
    element: str
    layout: str = ""

    def __str__(self) -> str:
        extents = "".join(f"{extent}x" for extent in self.shape)
        return f"{self.kind}<{extents}{self.element}{f', {self.layout}' if self.layout else ''}>"

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def of(self, element: str) -> Shaped:
        """Return the type with another element type."""
        return replace(self, element=element)


Type = str | Shaped


@dataclass(frozen=True)
class TypedValue:
    """
    A value in scope.

    `bounds` contain an index, `root` is the buffer of a memref, and `writable` whether it may be stored to. `is_affine`
    tells the variable of an affine loop.
    """

    name: str
    type: Type
    bounds: tuple[int, int] = (0, 0)
    root: str = ""
    writable: bool = False
    is_affine: bool = False

    @property
    def shaped(self) -> Shaped:
        """Type of a tensor or memref."""
        assert isinstance(self.type, Shaped), self
        return self.type

    @property
    def rank(self) -> int:
        return len(self.shaped.shape)


def ends(type: str) -> list[int]:
    """Return the numbers of an integer type at which behaviour changes: its ends, those of narrower ones, zero."""
    width = WIDTHS[type]
    if width == 1:
        return [0, 1]
    near = [side * 2**bits + step for bits in (0, 7, 8, 15, 31, 63) for side in (-1, 1) for step in (-1, 0, 1)]
    return [number for number in near if -(2 ** (width - 1)) <= number < 2 ** (width - 1)]


def integer(draw: Random, type: str) -> int:
    """Return a random number of an integer type; small numbers and the type's ends are frequent."""
    width = WIDTHS[type]
    if width == 1:
        return draw.randint(0, 1)
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    if draw.random() < 0.4:
        return max(low, min(high, draw.randint(-5, 9)))
    return draw.choice([*ends(type), low, low + 1, high, high - 1]) if draw.random() < 0.6 else draw.randint(low, high)


def float_bits(draw: Random, type: str) -> int:
    """Return the bits of a random float: zeros of both signs, infinities, NaN, denormals and small numbers too."""
    exponent, mantissa = FLOATS[type]
    sign, bias, infinity = 1 << (exponent + mantissa), (1 << (exponent - 1)) - 1, ((1 << exponent) - 1) << mantissa
    kind = draw.random()
    if kind < 0.35:
        special = [0, infinity, infinity | 1 << (mantissa - 1), 1, (1 << mantissa) - 1, 1 << mantissa, infinity - 1]
        chosen = draw.choice(special)
        is_nan = chosen > infinity
        return chosen if is_nan else chosen | draw.choice([0, sign])
    if kind < 0.5:
        return draw.randrange(infinity) | draw.choice([0, sign])
    scale = draw.randint(-3, min(6, bias - 1))
    return (bias + scale) << mantissa | draw.choice([0, draw.randrange(1 << mantissa)]) | draw.choice([0, sign])


def literal(draw: Random, type: str) -> str:
    """Return the text of a random constant of a scalar type, in one of the forms that MLIR has for it."""
    if type in FLOATS:
        return _float_literal(draw, type)
    # convert-to-emitc computes indices in 32 bits; constants of the others have the ends of their type.
    number = draw.randint(-9, 99) if type == "index" else integer(draw, type)
    if type == "i1":
        return draw.choice([("false", "true")[number], ("false", "true")[number]])
    return str(number)


def _float_literal(draw: Random, type: str) -> str:
    bits = float_bits(draw, type)
    exponent, mantissa = FLOATS[type]
    if draw.random() < 0.5:
        return draw.choice(["0.0", "-0.0", "1.0", "-1.0", "2.5", "-3.75e-1", "1.0e+01", "5.000000e-01", "7."])
    return f"0x{bits:0{(1 + exponent + mantissa) // 4}X}"


def dense(draw: Random, type: Shaped) -> str:
    """Return the text of a random constant of a shaped type: a splat, nested lists, or the bytes of the elements."""
    if draw.random() < 0.25 or not type.size:
        return f"dense<{literal(draw, type.element) if type.size else ''}>"
    texts = [literal(draw, type.element) for _ in range(type.size)]
    # The form follows from the elements: a draw would change all that comes after it.
    if type.element != "bf16" and zlib.crc32(" ".join(texts).encode()) % 5 == 0:
        return f'dense<"0x{_bytes(texts, type.element).hex().upper()}">'
    return f"dense<{nested(texts, type.shape)}>"


def _bytes(texts: Sequence[str], element: str) -> bytes:
    """Return the bytes of constants as MLIR lays them out: bits of i1 in bytes, other types in bytes of their own."""
    if element == "i1":
        bits = np.array([text == "true" for text in texts])
        # One byte of all ones or zeros means a splat.
        return b"\xff" if bits.all() else np.packbits(bits, bitorder="little").tobytes()
    if element in FLOATS:
        dtype = np.dtype(f"f{sum(FLOATS[element]) // 8 + 1}")
        words = np.dtype(f"u{dtype.itemsize}")
        return b"".join(
            np.array(int(t, 16), words).tobytes() if "x" in t else np.array(float(t), dtype).tobytes() for t in texts
        )
    size = max(WIDTHS[element] // 8, 1)
    return b"".join((int(text) % (1 << 8 * size)).to_bytes(size, "little") for text in texts)


def nested(texts: Sequence[str], shape: Sequence[int]) -> str:
    """Return the elements of an array, row-major, as nested lists."""
    if not shape:
        return texts[0]
    part = len(texts) // shape[0]
    return f"[{', '.join(nested(texts[i * part : (i + 1) * part], shape[1:]) for i in range(shape[0]))}]"
