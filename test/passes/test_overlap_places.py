"""Ranges of index arithmetic by the loops around it, against every number that it takes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from tilewright.passes.loops.nest import index_constant
from tilewright.passes.overlap.places import range_of

pytestmark = pytest.mark.quick

OPS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MuliOp: int.__mul__,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.FloorDivSIOp: int.__floordiv__,
    arith.DivUIOp: int.__floordiv__,
    arith.RemUIOp: int.__mod__,
}
CODE = st.lists(st.tuples(st.sampled_from(list(OPS)), st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=4)
BOUNDS = st.tuples(st.integers(-4, 4), st.integers(1, 4)).map(lambda each: (each[0], each[0] + each[1]))


@settings(deadline=None, max_examples=200, derandomize=True, database=None)
@given(st.tuples(BOUNDS, BOUNDS), CODE, st.integers(-3, 5))
def test_ranges_hold_every_value(
    bounds: tuple[tuple[int, int], ...], code: list[tuple[type[Operation], int, int]], number: int
):
    """Of code on the indices of two loops and a constant; a division by 0 has no value."""
    blocks = [Block(arg_types=[IndexType()]) for _ in bounds]
    for (low, end), block in zip(bounds, blocks, strict=True):
        block.add_op(scf.YieldOp())
        scf.ForOp(index_constant(low), index_constant(end), index_constant(1), [], block)
    values: list[SSAValue] = [*(block.args[0] for block in blocks), index_constant(number).result]
    for kind, a, b in code:
        values.append(
            kind.create(
                operands=[values[a % len(values)], values[b % len(values)]], result_types=[IndexType()]
            ).results[0]
        )
    found = range_of(values[-1])
    if found is None:
        return
    for indices in product(*(range(low, end) for low, end in bounds)):
        numbers = [*indices, number]
        try:
            for kind, a, b in code:
                numbers.append(OPS[kind](numbers[a % len(numbers)], numbers[b % len(numbers)]))
        except ZeroDivisionError:
            continue
        assert found[0] <= numbers[-1] <= found[1]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (arith.AddiOp, (-2, 8)),
        (arith.SubiOp, (-5, 5)),
        (arith.MuliOp, (-6, 15)),
        (arith.MinSIOp, (-2, 3)),
        (arith.MaxSIOp, (0, 5)),
    ],
)
def test_ranges_are_exact(kind: type[Operation], expected: tuple[int, int]):
    """Of one op on the indices of `for i = -2 to 6` and `for j = 0 to 4`."""
    indices: list[SSAValue] = []
    for low, end in ((-2, 6), (0, 4)):
        block = Block([scf.YieldOp()], arg_types=[IndexType()])
        scf.ForOp(index_constant(low), index_constant(end), index_constant(1), [], block)
        indices.append(block.args[0])
    assert range_of(kind.create(operands=indices, result_types=[IndexType()]).results[0]) == expected
