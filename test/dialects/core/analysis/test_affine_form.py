"""Affine forms equal the expressions that they stand for, and lie between their ends."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

from tilewright.dialects.core.analysis.affine_form import drop_unit_dims, form_of, linear
from tilewright.errors import Diagnostic

pytestmark = pytest.mark.quick

BOUNDS = (3, 1, 4)
LEAVES = st.integers(0, 2).map(AffineExpr.dimension) | st.integers(-9, 9).map(AffineExpr.constant)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, st.integers(-3, 3)).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.integers(1, 5)).map(lambda pair: pair[0] // pair[1]),
        st.tuples(inner, st.integers(1, 5)).map(lambda pair: pair[0].ceil_div(pair[1])),
        st.tuples(inner, st.integers(1, 5)).map(lambda pair: pair[0] % pair[1]),
    ),
    max_leaves=6,
)


@pytest.mark.long
@settings(deadline=None, max_examples=100)
@given(EXPRESSIONS)
def test_forms_equal_their_expressions(expr: AffineExpr):
    form, dims = linear(expr), {dim: dim for dim in range(3)}
    low, high = form.interval(BOUNDS)
    narrow, back = drop_unit_dims(form, BOUNDS), linear(form.expr(dims))
    for point in product(*map(range, BOUNDS)):
        value = expr.eval(list(point), [])
        assert [value] * 3 == [form.at(point), narrow.at(point), back.at(point)]
        assert low <= value <= high
    assert 1 not in narrow.dims()


@pytest.mark.long
@settings(deadline=None, max_examples=100)
@given(EXPRESSIONS, EXPRESSIONS, st.tuples(*[st.integers(-9, 9)] * 3))
def test_arithmetic_of_forms(a: AffineExpr, b: AffineExpr, point: tuple[int, ...]):
    x, y = linear(a), linear(b)
    assert (x + y * -2 + 3).at(point) == x.at(point) - 2 * y.at(point) + 3
    product_form = x.times(y)
    assert (product_form is None) == bool(x.terms and y.terms)
    assert product_form is None or product_form.at(point) == x.at(point) * y.at(point)


def test_what_has_no_affine_form():
    d0, d1 = AffineExpr.dimension(0), AffineExpr.dimension(1)
    semi_affine = [AffineBinaryOpExpr(kind, d0, d1) for kind in AffineBinaryOpKind if kind.name != "Add"]
    for expr in (AffineExpr.symbol(0), *semi_affine, d0 % -2, d0.ceil_div(0)):
        assert form_of(expr) is None
        with pytest.raises(Diagnostic, match="not supported"):
            linear(expr)
