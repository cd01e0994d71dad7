"""
Comparison of what a program gives before and after a pass.

Integers, and floats where both arrays hold whole numbers, are equal or wrong, as are all floats of exact programs. Of
others an element may differ by 1e-4 of its value, and near zero by 1e-5 of the tensor's largest number, at most 1e-5.
NaN is equal to any NaN, an infinity to itself, and two zeros are equal if their signs are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import Diagnostic
from ...ir import Array
from ..comparison import is_whole, magnitude


@dataclass(frozen=True)
class Exactness:
    """
    Freedom of the floats of a program.

    An `exact` program computes each of them by correctly rounded ops, in the order written: they stay bit for bit.
    Without `zeros` the signs of zeros are free, without `specials` what is expected to be infinite or NaN.
    """

    exact: bool = False
    zeros: bool = True
    specials: bool = True


@dataclass(eq=False)
class WrongAnswer(Diagnostic):
    """
    Error that an output or memory has other values, or another shape, than before the pass.

    `name` is that of the output or memory, `index` the position of the first value that differs.
    """

    name: str = ""
    index: tuple[int, ...] = ()


ROUNDED = Exactness()
"""Programs whose floats are rounded in an order of the lowering's choice."""


def compare(
    expected: Mapping[str, Array],
    actual: Mapping[str, Array],
    exactness: Exactness = ROUNDED,
    defined: Mapping[str, Array] = {},
    *,
    what: str = "output",
) -> Diagnostic | None:
    """
    Return the first difference between two sets of arrays, or None where they are equal.

    `defined` has the elements of an array that count, where not all do. `what` names the kind of arrays.
    """
    if missing := [name for name in expected if name not in actual]:
        return Diagnostic(
            f"the {what} '{missing[0]}' is gone", expected=_names(expected, what), found=_names(actual, what)
        )
    if added := [name for name in actual if name not in expected]:
        return Diagnostic(
            f"there is a new {what} '{added[0]}'", expected=_names(expected, what), found=_names(actual, what)
        )
    for name, value in expected.items():
        if difference := _compare_one(name, value, np.asarray(actual[name]), exactness, defined.get(name), what):
            return difference
    return None


def _names(arrays: Mapping[str, Array], what: str) -> str:
    return f"the {what}s {', '.join(arrays)}" if arrays else f"no {what}"


def _compare_one(
    name: str, expected: Array, actual: Array, exactness: Exactness, defined: Array | None, what: str
) -> Diagnostic | None:
    expected = np.asarray(expected)
    if expected.shape != actual.shape:
        message = f"the shape of the {what} '{name}' changes"
        return WrongAnswer(message, expected=str(expected.shape), found=str(actual.shape))
    wrong = ~equal(expected, actual, exactness)
    if defined is not None:
        wrong &= defined
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"[{', '.join(map(str, first))}]" if first else ""
    return WrongAnswer(
        f"the answer changes: {what} '{name}', first at {name}{where}, "
        f"{int(np.count_nonzero(wrong))} of {wrong.size} values differ",
        expected=f"{expected[first]} ({expected.dtype})",
        found=f"{actual[first]} ({actual.dtype})",
        name=name,
        index=first,
    )


def equal(expected: Array, actual: Array, exactness: Exactness) -> Array:
    """Return, per element, whether two values are the same answer."""
    if expected.dtype.kind in "iub" and actual.dtype.kind in "iub":
        return np.asarray(expected == actual)
    same = _near(expected, actual, exactness.exact)
    if exactness.zeros:
        same &= (expected != 0) | (actual != 0) | (np.signbit(expected) == np.signbit(actual))
    if not exactness.specials:
        same |= ~np.isfinite(expected.astype(np.float64))
    return same


def _near(expected: Array, actual: Array, exact: bool) -> Array:
    if exact or (is_whole(expected) and is_whole(actual)):
        return np.asarray(expected == actual) | (np.asarray(expected != expected) & np.asarray(actual != actual))
    bound = 1e-5 * min(1.0, magnitude(expected) or 1.0)
    wide = actual.astype(np.float64), expected.astype(np.float64)
    return np.isclose(*wide, rtol=1e-4, atol=bound, equal_nan=True)
