"""Packed numbers: what `pack` packs, `nn.unpack` and its loops give again, on scalars and by rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn.unpack import pack, packed_shape, unpack
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.runtime.interpreter.boundary import run_module
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.targets.siracusa.passes.convert_kernels_to_dots import ConvertKernelsToDotsPass
from tilewright.test.passes.kernel_loops import compute
from tilewright.test.passes.scalar_machine import typed
from tilewright.test.targets.siracusa.packed_numbers import numbers

pytestmark = pytest.mark.quick

CONTEXT = new_context()


def kernel(packed: Array, out: Array, bits: int, *, is_unsigned: bool) -> str:
    unsigned = ", unsigned = array<i64: 0>" if is_unsigned else ""
    return f"nn.unpack ins(%x : {typed(packed)}) outs(%out : {typed(out)}) {{bits = {bits} : i64{unsigned}}}"


SHAPES = st.lists(st.integers(1, 3), max_size=2).flatmap(
    lambda outer: st.integers(1, 35).map(lambda last: (*outer, last))
)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(SHAPES, st.sampled_from([(2, 2), (3, 4), (4, 4)]), st.booleans(), st.integers(0, 2**16))
@example((1,), (2, 2), True, 0)
@example((2, 3, 17), (4, 4), False, 0)
def test_all_forms_agree(shape: tuple[int, ...], form: tuple[int, int], is_unsigned: bool, seed: int) -> None:
    width, bits = form
    expected = numbers(shape, width, is_unsigned=is_unsigned, seed=seed)
    packed = pack(expected, bits)
    assert packed.shape == packed_shape(shape, bits)
    np.testing.assert_array_equal(unpack(packed, shape[-1], bits, is_unsigned=is_unsigned), expected)
    text = kernel(packed, expected, bits, is_unsigned=is_unsigned)
    np.testing.assert_array_equal(rows(text, packed, expected), expected)


@pytest.mark.parametrize(("width", "bits"), [(2, 2), (3, 4)])
@pytest.mark.parametrize("is_unsigned", [False, True])
def test_scalar_code(width: int, bits: int, is_unsigned: bool) -> None:
    expected = numbers((2, 19), width, is_unsigned=is_unsigned)
    packed = pack(expected, bits)
    for out in compute(kernel(packed, expected, bits, is_unsigned=is_unsigned), expected, x=packed):
        np.testing.assert_array_equal(out, expected)


def rows(body: str, packed: Array, expected: Array) -> Array:
    """Return what rows of `cluster.unpack` give, and check that the calls of C do the same."""
    out = f"%out: {typed(expected)} {{tilewright.output}}"
    found: list[Array] = []
    for is_c in (False, True):
        module = parse_module(CONTEXT, f"func.func @f(%x: {typed(packed)}, {out}) {{\n{body}\nfunc.return\n}}")
        ConvertKernelsToDotsPass().apply(CONTEXT, module)
        ConvertKernelsToLoopsPass().apply(CONTEXT, module)
        verify(module)
        assert any(op.name == "cluster.unpack" for op in module.walk())
        if is_c:
            convert_to_emitc(module)
            verify(module)
        found += run_module(module, {"arg0": packed}, function="f").values()
    np.testing.assert_array_equal(found[0], found[1])
    return found[0]


def test_a_row_that_leaves_its_buffer_is_refused() -> None:
    text = """func.func @f(%x: memref<4xi8>, %out: memref<8xi8>) {
      %zero = arith.constant 0 : index
      %nine = arith.constant 9 : index
      cluster.unpack %x[%zero], %out[%zero], %nine {bits = 4 : i64, is_signed} : memref<4xi8>, memref<8xi8>
      func.return }"""
    with pytest.raises(Diagnostic, match="an instruction is out of bounds of its buffer"):
        Interpreter(parse_module(CONTEXT, text)).call("f", [np.zeros(4, np.int8), np.zeros(8, np.int8)])
