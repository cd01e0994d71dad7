"""The integer softmaxes, whose powers depend on bytes, against their formulas in wide integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.arith import DivSIOp
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn.integer_rows import _product_for  # pyright: ignore[reportPrivateUsage]
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.runtime.interpreter.engine import Interpreter

pytestmark = pytest.mark.quick

CONTEXT = new_context()
NETWORK = """func.func @network(%x: memref<{shape}x{type}>, %valid: memref<{length}xi1>, %y: memref<{shape}xi8>) {{
  nn.{op} ins(%x, %valid : memref<{shape}x{type}>, memref<{length}xi1>) outs(%y : memref<{shape}xi8>)
    {{{attributes}, levels = 256 : i64, accumulator = {accumulator}, element = i8{unsigned}}}
  func.return
}}"""
LOG2 = st.one_of(st.integers(1, 12), st.integers(1, 300), st.integers(1, 1 << 20))


def network(op: str, x: Array, attributes: str, accumulator: str, *, unsigned: bool = False) -> ModuleOp:
    rows, length = x.shape
    text = NETWORK.format(
        op=op,
        shape=f"{rows}x{length}",
        length=length,
        type=f"i{8 * x.itemsize}",
        attributes=attributes,
        accumulator=accumulator,
        unsigned=", unsigned = array<i64: 0>" if unsigned else "",
    )
    module = parse_module(CONTEXT, text.replace("{,", "{"))
    verify(module)
    return module


def outputs(module: ModuleOp, x: Array, valid: Array) -> Array:
    result = np.zeros(x.shape, np.int8)
    Interpreter(module).call("network", [x, valid, result])
    return result


def check(module: ModuleOp, x: Array, valid: Array, expected: Array) -> None:
    """Compare the kernel, and its loops, with what is expected where elements count, else with 0."""
    expected = np.where(valid, expected, 0).astype(np.uint8).view(np.int8)
    np.testing.assert_array_equal(outputs(module, x, valid), expected)
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    np.testing.assert_array_equal(outputs(module, x, valid), expected)


def rows(seed: int, dtype: type[np.signedinteger]) -> tuple[Array, Array]:
    """Return two rows that hold every distance of bytes, in some order, and which of their elements count."""
    random = np.random.RandomState(seed)
    x = np.stack([random.permutation(256) - 128 for _ in range(2)])
    valid = random.rand(256) < random.choice([0.1, 0.9, 1])
    valid[random.randint(256)] = True
    return x.astype(dtype), valid


def softmax(x: Array, valid: Array, a: int, b: int, c: int, log2: int) -> Array:
    wide = x.astype(np.int64)
    largest = np.where(valid, wide, -(1 << 40)).max(-1, keepdims=True)
    t = np.minimum(wide - largest, 0)
    z = np.clip(-t // log2, 0, 31)
    q = (a * (t + z * log2 + b) ** 2 + c) >> z
    total = np.where(valid, q, 0).sum(-1, keepdims=True)
    return q * 255 // total


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from([1, 1 << 24]),
    st.integers(0, 400),
    st.integers(1, 1 << 17),
    LOG2,
    st.sampled_from([np.int8, np.int16]),
)
def test_int_softmax_of_all_distances(
    seed: int, a: int, b: int, c: int, log2: int, dtype: type[np.signedinteger]
) -> None:
    x, valid = rows(seed, dtype)
    attributes = f"a = {a} : i64, b = {b} : i64, c = {c} : i64, log2 = {log2} : i64"
    check(network("int_softmax", x, attributes, "i64"), x, valid, softmax(x, valid, a, b, c, log2))


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("accumulator", ["i32", "i64"])
@pytest.mark.parametrize("seed", range(4))
def test_ita_max_of_all_distances(dtype: type[np.signedinteger], accumulator: str, seed: int) -> None:
    x, valid = rows(seed, dtype)
    largest = np.where(valid, x.astype(np.int64), -(1 << 40)).max(-1, keepdims=True)
    s = np.maximum(largest - x + 16, 16) >> 5
    expected = (255 * 256 // np.where(valid, 256 >> s, 0).sum(-1, keepdims=True)) >> s
    check(network("ita_max", x, "", accumulator), x, valid, expected)


def test_distances_of_unsigned_bytes() -> None:
    x, valid = rows(7, np.int8)
    attributes = "a = 1 : i64, b = 43 : i64, c = 983 : i64, log2 = 22 : i64"
    expected = softmax(x.view(np.uint8), valid, 1, 43, 983, 22)
    check(network("int_softmax", x, attributes, "i32", unsigned=True), x, valid, expected)


@pytest.mark.parametrize(("dtype", "divisions"), [(np.int8, 0), (np.int16, 2)])
def test_bytes_take_no_division_by_log2(dtype: type[np.signedinteger], divisions: int) -> None:
    x, _ = rows(0, dtype)
    module = network("int_softmax", x, "a = 1 : i64, b = 43 : i64, c = 983 : i64, log2 = 22 : i64", "i32")
    kernel = kernel_of(next(op for op in module.walk() if op.name == "nn.int_softmax"))
    assert kernel.result is not None
    code: list[Operation] = [op for block in (*(r.body for r in kernel.reductions), kernel.result) for op in block.ops]
    assert sum(isinstance(op, DivSIOp) or op.name == "arith.floordivsi" for op in code) == divisions


@pytest.mark.parametrize("accumulator", ["i32", "i64"])
def test_shares_of_a_row_without_elements_are_zero(accumulator: str) -> None:
    x, valid = rows(3, np.int8)
    attributes = "a = 1 : i64, b = 43 : i64, c = 983 : i64, log2 = 22 : i64"
    check(network("int_softmax", x, attributes, accumulator), x, np.zeros_like(valid), np.zeros_like(x))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("log2", [1, 4, 7])
def test_powers_are_halved_31_times_at_most(dtype: type[np.signedinteger], log2: int) -> None:
    x, valid = np.array([[127, -128]], dtype), np.array([True, True])
    a, b, c = 1 << 24, 0, 1
    expected = softmax(x, valid, a, b, c, log2)
    assert expected[0, 1] > 0
    attributes = f"a = {a} : i64, b = {b} : i64, c = {c} : i64, log2 = {log2} : i64"
    check(network("int_softmax", x, attributes, "i64"), x, valid, expected)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(256, 1 << 13), LOG2)
def test_a_known_span_takes_the_place_of_the_type(seed: int, span: int, log2: int) -> None:
    random = np.random.RandomState(seed)
    x, valid = random.randint(-100, span - 99, (2, 40)).astype(np.int16), np.ones(40, np.bool_)
    x[:, 7], x[:, 9] = -100, span - 100
    attributes = f"a = 1 : i64, b = 43 : i64, c = 983 : i64, log2 = {log2} : i64, span = {span} : i64"
    check(network("int_softmax", x, attributes, "i64"), x, valid, softmax(x, valid, 1, 43, 983, log2))


def test_a_product_gives_every_quotient() -> None:
    for largest in (0, 15, 255, 4351, 65535):
        numbers = np.arange(largest + 1)
        found = {divisor: _product_for(divisor, largest, i32) for divisor in (*range(1, 300), 70_000)}
        assert largest > 255 or None not in found.values()
        for divisor, product in found.items():
            if product is not None:
                assert product[0] * largest < 1 << 31
                np.testing.assert_array_equal((numbers * product[0]) >> product[1], numbers // divisor)
