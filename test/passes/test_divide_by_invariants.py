"""What a loop divides by the same number is what it was, for all signs and magnitudes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter.engine import Interpreter

pytestmark = pytest.mark.quick

CONTEXT = new_context()
LAST = (1 << 31) - 1
UNSIGNED_GREATER = 8
EDGES = [0, 1, 2, 3, 255, 256, 65535, 65536, LAST - 1, LAST]
LOOP = """func.func @network(%x: memref<24xi32>, %by: memref<1xi32>, %y: memref<24xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0 : i32
  %given = memref.load %by[%c0] : memref<1xi32>
  %d = {divisor} : i32
  scf.for %i = %c0 to %c24 step %c1 {{
    %v = memref.load %x[%i] : memref<24xi32>
    %n = {number} : i32
    %q = arith.{divide} %n, %d : i32
    memref.store %q, %y[%i] : memref<24xi32>
  }}
  func.return
}}"""
NATURAL, ANY = "arith.maxsi {}, %zero", "arith.ori {}, %zero"


def loop(divide: str, *, natural: bool, divisor: str = NATURAL) -> ModuleOp:
    number = (NATURAL if natural else ANY).format("%v")
    return parse_module(CONTEXT, LOOP.format(divide=divide, divisor=divisor.format("%given"), number=number))


def apply(module: ModuleOp) -> None:
    for step in parse_pipeline("builtin.module(divide-by-invariants)", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)


def divisions(module: ModuleOp) -> int:
    return sum(op.name in ("arith.divsi", "arith.floordivsi") for op in module.walk())


def quotients(module: ModuleOp, numbers: Array, by: int) -> Array:
    result = np.zeros(24, np.int32)
    Interpreter(module).call("network", [numbers, np.array([by], np.int32), result])
    return result


@pytest.mark.sample(79)
@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([("divsi", False), ("divsi", True), ("floordivsi", True)]),
    st.lists(st.integers(-LAST - 1, LAST) | st.sampled_from(EDGES), min_size=24, max_size=24),
    st.integers(1, LAST) | st.integers(1, 1 << 12) | st.sampled_from(EDGES[1:]),
)
@example(("divsi", False), [-LAST - 1] * 24, 1)
def test_every_quotient(kind: tuple[str, bool], numbers: list[int], by: int) -> None:
    module = loop(kind[0], natural=kind[1])
    given_numbers = np.array(numbers, np.int32)
    expected = quotients(module, given_numbers, by)
    apply(module)
    assert not divisions(module)
    np.testing.assert_array_equal(quotients(module, given_numbers, by), expected)
    # Multiples and their neighbours are where a quotient that is off by one shows.
    near = np.clip(np.arange(1, 25) * np.int64(by) - np.arange(24) % 2, 0, LAST).astype(np.int32)
    np.testing.assert_array_equal(quotients(module, near, by), near // by)


def test_what_may_be_negative_stays() -> None:
    for module in (loop("divsi", natural=True, divisor=ANY), loop("floordivsi", natural=False)):
        apply(module)
        assert divisions(module) == 1


def test_a_remainder_that_is_compared_wrongly_shows() -> None:
    module = loop("divsi", natural=True)
    apply(module)
    for op in module.walk():
        if isinstance(op, arith.CmpiOp):
            op.properties["predicate"] = IntegerAttr(UNSIGNED_GREATER, i64)
    numbers = (np.arange(24) * 7).astype(np.int32)
    assert not np.array_equal(quotients(module, numbers, 7), numbers // 7)
