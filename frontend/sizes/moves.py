"""Operators that move or select elements, of tensors whose size depends on data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..extents import Axes, CountedExtent, Size, bound_of, key_of
from .sized import Sized, sizes
from .values import carried


def _moved(place: Callable[[Sized, int, int], int | None]) -> Callable[[Sized], bool | None]:
    """Return the rule of an operator that gives axis `a` of its first input the place `place(sized, a, rank)`."""

    def rule(sized: Sized) -> bool | None:
        extents, rank = sized.axes(sized.input(0)), len(sized.shape(sized.input(0)))
        if not extents:
            return None if carried(sized) else False
        places = {place(sized, axis, rank): extent for axis, extent in extents.items()}
        if None in places:
            raise sized.refused("of an axis whose size depends on data is not handled")
        if any(sized.axes(name) for name in sized.of.input[1:]) and sized.of.op_type != "CastLike":
            raise sized.refused("by a tensor whose size depends on data is not handled")
        sized.keep()
        for index, name in enumerate(sized.of.output):
            sized.give(name, {axis: extent for axis, extent in places.items() if axis is not None}, index)
        return None

    return rule


def _transposed(sized: Sized, axis: int, rank: int) -> int:
    return list(sized.attribute("perm", range(rank)[::-1])).index(axis)


def _constant_axes(sized: Sized, rank: int) -> list[int]:
    constant = sized.constant(sized.input(1))
    if constant is None:
        raise sized.refused("along axes that the run decides is not handled")
    return sorted(int(axis) % rank for axis in constant.reshape(-1))


def _unsqueezed(sized: Sized, axis: int, rank: int) -> int:
    new = _constant_axes(sized, rank + int(sized.shape(sized.input(1))[0]))
    return [place for place in range(rank + len(new)) if place not in new][axis]


def _squeezed(sized: Sized, axis: int, rank: int) -> int | None:
    if not sized.input(1):
        raise sized.refused("of all axes of one entry is not handled, where their size depends on data")
    gone = _constant_axes(sized, rank)
    return None if axis in gone else axis - sum(squeezed < axis for squeezed in gone)


def _same_place(sized: Sized, axis: int, rank: int) -> int:
    return axis


def _other_than(*attributes: str) -> Callable[[Sized, int, int], int | None]:
    """Return a rule that keeps every axis but the one that an attribute names."""

    def place(sized: Sized, axis: int, rank: int) -> int | None:
        worked = sized.axis(attributes[0], int(attributes[1]), rank)
        return None if axis == worked else axis

    return place


def _not_padded(sized: Sized, axis: int, rank: int) -> int | None:
    pads, axes = sized.constant(sized.input(1)), sized.constant(sized.input(3))
    if pads is None or (axes is None and sized.input(3)):
        return None
    listed = range(rank) if axes is None else [int(a) % rank for a in axes.reshape(-1)]
    padded = {a for a, *ends in zip(listed, *pads.reshape(2, -1), strict=True) if any(ends)}
    return None if axis in padded else axis


def _not_repeated(sized: Sized, axis: int, rank: int) -> int | None:
    repeats = sized.constant(sized.input(1))
    return axis if repeats is not None and int(repeats.reshape(-1)[axis]) == 1 else None


def _batch(sized: Sized, axis: int, rank: int) -> int | None:
    return 0 if axis == 0 and not any(sized.axes(name) for name in sized.of.input[1:]) else None


sizes("CastLike", "Identity", "Dropout")(_moved(_same_place))
sizes("Transpose")(_moved(_transposed))
sizes("Unsqueeze")(_moved(_unsqueezed))
sizes("Squeeze")(_moved(_squeezed))
sizes("Pad")(_moved(_not_padded))
sizes("Tile")(_moved(_not_repeated))
sizes("Hardmax", "LpNormalization")(_moved(_other_than("axis", "-1")))
sizes("Conv", "BatchNormalization", "AveragePool", "MaxPool", "LpPool", "GlobalAveragePool", "GlobalMaxPool")(
    _moved(_batch)
)


@sizes("Split")
def _split(sized: Sized) -> bool | None:
    x = sized.input(0)
    extents, axis = sized.axes(x), sized.axis("axis", 0, len(sized.shape(x)))
    if not extents:
        return False
    if axis in extents:
        raise sized.refused("along an axis whose size depends on data is not handled")
    sized.keep()
    for index, name in enumerate(sized.of.output):
        sized.give(name, extents, index)
    return None


@sizes("Flatten")
def _flatten(sized: Sized) -> None:
    own = sized.sizes(sized.input(0))
    axis = int(sized.attribute("axis", 1))
    axis += len(own) if axis < 0 else 0
    goal: list[Size] = []
    for part in (own[:axis], own[axis:]):
        total: Size = 1
        for size in part:
            total = sized.combine("Mul", total, size)
        goal.append(total)
    _reshaped(sized, sized.input(0), goal)


@sizes("Reshape")
def _reshape(sized: Sized) -> bool | None:
    if (
        not sized.axes(sized.input(0))
        and len(sized.shape(sized.input(0))) <= 1
        and sized.constant(sized.input(1)) is not None
    ):
        return None if carried(sized) else False
    goals = sized.numbers(sized.input(1))
    if goals is None:
        raise sized.refused("to a shape of the run has no bound")
    x, zeros = sized.input(0), int(sized.attribute("allowzero", 0))
    own = sized.sizes(x)
    goal = [own[i] if size == 0 and not zeros else size for i, size in enumerate(goals)]
    _reshaped(sized, x, goal)
    return None


def _reshaped(sized: Sized, name: str, goal: Sequence[Size]) -> None:
    """
    Give a tensor in another shape, of which one size may be -1.

    Elements stay where they are, so that an axis of unknown size may only be the outermost of those that become one.
    """
    own, target = sized.sizes(name), list(goal)
    groups = _groups(own, target)
    axes: Axes = {}
    for (low, high), (start, end) in groups:
        inner, outer = own[low:high], target[start:end]
        if all(isinstance(size, int) for size in (*inner, *outer)):
            continue
        _check_outermost(sized, inner)
        first = next((i for i, size in enumerate(outer) if size != 1), 0)
        rest = [size for i, size in enumerate(outer) if i != first]
        if any(not isinstance(size, int) or size < 0 for size in rest) or not outer:
            raise sized.refused("splits an axis whose size depends on data, or makes it an inner one")
        total: Size = 1
        for size in inner:
            total = sized.combine("Mul", total, size)
        inside = int(np.prod([bound_of(size) for size in rest], dtype=np.int64))
        if bound_of(total) % inside:
            raise sized.refused("splits an axis whose bound is no multiple of its parts")
        quotient = sized.combine("Div", total, inside)
        wanted = outer[first]
        if not isinstance(quotient, CountedExtent) or (wanted != -1 and key_of(wanted) != quotient.key):
            raise sized.refused("to a size that another one than the tensor's decides is not handled")
        axes[start + first] = quotient
        target[start + first] = quotient
    sized.give(sized.reshape(name, [bound_of(size) for size in target]), axes)


def _check_outermost(sized: Sized, sizes: Sequence[Size]) -> None:
    first = next((i for i, size in enumerate(sizes) if size != 1), 0)
    if any(isinstance(size, CountedExtent) for size in sizes[first + 1 :]):
        raise sized.refused("joins an axis whose size depends on data with one outside of it")


def _groups(own: Sequence[Size], target: Sequence[Size]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """
    Return the correspondence of one shape's axes with another's, in the smallest groups from the front, then the back.
    """
    front = 0
    while front < min(len(own), len(target)) and _same(own[front], target[front]):
        front += 1
    back = 0
    while back < min(len(own), len(target)) - front and _same(own[-1 - back], target[-1 - back]):
        back += 1
    pairs = [((i, i + 1), (i, i + 1)) for i in range(front)]
    pairs += [((len(own) - i, len(own) - i + 1), (len(target) - i, len(target) - i + 1)) for i in range(1, back + 1)]
    middle = ((front, len(own) - back), (front, len(target) - back))
    return [*pairs, middle] if middle[0] != (front, front) or middle[1] != (front, front) else pairs


def _same(a: Size, b: Size) -> bool:
    return key_of(a) == key_of(b)


@sizes("Concat")
def _concat(sized: Sized) -> bool | None:
    names = list(sized.of.input)
    if not any(sized.axes(name) for name in names):
        return _concat_sizes(sized, names)
    axis = sized.axis("axis", 0, len(sized.shape(names[0])))
    for other in range(len(sized.shape(names[0]))):
        if other != axis and len({key_of(sized.sizes(name)[other]) for name in names}) > 1:
            raise sized.refused("of tensors whose sizes depend on other data is not handled")
    joined, length = names[0], sized.sizes(names[0])[axis]
    for name in names[1:]:
        joined, length = _appended(sized, (joined, length), (name, sized.sizes(name)[axis]), axis)
    others = {a: e for a, e in sized.axes(names[0]).items() if a != axis}
    sized.give(joined, others | ({axis: length} if isinstance(length, CountedExtent) else {}))
    return None


def _concat_sizes(sized: Sized, names: list[str]) -> bool | None:
    operands = [sized.numbers(name) for name in names]
    if any(numbers is None for numbers in operands) or len(sized.shape(names[0])) != 1:
        return False
    sized.keep()
    sized.extents.values[sized.of.output[0]] = tuple(size for numbers in operands for size in numbers or ())
    return None


def _appended(sized: Sized, first: tuple[str, Size], second: tuple[str, Size], axis: int) -> tuple[str, Size]:
    """Return two tensors one after the other, and how many entries that are; the second begins where the first ends."""
    (a, count), (b, more) = first, second
    joined = sized.make("Concat", [a, b], axis=axis)
    length = sized.combine("Add", count, more)
    if isinstance(count, int):
        return joined, length
    places = np.arange(count.bound + bound_of(more))
    shift = sized.make("Sub", [sized.number(count.bound), count.count])
    is_second = sized.make("GreaterOrEqual", [sized.number(places), count.count])
    there = sized.make("Where", [is_second, sized.make("Add", [sized.number(places), shift]), sized.number(places)])
    there = sized.make("Min", [there, sized.number(len(places) - 1)])
    return sized.make("Gather", [joined, there], axis=axis), length
