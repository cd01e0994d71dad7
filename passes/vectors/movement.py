"""Scalars of vector ops that move elements: they emit nothing, but for positions that are values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ...dialects.vector.types import integers
from ...errors import Diagnostic
from ...ir import numbers_of, where
from .scalars import Elements, Scalarizer, array, extents_of, filled, lane_type

Rule = Callable[[Scalarizer, Any], Sequence[Elements]]
Position = SSAValue | int


def _taken(b: Scalarizer, source: Elements, positions: Sequence[Position]) -> Elements:
    """Return the part of a vector at a position; one that is a value selects among all."""
    if not positions:
        return source
    first, *rest = positions
    if isinstance(first, int):
        return _taken(b, source[first], rest)
    parts = [_taken(b, part, rest) for part in source]
    chosen = parts[0]
    for number, part in enumerate(parts[1:], 1):
        chosen = b.select(b.equals(first, number), np.asarray(part), np.asarray(chosen))
    return chosen


def _placed(b: Scalarizer, target: Elements, positions: Sequence[Position], part: Elements) -> Elements:
    """Return a vector with the part at a position replaced."""
    if not positions:
        return part
    first, *rest = positions
    result = target.copy()
    if isinstance(first, int):
        result[first] = _whole(_placed(b, np.asarray(target[first]), rest, part))
        return result
    for number in range(len(target)):
        other = np.asarray(target[number])
        result[number] = _whole(b.select(b.equals(first, number), _placed(b, other, rest, part), other))
    return result


def _whole(elements: Elements) -> Any:
    """Return a vector as it is assigned to a part of another: of rank 0 its element."""
    return elements[()] if elements.ndim == 0 else elements


def _extract(b: Scalarizer, op: Any) -> list[Elements]:
    return [np.asarray(_taken(b, b.elements(op.vector), op.get_mixed_position()))]


def _insert(b: Scalarizer, op: Any) -> list[Elements]:
    return [_placed(b, b.elements(op.dest), op.get_mixed_position(), b.elements(op.source))]


def _extract_element(b: Scalarizer, op: Any) -> list[Elements]:
    positions = [] if op.position is None else [op.position]
    return [np.asarray(_taken(b, b.elements(op.vector), positions))]


def _insert_element(b: Scalarizer, op: Any) -> list[Elements]:
    positions = [] if op.position is None else [op.position]
    return [_placed(b, b.elements(op.dest), positions, b.elements(op.source))]


def _from_elements(b: Scalarizer, op: Any) -> list[Elements]:
    return [array(op.elements, extents_of(op.result))]


def _splat(b: Scalarizer, op: Any) -> list[Elements]:
    return [filled(op.operands[0], extents_of(op.results[0]))]


def _broadcast(b: Scalarizer, op: Any) -> list[Elements]:
    return [np.broadcast_to(b.elements(op.source), extents_of(op.vector))]


def _step(b: Scalarizer, op: Any) -> list[Elements]:
    (count,) = extents_of(op.result)
    return [array([b.index(number) for number in range(count)], (count,))]


def _reshape(b: Scalarizer, op: Any) -> list[Elements]:
    return [b.elements(op.operands[0]).reshape(extents_of(op.results[0]))]


def _transpose(b: Scalarizer, op: Any) -> list[Elements]:
    return [b.elements(op.vector).transpose(numbers_of(op.permutation))]


def _slices(op: Any, sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(low, low + size) for low, size in zip(integers(op.offsets), sizes, strict=False))


def _extract_strided(b: Scalarizer, op: Any) -> list[Elements]:
    return [b.elements(op.vector)[_slices(op, integers(op.sizes))]]


def _insert_strided(b: Scalarizer, op: Any) -> list[Elements]:
    part, result = b.elements(op.source), b.elements(op.dest).copy()
    sizes = [1] * (result.ndim - part.ndim) + list(part.shape)
    result[_slices(op, sizes)] = part.reshape(sizes)
    return [result]


def _shuffle(b: Scalarizer, op: Any) -> list[Elements]:
    whole = np.concatenate([np.atleast_1d(b.elements(operand)) for operand in op.operands])
    lanes = list(numbers_of(op.mask))
    if min(lanes) < 0:
        raise Diagnostic("an element of 'vector.shuffle' is undefined", where(op), found=str(op.mask))
    return [whole[lanes]]


def _interleave(b: Scalarizer, op: Any) -> list[Elements]:
    return [np.stack([b.elements(op.lhs), b.elements(op.rhs)], -1).reshape(extents_of(op.result))]


def _deinterleave(b: Scalarizer, op: Any) -> list[Elements]:
    source = b.elements(op.source)
    return [source[..., ::2], source[..., 1::2]]


def _constant_mask(b: Scalarizer, op: Any) -> list[Elements]:
    sizes, extents = integers(op.mask_dim_sizes), extents_of(op.result)
    inside = np.zeros(extents or (1,), np.bool_)
    inside[tuple(slice(0, size) for size in sizes)] = True
    return [array([b.truth(bool(holds)) for holds in inside.ravel()], extents)]


def _create_mask(b: Scalarizer, op: Any) -> list[Elements]:
    mask = filled(b.truth(True), extents_of(op.mask_vector))
    for axis, size in enumerate(op.mask_dim_sizes):
        lanes = [b.emit(arith.CmpiOp(b.index(lane), size, "slt")) for lane in range(mask.shape[axis])]
        extents = [-1 if other == axis else 1 for other in range(mask.ndim)]
        along = array(lanes, (len(lanes),)).reshape(extents)
        mask = b.each(lambda lane: b.emit(arith.AndIOp(lane[0], lane[1])), mask, along)
    return [mask]


def _bitcast(b: Scalarizer, op: Any) -> list[Elements]:
    source, element = b.elements(op.source), lane_type(op.result)
    if source.shape != extents_of(op.result):
        message = "'vector.bitcast' to elements of another width is not scalarized"
        raise Diagnostic(message, where(op), expected="elements of one width", found=str(op.result.type))
    if lane_type(op.source) == element:
        return [source]
    return [b.each(lambda lane: b.emit(arith.BitcastOp(lane[0], element)), source)]


MOVEMENT: dict[str, Rule] = {
    "vector.bitcast": _bitcast,
    "vector.broadcast": _broadcast,
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.deinterleave": _deinterleave,
    "vector.extract": _extract,
    "vector.extract_strided_slice": _extract_strided,
    "vector.extractelement": _extract_element,
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.insert_strided_slice": _insert_strided,
    "vector.insertelement": _insert_element,
    "vector.interleave": _interleave,
    "vector.shape_cast": _reshape,
    "vector.shuffle": _shuffle,
    "vector.splat": _splat,
    "vector.step": _step,
    "vector.transpose": _transpose,
}
"""Op -> its rule: the elements of its results."""
