"""Sums of products: transposed convolution, integer and quantised products, Einsum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.lowering import one_node
from tilewright.test.passes.lowering.one_node import lowered, network
from tilewright.test.passes.lowering.operators import Case, by_onnxruntime, check, network_of, numbers

F, I8, U8, I32 = np.float32, np.int8, np.uint8, np.int32

FACTORS: list[dict[str, float]] = [{"alpha": 2, "beta": -3}, {"alpha": 0.5}, {"alpha": -1.5, "beta": 0.25}, {"beta": 0}]


@pytest.mark.parametrize("dtype", [I32, np.int64, np.uint32])
def test_products_of_integers_with_factors(dtype: Any):
    low = 0 if dtype == np.uint32 else -9
    a, b, c = (numbers(*shape, low=low, high=9, seed=shape[-1]).astype(dtype) for shape in ((3, 4), (4, 5), (5,)))
    cases: list[Case] = []
    for factors in FACTORS:
        alpha, beta = factors.get("alpha", 1), factors.get("beta", 1)
        product = a.astype(np.int64) @ b.astype(np.int64) * alpha
        for bias, total in ((c, product + c.astype(np.int64) * beta), (None, product)):
            # A negative result of an unsigned type is left open where a float gives it.
            if low == 0 and min(alpha, beta) < 0 and (alpha % 1 or beta % 1):
                continue
            wanted = np.trunc(total).astype(np.int64).astype(dtype)
            operands = [a, b] if bias is None else [a, b, bias]
            cases.append(Case("Gemm", operands, {k: float(v) for k, v in factors.items()}, expected=[wanted]))
    check(cases, in_c=True)
    model, arrays = network_of(cases)
    found = run_module(import_model(model), arrays)
    for index, case in enumerate(cases):
        assert case.expected is not None
        np.testing.assert_array_equal(found[f"y{index}_0"], case.expected[0], err_msg=str(case.attributes))


def test_integers_in_floats_times_a_fraction_stay_floats():
    x, w = np.arange(12, dtype=F).reshape(3, 4), numbers(4, 5, low=-9, high=9).astype(I8).astype(F)
    for factor in (0.5, 2.0):
        model = network("Gemm", {"x": x}, {"w": w}, alpha=factor)
        helper.set_model_props(model, {"tilewright.input_type.x": "ui8"})
        one_node.check(model, {"x": x}, [x @ w * F(factor)], phases=("types", "tensor", "loops"))


def test_batched_products_of_one_matrix():
    x, w, b = numbers(2, 3, 4), numbers(1, 4, 5), numbers(1, 1, 5)
    turned = w.transpose(0, 2, 1).copy()
    cases = [
        Case("Gemm", [x, w, b], {"alpha": 0.5}, expected=[x @ w * F(0.5) + b]),
        Case("Gemm", [x[0], turned, b[0, 0]], {"transB": 1}, expected=[x[:1] @ w + b]),
        Case("Gemm", [x], {}, [w[None]], expected=[x[None] @ w]),
    ]
    check(cases, in_c=True)


TRANSPOSED: dict[str, dict[str, Any]] = {
    "plain": {},
    "strided": {"strides": [2, 3]},
    "padded": {"strides": [2, 2], "pads": [1, 0, 2, 1], "output_padding": [1, 0]},
    "dilated": {"dilations": [2, 1], "strides": [3, 1]},
    "shaped": {"strides": [3, 2], "output_shape": [10, 8]},
    "upper": {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
    "lower": {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
}


@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions(groups: int):
    x, w, b = numbers(2, 4, 3, 4), numbers(4, 2, 3, 2), numbers(2 * groups)
    cases = [Case("ConvTranspose", [x], {**form, "group": groups}, [w, b]) for form in TRANSPOSED.values()]
    cases += [Case("ConvTranspose", [x, w], {"strides": [2, 2], "group": groups})]
    check([by_onnxruntime(case) for case in cases], in_c=groups == 2, absolute=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_transposed_convolutions_of_any_geometry(data: st.DataObject):
    rank = data.draw(st.integers(1, 3))
    sizes, kernel, strides, dilations = (
        data.draw(st.lists(st.integers(1, top), min_size=rank, max_size=rank)) for top in (4, 4, 3, 3)
    )
    pads = data.draw(st.lists(st.integers(0, 2), min_size=2 * rank, max_size=2 * rank))
    extra = [data.draw(st.integers(0, stride - 1)) for stride in strides]
    ends = zip(sizes, kernel, strides, dilations, pads[:rank], pads[rank:], extra, strict=True)
    assume(all((n - 1) * s + (k - 1) * d + 1 + e - a - b > 0 for n, k, s, d, a, b, e in ends))
    form = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra}
    case = Case("ConvTranspose", [numbers(1, 2, *sizes)], form, [numbers(2, 3, *kernel)])
    check([by_onnxruntime(case)], absolute=1e-5)


@pytest.mark.parametrize("dtype", [I8, U8])
def test_integer_products(dtype: Any):
    a, b = (numbers(*shape, low=0, high=120).astype(dtype) for shape in ((2, 3, 4), (4, 5)))
    x, w = (numbers(*shape, low=0, high=120).astype(dtype) for shape in ((1, 2, 5, 5), (3, 2, 2, 3)))
    cases = [
        Case("MatMulInteger", [a, b]),
        Case("MatMulInteger", [a, b, np.array(3, dtype), np.arange(5).astype(dtype)]),
        Case("ConvInteger", [x, w], {"pads": [1, 1, 0, 0]}),
        Case("ConvInteger", [x, w, np.array(7, dtype)], {"strides": [2, 1]}),
    ]
    check(cases, in_c=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kinds", [(I8, I8), (U8, I8), (U8, U8), (I8, U8)])
@pytest.mark.parametrize("computed", [False, True])
def test_integer_products_with_constant_weights(kinds: tuple[Any, Any], computed: bool):
    ends = [(np.iinfo(dtype).min, np.iinfo(dtype).max) for dtype in kinds]
    a, x = (numbers(*shape, low=ends[0][0], high=ends[0][1]).astype(kinds[0]) for shape in ((2, 3, 4), (1, 2, 5, 5)))
    b, w = (numbers(*shape, low=ends[1][0], high=ends[1][1]).astype(kinds[1]) for shape in ((4, 5), (3, 2, 2, 3)))
    zeros = [np.array(ends[0][1] - 3, kinds[0]), np.arange(100, 105).astype(kinds[1])]
    names = ["a", "b", "za", "zb"]
    pads: dict[str, Any] = {"pads": [1, 1, 0, 0]}
    for op, left, right, second, form in (
        ("MatMulInteger", a, b, zeros[1], {}),
        ("ConvInteger", x, w, zeros[1][:3], pads),
    ):
        fixed = {"b": right, "zb": second} | ({} if computed else {"za": zeros[0]})
        inputs = {"a": left} | ({"za": zeros[0]} if computed else {})
        model = network(op, inputs, fixed, names=names, **form)
        one_node.check(model, inputs)
        one_node.check_c(model, inputs)


@pytest.mark.sample(2)
@pytest.mark.parametrize("kinds", [(I8, I8), (U8, I8), (U8, U8), (I8, U8)])
@pytest.mark.parametrize("zeros", [(True, True), (True, False), (False, True), (False, False)])
def test_integer_products_of_two_computed_operands(kinds: tuple[Any, Any], zeros: tuple[bool, bool]):
    info = [np.iinfo(dtype) for dtype in kinds]
    shapes = ((2, 1, 3, 7), (4, 7, 5))
    a, b = (
        numbers(*shape, low=each.min, high=each.max).astype(dtype)
        for shape, each, dtype in zip(shapes, info, kinds, strict=True)
    )
    points = [each.max - 3 if there else 0 for each, there in zip(info, zeros, strict=True)]
    fixed = {name: np.array(zero, dtype) for name, zero, dtype in zip(("za", "zb"), points, kinds, strict=True)}
    model, inputs = network("MatMulInteger", {"a": a, "b": b}, fixed), {"a": a, "b": b}
    one_node.check(model, inputs)
    one_node.check_c(model, inputs)


def test_a_sum_of_zero_points_beyond_32_bits():
    a, b = np.full((1, 200000), 250, U8), np.full((200000, 1), 3, U8)
    zeros = {"za": np.array(255, U8), "zb": np.array(255, U8)}
    one_node.check(network("MatMulInteger", {"a": a, "b": b}, zeros), {"a": a, "b": b}, phases=("tensor",))


@pytest.mark.parametrize("dtype", [I8, U8])
def test_quantisation_by_computed_factors(dtype: Any):
    x, wide = numbers(3, 4, 6, low=-9, high=9), numbers(3, 4, 6, low=0, high=100).astype(dtype)
    some, blocks = numbers(4, low=0.1, high=0.3), numbers(3, 2, 6, low=0.1, high=0.3)
    zeros = np.array([1, 2, 3, 4], dtype)
    cases = [
        Case("QuantizeLinear", [x, np.array(0.11, F), np.array(5, dtype)]),
        Case("QuantizeLinear", [x, some, zeros], {"axis": 1}),
        Case("QuantizeLinear", [x, blocks, np.ones((3, 2, 6), dtype)], {"axis": 1, "block_size": 2}),
        Case("DequantizeLinear", [wide, some, zeros], {"axis": 1}),
        Case("DequantizeLinear", [wide, blocks, np.ones((3, 2, 6), dtype)], {"axis": 1, "block_size": 2}),
        Case("DynamicQuantizeLinear", [x], outputs=3),
    ]
    check(cases, in_c=True)


def test_quantised_products_by_computed_factors():
    a, b = (numbers(*shape, low=0, high=200).astype(U8) for shape in ((2, 3, 4), (4, 5)))
    scale, zero = np.array(0.02, F), np.array(100, U8)
    check([Case("QLinearMatMul", [a, scale, zero, b, scale, zero, np.array(0.05, F), zero])], in_c=True)


EQUATIONS = {
    "ij,jk->ik": [(3, 4), (4, 5)],
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
    "...ij,...jk->...ik": [(2, 1, 3, 4), (1, 5, 4, 2)],
    "ii->i": [(4, 4)],
    "ij->": [(3, 4)],
    "ij->ji": [(3, 4)],
    "i,j,k->kji": [(2,), (3,), (4,)],
    "bhqd,bhkd->bhqk": [(1, 2, 3, 4), (1, 2, 5, 4)],
    "ij,jk,kl": [(2, 3), (3, 4), (4, 5)],
    "ibj,bj->i": [(3, 2, 4), (2, 4)],
}


def test_sums_of_products_by_equation():
    cases = [
        Case("Einsum", [numbers(*shape) for shape in shapes], {"equation": equation})
        for equation, shapes in EQUATIONS.items()
    ]
    check(cases, in_c=True, absolute=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_equation_of_two_operands(data: st.DataObject):
    extents = {"a": 2, "b": 3, "c": 4, "d": 1}
    terms = [data.draw(st.permutations("abcd"))[: data.draw(st.integers(1, 4))] for _ in range(2)]
    labels = sorted(set(terms[0]) | set(terms[1]))
    result = data.draw(st.permutations(labels))[: data.draw(st.integers(0, len(labels)))]
    equation = f"{''.join(terms[0])},{''.join(terms[1])}->{''.join(result)}"
    arrays = [numbers(*(extents[label] for label in term)) for term in terms]
    check([Case("Einsum", arrays, {"equation": equation})], absolute=1e-5)


@pytest.mark.parametrize("zero", [(1, 3), (3,)])
def test_a_zero_point_that_does_not_go_with_its_tensor(zero: tuple[int, ...]):
    operands = {"a": np.zeros((4, 3), np.int8), "b": np.zeros((3, 2), np.int8)}
    zeros = {"za": np.zeros((), np.int8), "zb": np.ones(zero, np.int8)}
    with pytest.raises(Diagnostic, match="input 3 of MatMulInteger does not fit"):
        lowered(network("MatMulInteger", operands, zeros), "tensor")


@pytest.mark.parametrize("shape", [(1, 2, 3, 4), (1, 3, 8)])
def test_attention_gives_keys_without_a_past(shape: tuple[int, ...]) -> None:
    inputs = {name: np.random.default_rng(0).normal(size=shape).astype(np.float32) for name in "qkv"}
    heads: dict[str, Any] = {} if len(shape) == 4 else {"q_num_heads": 2, "kv_num_heads": 2}
    model = network("Attention", inputs, outputs=3, opset=24, **heads)
    model.ir_version = 11
    one_node.check(model, inputs, one_node.runtime(model, inputs), phases=("tensor",), rtol=1e-5, atol=1e-5)
