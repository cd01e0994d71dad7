"""Weights as C arrays, or as a binary file with assembly that includes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PER_LINE = 24
_BYTES = [str(value) for value in (*range(128), *range(-128, 0))]


@dataclass(frozen=True)
class Weight:
    """
    Constant array of a network.

    `data` are its elements of NumPy type `dtype` in row-major order, little-endian. `c_type` is the element's type in
    C, `alignment` that of the array in bytes. `level` names its memory level, if a target has several.
    """

    c_name: str
    c_type: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes
    alignment: int
    level: str = ""

    @property
    def count(self) -> int:
        """Number of elements."""
        return len(self.data) // self.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return 2 if self.dtype == "bfloat16" else np.dtype(self.dtype).itemsize

    @property
    def declaration(self) -> str:
        """Declaration of the array, without storage class and semicolon."""
        place = f"TW_LEVEL({self.level}) " if self.level else ""
        return f"_Alignas({self.alignment}) {place}const {self.c_type} {self.c_name}[{max(self.count, 1)}]"


def definition(weight: Weight, storage: str = "") -> str:
    """Return the definition of an array with its values, after a comment with its shape."""
    shape = "".join(f"{size}x" for size in weight.shape)
    head = f"/* {shape}{weight.dtype} */\n{storage}{weight.declaration} = {{\n"
    return head + _rows(_literals(weight) or ["0"]) + "};\n"


def _rows(literals: list[str]) -> str:
    rows = (", ".join(literals[start : start + _PER_LINE]) for start in range(0, len(literals), _PER_LINE))
    return "".join(f"    {row},\n" for row in rows)


def _literals(weight: Weight) -> list[str]:
    """Return the text of each element."""
    if weight.dtype == "int8":
        return [_BYTES[byte] for byte in weight.data]
    if weight.dtype in ("float16", "bfloat16"):
        return [f"0x{bits:04x}" for bits in np.frombuffer(weight.data, np.uint16).tolist()]
    array: NDArray[Any] = np.frombuffer(weight.data, weight.dtype)
    match array.dtype.kind:
        case "f":
            return _floats(array)
        case "b":
            return ["true" if value else "false" for value in array.tolist()]
        case _:
            texts = [str(value) for value in array.tolist()]
            # The literal itself would exceed the range of any signed type before negation.
            return ["INT64_MIN" if text == "-9223372036854775808" else text for text in texts]


def _floats(array: NDArray[Any]) -> list[str]:
    """Return floats with as many digits as are needed to read them back exactly."""
    single = array.dtype == np.float32
    template, kind = ("%.8ef", "F32") if single else ("%.16e", "F64")
    texts = [template % value for value in array.tolist()]
    for index in np.flatnonzero(~np.isfinite(array)).tolist():
        value = float(array[index])
        texts[index] = f"TW_NAN_{kind}" if value != value else f"{'-' if value < 0 else ''}TW_INF_{kind}"
    return texts


_ASSEMBLY = """\
/* The weights of the network, from {binary}. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "the weights are little-endian"
#endif
#ifndef TW_WEIGHTS_FILE
#define TW_WEIGHTS_FILE "{binary}"
#endif
#if defined(__APPLE__)
#define TW_SYMBOL(name) _##name
#define TW_OBJECT(name)
    .section __TEXT,__const
#else
#define TW_SYMBOL(name) name
#define TW_OBJECT(name) .type name, %object
    .section .rodata
#endif
"""
_ASSEMBLY_END = """\
#if defined(__ELF__)
    .section .note.GNU-stack,"",%progbits
#endif
"""


def binary_image(weights: Sequence[Weight]) -> tuple[bytes, list[int]]:
    """Concatenate the arrays, and return their offsets; the assembly aligns them."""
    offsets = [0, *accumulate(len(weight.data) for weight in weights)]
    return b"".join(weight.data for weight in weights), offsets[:-1]


def assembly(weights: Sequence[Weight], offsets: Sequence[int], binary: str) -> str:
    """Return assembly for ELF and Mach-O that defines the arrays as slices of a binary file."""
    parts = [_ASSEMBLY.format(binary=binary)]
    for weight, offset in zip(weights, offsets, strict=True):
        symbol = f"TW_SYMBOL({weight.c_name})"
        parts.append(
            f"    .balign {weight.alignment}\n    .globl {symbol}\n    TW_OBJECT({weight.c_name})\n{symbol}:\n"
            f"    .incbin TW_WEIGHTS_FILE, {offset}, {len(weight.data)}\n"
        )
    return "".join([*parts, _ASSEMBLY_END])
