"""The rules of `arith` and `math` against Python's own numbers."""

import math as libm
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerType, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Operation

from tilewright.ir import Array, numpy_type
from tilewright.runtime.interpreter import run_op

pytestmark = pytest.mark.quick

WIDTHS = st.sampled_from([4, 8, 16, 32, 64])


def rule_results(op: Operation, *values: Any) -> Any:
    """Return all that the rule of an op gives."""
    return run_op(cast(Any, None), op, values)


def make(op_class: Any, *types: Attribute, then: Any = None) -> Operation:
    """Return an op on operands of these types, with `then` as its constructor's next argument."""
    operands = TestOp(result_types=types).results
    return op_class(*operands) if then is None else op_class(*operands, then)


def compute(op: Operation, *values: Any) -> Any:
    """Return what the interpreter computes for an op without looking at anything else."""
    with np.errstate(all="ignore"):
        return rule_results(op, *values)[0]


def number(value: int, width: int) -> Any:
    return numpy_type(IntegerType(width)).type(value)


def wrapped(value: int, width: int) -> int:
    return (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0


def positive(a: int, width: int) -> int:
    return a % (1 << width)


SIGNED: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: truncated,
    arith.FloorDivSIOp: lambda a, b: a // b if b else 0,
    arith.CeilDivSIOp: lambda a, b: -(-a // b) if b else 0,
    arith.RemSIOp: lambda a, b: a - b * truncated(a, b) if b else 0,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
}
UNSIGNED: dict[type[Operation], Callable[[int, int], int]] = {
    arith.DivUIOp: lambda a, b: a // b if b else 0,
    arith.RemUIOp: lambda a, b: a % b if b else 0,
    arith.CeilDivUIOp: lambda a, b: -(-a // b) if b else 0,
    arith.MinUIOp: min,
    arith.MaxUIOp: max,
}


def some_integer(data: st.DataObject, width: int) -> int:
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return data.draw(st.one_of(st.integers(low, high), st.sampled_from([low, low + 1, -1, 0, 1, high])))


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.data(), WIDTHS, st.sampled_from(list(SIGNED)))
def test_signed_arithmetic_wraps_around(data: st.DataObject, width: int, op_class: type[Operation]):
    a, b = some_integer(data, width), some_integer(data, width)
    op = make(op_class, IntegerType(width), IntegerType(width))
    result = compute(op, number(a, width), number(b, width))
    assert int(result) == wrapped(SIGNED[op_class](a, b), width)
    assert result.dtype == numpy_type(IntegerType(width))


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.data(), WIDTHS, st.sampled_from(list(UNSIGNED)))
def test_unsigned_arithmetic_reads_the_bits_as_unsigned(data: st.DataObject, width: int, op_class: type[Operation]):
    a, b = some_integer(data, width), some_integer(data, width)
    op = make(op_class, IntegerType(width), IntegerType(width))
    result = compute(op, number(a, width), number(b, width))
    assert int(result) == wrapped(UNSIGNED[op_class](positive(a, width), positive(b, width)), width)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.data(), WIDTHS, st.sampled_from([arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp]))
def test_shifts_by_any_amount(data: st.DataObject, width: int, op_class: type[Operation]):
    a, b = some_integer(data, width), data.draw(st.integers(0, min(2 * width, (1 << (width - 1)) - 1)))
    op = make(op_class, IntegerType(width), IntegerType(width))
    expected: dict[type[Operation], int] = {
        arith.ShLIOp: a << b,
        arith.ShRSIOp: a >> b,
        arith.ShRUIOp: positive(a, width) >> b,
    }
    assert int(compute(op, number(a, width), number(b, width))) == wrapped(expected[op_class], width)


def test_a_negative_shift_amount_shifts_everything_out():
    op = make(arith.ShLIOp, i32, i32)
    assert compute(op, np.int32(5), np.int32(-1)) == 0


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.data(), WIDTHS, st.sampled_from(arith.CMPI_COMPARISON_OPERATIONS))
def test_integer_comparisons(data: st.DataObject, width: int, predicate: str):
    a, b = some_integer(data, width), some_integer(data, width)
    op = make(arith.CmpiOp, IntegerType(width), IntegerType(width), then=predicate)
    left, right = (a, b) if predicate[0] != "u" else (positive(a, width), positive(b, width))
    expected = {
        "eq": left == right,
        "ne": left != right,
        "lt": left < right,
        "le": left <= right,
        "gt": left > right,
        "ge": left >= right,
    }[predicate[-2:]]
    assert bool(compute(op, number(a, width), number(b, width))) == expected


