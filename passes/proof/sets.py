"""Integer sets in isl: emptiness, and lexicographically first points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import islpy
from xdsl.ir.affine import AffineBinaryOpKind

from ...dialects.core.analysis.affine_form import Linear, Quotient

_isl = cast(Any, islpy)


@dataclass(frozen=True)
class Dims:
    """The dimensions of a box, under names of their own: `p0 .. pn`, each from 0 to below its bound."""

    letter: str
    bounds: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The names of the dimensions."""
        return [f"{self.letter}{axis}" for axis in range(len(self.bounds))]

    @property
    def inside(self) -> list[str]:
        """Constraints of a point to be in the box."""
        return [f"0 <= {name} < {bound}" for name, bound in zip(self.names, self.bounds, strict=True)]

    def text(self, form: Linear) -> str:
        """Return a linear form in these dimensions in isl's syntax."""
        terms = [str(form.constant)]
        for atom, factor in form.terms:
            name = self._quotient(atom) if isinstance(atom, Quotient) else f"{self.letter}{atom}"
            terms.append(f"{factor} * {name}")
        return " + ".join(terms)

    def _quotient(self, atom: Quotient) -> str:
        inner = f"({self.text(atom.of)})"
        match atom.kind:
            case AffineBinaryOpKind.Mod:
                return f"({inner} mod {atom.by})"
            case AffineBinaryOpKind.CeilDiv:
                return f"floor(({inner} + {atom.by - 1}) / {atom.by})"
            case _:
                return f"floor({inner} / {atom.by})"

    def before(self, other: Dims, dims: Sequence[int]) -> list[list[str]]:
        """
        Return the constraints, one list per case, that a point lexicographically precedes another in some dimensions.
        """
        cases: list[list[str]] = []
        equal: list[str] = []
        for dim in dims:
            cases.append([*equal, f"{self.names[dim]} < {other.names[dim]}"])
            equal.append(f"{self.names[dim]} = {other.names[dim]}")
        return cases


def sample(names: Sequence[str], constraints: Sequence[str]) -> list[int] | None:
    """Return the lexicographically first integer point that satisfies all constraints, None if the set is empty."""
    return first_point(points(names, constraints))


def leaving(form: Linear, extent: int, size: int, bounds: Sequence[int]) -> list[int] | None:
    """Return a point of a box from whose form on `extent` elements are not within [0, size), None if all are."""
    low, high = form.interval(bounds)
    if low >= 0 and high + extent <= size:
        return None
    dims = Dims("p", tuple(bounds))
    text = dims.text(form)
    return sample(dims.names, [*dims.inside, f"({text} < 0 or {text} + {extent} > {size})"])


def points(names: Sequence[str], constraints: Sequence[str], exists: Sequence[str] = ()) -> Any:
    """Return the isl set of the points for which (there are further integers such that) all constraints hold."""
    condition = " and ".join(constraints) or "1 = 1"
    if exists:
        condition = f"exists ({', '.join(exists)} : {condition})"
    return _isl.Set(f"{{ [{', '.join(names)}] : {condition} }}")


def first_point(point_set: Any) -> list[int] | None:
    """Return the lexicographically first point of an isl set, None where it is empty."""
    if point_set.is_empty():
        return None
    point = point_set.lexmin().sample_point()
    count = point_set.dim(_isl.dim_type.set)
    return [int(point.get_coordinate_val(_isl.dim_type.set, axis).to_python()) for axis in range(count)]
