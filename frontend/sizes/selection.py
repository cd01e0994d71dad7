"""Operators that select, cut and scatter entries of tensors whose size depends on data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..extents import CountedExtent, Size, bound_of, key_of
from .sized import Sized, sizes
from .values import carried

_FAR = 1 << 40
"""A bound of a Slice from which on it means the end of the axis."""


def _from_end(sized: Sized, indices: str, extents: Sequence[Size]) -> str:
    """Return indices that count from the front, where they may count from an end that the run decides."""
    constant = sized.constant(indices)
    if all(isinstance(size, int) for size in extents) or (constant is not None and bool((constant >= 0).all())):
        return indices
    wide = sized.make("Cast", [indices], to=7)
    limits = sized.vector(extents) if len(extents) > 1 else sized.scalar(extents[0])
    is_negative = sized.make("Less", [wide, sized.number(0)])
    return sized.make("Where", [is_negative, sized.make("Add", [wide, limits]), wide])


@sizes("Gather")
def _gather(sized: Sized) -> bool | None:
    data, indices = sized.input(0), sized.input(1)
    extents, chosen = sized.axes(data), sized.axes(indices)
    if not extents and not chosen:
        return None if carried(sized) else False
    axis, count = sized.axis("axis", 0, len(sized.shape(data))), len(sized.shape(indices))
    places = _from_end(sized, indices, [sized.sizes(data)[axis]])
    gathered = sized.make("Gather", [data, places], axis=axis)
    axes = {(a if a < axis else a + count - 1): e for a, e in extents.items() if a != axis}
    sized.give(gathered, axes | {a + axis: e for a, e in chosen.items()})
    return None


@sizes("GatherElements")
def _gather_elements(sized: Sized) -> None:
    data, indices = sized.input(0), sized.input(1)
    axis = sized.axis("axis", 0, len(sized.shape(data)))
    places = _from_end(sized, indices, [sized.sizes(data)[axis]])
    sized.give(sized.make("GatherElements", [data, places], axis=axis), sized.axes(indices))


@sizes("GatherND")
def _gather_nd(sized: Sized) -> None:
    data, indices = sized.input(0), sized.input(1)
    batch, depth, rank = int(sized.attribute("batch_dims", 0)), sized.shape(indices)[-1], len(sized.shape(indices))
    if rank - 1 in sized.axes(indices) or (batch and sized.axes(data).keys() & set(range(batch))):
        raise sized.refused("with a number of indices that depends on data is not handled")
    places = _from_end(sized, indices, sized.sizes(data)[batch : batch + depth])
    gathered = sized.make("GatherND", [data, places], batch_dims=batch)
    rest = {a - batch - depth + rank - 1: e for a, e in sized.axes(data).items() if a >= batch + depth}
    sized.give(gathered, sized.axes(indices) | rest)


@sizes("OneHot")
def _one_hot(sized: Sized) -> bool | None:
    extents, rank = sized.axes(sized.input(0)), len(sized.shape(sized.input(0)))
    if not extents:
        return False
    axis = sized.axis("axis", -1, rank + 1)
    sized.keep()
    sized.give(sized.of.output[0], {a + (a >= axis): extent for a, extent in extents.items()})
    return None


@sizes("ScatterND")
def _scatter_nd(sized: Sized) -> None:
    """Scatter absent updates into a row after the last, which is cut off."""
    data, indices, updates = sized.of.input
    own, places, of_updates = (sized.sizes(name) for name in (data, indices, updates))
    depth = bound_of(places[-1])
    if isinstance(places[-1], CountedExtent) or [*map(key_of, of_updates)] != [
        *map(key_of, (*places[:-1], *own[depth:]))
    ]:
        raise sized.refused("of tensors whose sizes depend on other data is not handled")
    if not (rows := sized.shape(data)[0]):
        sized.give(data, sized.axes(data))
        return
    at = _from_end(sized, sized.make("Cast", [indices], to=7), own[:depth])
    spare = sized.make("Slice", [data, *(sized.number([n]) for n in (0, 1, 0))])
    longer = sized.make("Concat", [data, spare], axis=0)
    if extents := sized.axes(indices):
        nowhere = sized.number([rows, *[0] * (depth - 1)])
        at = sized.make("Where", [sized.inside(extents, sized.shape(indices)), at, nowhere])
    reduction = sized.attribute("reduction", b"none").decode()
    scattered = sized.make("ScatterND", [longer, at, updates], reduction=reduction)
    scattered = sized.make("Slice", [scattered, *(sized.number([n]) for n in (0, rows, 0))])
    sized.give(scattered, sized.axes(data))


@sizes("Slice")
def _slice(sized: Sized) -> bool | None:
    x = sized.input(0)
    extents, rank = sized.axes(x), len(sized.shape(x))
    starts, ends, axes, steps = (sized.input(index) for index in range(1, 5))
    fixed = [sized.constant(name) for name in (starts, ends)]
    if not extents and carried(sized):
        return None
    if not extents and all(bound is not None for bound in fixed):
        return False
    if (axes and sized.constant(axes) is None) or (steps and sized.constant(steps) is None):
        raise sized.refused("along axes or by steps that the run decides is not handled")
    vectors = [sized.shape(name) for name in (starts, ends, axes, steps) if name]
    if len(set(vectors)) > 1 or len(vectors[0]) != 1:
        raise sized.refused("needs as many starts as ends, axes and steps, each a vector")
    (count,) = vectors[0]
    listed, strides = sized.constant(axes), sized.constant(steps)
    along = [int(a) % rank for a in (range(count) if listed is None else listed.reshape(-1))]
    by = [1] * count if strides is None else [int(s) for s in strides.reshape(-1)]
    part, left = x, dict(extents)
    for index, (axis, step) in enumerate(zip(along, by, strict=True)):
        ends_of = [_end(sized, name, index) for name in (starts, ends)]
        part, extent = _cut(sized, part, axis, left.get(axis, sized.shape(part)[axis]), ends_of, step)
        left.pop(axis, None)
        left |= {axis: extent} if isinstance(extent, CountedExtent) else {}
    sized.give(part, left)
    return None


def _end(sized: Sized, name: str, index: int) -> Size | str:
    """Return one element of a tensor: the number where it is a known size, else a scalar tensor."""
    if (numbers := sized.extents.held(name)) is not None and isinstance(numbers[index], CountedExtent):
        return numbers[index]
    constant = sized.constant(name)
    if constant is not None:
        return int(constant.reshape(-1)[index])
    wide = sized.make("Cast", [name], to=7)
    return sized.make("Gather", [wide, sized.number(index)], axis=0)


def _cut(sized: Sized, name: str, axis: int, size: Size, ends: Sequence[Size | str], step: int) -> tuple[str, Size]:
    """Return a tensor cut along one axis, and how many entries are left."""
    start, end = ends
    extent = sized.shape(name)[axis]
    if isinstance(start, int) and isinstance(end, int):
        if isinstance(size, int) or (start >= 0 and end >= 0 and step > 0):
            return _cut_front(sized, name, axis, size, (start, end, step))
    if start == 0 and step == 1 and isinstance(end, CountedExtent):
        front = _cut_front(sized, name, axis, extent, (0, end.bound, 1))[0]
        return front, sized.combine("Min", size, end)
    if start == 0 and step == 1 and isinstance(end, int):
        left = sized.combine("Sub", size, -end)
        return _cut_front(sized, name, axis, extent, (0, bound_of(left), 1))[0], left
    # Backwards, ONNX lets a start before the axis mean its first entry, an end before it one before that.
    first, last = (_placed(sized, place, size, step, low) for place, low in ((start, 0), (end, -1)))
    span = sized.make("Sub", [last, first] if step > 0 else [first, last])
    steps = sized.make("Add", [span, sized.number(abs(step) - 1)])
    count = sized.make("Div", [sized.make("Max", [steps, sized.number(0)]), sized.number(abs(step))])
    bound = _most(extent, start, end, step)
    if bound == 0:
        return _cut_front(sized, name, axis, extent, (0, 0, 1))
    places = sized.make("Add", [sized.number(np.arange(bound) * step), first])
    places = sized.make("Clip", [places, sized.number(0), sized.number(extent - 1)])
    return sized.make("Gather", [name, places], axis=axis), sized.count(count, bound)


def _most(extent: int, start: Size | str, end: Size | str, step: int) -> int:
    """Return the most entries that a cut leaves of `extent`."""
    whole = -(-extent // abs(step))
    if step < 0:
        return whole
    if isinstance(start, int) and isinstance(end, int) and (start < 0) == (end < 0):
        return min(whole, max(0, -(-(end - start) // step)))
    if isinstance(start, int) and start < 0:
        return min(whole, -(start // step))
    if isinstance(end, int) and end >= 0:
        return min(whole, -(-end // step))
    return whole


def _placed(sized: Sized, end: Size | str, size: Size, step: int, least: int) -> str:
    """Return an end of a cut as a scalar, counted from the front, within the axis; `least` is the first backwards."""
    total = sized.scalar(size)
    limited = max(-_FAR, min(end, _FAR)) if isinstance(end, int) else end
    value = limited if isinstance(limited, str) else sized.scalar(limited)
    is_negative = sized.make("Less", [value, sized.number(0)])
    value = sized.make("Where", [is_negative, sized.make("Add", [value, total]), value])
    low, high = (0, total) if step > 0 else (least, sized.make("Sub", [total, sized.number(1)]))
    return sized.make("Min", [sized.make("Max", [value, sized.number(low)]), high])


def _cut_front(sized: Sized, name: str, axis: int, size: Size, cut: tuple[int, int, int]) -> tuple[str, Size]:
    """Return a tensor cut at constant places, counted from the front."""
    start, end, step = cut
    part = sized.make("Slice", [name, *(sized.number([n]) for n in (start, end, axis, step))])
    if isinstance(size, int):
        return part, sized.shape(part)[axis]
    inside = sized.combine("Min", size, end) if end < size.bound else size
    span = sized.combine("Sub", inside, start)
    return part, sized.combine("Div", sized.combine("Add", span, step - 1), step)
