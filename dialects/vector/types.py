"""Types of vectors, their arrays, and the kinds of folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation

from ...errors import Diagnostic
from ...ir import Array, numpy_type, where


def is_vector(type: Attribute) -> bool:
    """Return whether a type is one of vectors."""
    return isinstance(type, VectorType)


def shape(type: Attribute) -> tuple[int, ...]:
    """Return the shape of a vector, () for a scalar."""
    return tuple(cast(Any, type).get_shape()) if is_vector(type) else ()


def element_type(type: Attribute) -> Attribute:
    """Return the type of a vector's elements, a scalar type as it is."""
    return cast("VectorType[Any]", type).element_type if is_vector(type) else type


def is_scalable(type: Attribute) -> bool:
    """Return whether a vector has an axis whose extent depends on the machine."""
    return is_vector(type) and any(bool(dim.value.data) for dim in cast(Any, type).scalable_dims)


def empty(op: Operation, type: Attribute) -> Array:
    """Return an array for a vector. Raises Diagnostic for a scalable one."""
    if is_scalable(type):
        raise Diagnostic(f"'{op.name}' of a scalable vector has no interpreter rule", where(op), found=str(type))
    return np.empty(shape(type), numpy_type(element_type(type)))


def integers(attribute: Any) -> tuple[int, ...]:
    """Return the numbers of an array of integer attributes."""
    return tuple(cast("IntegerAttr[Any]", number).value.data for number in attribute)


def _unsigned(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compute(a: Any, b: Any) -> Any:
        a, b = np.asarray(a), np.asarray(b)
        unsigned = np.dtype(f"u{a.dtype}") if a.dtype.kind == "i" else a.dtype
        return function(a.view(unsigned), b.view(unsigned)).view(a.dtype)

    return compute


_FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "minui": _unsigned(np.minimum),
    "minsi": np.minimum,
    "minnumf": np.fmin,
    "maxui": _unsigned(np.maximum),
    "maxsi": np.maximum,
    "maxnumf": np.fmax,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
}
_TRUTHS = {"add": np.bitwise_xor, "mul": np.bitwise_and}
"""Sums and products of truth values wrap around."""


def combine(kind: Any, a: Any, b: Any) -> Any:
    """Return the fold of arrays of numbers of a `#vector.kind`, element by element."""
    name = str(kind.data)
    table = _FOLDS | _TRUTHS if np.asarray(a).dtype == np.bool_ else _FOLDS
    return table[name](a, b)


def _choose(condition: Any, a: Any, b: Any) -> Any:
    return cast(Any, np.where)(condition, a, b)


def fold(kind: Any, values: Array, axes: Sequence[int], start: Any, mask: Array | None = None) -> Any:
    """
    Return the fold of values along axes, in row-major order, from `start` on; None starts with the first value.

    Where a mask is false a value is left out.
    """
    order = [*axes, *(axis for axis in range(values.ndim) if axis not in axes)]
    moved = values.transpose(order).reshape(-1, *(values.shape[axis] for axis in order[len(axes) :]))
    active = np.ones(values.shape, np.bool_) if mask is None else np.broadcast_to(mask, values.shape)
    chosen = active.transpose(order).reshape(moved.shape)
    total: Any = moved[0] if start is None else start
    has_total: Any = chosen[0] if start is None else np.ones(moved.shape[1:], np.bool_)
    for value, is_active in zip(moved[1:] if start is None else moved, chosen[1:] if start is None else chosen):
        folded: Any = _choose(has_total, combine(kind, total, value), value)
        total = _choose(is_active, folded, total)
        has_total = has_total | is_active
    return np.asarray(total, values.dtype)[()]
