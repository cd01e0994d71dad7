"""Arithmetic on data-dependent shapes: propagation of the sizes that tensors hold."""

from __future__ import annotations

import numpy as np
from onnx import helper

from ...dialects.onnx.registry import mentions
from ..extents import CountedExtent, Size, bound_of
from .sized import Sized, sizes


@sizes("Shape")
def _shape(sized: Sized) -> bool | None:
    if not sized.axes(sized.input(0)):
        return False
    chosen = sized.sizes(sized.input(0))[slice(sized.attribute("start", 0), sized.attribute("end"))]
    sized.make("Identity", [sized.vector(chosen)], [sized.of.output[0]])
    sized.hold(chosen)
    return None


@sizes("Size")
def _size(sized: Sized) -> bool | None:
    if not sized.axes(sized.input(0)):
        return False
    total: Size = 1
    for size in sized.sizes(sized.input(0)):
        total = sized.combine("Mul", total, size)
    sized.make("Identity", [sized.scalar(total)], [sized.of.output[0]])
    sized.hold((total,))
    return None


_CARRIERS = ("Cast", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Unsqueeze")
"""Operators whose result holds sizes where their first input does."""


@mentions(*_CARRIERS)
def carried(sized: Sized) -> bool:
    """Append a node on a tensor that holds sizes; returns whether its result holds sizes too."""
    numbers, name = sized.extents.held(sized.input(0)), sized.of.op_type
    if numbers is None or name not in _CARRIERS or len(sized.shape(sized.input(0))) > 1:
        return False
    if name == "Gather":
        chosen = sized.constant(sized.input(1))
        results = None if chosen is None else tuple(numbers[int(i)] for i in chosen.reshape(-1))
    elif name == "Slice":
        bounds = [sized.constant(sized.input(index)) for index in (1, 2, 4)]
        if any(b is None and sized.input(i) for b, i in zip(bounds, (1, 2, 4), strict=True)):
            return False
        start, end, step = (None if b is None else int(b.reshape(-1)[0]) for b in bounds)
        results = numbers[slice(start, end, step)]
    else:
        results = numbers
    if results is None:
        return False
    sized.keep()
    if sized.is_integer(sized.of.output[0]):
        sized.hold(results)
    return True


@sizes("Range")
def _range(sized: Sized) -> bool | None:
    start, limit, step = (sized.numbers(name) for name in sized.of.input)
    if not (start and limit and step and isinstance(start[0], int) and isinstance(step[0], int) and step[0] > 0):
        return False
    span = sized.combine("Sub", limit[0], start[0]) if start[0] >= 0 else sized.combine("Add", limit[0], -start[0])
    up = sized.combine("Add", span, step[0] - 1)
    count = sized.combine("Div", up, step[0])
    dtype = helper.tensor_dtype_to_np_dtype(sized.resolver.data_type(sized.input(0), sized.of))
    values = sized.number(start[0] + np.arange(bound_of(count)) * step[0], dtype)
    sized.give(values, {} if isinstance(count, int) else {0: count})
    return None


@sizes("ConstantOfShape")
def _constant_of_shape(sized: Sized) -> bool | None:
    goals = sized.numbers(sized.input(0))
    if goals is None:
        return False
    value = sized.attribute("value")
    fill = np.zeros(1, np.float32) if value is None else _array(value)
    array = np.full([bound_of(size) for size in goals], fill.reshape(-1)[0], fill.dtype)
    sized.give(sized.number(array, array.dtype), _axes(goals))
    return None


def _array(tensor: object) -> np.ndarray:
    from onnx import TensorProto, numpy_helper

    assert isinstance(tensor, TensorProto)
    return numpy_helper.to_array(tensor)


def _axes(numbers: tuple[Size, ...]) -> dict[int, CountedExtent]:
    return {axis: size for axis, size in enumerate(numbers) if isinstance(size, CountedExtent)}


@sizes("Expand")
def _expand(sized: Sized) -> bool | None:
    x, goals = sized.input(0), sized.numbers(sized.input(1))
    if goals is None:
        raise sized.refused("to a shape of the run has no bound")
    shape = [bound_of(size) for size in goals]
    own, rank = sized.sizes(x), max(len(shape), len(sized.shape(x)))
    axes: dict[int, CountedExtent] = {}
    for axis in range(rank):
        size = own[axis - rank + len(own)] if axis >= rank - len(own) else 1
        goal = goals[axis - rank + len(goals)] if axis >= rank - len(goals) else 1
        if isinstance(size, int) and isinstance(goal, int):
            continue
        if size != goal and size != 1 and goal != 1:
            raise sized.refused("to another size than the tensor has is not handled")
        axes[axis] = next(extent for extent in (size, goal) if isinstance(extent, CountedExtent))
    sized.give(sized.make("Expand", [x, sized.number(shape)]), axes)
    return None
