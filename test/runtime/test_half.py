"""Conversions of floats of 16 bits in C: to them rounded once, ties to even; from them exact."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tilewright.ir import Array
from tilewright.runtime.toolchain import STRICT, compile_shared

HEADERS = Path(__file__).parents[2] / "runtime" / "c"
TYPES: dict[str, np.dtype[Any]] = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
WIDE: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
C_TYPES = {"f32": "float", "f64": "double"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    lines = ['#include "tilewright_half.h"']
    for half in TYPES:
        for wide, type_ in C_TYPES.items():
            head = f"void narrow_{wide}_{half}(const {type_} *x, uint16_t *y, int32_t count)"
            lines += [
                f"{head};",
                f"{head} {{ for (int32_t i = 0; i < count; ++i) y[i] = tw_truncf_{wide}_{half}(x[i]); }}",
            ]
        head = f"void widen_{half}(const uint16_t *x, float *y, int32_t count)"
        lines += [f"{head};", f"{head} {{ for (int32_t i = 0; i < count; ++i) y[i] = tw_extf_{half}_f32(x[i]); }}"]
    source = tmp_path_factory.mktemp("half") / "half.c"
    source.write_text("\n".join(lines) + "\n")
    return ctypes.CDLL(str(compile_shared([source], [*STRICT, "-O2", f"-I{HEADERS}"])))


def called(library: ctypes.CDLL, name: str, x: Array, result: np.dtype[Any]) -> Array:
    y = np.empty(x.shape, result)
    pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (x, y))
    getattr(library, name)(*pointers, ctypes.c_int32(x.size))
    return y


def every(half: str) -> Array:
    """Return the bits of every number of a type of 16 bits that is finite and not negative, in ascending order."""
    bits = np.arange(1 << 15, dtype=np.uint16)
    return bits[np.isfinite(bits.view(TYPES[half]).astype(np.float32))]


def rounded(x: Array, half: str) -> Array:
    """Return the bits of the numbers nearest to some, of two that are as near those of the even one."""
    bits, size = every(half), np.abs(x.astype(np.float64))
    numbers: Array = bits.view(TYPES[half]).astype(np.float64)
    ties = np.append((numbers[:-1] + numbers[1:]) / 2, numbers[-1] + (numbers[-1] - numbers[-2]) / 2)
    place = np.searchsorted(ties, size)
    place += (size == ties[np.minimum(place, len(ties) - 1)]) & (place % 2 == 1)
    found = np.append(bits, bits[-1] + 1)[place]
    return found | np.where(np.signbit(x), 0x8000, 0).astype(np.uint16)


@pytest.mark.parametrize("half", list(TYPES))
@pytest.mark.parametrize("wide", list(WIDE))
def test_narrowing_rounds_to_nearest_even(library: ctypes.CDLL, half: str, wide: str) -> None:
    """At every number, at and beside every tie between two, beyond the largest, and of NaN."""
    numbers: Array = every(half).view(TYPES[half]).astype(np.float64)
    step = numbers[-1] - numbers[-2]
    beyond = [numbers[-1] + step / 2, np.finfo(WIDE[wide]).max, np.inf]
    x: Array = np.concatenate([numbers, (numbers[:-1] + numbers[1:]) / 2, beyond]).astype(WIDE[wide])
    with np.errstate(over="ignore"):
        x = np.concatenate([x, np.nextafter(x, np.zeros_like(x)), np.nextafter(x, np.full_like(x, np.inf))])
    x = np.concatenate([x, -x])
    found = called(library, f"narrow_{wide}_{half}", x, np.dtype(np.uint16))
    np.testing.assert_array_equal(found, rounded(x, half))
    nan = called(library, f"narrow_{wide}_{half}", np.full(1, np.nan, WIDE[wide]), np.dtype(np.uint16))
    assert np.isnan(nan.view(TYPES[half]).astype(np.float32)).all()


@pytest.mark.parametrize("half", list(TYPES))
def test_widening_is_exact(library: ctypes.CDLL, half: str) -> None:
    """For all 65,536 patterns of bits, NaN and infinities among them."""
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    found = called(library, f"widen_{half}", bits, np.dtype(np.float32))
    with np.errstate(invalid="ignore"):
        expected = bits.view(TYPES[half]).astype(np.float32)
    np.testing.assert_array_equal(found, expected)
