"""Index expressions as linear forms: what they range over, and how loop bounds can keep them inside an operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from ...dialects.core.kernel import Access, Kernel, is_shaped
from ...errors import Diagnostic
from ...ir import shape_of

_DIVISIONS: dict[AffineBinaryOpKind, Callable[[int, int], int]] = {
    AffineBinaryOpKind.FloorDiv: lambda a, b: a // b,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -(-a // b),
}


@dataclass(frozen=True)
class Quotient:
    """The floordiv, ceildiv or mod of a linear form by a positive constant."""

    kind: AffineBinaryOpKind
    of: Linear
    by: int


Atom: TypeAlias = "int | Quotient"
"""What a linear form is linear in: a loop, by its dimension, or a quotient."""


@dataclass(frozen=True)
class Linear:
    """The sum of coefficient times atom, plus a constant. No coefficient is 0 and no atom comes twice."""

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    def __add__(self, other: Linear) -> Linear:
        sums = dict(self.terms)
        for atom, factor in other.terms:
            sums[atom] = sums.get(atom, 0) + factor
        return Linear(tuple((a, f) for a, f in sums.items() if f), self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        return Linear(tuple((a, f * factor) for a, f in self.terms if factor), self.constant * factor)

    def plus(self, constant: int) -> Linear:
        """Return this form plus a number."""
        return Linear(self.terms, self.constant + constant)

    def without(self, dim: int) -> Linear:
        """Return this form less its term in one dimension."""
        return Linear(tuple((a, f) for a, f in self.terms if a != dim), self.constant)

    def dims(self) -> set[int]:
        """Return the dimensions that the form depends on."""
        found: set[int] = set()
        for atom, _ in self.terms:
            found |= atom.of.dims() if isinstance(atom, Quotient) else {atom}
        return found

    def interval(self, bounds: Sequence[int]) -> tuple[int, int]:
        """Return the least and the greatest value over the box of these bounds (the quotients taken as independent)."""
        low = high = self.constant
        for atom, factor in self.terms:
            ends = [factor * end for end in _interval(atom, bounds)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def expr(self, numbers: Mapping[int, int]) -> AffineExpr:
        """Return the affine expression, with each dimension renamed to `numbers[dimension]`."""
        total: AffineExpr = AffineExpr.constant(0)
        for atom, factor in self.terms:
            total = total + _atom_expr(atom, numbers) * factor
        return total + self.constant


def _interval(atom: Atom, bounds: Sequence[int]) -> tuple[int, int]:
    if not isinstance(atom, Quotient):
        return 0, max(0, bounds[atom] - 1)
    if atom.kind is AffineBinaryOpKind.Mod:
        return 0, atom.by - 1
    low, high = atom.of.interval(bounds)
    divide = _DIVISIONS[atom.kind]
    return divide(low, atom.by), divide(high, atom.by)


def _atom_expr(atom: Atom, numbers: Mapping[int, int]) -> AffineExpr:
    if not isinstance(atom, Quotient):
        return AffineExpr.dimension(numbers[atom])
    return AffineExpr.binary(atom.kind, atom.of.expr(numbers), AffineExpr.constant(atom.by))


def linear(expr: AffineExpr) -> Linear:
    """
    Return an affine expression as a linear form.

    Raises Diagnostic for symbols and for division by what is no positive constant.
    """
    match expr:
        case AffineConstantExpr():
            return Linear((), expr.value)
        case AffineDimExpr():
            return Linear(((expr.position, 1),))
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b):
            return linear(a) + linear(b)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, AffineConstantExpr(factor)):
            return linear(a) * factor
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, AffineConstantExpr(factor), b):
            return linear(b) * factor
        case AffineBinaryOpExpr(kind, a, AffineConstantExpr(divisor)) if divisor > 0:
            return Linear(((Quotient(kind, linear(a), divisor), 1),))
        case _:
            raise Diagnostic(
                f"the index expression {expr} is not supported",
                expected="sums of dimensions times constants, and divisions by positive constants",
            )


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
    if atom.kind is AffineBinaryOpKind.Mod:
        return Linear((), inner.constant % atom.by)
    return Linear((), _DIVISIONS[atom.kind](inner.constant, atom.by))


@dataclass(frozen=True)
class Axis:
    """One index of an access: where it points to in an axis of this extent."""

    index: Linear
    extent: int
    low: bool = False
    """Whether it may be less than 0."""
    high: bool = False
    """Whether it may reach the extent or more."""


@dataclass(frozen=True)
class Clamp:
    """The demand `0 <= outer + factor * dim < axis.extent` on the loop over a reduced dimension; `factor` is > 0."""

    dim: int
    factor: int
    outer: Linear
    axis: Axis


def axes_of(access: Access, bounds: Sequence[int]) -> list[Axis]:
    """Return the indices at which a kernel of these bounds reads or writes an operand; none for a scalar."""
    if not is_shaped(access.value):
        return []
    axes: list[Axis] = []
    for expr, extent in zip(access.map.results, shape_of(access.value), strict=True):
        form = drop_unit_dims(linear(expr), bounds)
        low, high = form.interval(bounds)
        padded = access.fill is not None
        axes.append(Axis(form, extent, padded and low < 0, padded and high >= extent))
    return axes


def clamps_of(kernel: Kernel) -> list[Clamp]:
    """
    Return the demands on the reduced loops that keep the kernel's inputs inside.

    There are none unless the points outside may be skipped. An axis that does not depend on exactly one reduced
    dimension, or backwards, has to be guarded instead.
    """
    if not kernel.fill_is_neutral:
        return []
    axes = [axis for access in kernel.inputs for axis in axes_of(access, kernel.bounds)]
    found = [_clamp(axis, kernel.reduced) for axis in axes if axis.low or axis.high]
    return [clamp for clamp in found if clamp is not None]


def _clamp(axis: Axis, reduced: frozenset[int]) -> Clamp | None:
    inner = sorted(axis.index.dims() & reduced)
    factor = dict(axis.index.terms).get(inner[0], 0) if len(inner) == 1 else 0
    if factor <= 0:
        return None
    outer = axis.index.without(inner[0])
    return None if inner[0] in outer.dims() else Clamp(inner[0], factor, outer, axis)
