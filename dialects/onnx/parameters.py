"""Broadcasting of parameters along a tensor: scales, zero points, factors of channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .registry import Registry


@dataclass(frozen=True)
class QuantParameter:
    """Scale or zero point of an operator: its input, the input that it quantises, and the axis of a vector."""

    index: int
    of: int
    axis: int | None
    """None where it is one number for the whole tensor."""
    is_matrix: bool = False
    """Whether it may have several axes, which broadcast."""

    def axis_of(self, other: Sequence[int]) -> int | None:
        """Return the axis of the tensor along which a vector goes: the first one where it has fewer axes."""
        return None if self.axis is None else max(self.axis, -len(other))


def _rows(*indices: int) -> tuple[QuantParameter, ...]:
    return tuple(QuantParameter(index, 0, -2, is_matrix=True) for index in indices)


def _columns(of: int, *indices: int) -> tuple[QuantParameter, ...]:
    return tuple(QuantParameter(index, of, -1, is_matrix=True) for index in indices)


def _features(of: int, *indices: int) -> tuple[QuantParameter, ...]:
    return tuple(QuantParameter(index, of, 0) for index in indices)


def _whole(*indices: int, of: int = 0) -> tuple[QuantParameter, ...]:
    return tuple(QuantParameter(index, of, None) for index in indices)


PARAMETERS: Registry[str, tuple[QuantParameter, ...]] = Registry(
    "scales and zero points",
    {
        "ConvInteger": (*_whole(2), *_features(1, 3)),
        "MatMulInteger": (*_rows(2), *_columns(1, 3)),
        "QLinearAdd": (*_whole(1, 2, 6, 7), *_whole(4, 5, of=3)),
        "QLinearMul": (*_whole(1, 2, 6, 7), *_whole(4, 5, of=3)),
        "QLinearConv": (*_whole(1, 2, 6, 7), *_features(3, 4, 5)),
        "QLinearMatMul": (*_rows(1, 2, 6, 7), *_columns(3, 4, 5)),
    },
)
"""Operator -> its scales and zero points."""


@dataclass(frozen=True)
class Misfit:
    """A parameter that does not go with its tensor."""

    index: int
    expected: str
    found: str


def misfit(operator: str, shape_of: Callable[[int], tuple[int, ...] | None]) -> Misfit | None:
    """
    Return the first scale or zero point of an operator that is incompatible with its tensor, None where all are
    compatible.

    `shape_of` gives the shape of an input, None where it is left out.
    """
    for parameter in PARAMETERS.get(operator, ()):
        shape, other = shape_of(parameter.index), shape_of(parameter.of)
        if shape is None or other is None:
            continue
        axis = parameter.axis_of(other)
        if goes_with(shape, other, axis, is_matrix=parameter.is_matrix):
            continue
        expected = "one number"
        if axis is not None and other:
            expected += f", or {[other[axis]]}"
        if parameter.is_matrix:
            expected += f", or a shape that broadcasts to {list(other)}"
        return Misfit(parameter.index, expected, str(list(shape)))
    return None


def goes_with(shape: Sequence[int], other: Sequence[int], axis: int | None, *, is_matrix: bool) -> bool:
    """
    Return whether a parameter is compatible with a tensor: one number, a vector along `axis`, or broadcastable to it.

    Only a matrix of parameters broadcasts; without an axis there is no vector.
    """
    if tuple(shape) in ((), (1,)):
        return True
    if len(shape) == 1:
        return axis is not None and -len(other) <= axis < len(other) and shape[0] == other[axis]
    return is_matrix and broadcasts_to(shape, other)


def broadcasts_to(shape: Sequence[int], target: Sequence[int | None]) -> bool:
    """Return whether a tensor of that shape can be broadcast to the target's."""
    if len(shape) > len(target):
        return False
    return all(size in (1, goal) for size, goal in zip(reversed(shape), reversed(target), strict=False))


def channel_shape(parameter: Sequence[int], x: Sequence[int]) -> tuple[int, ...] | None:
    """
    Return the shape in which `mul` or `add` of RequantShift broadcasts over x, None if there is none.

    [C] stands for axis 1, on a matrix for its last axis; [C, 1, 1] stands for axis 1 also where x has three axes.
    """
    size = math.prod(parameter)
    if size == 1:
        return (1,) * len(x)
    axis = 1 if len(x) > 2 else len(x) - 1
    vector = len(parameter) == 1 or (len(parameter) == len(x) == 3 and parameter[0] == size)
    if vector and x and x[axis] == size:
        return tuple(size if index == axis else 1 for index in range(len(x)))
    if len(parameter) > 1 and broadcasts_to(parameter, x):
        return tuple(parameter)
    return None