@pytest.mark.parametrize(
    ("op_class", "table"),
    [
        (arith.AddiOp, [0, 1, 1, 0]),
        (arith.SubiOp, [0, 1, 1, 0]),
        (arith.MuliOp, [0, 0, 0, 1]),
        (arith.AndIOp, [0, 0, 0, 1]),
        (arith.XOrIOp, [0, 1, 1, 0]),
        (arith.MaxSIOp, [0, 0, 0, 1]),
        (arith.MaxUIOp, [0, 1, 1, 1]),
        (arith.MinSIOp, [0, 1, 1, 1]),
    ],
)
def test_i1_is_a_bit_whose_signed_value_is_minus_one(op_class: type[Operation], table: list[int]):
    op = make(op_class, i1, i1)
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    assert compute(op, a, b).tolist() == [bool(bit) for bit in table]


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        (make(arith.ExtSIOp, i1, then=i32), np.bool_(True), -1),
        (make(arith.ExtUIOp, i1, then=i32), np.bool_(True), 1),
        (make(arith.ExtUIOp, i8, then=i32), np.int8(-1), 255),
        (make(arith.ExtSIOp, i8, then=i32), np.int8(-1), -1),
        (make(arith.ExtUIOp, IntegerType(4), then=i8), np.int8(-1), 15),
        (make(arith.TruncIOp, i32, then=i8), np.int32(511), -1),
        (make(arith.TruncIOp, i32, then=i1), np.int32(2), 0),
        (make(arith.TruncIOp, i32, then=IntegerType(4)), np.int32(9), -7),
        (make(arith.IndexCastOp, i32, then=IndexType()), np.int32(-3), -3),
        (make(arith.IndexCastOp, IndexType(), then=i8), np.int64(300), 44),
        (make(arith.UIToFPOp, i8, then=f32), np.int8(-1), 255.0),
        (make(arith.SIToFPOp, i8, then=f32), np.int8(-1), -1.0),
        (make(arith.FPToSIOp, f32, then=i8), np.float32(-2.9), -2),
        (make(arith.FPToSIOp, f32, then=i8), np.float32(1e9), 127),
        (make(arith.FPToSIOp, f32, then=i32), np.float32(np.nan), 0),
        (make(arith.FPToSIOp, f64, then=i64), np.float64(-1e300), -(1 << 63)),
        (make(arith.FPToUIOp, f32, then=i8), np.float32(200.7), -56),
        (make(arith.BitcastOp, f32, then=i32), np.float32(1.0), 0x3F800000),
        (make(arith.TruncFOp, f64, then=f32), np.float64(0.1), float(np.float32(0.1))),
    ],
)
def test_conversions(op: Operation, value: Array, expected: float):
    assert compute(op, value) == expected


@pytest.mark.parametrize("width", [16, 32, 64])
def test_extended_products_give_both_halves(width: int):
    type_ = IntegerType(width)
    for a, b in [(-3, 7), (-(1 << (width - 1)), -1), ((1 << (width - 1)) - 1, 12345)]:
        arguments = number(a, width), number(b, width)
        low, high = rule_results(make(arith.MulSIExtendedOp, type_, type_), *arguments)
        assert (int(low), int(high)) == (wrapped(a * b, width), wrapped(a * b >> width, width))
        product = positive(a, width) * positive(b, width)
        low, high = rule_results(make(arith.MulUIExtendedOp, type_, type_), *arguments)
        assert (int(low), int(high)) == (wrapped(product, width), wrapped(product >> width, width))


@pytest.mark.parametrize("name", arith.CMPF_COMPARISON_OPERATIONS)
def test_float_comparisons(name: str):
    op = make(arith.CmpfOp, f32, f32, then=name)
    relation: dict[str, Callable[[float, float], bool]] = {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }
    for a in (1.0, 2.0, float("nan")):
        for b in (1.0, 2.0, float("nan")):
            unordered = a != a or b != b
            expected = {"true": True, "false": False, "ord": not unordered, "uno": unordered}.get(name)
            if expected is None:
                expected = (name[0] == "u") if unordered else relation[name[1:]](a, b)
            assert bool(compute(op, np.float32(a), np.float32(b))) == expected


