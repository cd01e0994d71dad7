"""Affine forms: index expressions as sums of multiples of dimensions, and of quotients and remainders of such sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from ....errors import Diagnostic

Ends: TypeAlias = Callable[[int], tuple[int, int]]
"""Function from a dimension to the least and the greatest value that it has."""

AFFINE: dict[AffineBinaryOpKind, Callable[[Any, Any], Any]] = {
    AffineBinaryOpKind.Add: operator.add,
    AffineBinaryOpKind.Mul: operator.mul,
    AffineBinaryOpKind.Mod: operator.mod,
    AffineBinaryOpKind.FloorDiv: lambda a, b: a // b,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -(-a // b),
}
"""Kind of an affine expression -> what it computes, of numbers or arrays, for positive divisors."""


@dataclass(frozen=True)
class Quotient:
    """The floordiv, ceildiv or mod of an affine form by a positive constant."""

    kind: AffineBinaryOpKind
    of: Linear
    by: int


Atom: TypeAlias = "int | Quotient"
"""Variable of an affine form: a dimension or another numbered value, or a quotient."""


@dataclass(frozen=True)
class Linear:
    """Affine form: the sum of coefficient times atom, plus a constant. No coefficient is 0 and no atom comes twice."""

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        if not self.terms or not other.terms:
            return Linear(self.terms or other.terms, self.constant + other.constant)
        sums = dict(self.terms)
        for atom, factor in other.terms:
            sums[atom] = sums.get(atom, 0) + factor
        return Linear(tuple((a, f) for a, f in sums.items() if f), self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        return Linear(tuple((a, f * factor) for a, f in self.terms if factor), self.constant * factor)

    def times(self, other: Linear) -> Linear | None:
        """Return the product with another form, None where neither is a constant."""
        if not other.terms:
            return self * other.constant
        return other * self.constant if not self.terms else None

    def without(self, dim: int) -> Linear:
        """Return this form less its term in one dimension."""
        return Linear(tuple((a, f) for a, f in self.terms if a != dim), self.constant)

    def dims(self) -> set[int]:
        """Return the dimensions that the form depends on."""
        dims: set[int] = set()
        for atom, _ in self.terms:
            dims |= atom.of.dims() if isinstance(atom, Quotient) else {atom}
        return dims

    @property
    def divides(self) -> bool:
        """Return whether the form has a quotient or remainder."""
        return any(isinstance(atom, Quotient) for atom, _ in self.terms)

    def ends(self, of: Ends) -> tuple[int, int]:
        """Return the least and the greatest value, given those of each dimension (quotients taken as independent)."""
        low = high = self.constant
        for atom, factor in self.terms:
            first, last = _ends(atom, of) if isinstance(atom, Quotient) else of(atom)
            if factor < 0:
                first, last = last, first
            low, high = low + factor * first, high + factor * last
        return low, high

    def interval(self, bounds: Sequence[int]) -> tuple[int, int]:
        """Return the least and the greatest value over the box of these bounds."""
        return self.ends(lambda dim: (0, max(0, bounds[dim] - 1)))

    def at(self, point: Sequence[int]) -> int:
        """Return the value at a point."""
        return self.constant + sum(
            factor * (AFFINE[atom.kind](atom.of.at(point), atom.by) if isinstance(atom, Quotient) else point[atom])
            for atom, factor in self.terms
        )

    def expr(self, numbers: Mapping[int, int]) -> AffineExpr:
        """Return the affine expression, with each dimension renamed to `numbers[dimension]`."""
        total: AffineExpr = AffineExpr.constant(0)
        for atom, factor in self.terms:
            total = total + _atom_expr(atom, numbers) * factor
        return total + self.constant


def _ends(atom: Quotient, of: Ends) -> tuple[int, int]:
    if atom.kind is AffineBinaryOpKind.Mod:
        return 0, atom.by - 1
    low, high = atom.of.ends(of)
    divide = AFFINE[atom.kind]
    return divide(low, atom.by), divide(high, atom.by)


def _atom_expr(atom: Atom, numbers: Mapping[int, int]) -> AffineExpr:
    if not isinstance(atom, Quotient):
        return AffineExpr.dimension(numbers[atom])
    return AffineExpr.binary(atom.kind, atom.of.expr(numbers), AffineExpr.constant(atom.by))


def linear(expr: AffineExpr) -> Linear:
    """
    Return the affine form of an expression.

    Raises Diagnostic for symbols, products of dimensions, and division by what is no positive constant.
    """
    if (form := form_of(expr)) is None:
        raise Diagnostic(
            f"the index expression {expr} is not supported",
            expected="sums of dimensions times constants, and divisions by positive constants",
        )
    return form


@cache
def _dimension(position: int) -> Linear:
    return Linear(((position, 1),))


def form_of(expr: AffineExpr) -> Linear | None:
    """Return the affine form of an expression, None where it has none."""
    if isinstance(expr, AffineDimExpr):
        return _dimension(expr.position)
    if isinstance(expr, AffineConstantExpr):
        return Linear((), expr.value)
    if not isinstance(expr, AffineBinaryOpExpr) or (left := form_of(expr.lhs)) is None:
        return None
    kind, right = expr.kind, expr.rhs
    if kind is AffineBinaryOpKind.Add or kind is AffineBinaryOpKind.Mul:
        if (other := form_of(right)) is None:
            return None
        return left + other if kind is AffineBinaryOpKind.Add else left.times(other)
    if not isinstance(right, AffineConstantExpr) or right.value <= 0:
        return None
    return Linear(((Quotient(kind, left, right.value), 1),))


def drop_unit_dims(form: Linear, bounds: Sequence[int]) -> Linear:
    """Return a form without the dimensions of bound 1, which are always 0."""
    result = Linear((), form.constant)
    for atom, factor in form.terms:
        result += _drop_unit_dims(atom, bounds) * factor
    return result


def _drop_unit_dims(atom: Atom, bounds: Sequence[int]) -> Linear:
    if not isinstance(atom, Quotient):
        return Linear() if bounds[atom] == 1 else Linear(((atom, 1),))
    inner = drop_unit_dims(atom.of, bounds)
    if inner.terms:
        return Linear(((Quotient(atom.kind, inner, atom.by), 1),))
    return Linear((), AFFINE[atom.kind](inner.constant, atom.by))
