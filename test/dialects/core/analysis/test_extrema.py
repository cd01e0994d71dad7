"""Minimum and maximum of floats: arrays, scalars, reductions and compiled C agree with LLVM's rules, bit by bit."""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.ir import Operation

from tilewright.dialects.core.analysis.extrema import EXTREMA, reduced
from tilewright.ir import Array
from tilewright.test.passes.scalar_c import build, elementwise

pytestmark = pytest.mark.quick

DTYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def specials(dtype: Any) -> Array:
    """Return zeros, numbers, infinities and NaNs with payloads and signs."""
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.nan, np.nan], dtype)
    bits = values.view(f"u{values.itemsize}")
    bits[7] |= 1
    bits[8] |= 1 << (8 * values.itemsize - 1)
    return values


def expected(kind: type[Operation], a: Any, b: Any) -> Any:
    """Return the result by the rules of LLVM's `minimum`, `maximum`, `minnum` and `maxnum`."""
    if np.isnan(a) or np.isnan(b):
        ignores = kind in (arith.MinnumfOp, arith.MaxnumfOp)
        return b if bool(np.isnan(a)) == ignores else a
    first_is_less = bool(a < b) or (bool(a == b) and bool(np.signbit(a)))
    return a if first_is_less == (kind in (arith.MinimumfOp, arith.MinnumfOp)) else b


@pytest.fixture(autouse=True)
def _quiet() -> Generator[None]:
    """Let NumPy compare NaNs of ml_dtypes without a warning, as the interpreter does."""
    with np.errstate(invalid="ignore"):
        yield


def bits(values: Array) -> list[int]:
    return values.view(f"u{values.itemsize}").ravel().tolist()


def code(value: Any) -> int:
    return bits(np.asarray(value))[0]


@pytest.mark.parametrize("kind", EXTREMA)
@pytest.mark.parametrize("element", DTYPES)
def test_arrays_and_reductions(kind: type[Operation], element: str) -> None:
    values = specials(DTYPES[element])
    a, b = np.repeat(values, 9), np.tile(values, 9)
    assert bits(EXTREMA[kind](a, b)) == [code(expected(kind, x, y)) for x, y in zip(a, b, strict=True)]
    assert code(EXTREMA[kind](values[1], values[0])) == code(expected(kind, values[1], values[0]))
    rows = values[np.random.default_rng(1).integers(0, 9, (20, 3, 5))]
    found = reduced(kind, rows, [1, 2])
    assert found.shape == (20, 1, 1)
    folds = [reduce(lambda x, y: expected(kind, x, y), row.ravel()) for row in rows]
    assert bits(found) == [code(each) for each in folds]


@pytest.mark.long
def test_c(tmp_path: Path) -> None:
    kinds = {kind.name.removeprefix("arith."): kind for kind in EXTREMA}
    cases = list(product(kinds, ("f32", "f64")))
    texts = [
        elementwise(f"{name}_{element}", [element] * 2, element, f"%r = arith.{name} %x0, %x1 : {element}", 81)
        for name, element in cases
    ]
    library = build("\n".join(texts), tmp_path)
    for name, element in cases:
        values = specials(DTYPES[element])
        a, b = np.repeat(values, 9), np.tile(values, 9)
        result = np.empty_like(a)
        arguments = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, result)]
        getattr(library, f"{name}_{element}_run")(*arguments)
        assert bits(result) == bits(EXTREMA[kinds[name]](a, b)), (name, element)
