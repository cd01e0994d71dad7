"""Arithmetic of floats in the emitted C, compared with NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright.test.passes.scalar_c import one

pytestmark = pytest.mark.quick


FLOAT_EDGES = [
    *(0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 8388607.5, -8388609.0, 3.4e38, 1e-45),
    *(math.inf, -math.inf, math.nan, 1e10, -123.25, 4503599627370497.5),
]


def floats(kind: str) -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.concatenate([FLOAT_EDGES, rng.normal(size=60) * 10.0 ** rng.integers(-5, 5, 60)]).astype(
        f"float{kind[1:]}"
    )


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))


UNARY_FLOATS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": lambda x: np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x),
    "math.absf": np.abs,
    "math.sqrt": lambda x: np.sqrt(np.abs(x)),
    "arith.negf": np.negative,
}


@pytest.mark.sample(8)
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", UNARY_FLOATS)
def test_float_function_is_exact(tmp_path: Path, name: str, kind: str) -> None:
    values = floats(kind)
    body = (
        f"%m = math.absf %x0 : {kind} %r = math.sqrt %m : {kind}"
        if name == "math.sqrt"
        else f"%r = {name} %x0 : {kind}"
    )
    with np.errstate(invalid="ignore"):
        expected = UNARY_FLOATS[name](values).astype(values.dtype)
    assert same_bits(one(tmp_path, [values], [kind], kind, body), expected)


LIBM = ["exp", "log", "tanh", "sin", "cos", "erf", "log1p", "expm1", "cbrt", "atan"]


@pytest.mark.parametrize("name", LIBM)
def test_libm_function_is_near(tmp_path: Path, name: str) -> None:
    values = np.linspace(0.1, 3.0, 50).astype(np.float32)
    scalar = getattr(math, name)
    result = one(tmp_path, [values], ["f32"], "f32", f"%r = math.{name} %x0 : f32")
    np.testing.assert_allclose(result, [scalar(float(value)) for value in values], rtol=3e-7)


def test_powers_and_reciprocal_roots(tmp_path: Path) -> None:
    values = np.linspace(0.1, 3.0, 20)
    power = one(tmp_path, [values, values], ["f64"] * 2, "f64", "%r = math.powf %x0, %x1 : f64")
    np.testing.assert_allclose(power, values**values, rtol=1e-14)
    root = one(tmp_path, [values], ["f64"], "f64", "%r = math.rsqrt %x0 : f64")
    np.testing.assert_allclose(root, 1 / np.sqrt(values), rtol=1e-14)


FLOAT_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "false": lambda a, b: False,
    "oeq": lambda a, b: a == b,
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "one": lambda a, b: a < b or a > b,
    "ord": lambda a, b: not (math.isnan(a) or math.isnan(b)),
    "ueq": lambda a, b: not (a < b or a > b),
    "ugt": lambda a, b: not a <= b,
    "uge": lambda a, b: not a < b,
    "ult": lambda a, b: not a >= b,
    "ule": lambda a, b: not a > b,
    "une": lambda a, b: a != b,
    "uno": lambda a, b: math.isnan(a) or math.isnan(b),
    "true": lambda a, b: True,
}
FLOAT_PAIRS = [
    (a, b) for a in (0.0, -0.0, 1.0, -2.0, math.inf, math.nan) for b in (0.0, -0.0, 1.0, -2.0, -math.inf, math.nan)
]


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", FLOAT_COMPARISONS)
def test_float_comparison(tmp_path: Path, name: str) -> None:
    a, b = (np.array(side, np.float32) for side in zip(*FLOAT_PAIRS, strict=True))
    result = one(tmp_path, [a, b], ["f32", "f32"], "i1", f"%r = arith.cmpf {name}, %x0, %x1 : f32")
    assert result.tolist() == [FLOAT_COMPARISONS[name](x, y) for x, y in FLOAT_PAIRS]


def test_float_conversions(tmp_path: Path) -> None:
    values = np.array([0.0, 1.9, -1.9, 127.0, -128.0], np.float32)
    assert one(tmp_path, [values], ["f32"], "i8", "%r = arith.fptosi %x0 : f32 to i8").tolist() == [0, 1, -1, 127, -128]
    positive = np.array([0.0, 200.7], np.float32)
    assert one(tmp_path, [positive], ["f32"], "i8", "%r = arith.fptoui %x0 : f32 to i8").tolist() == [0, -56]
    bits = one(tmp_path, [values], ["f32"], "i32", "%r = arith.bitcast %x0 : f32 to i32")
    assert bits.tolist() == values.view(np.int32).tolist()
    bytes_ = np.array([-1, 5], np.int8)
    assert one(tmp_path, [bytes_], ["i8"], "f32", "%r = arith.uitofp %x0 : i8 to f32").tolist() == [255.0, 5.0]


_NOT_FINITE = ["0x7F800000", "0xFF800000", "0x7FC00000", "0x7FC00001", "0xFFC00000"]
CONSTANTS = ["0.1", "-3.5", "1.0e-45", "3.40282347e+38", "16777216.0", *_NOT_FINITE]


def test_float_constants_are_exact(tmp_path: Path) -> None:
    zero = np.zeros(1, np.float32)
    for text in CONSTANTS:
        expected = (
            np.array([int(text, 16)], np.uint32).view(np.float32) if "x" in text else np.array([text], np.float32)
        )
        result = one(tmp_path, [zero], ["f32"], "f32", f"%r = arith.constant {text} : f32")
        assert same_bits(result, expected), text
