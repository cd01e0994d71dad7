"""Elementwise operators: arithmetic, functions, activations, bits, conversions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tilewright.ir import Array
from tilewright.test.passes.lowering.operators import Case, by_onnxruntime, check, numbers

F, I8, U8, I32, I64 = np.float32, np.int8, np.uint8, np.int32, np.int64

ANYWHERE = "Exp Erf Sin Cos Tan Atan Sinh Cosh Tanh Asinh Sign Reciprocal Neg Abs Floor Ceil Round Relu".split()
INSIDE = "Asin Acos Atanh".split()
POSITIVE = "Log Sqrt".split()
ACTIVATIONS: dict[str, dict[str, Any]] = {
    "Sigmoid": {},
    "Softplus": {},
    "Softsign": {},
    "HardSwish": {},
    "Mish": {},
    "Gelu": {},
    "LeakyRelu": {"alpha": 0.3},
    "Selu": {"alpha": 1.5, "gamma": 1.1},
    "Celu": {"alpha": 0.7},
    "Elu": {"alpha": 0.7},
    "ThresholdedRelu": {"alpha": 0.5},
    "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "Swish": {"alpha": 1.5},
    "Shrink": {"bias": 0.3, "lambd": 0.6},
}


def functions() -> list[Case]:
    x, inside = numbers(4, 5), numbers(4, 5, low=-0.95, high=0.95)
    cases = [Case(op, [x]) for op in ANYWHERE] + [Case(op, [inside]) for op in INSIDE]
    cases += [Case(op, [abs(x) + F(0.1)]) for op in POSITIVE] + [Case("Acosh", [abs(x) + F(1)])]
    cases += [Case(op, [x], attributes) for op, attributes in ACTIVATIONS.items()]
    return [*cases, Case("Gelu", [x], {"approximate": "tanh"}), Case("PRelu", [x, numbers(5)])]


def test_functions_of_floats():
    check(functions(), in_c=True)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_functions_of_narrow_floats(dtype: Any):
    kept = [case for case in functions() if case.op in ("Exp", "Sigmoid", "Relu", "Abs", "Sqrt", "Tanh")]
    cases = [Case(case.op, [array.astype(dtype) for array in case.inputs], case.attributes) for case in kept]
    x = numbers(3, 4).astype(dtype)
    cases += [Case("Add", [x, x]), Case("Max", [x, x[:1]]), Case("ReduceMax", [x]), Case("Transpose", [x])]
    check(cases, in_c=True, relative=0.01, absolute=0.01)


def test_special_numbers():
    x = np.array([-np.inf, -90, -1, -0.0, 0, 1, 90, np.inf, np.nan], F)
    finite = "Sigmoid Tanh Relu Abs Sign Exp Erf Softsign".split()
    check([*(Case(op, [x]) for op in finite), Case("IsNaN", [x]), Case("IsInf", [x])], in_c=True)
    check([Case("IsInf", [x], {"detect_negative": 0}), Case("Max", [x, x[::-1].copy()])])


@pytest.mark.parametrize("dtype", [F, I8, U8, I32, I64])
def test_bounds_that_are_computed(dtype: Any):
    x = numbers(6, low=0, high=100).astype(dtype)
    check([Case("Clip", [x, np.array(20, dtype), np.array(60, dtype)])], in_c=dtype == U8)


@pytest.mark.nightly
def test_one_number_with_and_without_an_axis():
    none, one, zero = np.array(0.7, F), np.array([0.2], F), np.array([3], U8)
    cases: list[Case] = []
    for number, low in ((one, -one), (one.reshape(()), np.array(-0.2, F))):
        for x in (none, one, numbers(3)):
            cases += [Case("Clip", [x, low, number]), Case("Clip", [x, low]), Case("Clip", [x], {}, [low])]
            cases += [Case(op, [x, number]) for op in ("Add", "Max", "Pow")]
            cases += [Case("QuantizeLinear", [x, number, point]) for point in (zero, zero.reshape(()))]
            cases += [Case("Where", [np.array(True), x, number])]
        cases += [Case("Pad", [numbers(3)], {}, [np.array([1, 2]), number])]
        cases += [Case("Gemm", [numbers(2, 3), numbers(3, 4), number])]
        cases += [Case("LayerNormalization", [numbers(2, 3), number])]
    for place in (np.array([1]), np.array(1)):
        cases += [Case("CumSum", [numbers(2, 3)], {}, [place]), Case("Trilu", [numbers(3, 3), place])]
    check([by_onnxruntime(case) for case in cases], in_c=True)


@pytest.mark.parametrize("dtype", [I8, U8, I32, I64])
def test_bits(dtype: Any):
    a, b = (numbers(8, low=0, high=120, seed=s).astype(dtype) for s in (1, 2))
    pairs = [Case(f"Bitwise{op}", [a, b]) for op in ("And", "Or", "Xor")]
    check([*pairs, Case("BitwiseNot", [a])], in_c=dtype == I32)


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_shifts_by_less_than_the_width(dtype: Any, direction: str):
    a = numbers(8, low=0, high=250).astype(dtype)
    check([Case("BitShift", [a, np.arange(8).astype(dtype)], {"direction": direction})], in_c=dtype == np.uint8)


@pytest.mark.parametrize("fmod", [0, 1])
def test_remainders(fmod: int):
    a, b = np.array([-7, -4, 4, 7, 9, -9], I32), np.array([3, -3, -3, 3, -4, 4], I32)
    cases = [Case("Mod", [a.astype(d), b.astype(d)], {"fmod": fmod}) for d in (I8, I32, I64)]
    cases += [Case("Mod", [a.astype(F) / 2, b.astype(F)], {"fmod": 1})]
    check(cases, in_c=True)


def test_powers():
    x, small = numbers(4, 5, low=0.1), np.array([[-3], [0], [2], [7]], I32)
    cases = [Case("Pow", [x, numbers(5)]), Case("Pow", [small, np.arange(5).astype(I32)])]
    cases += [Case("Pow", [x], constants=[np.array(2, F)]), Case("Pow", [x, np.array([0, 1, 2, 3, -1], I64)])]
    check(cases, in_c=True)


CASTS = [F, np.float64, np.float16, ml_dtypes.bfloat16, I8, U8, np.int16, I32, I64, np.bool_]


@pytest.mark.sample(2)
@pytest.mark.parametrize("source", CASTS)
def test_casts_to_all_types(source: Any):
    x = np.array([0, 1, 2, 3, 100, 0.5 if np.dtype(source).kind == "f" else 5]).astype(source)
    to = [helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for dtype in CASTS]
    check([Case("Cast", [x], {"to": number}) for number in to], in_c=True)


def test_floats_of_16_bits_are_rounded_to_nearest_even():
    bits = np.arange(0, 0x7BFF, 3, dtype=np.uint16)
    ticks, above = (b.view(np.float16).astype(F) for b in (bits, bits + np.uint16(1)))
    halfway = (ticks + above) / 2
    brief = (np.arange(0x3F000000, 0x40000000, 0x38000, dtype=np.uint32) | 0x8000).view(F)
    around = [ticks, halfway, np.nextafter(halfway, F(np.inf)), -np.nextafter(halfway, F(0)), brief, -brief]
    between = np.concatenate([*around, np.array([1e-8, -1e-8, 7e4, np.inf, np.nan], F)])
    cases = [Case("Cast", [between], {"to": to}) for to in (TensorProto.FLOAT16, TensorProto.BFLOAT16)]
    check(cases, in_c=True, relative=0, absolute=0)


def shapes_that_broadcast() -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    whole = st.lists(st.integers(1, 4), min_size=2, max_size=4)

    def thinned(shape: list[int]) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
        each = st.tuples(st.integers(0, len(shape) - 1), st.lists(st.booleans(), min_size=4, max_size=4)).map(
            lambda choice: tuple(1 if one else n for n, one in zip(shape, choice[1], strict=False))[choice[0] :]
        )
        return st.tuples(each, each, st.just(tuple(shape)))

    return whole.flatmap(thinned)


@settings(max_examples=25, deadline=None)
@given(shapes_that_broadcast(), st.sampled_from(["Add", "Sub", "Mul", "Div", "Min", "Sum"]))
def test_operands_broadcast(shapes: tuple[tuple[int, ...], ...], op: str):
    arrays: list[Array] = [numbers(*shape, low=0.5) for shape in shapes]
    check([Case(op, arrays[:2] if op in ("Add", "Sub", "Mul", "Div") else arrays)])
