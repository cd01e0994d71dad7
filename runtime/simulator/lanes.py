"""Integers of equal nodes: one value for all lanes of a class, or an array of one for each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialects.core.analysis.arithmetic import bitwise_and, bitwise_or, bitwise_xor
from ...ir import Array


class Diverged(Exception):
    """Lanes of a class take different paths: `labels` tells the classes apart, lane by lane."""

    def __init__(self, labels: Array):
        super().__init__("lanes take different paths")
        self.labels = labels


class NotInStep(Exception):
    """Concurrent programs have to be executed instance by instance."""


def _of(value: Any) -> Any:
    return value.values if isinstance(value, Lanes) else value


def lanes(values: Array) -> Any:
    """Return the Python number that all lanes have, else the lanes."""
    if values.dtype != np.int64:
        values = _narrowed(values)
    first = values[0]
    return values.item(0) if bool((values == first).all()) else Lanes(values)


def _narrowed(values: Array) -> Array:
    """Return truth values, and integers of any width that fit, in 64 bits."""
    try:
        return values.astype(np.int64)
    except OverflowError:
        return values


def _divide(a: Any, b: Any) -> Any:
    return a // _divisor(b)


def _remainder(a: Any, b: Any) -> Any:
    return a % _divisor(b)


def _divisor(values: Any) -> Any:
    """Return a divisor. Raises NotInStep where it is zero, which is an error of an instance."""
    if not np.all(values):
        raise NotInStep
    return values


def _wide(value: Any) -> Any:
    return np.asarray(value, object)


def _binary(compute: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return an operator of lanes, and the one with swapped operands."""

    def computed(a: Any, b: Any) -> Any:
        try:
            return lanes(compute(a, b))
        except OverflowError:
            # A mask of 64 bits is no signed integer of 64 bits.
            return lanes(compute(_wide(a), _wide(b)))

    return lambda self, other: computed(self.values, _of(other)), lambda self, other: computed(_of(other), self.values)


class Lanes:
    """
    Integers of the lanes of a class, not all equal.

    Arithmetic is by lanes. Control flow on them raises Diverged: lanes of a class take the same path.
    """

    __slots__ = ("values",)

    def __init__(self, values: Array):
        self.values = values

    __add__, __radd__ = _binary(operator.add)
    __sub__, __rsub__ = _binary(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul)
    __floordiv__, __rfloordiv__ = _binary(_divide)
    __mod__, __rmod__ = _binary(_remainder)
    __and__, __rand__ = _binary(bitwise_and)
    __or__, __ror__ = _binary(bitwise_or)
    __xor__, __rxor__ = _binary(bitwise_xor)
    __lt__, __gt__ = _binary(operator.lt)
    __le__, __ge__ = _binary(operator.le)

    def __eq__(self, other: object) -> Any:
        return lanes(self.values == _of(other))

    def __ne__(self, other: object) -> Any:
        return lanes(self.values != _of(other))

    __hash__ = object.__hash__

    def __neg__(self) -> Any:
        return Lanes(-self.values)

    def __abs__(self) -> Any:
        return lanes(np.abs(self.values))

    def __bool__(self) -> bool:
        raise Diverged(self.values != 0)

    def __index__(self) -> int:
        raise Diverged(self.values)
