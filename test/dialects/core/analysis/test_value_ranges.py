"""Value ranges hold every number that scalar code computes, and are exact for one op."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i1, i8, i32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tilewright.dialects.core.analysis.arithmetic import SEMANTICS, evaluator, integer_of, wrapped
from tilewright.dialects.core.analysis.intervals import Range
from tilewright.dialects.core.analysis.value_ranges import TRANSFERS, ValueRanges
from tilewright.dialects.core.scalars import index_constant
from tilewright.dialects.core.syntax.text import new_context, parse_module

quick = pytest.mark.quick

INDEX = IndexType()
TYPES = (i1, IntegerType(4), i8, i32, i64, INDEX)
CASTS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)


@quick
def test_every_op_has_a_transfer_function():
    assert set(TRANSFERS) == set(SEMANTICS)


@st.composite
def sources(draw: st.DrawFn) -> list[tuple[Attribute, int, int]]:
    """Draw types of values, with the least and the greatest number that each may be."""
    found: list[tuple[Attribute, int, int]] = []
    for _ in range(3):
        type = draw(st.sampled_from(TYPES))
        ends = [wrapped(draw(st.integers(-9, 9) | st.integers(-(1 << 63), 1 << 63)), type) for _ in range(2)]
        found.append((type, min(ends), max(ends)))
    return found


STEPS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 99), st.integers(0, 99), st.integers(0, 9)), min_size=1)


def appended(values: list[SSAValue], which: int, a: int, b: int, more: int) -> Operation | None:
    """Return an op on some of the values, by the numbers that were drawn; None where it has no such operands."""
    first = values[a % len(values)]
    same = [value for value in values if value.type == first.type]
    second, kinds = same[b % len(same)], [*SEMANTICS]
    if which < len(kinds):
        return kinds[which].create(operands=[first, second], result_types=[first.type])
    if which % 3 == 0:
        return arith.CmpiOp(first, second, more)
    if which % 3 == 1:
        bits = [value for value in values if value.type == i1]
        return arith.SelectOp(bits[more % len(bits)], first, second) if bits else None
    kind, result = CASTS[more % 3], TYPES[b % 5]
    if first.type == INDEX or first.type == result:
        return None
    is_wider = TYPES.index(result) > TYPES.index(first.type)
    return kind.create(operands=[first], result_types=[result]) if is_wider == (more % 3 < 2) else None


@settings(deadline=None, max_examples=60)
@given(sources(), STEPS, st.data())
def test_ranges_hold_every_value(given: list[Any], steps: list[tuple[int, int, int, int]], data: st.DataObject):
    values: list[SSAValue] = list(TestOp(result_types=[type for type, _, _ in given]).results)
    known = {value: Range(low, high) for value, (_, low, high) in zip(values, given, strict=True)}
    ops: list[Operation] = []
    for step in steps:
        if (op := appended(values, *step)) is not None:
            ops.append(op)
            values.append(op.results[0])
    ranges = ValueRanges(dict(known))
    for point in product(*((low, high, data.draw(st.integers(low, high))) for _, low, high in given)):
        held: dict[SSAValue, int] = dict(zip(values, point, strict=False))
        for op in ops:
            held[op.results[0]] = wrapped(_value(op, [held[operand] for operand in op.operands]), op.results[0].type)
        for value, number in held.items():
            assert Range(number, number) in (ranges.of(value) or Range(1, 0))


def _value(op: Operation, operands: list[int]) -> int:
    compute = evaluator(op)
    assert compute is not None
    try:
        return compute(*operands)
    except ZeroDivisionError:
        return 0


ENDS = (-8, -3, -1, 0, 1, 2, 5, 7)
PAIRS = [(low, high) for low in ENDS for high in ENDS if low <= high]


@pytest.mark.parametrize("kind", [*SEMANTICS, *range(10)])
def test_ranges_of_one_op_hold_every_value(kind: Any):
    """For intervals of i4 at the corners of the transfer functions."""
    a, b = TestOp(result_types=[IntegerType(4)] * 2).results
    op = arith.CmpiOp(a, b, kind) if isinstance(kind, int) else kind.create(operands=[a, b], result_types=[a.type])
    type, numbers = op.results[0].type, range(-8, 8)
    table = np.array([[wrapped(_value(op, [x, y]), type) for y in numbers] for x in numbers])
    for (low, high), (least, most) in product(PAIRS, PAIRS):
        held = ValueRanges({a: Range(low, high), b: Range(least, most)}).of(op.results[0])
        assert held is not None
        assert Range.of_array(table[low + 8 : high + 9, least + 8 : most + 9]) in held


@quick
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (arith.AddiOp, (-2, 8)),
        (arith.SubiOp, (-5, 5)),
        (arith.MuliOp, (-6, 15)),
        (arith.MinSIOp, (-2, 3)),
        (arith.MaxSIOp, (0, 5)),
        (arith.FloorDivSIOp, (-2, 5)),
        (arith.RemSIOp, (-2, 2)),
        (arith.ShLIOp, (-16, 40)),
    ],
)
def test_ranges_are_exact(kind: type[Operation], expected: tuple[int, int]):
    """Of one op on the indices of `for i = -2 to 6` and `for j = 0 to 4`."""
    indices: list[SSAValue] = []
    for low, end in ((-2, 6), (0, 4)):
        block = Block([scf.YieldOp()], arg_types=[INDEX])
        scf.ForOp(index_constant(low), index_constant(end), index_constant(1), [], block)
        indices.append(block.args[0])
    assert ValueRanges().of(kind.create(operands=indices, result_types=[INDEX]).results[0]) == Range(*expected)


CARRIED = """
func.func @f(%n: index, %x: memref<8xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low, %sum, %turn, %wild = scf.for %i = %c0 to %n step %c1
      iter_args(%a = %zero, %b = %one, %c = %zero, %d = %zero) -> (i32, i32, i32, i32) {
    %v = memref.load %x[%i] : memref<8xi32>
    %largest = arith.maxsi %a, %v : i32
    %positive = arith.maxsi %v, %one : i32
    %more = arith.addi %b, %positive overflow<nsw> : i32
    %next = arith.addi %c, %one overflow<nsw> : i32
    %within = arith.remsi %next, %four : i32
    %any = arith.addi %d, %v : i32
    scf.yield %largest, %more, %within, %any : i32, i32, i32, i32
  }
  func.return %low : i32
}
"""


@quick
def test_values_that_a_loop_carries():
    module = parse_module(new_context(), CARRIED)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    most = (1 << 31) - 1
    held = [ValueRanges(carried=True).of(value) for value in loop.results]
    assert held == [Range(0, most), Range(1, most), Range(0, most), Range(-most - 1, most)]
    assert [ValueRanges().of(value) for value in loop.results] == [Range(-most - 1, most)] * 4
    assert [integer_of(value) for value in loop.iter_args] == [0, 1, 0, 0]


@quick
def test_values_that_depend_on_themselves_are_any():
    text = """
    func.func @f(%c: i8) {
      func.return
    ^dead:
      %x = arith.addi %y, %c : i8
      %y = arith.maxsi %x, %x : i8
      %z = arith.maxsi %z, %z : i8
      %n = arith.andi %z, %z : i8
      cf.br ^dead
    }"""
    values = [result for op in parse_module(new_context(), text).walk() for result in op.results]
    assert [ValueRanges(carried=True).of(value) for value in values] == [Range(-128, 127)] * len(values)
