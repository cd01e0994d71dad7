"""Ranges and integer types are sound: no input of a declared type leads to a number outside of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.dialects.core.analysis.intervals import Range, levels_range, symmetric
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import functions, numbers_of
from tilewright.passes.infer_integer_types import infer_integer_types
from tilewright.passes.lowering.integer_values import range_of_type, storage
from tilewright.test.passes.levels import EXACT, check_levels, check_ranges, extremes, references
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

pytestmark = pytest.mark.quick

CONTEXT = new_context()
RANGES = st.tuples(st.integers(-40, 40), st.integers(-40, 40)).map(lambda ends: Range(min(ends), max(ends)))


@pytest.mark.long
@examples(40)
@given(RANGES, RANGES)
def test_sums_and_products_are_exact_hulls(a: Range, b: Range):
    pairs = [(x, y) for x in range(a.low, a.high + 1) for y in range(b.low, b.high + 1)]
    rules: list[tuple[Range, Callable[[int, int], int]]] = [
        (a + b, lambda x, y: x + y),
        (a - b, lambda x, y: x - y),
        (a * b, lambda x, y: x * y),
        (a | b, lambda x, y: x),
        (b | a, lambda x, y: y),
        (-a, lambda x, y: -x),
        (a.squared(), lambda x, y: x * x),
        (a >> 3, lambda x, y: x >> 3),
        (symmetric(a.magnitude), lambda x, y: abs(x)),
        (a.clip(b.low, b.high), lambda x, y: min(max(x, b.low), b.high)),
    ]
    for hull, rule in rules:
        found = [rule(x, y) for x, y in pairs]
        assert Range(min(found), max(found)) in hull
    for hull, rule in rules[:3]:
        found = [rule(x, y) for x, y in pairs]
        assert hull == Range(min(found), max(found))


@pytest.mark.parametrize(
    ("low", "high", "at_least", "type"),
    [
        (0, 127, 8, "i8"),
        (0, 128, 8, "ui8"),
        (-1, 128, 8, "i16"),
        (-128, 0, 8, "i8"),
        (0, 255, 32, "i32"),
        (0, 65535, 8, "i32"),
        (-(1 << 31), 0, 8, "i32"),
        (0, 1 << 31, 8, "i64"),
        (-(1 << 63), (1 << 63) - 1, 8, "i64"),
    ],
)
def test_the_smallest_type_that_holds_a_range(low: int, high: int, at_least: int, type: str):
    found = storage(Range(low, high), at_least=at_least)
    assert str(found) == type
    limits = range_of_type(found)
    assert limits is not None
    assert Range(low, high) in limits


@pytest.mark.parametrize("range", [Range(0, 1 << 63), Range(-(1 << 63) - 1, 0)])
def test_64_bits_are_the_most(range: Range):
    with pytest.raises(Diagnostic, match="do not fit 64 bits"):
        storage(range)


@pytest.mark.parametrize(
    ("levels", "signed", "low", "high"), [(256, True, -128, 127), (255, True, -127, 126), (2, False, 0, 1)]
)
def test_the_numbers_of_a_quantiser(levels: int, signed: bool, low: int, high: int):
    assert levels_range(levels, signed=signed) == Range(low, high)


@pytest.mark.sample(12)
@pytest.mark.long
@examples(60)
@given(networks((*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM), largest=5), st.integers(0, 1 << 16))
def test_every_tensor_is_in_its_range(network: Network, seed: int):
    sets = extremes(network, seed)
    expected = references(network, sets)
    if max(float(np.abs(array).max(initial=0)) for values in expected for array in values.values()) > EXACT:
        return
    module = import_model(network.model, input_types=network.input_types)
    for function in functions(module):
        infer_integer_types(function)
    verify(module)
    check_ranges(module, expected)


@pytest.mark.sample(15)
@pytest.mark.long
@examples(25)
@given(networks(CUSTOM, largest=2, types=("i8", "i16", "int", "i32")))
def test_quantised_operators_on_wide_numbers(network: Network):
    check_levels(network, stop_after="tensor")


def inferred(body: str, arguments: str, result: str) -> Any:
    """Return the op that makes %y, typed."""
    text = f"func.func @network({arguments}) -> {result} {{\n{body}\nfunc.return %y : {result}\n}}"
    module = parse_module(CONTEXT, text)
    verify(module)
    for function in functions(module):
        infer_integer_types(function)
    verify(module)
    return next(op for op in module.walk() if op.results and op.results[0].name_hint == "y")


X = 'tensor<1x2x5xf32> {{onnx.type = "{}"}}'


def conv(weights: str, kind: str, pads: int = 0) -> Any:
    size = 4 + 2 * pads
    return inferred(
        f"""
        %w = onnx.Constant() {{value = dense<{weights}> : tensor<1x2x2xf32>}} : () -> tensor<1x2x2xf32>
        %y = onnx.Conv(%x, %w) {{pads = array<i64: {pads}, {pads}>}} :
            (tensor<1x2x5xf32>, tensor<1x2x2xf32>) -> tensor<1x1x{size}xf32>""",
        f"%x: {X.format(kind)}",
        f"tensor<1x1x{size}xf32>",
    )


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    # Weights 1, 2, -3, 4: the positive ones sum to 7.
    [("ui8", -3 * 255, 7 * 255), ("i8", -7 * 128 - 3 * 127, 7 * 127 + 3 * 128), ("ui4", -3 * 15, 7 * 15)],
)
def test_weights_count_by_value(kind: str, low: int, high: int):
    op = conv("[[[1.0, 2.0], [-3.0, 4.0]]]", kind)
    assert tuple(numbers_of(op.attributes["range"])) == (low, high)


def test_a_number_of_weights_beyond_what_doubles_hold_is_exact():
    op = conv("[[[16777216.0, 16777216.0], [16777216.0, -16777216.0]]]", "i32")
    total = 3 * (1 << 24)
    assert tuple(numbers_of(op.attributes["range"])) == (
        -total * (1 << 31) - (1 << 24) * ((1 << 31) - 1),
        total * ((1 << 31) - 1) + (1 << 24) * (1 << 31),
    )
    assert str(op.attributes["accumulator"]) == "i64"


UNARY = "%y = onnx.{}(%x) {{{}}} : (tensor<4xf32>) -> tensor<4xf32>"


@pytest.mark.parametrize(
    ("op", "attributes", "kind", "low", "high", "type"),
    [
        ("Neg", "", "i8", -127, 128, "i16"),
        ("Abs", "", "i8", 0, 128, "ui8"),
        ("Relu", "", "i8", 0, 127, "i8"),
        ("iGELU", "b = 0 : si64, one = 200000 : si64", "i16", -(1 << 31), (1 << 31) - 1, "i32"),
        (
            "iHardswish",
            "three = 9 : si64, six = 99999 : si64, one_over_six = 2 : si64",
            "i16",
            -(1 << 31),
            (1 << 31) - 1,
            "i32",
        ),
    ],
)
def test_results_of_single_operators(op: str, attributes: str, kind: str, low: int, high: int, type: str):
    found = inferred(UNARY.format(op, attributes), f'%x: tensor<4xf32> {{onnx.type = "{kind}"}}', "tensor<4xf32>")
    assert tuple(numbers_of(found.attributes["range"])) == (low, high)
    assert str(found.results[0].type) == f"tensor<4x{type}>"


def test_a_requantisation_computes_wide_enough_for_what_it_clips():
    constants = """
        %m = onnx.Constant() {value = dense<90.0> : tensor<f32>} : () -> tensor<f32>
        %a = onnx.Constant() {value = dense<1000.0> : tensor<f32>} : () -> tensor<f32>"""
    body = """
        %y = onnx.RequantShift(%x, %m, %a) {{div = {} : si64, n_levels = 256 : si64}} :
            (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>"""
    for kind, div, accumulator in [("i8", 256, "i32"), ("i32", 2, "i64"), ("i8", 1 << 33, "i64")]:
        arguments = f'%x: tensor<4xf32> {{onnx.type = "{kind}"}}'
        op = inferred(constants + body.format(div), arguments, "tensor<4xf32>")
        assert tuple(numbers_of(op.attributes["range"])) == (-128, 127)
        assert str(op.attributes["accumulator"]) == accumulator
