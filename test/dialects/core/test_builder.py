from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType, f32, i1
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineSymExpr

from tilewright.dialects.core.analysis.constants import constant_integer
from tilewright.dialects.core.builder import Builder
from tilewright.dialects.core.scalars import INDEX, Index
from tilewright.errors import Diagnostic

pytestmark = pytest.mark.quick

BUFFER = MemRefType(f32, [8])


def _builder() -> tuple[Builder, Block]:
    block = Block(arg_types=[INDEX, i1, BUFFER])
    return Builder.at_end(block), block


def _names(block: Block) -> list[str]:
    return [op.name for op in block.ops]


def test_arithmetic_on_numbers_is_computed_and_neutral_operands_are_dropped():
    builder, block = _builder()
    x = block.args[0]
    same = [builder.add(x, 0), builder.add(0, x), builder.sub(x, 0), builder.mul(x, 1), builder.div(x, 1)]
    same += [builder.floordiv(x, 1), builder.ceildiv(x, 1), builder.div_unsigned(x, 1), builder.max(x), builder.min(x)]
    assert all(value is x for value in same)
    assert (builder.add(2, 3), builder.sub(2, 3), builder.mul(2, 3), builder.rem_unsigned(x, 1)) == (5, -1, 6, 0)
    assert (builder.max(2, 5, 3), builder.min(2, 5, 3)) == (5, 2)
    assert not block.ops


@given(st.integers(-50, 50), st.integers(1, 9))
def test_quotients_of_numbers_round_as_the_ops_do(a: int, b: int):
    builder, _ = _builder()
    truncated = abs(a) // b * (1 if a >= 0 else -1)
    assert (builder.div(a, b), builder.floordiv(a, b), builder.ceildiv(a, b)) == (truncated, a // b, -(-a // b))


def test_floats_are_not_folded_for_the_sign_of_zero():
    block = Block(arg_types=[f32])
    builder = Builder.at_end(block)
    assert builder.add(block.args[0], 0) is not block.args[0]
    assert _names(block) == ["arith.constant", "arith.addf"]


def test_constants_and_arithmetic_of_indices_are_shared_by_the_blocks_inside():
    builder, block = _builder()
    x, condition, _ = block.args
    total = builder.add(x, 4)
    with builder.loop("i", 0, 8) as i:
        assert builder.add(x, 4) is total
        inner = builder.add(i, 4)
        with builder.when(condition):
            assert builder.add(i, 4) is inner
            hidden = builder.add(i, 5)
        assert builder.add(i, 5) is not hidden
    assert builder.value(8) is builder.value(8)
    assert _names(block) == ["arith.constant", "arith.addi", *["arith.constant"] * 3, "scf.for"]


def test_a_loop_of_one_iteration_is_none_unless_it_is_kept():
    builder, block = _builder()
    with builder.loop("i", 3, 7, 4) as i:
        assert i == 3
    with builder.loops("abc", [1, 2, 1]) as (a, b, c):
        assert (a, c) == (0, 0)
        assert isinstance(b, SSAValue)
        assert b.name_hint == "b"
    with builder.loop("k", 0, 1, marks=["shared"], kept=True) as k:
        assert isinstance(k, SSAValue)
    loops = [op for op in block.ops if isinstance(op, scf.ForOp)]
    assert [list(loop.attributes) for loop in loops] == [[], ["shared"]]


@pytest.mark.parametrize("count", [1, 5])
def test_values_are_carried_through_a_loop(count: int):
    builder, block = _builder()
    start = block.args[0]
    with builder.carried_loop("i", 0, count, [start], names=["total"]) as loop:
        (total,) = loop.values
        loop.values = [builder.add(total, 2)]
    (result,) = loop.values
    if count == 1:
        assert isinstance(result.owner, arith.AddiOp)
    else:
        assert isinstance(result.owner, scf.ForOp)
        assert result.name_hint == "total"
    block.verify()


def test_branches_yield_what_their_sides_return():
    builder, block = _builder()
    _, condition, buffer = block.args

    def load(index: int) -> Callable[[], list[SSAValue]]:
        return lambda: [builder.op(memref.LoadOp.get(buffer, [builder.value(index)]))]

    (result,) = builder.choose(condition, load(0), load(1))
    assert result.type == f32
    branch = result.owner
    assert isinstance(branch, scf.IfOp)
    assert [op.name for op in branch.false_region.block.ops] == ["arith.constant", "memref.load", "scf.yield"]
    block.verify()


def test_a_builder_before_an_op_keeps_the_order():
    block = Block(arg_types=[INDEX])
    anchor = func.ReturnOp()
    block.add_op(anchor)
    builder = Builder.before(anchor)
    builder.mul(block.args[0], 3)
    assert _names(block) == ["arith.constant", "arith.muli", "func.return"]
    assert builder.point.insert_before is anchor


DIM = AffineExpr.dimension(0)


@pytest.mark.parametrize(
    "expr",
    [DIM * 3 + 1, (DIM + 5) // 3, (DIM - 4).ceil_div(3), (DIM - 4) % 3, DIM * 0 + 2, AffineConstantExpr(7)],
    ids=str,
)
def test_affine_expressions_have_their_values(expr: AffineExpr):
    for x in range(-6, 7):
        builder, _ = _builder()
        assert builder.affine(expr, lambda _: x) == expr.eval([x], [])
        built = builder.affine(expr, lambda _: builder.value(x))
        assert _evaluated(built) == expr.eval([x], [])


def _evaluated(index: Index) -> int:
    if isinstance(index, int):
        return index
    known = constant_integer(index)
    if known is not None:
        return known
    op = index.owner
    assert not isinstance(op, Block)
    a, b = (_evaluated(operand) for operand in op.operands)
    match op:
        case arith.AddiOp():
            return a + b
        case arith.SubiOp():
            return a - b
        case arith.MuliOp():
            return a * b
        case arith.FloorDivSIOp():
            return a // b
        case arith.CeilDivSIOp():
            return -(-a // b)
        case _:
            raise AssertionError(op.name)


def test_symbols_are_refused():
    builder, _ = _builder()
    with pytest.raises(Diagnostic, match="not supported"):
        builder.affine(AffineSymExpr(0), lambda _: 0)
