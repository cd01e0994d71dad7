"""Scalars of vector ops on memory: a load or a store for each element, conditional where it may be out of bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from ...errors import Diagnostic
from ...ir import shape_of, where
from .movement import Rule
from .scalars import Elements, Scalarizer, array, extents_of

_Place = tuple[tuple[int, ...], list[SSAValue], SSAValue | None]
"""Position in a vector, indices of its element in memory, and the condition of the access; None if it always is."""


def _read(b: Scalarizer, source: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    if isinstance(source.type, MemRefType):
        return b.emit(memref.LoadOp.get(source, list(indices)))
    return b.emit(tensor.ExtractOp(source, list(indices), source.type.element_type))  # pyright: ignore


def _store(b: Scalarizer, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]) -> list[SSAValue]:
    b.emit(memref.StoreOp.get(value, target, list(indices)))
    return []


def _window(b: Scalarizer, indices: Sequence[SSAValue], extents: Sequence[int]) -> Iterator[_Place]:
    """Yield the places of the elements of a vector along the last axes of memory."""
    outer = len(indices) - len(extents)
    for position in np.ndindex(*extents):
        shifts = [0] * outer + list(position)
        yield position, [b.shifted(index, shift) for index, shift in zip(indices, shifts, strict=True)], None


def _transferred(b: Scalarizer, op: Any, extents: Sequence[int]) -> Iterator[_Place]:
    """Yield the places of the elements of a transfer."""
    results = op.permutation_map.data.results
    axes = [expr.position if isinstance(expr, AffineDimExpr) else None for expr in results]
    order = sorted(axis for axis in axes if axis is not None)
    mask = None if op.mask is None else b.elements(op.mask)
    inside = [bool(flag.value.data) for flag in op.in_bounds] if op.in_bounds is not None else [False] * len(axes)
    checked = [axis for axis, safe in zip(axes, inside, strict=True) if axis is not None and not safe]
    shape = shape_of(op.source)
    for position in np.ndindex(*extents):
        steps = {axis: step for axis, step in zip(axes, position, strict=True) if axis is not None}
        indices = [b.shifted(index, steps.get(axis, 0)) for axis, index in enumerate(op.indices)]
        conditions = [b.emit(arith.CmpiOp(indices[axis], b.index(shape[axis]), "ult")) for axis in checked]
        masked: Any = None if mask is None else mask[tuple(steps[axis] for axis in order)]
        yield position, indices, b.both([masked, *conditions])


def _load(b: Scalarizer, op: Any) -> list[Elements]:
    extents = extents_of(op.result)
    return [array([_read(b, op.base, indices) for _, indices, _ in _window(b, op.indices, extents)], extents)]


def _store_all(b: Scalarizer, op: Any) -> list[Elements]:
    vector = b.elements(op.vector)
    for position, indices, _ in _window(b, op.indices, vector.shape):
        _store(b, vector[position], op.base, indices)
    return []


def _loaded(b: Scalarizer, base: SSAValue, places: Iterator[_Place], others: Elements) -> list[Elements]:
    """Load the elements at places, and take those of `others` where the condition does not hold."""
    values = [
        b.guarded(condition, lambda inner, at=indices: [_read(inner, base, at)], [others[position]])[0]
        for position, indices, condition in places
    ]
    return [array(values, others.shape)]


def _stored(b: Scalarizer, base: SSAValue, places: Iterator[_Place], values: Elements) -> list[Elements]:
    for position, indices, condition in places:
        value = values[position]
        b.guarded(condition, lambda inner, value=value, at=indices: _store(inner, value, base, at), [])
    return []


def _transfer_read(b: Scalarizer, op: Any) -> list[Elements]:
    extents = extents_of(op.result)
    padding = np.broadcast_to(b.elements(op.padding), extents)
    return _loaded(b, op.source, _transferred(b, op, extents), padding)


def _transfer_write(b: Scalarizer, op: Any) -> list[Elements]:
    if op.result is not None:
        message = "'vector.transfer_write' to a tensor is not scalarized"
        raise Diagnostic(message, where(op), remedy="write to a memref: run bufferize before vectors")
    vector = b.elements(op.vector)
    return _stored(b, op.source, _transferred(b, op, vector.shape), vector)


def _masked(places: Iterator[_Place], mask: Elements) -> Iterator[_Place]:
    for position, indices, _ in places:
        yield position, indices, cast(SSAValue, mask[position])


def _masked_load(b: Scalarizer, op: Any) -> list[Elements]:
    others = b.elements(op.pass_thru)
    return _loaded(b, op.base, _masked(_window(b, op.indices, others.shape), b.elements(op.mask)), others)


def _masked_store(b: Scalarizer, op: Any) -> list[Elements]:
    values = b.elements(op.value_to_store)
    return _stored(b, op.base, _masked(_window(b, op.indices, values.shape), b.elements(op.mask)), values)


def _at_distances(b: Scalarizer, op: Any) -> Iterator[_Place]:
    distances, mask = b.elements(op.index_vec), b.elements(op.mask)
    *outer, last = op.indices
    for position in np.ndindex(*distances.shape):
        distance, lane = cast("tuple[SSAValue, SSAValue]", (distances[position], mask[position]))
        if not isinstance(distance.type, IndexType):
            distance = b.emit(arith.IndexCastOp(distance, IndexType()))
        yield position, [*outer, b.emit(arith.AddiOp(last, distance))], lane


def _gather(b: Scalarizer, op: Any) -> list[Elements]:
    return _loaded(b, op.base, _at_distances(b, op), b.elements(op.pass_thru))


def _scatter(b: Scalarizer, op: Any) -> list[Elements]:
    return _stored(b, op.base, _at_distances(b, op), b.elements(op.operands[-1]))


MEMORY: dict[str, Rule] = {
    "vector.gather": _gather,
    "vector.load": _load,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.scatter": _scatter,
    "vector.store": _store_all,
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
}
"""Op -> its rule: the elements of its results."""
