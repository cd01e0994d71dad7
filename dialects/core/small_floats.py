"""
Formats of floats of 8 and 4 bits, which the IR carries as integers of their bits.

Formats: OCP 8-bit Floating Point Specification (E4M3FN, E5M2), OCP Microscaling Formats 1.0 (E2M1, E8M0), and those
without infinities and negative zero that ONNX calls FNUZ (arXiv:2206.02915).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ...ir import Array


@dataclass(frozen=True)
class SmallFloat:
    """
    Float format of `bits` bits: a sign unless the exponent takes all, then bits of `exponent` and `mantissa`.

    `largest` is the code of the largest finite number, `overflow` that of what is larger where it does not saturate,
    `nan` that of NaN, all without sign; E2M1, which has no NaN, makes zero of it. With `unsigned_zero` there is one
    zero and one NaN, which has the code that would be -0.
    """

    data_type: int
    exponent: int
    mantissa: int
    bias: int
    largest: int
    overflow: int
    nan: int
    unsigned_zero: bool = False
    bits: int = 8

    @property
    def is_signed(self) -> bool:
        """Return whether there are negative numbers."""
        return self.exponent < 8

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of this format."""
        return np.dtype(helper.tensor_dtype_to_np_dtype(self.data_type))

    def decoded(self, codes: Array, dtype: np.dtype[Any]) -> Array:
        """Return the numbers that codes, bytes, stand for."""
        return codes.astype(np.uint8).view(self.dtype).astype(dtype)


_T = TensorProto
FORMATS: dict[int, SmallFloat] = {
    row.data_type: row
    for row in (
        SmallFloat(_T.FLOAT8E4M3FN, 4, 3, 7, largest=0x7E, overflow=0x7F, nan=0x7F),
        SmallFloat(_T.FLOAT8E4M3FNUZ, 4, 3, 8, largest=0x7F, overflow=0x80, nan=0x80, unsigned_zero=True),
        SmallFloat(_T.FLOAT8E5M2, 5, 2, 15, largest=0x7B, overflow=0x7C, nan=0x7E),
        SmallFloat(_T.FLOAT8E5M2FNUZ, 5, 2, 16, largest=0x7F, overflow=0x80, nan=0x80, unsigned_zero=True),
        SmallFloat(_T.FLOAT8E8M0, 8, 0, 127, largest=0xFE, overflow=0xFF, nan=0xFF),
        SmallFloat(_T.FLOAT4E2M1, 2, 1, 1, largest=0x7, overflow=0x7, nan=0x0, bits=4),
    )
}
"""ONNX's number of an element type -> its format."""