def test_the_two_kinds_of_float_extrema_differ_in_nan():
    nan, one = np.float32(np.nan), np.float32(1)
    assert np.isnan(compute(make(arith.MaximumfOp, f32, f32), nan, one))
    assert compute(make(arith.MaxnumfOp, f32, f32), nan, one) == 1
    assert np.isnan(compute(make(arith.MinimumfOp, f32, f32), one, nan))
    assert compute(make(arith.MinnumfOp, f32, f32), one, nan) == 1


FUNCTIONS: list[tuple[type[Operation], Callable[[float], float]]] = [
    (math.ExpOp, libm.exp),
    (math.ErfOp, libm.erf),
    (math.TanhOp, libm.tanh),
    (math.SqrtOp, lambda x: libm.sqrt(abs(x))),
    (math.SinOp, libm.sin),
    (math.Log1pOp, lambda x: libm.log1p(abs(x))),
    (math.FloorOp, libm.floor),
    (math.CeilOp, libm.ceil),
    (math.RoundEvenOp, round),
    (math.RsqrtOp, lambda x: 1 / libm.sqrt(abs(x)) if x else libm.inf),
]


@pytest.mark.parametrize(("op_class", "reference"), FUNCTIONS)
def test_float_functions_are_rounded_once(op_class: type[Operation], reference: Callable[[float], float]):
    values = np.linspace(-4, 4, 65, dtype=np.float32)
    if op_class in (math.SqrtOp, math.Log1pOp, math.RsqrtOp):
        values = np.abs(values)
    result = compute(make(op_class, f32), values)
    assert result.dtype == np.float32
    assert result.tolist() == [float(np.float32(reference(float(value)))) for value in values]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([f16, bf16, f32, f64]), st.integers(-20, 3))
def test_fused_products_are_rounded_once(seed: int, type: Any, exponent: int):
    """The error is half the distance to a neighbour at most, for addends near the middle between two numbers too."""
    dtype, rng = numpy_type(type), np.random.default_rng(seed)
    a, b = rng.uniform(1, 2, (2, 50)).astype(dtype)
    c = (a * b * rng.choice([-1, 1], 50) * 2.0 ** rng.integers(-12, 12, 50) + 2.0**exponent).astype(dtype)
    results = compute(make(math.FmaOp, type, type, type), a, b, c)
    below, above = (np.nextafter(results, dtype.type(end)) for end in (-np.inf, np.inf))
    for x, y, z, *near in zip(a, b, c, results, below, above, strict=True):
        if np.isfinite(np.array([z, *near]).astype(np.float64)).all():
            exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            errors = [abs(Fraction(float(number)) - exact) for number in near]
            assert errors[0] == min(errors)


def test_fused_products_beyond_the_largest_number_are_infinite():
    a, b, c = np.array([[1e200, -1e200, np.inf, 1e-200], [1e200, 1e200, 0, -1e-200], [-1, 1e200, 1, 0]])
    results = compute(make(math.FmaOp, f64, f64, f64), a, b, c)
    np.testing.assert_array_equal(results, [np.inf, -np.inf, np.nan, -0.0])
    assert np.signbit(results[3])


def test_round_goes_away_from_zero():
    values = np.array([0.5, 1.5, -0.5, -2.5, 2.4], np.float32)
    assert compute(make(math.RoundOp, f32), values).tolist() == [1.0, 2.0, -1.0, -3.0, 2.0]


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from([8, 16, 32, 64]))
def test_bit_counts(data: st.DataObject, width: int):
    a = some_integer(data, width)
    bits = positive(a, width)
    type_ = IntegerType(width)
    assert compute(make(math.CtPopOp, type_), number(a, width)) == wrapped(bits.bit_count(), width)
    assert compute(make(math.CountLeadingZerosOp, type_), number(a, width)) == width - bits.bit_length()
    trailing = width if bits == 0 else (bits & -bits).bit_length() - 1
    assert compute(make(math.CountTrailingZerosOp, type_), number(a, width)) == trailing


def test_integer_powers():
    op = make(math.IPowIOp, i32, i32)
    results = [int(compute(op, np.int32(a), np.int32(b))) for a, b in [(3, 4), (-2, 3), (2, -1), (-1, -3), (2, 33)]]
    assert results == [81, -8, 0, -1, 0]


def test_ops_of_i16_take_arrays():
    op = make(arith.AddiOp, i16, i16)
    result = compute(op, np.array([32767, 1], np.int16), np.array([1, 1], np.int16))
    assert result.tolist() == [-32768, 2]
