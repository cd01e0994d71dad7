"""Sums of multiples of numbered values: what index expressions of loop nests are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Form: TypeAlias = dict[int | None, int]
"""A sum of multiples of numbered values; None stands for 1."""


def add(a: Form, b: Form) -> Form:
    """Return a + b."""
    total = dict(a)
    for key, factor in b.items():
        total[key] = total.get(key, 0) + factor
    return {key: factor for key, factor in total.items() if factor or key is None}


def total_of(terms: Sequence[Form], constant: int) -> Form:
    """Return the sum of forms and a constant."""
    total: Form = {None: constant}
    for term in terms:
        total = add(total, term)
    return total


def scaled(form: Form, factor: int) -> Form:
    """Return factor * form."""
    return {key: value * factor for key, value in form.items() if value * factor}


def product_of(a: Form, b: Form) -> Form | None:
    """Return a * b if one of them is a constant, else None."""
    if set(a) <= {None}:
        return scaled(b, a.get(None, 0))
    if set(b) <= {None}:
        return scaled(a, b.get(None, 0))
    return None
