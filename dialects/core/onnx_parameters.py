"""How parameters lie along the tensor that they go with: scales, zero points, factors of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence


def broadcasts_to(shape: Sequence[int], target: Sequence[int | None]) -> bool:
    """Return whether a tensor of that shape can be broadcast to the target's."""
    if len(shape) > len(target):
        return False
    return all(size in (1, goal) for size, goal in zip(reversed(shape), reversed(target), strict=False))


def channel_shape(parameter: Sequence[int], x: Sequence[int]) -> tuple[int, ...] | None:
    """
    Return the shape in which `mul` or `add` of RequantShift broadcasts over x, None where there is none.

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
