"""Requantisations by powers of two give the same results after simplification, without a product or a shift."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block

from tilewright.dialects.core.analysis.constants import constant_number
from tilewright.dialects.core.semantics import SCALAR_RULES
from tilewright.dialects.quant import RequantizeOp
from tilewright.ir import Array
from tilewright.passes.lowering.simplify import simplify_body


def values(op: RequantizeOp) -> Array:
    """Return the results of a requantisation by constants for all bytes."""
    numbers = (np.asarray(constant_number(value)) for value in (op.mul, op.add))
    return SCALAR_RULES[RequantizeOp](op, np.arange(-128, 128), *numbers)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(-99, 99), st.integers(0, 16), st.integers(-(1 << 20), 1 << 20), st.integers(0, 20))
def test_factors_of_one_and_shifts_by_nothing(odd: int, power: int, summand: int, shift: int) -> None:
    mul, add = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (odd << power, summand))
    block = Block([mul, add], arg_types=[i8])
    made = RequantizeOp(block.args[0], mul.result, add.result, shift=shift, low=-128, high=127, compute=i32, type=i8)
    block.add_ops([made, linalg.YieldOp(made.result)])
    expected, factor = values(made), odd << power
    simplify_body(block)
    if made.parent is None:
        return
    np.testing.assert_array_equal(values(made), expected)
    common = min(shift, (factor & -factor).bit_length() - 1) if factor else 0
    is_less = common and (factor >> common == 1 or common == shift)
    expected_numbers = (factor >> common, shift - common) if is_less else (factor, shift)
    assert (constant_number(made.mul), made.shift.value.data) == expected_numbers
