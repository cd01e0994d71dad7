"""Semantics of the operators of `dialects/onnx/bounded.py`, independent of their lowering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialects.onnx.bounded import nms_bound
from ...dialects.onnx.registry import Registry
from ...ir import Array

Attribute = Callable[[str], Any]
"""Returns an attribute's value by name."""


def _filled(shape: Sequence[int], values: Array, axis: int) -> Array:
    """Pad values with zeros at the end of an axis."""
    whole = np.zeros(shape, values.dtype)
    np.moveaxis(whole, axis, 0)[: values.shape[axis]] = np.moveaxis(values, axis, 0)
    return whole


def _non_zero(attribute: Attribute, x: Array) -> Sequence[Array]:
    indices = np.array(np.nonzero(x), np.int64).reshape(x.ndim, -1)
    count = int(np.count_nonzero(x))
    return _filled((x.ndim, x.size), indices, 1), np.array(count, np.int64)


def _non_max_suppression(
    attribute: Attribute, boxes: Array, scores: Array, iou: Array, score: Array
) -> Sequence[Array]:
    rows: list[tuple[int, int, int]] = []
    corners = _corners(boxes) if attribute("center_point_box") else _sorted_corners(boxes)
    for batch, kind in np.ndindex(*scores.shape[:2]):
        values = scores[batch, kind]
        left = [int(i) for i in np.argsort(-values, kind="stable")]
        if attribute("has_score"):
            left = [i for i in left if values[i] > score.reshape(-1)[0]]
        chosen: list[int] = []
        while left and len(chosen) < attribute("most"):
            best, *left = left
            chosen.append(best)
            left = [i for i in left if not _overlap(corners[batch, best], corners[batch, i], iou.reshape(-1)[0])]
        rows += [(batch, kind, index) for index in chosen]
    selected = np.array(rows, np.int64).reshape(-1, 3)
    bound = nms_bound(boxes.shape, scores.shape, attribute("most"))
    return _filled((bound, 3), selected, 0), np.array(len(rows), np.int64)


def _corners(boxes: Array) -> Array:
    half = boxes[..., 2:] / np.float32(2)
    return np.stack([boxes[..., :2] - half, boxes[..., :2] + half], axis=-2)


def _sorted_corners(boxes: Array) -> Array:
    ends = boxes.reshape(*boxes.shape[:-1], 2, 2)
    return np.stack([ends.min(axis=-2), ends.max(axis=-2)], axis=-2)


def _overlap(a: Array, b: Array, limit: Any) -> bool:
    """Return whether the intersection over union of two boxes [2, 2] exceeds a limit."""
    sides = np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])
    if (sides <= 0).any():
        return False
    common, *areas = (np.prod(extents, dtype=np.float32) for extents in (sides, a[1] - a[0], b[1] - b[0]))
    union = areas[0] + areas[1] - common
    if min(common, union, *areas) <= 0:
        return False
    return bool(common / union > limit)


def _unique(attribute: Attribute, x: Array, rows: Array) -> Sequence[Array]:
    there = [tuple(row) for row in x[: int(rows)].tolist()]
    first: dict[tuple[Any, ...], int] = {}
    for index, row in enumerate(there):
        first.setdefault(row, index)
    kept = sorted(first) if attribute("sorted") else list(first)
    place = {row: index for index, row in enumerate(kept)}
    indices = np.array([first[row] for row in kept], np.int64)
    inverse = np.array([place[row] for row in there], np.int64)
    counts = np.bincount(inverse, minlength=len(kept)).astype(np.int64)
    lists = (_filled(x.shape[:1], values, 0) for values in (indices, inverse, counts))
    return _filled(x.shape, x[indices], 0), *lists, np.array(len(kept), np.int64)


BOUNDED: Registry[str, Callable[..., Sequence[Array]]] = Registry(
    "interpreter",
    {
        "BoundedNonZero": _non_zero,
        "BoundedNonMaxSuppression": _non_max_suppression,
        "BoundedUnique": _unique,
    },
)
"""Operator -> `(attribute, *operands) -> results`."""
