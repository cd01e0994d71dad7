"""Operators that make tensors of a size that data decide."""

from __future__ import annotations

import numpy as np

from ...dialects.onnx.bounded import nms_bound
from ..evaluation import evaluate
from ..extents import Axes, CountedExtent
from .sized import Sized, sizes


def _is_constant(sized: Sized) -> bool:
    """Resolve a node of constants; return whether it is one."""
    operands = {name: sized.resolver.constant(name) for name in sized.of.input if name}
    constants = {name: constant for name, constant in operands.items() if constant is not None}
    if len(constants) < len(operands):
        return False
    results = evaluate(sized.of, constants)
    for name, constant in results.items():
        sized.resolver.settle_constant(name, constant.array, constant.data_type, sized.of.name)
    return bool(results)


def _found(sized: Sized, name: str, key: str) -> tuple[str, Axes]:
    """Append a search for the non-zero elements of a tensor; returns indices [rank, bound], and their axes."""
    indices, count = sized.fresh(), sized.fresh()
    sized.make("BoundedNonZero", [sized.masked(name, 0)], [indices, count])
    extent = sized.count(count, sized.shape(indices)[1], ("NonZero", key))
    return indices, {} if isinstance(extent, int) else {1: extent}


@sizes("NonZero")
def _non_zero(sized: Sized) -> None:
    if not _is_constant(sized):
        sized.give(*_found(sized, sized.input(0), sized.input(0)))


@sizes("Compress")
def _compress(sized: Sized) -> None:
    x, condition = sized.input(0), sized.input(1)
    axis = sized.attribute("axis")
    if axis is None:
        x = _flattened(sized, x)
    axis, rank = int(axis or 0), len(sized.shape(x))
    if not -rank <= axis < rank or len(sized.shape(condition)) != 1:
        form = f"axis {axis}, a condition of shape {list(sized.shape(condition))}"
        raise sized.misfit("the axis or condition", f"an axis of {list(sized.shape(x))}, a vector", form)
    axis %= rank
    (entries,), extent = sized.shape(condition), sized.shape(x)[axis]
    chosen = sized.constant(condition)
    if chosen is not None and not sized.axes(x) and not chosen[extent:].any():
        sized.give(sized.make("Gather", [x, sized.number(np.flatnonzero(chosen))], axis=axis), {})
        return
    indices, axes = _found(sized, condition, condition)
    flat = sized.reshape(indices, [entries])
    if entries > extent:
        raise sized.misfit("the condition", f"at most {extent} elements", entries)
    gathered = sized.make("Gather", [x, flat], axis=axis)
    others = {a: e for a, e in sized.axes(x).items() if a != axis}
    sized.give(gathered, others | ({axis: axes[1]} if axes else {}))


def _flattened(sized: Sized, name: str) -> str:
    """Return a tensor as one axis, which has an extent where the outermost of the tensor has."""
    extents, shape = sized.axes(name), sized.shape(name)
    if extents.keys() - {0}:
        raise sized.refused("of all elements of a tensor of which inner axes depend on data is not handled")
    flat = sized.reshape(name, [int(np.prod(shape, dtype=np.int64))])
    if extents:
        extent = sized.combine("Mul", extents[0], int(np.prod(shape[1:], dtype=np.int64)))
        sized.extents.axes[flat] = {0: extent} if isinstance(extent, CountedExtent) else {}
    return flat


@sizes("NonMaxSuppression")
def _non_max_suppression(sized: Sized) -> None:
    boxes, scores, most, iou, score = (sized.input(index) for index in range(5))
    shapes = [sized.shape(name) for name in (boxes, scores)]
    if any(len(shape) != 3 for shape in shapes):
        raise sized.misfit("the rank of boxes or scores", "3 axes each", [list(shape) for shape in shapes])
    limit = sized.numbers(most) if most else (0,)
    if limit is None or len(limit) != 1 or not isinstance(limit[0], int):
        raise sized.refused("has no bound: the most boxes of a class are no constant", "give it with --input-value")
    others = [axis for name in (boxes, scores) for axis in sized.axes(name) if axis != (1 if name == boxes else 2)]
    if others:
        raise sized.refused("over batches or classes whose number depends on data is not handled")
    iou = iou or sized.number(0, np.float32)
    has_score = bool(score) or bool(sized.axes(boxes) or sized.axes(scores))
    boxes_keys = {extent.key for extent in sized.axes(boxes).values()}
    if boxes_keys != {extent.key for extent in sized.axes(scores).values()}:
        raise sized.misfit("the number of scores", "as many scores as boxes", [list(shape) for shape in shapes])
    scores = sized.masked(scores, float("-inf"))
    score = score or sized.number(float("-inf"), np.float32)
    bound = nms_bound(sized.shape(boxes), sized.shape(scores), limit[0])
    if bound == 0:
        sized.give(sized.number(np.zeros((0, 3))), {})
        return
    selected, count = sized.fresh(), sized.fresh()
    inputs = [boxes, scores, *(sized.reshape(threshold, [1]) for threshold in (iou, score))]
    sized.make(
        "BoundedNonMaxSuppression",
        inputs,
        [selected, count],
        most=min(limit[0], sized.shape(boxes)[1]),
        center_point_box=int(sized.attribute("center_point_box", 0)),
        has_score=int(has_score),
    )
    extent = sized.count(count, bound)
    sized.give(selected, {} if isinstance(extent, int) else {0: extent})


@sizes("Unique")
def _unique(sized: Sized) -> None:
    if _is_constant(sized):
        return
    x, axis = sized.input(0), sized.attribute("axis")
    if axis is None:
        x, axis = _flattened(sized, x), 0
    shape = sized.shape(x)
    axis = int(axis) % len(shape)
    if any(a != axis for a in sized.axes(x)):
        raise sized.refused("of parts whose size depends on data is not handled")
    rows = sized.axes(x).get(axis, shape[axis])
    order = [axis, *(a for a in range(len(shape)) if a != axis)]
    front = sized.make("Transpose", [x], perm=order)
    matrix = sized.reshape(front, [shape[axis], int(np.prod([shape[a] for a in order[1:]], dtype=np.int64))])
    names = [sized.fresh() for _ in range(5)]
    ordered = int(sized.attribute("sorted", 1))
    sized.make("BoundedUnique", [matrix, sized.scalar(rows)], names, sorted=ordered)
    y = sized.reshape(names[0], [shape[a] for a in order])
    y = sized.make("Transpose", [y], perm=list(np.argsort(order)))
    extent = sized.count(names[4], shape[axis])
    lists = {} if isinstance(extent, int) else {0: extent}
    sized.give(y, {axis: lists[0]} if lists else {})
    sized.give(names[1], lists, 1)
    sized.give(names[2], {0: rows} if not isinstance(rows, int) else {}, 2)
    sized.give(names[3], lists, 3)
